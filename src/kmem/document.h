/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * document.h - the value as members of a JSON document, and back. In: a value, or a document that
 * is not trusted. Out: the document, or the value. Called by report for named values, and by
 * ui, which tells the kinds of files apart.
 */
#ifndef KSTATS_KMEM_DOCUMENT_H
#define KSTATS_KMEM_DOCUMENT_H

#include "kmem/kmem.h"
#include "util/json.h"

/**
 * kmem_json_about() - what was measured, where, how, and all counters
 * @to: object that gets the members
 *
 * Return: 0 or -ENOMEM.
 */
int kmem_json_about(struct json_object *to, const struct kmem *k);

/** kmem_is() - whether a document says that it is a recording of memory events */
bool kmem_is(struct json_object *doc);

/**
 * kmem_read() - read what kmem_save() wrote
 * @doc: a whole document; it is not trusted
 *
 * Return: a value, freed by kmem_free(), or NULL.
 */
struct kmem *kmem_read(struct json_object *doc, struct error *e);

#endif /* KSTATS_KMEM_DOCUMENT_H */
