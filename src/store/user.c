// SPDX-License-Identifier: GPL-2.0-only
#include "store/user.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/table.h"

/* ---- maps that are frozen ---- */

#define INSN(c, dst, src, o, i) \
	((struct bpf_insn){     \
		.code = (c), .dst_reg = (dst), .src_reg = (src), .off = (o), .imm = (i) })

/* Store a word into the only value of a frozen map; @size: BPF_W or BPF_DW. */
static int poke(int map, size_t at, int size, uint64_t value)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, 0, map),
		INSN(0, 0, 0, 0, at),
		INSN(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_2, 0, 0, (__u32)value),
		INSN(0, 0, 0, 0, value >> 32),
		INSN(BPF_STX | BPF_MEM | size, BPF_REG_1, BPF_REG_2, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "kstats_poke", "GPL", insns,
			       sizeof(insns) / sizeof(*insns), &opts);
	int err;

	if (fd < 0)
		return fd;
	err = bpf_prog_test_run_opts(fd, &run);
	close(fd);
	return err;
}

static int make_map(const char *name, size_t size, unsigned int n, const void *first)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(__u32), size, n, &opts);
	__u32 zero = 0;
	int err;

	if (fd < 0 || !first)
		return fd;
	if (!bpf_map_update_elem(fd, &zero, first, BPF_ANY) && !bpf_map_freeze(fd))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int check_map(int fd, size_t size, unsigned int n, uint32_t id, uint32_t *found)
{
	return table_check(fd, &(struct table_shape){ BPF_MAP_TYPE_ARRAY, size, n, id }, found);
}

/* ---- the maps of a node ---- */

static unsigned int n_cells(const struct user_maps *m)
{
	return 2 * m->n_cpus;
}

int user_maps_make(struct user_maps *m, unsigned int bits, struct error *e)
{
	int n_cpus = libbpf_num_possible_cpus(), err = n_cpus < 0 ? n_cpus : 0;
	struct kstats_user_control c = {
		.layout = KSTATS_USER_LAYOUT,
		.bits = bits,
		.n_cpus = n_cpus,
		.cell_size = KSTATS_USER_CELL_SIZE(bits),
	};

	*m = USER_NO_MAPS;
	m->bits = bits;
	m->n_cpus = n_cpus;
	if (!err)
		err = m->cells_fd = make_map("kstats_user", c.cell_size, n_cells(m), NULL);
	if (err >= 0)
		err = check_map(m->cells_fd, c.cell_size, n_cells(m), 0, &c.cells_id);
	if (!err)
		err = m->control_fd = make_map("kstats_control", sizeof(c), 1, &c);
	if (err >= 0)
		return 0;
	user_maps_close(m);
	return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot make the maps of a node");
}

int user_maps_check(struct user_maps *m)
{
	int n_cpus = libbpf_num_possible_cpus(), err;
	__u32 zero = 0;
	struct kstats_user_control c;

	if (n_cpus < 0)
		return n_cpus;
	m->n_cpus = n_cpus;
	err = check_map(m->control_fd, sizeof(c), 1, 0, NULL);
	if (!err && bpf_map_lookup_elem(m->control_fd, &zero, &c))
		err = -errno;
	if (!err)
		err = check_map(m->cells_fd, KSTATS_USER_CELL_SIZE(m->bits), n_cells(m), c.cells_id,
				NULL);
	if (err)
		return err;
	return c.layout == KSTATS_USER_LAYOUT && c.bits == m->bits && c.n_cpus == m->n_cpus &&
			       c.cells_id
		       ? 0
		       : -EINVAL;
}

bool user_same_map(int a, int b)
{
	struct bpf_map_info info[2] = {};
	__u32 len = sizeof(*info);

	return a >= 0 && b >= 0 && !bpf_obj_get_info_by_fd(a, &info[0], &len) &&
	       !bpf_obj_get_info_by_fd(b, &info[1], &len) && info[0].id == info[1].id;
}

void user_maps_close(struct user_maps *m)
{
	if (m->control_fd >= 0)
		close(m->control_fd);
	if (m->cells_fd >= 0)
		close(m->cells_fd);
	*m = USER_NO_MAPS;
}

int user_session(const struct user_maps *m, uint64_t *session)
{
	struct kstats_user_control c;
	__u32 zero = 0;

	if (bpf_map_lookup_elem(m->control_fd, &zero, &c))
		return -errno;
	*session = c.session;
	return 0;
}

int user_set_session(const struct user_maps *m, uint64_t session)
{
	return poke(m->control_fd, offsetof(struct kstats_user_control, session), BPF_DW, session);
}

int user_set_gone(const struct user_maps *m)
{
	return poke(m->control_fd, offsetof(struct kstats_user_control, gone), BPF_W, 1);
}

int user_version_make(void)
{
	const __u64 first = KSTATS_USER_VERSION_BIT;

	return make_map("kstats_version", sizeof(first), 1, &first);
}

int user_version_next(int fd, bool changing)
{
	__u32 zero = 0;
	__u64 version;
	int err = check_map(fd, sizeof(version), 1, 0, NULL);

	if (!err && bpf_map_lookup_elem(fd, &zero, &version))
		err = -errno;
	if (err)
		return err;
	version = (version + 1) & (KSTATS_USER_CHANGING - 1);
	version |= KSTATS_USER_VERSION_BIT | (changing ? KSTATS_USER_CHANGING : 0);
	return poke(fd, 0, BPF_W, version);
}

/* ---- counts ---- */

#define WAIT_US 10000

void user_wait(void)
{
	int n = libbpf_num_possible_cpus(), cpu;
	size_t size = CPU_ALLOC_SIZE(n);
	cpu_set_t *before = CPU_ALLOC(n), *one = CPU_ALLOC(n);
	bool known = before && one && !sched_getaffinity(0, size, before), missed = !known;

	for (cpu = 0; known && cpu < n; cpu++) {
		CPU_ZERO_S(size, one);
		CPU_SET_S(cpu, size, one);
		missed |= sched_setaffinity(0, size, one);
	}
	if (known)
		sched_setaffinity(0, size, before);
	CPU_FREE(before);
	CPU_FREE(one);
	/* A missed CPU is offline, and nothing runs there; or this process may not run on it. */
	if (missed)
		usleep(WAIT_US);
}

bool user_is_frozen(const struct user_maps *m)
{
	struct table t = {};
	int err = table_open(&t, m->cells_fd, KSTATS_USER_CELL_SIZE(m->bits));

	table_close(&t);
	return err == -EPERM;
}

int user_reset(const struct user_maps *m)
{
	struct table t = {};
	int err = table_open(&t, m->cells_fd, KSTATS_USER_CELL_SIZE(m->bits));

	if (!err)
		memset(t.at, 0, t.size);
	table_close(&t);
	return err;
}

/*
 * Samples and counters of all cells stay below this, so that nothing overflows later. A sum may
 * take all 64 bits, as in the file of a recording: 1000 threads exceed 2^60 ns within two weeks.
 */
#define LIMIT (1ULL << 60)
#define TRIES 4

struct reading {
	unsigned int bits;
	const char *cell; /* the one that is read, while programs write to it */
	uint64_t samples; /* so far */
	uint64_t sum; /* of all slots, so far */
	struct user_odd odd;
};

typedef long long pair __attribute__((vector_size(16)));

/* Both words at once, as programs write them. */
static struct kstats_slot read_slot(const char *cell, uint32_t i)
{
	pair both = *(const volatile pair *)(cell + i * sizeof(struct kstats_slot));

	return (struct kstats_slot){ .samples = both[0], .sum = both[1] };
}

static bool possible(const struct kstats_slot *s, uint32_t i, unsigned int bits)
{
	uint32_t shift = kstats_slot_shift(i, bits);
	unsigned __int128 n = s->samples;

	if (i >= kstats_n_slots(bits) - 1)
		return !s->samples && !s->sum;
	return n * (kstats_slot_first(i, bits) >> shift) <= s->sum &&
	       n * (kstats_slot_last(i, bits) >> shift) >= s->sum;
}

static void add_slot(struct reading *r, uint32_t first, uint32_t i, struct kstats_slot *to)
{
	struct kstats_slot s;
	int tries = TRIES;

	do
		s = read_slot(r->cell, first + i);
	while (!possible(&s, i, r->bits) && --tries);
	if (!tries || s.samples > LIMIT - r->samples || s.sum > UINT64_MAX - r->sum) {
		r->odd.slots++;
		return;
	}
	r->samples += s.samples;
	r->sum += s.sum;
	to->samples += s.samples;
	to->sum += s.sum;
}

static uint64_t read_counter(struct reading *r, enum kstats_user_count which)
{
	struct kstats_slot s = read_slot(r->cell, which);

	if (s.samples <= LIMIT >> 16 && !s.sum)
		return s.samples;
	r->odd.slots++;
	return 0;
}

/* Add one cell, without its begins, to the slots of its CPU and to the ledger. */
static void read_cell(struct reading *r, struct snapshot_node *node, struct kstats_slot *slots)
{
	uint32_t n = kstats_n_slots(r->bits), i;
	uint64_t before;

	for (i = 0; i < n; i++)
		add_slot(r, kstats_user_durations(), i, &slots[i]);
	before = r->samples;
	for (i = 0; i < n; i++)
		add_slot(r, kstats_user_values(r->bits), i, &slots[i]);
	node->ledger[KSTATS_STARTED] += r->samples - before;
	node->ledger[KSTATS_NESTED] += read_counter(r, KSTATS_USER_NESTED);
	node->ledger[KSTATS_END_MISSED] += read_counter(r, KSTATS_USER_LEFT);
	node->ledger[KSTATS_UNMATCHED] += read_counter(r, KSTATS_USER_UNMATCHED);
}

/* The begins that are left have no end. Programs that write nonsense can make them negative. */
static void balance(struct reading *r, uint64_t *ledger)
{
	uint64_t ended = r->samples + ledger[KSTATS_NESTED] + ledger[KSTATS_END_MISSED];

	if (ended > ledger[KSTATS_STARTED]) {
		r->odd.recorded = ended - ledger[KSTATS_STARTED];
		ledger[KSTATS_STARTED] = ended;
	}
	ledger[KSTATS_NO_END] = ledger[KSTATS_STARTED] - ended;
}

int user_read(const struct user_maps *m, struct snapshot_node *node, struct user_odd *odd)
{
	size_t size = KSTATS_USER_CELL_SIZE(m->bits), n = kstats_n_slots(m->bits);
	struct kstats_slot *slots = calloc(n, sizeof(*slots));
	struct reading r = { .bits = m->bits };
	struct counts_writer w = {};
	struct table t = {};
	int err = slots ? table_open_const(&t, m->cells_fd, size) : -ENOMEM;
	uint32_t cpu;

	memset(node->ledger, 0, sizeof(node->ledger));
	for (cpu = 0; !err && cpu < m->n_cpus; cpu++) {
		memset(slots, 0, n * sizeof(*slots));
		r.cell = (char *)t.at + cpu * size;
		read_cell(&r, node, slots);
		r.cell += m->n_cpus * size;
		read_cell(&r, node, slots);
		counts_add_cpu(&w, cpu, slots, n);
	}
	/* Programs count a begin before its end, so the begins of all ends above are found here. */
	for (cpu = 0; !err && cpu < 2 * m->n_cpus; cpu++) {
		r.cell = (char *)t.at + cpu * size;
		node->ledger[KSTATS_STARTED] += read_counter(&r, KSTATS_USER_BEGUN);
	}
	if (!err)
		err = counts_end(&w, &node->counts);
	balance(&r, node->ledger);
	*odd = r.odd;
	counts_writer_free(&w);
	table_close(&t);
	free(slots);
	return err;
}
