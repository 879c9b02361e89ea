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

/** json_push() - append a newly made value to an array; like json_add() */
int json_push(struct json_object *to, struct json_object *value);

/** json_push_text() - append text, made safe by safe_str(); @text: NULL is taken as "" */
int json_push_text(struct json_object *to, const char *text);

/** json_made() - a document or a part of one; with @err it is released, and NULL. @o: or NULL */
struct json_object *json_made(struct json_object *o, int err);

/** json_write_line() - write a document on one line. Return: 0 or -EIO */
int json_write_line(struct json_object *o, FILE *out);

#endif /* KSTATS_JSON_H */
