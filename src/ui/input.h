/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - recordings from files. In: a path. Out: a recording that knows where
 * it came from. Called by the verbs that read any.
 */
#ifndef KSTATS_UI_INPUT_H
#define KSTATS_UI_INPUT_H

#include "recording/recording.h"

/**
 * input_load() - read one file
 * @path: its path, or "-" for standard input
 * @e: why not, naming it
 *
 * Return: a recording, freed by recording_free(), or NULL.
 */
struct recording *input_load(const char *path, struct error *e);

#endif /* KSTATS_UI_INPUT_H */
