// SPDX-License-Identifier: GPL-2.0-only
/*
 * event.c - which tracepoints have a trace event, and the number of each event.
 *
 * An event has the name of its tracepoint. If several events have the same name, none is
 * used, since nothing tells which of them belongs to the tracepoint.
 */
#include "facts/priv.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACEFS "/sys/kernel/tracing/"
#define SUBSYSTEM_MAX 64

static char *read_events(const char *root, int *err)
{
	char path[4400], *text = NULL;
	size_t size = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s" TRACEFS "available_events", root);
	in = fopen(path, "re");
	if (!in) {
		*err = -errno;
		return NULL;
	}
	/* Reads the whole file: it contains no NUL byte. */
	if (getdelim(&text, &size, '\0', in) < 0) {
		*err = ferror(in) ? -errno : -ENOENT;
		free(text);
		text = NULL;
	}
	fclose(in);
	return text;
}

/* Find the next line that ends with the name, such as "sched:sched_switch". */
static const char *next_line(const char *text, const char *name)
{
	const char *at, *end;

	for (at = strstr(text, name); at; at = strstr(at + 1, name)) {
		end = at + strlen(name);
		if (at > text && at[-1] == ':' && (!*end || *end == '\n'))
			return at;
	}
	return NULL;
}

/* Of the line whose name is at @at. */
static void read_subsystem(const char *text, const char *at, char subsystem[SUBSYSTEM_MAX])
{
	const char *begin = at - 1;

	while (begin > text && begin[-1] != '\n')
		begin--;
	snprintf(subsystem, SUBSYSTEM_MAX, "%.*s", (int)(at - 1 - begin), begin);
}

static int event_find_event(const char *text, const char *name, char subsystem[SUBSYSTEM_MAX])
{
	const char *at = next_line(text, name);

	if (!at)
		return -ENOENT;
	if (next_line(at, name))
		return -ENOTUNIQ;
	read_subsystem(text, at, subsystem);
	return 0;
}

static int event_read_id(const char *root, const char *subsystem, const char *name)
{
	char path[4600];
	int id, n;
	FILE *in;

	snprintf(path, sizeof(path), "%s" TRACEFS "events/%s/%s/id", root, subsystem, name);
	in = fopen(path, "re");
	if (!in)
		return -errno;
	n = fscanf(in, "%d", &id);
	fclose(in);
	return n == 1 && id > 0 ? id : -EINVAL;
}

int facts_event_id(const char *root, const char *name)
{
	char subsystem[SUBSYSTEM_MAX];
	int err = 0;
	char *text = read_events(!strcmp(root, "/") ? "" : root, &err);

	if (text)
		err = event_find_event(text, name, subsystem);
	free(text);
	return err ? err : event_read_id(root, subsystem, name);
}

/* The list of all events, read once. */
static const char *event_all_events(struct facts *f)
{
	if (!f->events && !f->events_err)
		f->events = read_events(f->root, &f->events_err);
	return f->events;
}

int facts_in_subsystem(struct facts *f, const char *name, const char *subsystem)
{
	const char *text = event_all_events(f), *at;
	char word[SUBSYSTEM_MAX];

	if (!text)
		return f->events_err;
	for (at = next_line(text, name); at; at = next_line(at, name)) {
		read_subsystem(text, at, word);
		if (!fnmatch(subsystem, word, 0))
			return 1;
	}
	return 0;
}

const char *facts_no_event(struct facts *f, const char *name)
{
	char subsystem[SUBSYSTEM_MAX];
	int err;

	event_all_events(f);
	err = f->events ? event_find_event(f->events, name, subsystem) : f->events_err;
	if (!err)
		return NULL;
	if (!f->events)
		return "the list of trace events in tracefs cannot be read";
	return err == -ENOTUNIQ ? "several trace events have the name of the tracepoint"
				: "the tracepoint has no trace event";
}
