/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - recordings from files. In: a path. Out: a recording that holds the name of its
 * file. Called by the verbs that read recordings.
 */
#ifndef KSTATS_UI_INPUT_H
#define KSTATS_UI_INPUT_H

#include "kmem/kmem.h"
#include "judge/runs.h"
#include "result/recording.h"

/** struct input - a recording of one of the two kinds; the other member is NULL */
struct input {
	struct recording *rec; /* of 'trace' */
	struct kmem *kmem; /* of 'kmem' */
};

/**
 * input_load_regular() - read a file that was found in a folder
 * @path: its path; a FIFO or a device is refused, and not waited for
 * @e: filled in with the reason and the path on failure
 *
 * Return: a recording, freed by recording_free(), or NULL.
 */
struct recording *input_load_regular(const char *path, struct error *e);

/**
 * input_load_any() - read one file of either kind; it says which it is
 * @path: its path, or "-" for standard input
 * @in: filled in; released by input_free()
 */
int input_load_any(const char *path, struct input *in, struct error *e);

/**
 * input_load_runs() - add recordings to a set
 * @r: zero-filled, or with recordings of one kind; freed with runs_free() also after an error
 * @like: a set of the same kind, or NULL
 * @files: their paths; "-" is standard input
 * @n: number of @files
 * @e: filled in with the file that cannot be read, or that is of the other kind
 */
int input_load_runs(struct runs *r, const struct runs *like, char *const *files, size_t n,
		    struct error *e);

/** input_free() - release; @in may be zero-filled */
void input_free(struct input *in);

#endif /* KSTATS_UI_INPUT_H */
