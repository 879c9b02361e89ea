// SPDX-License-Identifier: GPL-2.0-only
/*
 * points.c - the points of a pair: NAME, then its key in brackets, then "if" and a condition, like
 * 'tp:sched_switch[prev->pid] if prev_state == 0'.
 */
#include "spec/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IF " if "

static int points_wrong(struct error *e, const char *why, const char *next, const char *text)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use '%s'", text);
}

void spec_free_point(struct spec_point *p)
{
	free(p->module);
	free(p->name);
	free(p->key);
	free(p->condition);
	if (p->next)
		spec_free_point(p->next);
	free(p->next);
}

static int take_expr(struct expr **x, typeof(expr_parse) *parse, const char *what, const char *text,
		     struct error *e)
{
	*x = malloc(sizeof(**x));
	if (!*x)
		return error_no_memory(e, "cannot read the words");
	return parse(*x, what, text, e);
}

/* Where the key begins: the bracket that belongs to the last character; NULL: there is none. */
static char *find_key(char *text)
{
	size_t n = strlen(text);
	int depth = 0;

	if (!n || text[n - 1] != ']')
		return NULL;
	while (n--) {
		depth += text[n] == ']';
		depth -= text[n] == '[';
		if (!depth)
			return text + n;
	}
	return NULL;
}

static void trim_end(char *text)
{
	size_t n = strlen(text);

	while (n && text[n - 1] == ' ')
		text[--n] = '\0';
}

/* @text: a copy, which is cut. */
static int points_read(struct spec_point *p, char *text, struct error *e)
{
	char *condition = strstr(text, IF), *key;
	int err = 0;

	if (condition) {
		*condition = '\0';
		err = take_expr(&p->condition, expr_parse, "the condition of a point",
				condition + strlen(IF), e);
	}
	trim_end(text);
	key = find_key(text);
	if (!err && key) {
		key[strlen(key) - 1] = '\0';
		*key++ = '\0';
		trim_end(text);
		err = take_expr(&p->key, expr_parse_key, "the key of a point", key, e);
	}
	return err ? err : spec_set_point(p, text, false, e);
}

int spec_add_point(struct spec_point *p, const char *text, struct error *e)
{
	char *copy;
	int err;

	while (p->kind != SPEC_NONE && p->next)
		p = p->next;
	if (p->kind != SPEC_NONE) {
		p->next = calloc(1, sizeof(*p->next));
		p = p->next;
	}
	copy = strdup(text);
	if (!p || !copy) {
		free(copy);
		return error_no_memory(e, "cannot read the words");
	}
	err = points_read(p, copy, e);
	free(copy);
	return err;
}

/* ---- all of them ---- */

static bool is_alone(const struct spec_point *p)
{
	return !p->next && !p->condition && !p->key;
}

bool spec_is_several(const struct spec *spec)
{
	return spec->first || spec->cancel.kind != SPEC_NONE || spec->via.kind != SPEC_NONE ||
	       !is_alone(&spec->start) || !is_alone(&spec->end);
}

static bool any_is(const struct spec_point *p, enum spec_point_kind kind)
{
	for (; p; p = p->next)
		if (p->kind == kind)
			return true;
	return false;
}

bool spec_has_kind(const struct spec *spec, enum spec_point_kind kind)
{
	return any_is(&spec->start, kind) || any_is(&spec->end, kind) ||
	       any_is(&spec->cancel, kind) || any_is(&spec->via, kind) || spec->at.kind == kind;
}

static const struct spec_point *without_key(const struct spec_point *p)
{
	while (p && (p->key || p->kind == SPEC_NONE))
		p = p->next;
	return p;
}

static bool any_has_key(const struct spec_point *p)
{
	for (; p; p = p->next)
		if (p->key)
			return true;
	return false;
}

/* Either all points are joined by a key, or none. */
static int check_point_keys(struct spec *spec, struct error *e)
{
	const struct spec_point *bare;

	if (!any_has_key(&spec->start) && !any_has_key(&spec->end) && !any_has_key(&spec->cancel) &&
	    !any_has_key(&spec->via))
		return 0;
	bare = without_key(&spec->start);
	bare = bare ? bare : without_key(&spec->end);
	bare = bare ? bare : without_key(&spec->cancel);
	bare = bare ? bare : without_key(&spec->via);
	if (bare && !spec->by_key)
		return points_wrong(e, "other points have a key, and this one has none",
				    "write NAME[KEY], or give --key for all that have none",
				    bare->name);
	spec->by_key = true;
	return 0;
}

static int check_point_number(const struct spec *spec, struct error *e)
{
	const struct spec_point *lists[] = { &spec->start, &spec->end, &spec->cancel, &spec->via };
	const struct spec_point *p;
	unsigned int n = 0, i;

	for (i = 0; i < 4; i++)
		for (p = lists[i]; p; p = p->next)
			n += p->kind != SPEC_NONE;
	if (n <= KSTATS_POINTS_MAX)
		return 0;
	return error_set(e, EXIT_USAGE, -E2BIG, "a pair has up to 16",
			 "name fewer, or measure twice", "cannot use %u points", n);
}

static int check_several(const struct spec *spec, struct error *e)
{
	if (spec->start.kind == SPEC_NONE || spec->end.kind == SPEC_NONE)
		return error_set(e, EXIT_USAGE, -EINVAL, "it is about the points of a pair",
				 "name the pair with --start and --end", "cannot use %s",
				 spec->cancel.kind != SPEC_NONE ? "--cancel"
				 : spec->via.kind != SPEC_NONE  ? "--via"
				 : spec->first                  ? "--first"
								: "one point alone");
	if (spec->gap)
		return error_set(e, EXIT_USAGE, -EINVAL, "a gap lies between one end and one start",
				 "leave one out",
				 "cannot combine --gap with several points or conditions");
	if (spec->method == SPEC_METHOD_TRACE_EVENT)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "its programs tell no points of a pair apart",
				 "leave out --method trace-event",
				 "cannot combine --method trace-event with several points");
	return 0;
}

/* A pair with one start and one end needs no more than --key. */
static void take_keys(struct spec *spec)
{
	const struct spec_point *start = &spec->start, *end = &spec->end;

	if (spec->first || spec->cancel.kind != SPEC_NONE || spec->via.kind != SPEC_NONE ||
	    start->next || end->next || start->condition || end->condition || !start->key ||
	    !end->key)
		return;
	free(spec->keys[0]);
	free(spec->keys[1]);
	spec->keys[0] = spec->start.key;
	spec->keys[1] = spec->end.key;
	spec->start.key = spec->end.key = NULL;
	if (spec_has_user(spec) || !spec_is_argument(spec->keys[0]->text, &spec->key_start) ||
	    !spec_is_argument(spec->keys[1]->text, &spec->key_end))
		return;
	/* Programs read arguments themselves, in fewer instructions than an expression takes. */
	free(spec->keys[0]);
	free(spec->keys[1]);
	spec->keys[0] = spec->keys[1] = NULL;
}

int spec_check_points(struct spec *spec, struct error *e)
{
	int err = check_point_number(spec, e);

	if (!err)
		err = check_point_keys(spec, e);
	if (err)
		return err;
	take_keys(spec);
	return spec_is_several(spec) ? check_several(spec, e) : 0;
}
