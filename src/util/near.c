// SPDX-License-Identifier: GPL-2.0-only
/* near.c - see near.h. */
#include "util/near.h"

#include <stdio.h>
#include <string.h>

#define LEN_MAX 64

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

void near_consider(struct nearest *near, const char *name)
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

char *near_words(const struct nearest *near, char *buf, size_t size)
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
