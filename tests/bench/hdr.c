// SPDX-License-Identifier: GPL-2.0-only
/*
 * hdr.c - what one record into an HdrHistogram costs, as a program in user space
 * would make it: values to an hour, two digits. Goes out: lines WHAT<tab>NS, net of
 * the loop. Compiled and called by step.sh.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "hdr_histogram.h"

#define SAMPLE 12345 /* as in step.c */
#define REPEAT 5000000
#define LARGEST 3600000000000LL

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static double loop(struct hdr_histogram *h, bool atomic)
{
	int64_t v = SAMPLE;
	double begin = now_ns();
	int i;

	for (i = 0; i < REPEAT; i++) {
		__asm__ volatile("" : "+r"(v) : : "memory");
		if (h && atomic)
			hdr_record_value_atomic(h, v);
		else if (h)
			hdr_record_value(h, v);
	}
	return (now_ns() - begin) / REPEAT;
}

static int step(const char *what, bool atomic)
{
	struct hdr_histogram *h;
	double ns;

	if (hdr_init(1, LARGEST, 2, &h))
		return -1;
	ns = loop(h, atomic) - loop(NULL, atomic);
	if (h->total_count != REPEAT)
		return -1;
	printf("%s\t%.2f\n", what, ns);
	hdr_close(h);
	return 0;
}

int main(void)
{
	return step("HdrHistogram, hdr_record_value()", false) ||
	       step("HdrHistogram, hdr_record_value_atomic()", true);
}
