// SPDX-License-Identifier: GPL-2.0-only
/* session_load.c - the skeleton, with what a plan needs of it loaded. */
#include "session_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kstats_kmod.skel.h"
#include "kstats_session.skel.h"
#include "kstats_session_kmod.skel.h"
#include "probe.h"
#include "util/refusal.h"

#define LOG_SIZE (1024 * 1024)

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
	case PLAN_FSESSION:
		return bpf_object__find_program_by_name(s->skel->obj, "fsession_both");
	default:
		return end ? s->skel->progs.tp_end : s->skel->progs.tp_start;
	}
}

static bool is_trampoline(enum plan_hook_type type)
{
	return type == PLAN_FENTRY || type == PLAN_FEXIT || type == PLAN_FSESSION;
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
	if (hook->type == PLAN_FSESSION)
		bpf_program__set_expected_attach_type(prog, PROBE_FSESSION);
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

static bool is_session(const struct plan *plan)
{
	return plan->spec->method == SPEC_METHOD_FSESSION;
}

static void want_helpers(struct session *s)
{
	/* Who keeps stamps in tasks. */
	bool by_task = s->plan->spec->pairing == KSTATS_BY_TASK && !is_session(s->plan);
	bool command = s->skel->rodata->who_by_command;

	bpf_program__set_autoload(s->skel->progs.task_exit, by_task);
	bpf_program__set_autoload(s->skel->progs.task_free, by_task || command);
	bpf_program__set_autoload(s->skel->progs.open_stamps, by_task);
	bpf_program__set_autoload(s->skel->progs.task_fork, command);
}

/* ---- loading ---- */

/* What is tried: where the slots are, and with which methods. */
struct attempt {
	bool kmod;
	bool fentry;
	bool kprobe;
};

static const void *elf_bytes(bool kmod, bool session, size_t *size)
{
	if (session)
		return kmod ? kstats_session_kmod_bpf__elf_bytes(size)
			    : kstats_session_bpf__elf_bytes(size);
	return kmod ? kstats_kmod_bpf__elf_bytes(size) : kstats_bpf__elf_bytes(size);
}

/*
 * All objects are of the same source, and have the same layout (the Makefile
 * compares them): one skeleton does for all.
 */
static struct kstats_bpf *open_skel(bool kmod, bool session)
{
	struct kstats_bpf *skel;

	skel = calloc(1, sizeof(*skel));
	if (!skel || kstats_bpf__create_skeleton(skel))
		goto failed;
	skel->skeleton->data = (void *)elf_bytes(kmod, session, &skel->skeleton->data_sz);
	if (!bpf_object__open_skeleton(skel->skeleton, NULL))
		return skel;
failed:
	kstats_bpf__destroy(skel);
	errno = ENOMEM;
	return NULL;
}

static void undo(struct session *s)
{
	store_close(&s->store);
	kstats_bpf__destroy(s->skel);
	s->skel = NULL;
	if (s->module_btf > 0)
		close(s->module_btf);
	s->module_btf = 0;
}

static int load_object(struct session *s, const struct attempt *a, char *log, struct error *e)
{
	struct bpf_program *prog;
	char why[256];
	int err;

	log[0] = '\0';
	s->fentry = a->fentry;
	s->kprobe = a->kprobe;
	s->skel = open_skel(a->kmod, is_session(s->plan));
	if (!s->skel)
		return error_set(e, EXIT_KERNEL, -errno, NULL, NULL,
				 "cannot open the BPF programs");
	bpf_object__for_each_program(prog, s->skel->obj)
	{
		bpf_program__set_autoload(prog, false);
		bpf_program__set_log_buf(prog, log, LOG_SIZE);
	}
	err = session_settings(s->skel, s->plan, a->kmod, e);
	if (err)
		return err;
	want_helpers(s);
	err = want_templates(s);
	if (!err)
		err = kstats_bpf__load(s->skel);
	if (!err)
		return 0;
	hook_verifier_words(log, why, sizeof(why), err);
	/* A kfunc that is missing says less than the kind of program that is. */
	if (is_session(s->plan))
		probe_fsession(why, sizeof(why));
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
static bool enough(const struct plan *plan, const struct attempt *a)
{
	const struct session s = { .fentry = a->fentry, .kprobe = a->kprobe };
	uint32_t i, w;

	for (i = 0; i < plan->n_probes; i++)
		for (w = 0; w < plan->probes[i].n_ways; w++)
			if (way_allowed(&s, &plan->probes[i].ways[w]))
				return true;
	return false;
}

static int open_store(struct session *s, bool kmod, struct error *e)
{
	struct store_setup setup = {
		.cells_fd = bpf_map__fd(s->skel->maps.cells),
		.bits = s->plan->spec->bits,
		.n_nodes = s->plan->n_nodes,
		.kmod = kmod,
	};
	const char **names = calloc(s->plan->n_nodes, sizeof(*names));
	uint32_t i;
	int err;

	if (!names)
		return error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot make the nodes");
	for (i = 0; i < s->plan->n_nodes; i++)
		names[i] = s->plan->nodes[i].name;
	if (s->plan->spec->stays)
		setup.names = names;
	err = store_open(&s->store, &setup, e);
	free(names);
	return err;
}

static int try_attempt(struct session *s, const struct attempt *a, char *log, struct error *e)
{
	int err = load_object(s, a, log, e);

	if (!err && a->kmod) {
		s->module_btf = hook_module_btf(KSTATS_MODULE);
		if (s->module_btf < 0)
			err = error_set(e, EXIT_KERNEL, s->module_btf, NULL, NULL,
					"cannot have the BTF of the module kstats");
	}
	if (!err)
		err = open_store(s, a->kmod, e);
	if (err && a->kmod && e->status != EXIT_USAGE)
		refusal_blame_module(err, e->why, sizeof(e->why));
	if (err)
		undo(s);
	return err;
}

/*
 * The module before the map. What the module loses for the kernel's refusal of a
 * method, the map loses too, so it is tried with the same methods.
 */
static int try_backends(struct session *s, struct attempt a, char *log, struct error *e)
{
	struct error e_kmod = {};
	int err;

	a.kmod = s->plan->kmod;
	err = try_attempt(s, &a, log, &e_kmod);
	*e = e_kmod;
	if (!err || !a.kmod || !s->plan->map || e->status == EXIT_USAGE)
		return err;
	a.kmod = false;
	err = try_attempt(s, &a, log, e);
	if (!err)
		snprintf(s->backend_reason, sizeof(s->backend_reason), "the module kstats: %.250s",
			 e_kmod.why);
	return err;
}

/*
 * One program that is refused takes the whole object with it. So: everything;
 * then without fentry; then without kprobes. What works tells who was refused.
 */
int session_load(struct session *s, struct error *e)
{
	bool fentry = plan_has(s->plan, is_trampoline), kprobe = plan_has(s->plan, is_kprobe);
	const struct attempt tries[] = {
		{ .fentry = fentry, .kprobe = kprobe },
		{ .kprobe = kprobe },
		{ .fentry = fentry },
	};
	struct error first = {};
	char *log = calloc(1, LOG_SIZE);
	unsigned int i;
	int err = -ENOMEM;

	if (!log)
		return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot load the BPF programs");
	if (!s->plan->spec->verbose)
		libbpf_set_print(NULL);
	for (i = 0; i < 3; i++) {
		if (i && (!(fentry && kprobe) || !enough(s->plan, &tries[i])))
			continue;
		err = try_backends(s, tries[i], log, i ? e : &first);
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
