// SPDX-License-Identifier: GPL-2.0-only
/* near.c - the existing names that are nearest to a name that was not found. */
#include "facts/priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_MAX 5
#define LEN_MAX 64

struct near {
	const char *name;
	unsigned int distance;
};

struct nearest {
	const char *wanted;
	struct near best[NEAR_MAX];
	size_t n;
};

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edit distance, computed with two rows; returns @limit if it is @limit or more. */
static unsigned int distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int row[LEN_MAX + 1], last, above, least;
	size_t la = strlen(a), lb = strlen(b), i, j;

	if (la > LEN_MAX || lb > LEN_MAX || (la > lb ? la - lb : lb - la) >= limit)
		return limit;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		last = row[0];
		row[0] = least = i;
		for (j = 1; j <= lb; j++) {
			above = row[j];
			row[j] = min3(above + 1, row[j - 1] + 1, last + (a[i - 1] != b[j - 1]));
			last = above;
			if (row[j] < least)
				least = row[j];
		}
		if (least >= limit)
			return limit;
	}
	return row[lb];
}

/* A name that contains the wanted name is near too; shorter ones are nearer. */
static unsigned int likeness(const char *name, const char *wanted, unsigned int limit)
{
	unsigned int d = distance(wanted, name, limit < 5 ? limit : 5);

	if (d < limit && d < 5)
		return d;
	if (strlen(wanted) >= 4 && strstr(name, wanted))
		return 5 + strlen(name) - strlen(wanted);
	return limit;
}

static void consider(struct nearest *near, const char *name)
{
	unsigned int limit = near->n == NEAR_MAX ? near->best[NEAR_MAX - 1].distance : 30;
	unsigned int d = likeness(name, near->wanted, limit);
	size_t i;

	if (d >= limit)
		return;
	if (near->n < NEAR_MAX)
		near->n++;
	for (i = near->n - 1; i > 0 && near->best[i - 1].distance > d; i--)
		near->best[i] = near->best[i - 1];
	near->best[i] = (struct near){ name, d };
}

static char *words(const struct nearest *near, char *buf, size_t size)
{
	size_t i, at;

	buf[0] = '\0';
	for (i = 0; i < near->n; i++) {
		at = strlen(buf);
		snprintf(buf + at, size - at, "%s%s",
			 !i                 ? "did you mean "
			 : i + 1 == near->n ? " or "
					    : ", ",
			 near->best[i].name);
	}
	at = strlen(buf);
	if (near->n)
		snprintf(buf + at, size - at, "?");
	return buf;
}

/* Sorted first: of equally near names the first wins. */
static void consider_module(struct nearest *near, struct facts_module *m)
{
	size_t i;

	facts_btf_sort(m);
	for (i = 0; i < m->n_fns; i++)
		consider(near, m->fns[i].name);
}

/* Programs know a system call as "openat", or "sys_openat". */
static bool is_system_call(const struct facts *f, const char *name, char *buf, size_t size)
{
	char function[128];
	size_t i;

	snprintf(function, sizeof(function), "__x64_sys_%s",
		 name + (strncmp(name, "sys_", 4) ? 0 : 4));
	for (i = 0; i < f->kernel.n_fns && strcmp(f->kernel.fns[i].name, function); i++)
		;
	if (i == f->kernel.n_fns)
		return false;
	snprintf(buf, size,
		 "did you mean %s, or the tracepoints of all system calls, "
		 "tp:sys_enter and tp:sys_exit?",
		 function);
	return true;
}

char *facts_near_functions(struct facts *f, const char *name, char *buf, size_t size)
{
	struct nearest near = { .wanted = name };
	size_t m;

	if (is_system_call(f, name, buf, size))
		return buf;
	consider_module(&near, &f->kernel);
	for (m = 0; m < f->n_modules; m++)
		consider_module(&near, &f->modules[m]);
	return words(&near, buf, size);
}

char *facts_near_tracepoints(const struct facts *f, const char *name, char *buf, size_t size)
{
	struct nearest near = { .wanted = name };
	size_t i, m;

	for (i = 0; i < f->kernel.n_tps; i++)
		consider(&near, f->kernel.tps[i].name);
	for (m = 0; m < f->n_modules; m++)
		for (i = 0; i < f->modules[m].n_tps; i++)
			consider(&near, f->modules[m].tps[i].name);
	return words(&near, buf, size);
}

char *facts_near(struct facts *f, const char *name, char *buf, size_t size)
{
	if (!facts_near_functions(f, name, buf, size)[0])
		facts_near_tracepoints(f, name, buf, size);
	return buf;
}
