// SPDX-License-Identifier: GPL-2.0-only
/* csv.c - CSV by RFC 4180: a header row, and a row for every entry. */
#include "render/kmem/priv.h"

#include <errno.h>
#include <inttypes.h>

#define END "\r\n"

static const char header[] =
	"period,by,kind,name,line,cache,size_first,size_last,given_first,given_last,count,"
	"requested_bytes,allocated_bytes,wasted_bytes,live,live_requested_bytes,"
	"live_allocated_bytes,live_mean_age_ns,live_oldest_ns,freed,lifetime_mean_ns,"
	"lifetime_p50_first_ns,lifetime_p50_last_ns,lifetime_p99_first_ns,lifetime_p99_last_ns,"
	"freed_on_other_cpu,freed_on_other_numa,freed_by_other_task,unverified,recording";

static void print_number(FILE *out, uint64_t n)
{
	fprintf(out, ",%" PRIu64, n);
}

static void kmem_csv_print_begin(const struct kmem_report *r, const struct kmem_entry *e)
{
	fprintf(r->out, "%u,%s,%s,", r->o->base.period, kmem_group_names[r->table.group],
		kmem_kind_name(e->kind));
	text_cell(r->out, e->name);
	fputc(',', r->out);
	if (e->line)
		text_cell(r->out, e->line);
	fputc(',', r->out);
	if (e->cache)
		text_cell(r->out, e->cache);
}

static void print_quantile(const struct kmem_report *r, const struct kmem_entry *e, uint32_t q)
{
	struct dist_bounds b = kmem_life_quantile(&r->table, e, q);

	print_number(r->out, b.lo);
	print_number(r->out, b.hi);
}

/* Empty cells where lifetimes were not measured, or nothing is live, or nothing was freed. */
static void kmem_csv_print_lives(const struct kmem_report *r, const struct kmem_entry *e)
{
	const struct kmem_sums *s = &e->sums;

	if (!r->k->lifetimes) {
		fputs(",,,,,,,,,,,,,,,", r->out);
		return;
	}
	print_number(r->out, s->live);
	print_number(r->out, s->live_req);
	print_number(r->out, s->live_alloc);
	if (s->live) {
		print_number(r->out, s->live_age_ns / s->live);
		print_number(r->out, s->live_oldest_ns);
	} else {
		fputs(",,", r->out);
	}
	print_number(r->out, s->freed);
	if (s->freed) {
		print_number(r->out, s->life_ns / s->freed);
		print_quantile(r, e, 500000);
		print_quantile(r, e, 990000);
	} else {
		fputs(",,,,,", r->out);
	}
	print_number(r->out, s->other_cpu);
	print_number(r->out, s->other_numa);
	print_number(r->out, s->other_task);
	print_number(r->out, s->unverified);
}

static void kmem_csv_print_entry(const struct kmem_report *r, const struct kmem_entry *e)
{
	kmem_csv_print_begin(r, e);
	print_number(r->out, e->size);
	print_number(r->out, e->last);
	print_number(r->out, e->each);
	print_number(r->out, e->each_last);
	print_number(r->out, e->sums.count);
	print_number(r->out, e->sums.req);
	print_number(r->out, e->sums.alloc);
	print_number(r->out, e->sums.waste);
	kmem_csv_print_lives(r, e);
	fputc(',', r->out);
	if (r->k->source)
		text_cell(r->out, r->k->source);
	fputs(END, r->out);
}

int render_kmem_csv(FILE *out, const struct kmem *k, const struct render_kmem_options *o)
{
	struct kmem_report r = { .out = out, .k = k, .o = o };
	int err = kmem_table_make(&r.table, k, o->group, o->sort);
	size_t i;

	if (!err && !o->base.continued)
		fprintf(out, "%s" END, header);
	for (i = 0; !err && o->periods && i < k->n_parts; i++)
		kmem_csv_part(&r, &k->parts[i]);
	for (i = 0; !err && i < r.table.n; i++)
		kmem_csv_print_entry(&r, &r.table.entries[i]);
	kmem_table_free(&r.table);
	return err || ferror(out) ? -EIO : 0;
}
