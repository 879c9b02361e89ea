// SPDX-License-Identifier: GPL-2.0-only
/* session.c - the life of a session. */
#include "session/priv.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WAIT_US 100000 /* for programs, where the kernel does not wait for them */
#define MODULE_US 10000 /* between two looks at who uses the module */
#define MODULE_TRIES 100
#define MODULE_USES "/sys/module/" KSTATS_MODULE "/refcnt"

/* ---- attaching ---- */

/* The call that attaches bpf_ends is seen to begin and not to end: the next one ends it. */
const struct session_helper session_helpers[] = {
	{ "task_exit", SESSION_STAMPS },
	{ "task_free", SESSION_STAMPS | SESSION_COMMAND },
	{ "task_birth", SESSION_COMMAND },
	{ "bpf_begins", SESSION_BPF_CALLS },
	{ "bpf_ends", SESSION_BPF_CALLS },
	{ "task_deep", SESSION_DEEP },
	{},
};

static int session_attach_helper(struct bpf_link **link, struct bpf_program *prog, struct error *e)
{
	if (!bpf_program__autoload(prog))
		return 0;
	*link = bpf_program__attach_trace(prog);
	if (*link)
		return 0;
	return error_set(e, EXIT_KERNEL, -errno, NULL, "see 'kstats-bpf doctor'",
			 "cannot attach the program '%s', which keeps the account of tasks",
			 bpf_program__name(prog));
}

static int session_attach_helpers(struct session *s, struct error *e)
{
	/* Some were loaded for ways that were not taken in the end. */
	unsigned int needs = SESSION_BPF_CALLS | SESSION_DEEP;
	unsigned int i;
	int err = 0;

	if (session_keeps_stamps(s))
		needs |= SESSION_STAMPS;
	if (s->skel->rodata->who_by_command)
		needs |= SESSION_COMMAND;
	for (i = 0; !err && session_helpers[i].name; i++)
		if (session_helpers[i].needs & needs)
			err = session_attach_helper(&s->helpers[i], session_helper(s, i), e);
	return err;
}

/* A probe takes up to six descriptors, and the usual limit is 1,024. */
static void raise_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

static int load_and_hook(struct session *s, bool kmod, struct error *e)
{
	int err = session_load(s, kmod, e);

	if (!err)
		err = session_hook(s, e);
	return err ? err : session_callees_hook(s, e);
}

/* Tries the module first, then the map. */
static int open_backend(struct session *s, struct error *e)
{
	struct error first = {};
	int err;

	if (!s->plan->kmod)
		return load_and_hook(s, false, e);
	err = load_and_hook(s, true, &first);
	if (s->skel && (err == -EINTR || !session_lacks_module(s, first.why, sizeof(first.why))))
		goto out;
	if (!s->plan->map || first.status == EXIT_USAGE)
		goto out;
	snprintf(s->backend_reason, sizeof(s->backend_reason), "the module kstats: %.250s",
		 first.why);
	session_unhook(s);
	session_unload(s);
	return load_and_hook(s, false, e);
out:
	if (err && e)
		*e = first;
	return err;
}

/* How many use the module; -1: it is not there. */
static int module_uses(void)
{
	FILE *f = fopen(MODULE_USES, "re");
	int n = -1;

	if (f && fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

/*
 * The kernel frees what was detached a moment later, and the module waits until its stubs are left:
 * "rmmod kstats" would fail until then. Others may have come to use the module meanwhile.
 */
static void wait_for_module(int before)
{
	int i;

	for (i = 0; i < MODULE_TRIES && module_uses() > before; i++)
		usleep(MODULE_US);
}

/* All programs are attached, so that the kernel tells their names among its functions. */
static int open_frames(struct session *s, struct error *e)
{
	s->frames = session_frames_open(&s->plan->by, bpf_map__fd(s->skel->maps.frames));
	return s->frames ? 0 : error_no_memory(e, "cannot read the names of functions");
}

struct session *session_open(const struct plan *plan, struct error *e)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	if (!s) {
		error_no_memory(e, "cannot start");
		return NULL;
	}
	s->plan = plan;
	s->module_uses = module_uses();
	raise_limit();
	err = open_backend(s, e);
	if (!err)
		err = session_guard(s, e);
	if (!err)
		err = session_hits(s, e);
	if (!err)
		err = session_attach_helpers(s, e);
	if (!err)
		err = session_parts_attach(s, e);
	if (!err && (plan_by_has_frames(&plan->by) || plan_by_has_pointers(&plan->by)))
		err = open_frames(s, e);
	if (!err)
		err = session_why_attach(s, e);
	if (!err)
		return s;
	session_close(s);
	return NULL;
}

const char *session_left_out(const struct session *s, unsigned int i, const char **why)
{
	uint32_t p;

	for (p = 0; p < s->plan->n_probes; p++) {
		if (s->probes[p].way >= 0 || i--)
			continue;
		*why = s->probes[p].why;
		return s->plan->probes[p].ways[0].start.name;
	}
	return session_callee_left_out(s, i, why);
}

/* ---- running ---- */

int session_follow(struct session *s, pid_t pid, struct error *e)
{
	struct kstats_task task;
	int err;

	if (!spec_follows(s->plan->spec))
		return 0;
	err = session_tell_task(s->skel->progs.tell_task, pid, &task);
	if (!err)
		err = session_direct_follow(s, task.tgid);
	if (!err && s->skel->rodata->who_by_command)
		err = session_command_add(bpf_map__fd(s->skel->maps.command_tasks),
					  s->skel->bss->command_homes, task.address);
	if (err)
		return error_set(e, EXIT_KERNEL, err, NULL, "use --all to measure all tasks",
				 "cannot follow process %d", (int)pid);
	return 0;
}

void session_start(struct session *s)
{
	session_skips_read(s, false);
	s->hits_err = s->hits_err ? s->hits_err : session_deep_begin(s);
	s->wall_ns = clock_ns(CLOCK_REALTIME);
	s->begin_ns = clock_ns(CLOCK_MONOTONIC);
	session_switch(s, true);
}

void session_switch(struct session *s, bool on)
{
	__atomic_store_n(&s->skel->bss->kstats_on, on, __ATOMIC_SEQ_CST);
	session_direct_switch(s, on);
}

/*
 * Programs run inside RCU read sections: after a grace period all are done. With
 * one CPU online the call waits for none, and a program may have been preempted.
 */
void session_wait_programs(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) ||
	    sysconf(_SC_NPROCESSORS_ONLN) == 1)
		usleep(WAIT_US);
}

void session_stop(struct session *s)
{
	if (s->stopped)
		return;
	session_switch(s, false);
	s->end_ns = clock_ns(CLOCK_MONOTONIC);
	/* At once: the kernel goes on to count calls, which are no loss any more. */
	s->deep_err = session_deep_read(s, &s->deep_stop);
	session_skips_read(s, true);
	session_wait_programs();
	s->stopped = true;
}

uint64_t session_untracked(const struct session *s)
{
	return s->skel->bss->untracked_forks;
}

void session_close(struct session *s)
{
	unsigned int i;
	bool waits;

	if (!s)
		return;
	waits = s->plan->spec->method == SPEC_METHOD_DIRECT && !s->plan->spec->stays;
	session_unhook(s);
	for (i = 0; i < SESSION_HELPERS_MAX; i++)
		bpf_link__destroy(s->helpers[i]);
	session_parts_detach(s);
	session_why_detach(s);
	bpf_link__destroy(s->hits_link);
	rows_free(&s->hits);
	rows_free(&s->deep);
	free(s->addresses);
	session_frames_close(s->frames);
	session_unload(s);
	if (waits)
		wait_for_module(s->module_uses);
	free(s);
}
