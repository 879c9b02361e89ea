/* SPDX-License-Identifier: GPL-2.0-only */
/* tell.h - the course of a run in words, and the first thing that is wrong with it. */
#ifndef MODEL_TELL_H
#define MODEL_TELL_H

#include "machine.h"

extern bool model_tells; /* print the course of each run */
extern char wrong[200]; /* the first thing that is */

/** tell() - print a step of the course, with --tell */
void tell(const char *format, ...);

/** say() - keep what is wrong; the first counts */
void say(const char *format, ...);

#endif /* MODEL_TELL_H */
