// SPDX-License-Identifier: GPL-2.0-only
/* calibrated.c - calibrations for the verbs. */
#include "ui/calibrated.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct teller {
	bool quiet;
	bool drawn; /* the line on the terminal will be overwritten */
	char why[384]; /* the last reason that was printed */
};

static void clear(struct teller *t)
{
	if (t->drawn)
		fputs("\r\033[K", stderr);
	t->drawn = false;
}

static void tell_begin(void *ctx, const char *way)
{
	struct teller *t = ctx;

	if (t->quiet || !isatty(STDERR_FILENO))
		return;
	clear(t);
	fprintf(stderr, "kstats-bpf: calibrating %s", way);
	t->drawn = true;
}

static void tell_refused(void *ctx, const char *way, const char *why)
{
	struct teller *t = ctx;

	clear(t);
	/* The same reason often applies to several ways in a row: print it once. */
	if (!t->quiet && strcmp(t->why, why))
		fprintf(stderr, "kstats-bpf: not calibrated: %s: %s\n", way, why);
	snprintf(t->why, sizeof(t->why), "%s", why);
}

static void tell_wait(void *ctx)
{
	if (!((struct teller *)ctx)->quiet)
		fputs("kstats-bpf: another process is calibrating; waiting until it has finished\n",
		      stderr);
}

/* Add the costs to those that were kept earlier. */
static int calibrated_keep(const struct costs *c, struct error *e)
{
	struct costs kept = {};
	int err;

	calibrate_load(&calibrate_here, &kept, NULL);
	err = costs_put_all(&kept, c);
	if (err)
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot keep the calibration");
	else
		err = calibrate_save(&calibrate_here, &kept, e);
	costs_free(&kept);
	return err;
}

int calibrated_measure(struct facts *facts, const struct calibrate_want *want, bool quiet,
		       struct costs *c, struct error *e)
{
	struct teller t = { .quiet = quiet };
	const struct calibrate_watch watch = { &t, tell_begin, tell_refused };
	int lock = calibrate_lock(&calibrate_here, tell_wait, &t);
	int err = calibrate_run(facts, want, &watch, c, e);

	clear(&t);
	if (!err)
		err = calibrated_keep(c, e);
	if (lock >= 0)
		close(lock);
	return err;
}

int calibrated_renew(struct facts *facts, const struct calibrate_want *want, bool quiet,
		     struct costs *c, struct error *e)
{
	struct costs fresh = {};
	int err = calibrated_measure(facts, want, quiet, &fresh, e);

	if (err && fresh.n) {
		error_print(e);
		err = 0;
	}
	if (!err) {
		err = costs_put_all(c, &fresh);
		if (err)
			error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot calibrate");
	}
	costs_free(&fresh);
	return err;
}

int calibrated_missing(const struct spec *spec, const char *method, struct error *e)
{
	const char *why = "this way of measuring cannot be calibrated, see kstats-bpf-calibrate(8)";
	struct error measured = *e;

	if (measured.err && measured.err != -EOPNOTSUPP)
		why = measured.why;
	return error_set(
		e, EXIT_KERNEL, -ENODATA, why, "leave the option out", "cannot use %s with %s",
		spec->floor == SPEC_FLOOR_SUBTRACT ? "--floor subtract" : "--limit overhead",
		method);
}

void calibrated_load(bool quiet, struct costs *c)
{
	struct error e = {};
	int err = calibrate_load(&calibrate_here, c, &e);

	if (err && err != -ENOENT && !quiet)
		error_print(&e);
}
