/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * order.h - the word of --sort where recordings of trace, of memory events, or both are shown.
 * In: the word. Out: the order of each kind. Called by the verbs that show recordings.
 */
#ifndef KSTATS_UI_ORDER_H
#define KSTATS_UI_ORDER_H

#include <stdbool.h>

#include "spec/spec_kmem.h"
#include "util/sort.h"

/** struct order - what rows are sorted by, the largest first */
struct order {
	enum sort_by trace; /* rows of recordings of trace */
	enum kmem_sort kmem; /* rows of memory events */
};

/** order_names - the words of both kinds, ended by NULL */
extern const char *const order_names[];

/**
 * order_find() - the orders that a word names
 * @word: one of order_names, or NULL for the default of each kind
 * @trace: recordings of trace are shown
 * @kmem: memory events are shown
 * @order: filled in; a kind that has no such order keeps its default
 * @e: filled in if no kind that is shown has it
 *
 * Return: 0 or -EINVAL.
 */
int order_find(const char *word, bool trace, bool kmem, struct order *order, struct error *e);

#endif /* KSTATS_UI_ORDER_H */
