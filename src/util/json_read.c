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

static int parse(struct json_tokener *tok, const char *text, size_t len, struct json_object **o,
		 struct error *e)
{
	const struct scan scan = scan_text(text, len);
	enum json_tokener_error err;
	size_t end;

	if (scan.apostrophe)
		return json_bad(e, "it is not JSON: an apostrophe is no quote");
	if (scan.too_large)
		return json_bad(e, "it holds a number that does not fit into 64 bits");
	if (scan.values + scan.objects > JSON_VALUES_MAX)
		return json_bad(e, "it holds more than %u values", JSON_VALUES_MAX);
	if (scan.objects > JSON_OBJECTS_MAX)
		return json_bad(e, "it holds more than %u objects", JSON_OBJECTS_MAX);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	*o = json_tokener_parse_ex(tok, text, len);
	err = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	if (err == json_tokener_continue)
		return json_bad(e, "it ends too early");
	if (err != json_tokener_success)
		return json_bad(e, "it is not JSON: %s at byte %zu", json_tokener_error_desc(err),
				end);
	if (end + strspn(text + end, " \t\r\n") != len)
		return json_bad(e, "something follows after its end");
	if (!json_object_is_type(*o, json_type_object))
		return json_bad(e, "it is not a JSON object");
	if (count_members(*o) != scan.members)
		return json_bad(e, "a member occurs twice");
	return 0;
}

struct json_object *json_read(FILE *in, struct error *e)
{
	struct json_tokener *tok = json_tokener_new_ex(JSON_DEPTH_MAX);
	struct json_object *o = NULL;
	char *text = NULL;
	size_t len = 0;
	int err;

	err = tok ? read_all(in, &text, &len, e) : error_no_memory(e, "cannot read the file");
	if (!err)
		err = parse(tok, text, len, &o, e);
	if (tok)
		json_tokener_free(tok);
	free(text);
	if (!err)
		return o;
	json_object_put(o);
	return NULL;
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
