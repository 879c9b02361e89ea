/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json_read.h - read JSON that is not trusted. In: a stream. Out: a document within limits,
 * strictly parsed, and members of checked types. Every message names the member. Called by
 * everything that reads a saved file.
 */
#ifndef KSTATS_JSON_READ_H
#define KSTATS_JSON_READ_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"

/**
 * json_read() - read one document, up to the end of the stream
 * @in: stream; not closed
 * @e: filled in on failure: not JSON, not an object, too large, a member twice
 *
 * Size, number of values and depth are limited.
 *
 * Return: an object, freed by json_object_put(), or NULL.
 */
struct json_object *json_read(FILE *in, struct error *e);

/** struct json_rest - the elements of an array that are read one by one; zero-filled at first */
struct json_rest {
	char *text; /* owned; the whole document */
	size_t at; /* the next element */
	size_t end; /* of the array; 0 if the document has none */
	bool more; /* one must follow */
};

/**
 * json_read_but() - json_read() without the elements of an array, which can be many
 * @key: the member of the document that is the array
 * @rest: receives the elements; released by json_rest_free() also on failure
 *
 * The array is empty in what is returned.
 */
struct json_object *json_read_but(FILE *in, const char *key, struct json_rest *rest,
				  struct error *e);

/**
 * json_rest_next() - read the next element
 * @o: receives it, freed by json_object_put()
 *
 * Return: 1, or 0 if there are no more, or -errno.
 */
int json_rest_next(struct json_rest *rest, struct json_object **o, struct error *e);

/** json_rest_join() - put all elements where json_read() would have left them; @key: the array */
int json_rest_join(struct json_rest *rest, struct json_object *doc, const char *key,
		   struct error *e);

/** json_rest_free() - release */
void json_rest_free(struct json_rest *rest);

/** json_bad() - report what is wrong with the document; @what: printf format. Return: -EINVAL */
int json_bad(struct error *e, const char *what, ...) __attribute__((format(printf, 2, 3)));

/** json_get() - get a member that must exist, of this type; the document keeps it */
int json_get(struct json_object *from, const char *key, enum json_type type,
	     struct json_object **value, struct error *e);

/**
 * json_number() - convert a value to a whole number
 * @o: may be NULL, as JSON's null is
 * @key: the member it belongs to, for @e
 * @max: largest valid value
 */
int json_number(struct json_object *o, const char *key, uint64_t max, uint64_t *n, struct error *e);

/** json_get_u64() - get a member that is a whole number of at most @max */
int json_get_u64(struct json_object *from, const char *key, uint64_t max, uint64_t *n,
		 struct error *e);

/** json_get_text() - get a member that is text without a NUL; @text: a copy, freed by the caller */
int json_get_text(struct json_object *from, const char *key, char **text, struct error *e);

/** json_check_format() - check that "format" and "version" of a document are these */
int json_check_format(struct json_object *doc, const char *format, unsigned int version,
		      struct error *e);

#endif /* KSTATS_JSON_READ_H */
