/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place.h - where ftrace enters a function. In: an address that user space believes in. Out: the
 * place, or why there is none. Included by place.c and direct.c.
 */
#ifndef KSTATS_PLACE_H
#define KSTATS_PLACE_H

#define CALL_SIZE 5 /* bytes of ftrace's place */

/**
 * place_of() - the place of ftrace at the begin of a function
 * @addr: any number
 * @place: receives its address
 *
 * Context: process; waits for another tracer that is changing the place.
 * Return: 0; -EINVAL if no function with such a place begins there, -EDOM if a call of it can end
 * unseen, -EAGAIN if somebody has been changing the place all the time.
 */
int place_of(unsigned long addr, unsigned long *place);

#endif /* KSTATS_PLACE_H */
