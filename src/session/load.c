// SPDX-License-Identifier: GPL-2.0-only
/* load.c - the skeleton, with what a plan needs of it loaded. */
#include "session/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kstats_kmod.skel.h"
#include "kstats_session.skel.h"
#include "kstats_session_kmod.skel.h"
#include "kstats_session_void.skel.h"
#include "kstats_session_void_kmod.skel.h"
#include "hook/probe.h"
#include "util/refusal.h"

#define LOG_SIZE (1024 * 1024)

/* ---- loading ---- */

#define SESSION_BOTH (SESSION_FSESSION | SESSION_KPROBE_SESSION)

/* What is tried: where the slots are, and with which classes of programs. */
struct attempt {
	bool kmod;
	unsigned int classes;
};

static const void *elf_bytes(bool kmod, enum facts_session form, size_t *size)
{
	if (form == FACTS_SESSION)
		return kmod ? kstats_session_kmod_bpf__elf_bytes(size)
			    : kstats_session_bpf__elf_bytes(size);
	if (form == FACTS_SESSION_VOID)
		return kmod ? kstats_session_void_kmod_bpf__elf_bytes(size)
			    : kstats_session_void_bpf__elf_bytes(size);
	return kmod ? kstats_kmod_bpf__elf_bytes(size) : kstats_bpf__elf_bytes(size);
}

/*
 * All objects are of the same source, and have the same layout (the Makefile
 * compares them): one skeleton does for all.
 */
static struct kstats_bpf *open_skel(bool kmod, enum facts_session form)
{
	struct kstats_bpf *skel;

	skel = calloc(1, sizeof(*skel));
	if (!skel || kstats_bpf__create_skeleton(skel))
		goto failed;
	skel->skeleton->data = (void *)elf_bytes(kmod, form, &skel->skeleton->data_sz);
	if (!bpf_object__open_skeleton(skel->skeleton, NULL))
		return skel;
failed:
	kstats_bpf__destroy(skel);
	errno = ENOMEM;
	return NULL;
}

void session_unload(struct session *s)
{
	unsigned int i;

	store_close(&s->store);
	kstats_bpf__destroy(s->skel);
	s->skel = NULL;
	if (s->module_btf > 0)
		close(s->module_btf);
	s->module_btf = 0;
	for (i = 0; i < s->n_codes; i++)
		free((void *)s->codes[i].insns);
	s->n_codes = 0;
}

static int load_object(struct session *s, const struct attempt *a, char *log, struct error *e)
{
	struct bpf_program *prog;
	char why[256];
	int err;

	if (log)
		log[0] = '\0';
	s->classes = a->classes;
	s->skel =
		open_skel(a->kmod, a->classes & SESSION_BOTH ? s->plan->session : FACTS_NO_SESSION);
	if (!s->skel)
		return error_set(e, EXIT_KERNEL, -errno, NULL, NULL,
				 "cannot open the BPF programs");
	bpf_object__for_each_program(prog, s->skel->obj)
	{
		bpf_program__set_autoload(prog, false);
		if (log) {
			bpf_program__set_log_buf(prog, log, LOG_SIZE);
			bpf_program__set_log_level(prog, HOOK_LOG_LEVEL);
		}
	}
	err = session_settings(s->skel, s->plan, a->kmod, e);
	if (err)
		return err;
	err = session_want(s);
	if (!err)
		err = kstats_bpf__load(s->skel);
	if (!err)
		return 0;
	hook_verifier_words(log ? log : strdupa(""), why, sizeof(why), err);
	return error_set(e, EXIT_KERNEL, err, why, "see 'kstats-bpf doctor'",
			 "the kernel refused the BPF programs");
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
		session_unload(s);
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

/* ---- which classes ---- */

static const struct class_row {
	const char *label;
	int (*probe)(char *why, size_t size);
} class_rows[SESSION_CLASSES] = {
	{ "fentry", probe_fentry },           { "kprobe", probe_kprobe },
	{ "fsession", probe_fsession },       { "kprobe session", probe_kprobe_session },
	{ "trace event", probe_trace_event },
};

static unsigned int classes_of(const struct plan *plan)
{
	unsigned int classes = 0;
	uint32_t i, w;

	for (i = 0; i < plan->n_probes; i++)
		for (w = 0; w < plan->probes[i].n_ways; w++)
			classes |= session_classes(&plan->probes[i].ways[w]);
	return classes;
}

/* At least one probe can be hooked with the classes left. */
static bool enough(const struct plan *plan, unsigned int classes)
{
	uint32_t i, w;

	for (i = 0; i < plan->n_probes; i++)
		for (w = 0; w < plan->probes[i].n_ways; w++)
			if (!(session_classes(&plan->probes[i].ways[w]) & ~classes))
				return true;
	return false;
}

static void refuse(struct session *s, unsigned int classes, const char *why)
{
	unsigned int i;

	for (i = 0; i < SESSION_CLASSES; i++)
		if (classes & 1 << i)
			snprintf(s->refused[i], sizeof(s->refused[i]), "%s refused: %.200s",
				 class_rows[i].label, why);
}

/* The classes of @classes that a program of two instructions is let in with. */
static unsigned int really(struct session *s, unsigned int classes)
{
	unsigned int i;
	char why[256];

	for (i = 0; i < SESSION_CLASSES; i++) {
		if (!(classes & 1 << i) || !class_rows[i].probe(why, sizeof(why)))
			continue;
		classes &= ~(1 << i);
		refuse(s, 1 << i, why);
	}
	return classes;
}

/* What this kernel has not got needs no trying. */
static unsigned int known(struct session *s, unsigned int classes)
{
	unsigned int missing = 0;

	if (s->plan->session != FACTS_SESSION)
		missing |= classes & SESSION_FSESSION;
	if (s->plan->session == FACTS_NO_SESSION)
		missing |= classes & SESSION_KPROBE_SESSION;
	refuse(s, missing, "the kernel has no calls for session programs");
	really(s, missing);
	return classes & ~missing;
}

/*
 * One program that is refused takes the whole object with it. So: everything;
 * then what small programs of each class are let in with; then without the session
 * methods, without fentry, without what goes by perf events.
 */
static int try_classes(struct session *s, char *log, struct error *e)
{
	unsigned int all = known(s, classes_of(s->plan)), tries[5], i, last = 0;
	struct error first = {};
	int err = -EOPNOTSUPP;

	tries[0] = all;
	tries[1] = 0; /* not known yet */
	tries[2] = all & ~SESSION_BOTH;
	tries[3] = tries[2] & ~SESSION_FENTRY;
	tries[4] = tries[2] & ~(SESSION_KPROBE | SESSION_TRACE_EVENT);
	for (i = 0; i < 5; i++) {
		if (i == 1)
			tries[1] = really(s, all);
		if ((i && tries[i] == last) || !enough(s->plan, tries[i]))
			continue;
		last = tries[i];
		err = try_backends(s, (struct attempt){ .classes = last }, log, i ? e : &first);
		if (!err || first.status == EXIT_USAGE)
			break;
	}
	if (err)
		*e = first;
	else if (i > 1)
		refuse(s, all & ~last, first.why);
	return err;
}

/*
 * Of one function only the way that comes first: if it will not do, all of them are
 * loaded anyway.
 */
static unsigned int first_classes(const struct plan *plan)
{
	return plan->n_probes == 1 ? session_classes(&plan->probes[0].ways[0]) : classes_of(plan);
}

int session_load_untried(struct session *s)
{
	struct attempt a = { .kmod = s->plan->kmod };
	struct error e = {};
	int err;

	/* What has a name in the module may keep it for a moment, in the way of a second try. */
	if (s->plan->kmod && s->plan->spec->stays)
		return -EBUSY;
	if (!s->plan->spec->verbose)
		libbpf_set_print(NULL);
	a.classes = known(s, first_classes(s->plan));
	if (!enough(s->plan, a.classes))
		return -EOPNOTSUPP;
	s->untried = true;
	err = session_keep_codes(s);
	if (!err)
		err = try_attempt(s, &a, NULL, &e);
	session_keep_end(s);
	s->untried = !err;
	return err;
}

bool session_doubts(const struct session *s)
{
	return s->doubted & ~s->proved;
}

int session_load(struct session *s, struct error *e)
{
	char *log = calloc(1, LOG_SIZE);
	unsigned int i;
	int err;

	if (!log)
		return error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL,
				 "cannot load the BPF programs");
	if (!s->plan->spec->verbose)
		libbpf_set_print(NULL);
	err = try_classes(s, log, e);
	for (i = 0; err && !e->what[0] && i < SESSION_CLASSES; i++)
		if (s->refused[i][0])
			error_set(e, EXIT_KERNEL, err, s->refused[i], "see 'kstats-bpf doctor'",
				  "the kernel refused the BPF programs");
	free(log);
	return err;
}
