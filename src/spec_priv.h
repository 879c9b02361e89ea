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

#endif /* KSTATS_SPEC_PRIV_H */
