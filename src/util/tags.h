/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tags.h - keys and values that users attach to a recording. In: words or a file. Out: rows
 * sorted by key. Called by spec, recording, cmd/.
 */
#ifndef KSTATS_TAGS_H
#define KSTATS_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/error.h"

#define TAGS_MAX 64
#define TAGS_KEY_MAX 63 /* bytes of a key */

/** struct tag - one key and its value */
struct tag {
	char *key; /* owned; letters, digits and _, the first no digit */
	char *value; /* owned; any text */
};

/** struct tags - all tags; zero-filled if there are none */
struct tags {
	size_t n; /* number of @rows, at most TAGS_MAX */
	struct tag *rows; /* owned; keys ascend */
};

/** tags_set() - add a tag, or replace its value. Return: 0, -EINVAL, -E2BIG or -ENOMEM */
int tags_set(struct tags *tags, const char *key, const char *value, struct error *e);

/** tags_copy() - add all tags of another set; @e: may be NULL. Return: as tags_set() */
int tags_copy(struct tags *to, const struct tags *from, struct error *e);

/** tags_set_word() - add a tag given as one word; @word: "KEY=VALUE" */
int tags_set_word(struct tags *tags, const char *word, struct error *e);

/** tags_get() - the value of a tag. Return: its value, or NULL if there is no such tag */
const char *tags_get(const struct tags *tags, const char *key);

/** tags_key_ok() - whether a key is valid */
bool tags_key_ok(const char *key);

/** tags_quote() - write a value in quotes, so that it can be told where it ends */
void tags_quote(FILE *out, const char *value);

/** tags_free() - release; @tags may be zero-filled; is zero-filled afterwards */
void tags_free(struct tags *tags);

#endif /* KSTATS_TAGS_H */
