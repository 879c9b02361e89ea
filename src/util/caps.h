/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caps.h - give up privileges that are no longer needed. Called by cmd/ once
 * everything is attached.
 */
#ifndef KSTATS_CAPS_H
#define KSTATS_CAPS_H

#include <stdint.h>

#include "util/error.h"

/**
 * caps_keep() - give up all capabilities but these, for good
 * @mask: bit mask of capability numbers
 *
 * It adds no capability, and programs that are executed later get none.
 */
int caps_keep(uint64_t mask, struct error *e);

#endif /* KSTATS_CAPS_H */
