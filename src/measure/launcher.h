/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * launcher.h - a process that starts the commands of a series, so that the measuring process can
 * give up its privileges before the first one. In: one command at a time. Out: a child of the
 * measuring process. Called by run.
 */
#ifndef KSTATS_MEASURE_LAUNCHER_H
#define KSTATS_MEASURE_LAUNCHER_H

#include <sys/types.h>

#include "measure/caller.h"
#include "spec/spec.h"

/* The process. */
struct run_launcher {
	pid_t pid; /* its number; 0: not started */
	int sock; /* receives what it is to start; or -1 */
};

/**
 * run_child() - the body of a new process, which never returns
 * @caller: user to become
 * @gate: pipe whose first byte lets it begin
 * @failed: pipe that receives the reason if it cannot
 */
typedef void run_child(const struct spec *spec, const struct caller *caller, int gate, int failed);

/**
 * run_launcher_open() - fork it
 * @as_root: it stays root, as its commands do; else it becomes @caller
 * @child: run by its children
 */
int run_launcher_open(struct run_launcher *l, bool as_root, const struct caller *caller,
		      run_child *child);

/**
 * run_launcher_start() - start a command
 * @spec: existed, with the same contents, when the launcher was forked
 * @gate: pipe whose first byte lets it begin
 * @failed: pipe that receives the reason if it cannot
 *
 * Return: its number, a child of the calling process; or -errno.
 */
pid_t run_launcher_start(const struct run_launcher *l, const struct spec *spec, int gate,
			 int failed);

/** run_launcher_close() - end it */
void run_launcher_close(struct run_launcher *l);

#endif /* KSTATS_MEASURE_LAUNCHER_H */
