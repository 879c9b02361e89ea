// SPDX-License-Identifier: GPL-2.0-only
/* btf.c - functions and tracepoints from BTF. */
#include "facts/priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TP_PREFIX "btf_trace_"

int facts_by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int index_functions(struct facts_module *m)
{
	const struct facts_types *types = &m->types;
	const uint32_t *begin = &types->kinds[BTF_KIND_FUNC];
	uint32_t i, id;

	m->fns = calloc(begin[1] - begin[0] + 1, sizeof(*m->fns));
	if (!m->fns)
		return -ENOMEM;
	for (i = begin[0]; i < begin[1]; i++) {
		id = types->first + types->of_kind[i];
		m->fns[m->n_fns++] = (struct facts_entry){
			.name = facts_type_name(types, facts_type(types, id)->name_off),
			.btf_id = id,
		};
	}
	return 0;
}

/* Each is a typedef. */
static int index_tracepoints(struct facts_module *m)
{
	const struct facts_types *types = &m->types;
	const uint32_t *begin = &types->kinds[BTF_KIND_TYPEDEF];
	size_t len = strlen(TP_PREFIX);
	const char *name;
	uint32_t i, id;

	m->tps = calloc(begin[1] - begin[0] + 1, sizeof(*m->tps));
	if (!m->tps)
		return -ENOMEM;
	for (i = begin[0]; i < begin[1]; i++) {
		id = types->first + types->of_kind[i];
		name = facts_type_name(types, facts_type(types, id)->name_off);
		if (name[0] == TP_PREFIX[0] && !strncmp(name, TP_PREFIX, len))
			m->tps[m->n_tps++] = (struct facts_tp){ name + len, id };
	}
	qsort(m->tps, m->n_tps, sizeof(*m->tps), facts_by_name);
	return 0;
}

int facts_btf_read(struct facts_module *m, const char *path, const struct facts_types *base)
{
	int err = facts_types_read(&m->types, path, base);

	if (!err)
		err = index_functions(m);
	return err ? err : index_tracepoints(m);
}

/* Keep one entry for each name, since several static functions may share a name in BTF. */
void facts_btf_sort(struct facts_module *m)
{
	size_t i, kept = 0;

	if (m->sorted)
		return;
	qsort(m->fns, m->n_fns, sizeof(*m->fns), facts_by_name);
	for (i = 0; i < m->n_fns; i++)
		if (!kept || strcmp(m->fns[kept - 1].name, m->fns[i].name))
			m->fns[kept++] = m->fns[i];
		else if (m->is_plain)
			free((char *)m->fns[i].name);
	m->n_fns = kept;
	m->sorted = true;
}

/* Searches linearly if the functions are not sorted: for a few names that costs less. */
struct facts_entry *facts_entry_find(const struct facts_module *m, const char *name)
{
	const struct facts_entry key = { .name = name };
	size_t i;

	if (m->sorted)
		return m->n_fns ? bsearch(&key, m->fns, m->n_fns, sizeof(key), facts_by_name)
				: NULL;
	for (i = 0; i < m->n_fns; i++)
		if (m->fns[i].name[0] == name[0] && !strcmp(m->fns[i].name, name))
			return &m->fns[i];
	return NULL;
}

struct facts_module *facts_module_find(const struct facts *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->n_modules; i++)
		if (!strcmp(f->modules[i].name, name))
			return &f->modules[i];
	return NULL;
}

bool facts_shared(const struct facts *f, const struct facts_module *m, const char *name)
{
	size_t i;

	/* A name of the kernel proper is always found first, so it is not ambiguous. */
	if (m == &f->kernel)
		return false;
	if (facts_entry_find(&f->kernel, name))
		return true;
	for (i = 0; i < f->n_modules; i++)
		if (&f->modules[i] != m && facts_entry_find(&f->modules[i], name))
			return true;
	return false;
}

/* ---- types ---- */

bool facts_btf_has_member(const struct facts_module *m, const char *type, const char *member)
{
	const struct facts_types *types = &m->types;
	const struct btf_type *t =
		facts_type(types, facts_types_find(types, BTF_KIND_STRUCT, type));
	unsigned int i;

	for (i = 0; i < btf_vlen(t); i++)
		if (!strcmp(facts_type_name(types, btf_members(t)[i].name_off), member))
			return true;
	return false;
}

static const struct btf_type *btf_skip(const struct facts_types *types, uint32_t id)
{
	const struct btf_type *t = facts_type(types, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = facts_type(types, t->type);
	return t;
}

static struct facts_value btf_value_of(const struct facts_types *types, uint32_t id)
{
	const struct btf_type *t = btf_skip(types, id);
	struct facts_value v = { FACTS_OTHER, 0 };

	if (!id || !t || btf_is_void(t)) {
		v.type = FACTS_VOID;
		return v;
	}
	v.bytes = btf_is_ptr(t) ? 8 : t->size;
	if (btf_is_ptr(t))
		v.type = FACTS_POINTER;
	else if (btf_is_any_enum(t))
		v.type = btf_kflag(t) ? FACTS_SIGNED : FACTS_UNSIGNED;
	else if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_BOOL)
		v.type = FACTS_BOOL;
	else if (btf_is_int(t))
		v.type = btf_int_encoding(t) & BTF_INT_SIGNED ? FACTS_SIGNED : FACTS_UNSIGNED;
	return v;
}

static unsigned int args_of(const struct facts_types *types, const struct btf_type *proto,
			    unsigned int skipped, struct facts_value *args)
{
	const struct btf_param *params = btf_params(proto);
	unsigned int n = btf_vlen(proto), i;

	for (i = skipped; i < n && i - skipped < FACTS_ARGS_MAX; i++)
		args[i - skipped] = btf_value_of(types, params[i].type);
	return n > skipped ? n - skipped : 0;
}

static const struct btf_type *btf_proto_of(const struct facts_module *m, uint32_t id)
{
	const struct btf_type *t = facts_type(&m->types, id), *proto;

	proto = t ? facts_type(&m->types, t->type) : NULL;
	return proto && btf_is_func_proto(proto) ? proto : NULL;
}

/* In BTF, the dots of a variadic function are a last argument without a type. */
static bool has_dots(const struct btf_type *proto)
{
	unsigned int n = btf_vlen(proto);

	return n && !btf_params(proto)[n - 1].type;
}

bool facts_btf_varargs(const struct facts_module *m, uint32_t id)
{
	const struct btf_type *proto = id ? btf_proto_of(m, id) : NULL;

	return proto && has_dots(proto);
}

void facts_btf_function(const struct facts_module *m, uint32_t id, struct facts_function *out)
{
	const struct btf_type *proto = btf_proto_of(m, id);

	if (!proto)
		return;
	out->ret = btf_value_of(&m->types, proto->type);
	out->n_args = args_of(&m->types, proto, 0, out->args) - has_dots(proto);
}

/* The type is typedef -> pointer -> prototype; the first argument is the probe's own. */
void facts_btf_tracepoint(const struct facts_module *m, uint32_t id, struct facts_tracepoint *out)
{
	const struct btf_type *t = facts_type(&m->types, id);

	t = t ? facts_type(&m->types, t->type) : NULL;
	if (t && btf_is_ptr(t))
		t = facts_type(&m->types, t->type);
	if (t && btf_is_func_proto(t))
		out->n_args = args_of(&m->types, t, 1, out->args);
}

bool facts_has_module(const struct facts *f, const char *name)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s" FACTS_BTF_DIR "/%s", f->root, name);
	return !access(path, F_OK);
}

enum facts_session facts_btf_session(const struct facts_module *m)
{
	const struct facts_entry *entry = facts_entry_find(m, "bpf_session_cookie");
	struct facts_function fn = {};

	if (!entry)
		return FACTS_NO_SESSION;
	facts_btf_function(m, entry->btf_id, &fn);
	return fn.n_args ? FACTS_SESSION : FACTS_SESSION_VOID;
}

enum facts_session facts_session(const struct facts *f)
{
	return f->session;
}
