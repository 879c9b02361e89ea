// SPDX-License-Identifier: GPL-2.0-only
/* user.c - points in programs and libraries, and the ways to hook them. */
#include "plan/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what they own ---- */

int plan_places_copy(struct plan_places *to, const struct plan_places *from)
{
	if (!from->path)
		return 0;
	*to = *from;
	to->path = strdup(from->path);
	to->offsets = calloc(from->n, sizeof(*to->offsets));
	if (!to->path || !to->offsets)
		return -ENOMEM;
	memcpy(to->offsets, from->offsets, from->n * sizeof(*to->offsets));
	return 0;
}

void plan_places_free(struct plan_places *p)
{
	free(p->path);
	free(p->offsets);
	*p = (struct plan_places){};
}

void plan_user_free(struct plan_user *u)
{
	free(u->name);
	free(u->binary);
	free(u->arguments);
	plan_places_free(&u->places);
	*u = (struct plan_user){};
}

/* ---- looking up ---- */

static int user_refuse(const struct spec_point *sp, const char *name, const char *why,
		       struct error *e)
{
	return error_set(e, EXIT_USAGE, -EOPNOTSUPP, why,
			 "'kstats-bpf list u:BINARY' shows what can be traced",
			 "cannot trace '%s' of '%s'", name, sp->module);
}

static int refuse_function(const struct spec_point *sp, const struct user_binary *b,
			   const struct user_symbol *s, const char *why, struct error *e)
{
	char next[384] = "";

	if (strstr(why, "IFUNC"))
		user_variants(b, s, next, sizeof(next));
	if (!*next)
		return user_refuse(sp, s->shown, why, e);
	return error_set(e, EXIT_USAGE, -EOPNOTSUPP, why, next, "cannot trace '%s' of '%s'",
			 s->shown, sp->module);
}

/* @sp: a point; of the command's own program, it gets the path, which the caller frees. */
static struct user_binary *open_binary(const struct spec *spec, struct spec_point *sp, char **own,
				       struct error *e)
{
	const struct spec_who *who = &spec->who;
	char *program;

	*own = NULL;
	if (strcmp(sp->module, SPEC_OWN))
		return user_open(sp->module, who->n_pids == 1 ? who->pids[0] : 0, e);
	program = spec_program(spec, e);
	*own = program ? user_program(program, e) : NULL;
	free(program);
	if (!*own)
		return NULL;
	sp->module = *own;
	return user_open(*own, 0, e);
}

/* @like: places, with the path, to be copied. */
static int fill(struct plan_user *u, const struct spec *spec, const struct spec_point *sp,
		const char *name, const struct plan_places *like)
{
	*u = (struct plan_user){ .name = strdup(name), .binary = strdup(sp->module) };
	if (!u->name || !u->binary || plan_places_copy(&u->places, like))
		return -ENOMEM;
	if (spec->who.n_pids == 1 && (!spec->command || spec->all))
		u->places.pid = spec->who.pids[0];
	return 0;
}

static bool asks_names(const struct spec *spec)
{
	return spec->condition || spec->value || spec->keys[0] || spec->n_by || spec->n_show ||
	       spec_is_several(spec);
}

static int fill_function(struct plan_user *u, const struct spec *spec, const struct spec_point *sp,
			 struct user_binary *b, const struct user_symbol *s)
{
	uint64_t offset = s->offset;
	const struct plan_places like = {
		.path = (char *)user_path(b), .file = *user_which(b), .offsets = &offset, .n = 1
	};

	if (fill(u, spec, sp, s->shown, &like))
		return -ENOMEM;
	u->first = s->first;
	u->breaks = user_breaks(b);
	if (!asks_names(spec))
		return 0;
	u->n_params = user_params(b, s, u->params);
	u->ret = user_return(b, s);
	return 0;
}

static int find_mark(const struct spec *spec, const struct spec_point *sp, struct plan_user *u,
		     const struct user_binary *b, struct error *e)
{
	const struct user_mark *m = user_find_mark(b, sp->name, e);
	struct plan_places like;
	char name[512];
	int err;

	if (!m)
		return -ENOENT;
	if (m->refused)
		return user_refuse(sp, sp->name, m->refused, e);
	like = (struct plan_places){ .path = (char *)user_path(b),
				     .file = *user_which(b),
				     .offsets = m->offsets,
				     .n = m->n,
				     .semaphore = m->semaphore };
	snprintf(name, sizeof(name), "%s:%s", m->provider, m->name);
	err = fill(u, spec, sp, name, &like);
	u->first = m->first;
	u->is_uniform = m->is_uniform;
	u->arguments = strdup(m->arguments);
	return u->arguments ? err : -ENOMEM;
}

static int check_return(const struct spec *spec, const struct spec_point *t,
			const struct user_binary *b, struct error *e)
{
	const char *why = user_breaks(b);

	if (!why || spec->throws)
		return 0;
	return error_set(e, EXIT_USAGE, -EOPNOTSUPP, why,
			 "measure between two points with --start and --end, or record a value at "
			 "its entry with --value, or add --throws if the program may end",
			 "cannot trace '%s' of '%s'", t->name, t->module);
}

int plan_user_find(const struct spec *spec, const struct spec_point *sp, struct plan_point *p,
		   struct error *e)
{
	struct spec_point point = *sp;
	char *own;
	struct user_binary *b = open_binary(spec, &point, &own, e);
	const struct user_symbol *s;
	int err = -ENOENT;

	if (b && sp->kind == SPEC_USER_MARK) {
		err = find_mark(spec, &point, &p->user, b, e);
	} else if (b) {
		s = user_find(b, sp->name, e);
		if (s && s->refused)
			err = refuse_function(&point, b, s, s->refused, e);
		else if (s && spec->at_return && check_return(spec, &point, b, e))
			err = -EOPNOTSUPP;
		else if (s)
			err = fill_function(&p->user, spec, &point, b, s);
	}
	user_close(b);
	free(own);
	return err;
}

/* ---- the functions that a target names ---- */

static int list_add(struct plan_list *l, const struct spec *spec, const struct spec_point *t,
		    struct user_binary *b, const struct user_symbol *s)
{
	struct plan_user *grown;
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->users[i].places.offsets[0] == s->offset &&
		    !strcmp(l->users[i].places.path, user_path(b)))
			return 0;
	grown = realloc(l->users, (l->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	l->users = grown;
	grown[l->n] = (struct plan_user){};
	return fill_function(&grown[l->n++], spec, t, b, s);
}

static int list_glob(struct plan_list *l, const struct spec *spec, const struct spec_point *t,
		     struct user_binary *b, struct error *e)
{
	const struct user_symbol *s;
	size_t n, before = l->n, i;
	int err = 0;

	s = user_symbols(b, &n);
	for (i = 0; !err && i < n; i++, s++) {
		if (!user_matches(s, t->name))
			continue;
		if (s->refused || s->no_return)
			l->n_skipped++;
		else
			err = list_add(l, spec, t, b, s);
	}
	if (err || l->n > before)
		return err;
	return error_set(e, EXIT_USAGE, -ENOENT,
			 l->n_skipped     ? "those that match cannot be traced"
			 : *user_lacks(b) ? user_lacks(b)
					  : "no function matches",
			 "'kstats-bpf list u:BINARY' shows what can be traced",
			 "cannot trace '%s' of '%s'", t->name, t->module);
}

static int list_one(struct plan_list *l, const struct spec *spec, const struct spec_point *t,
		    struct user_binary *b, struct error *e)
{
	const struct user_symbol *s = user_find(b, t->name, e);

	if (!s)
		return -ENOENT;
	if (s->refused || s->no_return)
		return refuse_function(t, b, s, s->refused ? s->refused : s->no_return, e);
	return list_add(l, spec, t, b, s);
}

/* A name that is there as it is, such as operator*, is no glob. */
static bool is_glob(const struct user_binary *b, const char *name)
{
	return strpbrk(name, "*?[") && !user_find(b, name, NULL);
}

int plan_list_user(struct plan_list *l, const struct spec *spec, const struct spec_point *t,
		   struct error *e)
{
	struct spec_point point = *t;
	char *own;
	struct user_binary *b = open_binary(spec, &point, &own, e);
	int err = -ENOENT;

	if (b)
		err = check_return(spec, &point, b, e);
	if (b && !err)
		err = is_glob(b, t->name) ? list_glob(l, spec, &point, b, e)
					  : list_one(l, spec, &point, b, e);
	user_close(b);
	free(own);
	return err;
}

/* ---- what expressions see ---- */

static struct expr_place user_place_of(const struct user_argument *a)
{
	static const enum expr_where where[] = {
		[USER_NOWHERE] = EXPR_NOWHERE,
		[USER_IN_REGISTER] = EXPR_IN_REGISTER,
		[USER_IN_MEMORY] = EXPR_IN_MEMORY,
		[USER_IS_NUMBER] = EXPR_IS_NUMBER,
	};

	int unused = 64 - 8 * a->bytes;
	uint64_t number = a->number;

	/* Assemblers write numbers with or without sign; the width decides how many bits count. */
	if (a->where == USER_IS_NUMBER)
		number = a->is_signed ? (uint64_t)((int64_t)(number << unused) >> unused)
				      : number << unused >> unused;
	return (struct expr_place){ .where = where[a->where],
				    .bytes = a->bytes,
				    .is_signed = a->is_signed,
				    .at = a->at,
				    .number = number };
}

static struct expr_param param_of(const struct user_param *p)
{
	struct expr_param param = { .place = { .where = p->at < 0 ? EXPR_NOWHERE : EXPR_IN_REGISTER,
					       .bytes = p->bytes,
					       .is_signed = p->is_signed,
					       .at = p->at } };

	snprintf(param.name, sizeof(param.name), "%s", p->name);
	return param;
}

static void point_return(const struct user_return *ret, struct expr_point *out)
{
	if (ret->is == USER_RETURNS_NUMBER) {
		out->ret_bytes = ret->bytes;
		out->ret_signed = ret->is_signed;
	} else if (ret->is == USER_RETURNS_FLOAT) {
		out->no_ret = "a floating-point number, which is in a register that cannot be read";
	} else if (ret->is == USER_RETURNS_NOTHING) {
		out->no_ret = "nothing";
	}
}

/*
 * No types are known of a function: arg0 to arg5 are what the calling convention has in registers
 * for numbers and pointers. With debug information its parameters also have names,
 * widths and signs, and the return value its width and sign. Those of a static probe are where the
 * compiler left them. If that differs between its places, one program cannot read them at all.
 */
void plan_user_point(const struct plan_point *p, struct expr_point *out)
{
	struct user_argument a;
	size_t i;

	*out = (struct expr_point){ .has_places = p->kind == SPEC_USER_MARK,
				    .no_names = user_params_never() };
	snprintf(out->name, sizeof(out->name), "%s", p->user.name);
	for (i = 0; i < p->user.n_params; i++)
		out->params[out->n_params++] = param_of(&p->user.params[i]);
	point_return(&p->user.ret, out);
	if (!out->has_places)
		return;
	for (;
	     out->n_params < EXPR_PARAMS_MAX && user_argument(p->user.arguments, out->n_params, &a);
	     out->n_params++)
		if (p->user.is_uniform)
			out->params[out->n_params].place = user_place_of(&a);
}

/* ---- the ways ---- */

int plan_check_user(const struct spec *spec, struct error *e)
{
	bool all = spec->n_targets && spec_has_user(spec);

	if (all && spec->method != SPEC_METHOD_AUTO && !plan_is_for_user(spec->method))
		return error_set(e, EXIT_USAGE, -EINVAL, "it is for functions of the kernel",
				 "leave out --method", "cannot use method %s",
				 spec_method_names[spec->method]);
	return 0;
}

/*
 * The name of a method tells the first instruction, in the order of enum user_first, since floor
 * and overhead depend on it.
 */
#define NAMES(m)                                                                                \
	{                                                                                       \
		m ", single-stepped", m " on nop", m " on long nop", m " on push", m " on jump" \
	}

/*
 * The methods for a function, the best first. For one process alone perf events come before a
 * link for many places: up to 6.9 such a link takes only one thread of a process.
 */
static const struct user_way {
	enum spec_method method;
	const char *names[USER_FIRSTS]; /* by enum user_first */
	const char *merged; /* of functions that may begin differently */
	enum plan_hook_type start;
	enum plan_hook_type end;
} user_ways[] = {
	{ SPEC_METHOD_UPROBE_SESSION, NAMES("uprobe session"), "uprobe session",
	  PLAN_UPROBE_SESSION, PLAN_UPROBE_SESSION },
	{ SPEC_METHOD_UPROBE_MULTI, NAMES("uprobe multi"), "uprobe multi", PLAN_UPROBE_MULTI,
	  PLAN_URETPROBE_MULTI },
	{ SPEC_METHOD_UPROBE, NAMES("uprobe/uretprobe"), "uprobe/uretprobe", PLAN_UPROBE,
	  PLAN_URETPROBE },
};

/*
 * A session has one cookie of 64 bits for each call. With a key in it, too few bits are left to
 * recognise the stack frame, so calls of two coroutines could be mixed up.
 */
static bool user_is_wanted(const struct plan *plan, const struct user_way *u)
{
	if (plan->spec->method != SPEC_METHOD_AUTO)
		return plan->spec->method == u->method;
	if (plan_is_point(plan))
		return u->method != SPEC_METHOD_UPROBE_SESSION;
	return u->method != SPEC_METHOD_UPROBE_SESSION ||
	       (plan->session != FACTS_NO_SESSION && !plan->by.at_start &&
		!spec_asks_switches(plan->spec));
}

bool plan_takes_many_user(const struct plan *plan)
{
	return plan_has(plan, FACTS_LINKS_UPROBES) && plan->spec->method != SPEC_METHOD_UPROBE &&
	       !plan->spec->stays && !plan_is_point(plan);
}

/* Types are not known, so an expression reads the same registers in all functions. */
bool plan_shares_link(const struct plan *plan, const struct plan_way *way)
{
	if (way->start.type == PLAN_KPROBE_SESSION)
		return true;
	return plan->n_calls > PLAN_MANY && plan_takes_many_user(plan) &&
	       (way->start.type == PLAN_UPROBE_SESSION || way->start.type == PLAN_UPROBE_MULTI);
}

bool plan_with(const struct plan_way *a, const struct plan_way *b)
{
	const char *x = a->start.places.path, *y = b->start.places.path;

	return a->start.type == b->start.type && (x && y ? !strcmp(x, y) : x == y);
}

int plan_user_ways(const struct plan *plan, struct plan_probe *probe, const struct plan_point *p)
{
	static const int orders[2][3] = { { 0, 1, 2 }, { 0, 2, 1 } };
	bool by_link = plan->n_calls > PLAN_MANY && plan_takes_many_user(plan);
	const int *order = orders[p->user.places.pid && !by_link];
	bool merged = plan->spec->merge && plan->n_calls > 1;
	const struct user_way *u;
	struct plan_way *way;
	int i, err = 0;

	for (i = 0; !err && i < 3; i++) {
		u = &user_ways[order[i]];
		if (!user_is_wanted(plan, u))
			continue;
		way = &probe->ways[probe->n_ways++];
		way->method = merged ? u->merged : u->names[p->user.first];
		way->start.type = u->start;
		way->end.type = u->end;
		if (plan_is_point(plan)) {
			way->start.type = way->end.type = plan->spec->at_return ? u->end : u->start;
			way->method = plan_types[way->start.type].label;
		}
		err = plan_way_make(plan, way, probe->node, p, p);
	}
	if (err)
		return err;
	probe->reason = strdup(plan->spec->method != SPEC_METHOD_AUTO ? "asked for by --method"
			       : by_link ? "one link hooks many functions at once"
					 : "first choice");
	return probe->reason ? 0 : -ENOMEM;
}
