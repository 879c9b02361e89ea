// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_escape.c - any bytes as a name: what safe_str() makes of them is
 * printable, well-formed and ended; a report that holds them is still JSON with
 * the same text in it, and CSV with as many cells as it should have.
 */
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "util/safe_str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CSV_CELLS 13

static void check(bool good)
{
	if (!good)
		abort();
}

static void check_safe(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t len;

	for (; *p; p += len) {
		len = safe_utf8((const char *)p);
		check(len && *p >= 0x20 && *p != 0x7f);
		check(len != 2 || p[0] != 0xc2 || p[1] >= 0xa0);
		check(len != 3 || memcmp(p, "\xe2\x80", 2) ||
		      !((p[2] >= 0x8b && p[2] <= 0x8f) || (p[2] >= 0xa8 && p[2] <= 0xae)));
	}
}

static void check_sizes(const char *raw)
{
	char buf[64];
	size_t size;

	for (size = 1; size < sizeof(buf); size++) {
		buf[size] = 'X';
		safe_str(buf, size, raw);
		check(strlen(buf) < size && buf[size] == 'X');
		check_safe(buf);
	}
}

static char *render(const char *format, const struct recording *r, size_t *size)
{
	const struct report_look o = { .unit = "auto", .width = 80 };
	const struct report_set one = { 1, &r };
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	check(f && !format_trace(format_find(format, REPORT_TRACE), f, &one, &o));
	fclose(f);
	check(strlen(text) == *size);
	return text;
}

static void check_json(const struct recording *r, const char *safe)
{
	struct json_object *o, *nodes, *name;
	size_t size;
	char *text = render("json", r, &size);

	check(strchr(text, '\n') == text + size - 1);
	o = json_tokener_parse(text);
	check(json_object_object_get_ex(o, "nodes", &nodes));
	check(json_object_object_get_ex(json_object_array_get_idx(nodes, 0), "name", &name));
	check(!strcmp(json_object_get_string(name), safe));
	json_object_put(o);
	free(text);
}

/* One record of CSV: counts its cells, and none is a formula. */
static const char *check_record(const char *p)
{
	unsigned int cells = 1;
	bool begin = true;

	for (; strncmp(p, "\r\n", 2); p++) {
		check(*p && *p != '\r' && *p != '\n');
		check(!begin || !strchr("=+-@", *p));
		begin = false;
		if (*p == ',') {
			cells++;
			begin = true;
		}
		if (*p != '"')
			continue;
		check(!strchr("=+-@", p[1]) || !p[1]);
		for (p++; *p != '"' || p[1] == '"'; p++) {
			check(*p);
			p += *p == '"';
		}
	}
	check(cells == CSV_CELLS);
	return p + 2;
}

static void check_csv(const struct recording *r)
{
	unsigned int records = 0;
	const char *p;
	size_t size;
	char *text = render("csv", r, &size);

	for (p = text; *p; p = check_record(p))
		records++;
	check(records == 2);
	free(text);
}

/* Every byte of the text formats can be shown on a terminal. */
static void check_text(const struct recording *r, const char *format)
{
	size_t size;
	char *text = render(format, r, &size), *line, *save = NULL;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		check_safe(line);
	free(text);
}

/* A sample: labels whose quotes are paired, then a number. */
static void check_sample(const char *p)
{
	bool quoted = false;

	for (; quoted || *p != ' '; p++) {
		check(*p);
		if (quoted && *p == '\\') {
			p++;
			check(*p == '\\' || *p == '"');
		} else if (*p == '"') {
			quoted = !quoted;
		}
	}
	check(p[1] && p[1 + strspn(p + 1, "0123456789.")] == '\0');
}

static void check_exposition(const struct recording *r)
{
	size_t size;
	char *text = render("openmetrics", r, &size), *line, *save = NULL;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		check_safe(line);
		if (*line != '#')
			check_sample(line);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot *s = snapshot_new(0, 1, 1);
	struct recording *r = recording_new(s);
	struct counts_writer w = {};
	char *raw = strndup((const char *)data, size);
	size_t safe_size = raw ? 4 * strlen(raw) + 1 : 1;
	char *safe = malloc(safe_size);

	check(s && r && raw && safe);
	safe_str(safe, safe_size, raw);
	check_safe(safe);
	check_sizes(raw);
	s->nodes[0].name = raw;
	s->nodes[0].what = strdup(raw);
	s->filters = strdup(raw);
	s->command = strdup(raw);
	counts_add(&w, 0, 3, &(struct kstats_slot){ 1, 5 });
	check(!counts_end(&w, &s->nodes[0].counts));
	counts_writer_free(&w);
	r->source = strdup(raw);
	r->machine.cpu = strdup(raw);
	check(!tags_set(&r->tags, "tag", raw, NULL));
	check_json(r, safe);
	check_csv(r);
	check_text(r, "summary");
	check_text(r, "line");
	check_text(r, "hist");
	check_text(r, "classic");
	check_text(r, "hgrm");
	check_exposition(r);
	recording_free(r);
	free(safe);
	return 0;
}
