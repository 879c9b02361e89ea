// SPDX-License-Identifier: GPL-2.0-only
/*
 * expr.c - random expressions, and keys of several, over random types and bytes, by their
 * instructions in the kernel and by the interpreter: value and error must be the same. Conditions
 * that can stand before a program must end it or leave it as it is. Argument: how many of each
 * (5000). Prints TAP.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "expr/expr.h"
#include "expr_world.h"

#define EACH 25 /* expressions of the same types */
#define FILLS 3 /* bytes of the same expression */
#define ROOM (WORLD_BYTES + 4096)

/* What the programs share with this one: one value of an array. */
struct shared {
	uint8_t memory[WORLD_BYTES];
	uint64_t value[1 + KSTATS_BY_WORDS];
	uint64_t outcome;
	uint64_t address;
};

#define UNSET 77 /* a word that nobody wrote */

static struct shared *shared;
static int map_fd;
static char log_text[65536];

static int map_make(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	map_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "shared", 4, ROOM, 1, &opts);
	if (map_fd < 0)
		return map_fd;
	shared = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	return shared == MAP_FAILED ? -errno : 0;
}

#define SHARED_AT(member) ((int)offsetof(struct shared, member))

/* A program that calls the function and keeps what it returns. */
static int program(struct bpf_insn *p, uint64_t duration)
{
	const struct bpf_insn head[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = 6,
		  .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = map_fd },
		{},
		{ .code = BPF_STX | BPF_MEM | BPF_DW,
		  .dst_reg = 6,
		  .src_reg = 6,
		  .off = SHARED_AT(address) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 2, .src_reg = 6 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 2, .imm = SHARED_AT(value) },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 3, .imm = duration },
		{ .imm = duration >> 32 },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 3 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW,
		  .dst_reg = 6,
		  .src_reg = 0,
		  .off = SHARED_AT(outcome) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	memcpy(p, head, sizeof(head));
	return sizeof(head) / sizeof(*head);
}

static int load(const struct expr_wanted *wanted, uint64_t duration, int *n)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX + 16];
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int head = program(insns, duration), fd;

	*n = expr_compile(wanted, EXPR_CTX_TP, insns + head);
	if (*n < 0)
		return *n;
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "expr", "GPL", insns, head + *n, &opts);
	if (fd >= 0)
		return fd;
	opts.log_buf = log_text;
	opts.log_size = sizeof(log_text);
	opts.log_level = 1;
	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "expr", "GPL", insns, head + *n, &opts);
}

static void unset(uint64_t value[1 + KSTATS_BY_WORDS])
{
	int i;

	for (i = 0; i <= KSTATS_BY_WORDS; i++)
		value[i] = UNSET;
}

/* Where values stand alone, the words of those that are not known are of no use. */
static void unset_unknown(const struct expr_wanted *wanted, uint64_t value[1 + KSTATS_BY_WORDS])
{
	int i, words, at = 1;

	for (i = 0; wanted->alone && i < KSTATS_BY_PARTS && wanted->by[i]; i++)
		for (words = expr_part(wanted->by[i]).words; words--; at++)
			if (!(value[0] >> i & 1))
				value[at] = UNSET;
}

static int run(int fd, const struct world *w)
{
	uint64_t ctx[12] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = ctx, .ctx_size_in = sizeof(ctx));

	memcpy(ctx, w->params, sizeof(w->params));
	memcpy(shared->memory, w->memory, WORLD_BYTES);
	unset(shared->value);
	shared->outcome = UNSET;
	return bpf_prog_test_run_opts(fd, &opts);
}

static unsigned long outcomes[KSTATS_EXPR_NEGATIVE + 1];

/* Same value, same error? Of a key that has an error, the words are of no use. */
static bool same(int fd, struct world *w, const struct expr_wanted *wanted, uint64_t duration)
{
	struct expr_input in = { .params = w->params,
				 .duration = duration,
				 .read = world_read,
				 .memory = w };
	uint64_t value[1 + KSTATS_BY_WORDS];
	enum kstats_outcome outcome;
	int i;

	unset(value);
	prctl(PR_GET_NAME, in.comm);
	outcome = expr_run(wanted, &in, value);
	outcomes[outcome]++;
	if (run(fd, w))
		return false;
	unset_unknown(wanted, value);
	unset_unknown(wanted, shared->value);
	if (shared->outcome == outcome && ((wanted->by[0] && outcome != KSTATS_EXPR_YES) ||
					   !memcmp(shared->value, value, sizeof(value))))
		return true;
	printf("# the kernel: outcome %llu; the interpreter: %u\n",
	       (unsigned long long)shared->outcome, outcome);
	for (i = 0; i <= KSTATS_BY_WORDS; i++)
		if (shared->value[i] != value[i])
			printf("# word %d: %#llx; the interpreter: %#llx\n", i,
			       (unsigned long long)shared->value[i], (unsigned long long)value[i]);
	return false;
}

/* ---- conditions before a program ---- */

static unsigned long gates[2]; /* that ended the program, and that did not */

/* Behind the condition: a program that keeps the first parameter, by the context it was given. */
static int gate_load(const struct expr *x)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX + 16];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_buf = log_text, .log_size = sizeof(log_text),
		    .log_level = 1);
	const struct bpf_insn rest[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = 2,
		  .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = map_fd },
		{},
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 3, .src_reg = 1 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW,
		  .dst_reg = 2,
		  .src_reg = 3,
		  .off = SHARED_AT(value) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int n = expr_compile_gate(x, EXPR_CTX_TP, insns);

	if (n < 0)
		return n;
	memcpy(insns + n, rest, sizeof(rest));
	n += sizeof(rest) / sizeof(*rest);
	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "gate", "GPL", insns, n, &opts);
}

/* The program behind it runs exactly where the condition holds. */
static bool gate_same(struct world *w, const struct expr *x)
{
	const struct expr_wanted wanted = { .condition = x };
	struct expr_input in = { .params = w->params, .read = world_read, .memory = w };
	int fd = gate_load(x), fills;
	uint64_t value;
	bool ok = fd >= 0, open;

	prctl(PR_GET_NAME, in.comm);
	if (fd == -E2BIG)
		return true;
	if (fd < 0)
		printf("# refused (%d): %s\n", fd, log_text);
	for (fills = 0; ok && fills < FILLS; fills++) {
		world_fill(w, shared->address);
		open = expr_run(&wanted, &in, &value) == KSTATS_EXPR_YES;
		ok = !run(fd, w) && shared->value[0] == (open ? w->params[0] : UNSET);
		gates[open]++;
	}
	if (!ok)
		printf("# before a program: %s\n", x->text);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* A part of a key: a string, a pointer, or a number. */
static void part(struct world *w, char *text, size_t size)
{
	switch (world_random(w, 8)) {
	case 0:
		snprintf(text, size, "comm");
		return;
	case 1:
		snprintf(text, size, "p%u", world_random(w, 3));
		return;
	case 2:
	case 3:
	case 4:
		if (world_text(w, text, size))
			return;
	}
	world_expression(w, text, size, true);
}

static bool parse(struct world *w, struct expr *x, enum expr_use use)
{
	char text[2 * EXPR_LENGTH_MAX];
	struct error e = {};

	/* Some have too many operands. */
	do
		use == EXPR_BY ? part(w, text, sizeof(text))
			       : world_expression(w, text, sizeof(text), true);
	while (expr_parse(x, "--if", text, &e));
	if (!expr_check(x, "--if", &w->point, use, &e))
		return true;
	printf("# %s: %s\n", text, e.why);
	return false;
}

static bool try(struct world *w, unsigned int kind)
{
	struct expr condition, value;
	struct expr_wanted wanted = { .use = kind == 1 ? EXPR_KEY : EXPR_VALUE };
	uint64_t duration = (uint64_t)world_random(w, 1000) << world_random(w, 40);
	int fd, n, fills;
	bool ok = true;

	if (kind != 1) {
		wanted.condition = &condition;
		if (!parse(w, &condition, EXPR_CONDITION))
			return false;
	}
	if (kind) {
		wanted.value = &value;
		if (!parse(w, &value, wanted.use))
			return false;
	}
	fd = load(&wanted, duration, &n);
	if (fd == -E2BIG)
		return true;
	if (fd < 0) {
		printf("# refused (%d): %s\n# %s\n# %s\n", fd, strerror(-fd), log_text,
		       wanted.condition ? condition.text : value.text);
		return false;
	}
	w->program = (uintptr_t)shared;
	for (fills = 0; ok && fills < FILLS; fills++) {
		world_fill(w, shared->address);
		ok = same(fd, w, &wanted, duration);
	}
	w->program = 0;
	if (!ok)
		printf("# if %s\n# value %s\n", wanted.condition ? condition.text : "",
		       wanted.value ? value.text : "");
	close(fd);
	return ok && (kind || !expr_always_answers(&condition) || gate_same(w, &condition));
}

static unsigned long texts; /* strings among the keys that are not empty */

/* Words that the program wrote and that hold a string. */
static void count_texts(const struct expr_wanted *wanted)
{
	const uint64_t *word = shared->value + wanted->alone;
	struct expr_part p;
	int i;

	for (i = 0; i < KSTATS_BY_PARTS && wanted->by[i]; i++) {
		p = expr_part(wanted->by[i]);
		texts += p.is_text && wanted->by[i]->nodes[wanted->by[i]->root].op != EXPR_COMM &&
			 *word;
		word += p.words;
	}
}

static bool parse_parts(struct world *w, struct expr parts[KSTATS_BY_PARTS],
			struct expr_wanted *wanted)
{
	int n = 1 + world_random(w, KSTATS_BY_PARTS), i, words = 0;

	for (i = 0; i < n; i++) {
		if (!parse(w, &parts[i], EXPR_BY))
			return false;
		words += expr_part(&parts[i]).words;
		if (words > KSTATS_BY_WORDS)
			break;
		wanted->by[i] = &parts[i];
	}
	return true;
}

static bool try_key(struct world *w)
{
	struct expr parts[KSTATS_BY_PARTS];
	struct expr_wanted wanted = {};
	uint64_t duration = (uint64_t)world_random(w, 1000) << world_random(w, 40);
	int fd, n, fills, i;
	bool ok = true;

	if (!parse_parts(w, parts, &wanted))
		return false;
	wanted.alone = world_random(w, 2);
	fd = load(&wanted, duration, &n);
	if (fd == -E2BIG)
		return true;
	w->program = (uintptr_t)shared;
	for (fills = 0; ok && fd >= 0 && fills < FILLS; fills++) {
		world_fill(w, shared->address);
		ok = same(fd, w, &wanted, duration);
		if (shared->outcome == KSTATS_EXPR_YES)
			count_texts(&wanted);
	}
	w->program = 0;
	if (fd < 0)
		printf("# refused (%d): %s\n# %s\n", fd, strerror(-fd), log_text);
	for (i = 0; (!ok || fd < 0) && i < KSTATS_BY_PARTS && wanted.by[i]; i++)
		printf("# part %d: %s\n", i, wanted.by[i]->text);
	if (fd >= 0)
		close(fd);
	return ok && fd >= 0;
}

/* One run tells where the memory is. */
static int find_address(void)
{
	static struct bpf_insn insns[32];
	static const struct bpf_insn function[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	static struct world w;
	int n = program(insns, 0), fd, err;

	memcpy(insns + n, function, sizeof(function));
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "expr", "GPL", insns, n + 2, &opts);
	if (fd < 0)
		return fd;
	err = run(fd, &w);
	close(fd);
	return err;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000, i, bad = 0;
	unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	static struct world w;
	int err = map_make();

	puts("1..4");
	if (!err)
		err = find_address();
	if (err || !shared->address) {
		printf("Bail out! no program can be run: %s\n", strerror(-err));
		return 1;
	}
	for (i = 0; i < n && bad < 5; i++) {
		if (i % EACH == 0)
			world_make(&w, seed + i);
		bad += !try(&w, i % 3);
		bad += !try_key(&w);
	}
	printf("%s 1 - %lu expressions and keys: values and errors as the interpreter has them\n",
	       bad ? "not ok" : "ok", i);
	printf("# no: %lu, yes: %lu, unreadable: %lu, division: %lu, negative: %lu\n", outcomes[0],
	       outcomes[1], outcomes[2], outcomes[3], outcomes[4]);
	for (i = 0; i <= KSTATS_EXPR_NEGATIVE && outcomes[i] >= n / 100; i++)
		;
	printf("%s 2 - each outcome is among them\n", i > KSTATS_EXPR_NEGATIVE ? "ok" : "not ok");
	printf("%s 3 - conditions before a program: %lu ended it, %lu did not\n",
	       gates[0] >= n / 100 && gates[1] >= n / 100 ? "ok" : "not ok", gates[0], gates[1]);
	printf("%s 4 - strings are among the keys (%lu)\n", texts >= n / 10 ? "ok" : "not ok",
	       texts);
	return 0;
}
