// SPDX-License-Identifier: GPL-2.0-only
/*
 * expr.c - random expressions over random types and bytes, by their instructions in the kernel and
 * by the interpreter: value and error must be the same. Argument: how many (5000). Prints TAP.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "expr/expr.h"
#include "expr_world.h"

#define EACH 25 /* expressions of the same types */
#define FILLS 3 /* bytes of the same expression */
#define ROOM (WORLD_BYTES + 4096)

/* What the programs share with this one: one value of an array. */
struct shared {
	uint8_t memory[WORLD_BYTES];
	uint64_t value;
	uint64_t outcome;
	uint64_t address;
};

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

static int run(int fd, const struct world *w)
{
	uint64_t ctx[12] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = ctx, .ctx_size_in = sizeof(ctx));

	memcpy(ctx, w->params, sizeof(w->params));
	memcpy(shared->memory, w->memory, WORLD_BYTES);
	shared->value = shared->outcome = 77;
	return bpf_prog_test_run_opts(fd, &opts);
}

static unsigned long outcomes[KSTATS_EXPR_NEGATIVE + 1];

/* Same value, same error? */
static bool same(int fd, struct world *w, const struct expr_wanted *wanted, uint64_t duration)
{
	struct expr_input in = { .params = w->params,
				 .duration = duration,
				 .read = world_read,
				 .memory = w };
	uint64_t value = 77;
	enum kstats_outcome outcome = expr_run(wanted, &in, &value);

	outcomes[outcome]++;
	if (run(fd, w))
		return false;
	if (shared->outcome == outcome && shared->value == value)
		return true;
	printf("# the kernel: outcome %llu, value %#llx; the interpreter: %u, %#llx\n",
	       (unsigned long long)shared->outcome, (unsigned long long)shared->value, outcome,
	       (unsigned long long)value);
	return false;
}

static bool parse(struct world *w, struct expr *x, enum expr_use use)
{
	char text[2 * EXPR_LENGTH_MAX];
	struct error e = {};

	/* Some have too many operands. */
	do
		world_expression(w, text, sizeof(text), true);
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
	for (fills = 0; ok && fills < FILLS; fills++) {
		world_fill(w, shared->address);
		ok = same(fd, w, &wanted, duration);
	}
	if (!ok)
		printf("# if %s\n# value %s\n", wanted.condition ? condition.text : "",
		       wanted.value ? value.text : "");
	close(fd);
	return ok;
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

	puts("1..2");
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
	}
	printf("%s 1 - %lu expressions: values and errors as the interpreter has them\n",
	       bad ? "not ok" : "ok", i);
	printf("# no: %lu, yes: %lu, unreadable: %lu, division: %lu, negative: %lu\n", outcomes[0],
	       outcomes[1], outcomes[2], outcomes[3], outcomes[4]);
	for (i = 0; i <= KSTATS_EXPR_NEGATIVE && outcomes[i] >= n / 100; i++)
		;
	printf("%s 2 - each outcome is among them\n", i > KSTATS_EXPR_NEGATIVE ? "ok" : "not ok");
	return 0;
}
