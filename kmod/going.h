/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * going.h - where modules are that were told to go. In: word of modules that come and go. Out:
 * whether a function is in one that goes. Included by going.c and direct.c.
 *
 * The kernel does not tell when an unloading module is gone. So its range is kept until another
 * module is loaded there, or until 512 others were unloaded later.
 */
#ifndef KSTATS_GOING_H
#define KSTATS_GOING_H

#include <linux/types.h>

/**
 * going_tell() - a module was told to go
 * @from: where its code begins
 * @to: where it ends
 *
 * Context: the callers of these functions exclude each other.
 */
void going_tell(unsigned long from, unsigned long to);

/**
 * going_forget() - a module has come
 * @from: where its code begins
 * @to: where it ends
 */
void going_forget(unsigned long from, unsigned long to);

/**
 * going_has() - whether a function is in a module that goes, or has gone
 * @place: in the function
 *
 * Return: whether it is.
 */
bool going_has(unsigned long place);

#endif /* KSTATS_GOING_H */
