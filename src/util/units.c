// SPDX-License-Identifier: GPL-2.0-only
/* units.c - durations, counts and rates. */
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANGE_SHOWN 10.0
#define BYTES_MOST (1ULL << 48)

struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = {
	{ "ns", 1 },         { "us", 1000 },       { "ms", 1000000 },
	{ "s", 1000000000 }, { "m", 60000000000 }, { "h", 3600000000000 },
};

#define N_UNITS (sizeof(units) / sizeof(*units))
#define N_SHOWN 4 /* ns to s */

const char *const units_names[] = { "auto", "ns", "us", "ms", "s", NULL };

static int unit_of(const char *text, uint64_t default_ns, uint64_t *ns)
{
	size_t i;

	if (!*text) {
		*ns = default_ns;
		return 0;
	}
	for (i = 0; i < N_UNITS; i++) {
		if (!strcmp(text, units[i].name)) {
			*ns = units[i].ns;
			return 0;
		}
	}
	return -EINVAL;
}

int units_parse_duration(const char *text, uint64_t default_unit_ns, uint64_t *ns)
{
	uint64_t whole = 0, part = 0, scale = 1, unit;
	const char *p = text;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, *p - '0', &whole))
			return -ERANGE;
	if (*p == '.') {
		if (!isdigit((unsigned char)*++p))
			return -EINVAL;
		for (; isdigit((unsigned char)*p); p++) {
			if (scale >= 1000000000000)
				return -ERANGE;
			part = part * 10 + (*p - '0');
			scale *= 10;
		}
	}
	if (unit_of(p, default_unit_ns, &unit))
		return -EINVAL;
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_mul_overflow(part, unit, &part) || part % scale ||
	    __builtin_add_overflow(whole, part / scale, ns))
		return -ERANGE;
	return 0;
}

int units_parse_bytes(const char *text, uint64_t *bytes)
{
	static const char letters[] = "kMGT";
	unsigned int shift;
	const char *letter;
	uint64_t n = 0;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	for (; isdigit((unsigned char)*text); text++) {
		n = n * 10 + (*text - '0');
		if (n >= BYTES_MOST)
			return -ERANGE;
	}
	letter = *text ? strchr(letters, *text) : NULL;
	if (*text && (!letter || text[1]))
		return -EINVAL;
	shift = letter ? 10 * (letter - letters + 1) : 0;
	if (!n || n >= BYTES_MOST >> shift)
		return -ERANGE;
	*bytes = n << shift;
	return 0;
}

/* The first unit in which the printed value is below 1000. */
static const struct unit *unit_shown(double ns, const char *name)
{
	size_t i;

	for (i = 0; i < N_SHOWN; i++)
		if (!strcmp(name, units[i].name))
			return &units[i];
	for (i = 0; i + 1 < N_SHOWN; i++)
		if (ns < units[i].ns * 999.95)
			break;
	return &units[i];
}

/* Decimals for four significant digits: 1.234, 12.34, 123.4, 1234. */
static int decimals(double v)
{
	return v < 9.9995 ? 3 : v < 99.995 ? 2 : v < 999.95 ? 1 : 0;
}

static const char *const bytes_names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

#define N_BYTES (sizeof(bytes_names) / sizeof(*bytes_names))

char *units_bytes(char buf[UNITS_TEXT], double bytes)
{
	size_t i = 0;

	for (; bytes >= (i ? 999.95 : 1024) && i + 1 < N_BYTES; i++)
		bytes /= 1024;
	snprintf(buf, UNITS_TEXT, "%.*f %s", i ? decimals(bytes) : 0, bytes, bytes_names[i]);
	return buf;
}

/* A number of any kind; @word follows it, unless it is UNITS_NONE. */
static char *number(char buf[UNITS_TEXT], double v, const char *word)
{
	static const char prefixes[] = " kMGTPE";
	bool named = strcmp(word, UNITS_NONE);
	int i = 0, n;

	for (; v >= (i ? 999.95 : 99999.5) && i + 2 < (int)sizeof(prefixes); i++)
		v /= 1000;
	if (i)
		n = snprintf(buf, UNITS_TEXT, "%.*f %c", decimals(v), v, prefixes[i]);
	else
		n = snprintf(buf, UNITS_TEXT, "%.*f", v == (unsigned int)v ? 0 : decimals(v), v);
	if (named)
		snprintf(buf + n, UNITS_TEXT - n, " %s", word);
	return buf;
}

bool units_is_time(const char *unit)
{
	const char *const *name = units_names;

	while (*name && strcmp(*name, unit))
		name++;
	return *name;
}

bool units_is_word(const char *unit)
{
	size_t len = strlen(unit);
	uint64_t ns;

	return len && len < UNITS_WORD && isalpha((unsigned char)*unit) && !units_is_time(unit) &&
	       unit_of(unit, 1, &ns) &&
	       strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
		       len;
}

/* The number of bytes in "B", "KiB" and so on; 0 if it is none of these. */
static double bytes_of(const char *unit)
{
	double bytes = 1;
	size_t i;

	for (i = 0; i < N_BYTES; i++, bytes *= 1024)
		if (!strcmp(unit, bytes_names[i]))
			return bytes;
	return 0;
}

int units_parse_value(const char *text, double *value, char unit[UNITS_WORD])
{
	size_t digits = strspn(text, "0123456789.");
	const char *word = text + digits;
	uint64_t ns;
	char *end;

	word += strspn(word, " ");
	*unit = '\0';
	if (*word && units_is_word(word)) {
		*value = strtod(text, &end);
		if (!isdigit((unsigned char)*text) || end != text + digits)
			return -EINVAL;
		if (!bytes_of(word)) {
			snprintf(unit, UNITS_WORD, "%s", word);
			return 0;
		}
		*value *= bytes_of(word);
		strcpy(unit, UNITS_BYTES);
		return 0;
	}
	if (units_parse_duration(text, 1, &ns))
		return -EINVAL;
	*value = ns;
	strcpy(unit, *word ? "ns" : "");
	return 0;
}

char *units_duration(char buf[UNITS_TEXT], double ns, const char *unit)
{
	const struct unit *u = unit_shown(ns, unit);
	double v = ns / u->ns;

	if (!strcmp(unit, UNITS_BYTES))
		return units_bytes(buf, ns);
	if (!units_is_time(unit))
		return number(buf, ns, unit);
	if (u->ns == 1 && v < 1000 && v == (unsigned int)v)
		snprintf(buf, UNITS_TEXT, "%.0f %s", v, u->name);
	else
		snprintf(buf, UNITS_TEXT, "%.*f %s", decimals(v), v, u->name);
	return buf;
}

char *units_count(char buf[UNITS_TEXT], uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), i, at = 0;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

const char *units_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

char *units_rate(char buf[UNITS_TEXT], uint64_t n, uint64_t ns)
{
	static const char prefixes[] = " kMG";
	double rate;
	int i;

	if (!ns) {
		strcpy(buf, "-");
		return buf;
	}
	rate = n * 1e9 / ns;
	for (i = 0; rate >= (i ? 999.5 : 9999.5) && i < 3; i++)
		rate /= 1000;
	if (i)
		snprintf(buf, UNITS_TEXT, "%.3g%c/s", rate, prefixes[i]);
	else
		snprintf(buf, UNITS_TEXT, "%.4g/s", rate);
	return buf;
}

char *units_percent(char buf[UNITS_TEXT], uint64_t part, uint64_t whole)
{
	double v = whole ? 100.0 * part / whole : 0;

	if (!whole)
		strcpy(buf, "-");
	else if (!part || part == whole)
		strcpy(buf, part ? "100%" : "0%");
	else if (v < 0.001)
		strcpy(buf, "<0.001%");
	else if (v > 99.9)
		strcpy(buf, v > 99.999 ? ">99.999%" : v > 99.99 ? ">99.99%" : ">99.9%");
	else
		snprintf(buf, UNITS_TEXT, "%.*f%%", v < 0.9995 ? 3 : v < 9.995 ? 2 : 1, v);
	return buf;
}

char *units_share(char buf[UNITS_TEXT], double percent)
{
	int decimals = 2;
	double v;
	char *end;

	if (percent > 0 && percent < 1e-9)
		return strcpy(buf, "<0.000000001%");
	for (v = percent; v >= 9.995 && decimals; v /= 10)
		decimals--;
	for (v = percent; v > 0 && v < 0.9995 && decimals < 9; v *= 10)
		decimals++;
	snprintf(buf, UNITS_TEXT - 1, "%.*f", decimals, percent);
	end = buf + strlen(buf);
	while (decimals && end[-1] == '0')
		end--;
	if (end[-1] == '.')
		end--;
	strcpy(end, "%");
	return buf;
}

uint64_t units_ns(const char *name)
{
	uint64_t ns = 1;

	unit_of(name, 1, &ns);
	return ns;
}

char *units_change(char buf[UNITS_TEXT], double change, int decimals)
{
	if (change <= CHANGE_SHOWN)
		snprintf(buf, UNITS_TEXT, "%+.*f%%", decimals, 100 * change);
	else
		snprintf(buf, UNITS_TEXT, ">%+.0f%%", 100 * CHANGE_SHOWN);
	return buf;
}
