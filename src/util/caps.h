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
 * caps_keep() - keep only these capabilities, for good
 * @mask: bit mask of capability numbers, those below 32
 * @e: why not
 *
 * What is not held already is not gained. No program executed later gets more.
 *
 * Return: 0 or -errno.
 */
int caps_keep(uint32_t mask, struct error *e);

#endif /* KSTATS_CAPS_H */
