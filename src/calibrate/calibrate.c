// SPDX-License-Identifier: GPL-2.0-only
/* calibrate.c - go through the ways of measuring. */
#include "calibrate/calibrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/priv.h"

#define WORDS_MAX 16
#define REFUSED_MAX 32 /* there are fewer methods */

static const char *const backends[] = { "map", "kmod", NULL };

/* The option of trace for each pairing; methods without keys refuse --key. NULL: by task. */
static const char *const pairings[] = { NULL, "--key=cpu", "--key=arg0", NULL };

/* One way to measure, in the words of trace. */
struct way {
	enum spec_method method;
	enum loop_target target;
	const char *pairing; /* of pairings; NULL: by task */
	const char *backend;
};

/* A way with its plan. */
struct planned {
	struct spec spec;
	struct plan plan;
	char pid[16];
	char points[2][64]; /* in this program */
	char *words[WORDS_MAX];
	int n;
};

static void add_word(struct planned *p, const char *word)
{
	if (word)
		p->words[p->n++] = (char *)word;
}

static void add_points(struct planned *p, enum loop_target target)
{
	static const char *const options[] = { "--start=", "--end=" };
	int n = target == LOOP_MARKS ? 2 : 1, i;

	for (i = 0; i < n; i++) {
		snprintf(p->points[i], sizeof(p->points[i]), "%su:/proc/self/exe:%s",
			 n > 1 ? options[i] : "", loop_name(target, i));
		add_word(p, p->points[i]);
	}
}

/* While the lock is held, no other process calls the functions of this program. */
static void add_words(struct planned *p, const struct way *way)
{
	snprintf(p->pid, sizeof(p->pid), "%d", (int)getpid());
	add_word(p, "trace");
	if (loop_is_user(way->target)) {
		add_points(p, way->target);
		add_word(p, "--throws"); /* this program might, but these functions do not */
	} else if (way->target == LOOP_INVALID) {
		add_word(p, "--start=tp:raw_syscalls:sys_enter");
		add_word(p, "--end=tp:raw_syscalls:sys_exit");
	} else {
		add_word(p, LOOP_FUNCTION);
	}
	add_word(p, "--method");
	add_word(p, spec_method_names[way->method]);
	add_word(p, "--backend");
	add_word(p, way->backend);
	/* Stubs have no filters. */
	if (way->method != SPEC_METHOD_DIRECT && !loop_is_user(way->target)) {
		add_word(p, "--pid");
		add_word(p, p->pid);
	}
	add_word(p, way->pairing);
}

static int plan_way(struct planned *p, const struct way *way, struct facts *facts, struct error *e)
{
	int err;

	*p = (struct planned){};
	add_words(p, way);
	err = spec_parse_trace(&p->spec, p->n, p->words, e);
	return err ? err : plan_make(&p->plan, &p->spec, facts, e);
}

static void free_planned(struct planned *p)
{
	plan_free(&p->plan);
	spec_free(&p->spec);
}

static const char *label(const struct planned *p)
{
	return p->plan.probes[0].ways[0].method;
}

/* ---- what is asked for ---- */

static bool fits(enum spec_method method, enum loop_target target)
{
	if (loop_is_user(target))
		return plan_is_for_user(method);
	return !plan_is_for_user(method) &&
	       plan_is_for_tracepoints(method) == (target == LOOP_INVALID);
}

/* Programs know no pairing but by task. */
static int each_pairing(int (*fn)(void *ctx, const struct way *way), void *ctx, struct way *way)
{
	int err = 0, p, b;

	for (p = 0; !err && (!p || (pairings[p] && !loop_is_user(way->target))); p++) {
		way->pairing = pairings[p];
		for (b = 0; !err && backends[b]; b++) {
			way->backend = backends[b];
			err = fn(ctx, way);
		}
	}
	return err;
}

/* Call @fn for every possible way until it returns something other than 0. */
static int each_way(int (*fn)(void *ctx, const struct way *way), void *ctx)
{
	struct way way;
	int err = 0, m, t;

	for (m = SPEC_METHOD_AUTO + 1; !err && m <= SPEC_METHOD_LAST; m++)
		for (t = 0; !err && t < LOOP_TARGETS; t++) {
			if (!fits(m, t))
				continue;
			way.method = m;
			way.target = t;
			err = each_pairing(fn, ctx, &way);
		}
	return err;
}

struct calibration {
	struct facts *facts;
	const struct calibrate_want *want;
	const struct calibrate_watch *watch; /* NULL: look for a way only */
	struct loop loop;
	struct costs *costs;
	size_t n; /* measured */
	struct error first; /* why the first was refused */
	/* With a plan: the way that is looked for. */
	const char *method;
	const char *backend;
	const char *pairing;
	bool found;
	const char *refused[REFUSED_MAX]; /* methods that cannot be measured, told once */
	size_t n_refused;
};

static void calibrate_describe(const struct way *way, const char *method, char *buf, size_t size)
{
	struct spec spec = { .method = way->method, .pairing = KSTATS_BY_TASK };
	char pairing[COST_TEXT];

	if (way->pairing)
		spec.pairing = strcmp(way->pairing, "--key=cpu") ? KSTATS_BY_KEY : KSTATS_BY_CPU;
	plan_pairing(&spec, pairing, sizeof(pairing));
	snprintf(buf, size, "%s, %s, %s", method ? method : spec_method_names[way->method],
		 way->backend, cost_pairing(pairing));
}

static void calibrate_refuse(struct calibration *c, const struct way *way, const char *method,
			     const struct error *e)
{
	char text[160];

	if (!c->first.err)
		c->first = *e;
	calibrate_describe(way, method, text, sizeof(text));
	if (c->watch->refused)
		c->watch->refused(c->watch->ctx, text, e->why);
}

static int calibrate_measure_one(struct calibration *c, const struct way *way,
				 const struct planned *p)
{
	struct cost row = {};
	struct error e = {};
	char text[160];
	int err;

	calibrate_describe(way, label(p), text, sizeof(text));
	if (c->watch->begin)
		c->watch->begin(c->watch->ctx, text);
	err = calibrate_measure(&p->plan, &c->loop, way->target, &row, &e);
	if (err) {
		calibrate_refuse(c, way, label(p), &e);
		return 0;
	}
	c->n++;
	c->found = true;
	err = costs_put(c->costs, &row);
	if (err)
		error_set(&c->first, EXIT_KERNEL, err, NULL, NULL, "cannot calibrate");
	return err;
}

/* ---- all of them ---- */

static bool wanted(const struct calibration *c, const struct way *way)
{
	const struct calibrate_want *want = c->want;

	if (want->backend != SPEC_BACKEND_AUTO &&
	    strcmp(way->backend, want->backend == SPEC_BACKEND_MAP ? "map" : "kmod"))
		return false;
	if (want->backend == SPEC_BACKEND_AUTO && !strcmp(way->backend, "kmod") &&
	    !facts_has_module(c->facts, KSTATS_MODULE))
		return false;
	return !want->method || !strcmp(want->method, spec_method_names[way->method]);
}

static int try_way(void *ctx, const struct way *way)
{
	struct calibration *c = ctx;
	struct planned p;
	struct error e = {};
	int err = 0;

	if (!wanted(c, way))
		return 0;
	/* A way that trace itself refuses is left out. */
	if (!plan_way(&p, way, c->facts, &e))
		err = calibrate_measure_one(c, way, &p);
	else if (e.status != EXIT_USAGE)
		calibrate_refuse(c, way, NULL, &e);
	free_planned(&p);
	return err;
}

/* ---- those of a plan ---- */

static int try_label(void *ctx, const struct way *way)
{
	struct calibration *c = ctx;
	struct planned p;
	char pairing[COST_TEXT];
	int err = 0;

	if (c->found || strcmp(way->backend, c->backend) ||
	    loop_is_user(way->target) != c->want->plan->has_user)
		return 0;
	if (!plan_way(&p, way, c->facts, NULL) && !strcmp(label(&p), c->method) &&
	    !strcmp(cost_pairing(plan_pairing(&p.spec, pairing, sizeof(pairing))), c->pairing)) {
		if (c->watch)
			err = calibrate_measure_one(c, way, &p);
		else
			c->found = true;
	}
	free_planned(&p);
	return err;
}

/* In the module if the plan uses it and it works, else in the map. */
static int try_backends(struct calibration *c)
{
	const struct plan *plan = c->want->plan;
	int err = 0;

	c->found = false;
	c->backend = "kmod";
	if (plan->kmod)
		err = each_way(try_label, c);
	c->backend = "map";
	if (!err && !c->found && plan->map)
		err = each_way(try_label, c);
	return err;
}

/* The functions of a plan share their ways, so a refused method is tried only once. */
static bool was_refused(const struct calibration *c, const char *method)
{
	size_t i;

	for (i = 0; i < c->n_refused; i++)
		if (!strcmp(c->refused[i], method))
			return true;
	return false;
}

/* A probe uses the first of its ways that loads. */
static int try_probe(struct calibration *c, const struct plan_probe *probe)
{
	unsigned int w;
	int err = 0;

	for (w = 0; !err && w < probe->n_ways; w++) {
		c->method = probe->ways[w].method;
		if ((c->want->label && strcmp(c->want->label, c->method)) ||
		    was_refused(c, c->method))
			continue;
		if (costs_find(c->costs, c->method, "kmod", c->pairing) ||
		    costs_find(c->costs, c->method, "map", c->pairing))
			return 0;
		err = try_backends(c);
		if (c->found)
			break;
		if (c->n_refused < REFUSED_MAX)
			c->refused[c->n_refused++] = c->method;
	}
	return err;
}

static int try_plan(struct calibration *c)
{
	const struct plan *plan = c->want->plan;
	struct costs *all = c->costs, fresh = {};
	char pairing[COST_TEXT];
	uint32_t i;
	int err = 0;

	plan_pairing(plan->spec, pairing, sizeof(pairing));
	c->pairing = cost_pairing(pairing);
	c->costs = &fresh;
	for (i = 0; !err && i < plan->n_probes; i++)
		err = try_probe(c, &plan->probes[i]);
	if (!err)
		err = costs_put_all(all, &fresh);
	costs_free(&fresh);
	return err;
}

bool calibrate_can(struct facts *facts, const struct plan *plan)
{
	const struct calibrate_want want = { .plan = plan };
	struct calibration c = { .facts = facts,
				 .want = &want,
				 .method = plan->probes[0].ways[0].method,
				 .backend = plan->map ? "map" : "kmod" };
	char pairing[COST_TEXT];

	if (plan->spec->value || !plan->n_probes)
		return false;
	plan_pairing(plan->spec, pairing, sizeof(pairing));
	c.pairing = cost_pairing(pairing);
	each_way(try_label, &c);
	return c.found;
}

int calibrate_run(struct facts *facts, const struct calibrate_want *want,
		  const struct calibrate_watch *watch, struct costs *costs, struct error *e)
{
	struct calibration c = { .facts = facts, .want = want, .watch = watch, .costs = costs };
	int err = loop_open(&c.loop, e);

	if (!err) {
		err = want->plan ? try_plan(&c) : each_way(try_way, &c);
		if (err || (!c.n && c.first.err)) {
			/* Only the reason of the first refusal fits here. */
			err = error_set(e, EXIT_KERNEL, c.first.err, c.first.why,
					"see 'kstats-bpf doctor'", "cannot calibrate");
		} else if (!c.n) {
			err = error_set(e, EXIT_KERNEL, -EOPNOTSUPP,
					"this way of measuring cannot be calibrated",
					"see kstats-bpf-calibrate(8)", "cannot calibrate");
		}
	}
	loop_close(&c.loop);
	return err;
}
