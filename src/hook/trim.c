// SPDX-License-Identifier: GPL-2.0-only
/* trim.c - see trim.h. First forwards, what is known of registers; then backwards, what is read. */
#include "hook/trim.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hook/insn.h"

#define REGS 10 /* r10, the frame, is always known and never written */
#define ALL_REGS ((1 << REGS) - 1)
#define ARGS (1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5)
#define TAIL_CALL 12
#define CMPXCHG_FETCH 0xf1

/** enum trim_way - where a jump leads */
enum trim_way {
	TRIM_BOTH,
	TRIM_ALWAYS,
	TRIM_NEVER,
};

/** struct trim_known - constants in registers before an instruction */
struct trim_known {
	uint16_t which; /* bits of the registers whose value is known */
	uint64_t value[REGS];
};

/** struct trim - one program */
struct trim {
	struct bpf_insn *insns; /* owned; a copy */
	size_t n;
	struct trim_known *known; /* by instruction */
	bool *reached; /* from the program's beginning, by instruction */
	bool *queued;
	size_t *queue; /* instructions whose successors are to be looked at */
	size_t n_queue;
	uint16_t *live; /* bits of registers that are read later, before each instruction */
	bool *kept;
	size_t *place; /* where an instruction comes to lie */
};

/* ---- instructions ---- */

static bool trim_is_call(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL);
}

static bool trim_is_exit(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_EXIT);
}

static bool trim_is_always(const struct bpf_insn *i)
{
	return insn_is_jump(i) && BPF_OP(i->code) == BPF_JA;
}

static bool trim_is_alu(const struct bpf_insn *i)
{
	return BPF_CLASS(i->code) == BPF_ALU || BPF_CLASS(i->code) == BPF_ALU64;
}

static size_t trim_next(const struct trim *t, size_t i)
{
	return i + 1 + insn_is_wide(&t->insns[i]);
}

/* Of a jump, a call of a function, or a load of its address. A long jump has it in @imm. */
static size_t trim_target(const struct trim *t, size_t i)
{
	const struct bpf_insn *at = &t->insns[i];
	bool far = insn_is_function(at) || at->code == (BPF_JMP32 | BPF_JA);

	return i + 1 + (far ? at->imm : at->off);
}

/* ---- forwards: constants ---- */

static void trim_enqueue(struct trim *t, size_t i)
{
	if (t->queued[i])
		return;
	t->queued[i] = true;
	t->queue[t->n_queue++] = i;
}

/* Control comes to an instruction with these constants. */
static void trim_reach(struct trim *t, size_t i, const struct trim_known *known)
{
	struct trim_known *at;
	uint16_t which;
	int r;

	if (i >= t->n)
		return;
	at = &t->known[i];
	which = at->which & known->which;
	if (!t->reached[i]) {
		t->reached[i] = true;
		*at = *known;
		trim_enqueue(t, i);
		return;
	}
	for (r = 0; r < REGS; r++)
		if (at->value[r] != known->value[r])
			which &= ~(1 << r);
	if (which == at->which)
		return;
	at->which = which;
	trim_enqueue(t, i);
}

static bool trim_value(const struct trim_known *k, unsigned int reg, uint64_t *value)
{
	if (reg >= REGS || !(k->which & 1 << reg))
		return false;
	*value = k->value[reg];
	return true;
}

/* The second operand of an arithmetic instruction or of a jump. */
static bool trim_operand(const struct trim_known *k, const struct bpf_insn *i, uint64_t *value)
{
	if (BPF_SRC(i->code) == BPF_X)
		return trim_value(k, i->src_reg, value);
	*value = (int64_t)i->imm;
	return true;
}

/* False if the result is not known here. */
static bool trim_compute(const struct bpf_insn *i, uint64_t a, uint64_t b, uint64_t *result)
{
	unsigned int bits = BPF_CLASS(i->code) == BPF_ALU ? 32 : 64;

	switch (BPF_OP(i->code)) {
	case BPF_MOV:
		*result = b;
		break;
	case BPF_ADD:
		*result = a + b;
		break;
	case BPF_SUB:
		*result = a - b;
		break;
	case BPF_AND:
		*result = a & b;
		break;
	case BPF_OR:
		*result = a | b;
		break;
	case BPF_XOR:
		*result = a ^ b;
		break;
	case BPF_LSH:
		*result = a << (b & (bits - 1));
		break;
	default:
		return false;
	}
	if (bits == 32)
		*result = (uint32_t)*result;
	return true;
}

static void trim_set(struct trim_known *k, unsigned int reg, bool is_known, uint64_t value)
{
	if (reg >= REGS)
		return;
	k->which = (k->which & ~(1 << reg)) | is_known << reg;
	k->value[reg] = is_known ? value : 0;
}

static void trim_forget(struct trim_known *k, unsigned int regs)
{
	int r;

	for (r = 0; r < REGS; r++)
		if (regs & 1 << r)
			trim_set(k, r, false, 0);
}

static void trim_alu(struct trim_known *k, const struct bpf_insn *i)
{
	bool is_move = BPF_OP(i->code) == BPF_MOV;
	uint64_t a = 0, b = 0, result = 0;
	bool ok;

	/* With an offset it is another instruction, such as a move that extends the sign. */
	ok = !i->off && (is_move || trim_value(k, i->dst_reg, &a)) && trim_operand(k, i, &b) &&
	     trim_compute(i, a, b, &result);
	trim_set(k, i->dst_reg, ok, result);
}

/* Registers that an instruction writes, as bits. */
static unsigned int trim_writes(const struct bpf_insn *i)
{
	unsigned int class = BPF_CLASS(i->code);

	if (trim_is_call(i))
		return 1 | ARGS;
	if (trim_is_alu(i) || class == BPF_LDX || insn_is_wide(i))
		return 1 << i->dst_reg & ALL_REGS;
	if (class == BPF_STX && BPF_MODE(i->code) == BPF_ATOMIC && i->imm & BPF_FETCH)
		return (i->imm == CMPXCHG_FETCH ? 1 : 1 << i->src_reg) & ALL_REGS;
	return 0;
}

static bool trim_compares(unsigned int op, uint64_t a, uint64_t b, int64_t sa, int64_t sb, bool *is)
{
	switch (op) {
	case BPF_JEQ:
		*is = a == b;
		return true;
	case BPF_JNE:
		*is = a != b;
		return true;
	case BPF_JGT:
		*is = a > b;
		return true;
	case BPF_JGE:
		*is = a >= b;
		return true;
	case BPF_JLT:
		*is = a < b;
		return true;
	case BPF_JLE:
		*is = a <= b;
		return true;
	case BPF_JSET:
		*is = a & b;
		return true;
	case BPF_JSGT:
		*is = sa > sb;
		return true;
	case BPF_JSGE:
		*is = sa >= sb;
		return true;
	case BPF_JSLT:
		*is = sa < sb;
		return true;
	case BPF_JSLE:
		*is = sa <= sb;
		return true;
	}
	return false;
}

/*
 * A tail call that is never reached has a meaning, see avoid_private_stack(): the kernel looks for
 * it before it removes dead code.
 */
static enum trim_way trim_way(const struct trim *t, size_t i)
{
	const struct bpf_insn *at = &t->insns[i], *next = at + 1;
	uint64_t a, b;
	bool is;

	if (trim_is_always(at))
		return TRIM_ALWAYS;
	if (i + 1 < t->n && trim_is_call(next) && !next->src_reg && next->imm == TAIL_CALL)
		return TRIM_BOTH;
	if (!trim_value(&t->known[i], at->dst_reg, &a) || !trim_operand(&t->known[i], at, &b))
		return TRIM_BOTH;
	if (BPF_CLASS(at->code) == BPF_JMP32) {
		a = (uint32_t)a;
		b = (uint32_t)b;
		if (!trim_compares(BPF_OP(at->code), a, b, (int32_t)a, (int32_t)b, &is))
			return TRIM_BOTH;
	} else if (!trim_compares(BPF_OP(at->code), a, b, (int64_t)a, (int64_t)b, &is)) {
		return TRIM_BOTH;
	}
	return is ? TRIM_ALWAYS : TRIM_NEVER;
}

static void trim_step(struct trim *t, size_t i)
{
	const struct trim_known nothing = {};
	const struct bpf_insn *at = &t->insns[i];
	struct trim_known known = t->known[i];
	enum trim_way way;

	if (insn_is_function(at))
		trim_reach(t, trim_target(t, i), &nothing);
	if (trim_is_exit(at))
		return;
	if (insn_is_jump(at)) {
		way = trim_way(t, i);
		if (way != TRIM_NEVER)
			trim_reach(t, trim_target(t, i), &known);
		if (way != TRIM_ALWAYS)
			trim_reach(t, i + 1, &known);
		return;
	}
	if (trim_is_alu(at))
		trim_alu(&known, at);
	else
		trim_forget(&known, trim_writes(at));
	if (insn_is_wide(at) && !at->src_reg)
		trim_set(&known, at->dst_reg, true,
			 (uint32_t)at->imm | (uint64_t)(uint32_t)at[1].imm << 32);
	trim_reach(t, trim_next(t, i), &known);
}

static void trim_forwards(struct trim *t)
{
	const struct trim_known nothing = {};
	size_t i;

	trim_reach(t, 0, &nothing);
	while (t->n_queue) {
		i = t->queue[--t->n_queue];
		t->queued[i] = false;
		trim_step(t, i);
	}
}

/* Jumps that are decided become what they do. */
static void trim_decide(struct trim *t)
{
	enum trim_way way;
	size_t i;

	for (i = 0; i < t->n; i = trim_next(t, i)) {
		if (!t->reached[i] || !insn_is_jump(&t->insns[i]) || trim_is_always(&t->insns[i]))
			continue;
		way = trim_way(t, i);
		if (way != TRIM_BOTH)
			t->insns[i] = (struct bpf_insn){
				.code = BPF_JMP | BPF_JA,
				.off = way == TRIM_ALWAYS ? t->insns[i].off : 0,
			};
	}
}

/* ---- backwards: what is read ---- */

static unsigned int trim_reads(const struct bpf_insn *i)
{
	unsigned int class = BPF_CLASS(i->code), dst = 1 << i->dst_reg, src = 1 << i->src_reg;

	if (trim_is_call(i))
		return ARGS;
	if (trim_is_exit(i))
		return 1;
	if (insn_is_wide(i) || trim_is_always(i))
		return 0;
	if (trim_is_alu(i) || insn_is_jump(i)) {
		if (BPF_SRC(i->code) != BPF_X)
			src = 0;
		if (trim_is_alu(i) && BPF_OP(i->code) == BPF_MOV)
			dst = 0;
		return (dst | src) & ALL_REGS;
	}
	if (class == BPF_LDX)
		return src & ALL_REGS;
	if (class == BPF_ST)
		return dst & ALL_REGS;
	/* A comparing exchange reads r0 as well. */
	return (dst | src | (BPF_MODE(i->code) == BPF_ATOMIC ? 1 : 0)) & ALL_REGS;
}

/* Whether it does nothing but to write a register. The address of a function makes it reachable. */
static bool trim_only_writes(const struct bpf_insn *i)
{
	return trim_is_alu(i) || BPF_CLASS(i->code) == BPF_LDX ||
	       (insn_is_wide(i) && i->src_reg != BPF_PSEUDO_FUNC);
}

static uint16_t trim_live_after(const struct trim *t, size_t i)
{
	const struct bpf_insn *at = &t->insns[i];
	uint16_t live = 0;

	if (trim_is_exit(at))
		return 0;
	if (insn_is_jump(at))
		live = t->live[trim_target(t, i)];
	if (!trim_is_always(at) && trim_next(t, i) < t->n)
		live |= t->live[trim_next(t, i)];
	return live;
}

/* One turn from the end to the beginning. False if it found nothing new. */
static bool trim_backwards(struct trim *t)
{
	bool changed = false;
	unsigned int writes;
	uint16_t live;
	size_t i;

	for (i = t->n; i-- > 0;) {
		if (!t->reached[i])
			continue;
		live = trim_live_after(t, i);
		writes = trim_writes(&t->insns[i]);
		t->kept[i] = !trim_only_writes(&t->insns[i]) || live & writes ||
			     t->insns[i].dst_reg >= REGS;
		if (t->kept[i])
			live = (live & ~writes) | trim_reads(&t->insns[i]);
		changed |= live != t->live[i];
		t->live[i] = live;
	}
	return changed;
}

/* ---- the program without them ---- */

/* A jump to what comes next anyway is left out as well. */
static void trim_jumps(struct trim *t)
{
	size_t i, next = t->n; /* next: the first that is kept behind @i */

	for (i = t->n; i-- > 0;) {
		if (t->kept[i] && trim_is_always(&t->insns[i]))
			t->kept[i] = trim_target(t, i) <= i || trim_target(t, i) > next;
		if (t->kept[i])
			next = i;
	}
}

static void trim_places(struct trim *t)
{
	size_t i, next, to = 0;

	for (i = 0; i < t->n; i = next) {
		next = trim_next(t, i);
		t->place[i] = to;
		if (t->kept[i])
			to += next - i;
	}
	t->place[t->n] = to;
}

static void trim_aim(struct trim *t, size_t i)
{
	int32_t distance = t->place[trim_target(t, i)] - t->place[i] - 1;
	struct bpf_insn *at = &t->insns[i];

	if (insn_is_function(at) || at->code == (BPF_JMP32 | BPF_JA))
		at->imm = distance;
	else
		at->off = distance;
}

static void trim_compact(struct trim *t, struct splice_program *p)
{
	uint32_t i, n = 0, *at;
	size_t from, next;
	char *record;

	/* Distances change only when none is needed any more, so they are all changed first. */
	for (from = 0; from < t->n; from = trim_next(t, from))
		if (t->kept[from] &&
		    (insn_is_jump(&t->insns[from]) || insn_is_function(&t->insns[from])))
			trim_aim(t, from);
	for (from = 0; from < t->n; from = next) {
		next = trim_next(t, from);
		if (t->kept[from])
			memcpy(&p->insns[t->place[from]], &t->insns[from],
			       (next - from) * sizeof(*p->insns));
	}
	p->n = t->place[t->n];
	for (i = 0; i < p->n_funcs; i++) {
		record = (char *)p->funcs + (size_t)i * p->func_size;
		at = (uint32_t *)record;
		if (!t->reached[*at])
			continue;
		*at = t->place[*at];
		memmove((char *)p->funcs + (size_t)n++ * p->func_size, record, p->func_size);
	}
	p->n_funcs = n;
}

/* Not what would have to be understood first. */
static bool trim_understands(const struct bpf_insn *insns, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (insn_is_wide(&insns[i])) {
			i++;
			continue;
		}
		if (BPF_CLASS(insns[i].code) == BPF_LD)
			return false;
		if (insn_is_jump(&insns[i]) && (BPF_OP(insns[i].code) > BPF_JSLE ||
						insns[i].code == (BPF_JMP | BPF_JA | BPF_X)))
			return false;
		/* Loads and stores with an order. */
		if (BPF_CLASS(insns[i].code) == BPF_STX && BPF_MODE(insns[i].code) == BPF_ATOMIC &&
		    insns[i].imm > CMPXCHG_FETCH)
			return false;
	}
	return true;
}

static void trim_free(struct trim *t)
{
	free(t->insns);
	free(t->known);
	free(t->reached);
	free(t->queued);
	free(t->queue);
	free(t->live);
	free(t->kept);
	free(t->place);
}

int trim_program(struct splice_program *p)
{
	size_t n = p->n;
	struct trim t = {
		.insns = malloc(n * sizeof(*t.insns)),
		.n = n,
		.known = calloc(n, sizeof(*t.known)),
		.reached = calloc(n, sizeof(*t.reached)),
		.queued = calloc(n, sizeof(*t.queued)),
		.queue = calloc(n, sizeof(*t.queue)),
		.live = calloc(n, sizeof(*t.live)),
		.kept = calloc(n, sizeof(*t.kept)),
		.place = calloc(n + 1, sizeof(*t.place)),
	};
	int left = -ENOMEM;

	if (t.insns && t.known && t.reached && t.queued && t.queue && t.live && t.kept && t.place) {
		memcpy(t.insns, p->insns, n * sizeof(*t.insns));
		left = 0;
		if (trim_understands(t.insns, n)) {
			trim_forwards(&t);
			trim_decide(&t);
			while (trim_backwards(&t))
				;
			trim_jumps(&t);
			trim_places(&t);
			trim_compact(&t, p);
			left = n - p->n;
		}
	}
	trim_free(&t);
	return left;
}
