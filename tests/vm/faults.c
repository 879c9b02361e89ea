// SPDX-License-Identifier: GPL-2.0-only
/*
 * faults.c - each allocation of the module fails once. Comes in: the module's file. Goes out: TAP
 * rows without numbers. Run by faults.sh in a guest whose kernel can let allocations fail.
 *
 * Only allocations with code of a module on the stack count. For each command, and for loading the
 * module, the first one fails, then the second one, and so on, until the command is done before
 * the one that would fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ioctl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "functions.h"
#include "kstats_dev.h"

#define MOST 2000 /* allocations of one command */
#define FUNCTION "__x64_sys_getpgid"
#define PARAMS "/sys/module/kstats/parameters/"

static const char *module;
static int dev = -1, fail_fd;
static __u32 id; /* of the node that is there before a command */
static __u64 function;
static int program; /* for it */

static void die(const char *what)
{
	printf("not ok - %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- one allocation that fails ---- */

static void fail_nth(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(fail_fd, text, len, 0) != len)
		die("fail-nth");
}

/* Whether it has failed, and no other will. */
static bool failed(void)
{
	char text[16] = "";

	if (pread(fail_fd, text, sizeof(text) - 1, 0) <= 0)
		die("fail-nth");
	fail_nth(0);
	return !atoi(text);
}

/* ---- the commands ---- */

static long command(unsigned long cmd, void *arg)
{
	return ioctl(dev, cmd, arg) < 0 ? -errno : 0;
}

static long node_new(const char *name, __u32 n)
{
	struct kstats_dev_create now = { .frac_bits = 3, .n = n, .blocks = n ? 16 : 0 };
	long err;

	snprintf(now.name, sizeof(now.name), "%s", name);
	err = command(KSTATS_DEV_CREATE, &now);
	if (!err)
		id = now.id;
	return err;
}

static long on_node(unsigned long cmd, __u32 arg)
{
	struct kstats_dev_node now = { .id = id, .arg = arg };

	return command(cmd, &now);
}

static long do_open(void)
{
	int fd = open(KSTATS_DEV, O_RDWR);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static long do_plain(void)
{
	return node_new("", 0);
}

static long do_named(void)
{
	return node_new("faults", 0);
}

static long do_array(void)
{
	return node_new("", 5);
}

static long do_read(void)
{
	static struct kstats_slot slots[KSTATS_N_SLOTS_MAX];
	struct kstats_dev_read now = { .id = id,
				       .to = (unsigned long)slots,
				       .size = sizeof(slots) };

	return command(KSTATS_DEV_READ, &now);
}

static long do_reset(void)
{
	return on_node(KSTATS_DEV_CONTROL, KSTATS_OP_RESET);
}

static long do_filter(void)
{
	struct kstats_dev_filter now = {
		.id = id,
		.filter.flags = KSTATS_DIRECT_BY_PROCESS | KSTATS_DIRECT_BY_CPU,
	};

	return command(KSTATS_DEV_FILTER, &now);
}

static long do_attach(void)
{
	struct kstats_dev_attach now = { .id = id, .program = program, .address = function };

	return command(KSTATS_DEV_ATTACH, &now);
}

static long do_detach(void)
{
	return on_node(KSTATS_DEV_DETACH, 0);
}

static long do_show(void)
{
	static char text[65536];
	int fd = open("/sys/kernel/debug/kstats/faults", O_RDONLY), err;

	if (fd < 0)
		return -errno;
	err = read(fd, text, sizeof(text)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

static long do_load(void)
{
	int fd = open(module, O_RDONLY);
	long err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;

	close(fd);
	return err;
}

/* ---- what was there before, and what is left ---- */

static long number(const char *file)
{
	FILE *in = fopen(file, "r");
	long n = -1;

	if (in && fscanf(in, "%ld", &n) != 1)
		n = -1;
	if (in)
		fclose(in);
	return n;
}

/* Closing the device lets all nodes go, a little later. */
static bool nothing_left(void)
{
	int i;

	close(dev);
	dev = -1;
	for (i = 0; i < 6000; i++) {
		if (!number(PARAMS "nodes") && !number(PARAMS "bytes") &&
		    number(PARAMS "direct_free") == KSTATS_DIRECT_STUBS)
			return true;
		usleep(10000);
	}
	return false;
}

static bool unload(void)
{
	int i;

	for (i = 0; i < 6000; i++) {
		if (!syscall(SYS_delete_module, "kstats", O_NONBLOCK) || errno == ENOENT)
			return true;
		usleep(10000);
	}
	return false;
}

struct action {
	const char *name;
	long (*prepare)(void); /* may be NULL */
	long (*act)(void);
	bool loads; /* the module; else it is loaded before */
};

static const struct action actions[] = {
	{ "load the module", NULL, do_load, true },
	{ "open the device", NULL, do_open, false },
	{ "make a node", NULL, do_plain, false },
	{ "make a node with a file", NULL, do_named, false },
	{ "make an array", NULL, do_array, false },
	{ "read a node", do_plain, do_read, false },
	{ "read the file of a node", do_named, do_show, false },
	{ "reset a node", do_plain, do_reset, false },
	{ "set a filter", do_plain, do_filter, false },
	{ "attach a function", do_plain, do_attach, false },
	{ "detach a function", do_attach, do_detach, false },
};

static void prepare(const struct action *a)
{
	if (a->loads)
		return;
	dev = open(KSTATS_DEV, O_RDWR);
	if (dev < 0 || (a->prepare == do_attach && do_plain()) || (a->prepare && a->prepare()))
		die("prepare");
}

static void try_all(const struct action *a)
{
	int n, wrong = 0, left = 0, errors = 0;
	bool hit = true;
	long err = 0;

	for (n = 1; hit && n < MOST; n++) {
		prepare(a);
		fail_nth(n);
		err = a->act();
		hit = failed();
		/* Some can do without. */
		errors += err != 0;
		if (err && err != -ENOMEM) {
			wrong++;
			printf("# %s, allocation %d: error %ld\n", a->name, n, -err);
		}
		if (!hit && err)
			wrong++;
		left += a->loads ? !unload() : !nothing_left();
	}
	printf("# %s: %d allocations, %d errors\n", a->name, n - 2, errors);
	printf("%s - %s: each allocation that fails is an error, or is done without\n",
	       wrong || hit ? "not ok" : "ok", a->name);
	printf("%s - %s: nothing is left\n", left ? "not ok" : "ok", a->name);
}

int main(int argc, char **argv)
{
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 2)
		return 2;
	module = argv[1];
	function = address_of(FUNCTION);
	program = program_of(FUNCTION);
	if (!function || program < 0)
		die(FUNCTION);
	fail_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	if (fail_fd < 0)
		die("fail-nth");
	try_all(&actions[0]);
	if (do_load())
		die("load");
	for (i = 1; i < sizeof(actions) / sizeof(*actions); i++)
		try_all(&actions[i]);
	printf("%s - the module goes\n", unload() ? "ok" : "not ok");
	return 0;
}
