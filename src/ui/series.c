// SPDX-License-Identifier: GPL-2.0-only
/* series.c - several runs and a verdict over them. */
#include "ui/series.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/gate.h"
#include "ui/output.h"
#include "ui/own.h"
#include "ui/progress.h"
#include "ui/talk.h"
#include "measure/measure.h"

#define COUNT_TEXT 40

/* The runs of one command. */
struct side {
	const char *name; /* of its files, and in talk */
	struct spec spec; /* a copy of the user's spec with the command of this side */
	struct plan plan;
	struct runs runs;
	char *words[4];
	struct spec_point *targets; /* owned; in place of the user's, or NULL */
	struct measure *measure; /* attached once, for all runs of the sides that share it */
	bool ready; /* it was opened for the next run */
};

struct series {
	const struct spec *spec;
	struct facts *facts;
	const struct costs *costs; /* overhead */
	struct side sides[2]; /* the measured command, and the one it is compared with */
	size_t n_sides;
	struct gate gate;
	struct progress progress;
	struct folder folder; /* of the recordings, if they are kept */
	bool warming; /* the runs before those that count */
	bool apart; /* the points are in the programs of the sides: each has a measure */
};

/* ---- words ---- */

static int check_looks(const struct spec_series *words, struct error *e)
{
	char why[64];

	snprintf(why, sizeof(why), "a range ends at %u at most", SEQUENTIAL_MAX);
	if (words->runs <= SEQUENTIAL_MAX)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, why, "give a smaller one",
			 "cannot use --runs %u..%u", words->first, words->runs);
}

static int set_gate(struct gate *g, const struct spec *spec, struct error *e)
{
	const struct spec_series *words = &spec->series;
	int err;

	gate_init(g);
	err = gate_take(g, &words->gate, e);
	if (!err)
		err = check_rules_fit(g->rules, g->n_rules, CHECK_CALLS, e);
	if (!err && words->first)
		err = check_looks(words, e);
	/* The formats for people have other names in trace. */
	if (!err && strcmp(spec->format, "summary"))
		err = gate_set_format(g, spec->format, e);
	return err;
}

int series_check(const struct spec *spec, struct error *e)
{
	struct gate gate;

	return set_gate(&gate, spec, e);
}

static struct side *set_side(struct series *s, const char *name, char **command)
{
	struct side *side = &s->sides[s->n_sides++];

	side->name = name;
	side->spec = *s->spec;
	side->spec.command = command;
	return side;
}

/*
 * A function of the program that is judged is, in the base, that of the program which the base
 * runs, if that has it. Else it stays the one that was named.
 */
static int plan_base(struct series *s, struct side *base, struct error *e)
{
	const struct spec as_named = base->spec;
	struct error lacks;

	if (own_points(&base->spec, s->spec, &base->targets)) {
		if (!plan_make(&base->plan, &base->spec, s->facts, &lacks))
			return 0;
		plan_free(&base->plan);
		base->spec = as_named;
	}
	return plan_make(&base->plan, &base->spec, s->facts, e);
}

static int set_sides(struct series *s, struct error *e)
{
	struct side *run = set_side(s, "run", s->spec->command), *base;
	int err = plan_make(&run->plan, &run->spec, s->facts, e);

	if (err || !s->spec->series.vs)
		return err;
	base = &s->sides[1];
	base->words[0] = "/bin/sh";
	base->words[1] = "-c";
	base->words[2] = (char *)s->spec->series.vs;
	set_side(s, "base", base->words);
	err = plan_base(s, base, e);
	s->apart = spec_names_own(&base->spec) && own_differs(&run->spec, &base->spec);
	/* Two builds of a function may begin differently, which is another method. */
	s->gate.terms.across = s->apart;
	return err;
}

/* ---- the folder ---- */

static int cannot_record(const struct series *s, int err, const char *why, const char *next,
			 struct error *e)
{
	return error_set(e, EXIT_USAGE, err, why, next, "cannot record in '%s'", s->spec->record);
}

static int refuse_folder(const struct series *s, const char *name, struct error *e)
{
	char why[300];

	snprintf(why, sizeof(why), "'%s' of an earlier series is there", name);
	return cannot_record(s, -EEXIST, why, "name another folder, or remove it", e);
}

/* Refuse a folder with files of another series, which could be mistaken for this one's. */
static int look_into(const struct series *s, struct error *e)
{
	int fd = openat(s->folder.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return cannot_record(s, err, NULL, "name a folder", e);
	}
	while (!err && (d = readdir(dir)))
		if (!fnmatch("run-*.json", d->d_name, 0) || !fnmatch("base-*.json", d->d_name, 0))
			err = refuse_folder(s, d->d_name, e);
	closedir(dir);
	return err;
}

static int open_folder(struct series *s, struct error *e)
{
	const char *path = s->spec->record, *why;
	int err;

	if (!path)
		return 0;
	err = folder_open(&s->folder, path, true, &why);
	if (err)
		return cannot_record(s, err, why, "name a folder in one that you may write to", e);
	return look_into(s, e);
}

static int digits(unsigned int n)
{
	return n < 10 ? 1 : n < 100 ? 2 : n < 1000 ? 3 : 4;
}

/* The name of a run, and of its file if it has one. */
static char *name_of(const struct series *s, const struct side *side, unsigned int k)
{
	char *name;
	int len;

	if (s->spec->record)
		len = asprintf(&name, "%s/%s-%0*u.json", s->spec->record, side->name,
			       digits(s->spec->series.runs), k);
	else
		len = asprintf(&name, "%s %u", side->name, k);
	return len < 0 ? NULL : name;
}

/* ---- one run ---- */

static int ignore_period(void *ctx, const struct recording *r, unsigned int period, struct error *e)
{
	return 0;
}

/* Record first and look at the status afterwards, so that failed runs are kept too. */
static int keep(const struct series *s, struct recording *r, struct error *e)
{
	struct outfile file = {};
	int err;

	if (!s->spec->record)
		return 0;
	err = outfile_open_in(&file, &s->folder, r->source, e);
	if (!err)
		err = output_save(r, &file, e);
	outfile_abort(&file);
	return err;
}

/* "3 of 6", "3 of at most 40" */
static const char *of_all(char text[COUNT_TEXT], const struct series *s, unsigned int k)
{
	if (s->warming)
		snprintf(text, COUNT_TEXT, "%u of %u", k, s->spec->series.warmup);
	else
		snprintf(text, COUNT_TEXT, s->spec->series.first ? "%u of at most %u" : "%u of %u",
			 k, s->spec->series.runs);
	return text;
}

static int judge_run(const struct series *s, const struct side *side, unsigned int k,
		     const struct recording *r, bool stopped, struct error *e)
{
	const char *kept = s->spec->record ? "the runs so far are kept" : NULL;
	const struct spec_gate *gate = &s->spec->series.gate;
	char why[64], count[COUNT_TEXT];

	if (stopped)
		return error_set(e, EXIT_LEDGER, -EINTR, "it was interrupted", kept,
				 "no verdict after %s %s", side->name, of_all(count, s, k));
	if (!r->status)
		return gate->max_loss >= 0 && !gate->n_rules
			       ? talk_loss(r->whole, gate->max_loss, e)
			       : talk_unseen(r->whole, e);
	snprintf(why, sizeof(why),
		 r->status > 128 ? "it was killed by signal %u" : "its status is %u",
		 r->status > 128 ? r->status - 128 : r->status);
	return error_set(e, EXIT_USAGE, -ECHILD, why, "a gate needs a command that succeeds",
			 "no verdict: the command failed in %s %s", side->name,
			 of_all(count, s, k));
}

static void tell_run(struct series *s, const struct recording *r)
{
	const struct measure_progress p = {
		.elapsed_ns = r->whole->span.end_ns - r->whole->span.begin_ns,
		.samples = snapshot_samples(r->whole),
	};

	progress_done(&s->progress, &p);
}

/* What is warmed up must work as well, but is neither kept nor judged. */
static int end_warm_run(const struct series *s, const struct side *side, unsigned int k,
			struct recording *r, struct measure *m, int err, struct error *e)
{
	if (!err)
		err = judge_run(s, side, k, r, measure_interrupted(m) || measure_closed(m), e);
	recording_free(r);
	return err;
}

static int take_run(struct series *s, struct side *side, unsigned int k, struct measure *m,
		    struct error *e)
{
	const struct measure_watch watch = {
		.ctx = &s->progress,
		.keep_periods = s->spec->record,
		.report = ignore_period,
		.progress = s->progress.shown ? progress_tell : NULL,
	};
	struct recording *r = NULL;
	int err = measure_run(m, &watch, &r, e), kept;

	progress_clear(&s->progress);
	talk_end(m);
	if (!r)
		return err ? err : -EIO;
	if (!err)
		tell_run(s, r);
	if (s->warming)
		return end_warm_run(s, side, k, r, m, err, e);
	r->source = name_of(s, side, k);
	/* Keep what was measured before the failure, and report why it failed. */
	kept = r->source ? keep(s, r, err ? NULL : e) : error_no_memory(e, "no verdict");
	if (!err)
		err = kept;
	if (!err)
		err = judge_run(s, side, k, r, measure_interrupted(m) || measure_closed(m), e);
	if (!err && s->spec->series.gate.max_loss >= 0)
		err = talk_followed(m, e);
	/* Added even after an error, so that it is released with the others. */
	if (runs_add(&side->runs, r))
		return error_no_memory(e, "no verdict");
	return err;
}

static int open_measure(struct series *s, struct side *side, struct error *e)
{
	side->measure = measure_open(&side->plan, s->facts, e);
	if (!side->measure)
		return -EOPNOTSUPP;
	side->ready = true;
	talk_left_out(side->measure);
	return 0;
}

/* Attach once and give up privileges, so that none are left when the first command runs. */
static int open_measures(struct series *s, struct error *e)
{
	int err = open_measure(s, &s->sides[0], e);

	if (!err && s->apart)
		err = open_measure(s, &s->sides[1], e);
	return err ? err
		   : output_drop_caps(s->spec->output || s->spec->record, s->spec->command,
				      output_needs_of(&s->sides[0].plan), e);
}

static int measure_one(struct series *s, struct side *side, unsigned int k, struct error *e)
{
	struct side *owner = s->apart ? side : &s->sides[0];
	char count[COUNT_TEXT];
	int err = owner->measure ? 0 : open_measures(s, e);

	if (!err && !owner->ready)
		err = measure_again(owner->measure, &side->plan, s->facts, e);
	owner->ready = false;
	if (!err && s->costs->n)
		err = measure_know(owner->measure, s->costs, e);
	progress_name(&s->progress, s->warming ? "warm-up of %s, %s" : "%s %s", side->name,
		      of_all(count, s, k));
	return err ? err : take_run(s, side, k, owner->measure, e);
}

/* ---- all ---- */

/* Return: 1 if the series may end after these pairs, 0 if not, or -errno. */
static int look(struct series *s, unsigned int pairs, struct error *e)
{
	char state[160];
	int ended;

	if (!s->spec->series.first)
		return 0;
	ended = gate_look(&s->gate, &s->sides[0].runs, &s->sides[1].runs, state, sizeof(state), e);
	if (ended >= 0)
		progress_say(&s->progress, "after %u pairs: %s", pairs, state);
	return ended;
}

static int series_warm_up(struct series *s, struct error *e)
{
	unsigned int k;
	int err = 0;
	size_t i;

	s->warming = true;
	for (k = 1; !err && k <= s->spec->series.warmup; k++)
		for (i = 0; !err && i < s->n_sides; i++)
			err = measure_one(s, &s->sides[i], k, e);
	s->warming = false;
	return err;
}

static int measure_all(struct series *s, struct error *e)
{
	int err = series_warm_up(s, e), ended = 0;
	unsigned int k;
	size_t i;

	/* AB BA: the sides take turns in being first, so that both drift alike. */
	for (k = 1; !err && !ended && k <= s->spec->series.runs; k++) {
		for (i = 0; !err && i < s->n_sides; i++)
			err = measure_one(s, &s->sides[k % 2 ? i : s->n_sides - 1 - i], k, e);
		if (!err)
			ended = look(s, k, e);
	}
	return ended < 0 ? ended : err;
}

/* For hundreds of pairs the levels take a second: not for a plan alone. */
static void set_looks(struct gate *g, const struct spec_series *words)
{
	if (!words->first)
		return;
	sequential_make(&g->looks, words->first, words->runs, g->terms.check.confidence);
	g->terms.check.looks = &g->looks;
}

static int open_series(struct series *s, struct error *e)
{
	int err = set_gate(&s->gate, s->spec, e);

	if (!err)
		err = set_sides(s, e);
	if (!err)
		set_looks(&s->gate, &s->spec->series);
	if (!err)
		err = gate_open(&s->gate, s->spec->output, e);
	if (!err)
		err = open_folder(s, e);
	return err;
}

static void close_series(struct series *s)
{
	size_t i;

	/* The later one holds what the earlier one waits for. */
	for (i = s->n_sides; i--;)
		measure_close(s->sides[i].measure);
	for (i = 0; i < s->n_sides; i++) {
		runs_free(&s->sides[i].runs);
		plan_free(&s->sides[i].plan);
		free(s->sides[i].targets);
	}
	gate_close(&s->gate);
	folder_unmake(&s->folder);
	folder_close(&s->folder);
}

int series_run(const struct plan *plan, struct facts *facts, const struct costs *costs,
	       struct error *e)
{
	struct series s = {
		.spec = plan->spec,
		.facts = facts,
		.costs = costs,
		.folder = FOLDER_NONE,
	};
	int err;

	progress_open(&s.progress, plan->spec->quiet, true);
	err = open_series(&s, e);
	if (!err)
		err = measure_all(&s, e);
	if (!err && s.gate.n_rules)
		err = gate_judge(&s.gate, &s.sides[0].runs, &s.sides[1].runs, e);
	close_series(&s);
	return err;
}
