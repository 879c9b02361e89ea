/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - recordings from files. In: a path. Out: a recording that holds the name of its
 * file. Called by the verbs that read recordings.
 */
#ifndef KSTATS_UI_INPUT_H
#define KSTATS_UI_INPUT_H

#include "recording/recording.h"

/**
 * input_load() - read one file, or standard input if @path is "-"
 *
 * Return: a recording, freed by recording_free(), or NULL.
 */
struct recording *input_load(const char *path, struct error *e);

/**
 * input_load_regular() - read a file that was found in a folder
 * @path: its path; a FIFO or a device is refused, and not waited for
 * @e: filled in with the reason and the path on failure
 *
 * Return: a recording, freed by recording_free(), or NULL.
 */
struct recording *input_load_regular(const char *path, struct error *e);

#endif /* KSTATS_UI_INPUT_H */
