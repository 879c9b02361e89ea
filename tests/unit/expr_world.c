// SPDX-License-Identifier: GPL-2.0-only
/* expr_world.c - see expr_world.h. */
#include "expr_world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 4

uint32_t world_random(struct world *w, uint32_t below)
{
	w->seed = w->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (w->seed >> 33) % below;
}

/* ---- types ---- */

static bool look(const void *of, uint32_t id, struct expr_type *type)
{
	const struct world *w = of;

	if (id >= w->n)
		return false;
	*type = w->of[id].type;
	return true;
}

static bool find_member(const struct world *w, uint32_t id, const char *name, uint32_t bit,
			struct expr_member *member)
{
	const struct world_type *t = &w->of[id];
	uint32_t i;

	for (i = 0; i < t->n_members; i++) {
		*member = t->members[i].member;
		member->bit += bit;
		if (t->members[i].name[0] ? !strcmp(t->members[i].name, name)
					  : find_member(w, member->type, name, member->bit, member))
			return true;
	}
	return false;
}

static bool member(const void *of, uint32_t id, const char *name, struct expr_member *m)
{
	return find_member(of, id, name, 0, m);
}

static void each_member(const void *of, uint32_t id, void (*each)(void *ctx, const char *name),
			void *ctx)
{
	const struct world *w = of;
	const struct world_type *t = &w->of[id];
	uint32_t i;

	for (i = 0; i < t->n_members; i++)
		if (t->members[i].name[0])
			each(ctx, t->members[i].name);
		else
			each_member(of, t->members[i].member.type, each, ctx);
}

static uint32_t find(const void *of, const char *name)
{
	const struct world *w = of;
	uint32_t i;

	for (i = 1; i < w->n; i++)
		if (!strcmp(w->of[i].name, name))
			return i;
	return 0;
}

static bool constant(const void *unused, const char *name, int64_t *value, bool *is_signed)
{
	*is_signed = name[0] != 'B';
	*value = !strcmp(name, "LITTLE") ? 7 : 0xfffffff0LL;
	return !strcmp(name, "LITTLE") || !strcmp(name, "BIG");
}

static void type_name(const void *of, uint32_t id, char *buf, size_t size)
{
	const struct world *w = of;

	snprintf(buf, size, "%s", w->of[id].name);
}

static uint32_t add(struct world *w, struct expr_type type, uint32_t align, const char *name)
{
	struct world_type *t = &w->of[w->n];

	type.id = w->n;
	t->type = type;
	t->align = align;
	snprintf(t->name, sizeof(t->name), "%.47s", name);
	return w->n++;
}

static void add_ints(struct world *w)
{
	static const struct {
		const char *name;
		uint32_t bytes;
		bool is_signed;
	} ints[] = {
		{ "unsigned char", 1, false },      { "signed char", 1, true },
		{ "short unsigned int", 2, false }, { "short int", 2, true },
		{ "unsigned int", 4, false },       { "int", 4, true },
		{ "long unsigned int", 8, false },  { "long int", 8, true },
		{ "enum colour", 4, false },
	};
	uint32_t i;

	for (i = 0; i < sizeof(ints) / sizeof(*ints); i++)
		add(w,
		    (struct expr_type){ .kind = EXPR_INT,
					.bytes = ints[i].bytes,
					.is_signed = ints[i].is_signed },
		    ints[i].bytes, ints[i].name);
	w->ints = i;
}

static uint32_t add_pointer(struct world *w, uint32_t of)
{
	char name[48];

	snprintf(name, sizeof(name), "%.40s *", w->of[of].name);
	return add(w, (struct expr_type){ .kind = EXPR_POINTER, .bytes = 8, .of = of }, 8, name);
}

static uint32_t add_array(struct world *w, uint32_t of, uint32_t n)
{
	return add(
		w,
		(struct expr_type){
			.kind = EXPR_ARRAY, .bytes = n * w->of[of].type.bytes, .of = of, .n = n },
		w->of[of].align, "array");
}

/* Puts a member behind the others, as compilers do. */
static void add_member(struct world *w, uint32_t id, uint32_t type, uint32_t bits, uint32_t *end,
		       const char *name)
{
	struct world_type *t = &w->of[id];
	const struct world_type *m = &w->of[type];
	struct world_member *made = &t->members[t->n_members++];
	uint32_t unit = m->type.bytes * 8, bit = t->is_union ? 0 : *end;

	if (!bits)
		bit = (bit + m->align * 8 - 1) / (m->align * 8) * (m->align * 8);
	else if (bit / unit != (bit + bits - 1) / unit)
		bit = (bit + unit - 1) / unit * unit;
	snprintf(made->name, sizeof(made->name), "%s", name);
	made->member = (struct expr_member){ type, bit, bits };
	bit += bits ? bits : unit;
	*end = bit > *end ? bit : *end;
	if (m->align > t->align)
		t->align = m->align;
}

static void close_struct(struct world *w, uint32_t id, uint32_t end)
{
	struct world_type *t = &w->of[id];
	uint32_t bytes = (end + 7) / 8;

	t->type.bytes = (bytes + t->align - 1) / t->align * t->align;
}

static uint32_t text_type, text_pointer;

/* A type for a member of structure @i: nothing larger than what was made before. */
static uint32_t member_type(struct world *w, uint32_t i, uint32_t pointers)
{
	switch (world_random(w, 8)) {
	case 0:
		return pointers + world_random(w, WORLD_STRUCTS);
	case 1:
		return add_array(w, 1 + world_random(w, w->ints), 1 + world_random(w, 4));
	case 2:
		return add_array(w, text_type, 1 + world_random(w, 12));
	case 3:
		return text_pointer;
	case 4:
		return i ? w->structs[world_random(w, i)] : 1;
	default:
		return 1 + world_random(w, w->ints);
	}
}

static void fill_struct(struct world *w, uint32_t i, uint32_t pointers)
{
	uint32_t id = w->structs[i], n = 3 + world_random(w, 4), m, type, bits, end = 0, inner;
	uint32_t inner_end = 0;
	char name[16];

	for (m = 0; m < n; m++) {
		snprintf(name, sizeof(name), "m%u", m);
		type = member_type(w, i, pointers);
		bits = 0;
		if (type <= w->ints && w->of[type].type.bytes < 8 && !world_random(w, 2))
			bits = 1 + world_random(w, w->of[type].type.bytes * 8);
		add_member(w, id, type, bits, &end, name);
	}
	/* And an unnamed structure or union. */
	inner = add(w, (struct expr_type){ .kind = EXPR_STRUCT }, 1, "unnamed");
	w->of[inner].is_union = world_random(w, 2);
	add_member(w, inner, 1 + world_random(w, w->ints), 0, &inner_end, "u0");
	add_member(w, inner, 1 + world_random(w, w->ints), 0, &inner_end, "u1");
	close_struct(w, inner, inner_end);
	add_member(w, id, inner, 0, &end, "");
	close_struct(w, id, end);
}

void world_make(struct world *w, uint64_t seed)
{
	uint32_t i, pointers, at = 0;
	char name[16];

	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->n = 1;
	w->types = (struct expr_types){ w, look, member, each_member, find, constant, type_name };
	add_ints(w);
	text_type = add(w,
			(struct expr_type){
				.kind = EXPR_INT, .bytes = 1, .is_signed = true, .is_char = true },
			1, "char");
	text_pointer = add_pointer(w, text_type);
	for (i = 0; i < WORLD_STRUCTS; i++) {
		snprintf(name, sizeof(name), "struct s%u", i);
		w->structs[i] = add(w, (struct expr_type){ .kind = EXPR_STRUCT }, 1, name);
	}
	pointers = w->n;
	for (i = 0; i < WORLD_STRUCTS; i++)
		add_pointer(w, w->structs[i]);
	for (i = 0; i < WORLD_STRUCTS; i++) {
		fill_struct(w, i, pointers);
		w->at[i] = at;
		at += (w->of[w->structs[i]].type.bytes + 15) / 16 * 16;
	}
	w->point = (struct expr_point){ .types = &w->types, .name = "made", .is_end = true };
	w->point.n_params = WORLD_PARAMS;
	for (i = 0; i < WORLD_PARAMS; i++) {
		snprintf(w->point.params[i].name, EXPR_NAME_MAX, "p%u", i);
		w->point.params[i].type = i < 3 ? pointers + world_random(w, WORLD_STRUCTS)
						: 1 + world_random(w, w->ints);
	}
}

/* ---- bytes ---- */

/* An address behind the structures, where strings are. */
#define STRINGS_AT (WORLD_BYTES - 256)

static uint64_t wild(struct world *w)
{
	static const uint64_t addresses[] = { 0, 0, 8, 0x7f0012345678, 0xdead000000000000, ~0ULL };

	return addresses[world_random(w, 6)];
}

static uint64_t pointer(struct world *w, uint32_t of)
{
	uint32_t i;

	if (!world_random(w, 6))
		return wild(w);
	if (of == text_type)
		return (w->program && world_random(w, 2) ? w->program : w->address) + STRINGS_AT +
		       world_random(w, 250);
	for (i = 0; i < WORLD_STRUCTS && w->structs[i] != of; i++)
		;
	return w->address + w->at[i];
}

static uint64_t number(struct world *w)
{
	static const uint64_t edges[] = {
		0, 1, ~0ULL, 0x80000000, 0x7fffffff, 1ULL << 63, 255, 128
	};
	uint64_t high = world_random(w, 1U << 31), low = world_random(w, 1U << 31);

	switch (world_random(w, 4)) {
	case 0:
		return edges[world_random(w, 8)];
	case 1:
		return world_random(w, 16);
	default:
		return high << 33 ^ low << 8 ^ high;
	}
}

static void fill(struct world *w, uint32_t id, uint32_t at)
{
	const struct world_type *t = &w->of[id];
	uint64_t v = t->type.kind == EXPR_POINTER ? pointer(w, t->type.of) : number(w);
	uint32_t i;

	if (t->type.kind == EXPR_STRUCT) {
		for (i = 0; i < t->n_members; i++)
			fill(w, t->members[i].member.type, at + t->members[i].member.bit / 8);
	} else if (t->type.kind == EXPR_ARRAY) {
		for (i = 0; i < t->type.n; i++)
			fill(w, t->type.of, at + i * w->of[t->type.of].type.bytes);
	} else {
		if (t->type.is_char)
			v = world_random(w, 3) ? 'a' + world_random(w, 2) : 0;
		memcpy(w->memory + at, &v, t->type.bytes);
	}
}

void world_fill(struct world *w, uint64_t address)
{
	uint32_t i;

	w->address = address;
	memset(w->memory, 0, sizeof(w->memory));
	for (i = STRINGS_AT; i < WORLD_BYTES - 1; i++)
		w->memory[i] = world_random(w, 3) ? 'a' + world_random(w, 2) : 0;
	for (i = 0; i < WORLD_STRUCTS; i++)
		fill(w, w->structs[i], w->at[i]);
	for (i = 0; i < WORLD_PARAMS; i++)
		w->params[i] =
			i < 3 ? pointer(w, w->of[w->point.params[i].type].type.of) : number(w);
}

int world_read(const void *world, uint64_t address, void *to, size_t size)
{
	const struct world *w = world;

	if (w->program && address - w->program < WORLD_BYTES)
		address += w->address - w->program;
	if (address - w->address >= WORLD_BYTES || address - w->address + size > WORLD_BYTES)
		return -EFAULT;
	memcpy(to, w->memory + (address - w->address), size);
	return 0;
}

/* ---- expressions ---- */

static void expression(struct world *w, FILE *out, int depth, bool strings);

/* Follows members until a number, or a string, is found. False if there was none. */
static bool path(struct world *w, char *buf, size_t size, bool text)
{
	uint32_t param = world_random(w, 3), id = w->point.params[param].type, steps, m;
	size_t at = snprintf(buf, size, "p%u", param);
	const struct world_type *t;
	const char *dot = "->";

	for (steps = 0; steps < 12 && at + 24 < size; steps++) {
		t = &w->of[id];
		switch (t->type.kind) {
		case EXPR_POINTER:
			if (t->type.of == text_type)
				return text;
			if (steps > 6)
				return false;
			id = t->type.of;
			dot = "->";
			break;
		case EXPR_STRUCT:
			m = world_random(w, t->n_members);
			if (t->members[m].name[0])
				at += snprintf(buf + at, size - at, "%s%s", dot,
					       t->members[m].name);
			if (t->members[m].name[0])
				dot = ".";
			id = t->members[m].member.type;
			break;
		case EXPR_ARRAY:
			if (text && t->type.of == text_type)
				return true;
			at += snprintf(buf + at, size - at, "[%u]", world_random(w, t->type.n));
			id = t->type.of;
			break;
		default:
			return !text;
		}
	}
	return false;
}

/* What reads a string, if it is one behind a pointer: str(p1->a), str((u64)p1->a + 1, 3). */
static void world_by_str(struct world *w, char *text, size_t size)
{
	char inner[256];
	struct error unused = {};
	struct expr x;

	if (expr_parse(&x, "", text, &unused) || expr_check(&x, "", &w->point, EXPR_BY, &unused) ||
	    x.nodes[x.root].is.kind != EXPR_POINTER)
		return;
	snprintf(inner, sizeof(inner), "%s", text);
	switch (world_random(w, 3)) {
	case 0:
		snprintf(text, size, "str(%s)", inner);
		break;
	case 1:
		snprintf(text, size, "str(%s, %u)", inner, 1 + world_random(w, EXPR_STR_MAX));
		break;
	default:
		snprintf(text, size, "str((unsigned long)%s + %u, %u)", inner, world_random(w, 3),
			 1 + world_random(w, 4));
	}
}

static void print_number(struct world *w, FILE *out)
{
	uint64_t n = number(w);

	switch (world_random(w, 4)) {
	case 0:
		fprintf(out, "0x%llx", (unsigned long long)n);
		break;
	case 1:
		fputs(world_random(w, 2) ? "LITTLE" : "BIG", out);
		break;
	default:
		fprintf(out, "%llu", (unsigned long long)(n & INT64_MAX));
	}
}

static void operand(struct world *w, FILE *out, bool strings)
{
	char text[256];
	int tries;

	switch (world_random(w, 6)) {
	case 0:
		print_number(w, out);
		return;
	case 1:
		fprintf(out, "p%u", 3 + world_random(w, WORLD_PARAMS - 3));
		return;
	default:
		for (tries = 0; tries < 20; tries++) {
			if (path(w, text, sizeof(text), false)) {
				fputs(text, out);
				return;
			}
		}
		fputs(strings ? "duration" : "p3", out);
	}
}

static void comparison(struct world *w, FILE *out, bool strings)
{
	char text[256], quoted[8] = "";
	uint32_t n, i;

	if (!strings || !path(w, text, sizeof(text), true)) {
		fprintf(out, "(p%u %s %u)", world_random(w, 3),
			world_random(w, 2) ? "==" : "!=", 0);
		return;
	}
	/* No array has fewer bytes. */
	n = world_random(w, 2);
	if (text[strlen(text) - 1] != ']')
		n = world_random(w, 2);
	for (i = 0; i < n; i++)
		quoted[i] = 'a' + world_random(w, 2);
	if (world_random(w, 2))
		world_by_str(w, text, sizeof(text));
	fprintf(out, "(%s %s \"%s\")", text, world_random(w, 2) ? "==" : "!=", quoted);
}

static void expression(struct world *w, FILE *out, int depth, bool strings)
{
	static const char *const ops[] = { "||", "&&", "|",  "^",  "&", "==", "!=", "<", "<=",
					   ">",  ">=", "<<", ">>", "+", "-",  "*",  "/", "%" };
	static const char *const unary[] = { "!", "~", "-" };
	static const char *const casts[] = { "unsigned char", "signed char",   "short",
					     "unsigned",      "int",           "long",
					     "unsigned long", "unsigned short" };
	uint32_t kind = world_random(w, 10);

	if (!depth || kind < 2) {
		operand(w, out, strings);
	} else if (kind == 2) {
		comparison(w, out, strings);
	} else if (kind == 3) {
		fprintf(out, "%s(", unary[world_random(w, 3)]);
		expression(w, out, depth - 1, strings);
		fputc(')', out);
	} else if (kind == 4) {
		fprintf(out, "(%s)(", casts[world_random(w, 8)]);
		expression(w, out, depth - 1, strings);
		fputc(')', out);
	} else {
		/* Brackets are left out now and then, so that precedence matters. */
		bool left = world_random(w, 2), right = world_random(w, 2);

		fputs(left ? "(" : "", out);
		expression(w, out, depth - 1, strings);
		fprintf(out, "%s %s %s", left ? ")" : "", ops[world_random(w, 18)],
			right ? "(" : "");
		expression(w, out, depth - 1, strings);
		fputs(right ? ")" : "", out);
	}
}

void world_expression(struct world *w, char *buf, size_t size, bool strings)
{
	FILE *out;

	do {
		memset(buf, 0, size);
		out = fmemopen(buf, size, "w");
		if (!out)
			abort();
		expression(w, out, DEPTH, strings);
		fclose(out);
	} while (strlen(buf) > EXPR_LENGTH_MAX || strlen(buf) + 1 >= size);
}

bool world_text(struct world *w, char *buf, size_t size)
{
	int tries;

	for (tries = 0; tries < 20; tries++)
		if (path(w, buf, size, true))
			break;
	if (tries < 20 && world_random(w, 2))
		world_by_str(w, buf, size);
	return tries < 20;
}

/* ---- C ---- */

static void print_members(const struct world *w, uint32_t id, FILE *out)
{
	const struct world_type *t = &w->of[id], *m;
	uint32_t i;

	for (i = 0; i < t->n_members; i++) {
		m = &w->of[t->members[i].member.type];
		if (!t->members[i].name[0]) {
			fprintf(out, "%s {", m->is_union ? "union" : "struct");
			print_members(w, m->type.id, out);
			fputs("};", out);
			continue;
		}
		fprintf(out, "%s %s", m->type.kind == EXPR_ARRAY ? w->of[m->type.of].name : m->name,
			t->members[i].name);
		if (m->type.kind == EXPR_ARRAY)
			fprintf(out, "[%u]", m->type.n);
		if (t->members[i].member.bits)
			fprintf(out, ":%u", t->members[i].member.bits);
		fputs(";", out);
	}
}

void world_print(const struct world *w, FILE *out)
{
	uint32_t i;

	for (i = 0; i < WORLD_STRUCTS; i++) {
		fprintf(out, "struct s%u {", i);
		print_members(w, w->structs[i], out);
		fputs("};\n", out);
	}
	for (i = 0; i < WORLD_STRUCTS; i++)
		fprintf(out, "_Static_assert(sizeof(struct s%u) == %u, \"s%u\");\n", i,
			w->of[w->structs[i]].type.bytes, i);
}
