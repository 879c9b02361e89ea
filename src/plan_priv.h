/* SPDX-License-Identifier: GPL-2.0-only */
/* plan_priv.h - what plan.c and plan_targets.c share. */
#ifndef KSTATS_PLAN_PRIV_H
#define KSTATS_PLAN_PRIV_H

#include "plan.h"

/**
 * struct plan_list - the functions that the targets name
 * @fns: array, freed by the owner
 * @n: its length
 * @n_skipped: matched a glob, but cannot be traced
 */
struct plan_list {
	struct facts_function *fns;
	size_t n;
	size_t n_skipped;
};

/**
 * plan_choose_backend() - the map, or the module first
 * @plan: plan with its spec; kmod, map and backend_reason are filled in
 * @facts: what the kernel offers
 * @e: why the one asked for cannot be used
 *
 * Return: 0, -ENOENT or -ENOMEM.
 */
int plan_choose_backend(struct plan *plan, const struct facts *facts, struct error *e);

/**
 * plan_fentry_possible() - may fentry be tried
 * @spec: what is asked for
 * @fn: function
 *
 * Return: true when it has BTF and no other method is forced.
 */
bool plan_fentry_possible(const struct spec *spec, const struct facts_function *fn);

/**
 * plan_kprobe_possible() - may a kprobe be tried
 * @spec: what is asked for
 * @fn: function
 *
 * Return: true when it is not forbidden and no other method is forced.
 */
bool plan_kprobe_possible(const struct spec *spec, const struct facts_function *fn);

/**
 * plan_check_method() - does the method asked for fit the rest
 * @spec: what is asked for
 * @e: why not
 *
 * Return: 0 or -EINVAL.
 */
int plan_check_method(const struct spec *spec, struct error *e);

/**
 * plan_check_function() - can it be hooked at all
 * @spec: what is asked for
 * @fn: function
 * @returns: its return is needed too
 * @e: why not
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int plan_check_function(const struct spec *spec, const struct facts_function *fn, bool returns,
			struct error *e);

/**
 * plan_list_target() - add what one target names
 * @l: list
 * @spec: what is asked for
 * @facts: what the kernel offers
 * @t: function or glob
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int plan_list_target(struct plan_list *l, const struct spec *spec, struct facts *facts,
		     const struct spec_point *t, struct error *e);

#endif /* KSTATS_PLAN_PRIV_H */
