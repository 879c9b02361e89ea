/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this room share. */
#ifndef KSTATS_SPEC_PRIV_H
#define KSTATS_SPEC_PRIV_H

#include "spec/spec.h"

/* What a user is told whose name is not fit. */
#define SPEC_NODE_NAME \
	"a node's name has 1 to 63 letters, digits and _ . - : and is neither . nor .."

/**
 * spec_set_point() - read a function or tracepoint name
 * @p: filled in; must be empty
 * @glob: pattern characters are allowed
 */
int spec_set_point(struct spec_point *p, const char *text, bool glob, struct error *e);

/**
 * spec_node_name_ok() - is it fit to name a node
 * @name: 1 to KSTATS_NAME_MAX letters, digits and _ . - : but no name of a folder
 */
bool spec_node_name_ok(const char *name);

/**
 * spec_set_ret() - read the comparison of --ret
 * @to: struct spec
 * @value: "<0", "==-EAGAIN", ...
 */
int spec_set_ret(void *to, const char *value, struct error *e);

/**
 * spec_check_cost() - do the options about overhead fit the others
 * @spec: all words read, and its series checked
 * @e: what does not fit
 */
int spec_check_cost(const struct spec *spec, struct error *e);

/**
 * spec_check_series() - may it be run so, and is there something to hold
 * @spec: all words read; one run is assumed where there are only rules
 * @e: what is missing
 */
int spec_check_series(struct spec *spec, struct error *e);

/**
 * spec_bad() - refuse the value of an option
 * @option: "--bits"
 * @why: why it will not do
 * @next: what to do, or NULL
 *
 * Return: -EINVAL.
 */
int spec_bad(struct error *e, const char *option, const char *value, const char *why,
	     const char *next);

#endif /* KSTATS_SPEC_PRIV_H */
