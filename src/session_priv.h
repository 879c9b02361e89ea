/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session_priv.h - what the files of session share. Included by session*.c and
 * by nobody else.
 */
#ifndef KSTATS_SESSION_PRIV_H
#define KSTATS_SESSION_PRIV_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "hook.h"
#include "kstats.skel.h"
#include "session.h"
#include "store.h"

/**
 * struct session_probe - a probe as it was attached
 * @way: index of its way, or -1: left out
 * @why: why not an earlier way, or why it is left out; "" for the first
 * @start: its start
 * @end: its end
 * @skipped: start programs the kernel had skipped before session_start()
 * @skipped_end: the same at session_stop()
 */
struct session_probe {
	int way;
	char why[320];
	struct hook start;
	struct hook end;
	uint64_t skipped;
	uint64_t skipped_end;
};

struct session {
	const struct plan *plan;
	struct kstats_bpf *skel;
	struct bpf_link *on_exit;
	struct bpf_link *on_free;
	struct bpf_link *on_fork;
	struct bpf_link *on_iter;
	struct session_probe *probes;
	struct store store;
	int module_btf; /* of the kernel module, 0 with the map backend */
	char backend_reason[320]; /* why not the module, where it was tried */
	bool fentry; /* fentry and fexit templates are loaded */
	bool kprobe; /* kprobe templates are loaded */
	char refused[320]; /* why not, for the one that is not */
	bool stopped;
	uint64_t wall_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/**
 * session_load() - load the maps, the templates and the helpers' programs, and
 * make the nodes
 * @s: session with its plan
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int session_load(struct session *s, struct error *e);

/**
 * session_settings() - fill in the constants and size the maps
 * @skel: opened, not loaded
 * @plan: plan
 * @kmod: the slots go into the module
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int session_settings(struct kstats_bpf *skel, const struct plan *plan, bool kmod, struct error *e);

/**
 * session_template() - the loaded template for one kind of hook
 * @s: session
 * @type: kind of hook
 * @end: for an end, else for a start
 *
 * Return: a program of the skeleton.
 */
struct bpf_program *session_template(const struct session *s, enum plan_hook_type type, bool end);

#endif /* KSTATS_SESSION_PRIV_H */
