// SPDX-License-Identifier: GPL-2.0-only
/* decode.c - where the instructions of a function lead to. In: bytes. Out: addresses. */
#include "facts/callees.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef KSTATS_CAPSTONE
#include <capstone/capstone.h>
#include <dlfcn.h>
#endif

static bool decode_is_inside(const struct facts_code *parts, size_t n, uint64_t address)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (address >= parts[i].address && address - parts[i].address < parts[i].n)
			return true;
	return false;
}

static int decode_add(struct facts_calls *out, uint64_t to)
{
	uint64_t *grown;
	size_t i;

	for (i = 0; i < out->n; i++)
		if (out->to[i] == to)
			return 0;
	grown = realloc(out->to, (out->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	out->to = grown;
	out->to[out->n++] = to;
	return 0;
}

#if defined(__x86_64__) && defined(KSTATS_CAPSTONE)
#define ENTRY_MARK 4 /* bytes of endbr64, before the place where tracers are called */
#define DECODE_TEXT_OF(number) #number
#define DECODE_TEXT(number) DECODE_TEXT_OF(number)
#define CAPSTONE "libcapstone.so." DECODE_TEXT(CS_API_MAJOR)

/*
 * Of capstone, which is loaded when it is first needed: its tables for all architectures have more
 * addresses to place than the program and all its other libraries, at each start.
 */
static struct {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *disasm_iter;
} capstone;

/* Return: 0, or -ELIBACC if this machine does not have it. */
static int decode_load(void)
{
	const struct {
		const char *name;
		void *place;
	} functions[] = {
		{ "cs_open", &capstone.open },     { "cs_close", &capstone.close },
		{ "cs_option", &capstone.option }, { "cs_malloc", &capstone.malloc },
		{ "cs_free", &capstone.free },     { "cs_disasm_iter", &capstone.disasm_iter },
	};
	static bool is_loaded;
	void *library, *found;
	size_t i;

	if (is_loaded)
		return 0;
	library = dlopen(CAPSTONE, RTLD_NOW);
	for (i = 0; library && i < sizeof(functions) / sizeof(functions[0]); i++) {
		found = dlsym(library, functions[i].name);
		if (!found)
			return -ELIBACC;
		memcpy(functions[i].place, &found, sizeof(found));
	}
	is_loaded = library;
	return is_loaded ? 0 : -ELIBACC;
}

static bool decode_is_in_group(const cs_insn *in, unsigned int group)
{
	size_t i;

	for (i = 0; i < in->detail->groups_count; i++)
		if (in->detail->groups[i] == group)
			return true;
	return false;
}

static int decode_x86(const struct facts_code *parts, size_t n, const cs_insn *in,
		      struct facts_calls *out)
{
	const cs_x86_op *op = in->detail->x86.operands;
	bool calls = decode_is_in_group(in, CS_GRP_CALL);

	if (!calls && !decode_is_in_group(in, CS_GRP_JUMP))
		return 0;
	/* Not of jumps: most of them are within the function, by a table. */
	if (in->detail->x86.op_count != 1 || op->type != X86_OP_IMM) {
		out->indirect += calls;
		return 0;
	}
	if (calls && in->address - parts[0].address <= ENTRY_MARK)
		return 0; /* of a tracer */
	if (!calls && decode_is_inside(parts, n, op->imm))
		return 0;
	return decode_add(out, op->imm);
}

static int decode_part(const struct facts_code *parts, size_t n, size_t at, struct facts_calls *out)
{
	const uint8_t *bytes = parts[at].bytes;
	uint64_t address = parts[at].address;
	size_t left = parts[at].n;
	cs_insn *in = NULL;
	int err = decode_load();
	csh decoder;

	if (err) {
		out->library = CAPSTONE;
		return err;
	}
	if (capstone.open(CS_ARCH_X86, CS_MODE_64, &decoder))
		return -ENOMEM;
	if (!capstone.option(decoder, CS_OPT_DETAIL, CS_OPT_ON))
		in = capstone.malloc(decoder);
	for (err = in ? 0 : -ENOMEM;
	     !err && capstone.disasm_iter(decoder, &bytes, &left, &address, in);)
		err = decode_x86(parts, n, in, out);
	out->is_cut |= left > 0;
	if (in)
		capstone.free(in, 1);
	capstone.close(&decoder);
	return err;
}
#elif defined(__aarch64__)
#define MOV_X9_LR 0xaa1e03e9 /* before the call of a tracer, at the entry */
#define BRANCH_MASK 0xfc000000
#define BL 0x94000000
#define B 0x14000000
#define REGISTER_MASK 0xfffffc1f
#define BLR 0xd63f0000

static int decode_part(const struct facts_code *parts, size_t n, size_t at, struct facts_calls *out)
{
	uint32_t word, before = 0;
	uint64_t to;
	size_t i;
	int err = 0;

	for (i = 0; !err && i + sizeof(word) <= parts[at].n; i += sizeof(word)) {
		memcpy(&word, parts[at].bytes + i, sizeof(word));
		to = parts[at].address + i + (int64_t)((uint64_t)word << 38) / (1LL << 36);
		if ((word & REGISTER_MASK) == BLR)
			out->indirect++;
		else if ((word & BRANCH_MASK) == BL && before != MOV_X9_LR)
			err = decode_add(out, to);
		else if ((word & BRANCH_MASK) == B && !decode_is_inside(parts, n, to))
			err = decode_add(out, to);
		before = word;
	}
	return err;
}
#else
static int decode_part(const struct facts_code *parts, size_t n, size_t at, struct facts_calls *out)
{
	return -EOPNOTSUPP;
}
#endif

int facts_decode(const struct facts_code *parts, size_t n_parts, struct facts_calls *out)
{
	int err = 0;
	size_t i;

	*out = (struct facts_calls){};
	for (i = 0; !err && i < n_parts; i++)
		err = decode_part(parts, n_parts, i, out);
	return err;
}
