// SPDX-License-Identifier: GPL-2.0-only
/* buckets.c - see buckets.h. */
#include "util/buckets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kstats_slot.h"
#include "util/units.h"

#define USUAL_BITS 2
#define USUAL_FROM_NS 100
#define USUAL_TO_NS 10000000000

uint64_t buckets_bound(const struct buckets *b, uint32_t i)
{
	return kstats_slot_last(i, b->bits);
}

/* @from is above 0, so there is a slot below its own. */
static void buckets_set_range(struct buckets *b, uint64_t from_ns, uint64_t to_ns)
{
	b->first = kstats_slot_index(from_ns, b->bits);
	if (buckets_bound(b, b->first) > from_ns)
		b->first--;
	b->last = kstats_slot_index(to_ns, b->bits);
}

struct buckets buckets_or_usual(const struct buckets *b)
{
	struct buckets usual = { .bits = USUAL_BITS };

	buckets_set_range(&usual, USUAL_FROM_NS, USUAL_TO_NS);
	return b->given ? *b : usual;
}

/* ---- words ---- */

static const char *read_bits(const char *text, uint32_t *bits)
{
	char number[8];

	for (*bits = 0; *bits <= KSTATS_BITS_MAX; ++*bits) {
		snprintf(number, sizeof(number), "%u", 1U << *bits);
		if (!strcmp(text, number))
			return NULL;
	}
	return "a power of two has 1, 2, 4, 8, 16 or 32 bounds";
}

static const char *read_range(const char *from, const char *to, struct buckets *b)
{
	uint64_t from_ns, to_ns;

	if (units_parse_duration(from, 1, &from_ns) || units_parse_duration(to, 1, &to_ns) ||
	    !from_ns)
		return "a range is of two times above 0, like 1us..1s";
	if (from_ns >= to_ns)
		return "the first time of the range is not below the second";
	buckets_set_range(b, from_ns, to_ns);
	return NULL;
}

/* Returns what is wrong, or NULL. The text is cut at its separators. */
static const char *read_words(char *text, struct buckets *b)
{
	char *to = strstr(text, ".."), *number = to ? strchr(to, '/') : text;
	const char *why;

	b->bits = USUAL_BITS;
	if (to)
		*to = '\0';
	if (to && number)
		*number++ = '\0';
	why = number ? read_bits(number, &b->bits) : NULL;
	buckets_set_range(b, USUAL_FROM_NS, USUAL_TO_NS);
	return why || !to ? why : read_range(text, to + 2, b);
}

int buckets_set(void *to, const char *word, struct error *e)
{
	struct buckets b = { .given = true };
	char *text = strdup(word);
	const char *why;

	if (!text)
		return error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot read --buckets");
	why = read_words(text, &b);
	free(text);
	if (why)
		return error_set(e, EXIT_USAGE, -EINVAL, why, "it is like 8, 1us..1s or 1us..1s/8",
				 "cannot use '%s' for --buckets", word);
	*(struct buckets *)to = b;
	return 0;
}
