// SPDX-License-Identifier: GPL-2.0-only
/*
 * tool.c - uses the module kstats as anybody could, and checks what it gives.
 * Comes in: a verb and its arguments. Goes out: TAP rows without numbers, or
 * what the verb says. Run in guests by kmod.sh.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../functions.h"
#include "kstats_dev.h"
#include "tool.h"
#include "tool.skel.h"

static struct tool_bpf *skel;
static int dev; /* descriptor of the module's device */
static __u32 owned[TOOL_PLACES]; /* nodes that it made, by place */

static void die(const char *what)
{
	fprintf(stderr, "tool: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Only what is called: these start often. */
static void load(bool few)
{
	struct bpf_program *prog;

	skel = tool_bpf__open();
	if (!skel)
		die("cannot open");
	if (few) {
		bpf_object__for_each_program(prog, skel->obj)
			bpf_program__set_autoload(prog, false);
		bpf_program__set_autoload(skel->progs.record, true);
		bpf_program__set_autoload(skel->progs.traced, true);
	}
	if (tool_bpf__load(skel))
		die("cannot load");
	dev = open(KSTATS_DEV, O_RDWR | O_CLOEXEC);
	if (dev < 0)
		die(KSTATS_DEV);
}

static struct tool_call *call_of(unsigned int thread)
{
	return (struct tool_call *)&skel->bss->calls[thread];
}

/* Runs a program for one thread's call; what the kfunc returned. */
static long run(const struct bpf_program *prog, unsigned int thread)
{
	struct {
		__u32 thread;
		__u32 pad;
	} args = { .thread = thread };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &args, .ctx_size_in = sizeof(args));

	if (bpf_prog_test_run_opts(bpf_program__fd(prog), &opts) || opts.retval)
		die(bpf_program__name(prog));
	return call_of(thread)->result;
}

/* ---- commands, each made of what is in a thread's call ---- */

static long command(unsigned long cmd, void *arg)
{
	long n = ioctl(dev, cmd, arg);

	return n < 0 ? -errno : n;
}

static long command_node(unsigned long cmd, __u32 id, __u32 arg)
{
	struct kstats_dev_node now = { .id = id, .arg = arg };

	return command(cmd, &now);
}

static long release(unsigned int thread)
{
	__u32 *id = &owned[call_of(thread)->place % TOOL_PLACES];
	long err = command_node(KSTATS_DEV_RELEASE, *id, 0);

	*id = 0;
	return err;
}

/* Lets go of what was in that place. */
static long own(unsigned int thread, struct kstats_dev_create *now)
{
	long err = command(KSTATS_DEV_CREATE, now);

	if (err)
		return err;
	release(thread);
	owned[call_of(thread)->place % TOOL_PLACES] = now->id;
	return now->id;
}

static long node_create(unsigned int thread)
{
	struct tool_call *c = call_of(thread);
	struct kstats_dev_create now = { .frac_bits = c->bits };

	memcpy(now.name, c->name, sizeof(now.name));
	return own(thread, &now);
}

static long array_create(unsigned int thread)
{
	struct tool_call *c = call_of(thread);
	struct kstats_dev_create now = { .frac_bits = c->bits, .n = c->index, .blocks = c->op };

	return own(thread, &now);
}

static long read_into(struct tool_call *c, void *to, size_t size, __u32 index, bool take)
{
	struct kstats_dev_read now = {
		.id = c->id,
		.cpu = c->cpu,
		.index = index,
		.take = take,
		.to = (unsigned long)to,
		.size = size,
	};

	return command(KSTATS_DEV_READ, &now);
}

static long node_read(unsigned int thread)
{
	return read_into(call_of(thread), call_of(thread)->slots, call_of(thread)->slots_size, 0,
			 false);
}

static long node_take(unsigned int thread)
{
	return read_into(call_of(thread), call_of(thread)->slots, call_of(thread)->slots_size, 0,
			 true);
}

/* With all of the memory there is, or with less than is enough. */
static long array_read(unsigned int thread)
{
	struct tool_call *c = call_of(thread);

	return read_into(c, c->blocks,
			 c->slots_size < sizeof(c->slots) ? c->slots_size : sizeof(c->blocks),
			 c->index, false);
}

static long node_control(unsigned int thread)
{
	return command_node(KSTATS_DEV_CONTROL, call_of(thread)->id, call_of(thread)->op);
}

static long record(unsigned int thread)
{
	return run(skel->progs.record, thread);
}

static long array_record(unsigned int thread)
{
	return run(skel->progs.array_record, thread);
}

static long create(unsigned int thread, const char *name, __u32 place)
{
	struct tool_call *c = call_of(thread);

	memset(c->name, 0, sizeof(c->name));
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->bits = TOOL_BITS;
	c->place = place;
	return node_create(thread);
}

static long create_array(__u32 n, __u32 blocks)
{
	struct tool_call *c = call_of(0);

	c->bits = TOOL_BITS;
	c->index = n;
	c->op = blocks;
	c->place = 0;
	return array_create(0);
}

static void ok(bool good, const char *format, const char *what, long got)
{
	printf("%s - ", good ? "ok" : "not ok");
	printf(format, what, got);
	putchar('\n');
}

static void is(const char *what, long got, long wanted)
{
	if (got == wanted)
		printf("ok - %s\n", what);
	else
		printf("not ok - %s: got %ld, expected %ld\n", what, got, wanted);
}

/* ---- read: the slots of a node by CPU ---- */

static void verb_read(__u32 id)
{
	struct tool_call *c = call_of(0);
	long n, i;

	c->id = id;
	c->slots_size = sizeof(c->slots);
	for (c->cpu = 0; c->cpu < (__u32)libbpf_num_possible_cpus(); c->cpu++) {
		n = node_read(0);
		if (n < 0)
			die("read");
		for (i = 0; i < n; i++)
			if (c->slots[i].samples)
				printf("%ld %u %llu %llu\n", i, c->cpu,
				       (unsigned long long)c->slots[i].samples,
				       (unsigned long long)c->slots[i].sum);
	}
}

/* ---- once: create, record, remove ---- */

static void verb_once(void)
{
	long id = create(0, "once", 0);

	if (id < 0) {
		errno = -id;
		die("create");
	}
	call_of(0)->id = id;
	if (record(0))
		die("record");
	if (release(0))
		die("release");
}

/* ---- own: record until killed ---- */

static void verb_own(const char *name)
{
	long id = create(0, name, 0);

	if (id < 0) {
		errno = -id;
		die("create");
	}
	skel->bss->traced_id = id;
	if (tool_bpf__attach(skel))
		die("attach");
	printf("ready\n");
	fflush(stdout);
	for (;;)
		getppid();
}

/* ---- kills: of an owner, while it records ---- */

static pid_t spawn_owner(const char *self, const char *name, int *ready)
{
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		die("pipe");
	pid = fork();
	if (!pid) {
		dup2(fds[1], 1);
		close(fds[0]);
		execl(self, self, "own", name, NULL);
		_exit(127);
	}
	close(fds[1]);
	*ready = fds[0];
	return pid;
}

/* Names of their own: the node of the one before may take a moment to go. */
static void verb_kills(const char *self, int n)
{
	int i, fd, status, early = 0, failed = 0;
	char text[32];
	pid_t pid;

	srandom(1);
	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "owned-%d", i);
		pid = spawn_owner(self, text, &fd);
		/* One in eight while it still starts. */
		if (i % 8 != 3)
			failed += read(fd, text, sizeof(text)) <= 0;
		else
			early++;
		usleep(random() % 5000);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		close(fd);
	}
	printf("# killed %d, of which %d while they started\n", n, early);
	is("every owner began to record", failed, 0);
}

/* ---- writers: totals are conserved while four writers take, stop and start ---- */

#define RECORDERS 2
#define WRITERS 4

static __u32 shared_id;
static __u64 n_records; /* at least */
static bool finished;
static struct kstats_slot taken[WRITERS];

static void *recorder(void *arg)
{
	unsigned int thread = (unsigned long)arg;
	struct tool_call *c = call_of(thread);

	c->id = shared_id;
	while (c->accepted < n_records / RECORDERS)
		run(skel->progs.burst, thread);
	return NULL;
}

static void take_all(unsigned int thread, struct kstats_slot *to)
{
	struct tool_call *c = call_of(thread);
	long n, i;

	c->slots_size = sizeof(c->slots);
	for (c->cpu = 0; c->cpu < (__u32)libbpf_num_possible_cpus(); c->cpu++) {
		n = node_take(thread);
		if (n < 0)
			die("take");
		for (i = 0; i < n; i++) {
			to->samples += c->slots[i].samples;
			to->sum += c->slots[i].sum;
		}
	}
}

static void *writer(void *arg)
{
	unsigned int thread = (unsigned long)arg, seed = thread;
	struct tool_call *c = call_of(thread);

	c->id = shared_id;
	while (!__atomic_load_n(&finished, __ATOMIC_RELAXED)) {
		c->op = rand_r(&seed) % 3 ? KSTATS_OP_START : KSTATS_OP_STOP;
		if (node_control(thread))
			die("control");
		take_all(thread, &taken[thread - RECORDERS]);
		usleep(1000);
	}
	c->op = KSTATS_OP_START;
	node_control(thread);
	return NULL;
}

static void check_totals(void)
{
	struct kstats_slot got = {}, wanted = {};
	unsigned int i;

	for (i = 0; i < WRITERS; i++) {
		got.samples += taken[i].samples;
		got.sum += taken[i].sum;
	}
	take_all(0, &got);
	for (i = 0; i < RECORDERS; i++) {
		wanted.samples += call_of(i)->accepted;
		wanted.sum += call_of(i)->accepted_sum;
	}
	printf("# %llu records, %llu more refused while stopped\n",
	       (unsigned long long)wanted.samples,
	       (unsigned long long)(call_of(0)->refused + call_of(1)->refused));
	ok(wanted.samples >= n_records, "%s: %ld", "all records were made", wanted.samples);
	is("what the four writers took adds up to the records", got.samples, wanted.samples);
	is("and so do the sums", got.sum, wanted.sum);
}

/* After it all: a reset, and an exact count from there. */
static void check_after(void)
{
	struct tool_call *c = call_of(0);
	struct kstats_slot got = {};

	run(skel->progs.burst, 0);
	c->op = KSTATS_OP_RESET;
	is("reset", node_control(0), 0);
	run(skel->progs.burst, 0);
	run(skel->progs.burst, 0);
	take_all(0, &got);
	is("counts after a reset are exact", got.samples, 2 * TOOL_BURST);
	c->op = KSTATS_OP_STOP;
	node_control(0);
	c->refused = 0;
	run(skel->progs.burst, 0);
	is("a stopped node refuses every record", c->refused, TOOL_BURST);
	memset(&got, 0, sizeof(got));
	take_all(0, &got);
	is("and counts none", got.samples, 0);
}

static void verb_writers(int n)
{
	pthread_t threads[RECORDERS + WRITERS];
	unsigned long i;
	long id = create(0, "shared", 0);

	if (id < 0) {
		errno = -id;
		die("create");
	}
	shared_id = id;
	n_records = n;
	for (i = 0; i < RECORDERS + WRITERS; i++)
		pthread_create(&threads[i], NULL, i < RECORDERS ? recorder : writer, (void *)i);
	for (i = 0; i < RECORDERS; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&finished, true, __ATOMIC_RELAXED);
	for (; i < RECORDERS + WRITERS; i++)
		pthread_join(threads[i], NULL);
	call_of(0)->op = KSTATS_OP_START;
	node_control(0);
	check_totals();
	check_after();
}

/* ---- deletes: of nodes that others record into ---- */

static void *blind_recorder(void *arg)
{
	unsigned int thread = (unsigned long)arg;

	while (!__atomic_load_n(&finished, __ATOMIC_RELAXED)) {
		call_of(thread)->id = __atomic_load_n(&shared_id, __ATOMIC_RELAXED);
		run(skel->progs.burst, thread);
	}
	return NULL;
}

static void blind_counts(long *accepted, long *refused)
{
	int i;

	*accepted = *refused = 0;
	for (i = 1; i <= 2; i++) {
		*accepted += __atomic_load_n(&call_of(i)->accepted, __ATOMIC_RELAXED);
		*refused += __atomic_load_n(&call_of(i)->refused, __ATOMIC_RELAXED);
	}
}

static void verb_deletes(int n)
{
	pthread_t threads[2];
	long id = 0, failed = 0, accepted = 0, refused = 0;
	char text[128];
	unsigned long i;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, blind_recorder, (void *)(i + 1));
	/* As often, and until both have happened. */
	for (i = 0; i < (unsigned long)n || (i < 100UL * n && !(accepted && refused)); i++) {
		id = create(0, "", 0);
		failed += id < 0;
		__atomic_store_n(&shared_id, id, __ATOMIC_RELAXED);
		usleep(2000);
		failed += release(0) != 0;
		/* The recorders go on with what is no node any more. */
		usleep(200);
		blind_counts(&accepted, &refused);
	}
	__atomic_store_n(&finished, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	is("nodes that are recorded into are created and deleted", failed, 0);
	blind_counts(&accepted, &refused);
	snprintf(text, sizeof(text), "%ld records met nodes, %ld the places of nodes gone",
		 accepted, refused);
	ok(accepted && refused, "%s", text, 0);
	call_of(0)->id = id;
	is("an old id is unknown", record(0), -ENOENT);
}

/* A node whose last holder is a program at a system call, which cannot sleep. */
static void verb_hashed(int n)
{
	struct tool_call *c = call_of(0);
	long failed = 0;
	int i;

	if (tool_bpf__attach(skel))
		die("attach");
	for (i = 0; i < n; i++) {
		c->id = create(0, "", 0);
		failed += run(skel->progs.keep_hashed, 0) != 0;
		failed += release(0) != 0;
	}
	is("nodes that a tracing program lets go", failed, 0);
}

/* ---- hostile: every kfunc and command with rubbish ---- */

static __u32 odd_number(unsigned int *seed)
{
	static const __u32 odd[] = { 0,     1,          2,          3,          5,
				     6,     63,         64,         65535,      65536,
				     65537, 0x7fffffff, 0x80000000, 0xffff0001, 0xffffffff };
	__u32 i = rand_r(seed) % 24;

	return i < sizeof(odd) / sizeof(*odd) ? odd[i] : (__u32)rand_r(seed) << 8 ^ rand_r(seed);
}

static void odd_name(char *name, unsigned int *seed)
{
	static const char *const names[] = { "",    ".",    "..",    "_control", "a/b",    "../x",
					     "a b", "\xff", "x%s%n", "ok",       "records" };
	__u32 i = rand_r(seed) % 16, n;

	memset(name, rand_r(seed) % 2 ? 'a' : 0, TOOL_NAME_SPACE);
	if (i < sizeof(names) / sizeof(*names)) {
		snprintf(name, TOOL_NAME_SPACE, "%s", names[i]);
		return;
	}
	for (n = 0; n < rand_r(seed) % TOOL_NAME_SPACE; n++)
		name[n] = rand_r(seed);
}

static bool clean(long r)
{
	return r >= 0 || r == -EINVAL || r == -ENOENT || r == -ENOSPC || r == -EEXIST ||
	       r == -ESHUTDOWN || r == -ENOMEM;
}

/* What is right is so in one call of four, so that some calls are right in all. */
static void hostile_call(const char *what, long (*call)(unsigned int thread), int n, long node,
			 unsigned int *seed)
{
	struct tool_call *c = call_of(0);
	long bad = 0, good = 0, r;
	char text[128];
	int i;

	for (i = 0; i < n; i++) {
		c->id = rand_r(seed) % 4 ? odd_number(seed) : (__u32)node;
		c->cpu = rand_r(seed) % 4 ? odd_number(seed) : 0;
		c->op = odd_number(seed);
		c->index = odd_number(seed);
		c->bits = odd_number(seed);
		c->value = (__u64)odd_number(seed) << 32 | odd_number(seed);
		c->place = 1 + odd_number(seed) % (TOOL_PLACES - 1);
		c->slots_size = sizeof(c->slots);
		if (rand_r(seed) % 4)
			c->slots_size = odd_number(seed) % (sizeof(c->slots) + 1);
		odd_name(c->name, seed);
		r = call(0);
		bad += !clean(r);
		good += r >= 0;
	}
	snprintf(text, sizeof(text), "%d odd calls of %s: only clean errors", n, what);
	is(text, bad, 0);
	snprintf(text, sizeof(text), "some of them succeeded (%ld), not all", good);
	is(text, good > 0 && good < n, true);
}

/* Commands that are none, and memory that is none. */
static void hostile_commands(int n, unsigned int *seed)
{
	static const unsigned long known[] = {
		KSTATS_DEV_CREATE,  KSTATS_DEV_RELEASE, KSTATS_DEV_READ,
		KSTATS_DEV_CONTROL, KSTATS_DEV_ATTACH,  KSTATS_DEV_DETACH,
		KSTATS_DEV_FILTER,  KSTATS_DEV_FOLLOW,  KSTATS_DEV_COUNTS,
	};
	struct kstats_dev_read nowhere = { .id = owned[0], .to = 4096, .size = ~0ULL };
	__u64 room[64] = {};
	size_t k;
	long bad = 0, r;
	int i;

	for (k = 0; k < sizeof(known) / sizeof(*known); k++)
		bad += command(known[k], (void *)8) != -EFAULT;
	is("commands without memory", bad, 0);
	is("a word that must be 0", command_node(KSTATS_DEV_DETACH, owned[0], 1), -EINVAL);
	is("slots to no memory", command(KSTATS_DEV_READ, &nowhere), -EFAULT);
	for (i = 0, bad = 0; i < n; i++) {
		r = command(_IOC(rand_r(seed) % 4, 'k', 10 + rand_r(seed) % 246,
				 rand_r(seed) % sizeof(room)),
			    room);
		bad += r != -ENOTTY;
		/* The right number, but of another size. */
		r = command(_IOC(rand_r(seed) % 4, 'k', 1 + rand_r(seed) % 9,
				 1 + 2 * (rand_r(seed) % 32)),
			    room);
		bad += r != -ENOTTY;
	}
	is("commands that do not exist", bad, 0);
}

static void verb_hostile(int n)
{
	long node = create(0, "", 0);
	unsigned int seed = 7;

	hostile_commands(n, &seed);
	hostile_call("create", node_create, n, node, &seed);
	hostile_call("record", record, n, node, &seed);
	hostile_call("read", node_read, n, node, &seed);
	hostile_call("take", node_take, n, node, &seed);
	hostile_call("control", node_control, n, node, &seed);
	node = create_array(4, 64);
	hostile_call("array_record", array_record, n, node, &seed);
	hostile_call("array_read", array_read, n, node, &seed);
	hostile_call("array_control", node_control, n, node, &seed);
	/* Some of these take many MB. */
	hostile_call("array_create", array_create, n / 20, node, &seed);
}

/* ---- refused: programs that the verifier must not let in ---- */

/* Loads one program alone. Its error, with the verifier's words in @log. */
static int load_alone(const char *name, char *log, size_t size)
{
	struct tool_bpf *one = tool_bpf__open();
	struct bpf_program *prog;
	int err;

	if (!one)
		die("cannot open");
	libbpf_set_print(NULL);
	bpf_object__for_each_program(prog, one->obj)
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), name));
	prog = bpf_object__find_program_by_name(one->obj, name);
	log[0] = '\0';
	bpf_program__set_log_buf(prog, log, size);
	err = tool_bpf__load(one);
	tool_bpf__destroy(one);
	return err;
}

static void verb_refused(void)
{
	static const struct {
		const char *prog;
		const char *why; /* in the verifier's words, of every kernel */
	} bad[] = {
		{ "bad_leak", "Unreleased reference" },
		{ "bad_release", "release" },
		{ "bad_nothing", "NULL" },
		{ "bad_acquire", "not allowed" },
	};
	char log[65536], what[64];
	size_t i;
	int err;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err = load_alone(bad[i].prog, log, sizeof(log));
		snprintf(what, sizeof(what), "the verifier refuses %s, for that reason",
			 bad[i].prog);
		ok(err && strstr(log, bad[i].why), "%s", what, 0);
	}
}

/* Raw tracepoints: from 7.0 on. */
static void verb_types(int kernel)
{
	char log[65536];

	is("perf event programs may record", load_alone("type_perf_event", log, sizeof(log)), 0);
	is("kprobe programs may record", load_alone("type_kprobe", log, sizeof(log)), 0);
	is("raw tracepoint programs may, or not, as documented",
	   !load_alone("type_raw_tp", log, sizeof(log)), kernel >= 7);
}

/* ---- files: what is written to a node's file, words and rubbish ---- */

#define NODE_FILE "/sys/kernel/debug/kstats/"
#define WORD_MAX 15

/* Sometimes one of the words, seldom the one that waits for all CPUs. */
static size_t odd_text(char *buf, size_t size, unsigned int *seed)
{
	static const char *const texts[] = { "START", "start\n",    "  Reset ", "reset",
					     "",      "RESETRESET", "st art",   "START\0x",
					     "-",     "\n\n",       "reset;",   "0" };
	__u32 i = rand_r(seed) % 16;
	size_t n;

	if (!(rand_r(seed) % 256))
		return snprintf(buf, size, "Stop\n");
	if (i < sizeof(texts) / sizeof(*texts)) {
		n = i == 7 ? 7 : strlen(texts[i]);
		memcpy(buf, texts[i], n);
		return n;
	}
	n = rand_r(seed) % size;
	for (i = 0; i < n; i++)
		buf[i] = rand_r(seed);
	return n;
}

static bool is_word(const char *buf, size_t n)
{
	char text[WORD_MAX + 1] = "", *end;

	if (!n || n > WORD_MAX || memchr(buf, '\0', n))
		return false;
	memcpy(text, buf, n);
	buf = text + strspn(text, " \t\n\v\f\r");
	end = text + n;
	while (end > buf && strchr(" \t\n\v\f\r", end[-1]))
		*--end = '\0';
	return !strcasecmp(buf, "start") || !strcasecmp(buf, "stop") || !strcasecmp(buf, "reset");
}

static void verb_files(int n)
{
	long id = create(0, "files", 0), wrong = 0, words = 0, got, wanted;
	FILE *f = fopen(NODE_FILE "files", "w"), *list = fopen(NODE_FILE "_control", "w");
	unsigned int seed = 3;
	char buf[64];
	size_t size;
	int i;

	if (id < 0 || !f || !list)
		die("files");
	for (i = 0; i < n; i++) {
		size = odd_text(buf, sizeof(buf), &seed);
		words += is_word(buf, size);
		wanted = !size ? 0 : is_word(buf, size) ? (long)size : -EINVAL;
		got = write(fileno(f), buf, size);
		got = got < 0 ? -errno : got;
		/* A write of nothing may end before it comes to the module. */
		if (got != wanted && !(got == -EINVAL && !size))
			wrong++;
	}
	is("odd writes: words act, all else is EINVAL", wrong, 0);
	ok(words > n / 8 && words < n, "%s: %ld", "some were words", words);
	/* As Python does with whatever it opens. */
	got = lseek(fileno(f), 0, SEEK_CUR);
	is("a file that is open for writing only has no place", got < 0 ? -errno : got, -ESPIPE);
	got = write(fileno(list), "reset", 5);
	is("the list takes no writes", got < 0 ? -errno : got, -EINVAL);
	fclose(f);
	fclose(list);
}

/* ---- owners: who may control a node by its id ---- */

static void set_sys_admin(bool on)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &header, data))
		die("capget");
	data[0].effective &= ~(1U << CAP_SYS_ADMIN);
	if (on)
		data[0].effective |= 1U << CAP_SYS_ADMIN;
	if (syscall(SYS_capset, &header, data))
		die("capset");
}

/* @own: it can be held: those of modules go when these say so */
static void may(const char *who, __u32 id, long wanted, bool own)
{
	struct tool_call *c = call_of(0);
	char text[128];

	c->id = id;
	for (c->op = KSTATS_OP_START; c->op <= KSTATS_OP_RESET; c->op++) {
		snprintf(text, sizeof(text), "%s, operation %u", who, c->op);
		is(text, node_control(0), wanted);
	}
	c->op = KSTATS_OP_START;
	node_control(0);
	c->slots_size = sizeof(c->slots);
	c->cpu = 0;
	snprintf(text, sizeof(text), "%s, take", who);
	is(text, node_take(0) < 0, wanted < 0);
	snprintf(text, sizeof(text), "%s, read", who);
	is(text, node_read(0) < 0 ? node_read(0) : 0, wanted);
	snprintf(text, sizeof(text), "%s, hold by a map", who);
	c->place = TOOL_PLACES - 1;
	is(text, run(skel->progs.keep, 0) < 0, wanted < 0 || !own);
	run(skel->progs.let_go, 0);
	is("everybody may record", record(0), 0);
}

/* @of_module: the id of a node that a module made */
static void verb_owners(__u32 of_module)
{
	__u32 of_root = create(0, "of_root", 0), of_user;

	if (seteuid(1000))
		die("seteuid");
	of_user = create(0, "of_user", 1);
	may("a user, a node of root", of_root, -EPERM, true);
	may("a user, a node of a module", of_module, -EPERM, false);
	may("a user, its own node", of_user, 0, true);
	if (seteuid(0) || seteuid(1001))
		die("seteuid");
	may("another user, a node of a user", of_user, -EPERM, true);
	if (seteuid(0))
		die("seteuid");
	set_sys_admin(false);
	may("root without CAP_SYS_ADMIN, a node of a user", of_user, -EPERM, true);
	may("root without CAP_SYS_ADMIN, its own node", of_root, 0, true);
	set_sys_admin(true);
	may("root, a node of a user", of_user, 0, true);
	may("root, a node of a module", of_module, 0, false);
}

/* ---- direct: functions without a program ---- */

/* Nobody sleeps in it, which would keep the module. */
#define FUNCTION "__x64_sys_getpgid"

static int program; /* for FUNCTION, or for what a verb tries */

static long attach_by(__u32 id, __u64 address, __u32 by)
{
	struct kstats_dev_attach now = { .id = id, .program = by, .address = address };

	call_of(0)->id = id;
	return command(KSTATS_DEV_ATTACH, &now);
}

static long attach(__u32 id, __u64 address)
{
	return attach_by(id, address, address ? program : 0);
}

static __u64 find(const char *name)
{
	__u64 found = address_of(name);

	if (!found)
		die(name);
	return found;
}

/* The address of FUNCTION; opens its program. */
static __u64 function_open(void)
{
	program = program_of(FUNCTION);
	if (program < 0)
		die(FUNCTION);
	return find(FUNCTION);
}

/* With a program for it. */
static long attach_named(__u32 id, const char *name)
{
	int by = program_of(name);
	long err;

	if (by < 0)
		die(name);
	err = attach_by(id, find(name), by);
	close(by);
	return err;
}

static void verb_attach(__u64 address)
{
	printf("%ld\n", attach(create(0, "", 0), address));
}

static long filter(__u32 id, __u32 flags, __u32 like)
{
	struct kstats_dev_filter now = { .id = id, .filter = { .flags = flags, .like = like } };

	return command(KSTATS_DEV_FILTER, &now);
}

static long follow(__u32 id, __u32 process)
{
	return command_node(KSTATS_DEV_FOLLOW, id, process);
}

/* Calls that were measured, or -errno. */
static long started(__u32 id)
{
	struct kstats_dev_counts now = { .id = id };
	long err = command(KSTATS_DEV_COUNTS, &now);

	return err ? err : (long)now.counts.started;
}

#define PARAMS "/sys/module/kstats/parameters/"
#define SET_BYTES (512 << 10) /* of a set of processes */

static long parameter(const char *name)
{
	char path[128];
	long n = -1;
	FILE *in;

	snprintf(path, sizeof(path), PARAMS "%s", name);
	in = fopen(path, "r");
	if (!in || fscanf(in, "%ld", &n) != 1)
		die(path);
	fclose(in);
	return n;
}

/* It is given back some time after its owner has let go of it. */
static long bytes_below(long before)
{
	long now = before;
	int i;

	for (i = 0; i < 60000 && now >= before; i++) {
		now = parameter("bytes");
		usleep(1000);
	}
	return now;
}

/* A node that shares a set keeps it, and its owner's limit pays for it. There are no other nodes.
 */
static void verb_sets(void)
{
	long none = parameter("bytes"), nodes;
	__u32 maker = create(0, "maker", 3), heir = create(0, "heir", 4);

	nodes = parameter("bytes");
	is("a set", filter(maker, KSTATS_DIRECT_BY_PROCESS, 0), 0);
	is("its memory counts", parameter("bytes") - nodes, SET_BYTES);
	is("a node shares it", filter(heir, KSTATS_DIRECT_BY_PROCESS, maker), 0);
	is("that counts once", parameter("bytes") - nodes, SET_BYTES);
	call_of(0)->place = 3;
	release(0);
	is("when its maker has gone, it counts", bytes_below(nodes + SET_BYTES) - none > SET_BYTES,
	   true);
	is("and is there", follow(heir, 1), 0);
	call_of(0)->place = 4;
	release(0);
	is("until the last one has gone", bytes_below(none + 1), none);
}

static void verb_filter(void)
{
	__u64 function = function_open();
	__u32 all = create(0, "all", 2), first = create(0, "first", 0),
	      second = create(0, "second", 1);

	set_sys_admin(false);
	is("a filter without CAP_SYS_ADMIN", filter(first, KSTATS_DIRECT_BY_CPU, 0), -EPERM);
	set_sys_admin(true);
	is("a flag that does not exist", filter(first, 1 << 3, 0), -EINVAL);
	is("the processes of no node", filter(first, KSTATS_DIRECT_BY_PROCESS, first + 100),
	   -ENOENT);
	is("the processes of a node without", filter(first, KSTATS_DIRECT_BY_PROCESS, second),
	   -ENOENT);
	is("a process before there is a filter", follow(first, 1), -ENOENT);
	is("processes", filter(first, KSTATS_DIRECT_BY_PROCESS, 0), 0);
	is("a second filter", filter(first, KSTATS_DIRECT_BY_CPU, 0), -EALREADY);
	is("the same processes", filter(second, KSTATS_DIRECT_BY_PROCESS, first), 0);
	is("the largest number", follow(first, (1 << 22) - 1), 0);
	is("a number above it", follow(first, 1 << 22), -EINVAL);
	is("the largest word", follow(second, ~0U), -EINVAL);
	is("no process any more", follow(second, 0), 0);
	is("a function with a filter", attach(first, function), 0);
	is("without one", attach_named(all, "__x64_sys_getsid"), 0);
	is("too late for a filter", filter(all, KSTATS_DIRECT_BY_PROCESS, 0), -EALREADY);
	syscall(SYS_getpgid, 0);
	is("calls of others are not measured", started(first), 0);
	is("this process", follow(second, getpid()), 0);
	syscall(SYS_getpgid, 0);
	is("its calls are", started(first), 1);
	if (seteuid(1000))
		die("seteuid");
	is("a filter for another user's node", filter(all, 0, 0), -EPERM);
	is("a process for another user's node", follow(first, 1), -EPERM);
	if (seteuid(0))
		die("seteuid");
}

/* Attaches and detaches, again and again; says how often that failed. */
static void verb_cycle(int n)
{
	__u64 function = function_open();
	__u32 id = create(0, "", 0);
	int failed = 0;

	while (n--) {
		failed += attach(id, function) != 0;
		failed += command_node(KSTATS_DEV_DETACH, id, 0) != 0;
	}
	printf("%d\n", failed);
}

/* Where no function begins that can be measured. */
static void direct_addresses(__u32 id, __u64 function)
{
	static const __u64 wrong[] = { 0, 1, 4096, 1ULL << 63, ~0ULL, ~0ULL << 47, ~0xfffULL };
	char text[64];
	size_t i;
	int err;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(text, sizeof(text), "address %#llx", wrong[i]);
		is(text, attach(id, wrong[i]), -EINVAL);
	}
	is("an address on the stack of a program", attach(id, (__u64)text), -EINVAL);
	for (i = 1; i < 8; i++) {
		snprintf(text, sizeof(text), "%zu bytes behind a function's begin", i);
		is(text, attach(id, function + i), -EINVAL);
	}
	is("init_task, which is no code", attach(id, find("init_task")), -EINVAL);
	/* Its memory was freed, and may hold what looks like a place that somebody is changing. */
	err = attach(id, find("start_kernel"));
	is("start_kernel", err == -EAGAIN ? -EINVAL : err, -EINVAL);
}

/* By which the module knows where a function has its arguments. */
static void direct_programs(__u32 id, __u64 function)
{
	int other = program_of("__x64_sys_getpriority"),
	    link = bpf_raw_tracepoint_open(NULL, other);

	if (other < 0 || link < 0)
		die("__x64_sys_getpriority");
	is("without a program", attach_by(id, function, 1000), -EBADF);
	is("with a file that is none", attach_by(id, function, dev), -EBADF);
	is("with one for another function", attach_by(id, find("do_mmap"), program), -EBADF);
	is("with one for nothing", attach_by(id, function, bpf_program__fd(skel->progs.record)),
	   -EBADF);
	is("with one that is attached", attach_by(id, find("__x64_sys_getpriority"), other),
	   -EBADF);
	is("one with arguments on the stack", attach_named(id, "do_mmap"), -E2BIG);
	is("a program and no function", attach_by(id, 0, program), -EINVAL);
	close(link);
	close(other);
}

static void verb_direct(void)
{
	__u64 function = function_open();
	__u32 id = create(0, "stub", 0), other = create(0, "stub2", 1);

	direct_addresses(id, function);
	direct_programs(id, function);
	is("no such node", attach(id + 100, function), -ENOENT);
	is("a function in which a CPU that goes off stays", attach(id, find("do_idle")), -EDOM);
	is("a node that measures nothing", started(id), -ENOENT);
	is("it detaches nothing", command_node(KSTATS_DEV_DETACH, id, 0), 0);
	is("a function", attach(id, function), 0);
	is("the same again", attach(id, function), -EALREADY);
	is("by another node", attach(other, function) < 0, true);
	set_sys_admin(false);
	is("without CAP_SYS_ADMIN", attach(other, function), -EPERM);
	is("its own it may detach", command_node(KSTATS_DEV_DETACH, id, 0), 0);
	set_sys_admin(true);
	is("attached again", attach(id, function), 0);
	is("it is read", started(id), 0);
	if (seteuid(1000))
		die("seteuid");
	is("another user's is not detached", command_node(KSTATS_DEV_DETACH, id, 0), -EPERM);
	is("nor read", started(id), -EPERM);
	if (seteuid(0))
		die("seteuid");
}

/* ---- array: many distributions in one node ---- */

static long record_at(__u32 index, __u64 value)
{
	struct tool_call *c = call_of(0);

	c->index = index;
	c->value = value;
	return array_record(0);
}

/* The samples of a distribution on all CPUs, and in @blocks how many blocks it has. */
static long samples_at(__u32 index, long *blocks)
{
	struct tool_call *c = call_of(0);
	long n, i, k, samples = 0;

	c->index = index;
	c->cpu = 0;
	c->slots_size = sizeof(c->slots);
	n = array_read(0);
	for (i = 0; i < n; i++)
		for (k = 0; k < (long)KSTATS_BLOCK_SLOTS; k++)
			samples += c->blocks[i].slots[k].samples;
	*blocks = n;
	return samples;
}

static long control(__u32 op)
{
	call_of(0)->op = op;
	return node_control(0);
}

static void array_refusals(__u32 id)
{
	struct kstats_dev_read large = {
		.id = id,
		.size = (KSTATS_DEV_BLOCKS_MAX + 1) * sizeof(struct kstats_block),
	};
	struct tool_call *c = call_of(0);

	is("a distribution that it does not have", record_at(3, 1), -EINVAL);
	c->slots_size = 100;
	is("too little memory", array_read(0), -ENOSPC);
	c->slots_size = sizeof(c->slots);
	is("and none to be read", array_read(0), -EINVAL);
	is("recorded into like a node", record(0), -ESHUTDOWN);
	is("read like one", node_read(0), -ENOSPC);
	is("with more memory than it takes", command(KSTATS_DEV_READ, &large), -EINVAL);
	is("taken like one", node_take(0), -EINVAL);
	is("a stub is none of its own", attach(id, find(FUNCTION)), -EINVAL);
	is("odd control", control(KSTATS_OP_RESET + 1), -EINVAL);
	c->id = create(0, "plain", 1);
	is("a node is no array to record", record_at(0, 1), -EINVAL);
	c->id = id + 1000;
	is("no such node", record_at(0, 1), -ENOENT);
	is("to be read", array_read(0), -ENOENT);
	c->id = id;
	if (seteuid(1000))
		die("seteuid");
	set_sys_admin(false);
	is("another user's is not reset", control(KSTATS_OP_RESET), -EPERM);
	if (seteuid(0))
		die("seteuid");
	set_sys_admin(true);
}

static void verb_array(void)
{
	long blocks, id;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
	is("no distribution", create_array(0, 8), -EINVAL);
	is("no block", create_array(3, 0), -EINVAL);
	is("more than there can be", create_array(~0U, 8), -ENOSPC);
	is("more blocks than there can be", create_array(3, ~0U), -ENOSPC);
	call_of(0)->bits = KSTATS_BITS_MAX + 1;
	is("bits 6", array_create(0), -EINVAL);
	id = create_array(3, 2);
	is("three distributions and two blocks", id > 0, true);
	call_of(0)->id = id;
	array_refusals(id);
	is("a sample", record_at(0, 100), 0);
	is("one in the same block", record_at(0, 101), 0);
	is("one in another", record_at(2, 100), 0);
	is("no block is left", record_at(1, 100), -ENOSPC);
	is("nor for another slot", record_at(0, 1 << 30), -ENOSPC);
	is("but where there is one", record_at(2, 100), 0);
	is("the first has its samples", samples_at(0, &blocks), 2);
	is("in one block", blocks, 1);
	is("the second none", samples_at(1, &blocks), 0);
	is("and no block", blocks, 0);
	is("the third its own", samples_at(2, &blocks), 2);
	is("stop", control(KSTATS_OP_STOP), 0);
	is("it refuses samples", record_at(0, 100), -ESHUTDOWN);
	is("and keeps those it has", samples_at(0, &blocks), 2);
	is("reset", control(KSTATS_OP_RESET), 0);
	is("nothing is left", samples_at(0, &blocks) + blocks, 0);
	is("it is still stopped", record_at(0, 100), -ESHUTDOWN);
	is("start", control(KSTATS_OP_START), 0);
	is("its blocks are there again", record_at(1, 100) + record_at(1, 1 << 30), 0);
	is("and no more", record_at(0, 100), -ENOSPC);
	is("with their samples only", samples_at(1, &blocks), 2);
	is("reset while it records", control(KSTATS_OP_RESET), 0);
	is("it still does", record_at(0, 100), 0);
}

/* ---- stuck: a node goes while somebody writes to its file ---- */

static int stuck_fd;

static long stuck_result;

static void *stuck_writer(void *page)
{
	stuck_result = write(stuck_fd, page, 4) < 0 ? -errno : 0;
	return NULL;
}

/* A page whose first reader waits until it is filled. */
static char *slow_page(int *fault_fd)
{
	struct uffdio_api api = { .api = UFFD_API };
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register reg = { .range = { (unsigned long)page, 4096 },
				       .mode = UFFDIO_REGISTER_MODE_MISSING };

	*fault_fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (*fault_fd < 0 || page == MAP_FAILED || ioctl(*fault_fd, UFFDIO_API, &api) ||
	    ioctl(*fault_fd, UFFDIO_REGISTER, &reg))
		die("userfaultfd");
	return page;
}

static void fill_page(int fault_fd, char *page)
{
	static char stop[4096] __attribute__((aligned(4096))) = "stop";
	struct uffdio_copy copy = { .dst = (unsigned long)page,
				    .src = (unsigned long)stop,
				    .len = sizeof(stop) };

	if (ioctl(fault_fd, UFFDIO_COPY, &copy))
		die("fill");
}

static int stuck_fault_fd;
static char *stuck_page;
static volatile sig_atomic_t too_late;

/* Somebody waits for it after all: so that this ends. */
static void give_up(int sig)
{
	too_late = true;
	fill_page(stuck_fault_fd, stuck_page);
}

static void verb_stuck(void)
{
	struct uffd_msg msg;
	pthread_t thread;
	long id;

	if (create(0, "stuck", 0) < 0)
		die("create");
	stuck_fd = open(NODE_FILE "stuck", O_WRONLY);
	stuck_page = slow_page(&stuck_fault_fd);
	if (stuck_fd < 0 || pthread_create(&thread, NULL, stuck_writer, stuck_page))
		die("stuck");
	/* Now it is in the kernel, in the file of the node. */
	if (read(stuck_fault_fd, &msg, sizeof(msg)) != sizeof(msg))
		die("fault");
	signal(SIGALRM, give_up);
	alarm(60);
	release(0);
	while (!access(NODE_FILE "stuck", F_OK))
		usleep(1000);
	is("another node can be made", create(0, "other", 1) > 0, true);
	do {
		usleep(1000);
		id = create(0, "stuck", 2);
	} while (id == -EEXIST);
	is("its name is free", id > 0, true);
	is("nobody waited for the writer", too_late, false);
	alarm(0);
	if (!too_late)
		fill_page(stuck_fault_fd, stuck_page);
	pthread_join(thread, NULL);
	is("who writes to a node that has gone is told", stuck_result, -EIO);
	close(stuck_fd);
}

/* ---- waits: for somebody who attaches a function, and does not come to an end ---- */

#define CPU1 "/sys/devices/system/cpu/cpu1/online"
#define PATIENCE_MS 30000

/*
 * A CPU that is switched off waits for a program that is bound to it, which waits for a page. Who
 * attaches a function waits for the CPU, with the lock of all functions in his hands.
 */
static void *bound_runner(void *unused)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(1, &one);
	if (pthread_setaffinity_np(pthread_self(), sizeof(one), &one))
		die("CPU 1");
	run(skel->progs.wait_bound, 0);
	return NULL;
}

static void cpu1_switch(const char *to)
{
	FILE *out = fopen(CPU1, "w");

	if (!out || fputs(to, out) < 0 || fclose(out))
		die(CPU1);
}

static pid_t begin(void (*what)(__u32 id), __u32 id)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	what(id);
	_exit(0);
}

static void do_switch_off(__u32 unused)
{
	cpu1_switch("0");
}

/* Again and again, until one of them has to wait. Another node may just be leaving the function. */
static void do_attach(__u32 id)
{
	__u64 function = find(FUNCTION);
	long err;

	while (!(err = attach(id, function)) || err == -EBUSY)
		command_node(KSTATS_DEV_DETACH, id, 0);
	_exit(1);
}

static void do_counts(__u32 id)
{
	struct kstats_dev_counts now = { .id = id };

	command(KSTATS_DEV_COUNTS, &now);
}

/* All that has nothing to do with functions. */
static void do_plain(__u32 unused)
{
	__u32 id;

	if (seteuid(1000))
		_exit(1);
	id = create(0, "", 5);
	call_of(0)->id = id;
	call_of(0)->slots_size = sizeof(call_of(0)->slots);
	call_of(0)->cpu = 0;
	if (command_node(KSTATS_DEV_CONTROL, id, KSTATS_OP_START) || record(0) ||
	    command_node(KSTATS_DEV_CONTROL, id, KSTATS_OP_RESET) || node_read(0) < 0 ||
	    command_node(KSTATS_DEV_CONTROL, id, KSTATS_OP_STOP) || release(0))
		_exit(1);
}

static bool waits_in(pid_t pid, const char *function)
{
	char path[64], text[128] = "";
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	in = fopen(path, "r");
	if (in && fread(text, 1, sizeof(text) - 1, in))
		fclose(in);
	return strstr(text, function);
}

static bool comes_to_wait(pid_t pid, const char *function)
{
	int i;

	for (i = 0; i < PATIENCE_MS && !waits_in(pid, function); i++)
		usleep(1000);
	return i < PATIENCE_MS;
}

/* How far up CPU 1 is: the kernel's number, which falls while it goes off. */
static int cpu1_state(void)
{
	FILE *in = fopen("/sys/devices/system/cpu/cpu1/hotplug/state", "r");
	int state;

	if (!in || fscanf(in, "%d", &state) != 1)
		die("the state of CPU 1");
	fclose(in);
	return state;
}

static bool cpu1_comes_below(int state)
{
	int i;

	for (i = 0; i < PATIENCE_MS && cpu1_state() >= state; i++)
		usleep(1000);
	return i < PATIENCE_MS;
}

/* Its status; -1 if it does not end. */
static int ends(pid_t pid)
{
	int status, i;

	for (i = 0; i < PATIENCE_MS; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(1000);
	}
	return -1;
}

static void killed_while_it_waits(__u32 id)
{
	static const struct {
		const char *what;
		void (*act)(__u32 id);
		const char *where;
	} acts[] = { { "attaches", do_attach, "direct_attach" },
		     { "reads calls", do_counts, "direct_counts" } };
	char text[64];
	size_t i;
	pid_t pid;

	for (i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
		pid = begin(acts[i].act, id);
		snprintf(text, sizeof(text), "one who %s waits for it", acts[i].what);
		is(text, comes_to_wait(pid, acts[i].where), true);
		kill(pid, SIGKILL);
		snprintf(text, sizeof(text), "one who %s is killed then", acts[i].what);
		is(text, ends(pid), SIGKILL);
	}
}

static void verb_waits(void)
{
	__u64 function = function_open();
	__u32 first = create(0, "", 0), second = create(0, "", 1);
	int fault_fd, status;
	pthread_t thread;
	struct uffd_msg msg;
	pid_t off, pid;
	char *page = slow_page(&fault_fd);
	int state = cpu1_state();

	is("a function", attach_named(second, "__x64_sys_getitimer"), 0);
	skel->bss->page = (unsigned long)page;
	if (pthread_create(&thread, NULL, bound_runner, NULL) ||
	    read(fault_fd, &msg, sizeof(msg)) != sizeof(msg))
		die("fault");
	off = begin(do_switch_off, 0);
	/* It holds the lock then; who attaches before would wait at its detach. */
	is("a CPU is being switched off", cpu1_comes_below(state), true);
	pid = begin(do_attach, first);
	is("one who attaches a function waits for a CPU", comes_to_wait(pid, "rwsem"), true);
	killed_while_it_waits(second);
	status = ends(begin(do_plain, 0));
	is("a user makes, records, resets, reads, and stops a node meanwhile", status, 0);
	kill(pid, SIGKILL);
	fill_page(fault_fd, page);
	pthread_join(thread, NULL);
	is("who attaches is killed", ends(pid), SIGKILL);
	is("the CPU is off", ends(off), 0);
	cpu1_switch("1");
	command_node(KSTATS_DEV_DETACH, first, 0);
	is("all goes on", attach(first, function), 0);
}

/* ---- early: the device of a module that is being loaded ---- */

static int early_error;

static void bind_to_cpu0(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("CPU 0");
}

/* Before all others on its CPU: it comes while the module is still being loaded. */
static void *early_opener(void *watch)
{
	struct sched_param first = { .sched_priority = 1 };
	char events[4096];
	int fd;

	bind_to_cpu0();
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		die("SCHED_FIFO");
	do {
		if (read(*(int *)watch, events, sizeof(events)) <= 0)
			die("inotify");
		fd = open(KSTATS_DEV, O_RDWR | O_CLOEXEC);
		early_error = fd < 0 ? errno : 0;
	} while (early_error == ENOENT); /* that was another file */
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void verb_early(const char *module)
{
	int i, watch, fd = open(module, O_RDONLY), told = 0;
	pthread_t thread;

	bind_to_cpu0();
	for (i = 0; i < 20 && !told; i++) {
		watch = inotify_init1(IN_CLOEXEC);
		if (fd < 0 || inotify_add_watch(watch, "/dev", IN_CREATE) < 0 ||
		    pthread_create(&thread, NULL, early_opener, &watch))
			die("early");
		if (syscall(SYS_finit_module, fd, "", 0))
			die(module);
		pthread_join(thread, NULL);
		told = early_error == ENXIO;
		close(watch);
		while (syscall(SYS_delete_module, "kstats", O_NONBLOCK))
			usleep(1000);
	}
	is("who opens the device of a module that is being loaded is told", told, true);
}

/* ---- limits: of the module, and names ---- */

static void verb_limits(int max_nodes)
{
	char name[TOOL_NAME_SPACE], what[64];
	static const char *const bad[] = { ".", "..", "a/b", "a b", "ü", "a\n" };
	struct tool_call *c = call_of(0);
	struct kstats_dev_create more = { .frac_bits = TOOL_BITS };
	long id, old = 0;
	size_t i;
	int n;

	memset(name, 'n', sizeof(name));
	name[64] = '\0';
	is("a name of 64 bytes is refused", create(0, name, 0), -EINVAL);
	name[63] = '\0';
	is("a name of 63 bytes", create(0, name, 0) > 0, true);
	is("the same again", create(0, name, 1), -EEXIST);
	is("the name of the list", create(0, "_control", 1), -EEXIST);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(what, sizeof(what), "bad name %zu is refused", i);
		is(what, create(0, bad[i], 1), -EINVAL);
	}
	c->bits = KSTATS_BITS_MAX + 1;
	is("bits 6 are refused", node_create(0), -EINVAL);
	for (n = 1; n < max_nodes; n++) {
		id = create(0, "", n);
		if (id < 0)
			break;
		if (n == 1)
			old = id;
	}
	is("as many nodes as max_nodes", n, max_nodes);
	is("one more", command(KSTATS_DEV_CREATE, &more), -ENOSPC);
	if (seteuid(1000))
		die("seteuid");
	is("another user has as many of his own", command(KSTATS_DEV_CREATE, &more), 0);
	if (seteuid(0))
		die("seteuid");
	is("let go", command_node(KSTATS_DEV_RELEASE, more.id, 0), 0);
	is("but once", command_node(KSTATS_DEV_RELEASE, more.id, 0), -ENOENT);
	/* Until it has the place again. That is free a moment after its node was let go. */
	for (n = 0, id = -ENOSPC; n < 6000 && (id & 0xffff) != (old & 0xffff); n++) {
		call_of(0)->place = 1;
		release(0);
		do {
			usleep(1000);
			id = create(0, "", 1);
		} while (id == -ENOSPC);
	}
	is("one less, one more", id > 0, true);
	is("it has the place of the one that went", id & 0xffff, old & 0xffff);
	c->id = old;
	is("the id that the place had before", record(0), -ENOENT);
	c->id = id;
	is("the id that it has", record(0), 0);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "", *arg = argc > 2 ? argv[2] : "0";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(verb, "kills")) {
		verb_kills("/proc/self/exe", atoi(arg));
		return 0;
	}
	if (!strcmp(verb, "early")) {
		verb_early(arg);
		return 0;
	}
	load(!strcmp(verb, "once") || !strcmp(verb, "own"));
	if (!strcmp(verb, "read"))
		verb_read(strtoul(arg, NULL, 0));
	else if (!strcmp(verb, "once"))
		verb_once();
	else if (!strcmp(verb, "own"))
		verb_own(arg);
	else if (!strcmp(verb, "writers"))
		verb_writers(atoi(arg));
	else if (!strcmp(verb, "deletes"))
		verb_deletes(atoi(arg));
	else if (!strcmp(verb, "hashed"))
		verb_hashed(atoi(arg));
	else if (!strcmp(verb, "files"))
		verb_files(atoi(arg));
	else if (!strcmp(verb, "hostile"))
		verb_hostile(atoi(arg));
	else if (!strcmp(verb, "owners"))
		verb_owners(strtoul(arg, NULL, 0));
	else if (!strcmp(verb, "direct"))
		verb_direct();
	else if (!strcmp(verb, "attach"))
		verb_attach(strtoull(arg, NULL, 0));
	else if (!strcmp(verb, "cycle"))
		verb_cycle(atoi(arg));
	else if (!strcmp(verb, "filter"))
		verb_filter();
	else if (!strcmp(verb, "sets"))
		verb_sets();
	else if (!strcmp(verb, "array"))
		verb_array();
	else if (!strcmp(verb, "stuck"))
		verb_stuck();
	else if (!strcmp(verb, "waits"))
		verb_waits();
	else if (!strcmp(verb, "refused"))
		verb_refused();
	else if (!strcmp(verb, "types"))
		verb_types(atoi(arg));
	else if (!strcmp(verb, "limits"))
		verb_limits(atoi(arg));
	else
		return 2;
	tool_bpf__destroy(skel);
	return 0;
}
