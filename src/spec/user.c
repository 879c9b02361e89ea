// SPDX-License-Identifier: GPL-2.0-only
/* user.c - points in programs: u:BINARY:FUNCTION and usdt:BINARY:PROVIDER:NAME. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spec/priv.h"

#define FUNCTION_PREFIX "u:"
#define MARK_PREFIX "usdt:"
#define NAME_MOST 255

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool is_printable(const char *s)
{
	for (; *s; s++)
		if (iscntrl((unsigned char)*s))
			return false;
	return true;
}

int spec_set_user_point(struct spec_point *p, const char *text, struct error *e)
{
	bool mark = starts_with(text, MARK_PREFIX);
	const char *binary = text + strlen(mark ? MARK_PREFIX : FUNCTION_PREFIX), *name;

	if (!mark && !starts_with(text, FUNCTION_PREFIX))
		return 0;
	p->kind = mark ? SPEC_USER_MARK : SPEC_USER_FUNCTION;
	name = strchr(binary, ':');
	if (!name || name == binary || !name[1] || strlen(name + 1) > NAME_MOST ||
	    !is_printable(text))
		return error_set(e, EXIT_USAGE, -EINVAL,
				 mark ? "a static probe has a binary and a name"
				      : "a function of a program has a binary and a name",
				 mark ? "write usdt:BINARY:NAME, or usdt:BINARY:PROVIDER:NAME"
				      : "write u:BINARY:FUNCTION",
				 "cannot use '%s'", text);
	p->module = strndup(binary, name - binary);
	p->name = strdup(name + 1);
	return p->module && p->name ? 1 : error_no_memory(e, "cannot read the words");
}

static void user_plain_name(const char *name, char *buf, size_t size)
{
	snprintf(buf, size, "%s", name);
	for (; *buf; buf++)
		if (!isalnum((unsigned char)*buf) && !strchr("_.-:", *buf))
			*buf = '_';
}

void spec_user_name(const struct spec_point *p, char *buf, size_t size)
{
	if (p->kind == SPEC_USER_MARK && strchr(p->name, ':'))
		user_plain_name(strchr(p->name, ':') + 1, buf, size);
	else if (spec_is_user(p->kind))
		user_plain_name(p->name, buf, size);
	else
		snprintf(buf, size, "%s", p->name);
}

void spec_target_name(const char *target, char *buf, size_t size)
{
	const char *binary = target + strlen(FUNCTION_PREFIX);

	if (starts_with(target, FUNCTION_PREFIX) && strchr(binary, ':'))
		user_plain_name(strchr(binary, ':') + 1, buf, size);
	else
		snprintf(buf, size, "%s", target);
}

bool spec_has_user(const struct spec *spec)
{
	size_t i;

	for (i = 0; i < spec->n_targets; i++)
		if (spec_is_user(spec->targets[i].kind))
			return true;
	return spec_has_kind(spec, SPEC_USER_FUNCTION) || spec_has_kind(spec, SPEC_USER_MARK);
}

/* What the programs on user functions cannot do: half a sentence, or NULL. */
static const char *option_amiss(const struct spec *spec, const char **option)
{
	*option = "--key cpu";
	if (spec->per_cpu)
		return "a program may go on on another CPU";
	*option = "--method fast";
	if (spec->fast)
		return "no method loses calls there";
	return NULL;
}

/* An argument of a static probe has a place and a type, which only an expression knows. */
int spec_name_keys(struct spec *spec, struct error *e)
{
	char text[16];

	if (!spec->by_key || spec->keys[0] || !(spec_has_user(spec) || spec_is_several(spec)))
		return 0;
	snprintf(text, sizeof(text), "arg%d", spec->key_start);
	return spec_set_keys(spec, text, e);
}

int spec_check_user(const struct spec *spec, struct error *e)
{
	const char *option, *why;
	size_t i;

	if (!spec_has_user(spec))
		return 0;
	for (i = 0; i < spec->n_targets; i++)
		if (!spec_is_user(spec->targets[i].kind))
			return error_set(e, EXIT_USAGE, -EINVAL,
					 "one run measures functions of programs or of the kernel",
					 "measure them in two runs", "cannot use '%s'",
					 spec->targets[i].name);
	why = option_amiss(spec, &option);
	if (!why)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, why, "leave it out",
			 "cannot use %s with a point in a program", option);
}
