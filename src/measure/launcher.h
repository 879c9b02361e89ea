/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * launcher.h - a process that starts the commands of a series, so that who
 * measures can give up its privileges before the first. In: a command at a time.
 * Out: a child of who measures. Called by run.
 */
#ifndef KSTATS_MEASURE_LAUNCHER_H
#define KSTATS_MEASURE_LAUNCHER_H

#include <sys/types.h>

#include "measure/caller.h"
#include "spec/spec.h"

/* The process. */
struct run_launcher {
	pid_t pid; /* its number, 0 when there is none */
	int sock; /* where it is told what to start, or -1 */
};

/**
 * run_child() - what a new process does; it does not come back
 * @spec: the command
 * @caller: whose it is
 * @gate: pipe that lets it begin
 * @failed: pipe that tells why it did not
 */
typedef void run_child(const struct spec *spec, const struct caller *caller, int gate, int failed);

/**
 * run_launcher_open() - fork it
 * @l: filled in
 * @as_root: it keeps root, as its commands do
 * @caller: whom it becomes otherwise
 * @child: what its children do
 */
int run_launcher_open(struct run_launcher *l, bool as_root, const struct caller *caller,
		      run_child *child);

/**
 * run_launcher_start() - start a command
 * @spec: what; it was there, and the same, when the launcher was forked
 * @gate: pipe that lets it begin
 * @failed: pipe that tells why it did not
 *
 * Return: its number, a child of the calling process; or -errno.
 */
pid_t run_launcher_start(const struct run_launcher *l, const struct spec *spec, int gate,
			 int failed);

/** run_launcher_close() - end it */
void run_launcher_close(struct run_launcher *l);

#endif /* KSTATS_MEASURE_LAUNCHER_H */
