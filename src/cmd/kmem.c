// SPDX-License-Identifier: GPL-2.0-only
/* kmem.c - the verb `kmem`: words, programs, reports. */
#include "cmd/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "facts/facts.h"
#include "heap/heap.h"
#include "measure/run.h"
#include "spec/spec_kmem.h"
#include "util/safe_str.h"

static const struct verb_help kmem_help = {
	.usage = "kmem [options] [-- COMMAND [ARGS]]",
	.about = "Which code of the kernel allocates memory, how much of it is wasted, and how\n"
		 "long it lives. Ctrl-C prints the result.",
	.examples = "  kstats-bpf kmem -d 10\n"
		    "  kstats-bpf kmem -- make\n",
};

/* Everything a measurement holds, so that there is one way out. */
struct kmem_run {
	struct spec_kmem want;
	struct facts *facts;
	struct run run;
	struct heap *heap;
	struct kmem *result;
};

static int prepare(struct kmem_run *r, int argc, char **argv, struct error *e)
{
	int err = spec_parse_kmem(&r->want, argc, argv, e);

	if (err)
		return err;
	r->facts = facts_open("/", e);
	if (!r->facts)
		return -ENOENT;
	err = run_open(&r->run, &r->want.spec, e);
	if (err)
		return err;
	r->heap = heap_open(&r->want, r->facts, e);
	if (!r->heap)
		return -EOPNOTSUPP;
	return r->run.child ? heap_follow(r->heap, r->run.child, e) : 0;
}

static int measure(struct kmem_run *r, struct error *e)
{
	enum run_event event;
	int status, err;

	heap_start(r->heap);
	err = run_start(&r->run, &r->want.spec, e);
	while (!err) {
		event = run_wait(&r->run);
		if (event == RUN_END || event == RUN_CLOSED)
			break;
	}
	heap_stop(r->heap);
	status = run_close(&r->run);
	if (err)
		return err;
	r->result = heap_read(r->heap, e);
	if (!r->result)
		return -EIO;
	r->result->status = status;
	return 0;
}

static void show(const struct kmem *k)
{
	const struct kmem_row *row;
	size_t i;

	for (i = 0; i < k->n_rows; i++) {
		row = &k->rows[i];
		printf("%d %s %s order %u size %" PRIu64 "..%" PRIu64 " each %" PRIu64
		       " count %" PRIu64 " req %" PRIu64 " alloc %" PRIu64 " live %" PRIu64 "\n",
		       row->kind, k->sites[row->site].name,
		       row->kind == KSTATS_KMEM_CACHE ? k->caches[row->cache].name : "", row->order,
		       row->size, row->last, row->each, row->count, row->req, row->alloc,
		       row->live);
	}
	for (i = 0; i < k->n_lifes; i++)
		printf("life row %u slot %u flags %u how %d site %s count %" PRIu64 " sum %" PRIu64
		       "\n",
		       k->lifes[i].row, k->lifes[i].slot, k->lifes[i].flags, k->lifes[i].how,
		       k->sites[k->lifes[i].site].name, k->lifes[i].count, k->lifes[i].sum_ns);
	for (i = 0; i < KSTATS_KMEM_COUNT_N; i++)
		printf("count %zu: %" PRIu64 "\n", i, k->counts[i]);
	for (i = 0; i < k->n_programs; i++)
		printf("%s %s skipped %" PRIu64 " %s\n", k->programs[i].event,
		       k->programs[i].method, k->programs[i].skipped, k->programs[i].why);
}

static int run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct kmem_run r = { .run = RUN_NONE };
	int err = prepare(&r, argc, argv, e);

	if (!err)
		err = measure(&r, e);
	if (!err) {
		show(r.result);
		err = r.result->status;
	}
	heap_close(r.heap);
	run_close(&r.run);
	run_free(&r.run);
	kmem_free(r.result);
	facts_close(r.facts);
	spec_free(&r.want.spec);
	return err;
}

const struct verb kmem_verb = {
	.name = "kmem",
	.line = "who allocates the kernel's memory, and how much is wasted",
	.help = &kmem_help,
	.options = spec_kmem_options,
	.run = run,
};
