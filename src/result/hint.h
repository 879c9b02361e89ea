/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hint.h - what the words of a pair may lack, seen from its ledger. In: a snapshot. Out: advice in
 * words. Pure. Called by render and cmd.
 */
#ifndef KSTATS_RESULT_HINT_H
#define KSTATS_RESULT_HINT_H

#include "result/snapshot.h"

#define HINT_TEXT 320

/**
 * hint_pair() - whether starts and ends of a pair fit each other badly, and what may help
 * @node: index of an owner
 *
 * Only pairs of two points can be joined by the wrong words: a function's return belongs to its
 * entry. What is told is a guess, so that it needs many events.
 *
 * Return: @buf, or NULL: nothing to tell.
 */
const char *hint_pair(const struct snapshot *s, uint32_t node, char buf[HINT_TEXT]);

#endif /* KSTATS_RESULT_HINT_H */
