// SPDX-License-Identifier: GPL-2.0-only
/*
 * user.c - attach to places in a program or library: by one link for all places, or by a perf
 * event for each.
 */
#include "hook/hook.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UPROBE_PMU "/sys/bus/event_source/devices/uprobe/"
#define MULTI_RETURN 1 /* BPF_F_UPROBE_MULTI_RETURN */

/* ---- one link ---- */

/* The part of union bpf_attr that makes such a link; libbpf refuses the attach type. */
struct link_attr {
	__u32 prog_fd;
	__u32 target_fd;
	__u32 attach_type;
	__u32 flags;
	__u64 path;
	__u64 offsets;
	__u64 semaphores;
	__u64 cookies;
	__u32 n;
	__u32 many_flags;
	__u32 pid;
	__u32 pad;
};

/* Without places. */
static struct link_attr link_attr(int prog_fd, const struct plan_hook *plan)
{
	bool session = plan->type == PLAN_UPROBE_SESSION;

	return (struct link_attr){
		.prog_fd = prog_fd,
		.attach_type = session ? HOOK_UPROBE_SESSION : HOOK_UPROBE_MULTI,
		.path = (uintptr_t)plan->places.path,
		.many_flags = plan->type == PLAN_URETPROBE_MULTI ? MULTI_RETURN : 0,
		/* Kernels that have no sessions would take one thread and not the process. */
		.pid = session ? plan->places.pid : 0,
	};
}

static int link_create(const struct link_attr *attr)
{
	int fd = syscall(SYS_bpf, BPF_LINK_CREATE, attr, sizeof(*attr));

	return fd < 0 ? -errno : fd;
}

static int attach_link(struct hook *h, const struct plan_hook *plan)
{
	const struct plan_places *at = &plan->places;
	__u64 *semaphores = calloc(at->n, sizeof(*semaphores));
	struct link_attr attr = link_attr(h->prog_fd, plan);
	uint32_t i;

	attr.offsets = (uintptr_t)at->offsets;
	attr.n = at->n;

	if (!semaphores)
		return -ENOMEM;
	for (i = 0; i < at->n; i++)
		semaphores[i] = at->semaphore;
	if (at->semaphore)
		attr.semaphores = (uintptr_t)semaphores;
	h->link_fd = link_create(&attr);
	free(semaphores);
	return h->link_fd < 0 ? h->link_fd : 0;
}

int hook_link_user(int prog_fd, const struct plan_hook *const *hooks, uint32_t n)
{
	__u64 *offsets = calloc(n, sizeof(*offsets)), *words = calloc(n, sizeof(*words));
	struct link_attr attr = link_attr(prog_fd, hooks[0]);
	int fd = -ENOMEM;
	uint32_t i;

	for (i = 0; offsets && words && i < n; i++) {
		offsets[i] = hooks[i]->places.offsets[0];
		words[i] = hooks[i]->word;
	}
	attr.offsets = (uintptr_t)offsets;
	attr.cookies = (uintptr_t)words;
	attr.n = n;
	if (offsets && words)
		fd = link_create(&attr);
	free(offsets);
	free(words);
	return fd;
}

/* ---- perf events ---- */

/* The kernel counts those who listen in the upper half of the word. */
#define SEMAPHORE_SHIFT 32

static int perf_event(const struct plan_hook *plan, uint64_t offset)
{
	int type = hook_read_number(UPROBE_PMU "type", "%d"), bit = 0, fd;
	int pid = plan->places.pid ? (int)plan->places.pid : -1;
	struct perf_event_attr attr = { .size = sizeof(attr), .type = type };

	if (plan->type == PLAN_URETPROBE)
		bit = hook_read_number(UPROBE_PMU "format/retprobe", "config:%d");
	if (type < 0 || bit < 0)
		return type < 0 ? type : bit;
	attr.config = plan->places.semaphore << SEMAPHORE_SHIFT;
	if (plan->type == PLAN_URETPROBE)
		attr.config |= 1ULL << bit;
	attr.uprobe_path = (uintptr_t)plan->places.path;
	attr.probe_offset = offset;
	fd = syscall(SYS_perf_event_open, &attr, pid, pid < 0 ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int attach_place(const struct hook *h, const struct plan_hook *plan, uint64_t offset,
			int *perf_fd, int *link_fd)
{
	*perf_fd = perf_event(plan, offset);
	if (*perf_fd < 0)
		return *perf_fd;
	*link_fd = bpf_link_create(h->prog_fd, *perf_fd, BPF_PERF_EVENT, NULL);
	return *link_fd < 0 ? *link_fd : 0;
}

static int attach_places(struct hook *h, const struct plan_hook *plan)
{
	const struct plan_places *at = &plan->places;
	int err = attach_place(h, plan, at->offsets[0], &h->perf_fd, &h->link_fd);
	struct hook_place *more;
	uint32_t i;

	if (err || at->n < 2)
		return err;
	h->more = malloc((at->n - 1) * sizeof(*h->more));
	if (!h->more)
		return -ENOMEM;
	for (i = 1; !err && i < at->n; i++) {
		more = &h->more[h->n_more++];
		*more = (struct hook_place){ -1, -1 };
		err = attach_place(h, plan, at->offsets[i], &more->perf_fd, &more->link_fd);
	}
	return err;
}

/* ---- all ---- */

static void blame(const struct plan_hook *plan, int err, char *why, size_t size)
{
	bool perf = plan->type == PLAN_UPROBE || plan->type == PLAN_URETPROBE;

	if (err == -ESRCH)
		snprintf(why, size, "process %u has ended", plan->places.pid);
	else if (perf && access(UPROBE_PMU "type", F_OK))
		snprintf(why, size, "the kernel was built without uprobe events");
	else if (err == -EOPNOTSUPP)
		snprintf(why, size, "the kernel cannot put a probe on that instruction");
	else
		snprintf(why, size, "it loads but cannot be attached: %s", strerror(-err));
}

int hook_attach_user(struct hook *h, const struct plan_hook *plan, char *why, size_t size)
{
	bool perf = plan->type == PLAN_UPROBE || plan->type == PLAN_URETPROBE;
	int err = perf ? attach_places(h, plan) : attach_link(h, plan);

	if (err)
		blame(plan, err, why, size);
	return err;
}
