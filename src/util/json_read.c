// SPDX-License-Identifier: GPL-2.0-only
/* json_read.c - reading JSON that is not trusted. */
#include "util/json_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/safe_str.h"

/* Limits on the input, checked before memory is allocated for it. */
#define JSON_BYTES_MAX (64U << 20)
#define JSON_VALUES_MAX (16U << 20)
#define JSON_OBJECTS_MAX (1U << 20) /* each takes more than half a KiB of memory */
#define JSON_DEPTH_MAX 8

int json_bad(struct error *e, const char *what, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, what);
	vsnprintf(why, sizeof(why), what, ap);
	va_end(ap);
	return error_set(e, EXIT_USAGE, -EINVAL, why, "give a file that kstats-bpf has saved",
			 "cannot read the file");
}

/* ---- the text ---- */

/* Checked here, since json-c accepts surrogates and numbers above the last character. */
static int check_utf8(const char *text, struct error *e)
{
	const char *p;
	size_t n;

	for (p = text; *p; p += n) {
		n = (unsigned char)*p < 0x80 ? 1 : safe_utf8(p);
		if (!n)
			return json_bad(e, "it is not UTF-8 at byte %zu", (size_t)(p - text));
	}
	return 0;
}

static int read_all(FILE *in, char **text, size_t *len, struct error *e)
{
	size_t size = 0, got;
	char *more;

	do {
		size = size ? 2 * size : 65536;
		more = realloc(*text, size);
		if (!more)
			return error_no_memory(e, "cannot read the file");
		*text = more;
		got = fread(*text + *len, 1, size - *len, in);
		*len += got;
	} while (*len == size && *len <= JSON_BYTES_MAX);
	if (ferror(in))
		return error_set(e, EXIT_USAGE, -EIO, NULL, NULL, "cannot read the file");
	if (*len > JSON_BYTES_MAX)
		return json_bad(e, "it is larger than %u MiB", JSON_BYTES_MAX >> 20);
	if (!*len)
		return json_bad(e, "it is empty");
	(*text)[*len] = '\0';
	if (memchr(*text, '\0', *len))
		return json_bad(e, "it is not text");
	return check_utf8(*text, e);
}

/* What the text contains, counted before memory is allocated for it. */
struct scan {
	size_t members;
	size_t values;
	size_t objects;
	bool too_large; /* a number that json-c would silently limit to 64 bits */
	bool apostrophe; /* which only json-c accepts as a quote */
};

static size_t scan_digits(const char *text, struct scan *scan)
{
	static const char most[] = "18446744073709551615";
	size_t zeros = strspn(text, "0"), n = strspn(text + zeros, "0123456789");

	if (n > strlen(most) || (n == strlen(most) && strncmp(text + zeros, most, n) > 0))
		scan->too_large = true;
	return zeros + n;
}

static struct scan scan_text(const char *text, size_t len)
{
	struct scan scan = {};
	bool quoted = false;
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] == '"')
			quoted = !quoted;
		else if (quoted && text[i] == '\\')
			i++;
		else if (quoted)
			continue;
		else if (text[i] >= '0' && text[i] <= '9')
			i += scan_digits(text + i, &scan) - 1;
		else if (text[i] == ':')
			scan.members++;
		else if (text[i] == ',' || text[i] == '[')
			scan.values++;
		else if (text[i] == '{')
			scan.objects++;
		else if (text[i] == '\'')
			scan.apostrophe = true;
	}
	return scan;
}

static size_t count_members(struct json_object *o)
{
	size_t n = 0, i;

	if (json_object_is_type(o, json_type_array)) {
		for (i = 0; i < json_object_array_length(o); i++)
			n += count_members(json_object_array_get_idx(o, i));
	} else if (json_object_is_type(o, json_type_object)) {
		json_object_object_foreach(o, key, value)
		{
			(void)key;
			n += 1 + count_members(value);
		}
	}
	return n;
}

/* ---- an array that is left out ---- */

/* The text of an array between its brackets, which is left out; all 0: none is. */
struct cut {
	size_t begin;
	size_t end;
};

/* Walks over JSON; on text that is none it only ends somewhere. */
struct walk {
	size_t depth;
	size_t key; /* where the last text begins, behind its quote */
	bool quoted;
};

/* Goes behind one byte, and over what a backslash escapes. */
static size_t walk_on(struct walk *w, const char *text, size_t i)
{
	if (text[i] == '"') {
		w->quoted = !w->quoted;
		if (w->quoted)
			w->key = i + 1;
	} else if (w->quoted) {
		i += text[i] == '\\' && text[i + 1];
	} else if (text[i] == '{' || text[i] == '[') {
		w->depth++;
	} else if (text[i] == '}' || text[i] == ']') {
		w->depth--;
	}
	return i + 1;
}

#define JSON_BLANKS " \t\r\n"

/* Whether the quote at @at ends the key of an array. @begin: receives where its elements begin */
static bool begins_array(const char *text, const struct walk *w, size_t at, const char *key,
			 size_t *begin)
{
	size_t n = strlen(key);

	if (at - w->key != n || memcmp(text + w->key, key, n))
		return false;
	at++;
	at += strspn(text + at, JSON_BLANKS);
	if (text[at] != ':')
		return false;
	at++;
	at += strspn(text + at, JSON_BLANKS);
	*begin = at + 1;
	return text[at] == '[';
}

static struct cut find_array(const char *text, size_t len, const char *key)
{
	struct cut cut = {};
	struct walk w = {};
	size_t i, next;

	for (i = 0; i < len && !cut.begin; i = next) {
		next = walk_on(&w, text, i);
		if (text[i] == '"' && !w.quoted && w.depth == 1 &&
		    begins_array(text, &w, i, key, &cut.begin))
			break;
	}
	for (i = cut.begin, w.depth = 1; cut.begin && i < len; i = next) {
		next = walk_on(&w, text, i);
		cut.end = i;
		if (!w.depth)
			break;
	}
	return cut.end && text[cut.end] == ']' ? cut : (struct cut){};
}

/* ---- the document ---- */

static int check_scan(const struct scan *scan, struct error *e)
{
	if (scan->apostrophe)
		return json_bad(e, "it is not JSON: an apostrophe is no quote");
	if (scan->too_large)
		return json_bad(e, "it holds a number that does not fit into 64 bits");
	if (scan->values + scan->objects > JSON_VALUES_MAX)
		return json_bad(e, "it holds more than %u values", JSON_VALUES_MAX);
	if (scan->objects > JSON_OBJECTS_MAX)
		return json_bad(e, "it holds more than %u objects", JSON_OBJECTS_MAX);
	return 0;
}

/* @at: of @text in the whole document */
static int parse_text(struct json_tokener *tok, const char *text, size_t len, size_t at,
		      struct json_object **o, struct error *e)
{
	enum json_tokener_error err;
	size_t end;

	*o = json_tokener_parse_ex(tok, text, len);
	err = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	if (err == json_tokener_continue)
		return -EAGAIN;
	if (err != json_tokener_success)
		return json_bad(e, "it is not JSON: %s at byte %zu", json_tokener_error_desc(err),
				at + end);
	if (end + strspn(text + end, JSON_BLANKS) < len)
		return json_bad(e, "something follows after its end");
	return 0;
}

/* A number ends with what follows it: that nothing does is told by a NUL. */
static int parse_end(struct json_tokener *tok, struct json_object **o, struct error *e)
{
	*o = json_tokener_parse_ex(tok, "", 1);
	if (json_tokener_get_error(tok) == json_tokener_success)
		return 0;
	return json_bad(e, "it ends too early");
}

static int parse_value(struct json_tokener *tok, const char *text, size_t len, size_t at,
		       size_t members, struct json_object **o, struct error *e)
{
	int err = parse_text(tok, text, len, at, o, e);

	if (err == -EAGAIN)
		err = parse_end(tok, o, e);
	if (err)
		return err;
	return count_members(*o) == members ? 0 : json_bad(e, "a member occurs twice");
}

static int parse(struct json_tokener *tok, const char *text, size_t len, struct cut cut,
		 struct json_object **o, struct error *e)
{
	const struct scan scan = scan_text(text, len);
	size_t left_out = cut.end ? scan_text(text + cut.begin, cut.end - cut.begin).members : 0;
	int err = check_scan(&scan, e);

	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	if (!err && cut.end)
		err = parse_text(tok, text, cut.begin, 0, o, e);
	if (!err && cut.end) /* the document would be complete before the array */
		return json_bad(e, "something follows after its end");
	if (err && err != -EAGAIN)
		return err;
	err = parse_value(tok, text + cut.end, len - cut.end, cut.end, scan.members - left_out, o,
			  e);
	if (!err && !json_object_is_type(*o, json_type_object))
		err = json_bad(e, "it is not a JSON object");
	return err;
}

struct json_object *json_read_but(FILE *in, const char *key, struct json_rest *rest,
				  struct error *e)
{
	struct json_tokener *tok = json_tokener_new_ex(JSON_DEPTH_MAX);
	struct json_object *o = NULL;
	struct cut cut = {};
	size_t len = 0;
	int err;

	*rest = (struct json_rest){};
	err = tok ? read_all(in, &rest->text, &len, e) : error_no_memory(e, "cannot read the file");
	if (!err && key)
		cut = find_array(rest->text, len, key);
	if (!err)
		err = parse(tok, rest->text, len, cut, &o, e);
	rest->at = cut.begin;
	rest->end = cut.end;
	rest->more = cut.end && strspn(rest->text + cut.begin, JSON_BLANKS) < cut.end - cut.begin;
	if (tok)
		json_tokener_free(tok);
	if (!err)
		return o;
	json_object_put(o);
	return NULL;
}

struct json_object *json_read(FILE *in, struct error *e)
{
	struct json_rest none;
	struct json_object *o = json_read_but(in, NULL, &none, e);

	json_rest_free(&none);
	return o;
}

/* ---- its elements ---- */

/* Where an element ends: at a comma outside of it, or with the array. */
static size_t element_end(const struct json_rest *rest)
{
	struct walk w = { .depth = 1 };
	size_t i = rest->at;

	while (i < rest->end && (w.quoted || w.depth > 1 || rest->text[i] != ','))
		i = walk_on(&w, rest->text, i);
	return i < rest->end ? i : rest->end;
}

int json_rest_next(struct json_rest *rest, struct json_object **o, struct error *e)
{
	struct json_tokener *tok;
	const char *text = rest->text + rest->at;
	size_t end, len;
	int err;

	*o = NULL;
	if (!rest->more)
		return 0;
	tok = json_tokener_new_ex(JSON_DEPTH_MAX - 2);
	if (!tok)
		return error_no_memory(e, "cannot read the file");
	end = element_end(rest);
	len = end - rest->at;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	err = parse_value(tok, text, len, rest->at, scan_text(text, len).members, o, e);
	json_tokener_free(tok);
	rest->more = end < rest->end;
	rest->at = end + 1;
	if (!err)
		return 1;
	json_object_put(*o);
	*o = NULL;
	return err;
}

int json_rest_join(struct json_rest *rest, struct json_object *doc, const char *key,
		   struct error *e)
{
	struct json_object *array, *o;
	int err;

	while ((err = json_rest_next(rest, &o, e)) > 0)
		if (!json_object_object_get_ex(doc, key, &array) ||
		    json_object_array_add(array, o)) {
			json_object_put(o);
			return error_no_memory(e, "cannot read the file");
		}
	return err;
}

void json_rest_free(struct json_rest *rest)
{
	free(rest->text);
	*rest = (struct json_rest){};
}

/* ---- members ---- */

int json_get(struct json_object *from, const char *key, enum json_type type,
	     struct json_object **value, struct error *e)
{
	if (!json_object_object_get_ex(from, key, value))
		return json_bad(e, "'%s' is missing", key);
	if (!json_object_is_type(*value, type))
		return json_bad(e, "'%s' is of type %s and not %s", key,
				json_type_to_name(json_object_get_type(*value)),
				json_type_to_name(type));
	return 0;
}

int json_number(struct json_object *o, const char *key, uint64_t max, uint64_t *n, struct error *e)
{
	if (!json_object_is_type(o, json_type_int))
		return json_bad(e, "'%s' holds a value of type %s and not a whole number", key,
				json_type_to_name(json_object_get_type(o)));
	*n = json_object_get_uint64(o);
	if (json_object_get_int64(o) < 0)
		return json_bad(e, "'%s' holds a number below zero", key);
	if (*n > max)
		return json_bad(e, "'%s' holds %llu and at most %llu is possible", key,
				(unsigned long long)*n, (unsigned long long)max);
	return 0;
}

int json_get_u64(struct json_object *from, const char *key, uint64_t max, uint64_t *n,
		 struct error *e)
{
	struct json_object *o;
	int err = json_get(from, key, json_type_int, &o, e);

	return err ? err : json_number(o, key, max, n, e);
}

int json_get_text(struct json_object *from, const char *key, char **text, struct error *e)
{
	struct json_object *o;
	int err = json_get(from, key, json_type_string, &o, e);

	if (err)
		return err;
	if (strlen(json_object_get_string(o)) != json_object_get_string_len(o))
		return json_bad(e, "'%s' holds a NUL", key);
	*text = strdup(json_object_get_string(o));
	return *text ? 0 : error_no_memory(e, "cannot read the file");
}

int json_check_format(struct json_object *doc, const char *format, unsigned int version,
		      struct error *e)
{
	struct json_object *o;
	uint64_t n;
	int err = json_get(doc, "format", json_type_string, &o, e);

	if (!err && strcmp(json_object_get_string(o), format))
		err = json_bad(e, "'format' is '%s' and not '%s'", json_object_get_string(o),
			       format);
	if (!err)
		err = json_get_u64(doc, "version", UINT64_MAX, &n, e);
	if (!err && n != version)
		err = json_bad(e, "'version' is %llu and this program knows %u",
			       (unsigned long long)n, version);
	return err;
}
