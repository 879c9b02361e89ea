// SPDX-License-Identifier: GPL-2.0-only
/* fuzz_expr.c - any bytes as an expression: what is accepted can be evaluated and compiled. */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool look(const void *unused, uint32_t id, struct expr_type *type)
{
	/* 1: a structure, 2: a pointer to it, 3: char, 4: char *, 5: char[5], 6: short, 7: double
	 */
	static const struct expr_type types[] = {
		{ .kind = EXPR_VOID },
		{ EXPR_STRUCT, 1, 48, false, false, 0, 0 },
		{ EXPR_POINTER, 2, 8, false, false, 1, 0 },
		{ EXPR_INT, 3, 1, true, true, 0, 0 },
		{ EXPR_POINTER, 4, 8, false, false, 3, 0 },
		{ EXPR_ARRAY, 5, 5, false, false, 3, 5 },
		{ EXPR_INT, 6, 2, true, false, 0, 0 },
		{ EXPR_OTHER, 7, 8, false, false, 0, 0 },
	};

	if (id >= sizeof(types) / sizeof(*types))
		return false;
	*type = types[id];
	return true;
}

/* Members are called by their types: a to g; h is a bitfield. */
static bool member(const void *unused, uint32_t id, const char *name, struct expr_member *m)
{
	*m = (struct expr_member){ name[0] - 'a' + 1, (name[0] - 'a') * 64, 0 };
	if (name[0] == 'h')
		*m = (struct expr_member){ 6, 77, 9 };
	return id == 1 && name[0] >= 'a' && name[0] <= 'h' && !name[1];
}

static void each_member(const void *unused, uint32_t id, void (*each)(void *ctx, const char *name),
			void *ctx)
{
	each(ctx, "a");
}

static uint32_t find(const void *unused, const char *name)
{
	return name[0] == 's' ? 1 : name[0] == 'i' ? 6 : 0;
}

static bool constant(const void *unused, const char *name, int64_t *value, bool *is_signed)
{
	*value = -1;
	*is_signed = name[1];
	return name[0] == 'C';
}

static void type_name(const void *unused, uint32_t id, char *buf, size_t size)
{
	snprintf(buf, size, "type %u", id);
}

static int read_memory(const void *unused, uint64_t address, void *to, size_t size)
{
	memset(to, address, size);
	return address % 7 ? 0 : -1;
}

static void evaluate(const struct expr *x)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	static const uint64_t params[EXPR_PARAMS_MAX] = { 1, 2, 3, 4 };
	const struct expr_input in = { .params = params, .read = read_memory };
	const struct expr_wanted wanted = { .condition = x, .value = x, .use = EXPR_KEY };
	uint64_t value;
	int context;

	expr_run(&wanted, &in, &value);
	for (context = EXPR_CTX_TRACE; context <= EXPR_CTX_REGS; context++)
		if (!expr_compile(&wanted, context, insns))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct expr_types types = { NULL, look,     member,   each_member,
						 find, constant, type_name };
	static const struct expr_point point = {
		.types = &types,
		.name = "f",
		.n_params = 4,
		.params = { { "p", 2 }, { "n", 6 }, { "t", 4 }, { "s", 1 } },
		.is_end = true,
		.has_ret = true,
		.ret = 6,
	};
	struct expr x, entry, end;
	struct error e = {};
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (expr_cut(text) > size)
		abort();
	if (!expr_parse(&x, "--if", text, &e)) {
		expr_split(&x, &entry, &end);
		if (!entry.n && !end.n)
			abort();
		if (!expr_check(&x, "--if", &point, EXPR_CONDITION, &e))
			evaluate(&x);
	}
	if (e.err && (!e.what[0] || !e.why[0]))
		abort();
	free(text);
	return 0;
}
