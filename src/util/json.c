// SPDX-License-Identifier: GPL-2.0-only
/* json.c - writing JSON. */
#include "util/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
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

int json_add_known(struct json_object *to, const char *key, const char *text)
{
	if (text)
		return json_add_text(to, key, text);
	/* A NULL value is how json-c has null. */
	return to && !json_object_object_add_ex(to, key, NULL, JSON_C_OBJECT_KEY_IS_CONSTANT)
		       ? 0
		       : -ENOMEM;
}

int json_add_u64(struct json_object *to, const char *key, uint64_t value)
{
	return json_add(to, key, json_object_new_uint64(value));
}

int json_add_double(struct json_object *to, const char *key, double value, int digits)
{
	char text[64];

	if (!isfinite(value))
		return 0;
	if (!digits)
		return json_add(to, key, json_object_new_double(value));
	snprintf(text, sizeof(text), "%.*g", digits, value);
	return json_add(to, key, json_object_new_double_s(value, text));
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

static int put_text(struct json_object *o, FILE *out)
{
	const char *text = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	return text && fputs(text, out) != EOF ? 0 : -EIO;
}

int json_write_line(struct json_object *o, FILE *out)
{
	return put_text(o, out) || fputc('\n', out) == EOF ? -EIO : 0;
}

/* ---- part by part ---- */

static void put_char(struct json_out *w, char c)
{
	if (!w->err && fputc(c, w->out) == EOF)
		w->err = -EIO;
}

/* @value: released */
static void put_value(struct json_out *w, struct json_object *value)
{
	if (!w->err)
		w->err = value ? put_text(value, w->out) : -ENOMEM;
	json_object_put(value);
}

static void put_key(struct json_out *w, const char *key)
{
	if (w->more)
		put_char(w, ',');
	w->more = true;
	if (key && !w->err && fprintf(w->out, "\"%s\":", key) < 0)
		w->err = -EIO;
}

void json_out_open(struct json_out *w, const char *key, char c)
{
	put_key(w, key);
	put_char(w, c);
	w->more = false;
}

void json_out_push(struct json_out *w, struct json_object *value)
{
	put_key(w, NULL);
	put_value(w, value);
}

void json_out_add(struct json_out *w, const char *key, struct json_object *value)
{
	put_key(w, key);
	put_value(w, value);
}

void json_out_text(struct json_out *w, const char *key, const char *text)
{
	json_out_add(w, key, make_text(text));
}

void json_out_u64(struct json_out *w, const char *key, uint64_t value)
{
	put_key(w, key);
	if (!w->err && fprintf(w->out, "%" PRIu64, value) < 0)
		w->err = -EIO;
}

void json_out_members(struct json_out *w, struct json_object *from)
{
	struct json_object_iter at;

	if (!from && !w->err)
		w->err = -ENOMEM;
	if (from)
		json_object_object_foreachC(from, at)
			json_out_add(w, at.key, json_object_get(at.val));
	json_object_put(from);
}

void json_out_close(struct json_out *w, char c)
{
	put_char(w, c);
	w->more = true;
}

int json_out_line(struct json_out *w)
{
	put_char(w, '\n');
	return w->err;
}
