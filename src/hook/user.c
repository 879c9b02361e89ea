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

#include "hook/places.h"
#include "util/refusal.h"

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

/* Without places. @path: of the file */
static struct link_attr link_attr(int prog_fd, const struct plan_hook *plan, const char *path)
{
	bool session = plan->type == PLAN_UPROBE_SESSION;

	return (struct link_attr){
		.prog_fd = prog_fd,
		.attach_type = session ? HOOK_UPROBE_SESSION : HOOK_UPROBE_MULTI,
		.path = (uintptr_t)path,
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

static int attach_link(struct hook *h, const struct plan_hook *plan, const struct places *held)
{
	const struct plan_places *at = &plan->places;
	__u64 *semaphores = calloc(at->n, sizeof(*semaphores));
	struct link_attr attr = link_attr(h->prog_fd, plan, held->path);
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

/* ---- perf events ---- */

/* The kernel counts those who listen in the upper half of the word. */
#define SEMAPHORE_SHIFT 32

int hook_uprobe_event(struct perf_event_attr *attr, int pid)
{
	int type = hook_read_number(UPROBE_PMU "type", "%d"), fd;

	if (type < 0)
		return type;
	attr->type = type;
	fd = syscall(SYS_perf_event_open, attr, pid, pid < 0 ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int perf_event(const struct plan_hook *plan, const char *path, uint64_t offset)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int bit = 0;

	if (plan->type == PLAN_URETPROBE)
		bit = hook_read_number(UPROBE_PMU "format/retprobe", "config:%d");
	if (bit < 0)
		return bit;
	attr.config = plan->places.semaphore << SEMAPHORE_SHIFT;
	if (plan->type == PLAN_URETPROBE)
		attr.config |= 1ULL << bit;
	attr.uprobe_path = (uintptr_t)path;
	attr.probe_offset = offset;
	return hook_uprobe_event(&attr, plan->places.pid ? (int)plan->places.pid : -1);
}

static int attach_place(const struct hook *h, const struct plan_hook *plan, const char *path,
			uint64_t offset, struct hook_place *at)
{
	at->perf_fd = perf_event(plan, path, offset);
	if (at->perf_fd < 0)
		return at->perf_fd;
	at->link_fd = bpf_link_create(h->prog_fd, at->perf_fd, BPF_PERF_EVENT, NULL);
	return at->link_fd < 0 ? at->link_fd : 0;
}

/*
 * Whoever may write to its folder can put another file there at any moment, so the path that the
 * user gave is not used. Who lists probes finds the file by the path of the descriptor, as long as
 * it is open.
 */
static int attach_places(struct hook *h, const struct plan_hook *plan, const struct places *held)
{
	const struct plan_places *at = &plan->places;
	struct hook_place first = { -1, -1 }, *more;
	int err = attach_place(h, plan, held->path, at->offsets[0], &first);
	uint32_t i;

	h->perf_fd = first.perf_fd;
	h->link_fd = first.link_fd;
	if (err || at->n < 2)
		return err;
	h->more = malloc((at->n - 1) * sizeof(*h->more));
	if (!h->more)
		return -ENOMEM;
	for (i = 1; !err && i < at->n; i++) {
		more = &h->more[h->n_more++];
		*more = (struct hook_place){ -1, -1 };
		err = attach_place(h, plan, held->path, at->offsets[i], more);
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
	else if (err == -EOPNOTSUPP || err == -ENOTSUPP || err == -ENOEXEC)
		snprintf(why, size, "the kernel puts no probe on that instruction");
	else
		snprintf(why, size, "it loads but cannot be attached: %s", strerror(-err));
}

static int attach_held(struct hook *h, const struct plan_hook *plan, struct places *held, char *why,
		       size_t size)
{
	const struct plan_places *at = &plan->places;
	bool perf = plan->type == PLAN_UPROBE || plan->type == PLAN_URETPROBE;
	int err = perf ? attach_places(h, plan, held) : attach_link(h, plan, held);

	if (!err)
		err = places_check(held, at->offsets, at->n, why, size);
	if (err && !*why)
		blame(plan, err, why, size);
	if (perf && !err) {
		h->file_fd = held->fd;
		held->fd = -1;
	}
	return err;
}

int hook_attach_user(struct hook *h, const struct plan_hook *plan, char *why, size_t size)
{
	const struct plan_places *at = &plan->places;
	struct places held;
	int err = places_hold(&held, at, at->offsets, at->n, why, size);

	*why = err ? *why : '\0';
	if (!err)
		err = attach_held(h, plan, &held, why, size);
	places_release(&held);
	return err;
}

/* ---- one link for many functions ---- */

static int link_held(int prog_fd, const struct plan_hook *const *hooks, uint32_t n,
		     const uint64_t *offsets, char *why, size_t size)
{
	__u64 *words = calloc(n, sizeof(*words));
	struct link_attr attr;
	struct places held;
	int fd = words ? places_hold(&held, &hooks[0]->places, offsets, n, why, size) : -ENOMEM;
	uint32_t i;
	int err;

	for (i = 0; words && i < n; i++)
		words[i] = hooks[i]->word;
	if (!fd) {
		attr = link_attr(prog_fd, hooks[0], held.path);
		attr.offsets = (uintptr_t)offsets;
		attr.cookies = (uintptr_t)words;
		attr.n = n;
		fd = link_create(&attr);
		err = fd < 0 ? fd : places_check(&held, offsets, n, why, size);
		if (fd >= 0 && err) {
			close(fd);
			fd = err;
		}
	}
	if (words)
		places_release(&held);
	free(words);
	return fd;
}

int hook_link_user(int prog_fd, const struct plan_hook *const *hooks, uint32_t n, char *why,
		   size_t size)
{
	uint64_t *offsets = calloc(n, sizeof(*offsets));
	int fd = -ENOMEM;
	uint32_t i;

	*why = '\0';
	for (i = 0; offsets && i < n; i++)
		offsets[i] = hooks[i]->places.offsets[0];
	if (offsets)
		fd = link_held(prog_fd, hooks, n, offsets, why, size);
	free(offsets);
	if (fd < 0 && !*why)
		blame(hooks[0], fd, why, size);
	return fd;
}
