/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run.h - what happens while something is measured: signals, timers, and the
 * command. In: the spec's times and command. Out: one event after another.
 * Called by cmd/.
 */
#ifndef KSTATS_MEASURE_RUN_H
#define KSTATS_MEASURE_RUN_H

#include <stdbool.h>
#include <sys/types.h>

#include "measure/launcher.h"
#include "spec/spec.h"
#include "util/error.h"

/** enum run_event - why run_wait() came back */
enum run_event {
	RUN_PERIOD, /* the interval is over, or USR1: report, new period */
	RUN_PEEK, /* USR2: report, the period goes on */
	RUN_END, /* time over, interrupted, or the command or all processes have ended */
	RUN_BEAT, /* a second has gone by, see run_beat() */
	RUN_TICK, /* see run_tick() */
	RUN_CLOSED, /* nobody reads standard output any more */
};

/**
 * struct run - the state of a measurement in time
 * @signals: signalfd
 * @timer: timerfd of the end, or -1
 * @ticks: timerfd of the interval, or -1
 * @beat: timerfd of the seconds, or -1
 * @tick: timerfd of a shorter time, or -1
 * @gate: pipe that lets the command begin, or -1
 * @failed: pipe that tells why the command did not begin, or -1
 * @launcher: what starts the commands of a series
 * @child: the command, 0 when there is none, or when it has ended
 * @ended_by_us: the command was told to end
 * @interrupted: a signal asked for the end
 * @status: exit status of the command; 128 + signal when killed
 * @pids: pidfds of the processes whose end is waited for, @n_pids of them
 */
struct run {
	int signals;
	int timer;
	int ticks;
	int beat;
	int tick;
	int gate;
	int failed;
	struct run_launcher launcher;
	pid_t child;
	bool ended_by_us;
	bool interrupted;
	int status;
	int pids[KSTATS_IDS_MAX];
	size_t n_pids;
};

/* Holds nothing; safe for run_close(). */
#define RUN_NONE ((struct run){ -1, -1, -1, -1, -1, -1, -1, { 0, -1 }, 0, false, false, 0, {}, 0 })

/**
 * run_open() - take over the signals, and fork the command up to its start
 * @r: filled in; ended by run_close()
 * @spec: times, command and processes
 * @e: why not; a process that is not there
 *
 * Opened again after run_close(), it is the next run of a series: the specs of all
 * its runs are there when the first is opened, and no privileges are needed any more.
 *
 * The command waits. It runs as the user who called sudo unless as_root. In a
 * series what it writes to standard output goes to standard error: the answer
 * comes there.
 */
int run_open(struct run *r, const struct spec *spec, struct error *e);

/**
 * run_start() - let the command and the timers go
 * @spec: times
 * @e: why the command could not be executed
 */
int run_start(struct run *r, const struct spec *spec, struct error *e);

/** run_beat() - let run_wait() come back every second */
int run_beat(struct run *r);

/** run_tick() - let it come back each time that so many nanoseconds have gone by, too */
int run_tick(struct run *r, uint64_t ns);

/** run_wait() - sleep until something happens. Return: what happened */
enum run_event run_wait(struct run *r);

/**
 * run_close() - end the command if it still runs, wait for it, release
 *
 * Return: exit status of the command, 0 when it was told to end.
 */
int run_close(struct run *r);

/** run_free() - there is no run any more; @r: run after run_close() */
void run_free(struct run *r);

#endif /* KSTATS_MEASURE_RUN_H */
