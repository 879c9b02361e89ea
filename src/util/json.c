// SPDX-License-Identifier: GPL-2.0-only
/* json.c - writing JSON. */
#include "util/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/safe_str.h"

int json_add(struct json_object *to, const char *key, struct json_object *value)
{
	if (to && value &&
	    !json_object_object_add_ex(to, key, value, JSON_C_OBJECT_KEY_IS_CONSTANT))
		return 0;
	json_object_put(value);
	return -ENOMEM;
}

static struct json_object *make_text(const char *text)
{
	size_t size = 4 * strlen(text ? text : "") + 1;
	char *safe = malloc(size);
	struct json_object *o = NULL;

	if (safe)
		o = json_object_new_string(safe_str(safe, size, text));
	free(safe);
	return o;
}

int json_add_text(struct json_object *to, const char *key, const char *text)
{
	return json_add(to, key, make_text(text));
}

int json_add_u64(struct json_object *to, const char *key, uint64_t value)
{
	return json_add(to, key, json_object_new_uint64(value));
}

int json_push(struct json_object *to, struct json_object *value)
{
	if (to && value && !json_object_array_add(to, value))
		return 0;
	json_object_put(value);
	return -ENOMEM;
}

int json_push_text(struct json_object *to, const char *text)
{
	return json_push(to, make_text(text));
}

struct json_object *json_made(struct json_object *o, int err)
{
	if (!err)
		return o;
	json_object_put(o);
	return NULL;
}

int json_write_line(struct json_object *o, FILE *out)
{
	const char *text;

	text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							 JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text || fputs(text, out) == EOF || fputc('\n', out) == EOF)
		return -EIO;
	return 0;
}
