/* SPDX-License-Identifier: GPL-2.0-only */
/* spec_priv.h - what spec.c and spec_options.c share. */
#ifndef KSTATS_SPEC_PRIV_H
#define KSTATS_SPEC_PRIV_H

#include "spec.h"

#define SPEC_MAX_FUNCTIONS 64

/**
 * spec_set_point() - read a function or tracepoint name
 * @p: filled in; must be empty
 * @text: the word
 * @glob: pattern characters are allowed
 * @e: what is wrong
 *
 * Return: 0 or -EINVAL.
 */
int spec_set_point(struct spec_point *p, const char *text, bool glob, struct error *e);

/**
 * spec_node_name_ok() - is it fit to name a node
 * @name: 1 to KSTATS_NAME_MAX letters, digits and _ . - :
 *
 * Return: true when it is.
 */
bool spec_node_name_ok(const char *name);

/**
 * spec_set_ret() - read the comparison of --ret
 * @to: struct spec
 * @value: "<0", "==-EAGAIN", ...
 * @e: what is wrong
 *
 * Return: 0 or -EINVAL.
 */
int spec_set_ret(void *to, const char *value, struct error *e);

/**
 * spec_bad() - refuse the value of an option
 * @e: filled in
 * @option: "--bits"
 * @value: what was given
 * @why: why it will not do
 * @next: what to do, or NULL
 *
 * Return: -EINVAL.
 */
int spec_bad(struct error *e, const char *option, const char *value, const char *why,
	     const char *next);

#endif /* KSTATS_SPEC_PRIV_H */
