// SPDX-License-Identifier: GPL-2.0-only
/* session.c - the life of a session; see session.h. */
#include "session_priv.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* ---- attaching ---- */

static int open_way(struct session *s, struct session_probe *sp, const struct plan_way *way,
		    char *why, size_t size)
{
	const struct plan_hook *hooks[2] = { &way->end, &way->start };
	struct hook *made[2] = { &sp->end, &sp->start };
	struct hook_template template = {
		.settings = s->skel->maps.rodata,
		.module_btf = s->module_btf,
	};
	char text[256] = "";
	int i, err = 0;

	/* One program sees both. */
	for (i = way->start.type == PLAN_FSESSION; i < 2 && !err; i++) {
		template.prog = session_template(s, hooks[i]->type, i == 0);
		if (bpf_program__fd(template.prog) < 0) {
			snprintf(why, size, "%s", s->refused);
			err = -EPERM;
			break;
		}
		err = hook_open(made[i], hooks[i], &template, text, sizeof(text));
		if (err)
			snprintf(why, size, "%s refused: %s", plan_hook_label(hooks[i]->type),
				 text);
	}
	if (err) {
		hook_close(&sp->start);
		hook_close(&sp->end);
	}
	return err;
}

/* Tries the ways in order; the reason kept is the one against the first. */
static int open_probe(struct session *s, uint32_t i)
{
	const struct plan_probe *probe = &s->plan->probes[i];
	struct session_probe *sp = &s->probes[i];
	char why[sizeof(sp->why)];
	unsigned int w;
	int err = -ENOENT;

	for (w = 0; w < probe->n_ways; w++) {
		err = open_way(s, sp, &probe->ways[w], why, sizeof(why));
		if (!err) {
			sp->way = w;
			return 0;
		}
		if (!w)
			memcpy(sp->why, why, sizeof(why));
		else
			snprintf(sp->why + strlen(sp->why), sizeof(sp->why) - strlen(sp->why),
				 "; %s", why);
	}
	return err;
}

static int open_probes(struct session *s, struct error *e)
{
	const struct plan *plan = s->plan;
	uint32_t i, n = 0;
	int err = 0, last;

	s->probes = calloc(plan->n_probes, sizeof(*s->probes));
	if (!s->probes)
		return error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot attach");
	for (i = 0; i < plan->n_probes; i++) {
		s->probes[i].way = -1;
		s->probes[i].start = HOOK_NONE;
		s->probes[i].end = HOOK_NONE;
	}
	for (i = 0; i < plan->n_probes; i++) {
		last = open_probe(s, i);
		if (last)
			err = last;
		else
			n++;
	}
	if (n)
		return 0;
	return error_set(e, EXIT_KERNEL, err, s->probes[0].why, "see 'kstats-bpf doctor'",
			 "cannot trace '%s'", plan->nodes[plan->probes[0].node].name);
}

static int attach_helper(struct bpf_link **link, struct bpf_program *prog, struct error *e)
{
	if (!bpf_program__autoload(prog))
		return 0;
	*link = bpf_program__attach(prog);
	if (*link)
		return 0;
	return error_set(e, EXIT_KERNEL, -errno, NULL, "see 'kstats-bpf doctor'",
			 "cannot attach the program '%s', which keeps the account of tasks",
			 bpf_program__name(prog));
}

static int attach_helpers(struct session *s, struct error *e)
{
	int err = attach_helper(&s->on_exit, s->skel->progs.task_exit, e);

	if (!err)
		err = attach_helper(&s->on_free, s->skel->progs.task_free, e);
	if (!err)
		err = attach_helper(&s->on_fork, s->skel->progs.task_fork, e);
	if (!err)
		err = attach_helper(&s->on_iter, s->skel->progs.open_stamps, e);
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

struct session *session_open(const struct plan *plan, struct error *e)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	if (!s) {
		error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot start");
		return NULL;
	}
	s->plan = plan;
	raise_limit();
	err = session_load(s, e);
	if (!err)
		err = attach_helpers(s, e);
	if (!err)
		err = open_probes(s, e);
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
	return NULL;
}

/* ---- running ---- */

int session_follow(struct session *s, pid_t pid, struct error *e)
{
	__u32 tgid = pid;
	__u8 one = 1;

	if (!s->skel->rodata->who_by_command)
		return 0;
	if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.command_tgids), &tgid, &one, BPF_ANY))
		return error_set(e, EXIT_KERNEL, -errno, NULL, "use --all to measure everybody",
				 "cannot follow process %d", (int)pid);
	return 0;
}

void session_start(struct session *s)
{
	uint32_t i;

	for (i = 0; i < s->plan->n_probes; i++)
		s->probes[i].skipped = hook_skipped(&s->probes[i].start);
	s->wall_ns = clock_ns(CLOCK_REALTIME);
	s->begin_ns = clock_ns(CLOCK_MONOTONIC);
	__atomic_store_n(&s->skel->bss->kstats_on, 1, __ATOMIC_SEQ_CST);
}

void session_switch(struct session *s, bool on)
{
	__atomic_store_n(&s->skel->bss->kstats_on, on, __ATOMIC_SEQ_CST);
}

void session_detach(struct session *s)
{
	uint32_t i;

	for (i = 0; i < s->plan->n_probes; i++) {
		hook_detach(&s->probes[i].start);
		hook_detach(&s->probes[i].end);
	}
}

/* The end first, as when it was attached: no start is without one. */
int session_attach(struct session *s, struct error *e)
{
	const struct plan_way *way;
	struct session_probe *sp;
	char why[256] = "";
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < s->plan->n_probes; i++) {
		way = session_way(s, i);
		sp = &s->probes[i];
		if (way && sp->end.prog_fd >= 0)
			err = hook_attach(&sp->end, &way->end, why, sizeof(why));
		if (way && !err && sp->start.prog_fd >= 0)
			err = hook_attach(&sp->start, &way->start, why, sizeof(why));
	}
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, why, NULL, "cannot attach again");
}

/* Programs run inside RCU read sections: after a grace period all are done. */
void session_wait_programs(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(100000);
}

void session_stop(struct session *s)
{
	uint32_t i;

	if (s->stopped)
		return;
	__atomic_store_n(&s->skel->bss->kstats_on, 0, __ATOMIC_SEQ_CST);
	s->end_ns = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < s->plan->n_probes; i++)
		s->probes[i].skipped_end = hook_skipped(&s->probes[i].start);
	session_wait_programs();
	s->stopped = true;
}

uint64_t session_untracked(const struct session *s)
{
	return s->skel->bss->untracked_forks;
}

void session_close(struct session *s)
{
	uint32_t i;

	if (!s)
		return;
	for (i = 0; s->probes && i < s->plan->n_probes; i++) {
		hook_close(&s->probes[i].start);
		hook_close(&s->probes[i].end);
	}
	bpf_link__destroy(s->on_exit);
	bpf_link__destroy(s->on_free);
	bpf_link__destroy(s->on_fork);
	bpf_link__destroy(s->on_iter);
	store_close(&s->store);
	kstats_bpf__destroy(s->skel);
	if (s->module_btf > 0)
		close(s->module_btf);
	free(s->probes);
	free(s);
}
