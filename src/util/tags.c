// SPDX-License-Identifier: GPL-2.0-only
/* tags.c - tags of a recording. */
#include "util/tags.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool tags_key_ok(const char *key)
{
	size_t i;

	if (!isalpha((unsigned char)*key) && *key != '_')
		return false;
	for (i = 0; key[i]; i++)
		if (!isalnum((unsigned char)key[i]) && key[i] != '_')
			return false;
	return i <= TAGS_KEY_MAX;
}

static int refuse(const char *key, int err, const char *why, struct error *e)
{
	return error_set(e, err == -ENOMEM ? EXIT_KERNEL : EXIT_USAGE, err, why, NULL,
			 "cannot keep the tag '%s'", key);
}

/* The row of @key, or the row before which it belongs. */
static size_t tags_find(const struct tags *tags, const char *key, bool *found)
{
	size_t i;

	for (i = 0; i < tags->n && strcmp(tags->rows[i].key, key) < 0; i++)
		;
	*found = i < tags->n && !strcmp(tags->rows[i].key, key);
	return i;
}

static int insert(struct tags *tags, size_t i, const char *key, const char *value)
{
	struct tag tag = { strdup(key), strdup(value) }, *grown = NULL;

	if (tag.key && tag.value)
		grown = realloc(tags->rows, (tags->n + 1) * sizeof(*grown));
	if (!grown) {
		free(tag.key);
		free(tag.value);
		return -ENOMEM;
	}
	tags->rows = grown;
	memmove(grown + i + 1, grown + i, (tags->n++ - i) * sizeof(*grown));
	grown[i] = tag;
	return 0;
}

static int replace(struct tag *tag, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(tag->value);
	tag->value = copy;
	return 0;
}

int tags_set(struct tags *tags, const char *key, const char *value, struct error *e)
{
	bool found;
	size_t i;

	if (!tags_key_ok(key))
		return refuse(key, -EINVAL,
			      "a key has 1 to 63 letters, digits and _, the first no digit", e);
	i = tags_find(tags, key, &found);
	if (!found && tags->n == TAGS_MAX)
		return refuse(key, -E2BIG, "there are 64 already", e);
	if (found ? replace(&tags->rows[i], value) : insert(tags, i, key, value))
		return refuse(key, -ENOMEM, NULL, e);
	return 0;
}

int tags_copy(struct tags *to, const struct tags *from, struct error *e)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < from->n; i++)
		err = tags_set(to, from->rows[i].key, from->rows[i].value, e);
	return err;
}

int tags_set_word(struct tags *tags, const char *word, struct error *e)
{
	const char *equals = strchr(word, '=');
	char *key;
	int err;

	if (!equals)
		return error_set(e, EXIT_USAGE, -EINVAL, "it is not KEY=VALUE",
				 "write commit=1a2b3c or the like", "cannot use '%s' as a tag",
				 word);
	key = strndup(word, equals - word);
	if (!key)
		return refuse(word, -ENOMEM, NULL, e);
	err = tags_set(tags, key, equals + 1, e);
	free(key);
	return err;
}

const char *tags_get(const struct tags *tags, const char *key)
{
	bool found;
	size_t i = tags_find(tags, key, &found);

	return found ? tags->rows[i].value : NULL;
}

void tags_quote(FILE *out, const char *value)
{
	fputc('"', out);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', out);
		fputc(*value, out);
	}
	fputc('"', out);
}

void tags_free(struct tags *tags)
{
	size_t i;

	for (i = 0; i < tags->n; i++) {
		free(tags->rows[i].key);
		free(tags->rows[i].value);
	}
	free(tags->rows);
	*tags = (struct tags){};
}
