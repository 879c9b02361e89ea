// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls.c - programs that call the module about an existing node. In: the type numbers of the
 * module's functions, as the process that made the node has kept them. Out: slots. To find
 * these numbers again, libbpf would read all types of the kernel and of every module, which
 * takes far longer than reading a node.
 */
#include "store/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Arguments and results of the programs: the only value of a map. */
struct variables {
	__u32 id;
	__u32 cpu;
	__u32 op;
	__u32 index;
	struct kstats_direct_counts counts;
	union {
		struct kstats_slot slots[KSTATS_N_SLOTS_MAX];
		struct kstats_block blocks[STORE_BLOCKS];
	};
};

struct store_calls {
	struct store_call_ids ids;
	int read_fd;
	int control_fd;
	int direct_fd;
	int array_fd;
	struct variables *v;
};

#define INSN(c, dst, src, o, i) \
	((struct bpf_insn){     \
		.code = (c), .dst_reg = (dst), .src_reg = (src), .off = (o), .imm = (i) })
#define LOAD(dst, member) \
	INSN(BPF_LDX | BPF_MEM | BPF_W, dst, BPF_REG_6, offsetof(struct variables, member), 0)
#define COPY(dst, src) INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, value) INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define ADD(dst, value) INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)
#define VARIABLES(fd) \
	INSN(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_6, BPF_PSEUDO_MAP_VALUE, 0, fd), INSN(0, 0, 0, 0, 0)
/* The module's BTF is the second descriptor of @fd_array; the first is the kernel's. */
#define CALL(id) INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 1, id)
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* @fd: receives the program's. Return: 0 or -errno */
static int load(const struct bpf_insn *insns, size_t n, int module_btf, int *fd)
{
	const int btfs[] = { 0, module_btf };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .fd_array = btfs, .prog_flags = BPF_F_SLEEPABLE);

	*fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "kstats_call", "GPL", insns, n, &opts);
	return *fd < 0 ? *fd : 0;
}

static int load_all(struct store_calls *c, int map, int module_btf)
{
	const struct bpf_insn read[] = {
		VARIABLES(map),
		LOAD(BPF_REG_1, id),
		LOAD(BPF_REG_2, cpu),
		COPY(BPF_REG_3, BPF_REG_6),
		ADD(BPF_REG_3, offsetof(struct variables, slots)),
		SET(BPF_REG_4, sizeof(c->v->slots)),
		CALL(c->ids.read),
		EXIT,
	};
	const struct bpf_insn control[] = {
		VARIABLES(map), LOAD(BPF_REG_1, id), LOAD(BPF_REG_2, op), CALL(c->ids.control),
		EXIT,
	};

	const struct bpf_insn direct[] = {
		VARIABLES(map),
		LOAD(BPF_REG_1, id),
		COPY(BPF_REG_2, BPF_REG_6),
		ADD(BPF_REG_2, offsetof(struct variables, counts)),
		SET(BPF_REG_3, sizeof(c->v->counts)),
		CALL(c->ids.direct),
		EXIT,
	};

	const struct bpf_insn array[] = {
		VARIABLES(map),
		LOAD(BPF_REG_1, id),
		LOAD(BPF_REG_2, index),
		LOAD(BPF_REG_3, cpu),
		COPY(BPF_REG_4, BPF_REG_6),
		ADD(BPF_REG_4, offsetof(struct variables, blocks)),
		SET(BPF_REG_5, sizeof(c->v->blocks)),
		CALL(c->ids.array),
		EXIT,
	};
	int err = load(read, sizeof(read) / sizeof(*read), module_btf, &c->read_fd);

	if (!err)
		err = load(control, sizeof(control) / sizeof(*control), module_btf, &c->control_fd);
	/* Functions that the module does not have are not called. */
	if (!err && c->ids.direct)
		err = load(direct, sizeof(direct) / sizeof(*direct), module_btf, &c->direct_fd);
	if (!err && c->ids.array)
		err = load(array, sizeof(array) / sizeof(*array), module_btf, &c->array_fd);
	return err;
}

static int map_variables(struct store_calls *c, int fd)
{
	void *at;

	at = mmap(NULL, sizeof(*c->v), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	c->v = at;
	return 0;
}

int store_calls_open(struct store_calls **calls, const struct store_call_ids *ids, int module_btf)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	struct store_calls *c = calloc(1, sizeof(*c));
	int map, err;

	if (!c)
		return -ENOMEM;
	*c = (struct store_calls){
		.ids = *ids, .read_fd = -1, .control_fd = -1, .direct_fd = -1, .array_fd = -1
	};
	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "kstats_call", sizeof(__u32), sizeof(*c->v), 1,
			     &opts);
	err = map < 0 ? map : map_variables(c, map);
	if (!err)
		err = load_all(c, map, module_btf);
	if (map >= 0)
		close(map);
	if (err) {
		store_calls_free(c);
		return err;
	}
	*calls = c;
	return 0;
}

bool store_calls_are(const struct store_calls *c, const struct store_call_ids *ids)
{
	return c->ids.read == ids->read && c->ids.control == ids->control;
}

/* Returns what the module's function returned, or -errno if it could not be called. */
static int run(int fd)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(fd, &opts);

	return err ? err : (int)opts.retval;
}

int store_calls_read(struct store_calls *c, uint32_t id, unsigned int cpu,
		     const struct kstats_slot **slots)
{
	c->v->id = id;
	c->v->cpu = cpu;
	*slots = c->v->slots;
	return run(c->read_fd);
}

int store_calls_array(struct store_calls *c, uint32_t id, uint32_t index, unsigned int cpu,
		      const struct kstats_block **blocks)
{
	if (c->array_fd < 0)
		return -EOPNOTSUPP;
	c->v->id = id;
	c->v->index = index;
	c->v->cpu = cpu;
	*blocks = c->v->blocks;
	return run(c->array_fd);
}

int store_calls_control(struct store_calls *c, uint32_t id, enum kstats_op op)
{
	c->v->id = id;
	c->v->op = op;
	return run(c->control_fd);
}

int store_calls_direct(struct store_calls *c, uint32_t id, struct kstats_direct_counts *counts)
{
	int err;

	if (c->direct_fd < 0)
		return -EOPNOTSUPP;
	c->v->id = id;
	err = run(c->direct_fd);
	*counts = c->v->counts;
	return err;
}

void store_calls_free(struct store_calls *c)
{
	if (!c)
		return;
	if (c->read_fd >= 0)
		close(c->read_fd);
	if (c->control_fd >= 0)
		close(c->control_fd);
	if (c->direct_fd >= 0)
		close(c->direct_fd);
	if (c->array_fd >= 0)
		close(c->array_fd);
	if (c->v)
		munmap(c->v, sizeof(*c->v));
	free(c);
}
