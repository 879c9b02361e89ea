// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbols.c - the kernel's symbols by the iterator are those of /proc/kallsyms, in their order;
 * where no program may be loaded they are read from there; and what is hidden stays hidden. Runs as
 * root, on this machine or in a guest. Prints TAP.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "facts/priv.h"
#include "util/caps.h"

#define SECONDS 120 /* programs of others may come and go in each try */
#define FEW 1000
#define BIT(n) (1ULL << (n))

/* Of each symbol the address, the letter, and both names with their NUL. */
struct list {
	char *bytes;
	size_t size;
	size_t room;
	size_t n;
	size_t most; /* 0: all */
	size_t addresses; /* that are not 0 */
	size_t programs;
	int err;
};

static int number;

static bool result(bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++number, what);
	return ok;
}

static void add(struct list *l, const void *bytes, size_t n)
{
	if (l->size + n > l->room) {
		l->room = 2 * (l->room + n);
		l->bytes = realloc(l->bytes, l->room);
		if (!l->bytes)
			abort();
	}
	memcpy(l->bytes + l->size, bytes, n);
	l->size += n;
}

static int take(void *ctx, const struct facts_symbol *symbol)
{
	struct list *l = ctx;

	add(l, &symbol->address, sizeof(symbol->address));
	add(l, &symbol->type, sizeof(symbol->type));
	add(l, symbol->name, strlen(symbol->name) + 1);
	add(l, symbol->module, strlen(symbol->module) + 1);
	l->addresses += symbol->address != 0;
	l->programs += !strcmp(symbol->module, "bpf");
	return ++l->n == l->most;
}

static struct list by_iterator(size_t most)
{
	struct list l = { .most = most };
	struct facts_visitor v = { take, &l, 0 };

	l.err = facts_iterate(NULL, &v);
	if (!l.err && v.end != !!most)
		l.err = v.end;
	if (l.err)
		printf("# the iterator: %s\n", strerror(-l.err));
	return l;
}

/* @root: "/" is another name of the root folder, for which there is no iterator. */
static struct list symbols_of(const char *root, size_t most)
{
	struct list l = { .most = most };

	l.err = facts_symbols(root, NULL, take, &l);
	return l;
}

static bool same(const struct list *a, const struct list *b)
{
	return a->n && a->n == b->n && a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static void tell_difference(const struct list *a, const struct list *b)
{
	const char *from, *name, *end = a->bytes;
	size_t at;

	do {
		from = end;
		at = from - a->bytes;
		name = from + sizeof(uint64_t) + 1;
		end = name + strlen(name) + 1;
		end += strlen(end) + 1;
	} while (end < a->bytes + a->size && at + (end - from) <= b->size &&
		 !memcmp(from, b->bytes + at, end - from));
	printf("# %zu and %zu symbols, the first difference is at %s\n", a->n, b->n, name);
}

/* The lists before and after are the same: so is what was meanwhile. */
static bool compare_all(void)
{
	struct list before, text, after;
	bool still = false, ok = false;
	time_t end = time(NULL) + SECONDS;
	int tries = 0;

	while (!still && (!tries++ || time(NULL) < end)) {
		before = by_iterator(0);
		text = symbols_of("/", 0);
		after = by_iterator(0);
		still = same(&before, &after);
		ok = still && same(&after, &text) && text.programs && text.addresses;
		if (still && !ok && after.n)
			tell_difference(&after, &text);
		free(before.bytes);
		free(text.bytes);
		free(after.bytes);
	}
	printf("# %zu symbols, %zu of programs, try %d\n", text.n, text.programs, tries);
	return result(ok, "the iterator gives what /proc/kallsyms gives");
}

/* In a process with these capabilities alone. */
static bool in_child(bool (*check)(void), uint64_t mask)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		status = caps_keep(mask, NULL) || !check();
		fflush(stdout);
		_exit(status);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static bool is_read_as_text(void)
{
	struct list few = symbols_of("", FEW), text = symbols_of("/", FEW);
	struct list none = by_iterator(FEW);

	return none.err && !none.n && text.addresses && same(&few, &text);
}

static bool is_hidden(void)
{
	struct list few = by_iterator(FEW), text = symbols_of("/", FEW);

	return !text.addresses && same(&few, &text);
}

static int one_program(void)
{
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "kt_symbol", "GPL", nothing, 2, NULL);
}

int main(void)
{
	struct facts_visitor v = { take, &(struct list){ .most = 1 }, 0 };
	int err = facts_iterate(NULL, &v);
	bool ok;

	if (err == -ENOENT || err == -EPERM) {
		printf("1..0 # SKIP %s\n", err == -EPERM ? "this user may load no program" :
			"kernels before 6.0 have no iterator over symbols");
		return 0;
	}
	ok = one_program() >= 0 && compare_all();
	ok &= result(in_child(is_read_as_text, BIT(CAP_SYSLOG)),
		     "who may load no program reads /proc/kallsyms");
	ok &= result(in_child(is_hidden, BIT(CAP_BPF) | BIT(CAP_PERFMON)),
		     "addresses that the kernel hides stay hidden");
	printf("1..%d\n", number);
	return !ok;
}
