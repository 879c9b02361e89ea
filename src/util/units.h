/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * units.h - durations, counts and rates as people write and read them. In: numbers or words.
 * Out: words or numbers. Called by spec and render.
 */
#ifndef KSTATS_UNITS_H
#define KSTATS_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNITS_TEXT 32 /* room for any text made here */

/**
 * units_parse_duration() - read "250ns", "10us", "1.5ms", "2s", "1m", "2"
 * @default_unit_ns: nanoseconds of a plain number's unit
 * @ns: receives the duration
 *
 * Return: 0, -EINVAL, or -ERANGE when it does not fit or is not a whole ns.
 */
int units_parse_duration(const char *text, uint64_t default_unit_ns, uint64_t *ns);

/**
 * units_parse_bytes() - read an amount of memory: "4096", "512k", "200M", "1G"
 * @bytes: receives it; k, M, G and T are powers of 1,024
 *
 * Return: 0, -EINVAL, or -ERANGE for 0 and for 2^48 bytes or more.
 */
int units_parse_bytes(const char *text, uint64_t *bytes);

/** units_names - units that figures are shown in, and "auto"; ended by NULL */
extern const char *const units_names[];

#define UNITS_WORD 16 /* room for the word of a unit */
#define UNITS_BYTES "bytes" /* sizes: B, KiB, MiB and so on */
#define UNITS_NONE "none" /* numbers without a unit */

/** units_is_time() - whether it is one of units_names */
bool units_is_time(const char *unit);

/**
 * units_is_word() - whether it can be the unit of values that are no durations
 *
 * Return: true for "bytes", "none", and 1 to 15 letters, digits, _ and -, with a letter first,
 * that are no unit of time.
 */
bool units_is_word(const char *unit);

/**
 * units_parse_value() - read a value with its unit: "10us", "4KiB", "17", "3 pages"
 * @value: receives it, in ns or bytes, or as it is
 * @unit: receives "" for a plain number, "ns" for a time, or a unit as in units_is_word()
 *
 * Return: 0, -EINVAL or -ERANGE.
 */
int units_parse_value(const char *text, double *value, char unit[UNITS_WORD]);

/** units_ns() - nanoseconds of "ns", "us", "ms" or "s"; 1 if there is no such unit */
uint64_t units_ns(const char *name);

/**
 * units_duration() - a duration in ns with four significant digits
 * @unit: one of units_names; or, for values that are no durations, see units_is_word()
 *
 * Return: @buf.
 */
char *units_duration(char buf[UNITS_TEXT], double ns, const char *unit);

/** units_bytes() - an amount of memory with four significant digits, "1.5 MiB" */
char *units_bytes(char buf[UNITS_TEXT], double bytes);

/** units_count() - a count with thousands separated */
char *units_count(char buf[UNITS_TEXT], uint64_t n);

/** units_plural() - the ending of a noun after a number: "" for 1, else "s" */
const char *units_plural(uint64_t n);

/** units_rate() - events a second, "12.3k/s"; "-" if @ns, in which they happened, is 0 */
char *units_rate(char buf[UNITS_TEXT], uint64_t n, uint64_t ns);

/**
 * units_percent() - a part of a whole with three significant digits; "-" if @whole is 0
 *
 * Only the whole is "100%", and only zero is "0%".
 */
char *units_percent(char buf[UNITS_TEXT], uint64_t part, uint64_t whole);

/**
 * units_share() - a share of any size, with up to three significant digits
 * @percent: not negative; may be above 100 or very small
 *
 * Never uses an exponent; only zero is "0%".
 */
char *units_share(char buf[UNITS_TEXT], double percent);

/**
 * units_change() - a relative change, "+4.2%", or ">+1000%", above which digits say nothing
 * @change: 0.042, or negative; may be infinite
 * @decimals: digits after the decimal point
 */
char *units_change(char buf[UNITS_TEXT], double change, int decimals);

#endif /* KSTATS_UNITS_H */
