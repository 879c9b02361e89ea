// SPDX-License-Identifier: GPL-2.0-only
/* account.c - what became of each event. */
#include "kmem/account.h"

#include <string.h>

#include "kmem/priv.h"
#include "util/units.h"

const struct kmem_note kmem_notes[] = {
	{ KSTATS_KMEM_N_FAILED, "failed", "these allocations gave no memory and are in no row" },
	{ KSTATS_KMEM_N_IF, "left out by --if",
	  "the condition does not hold for these allocations" },
	{ KSTATS_KMEM_N_DIVISION, "divided by zero",
	  "--if or --by divides by zero for these allocations; they are in no row and no total" },
	{ KSTATS_KMEM_N_UNREADABLE, "unreadable",
	  "memory that --if or --by reads could not be read; they are in no row and no total" },
	{ KSTATS_KMEM_N_TWICE, "reported twice",
	  "the kernel reports a large kmalloc() again from inside of it; it is counted once" },
	{ KSTATS_KMEM_N_BULK, "in bulk",
	  "allocated by kmem_cache_alloc_bulk(); they are in the rows, too" },
	{ KSTATS_KMEM_N_IN_PLACE, "resized in place",
	  "krealloc() returned the same object; its row keeps the first size" },
	{ KSTATS_KMEM_N_NO_ROW, "kmallocs without a row",
	  "the table was full; the totals include them; measure with a larger --limit sites" },
	{ KSTATS_KMEM_N_NO_ROW + 1, "cache allocations without a row",
	  "the table was full; the totals include them; measure with a larger --limit sites" },
	{ KSTATS_KMEM_N_NO_ROW + 2, "page allocations without a row",
	  "the table was full; the totals include them; measure with a larger --limit sites" },
	{ KSTATS_KMEM_N_NO_CACHE, "of these without a cache",
	  "more caches were seen than the table of caches "
	  "holds; a larger --limit sites does not help" },
	{ KSTATS_KMEM_N_NO_LIFE, "lifetimes without room",
	  "these objects were freed, but the table of lifetimes was full; measure with a larger "
	  "--limit sites" },
	{ KSTATS_KMEM_N_RACED, "not followed by chance",
	  "other CPUs took each place that was chosen, three times; a larger --limit live makes it "
	  "rarer" },
	{ KSTATS_KMEM_N_AGAIN, "freed again",
	  "the previous event at this address was a free, too: a double free, or the allocation "
	  "between them was not seen" },
	{ KSTATS_KMEM_N_CACHE, "freed to another cache",
	  "the free named another cache than the allocation: a fault, or merged caches" },
	{ KSTATS_KMEM_N_RCU_DONE, "frees after a grace period",
	  "they complete a kfree_rcu() that was counted when it was called" },
	{ KSTATS_KMEM_N_NO_CALLER, "without a caller",
	  "their stack ended, or was too deep, before a function that is not skipped; their call "
	  "site is (no caller)" },
	{},
};

const char *kmem_count_key(enum kstats_kmem_count id)
{
	return kmem_count_keys[id];
}

const char *kmem_free_name(enum kstats_kmem_free how)
{
	static const char *const names[KMEM_FREES] = {
		[KSTATS_KMEM_KFREE] = "kfree",
		[KSTATS_KMEM_CACHE_FREE] = "kmem_cache_free",
		[KSTATS_KMEM_PAGE_FREE] = "pages",
		[KSTATS_KMEM_RCU_FREE] = "kfree_rcu",
		[KSTATS_KMEM_BULK_FREE] = "kmem_cache_free_bulk",
	};

	return names[how];
}

static bool is_free_event(const struct kmem_program *p)
{
	return strstr(p->event, "free");
}

static uint64_t account_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_watched(const struct kmem *k, const char *event)
{
	size_t i;

	for (i = 0; i < k->n_programs; i++)
		if (!strcmp(k->programs[i].event, event))
			return k->programs[i].method[0];
	return false;
}

static bool watches_objects(const struct kmem *k)
{
	return is_watched(k, "kmalloc") && is_watched(k, "kmem_cache_alloc") &&
	       is_watched(k, "kmem_cache_alloc_bulk");
}

/*
 * Each lifetime that is too long needs a free and an allocation that were skipped, if all others
 * are seen. Nobody knows what others allocate, which kinds are not measured, and pages that are
 * allocated without an event.
 */
static uint64_t account_too_long(const struct kmem *k, const struct kmem_account *a, uint64_t frees,
				 bool pages)
{
	uint64_t most = a->unverified;
	size_t i;

	for (i = 0; i < k->n_programs; i++)
		if (is_free_event(&k->programs[i]) && !k->programs[i].method[0])
			return most;
	most = account_least(most, frees);
	if (pages || *k->filters || !watches_objects(k))
		return most;
	return account_least(most, a->skipped - frees);
}

static void add_up(struct kmem_account *a, const struct kmem *k)
{
	bool pages = false;
	uint64_t frees = 0;
	size_t i;

	for (i = 0; i < k->n_rows; i++) {
		a->rows += k->rows[i].count;
		a->live += k->rows[i].live;
	}
	for (i = 0; i < 3; i++)
		a->no_row += k->counts[KSTATS_KMEM_N_NO_ROW + i];
	for (i = 0; i < k->n_lifes; i++) {
		a->freed += k->lifes[i].count;
		if (!(k->lifes[i].flags & KSTATS_KMEM_UNVERIFIED))
			continue;
		a->unverified += k->lifes[i].count;
		pages |= k->lifes[i].how == KSTATS_KMEM_PAGE_FREE;
	}
	for (i = 0; i < KMEM_FREES; i++)
		a->frees += k->counts[KSTATS_KMEM_N_FREES + i];
	for (i = 0; i < k->n_programs; i++) {
		a->skipped += k->programs[i].skipped;
		frees += is_free_event(&k->programs[i]) ? k->programs[i].skipped : 0;
		a->unseen += !k->programs[i].method[0];
	}
	a->too_long = account_too_long(k, a, frees, pages);
}

struct kmem_account kmem_account(const struct kmem *k)
{
	struct kmem_account a = {
		.live = k->live_no_row,
		.reused = k->counts[KSTATS_KMEM_N_REUSED],
		.no_live = k->counts[KSTATS_KMEM_N_NO_LIVE],
		.no_life = k->counts[KSTATS_KMEM_N_NO_LIFE],
		.null = k->counts[KSTATS_KMEM_N_NULL],
		.unknown = k->counts[KSTATS_KMEM_N_UNKNOWN],
		.no_value = k->counts[KSTATS_KMEM_N_DIVISION] + k->counts[KSTATS_KMEM_N_UNREADABLE],
	};

	add_up(&a, k);
	a.seen = a.rows + a.no_row;
	a.freed += a.no_life;
	a.matched = a.freed;
	if (k->lifetimes && k->span.final) {
		a.allocs_off = a.seen - (a.freed + a.live + a.reused + a.no_live);
		a.frees_off = a.frees - (a.matched + a.null + a.unknown);
	}
	return a;
}

bool kmem_account_closes(const struct kmem_account *a)
{
	return !a->allocs_off && !a->frees_off;
}

uint64_t kmem_account_lost(const struct kmem_account *a)
{
	return a->skipped + a->no_row + a->no_live + a->no_life + a->no_value;
}

uint64_t kmem_account_events(const struct kmem_account *a)
{
	return a->seen + a->frees + a->skipped + a->no_value;
}

static size_t say_sums(const struct kmem *k, const struct kmem_account *a,
		       char buf[KMEM_ACCOUNT_TEXT])
{
	int64_t off = a->allocs_off ? a->allocs_off : a->frees_off;
	char n[UNITS_TEXT];

	if (!k->span.final)
		snprintf(buf, KMEM_ACCOUNT_TEXT, "still running");
	else if (off)
		snprintf(buf, KMEM_ACCOUNT_TEXT, "DOES NOT CLOSE: %s %s %s; please report it",
			 units_count(n, off < 0 ? -(uint64_t)off : off),
			 a->allocs_off ? "allocations" : "frees",
			 off < 0 ? "too many in the sum" : "unaccounted for");
	else
		snprintf(buf, KMEM_ACCOUNT_TEXT, "%s", k->lifetimes ? "closes" : "counted");
	return strlen(buf);
}

const char *kmem_account_verdict(const struct kmem *k, const struct kmem_account *a,
				 char buf[KMEM_ACCOUNT_TEXT])
{
	uint64_t room = kmem_account_lost(a) - a->skipped - a->no_value;
	size_t len = say_sums(k, a, buf);
	char n[UNITS_TEXT];

	if (a->unverified)
		len += snprintf(buf + len, KMEM_ACCOUNT_TEXT - len, "; %s unverified lifetime%s",
				units_count(n, a->unverified), a->unverified == 1 ? "" : "s");
	if (a->skipped)
		len += snprintf(buf + len, KMEM_ACCOUNT_TEXT - len, "; SKIPPED %s%s event%s",
				*k->filters ? "up to " : "", units_count(n, a->skipped),
				a->skipped == 1 ? "" : "s");
	if (room)
		len += snprintf(buf + len, KMEM_ACCOUNT_TEXT - len, "; NO ROOM for %s",
				units_count(n, room));
	if (a->no_value)
		len += snprintf(buf + len, KMEM_ACCOUNT_TEXT - len, "; NO VALUE for %s",
				units_count(n, a->no_value));
	if (a->unseen)
		len += snprintf(buf + len, KMEM_ACCOUNT_TEXT - len, "; %zu kind%s of events unseen",
				a->unseen, a->unseen == 1 ? "" : "s");
	if (!kmem_account_lost(a))
		snprintf(buf + len, KMEM_ACCOUNT_TEXT - len, "%s",
			 a->unseen ? ", nothing else lost" : ", nothing lost");
	return buf;
}
