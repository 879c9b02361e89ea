// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_load.c - the skeleton, set up for a plan and loaded. Settings become
 * constants, so that the kernel removes what they leave unused.
 */
#include "session_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CGROUP_ROOT "/sys/fs/cgroup"
#define FIRST_PID_NAMESPACE "pid:[4026531836]"
#define KEYS_MAX 65536
#define LOG_SIZE (1024 * 1024)

/* ---- settings ---- */

/* The path below the mount point says how deep the group lies. */
static int set_cgroup(struct kstats_bpf *skel, const char *path, struct error *e)
{
	struct {
		struct file_handle handle;
		__u64 id;
	} h = { .handle.handle_bytes = sizeof(h.id) };
	char real[4096], *p;
	unsigned int level = 0;
	int mount;

	if (!realpath(path, real))
		return error_set(e, EXIT_USAGE, -errno, NULL, "name a folder under " CGROUP_ROOT,
				 "cannot use cgroup '%s'", path);
	if (strncmp(real, CGROUP_ROOT "/", sizeof(CGROUP_ROOT)) ||
	    name_to_handle_at(AT_FDCWD, real, &h.handle, &mount, 0) ||
	    h.handle.handle_bytes != sizeof(h.id))
		return error_set(e, EXIT_USAGE, -EINVAL, "it is not a group of cgroup version 2",
				 "name a folder below " CGROUP_ROOT, "cannot use cgroup '%s'",
				 path);
	for (p = real + sizeof(CGROUP_ROOT) - 1; *p; p++)
		level += *p == '/' && p[1];
	skel->rodata->who_cgroup_level = level;
	skel->rodata->who_cgroup_id = h.id;
	return 0;
}

/* Programs see the numbers of the first namespace, and nothing else. */
static int check_ids(const struct spec_who *who, struct error *e)
{
	char link[64] = "";

	if (!who->n_pids && !who->n_tids)
		return 0;
	if (readlink("/proc/self/ns/pid", link, sizeof(link) - 1) < 0 ||
	    !strcmp(link, FIRST_PID_NAMESPACE))
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "process numbers in a container are its own",
			 "run it outside, or use --cgroup or --comm",
			 "cannot use --pid or --tid here");
}

static int set_who(struct kstats_bpf *skel, const struct spec *spec, struct error *e)
{
	const struct spec_who *who = &spec->who;

	skel->rodata->who_n_pids = who->n_pids;
	memcpy((void *)skel->rodata->who_pids, who->pids, sizeof(who->pids));
	skel->rodata->who_n_tids = who->n_tids;
	memcpy((void *)skel->rodata->who_tids, who->tids, sizeof(who->tids));
	skel->rodata->who_by_comm = who->comm[0];
	memcpy((void *)skel->rodata->who_comm, who->comm, sizeof(who->comm));
	skel->rodata->who_by_cpu = who->by_cpu;
	memcpy((void *)skel->rodata->who_cpus, who->cpus, sizeof(who->cpus));
	skel->rodata->who_by_command = spec->command && !spec->all;
	if (check_ids(who, e))
		return -EINVAL;
	return who->cgroup ? set_cgroup(skel, who->cgroup, e) : 0;
}

static int set_settings(struct kstats_bpf *skel, const struct plan *plan, struct error *e)
{
	const struct spec *spec = plan->spec;
	size_t cell = KSTATS_CELL_SIZE(kstats_n_slots(spec->bits));

	skel->rodata->kstats_bits = spec->bits;
	skel->rodata->pairing = spec->pairing;
	skel->rodata->is_pair = plan->is_pair;
	skel->rodata->by_gap = spec->gap;
	skel->rodata->split_ret = spec->split_ret;
	skel->rodata->ret_op = spec->ret_op;
	skel->rodata->ret_value = spec->ret_value;
	skel->rodata->min_ns = spec->min_duration_ns;
	skel->rodata->key_start = spec->key_start;
	skel->rodata->key_end = spec->key_end;
	if (bpf_map__set_value_size(skel->maps.cells, cell) ||
	    bpf_map__set_max_entries(skel->maps.cells, plan->n_nodes) ||
	    (spec->pairing == KSTATS_BY_KEY &&
	     bpf_map__set_max_entries(skel->maps.pending, KEYS_MAX)))
		return error_set(e, EXIT_KERNEL, -EINVAL, NULL, NULL, "cannot size the maps");
	return set_who(skel, spec, e);
}

/* ---- which programs ---- */

struct bpf_program *session_template(const struct session *s, enum plan_hook_type type, bool end)
{
	switch (type) {
	case PLAN_FENTRY:
		return end ? s->skel->progs.fentry_end : s->skel->progs.fentry_start;
	case PLAN_FEXIT:
		return s->skel->progs.fexit_end;
	case PLAN_KPROBE:
		return end ? s->skel->progs.kprobe_end : s->skel->progs.kprobe_start;
	case PLAN_KRETPROBE:
		return s->skel->progs.kretprobe_end;
	default:
		return end ? s->skel->progs.tp_end : s->skel->progs.tp_start;
	}
}

static bool is_trampoline(enum plan_hook_type type)
{
	return type == PLAN_FENTRY || type == PLAN_FEXIT;
}

static bool is_kprobe(enum plan_hook_type type)
{
	return type == PLAN_KPROBE || type == PLAN_KRETPROBE;
}

static bool way_has(const struct plan_way *way, bool (*is)(enum plan_hook_type))
{
	return is(way->start.type) || is(way->end.type);
}

/* A template needs a target to be loaded at all; it is never attached. */
static int want_template(struct session *s, const struct plan_hook *hook, bool end)
{
	struct bpf_program *prog = session_template(s, hook->type, end);
	char name[256];

	if (bpf_program__autoload(prog))
		return 0;
	bpf_program__set_autoload(prog, true);
	if (is_kprobe(hook->type))
		return 0;
	snprintf(name, sizeof(name), "%s", hook->name);
	return bpf_program__set_attach_target(prog, 0, name);
}

/* The template is tried on the probe with the fewest arguments: most likely to load. */
static const struct plan_probe *simplest(const struct plan *plan, bool kprobe)
{
	const struct plan_probe *best = NULL, *p;
	uint32_t i;

	for (i = 0; i < plan->n_probes; i++) {
		p = &plan->probes[i];
		if (way_has(&p->ways[0], is_kprobe) == kprobe &&
		    (!best || p->n_args < best->n_args))
			best = p;
	}
	return best;
}

static int want_way(struct session *s, const struct plan_way *way)
{
	int err = want_template(s, &way->start, false);

	return err ? err : want_template(s, &way->end, true);
}

/* Ways that use a method which is not to be loaded are not looked at. */
static bool way_allowed(const struct session *s, const struct plan_way *way)
{
	return (s->fentry || !way_has(way, is_trampoline)) &&
	       (s->kprobe || !way_has(way, is_kprobe));
}

static int want_templates(struct session *s)
{
	const struct plan_probe *first[2] = { simplest(s->plan, false), simplest(s->plan, true) };
	unsigned int i, w;
	int err = 0;

	for (i = 0; i < 2; i++)
		for (w = 0; first[i] && !err && w < first[i]->n_ways; w++)
			if (way_allowed(s, &first[i]->ways[w]))
				err = want_way(s, &first[i]->ways[w]);
	return err;
}

static void want_helpers(struct session *s)
{
	bool by_task = s->plan->spec->pairing == KSTATS_BY_TASK;
	bool command = s->skel->rodata->who_by_command;

	bpf_program__set_autoload(s->skel->progs.task_exit, by_task);
	bpf_program__set_autoload(s->skel->progs.task_free, by_task || command);
	bpf_program__set_autoload(s->skel->progs.open_stamps, by_task);
	bpf_program__set_autoload(s->skel->progs.task_fork, command);
}

/* ---- loading ---- */

static int try_load(struct session *s, bool fentry, bool kprobe, char *log, struct error *e)
{
	struct bpf_program *prog;
	char why[256];
	int err;

	log[0] = '\0';
	s->fentry = fentry;
	s->kprobe = kprobe;
	s->skel = kstats_bpf__open();
	if (!s->skel)
		return error_set(e, EXIT_KERNEL, -errno, NULL, NULL,
				 "cannot open the BPF programs");
	bpf_object__for_each_program(prog, s->skel->obj)
	{
		bpf_program__set_autoload(prog, false);
		bpf_program__set_log_buf(prog, log, LOG_SIZE);
	}
	err = set_settings(s->skel, s->plan, e);
	if (err)
		return err;
	want_helpers(s);
	err = want_templates(s);
	if (!err)
		err = kstats_bpf__load(s->skel);
	if (!err)
		return 0;
	hook_verifier_words(log, why, sizeof(why), err);
	return error_set(e, EXIT_KERNEL, err, why, "see 'kstats-bpf doctor'",
			 "the kernel refused the BPF programs");
}

static bool plan_has(const struct plan *plan, bool (*is)(enum plan_hook_type))
{
	uint32_t i, w;

	for (i = 0; i < plan->n_probes; i++)
		for (w = 0; w < plan->probes[i].n_ways; w++)
			if (way_has(&plan->probes[i].ways[w], is))
				return true;
	return false;
}

/* At least one probe can be hooked with the methods left. */
static bool enough(const struct plan *plan, bool fentry, bool kprobe)
{
	const struct session s = { .fentry = fentry, .kprobe = kprobe };
	uint32_t i, w;

	for (i = 0; i < plan->n_probes; i++)
		for (w = 0; w < plan->probes[i].n_ways; w++)
			if (way_allowed(&s, &plan->probes[i].ways[w]))
				return true;
	return false;
}

/*
 * One program that is refused takes the whole object with it. So: everything;
 * then without fentry; then without kprobes. What works tells who was refused.
 */
int session_load(struct session *s, struct error *e)
{
	bool fentry = plan_has(s->plan, is_trampoline), kprobe = plan_has(s->plan, is_kprobe);
	const bool tries[][2] = { { fentry, kprobe }, { false, kprobe }, { fentry, false } };
	struct error first = {};
	char *log = calloc(1, LOG_SIZE);
	unsigned int i;
	int err = -ENOMEM;

	if (!log)
		return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot load the BPF programs");
	if (!s->plan->spec->verbose)
		libbpf_set_print(NULL);
	for (i = 0; i < 3; i++) {
		if (i && (!(fentry && kprobe) || !enough(s->plan, tries[i][0], tries[i][1])))
			continue;
		kstats_bpf__destroy(s->skel);
		err = try_load(s, tries[i][0], tries[i][1], log, i ? e : &first);
		if (!err || first.status == EXIT_USAGE)
			break;
	}
	if (err)
		*e = first;
	else if (i)
		snprintf(s->refused, sizeof(s->refused), "%s refused: %.200s",
			 i == 1 ? "fentry" : "kprobe", first.why);
	free(log);
	return err;
}
