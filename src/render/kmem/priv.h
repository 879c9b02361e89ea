/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - the parts of the formats of memory events, one file each. Called by nobody else. */
#ifndef KSTATS_RENDER_KMEM_PRIV_H
#define KSTATS_RENDER_KMEM_PRIV_H

#include "kmem/account.h"
#include "render/about.h"
#include "render/kmem/kmem.h"
#include "render/text.h"

/* A report that is being written. */
struct kmem_report {
	FILE *out;
	const struct kmem *k;
	const struct render_kmem_options *o;
	struct kmem_table table;
	struct kmem_table before; /* of the earlier report; empty where there is none */
	size_t top; /* rows shown */
};

struct json_object;
/** kmem_json_periods() - the intervals as an array, if there are any. Return: 0 or -ENOMEM */
int kmem_json_periods(struct json_object *to, const struct kmem *k);

/** kmem_csv_part() - what an interval added, as a line of CSV */
void kmem_csv_part(const struct kmem_report *r, const struct kmem_part *p);

/** kmem_span_ns() - the time a recording covers */
static inline uint64_t kmem_span_ns(const struct kmem *k)
{
	return k->span.end_ns - k->span.begin_ns;
}

#endif /* KSTATS_RENDER_KMEM_PRIV_H */
