/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exposition.h - the metrics of a report in lines, as Prometheus and similar systems read them. In:
 * a report; how the buckets of a distribution are written. Out: text. Called by the writers of
 * this room.
 */
#ifndef KSTATS_FORMAT_EXPOSITION_H
#define KSTATS_FORMAT_EXPOSITION_H

#include "format/priv.h"

/** struct exposition - a text that is being written */
struct exposition {
	struct report_metrics metrics; /* to whom they are told; the first member */
	const char *bound; /* name of the label of a bucket */
	/* writes all buckets; @before: begin of their lines, up to the text of that label */
	void (*buckets)(const struct exposition *x, const char *before, const struct dist *d);
	bool untyped; /* distributions are no histograms as the text format has them */
	FILE *out;
	const struct report_look *look;
	const char *name; /* of the last metric */
	char *labels; /* owned; of the next sample: "" or as '{a="b"' */
	size_t n; /* bytes of them */
	size_t size; /* bytes of memory at @labels */
	int err;
};

/** exposition_write() - write it; @x: the first three are set. Return: 0 or -EIO */
int exposition_write(struct exposition *x, FILE *out, const struct report *r);

/** exposition_number() - write a value of a distribution: all digits, so that none is rounded */
void exposition_number(FILE *out, const struct dist *d, unsigned __int128 v);

#endif /* KSTATS_FORMAT_EXPOSITION_H */
