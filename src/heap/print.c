// SPDX-License-Identifier: GPL-2.0-only
/* print.c - what would be measured, in words. See heap.h. */
#include "heap/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/session.h"
#include "util/safe_str.h"
#include "util/units.h"

static void print_hooks(const char *title, const struct heap_hook *hook,
			const struct heap_hook *end, FILE *out)
{
	for (; hook < end; hook++) {
		if (!hook->prog && !*hook->why)
			continue;
		fputs(title, out);
		title = "";
		fprintf(out, "  %-21s ", hook->event);
		if (!hook->prog)
			fprintf(out, "unseen: %s\n", hook->why);
		else if (hook->function)
			fprintf(out, "%s on %s, or else unseen\n", hook->method, hook->function);
		else
			fprintf(out, "%s\n", hook->method);
	}
}

/* Where call sites are looked for on the stack. */
static void print_sites(const struct heap *h, FILE *out)
{
	char safe[512];

	if (h->want->skip)
		fprintf(out, "call sites: behind functions that match %s\n",
			safe_str(safe, sizeof(safe), h->want->skip));
	if (h->want->page_sites)
		fputs("call sites of pages: by the stack\n", out);
}

static void print_table(FILE *out, const char *name, size_t places, unsigned int copies,
			size_t bytes)
{
	char count[UNITS_TEXT], memory[UNITS_TEXT];

	fprintf(out, "  %-13s  %10s places  %11s", name, units_count(count, places),
		units_bytes(memory, bytes));
	if (copies > 1)
		fprintf(out, "  in %u copies", copies);
	fputc('\n', out);
}

static void print_tables(const struct heap *h, FILE *out)
{
	const struct heap_area *t = h->tables;
	unsigned int copies = h->settings[KSTATS_KMEM_STRIPE_MASK] + 1;
	char memory[UNITS_TEXT];
	size_t all = 0, i;

	for (i = 0; i < HEAP_TABLES; i++)
		all += t[i].size;
	fprintf(out, "tables: %s of kernel memory\n", units_bytes(memory, all));
	print_table(out, "rows", h->want->max_sites, copies, t[HEAP_ROWS].size);
	print_table(out, "caches", KSTATS_KMEM_CACHES, copies, t[HEAP_CACHES].size);
	if (h->want->lifetimes) {
		print_table(out, "live objects", h->want->max_live, 1, t[HEAP_LIVE].size);
		print_table(out, "lifetimes",
			    t[HEAP_LIFES].size / copies / sizeof(struct kstats_kmem_life), copies,
			    t[HEAP_LIFES].size);
	}
	print_table(out, "counters", h->settings[KSTATS_KMEM_CPU_MASK] + 1, 1, t[HEAP_COUNTS].size);
	if (h->want->spec.command && !h->want->spec.all)
		fprintf(out, "  and %s places for the tasks of the command\n",
			units_count(memory, session_tasks_max()));
}

int heap_print_plan(const struct heap *h, FILE *out)
{
	const struct heap_hook *events = h->hooks, *functions = events + HEAP_EVENTS;
	char *filters = heap_filters(h), *safe = NULL, by[4 * EXPR_LENGTH_MAX];
	size_t size;

	if (!filters)
		return -ENOMEM;
	size = 4 * strlen(filters) + 1;
	safe = malloc(size);
	if (!safe) {
		free(filters);
		return -ENOMEM;
	}
	fprintf(out, "plan: %s, by %s\n",
		h->want->lifetimes ? "match each allocation with its free"
				   : "count allocations and frees",
		safe_str(by, sizeof(by), h->want->by));
	fprintf(out, "who: %s\n", *filters ? safe_str(safe, size, filters) : "all tasks");
	print_sites(h, out);
	print_hooks("events:\n", events, functions, out);
	print_hooks("functions that make no event:\n", functions, h->hooks + HEAP_HOOKS, out);
	print_tables(h, out);
	free(safe);
	free(filters);
	return 0;
}
