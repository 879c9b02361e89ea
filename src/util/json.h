/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.h - add values to JSON objects and arrays. In: values, and unchecked text. Out: members
 * of a json-c object. Called by everything that writes JSON.
 */
#ifndef KSTATS_JSON_H
#define KSTATS_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * json_add() - add a newly made member; 0 or -ENOMEM
 * @to: object; NULL fails
 * @key: not copied
 * @value: owned by the object afterwards, freed on failure; NULL fails
 */
int json_add(struct json_object *to, const char *key, struct json_object *value);

/**
 * json_add_text() - add text, made safe by safe_str(); 0 or -ENOMEM
 * @key: not copied
 * @text: any bytes; NULL is taken as ""
 */
int json_add_text(struct json_object *to, const char *key, const char *text);

/** json_add_u64() - add a whole number; @key: name; not copied. Return: 0 or -ENOMEM */
int json_add_u64(struct json_object *to, const char *key, uint64_t value);

/**
 * json_add_double() - add a number, unless it is endless; 0 or -ENOMEM
 * @digits: 0: as many as tell it from all others
 */
int json_add_double(struct json_object *to, const char *key, double value, int digits);

/** json_add_known() - add text as json_add_text() does, or null where @text is NULL */
int json_add_known(struct json_object *to, const char *key, const char *text);

/** json_push() - append a newly made value to an array; like json_add() */
int json_push(struct json_object *to, struct json_object *value);

/** json_push_text() - append text, made safe by safe_str(); @text: NULL is taken as "" */
int json_push_text(struct json_object *to, const char *text);

/** json_made() - a document or a part of one; with @err it is released, and NULL. @o: or NULL */
struct json_object *json_made(struct json_object *o, int err);

/** json_write_line() - write a document on one line. Return: 0 or -EIO */
int json_write_line(struct json_object *o, FILE *out);

/* ---- documents that need not fit into memory ---- */

/**
 * struct json_out - a document that is written part by part
 *
 * What is written is what json_write_line() would write. After a failure nothing is written.
 */
struct json_out {
	FILE *out;
	int err; /* -EIO, or -ENOMEM where a part was NULL */
	bool more; /* something stands before, in the same object or array */
};

/**
 * json_out_open() - begin an object or array
 * @key: NULL outside of objects; here and below, one that needs no escapes
 * @c: '{' or '['
 */
void json_out_open(struct json_out *w, const char *key, char c);

/** json_out_text() - write a text, made safe by safe_str(); @text: NULL is taken as "" */
void json_out_text(struct json_out *w, const char *key, const char *text);

/** json_out_u64() - write a whole number */
void json_out_u64(struct json_out *w, const char *key, uint64_t value);

/** json_out_push() - write a part of an array; @value: released; NULL is a failure */
void json_out_push(struct json_out *w, struct json_object *value);

/** json_out_members() - write all members of an object; @from: released; NULL is a failure */
void json_out_members(struct json_out *w, struct json_object *from);

/** json_out_add() - write one member; @value: released; NULL is a failure */
void json_out_add(struct json_out *w, const char *key, struct json_object *value);

/** json_out_close() - end an object or array; @c: '}' or ']' */
void json_out_close(struct json_out *w, char c);

/** json_out_line() - end the line. Return: 0, -EIO or -ENOMEM */
int json_out_line(struct json_out *w);

#endif /* KSTATS_JSON_H */
