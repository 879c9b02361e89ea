// SPDX-License-Identifier: GPL-2.0-only
/* points.c - the types and parameters of functions and tracepoints, for expressions. */
#include "facts/priv.h"

#include <stdio.h>
#include <string.h>

#define TP_FUNCTION "__traceiter_" /* of each tracepoint; it has the names of the arguments */
#define DEEPEST 32 /* types behind each other: typedefs, pointers, unnamed members */

static const struct btf_type *past_names(const struct facts_types *t, uint32_t *id)
{
	const struct btf_type *type = facts_type(t, *id);
	int i;

	for (i = 0; i < DEEPEST && type && (btf_is_mod(type) || btf_is_typedef(type)); i++) {
		*id = type->type;
		type = facts_type(t, *id);
	}
	return type;
}

/* Names of files are of unsigned char, and bytes that are no text have a name of their own: u8. */
static bool is_char(const struct facts_types *t, uint32_t id, const struct btf_type *type)
{
	const char *name = facts_type_name(t, type->name_off);
	const struct btf_type *plain = facts_type(t, id);
	int i;

	if (type->size != 1 || !strcmp(name, "char"))
		return type->size == 1;
	for (i = 0; i < DEEPEST && plain && btf_is_mod(plain); i++)
		plain = facts_type(t, plain->type);
	return plain == type && !strcmp(name, "unsigned char");
}

static uint32_t expr_bytes_of(const struct facts_types *t, uint32_t id, int depth)
{
	const struct btf_type *type = past_names(t, &id);

	if (!type || depth > DEEPEST)
		return 0;
	if (btf_is_ptr(type))
		return 8;
	if (btf_is_array(type))
		return btf_array(type)->nelems * expr_bytes_of(t, btf_array(type)->type, depth + 1);
	if (btf_is_int(type) || btf_is_any_enum(type) || btf_is_composite(type))
		return type->size;
	return 0;
}

static bool expr_look(const void *of, uint32_t id, struct expr_type *out)
{
	const struct facts_types *t = of;
	const uint32_t named = id;
	const struct btf_type *type = past_names(t, &id);

	if (!type)
		return false;
	*out = (struct expr_type){ .kind = EXPR_OTHER, .id = id, .bytes = expr_bytes_of(t, id, 0) };
	if (!id || btf_is_void(type)) {
		out->kind = EXPR_VOID;
	} else if (btf_is_ptr(type)) {
		out->kind = EXPR_POINTER;
		out->of = type->type;
	} else if (btf_is_composite(type)) {
		out->kind = EXPR_STRUCT;
	} else if (btf_is_array(type)) {
		out->kind = EXPR_ARRAY;
		out->of = btf_array(type)->type;
		out->n = btf_array(type)->nelems;
	} else if (btf_is_any_enum(type)) {
		out->kind = EXPR_INT;
		out->is_signed = btf_kflag(type);
	} else if (btf_is_int(type)) {
		out->kind = EXPR_INT;
		out->is_signed = btf_int_encoding(type) & BTF_INT_SIGNED;
		out->is_char = is_char(t, named, type);
	}
	return true;
}

/* ---- members ---- */

static bool find_member(const struct facts_types *t, uint32_t id, const char *name,
			struct expr_member *out, int depth)
{
	const struct btf_type *type = past_names(t, &id);
	const struct btf_member *m;
	const char *own;
	uint32_t i, bit;

	if (!type || !btf_is_composite(type) || depth > DEEPEST)
		return false;
	for (i = 0; i < btf_vlen(type); i++) {
		m = &btf_members(type)[i];
		own = facts_type_name(t, m->name_off);
		bit = btf_member_bit_offset(type, i);
		if (own[0] && !strcmp(own, name)) {
			*out = (struct expr_member){ m->type, bit,
						     btf_member_bitfield_size(type, i) };
			return true;
		}
		if (!own[0] && find_member(t, m->type, name, out, depth + 1)) {
			out->bit += bit;
			return true;
		}
	}
	return false;
}

static bool member(const void *of, uint32_t id, const char *name, struct expr_member *out)
{
	return find_member(of, id, name, out, 0);
}

static void tell_members(const struct facts_types *t, uint32_t id,
			 void (*each)(void *ctx, const char *name), void *ctx, int depth)
{
	const struct btf_type *type = past_names(t, &id);
	const char *name;
	uint32_t i;

	if (!type || !btf_is_composite(type) || depth > DEEPEST)
		return;
	for (i = 0; i < btf_vlen(type); i++) {
		name = facts_type_name(t, btf_members(type)[i].name_off);
		if (name[0])
			each(ctx, name);
		else
			tell_members(t, btf_members(type)[i].type, each, ctx, depth + 1);
	}
}

static void each_member(const void *of, uint32_t id, void (*each)(void *ctx, const char *name),
			void *ctx)
{
	tell_members(of, id, each, ctx, 0);
}

/* ---- by name ---- */

static uint32_t find_kind(const struct facts_types *t, unsigned int kind, const char *name)
{
	uint32_t id = facts_types_find(t, kind, name);

	return id || !t->base ? id : find_kind(t->base, kind, name);
}

static uint32_t expr_find(const void *of, const char *name)
{
	static const struct {
		const char *word;
		unsigned int kinds[2];
	} words[] = { { "struct ", { BTF_KIND_STRUCT, BTF_KIND_STRUCT } },
		      { "union ", { BTF_KIND_UNION, BTF_KIND_UNION } },
		      { "enum ", { BTF_KIND_ENUM, BTF_KIND_ENUM64 } },
		      { "", { BTF_KIND_TYPEDEF, BTF_KIND_INT } } };
	size_t i;
	uint32_t id;

	for (i = 0; strncmp(name, words[i].word, strlen(words[i].word)); i++)
		;
	name += strlen(words[i].word);
	id = find_kind(of, words[i].kinds[0], name);
	return id ? id : find_kind(of, words[i].kinds[1], name);
}

static bool constant_of(const struct facts_types *t, const struct btf_type *type, const char *name,
			int64_t *value)
{
	const struct btf_enum64 *wide;
	uint32_t i;

	for (i = 0; i < btf_vlen(type); i++) {
		wide = &btf_enum64(type)[i];
		if (btf_is_enum64(type)) {
			if (strcmp(facts_type_name(t, wide->name_off), name))
				continue;
			*value = btf_enum64_value(wide);
			return true;
		}
		if (strcmp(facts_type_name(t, btf_enum(type)[i].name_off), name))
			continue;
		*value = btf_enum(type)[i].val;
		if (!btf_kflag(type))
			*value = (uint32_t)*value;
		return true;
	}
	return false;
}

static bool constant(const void *of, const char *name, int64_t *value, bool *is_signed)
{
	const struct facts_types *t;
	uint32_t i;

	for (t = of; t; t = t->base) {
		for (i = 0; i < t->n - t->first; i++) {
			if (!btf_is_any_enum(t->at[i]) || !constant_of(t, t->at[i], name, value))
				continue;
			*is_signed = btf_kflag(t->at[i]);
			return true;
		}
	}
	return false;
}

/* ---- names of types ---- */

static void append(char *buf, size_t size, const char *text)
{
	size_t at = strlen(buf);

	snprintf(buf + at, size - at, "%s", text);
}

static void write_name(const struct facts_types *t, uint32_t id, char *buf, size_t size, int depth)
{
	const struct btf_type *type = facts_type(t, id);
	const char *name;

	if (!id || !type || depth > DEEPEST) {
		append(buf, size, "void");
		return;
	}
	name = facts_type_name(t, type->name_off);
	if (btf_kind(type) == BTF_KIND_CONST)
		append(buf, size, "const ");
	if (btf_is_ptr(type)) {
		write_name(t, type->type, buf, size, depth + 1);
		append(buf, size, buf[0] && buf[strlen(buf) - 1] == '*' ? "*" : " *");
	} else if (btf_is_mod(type)) {
		write_name(t, type->type, buf, size, depth + 1);
	} else if (btf_is_array(type)) {
		write_name(t, btf_array(type)->type, buf, size, depth + 1);
		append(buf, size, "[]");
	} else if (btf_is_func_proto(type)) {
		append(buf, size, "function");
	} else {
		append(buf, size,
		       btf_is_struct(type) || (btf_is_fwd(type) && !btf_kflag(type)) ? "struct "
		       : btf_is_union(type) || btf_is_fwd(type)                      ? "union "
		       : btf_is_any_enum(type)                                       ? "enum "
										     : "");
		append(buf, size, name[0] ? name : "without a name");
	}
}

static void type_name(const void *of, uint32_t id, char *buf, size_t size)
{
	buf[0] = '\0';
	write_name(of, id, buf, size, 0);
}

/* ---- points ---- */

struct expr_types facts_expr_types(const struct facts_types *t)
{
	return (struct expr_types){ t,         expr_look, member,   each_member,
				    expr_find, constant,  type_name };
}

static struct facts_module *expr_module_of(const struct facts *f, const char *name)
{
	return name[0] ? facts_module_find(f, name) : (struct facts_module *)&f->kernel;
}

static void set_types(struct facts_module *m, struct expr_point *point, const char *name)
{
	m->expr = facts_expr_types(&m->types);
	*point = (struct expr_point){ .types = &m->expr };
	snprintf(point->name, sizeof(point->name), "%s", name);
}

/* The parameters from number @skipped on. */
static void set_params(const struct facts_types *t, const struct btf_type *proto, uint32_t skipped,
		       struct expr_point *point)
{
	struct expr_param *param;
	uint32_t i;

	for (i = skipped; i < btf_vlen(proto) && point->n_params < EXPR_PARAMS_MAX; i++) {
		/* The dots of a variadic function have no type. */
		if (!btf_params(proto)[i].type)
			break;
		param = &point->params[point->n_params++];
		param->type = btf_params(proto)[i].type;
		snprintf(param->name, sizeof(param->name), "%s",
			 facts_type_name(t, btf_params(proto)[i].name_off));
	}
}

static const struct btf_type *expr_proto_of(const struct facts_types *t, uint32_t id)
{
	const struct btf_type *type = facts_type(t, id);

	while (type && !btf_is_func_proto(type) &&
	       (btf_is_func(type) || btf_is_typedef(type) || btf_is_ptr(type)))
		type = facts_type(t, type->type);
	return type && btf_is_func_proto(type) ? type : NULL;
}

void facts_function_point(const struct facts *f, const struct facts_function *fn,
			  struct expr_point *point)
{
	struct facts_module *m = expr_module_of(f, fn->module);
	const struct btf_type *proto =
		m && fn->btf_id ? expr_proto_of(&m->types, fn->btf_id) : NULL;

	*point = (struct expr_point){};
	snprintf(point->name, sizeof(point->name), "%s", fn->name);
	if (!proto)
		return;
	set_types(m, point, fn->name);
	set_params(&m->types, proto, 0, point);
	point->ret = proto->type;
}

/* The first parameter of both is the probe's own. In the type of a tracepoint they have no names.
 */
void facts_tracepoint_point(const struct facts *f, const struct facts_tracepoint *tp,
			    struct expr_point *point)
{
	struct facts_module *m = expr_module_of(f, tp->module);
	const struct btf_type *proto = m ? expr_proto_of(&m->types, tp->btf_id) : NULL,
			      *named = NULL;
	const struct facts_entry *entry;
	char name[160];

	*point = (struct expr_point){};
	snprintf(point->name, sizeof(point->name), "%s", tp->name);
	if (!proto)
		return;
	snprintf(name, sizeof(name), TP_FUNCTION "%s", tp->name);
	entry = facts_entry_find(m, name);
	if (entry && entry->btf_id)
		named = expr_proto_of(&m->types, entry->btf_id);
	set_types(m, point, tp->name);
	set_params(&m->types, named && btf_vlen(named) == btf_vlen(proto) ? named : proto, 1,
		   point);
}

static void write_declaration(const struct expr_types *types, uint32_t type, const char *name,
			      FILE *out)
{
	char text[160];
	size_t length;

	types->name(types->of, type, text, sizeof(text));
	length = strlen(text);
	fprintf(out, "%s%s%s", text, !name[0] || text[length - 1] == '*' ? "" : " ", name);
}

void facts_write_point(const struct expr_point *point, bool is_function, FILE *out)
{
	uint32_t i;

	if (!point->types) {
		fprintf(out, "%s: no BTF tells its parameters", point->name);
		return;
	}
	if (is_function)
		write_declaration(point->types, point->ret, point->name, out);
	else
		fprintf(out, "%s", point->name);
	fputc('(', out);
	for (i = 0; i < point->n_params; i++) {
		fputs(i ? ", " : "", out);
		write_declaration(point->types, point->params[i].type, point->params[i].name, out);
	}
	fputs(is_function && !point->n_params ? "void)" : ")", out);
}
