// SPDX-License-Identifier: GPL-2.0-only
/*
 * many.c - one program and one link for many functions. The kernel finds the functions
 * by their names, and gives the program the hook word of the one that was called.
 */
#include "hook/hook.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "facts/facts.h"

/* The part of union bpf_attr that makes such a link; libbpf refuses the attach type. */
struct link_attr {
	__u32 prog_fd;
	__u32 target_fd;
	__u32 attach_type;
	__u32 flags;
	__u32 many_flags;
	__u32 n;
	__u64 syms;
	__u64 addrs;
	__u64 cookies;
};

/** struct many - what the link is made of */
struct many {
	uint32_t n; /* number of functions */
	/* the functions by name; what follows is in the same order */
	const struct plan_hook **sorted;
	const char **names; /* their names */
	__u64 *addrs; /* where they begin, where a name is not enough; else NULL */
	__u64 *words; /* their hook words */
};

static int many_by_name(const void *a, const void *b)
{
	const struct plan_hook *const *x = a, *const *y = b;
	int diff = strcmp((*x)->name, (*y)->name);

	return diff ? diff : strcmp((*x)->module, (*y)->module);
}

/* ---- addresses ---- */

static int find_addresses(struct many *m)
{
	struct facts_address *found = calloc(m->n, sizeof(*found));
	uint32_t i;
	int err;

	m->addrs = calloc(m->n, sizeof(*m->addrs));
	for (i = 0; found && i < m->n; i++)
		found[i] = (struct facts_address){ .module = m->sorted[i]->module,
						   .name = m->sorted[i]->name };
	err = found && m->addrs ? facts_addresses("", NULL, found, m->n) : -ENOMEM;
	for (i = 0; !err && i < m->n; i++) {
		err = facts_address_check(&found[i]);
		m->addrs[i] = found[i].address;
	}
	free(found);
	return err;
}

/* ---- the link ---- */

static int many_fill(struct many *m)
{
	bool shared = false;
	uint32_t i;

	m->names = calloc(m->n, sizeof(*m->names));
	m->words = calloc(m->n, sizeof(*m->words));
	if (!m->names || !m->words)
		return -ENOMEM;
	qsort(m->sorted, m->n, sizeof(*m->sorted), many_by_name);
	for (i = 0; i < m->n; i++) {
		m->names[i] = m->sorted[i]->name;
		m->words[i] = m->sorted[i]->word;
		shared |= m->sorted[i]->shared;
	}
	return shared ? find_addresses(m) : 0;
}

static int many_link_create(int prog_fd, const struct many *m)
{
	struct link_attr attr = {
		.prog_fd = prog_fd,
		.attach_type = HOOK_KPROBE_SESSION,
		.n = m->n,
		.cookies = (uintptr_t)m->words,
	};
	int fd;

	if (m->addrs)
		attr.addrs = (uintptr_t)m->addrs;
	else
		attr.syms = (uintptr_t)m->names;
	fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

int hook_link_session(int prog_fd, const struct plan_hook *const *hooks, uint32_t n)
{
	struct many m = { .n = n, .sorted = calloc(n, sizeof(*m.sorted)) };
	int err = -ENOMEM;

	if (m.sorted) {
		memcpy(m.sorted, hooks, n * sizeof(*m.sorted));
		err = many_fill(&m);
	}
	if (!err)
		err = many_link_create(prog_fd, &m);
	free(m.names);
	free(m.addrs);
	free(m.words);
	free(m.sorted);
	return err;
}

static void many_blame(int err, char *why, size_t size)
{
	if (err == -EACCES)
		snprintf(why, size, "the kernel hides its addresses (kernel.kptr_restrict)");
	else if (err == -ENOTUNIQ)
		snprintf(why, size, "several symbols have its name");
	else
		snprintf(why, size, "it loads but cannot be attached: %s", strerror(-err));
}

int hook_link_many(int prog_fd, const struct plan_hook *const *hooks, uint32_t n, char *why,
		   size_t size)
{
	int fd;

	if (plan_is_user(hooks[0]->type))
		return hook_link_user(prog_fd, hooks, n, why, size);
	fd = hook_link_session(prog_fd, hooks, n);
	if (fd < 0)
		many_blame(fd, why, size);
	return fd;
}

int hook_open_many(struct hook *h, const struct plan_hook *const *hooks, uint32_t n,
		   const struct hook_template *template, char *why, size_t size)
{
	struct plan_hook plan = *hooks[0];
	struct hook new = HOOK_NONE;
	int err;

	/* The program of a single function has its hook word among its instructions. */
	if (n > 1)
		plan.word = KSTATS_HOOK_OF_LINK;
	new.prog_fd = hook_copy(&plan, template, why, size);
	if (new.prog_fd < 0)
		return new.prog_fd;
	new.link_fd = hook_link_many(new.prog_fd, hooks, n, why, size);
	if (new.link_fd >= 0) {
		*h = new;
		return 0;
	}
	err = new.link_fd;
	close(new.prog_fd);
	return err;
}
