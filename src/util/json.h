/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.h - the few ways this program puts something into a JSON object. In:
 * values, and text nobody checked. Out: members of a json-c object. Called by
 * whoever writes JSON.
 */
#ifndef KSTATS_JSON_H
#define KSTATS_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * json_add() - add a member that was just made
 * @to: object; NULL fails
 * @key: name; not copied
 * @value: handed over, also after a failure; NULL fails
 *
 * Return: 0 or -ENOMEM.
 */
int json_add(struct json_object *to, const char *key, struct json_object *value);

/**
 * json_add_text() - add text, made safe by safe_str()
 * @to: object
 * @key: name; not copied
 * @text: any bytes; NULL is taken as ""
 *
 * Return: 0 or -ENOMEM.
 */
int json_add_text(struct json_object *to, const char *key, const char *text);

/**
 * json_add_u64() - add a whole number
 * @to: object
 * @key: name; not copied
 * @value: number
 *
 * Return: 0 or -ENOMEM.
 */
int json_add_u64(struct json_object *to, const char *key, uint64_t value);

/**
 * json_push() - append to an array what was just made
 * @to: array; NULL fails
 * @value: handed over, also after a failure; NULL fails
 *
 * Return: 0 or -ENOMEM.
 */
int json_push(struct json_object *to, struct json_object *value);

/**
 * json_write_line() - write a document on one line
 * @o: document
 * @out: stream
 *
 * Return: 0 or -EIO.
 */
int json_write_line(struct json_object *o, FILE *out);

#endif /* KSTATS_JSON_H */
