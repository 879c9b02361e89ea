// SPDX-License-Identifier: GPL-2.0-only
/* test_kmem_table.c - memory events grouped and sorted, their sums, distributions and account. */
#include "kmem_fixture.h"

#include <errno.h>

#include "kmem/account.h"
#include "kmem/compare.h"
#include "kmem/pairs.h"
#include "kmem/table.h"

static struct kmem_table make(const struct kmem *k, const char *by, enum kmem_sort sort)
{
	struct kmem_table t;

	assert_int_equal(kmem_table_make(&t, k, by, sort), 0);
	return t;
}

/* Sites with the same name are told apart, and are of one name all the same. */
static void test_names(void **state)
{
	struct kmem *k = kmem_fixture_empty();
	struct kmem_table t;
	size_t i;

	for (i = 0; i < 60; i++)
		kmem_fixture_live(
			kmem_fixture_row(k, KSTATS_KMEM_KMALLOC + i % 2,
					 kmem_fixture_site(k, i % 3 ? "one" : "two", NULL), 8, 8,
					 100 - i),
			1, 1);
	kmem_fixture_cache(k, "c", 8, 8);
	t = make(k, NULL, KMEM_SORT_COUNT);
	assert_int_equal(t.n, 60);
	/* By count: the first six are one of each kind and name, and "one" twice. */
	for (i = 0; i < t.n; i++)
		assert_int_equal(t.entries[i].nth,
				 i % 3 ? 1 + i / 3 / 2 * 2 + (i % 6 > 2) : 1 + i / 6);
	assert_int_equal(kmem_table_live(&t, KSTATS_KMEM_KMALLOC, "one"), 20 * 8);
	assert_int_equal(kmem_table_live(&t, KSTATS_KMEM_CACHE, "two"), 10 * 8);
	assert_int_equal(kmem_table_live(&t, KSTATS_KMEM_PAGES, "one"), 0);
	assert_int_equal(kmem_table_live(&t, KSTATS_KMEM_KMALLOC, "zero"), 0);
	kmem_table_free(&t);
	kmem_free(k);
}

/* The rows of one site are one entry, whose sums are theirs. */
static void test_sites(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_table t = make(k, NULL, KMEM_SORT_WASTE);
	const struct kmem_entry *e = &t.entries[0];

	assert_int_equal(t.n, 4);
	assert_string_equal(e->name, "kmemdup+0x1e");
	assert_string_equal(e->line, "mm/util.c:124");
	assert_int_equal(e->size, 33);
	assert_int_equal(e->last, 1055);
	assert_int_equal(e->each, 64);
	assert_int_equal(e->each_last, 2048);
	assert_int_equal(e->n_rows, 2);
	assert_int_equal(e->sums.count, 1061);
	assert_int_equal(e->sums.req, 1000 * 33 + 61 * 1037);
	assert_int_equal(e->sums.alloc, 1000 * 64 + 61 * 2048);
	assert_int_equal(e->sums.waste, e->sums.alloc - e->sums.req);
	assert_int_equal(e->sums.live, 98);
	assert_int_equal(e->sums.live_oldest_ns, 9876543210);
	assert_int_equal(e->sums.freed, 960);
	assert_int_equal(e->sums.other_cpu, 200);
	assert_int_equal(e->sums.other_numa, 0);
	assert_string_equal(t.entries[1].cache, "ext4_inode_cache");
	assert_string_equal(t.entries[3].name, "(pages)");
	kmem_table_free(&t);
	kmem_free(k);
}

static const struct {
	const char *by;
	enum kmem_sort sort;
	const char *names[6];
} orders[] = {
	{ "site",
	  KMEM_SORT_WASTE,
	  { "kmemdup+0x1e", "ext4_alloc_inode+0x1f [ext4]", "seq_open+0x2b", "(pages)" } },
	{ "site",
	  KMEM_SORT_BYTES,
	  { "ext4_alloc_inode+0x1f [ext4]", "(pages)", "kmemdup+0x1e", "seq_open+0x2b" } },
	{ "site",
	  KMEM_SORT_COUNT,
	  { "ext4_alloc_inode+0x1f [ext4]", "kmemdup+0x1e", "seq_open+0x2b", "(pages)" } },
	{ "site",
	  KMEM_SORT_RATE,
	  { "ext4_alloc_inode+0x1f [ext4]", "kmemdup+0x1e", "seq_open+0x2b", "(pages)" } },
	{ "site",
	  KMEM_SORT_LIVE,
	  { "ext4_alloc_inode+0x1f [ext4]", "kmemdup+0x1e", "(pages)", "seq_open+0x2b" } },
	{ "cache",
	  KMEM_SORT_COUNT,
	  { "ext4_inode_cache", "kmalloc of 64", "kmalloc of 32", "pages of order 1",
	    "kmalloc of 2,048" } },
	{ "size",
	  KMEM_SORT_COUNT,
	  { "cache of 1,096", "kmalloc of 33", "kmalloc of 24", "pages of 8,192",
	    "kmalloc of 1,024..1,055" } },
	{ "order", KMEM_SORT_COUNT, { "cache", "kmalloc", "pages of order 1" } },
	{ "kind", KMEM_SORT_WASTE, { "kmalloc", "cache", "pages" } },
};

static void test_orders(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_table t;
	size_t i, n;

	for (i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		t = make(k, orders[i].by, orders[i].sort);
		for (n = 0; orders[i].names[n]; n++)
			assert_string_equal(t.entries[n].name, orders[i].names[n]);
		assert_int_equal(t.n, n);
		kmem_table_free(&t);
	}
	kmem_free(k);
}

/* Whatever the groups are, their sums are those of all rows. */
static void test_sums(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_sums total[KMEM_KINDS + 1] = {};
	static const char *const groups[] = { "site",     "cache",      "size",
					      "order",    "kind",       "comm",
					      "comm,uid", "uid , site", "cache,size,comm" };
	static const char *const comms[] = { "bash", "make", "bash", "bash", "make" };
	static const char *const uids[] = { "0", "0", "1000", "0", "1000" };
	struct kmem_table t;
	struct kmem_sums s;
	size_t i, group;
	int kind;

	kmem_fixture_by(k, "comm", comms);
	kmem_fixture_by(k, "uid", uids);
	for (group = 0; group < sizeof(groups) / sizeof(*groups); group++) {
		memset(total, 0, sizeof(total));
		t = make(k, groups[group], KMEM_SORT_WASTE);
		for (i = 0; i < t.n; i++) {
			total[t.entries[i].kind].count += t.entries[i].sums.count;
			total[t.entries[i].kind].alloc += t.entries[i].sums.alloc;
			total[t.entries[i].kind].live += t.entries[i].sums.live;
			total[t.entries[i].kind].freed += t.entries[i].sums.freed;
		}
		for (kind = 1; kind <= KMEM_KINDS; kind++) {
			s = kmem_total(k, kind);
			/* What found no row is in no group. */
			assert_int_equal(total[kind].count, s.count - (kind == 1 ? 2 : 0));
			assert_int_equal(total[kind].alloc, s.alloc - (kind == 1 ? 32 : 0));
			assert_int_equal(total[kind].live, s.live);
			assert_int_equal(total[kind].freed, s.freed);
		}
		kmem_table_free(&t);
	}
	kmem_free(k);
}

static void test_dimension(void **state)
{
	static const char *const comms[] = { "bash", "make", "bash", "bash", "make" };
	struct kmem *k = kmem_fixture(false);
	struct error e;
	struct kmem_table t;

	fixture_text(&k->source, "k.json");
	assert_int_equal(kmem_group_check(k, "comm", &e), -ENODATA);
	assert_string_equal(e.why, "it has only site, cache, kind, size, order");
	assert_int_equal(kmem_group_check(k, " kind", &e), 0);
	kmem_fixture_by(k, "comm", comms);
	assert_int_equal(kmem_group_check(k, "comm,site", &e), 0);
	assert_int_equal(kmem_group_check(k, "comm,cpu", &e), -ENODATA);
	assert_int_equal(kmem_group_check(k, "site,comm,kind", &e), 0);
	assert_int_equal(kmem_group_check(k, "site,comm,kind,size", &e), -E2BIG);
	assert_int_equal(kmem_group_check(k, "comm,", &e), -EINVAL);
	assert_int_equal(kmem_group_check(k, "", &e), -EINVAL);
	assert_int_equal(kmem_group_check(k, "comm,cpu", &e), -ENODATA);
	assert_string_equal(e.why, "it has only site, cache, kind, size, order, comm");
	t = make(k, "comm", KMEM_SORT_COUNT);
	assert_int_equal(t.n, 4);
	assert_string_equal(t.entries[0].name, "bash");
	assert_int_equal(t.entries[0].kind, KSTATS_KMEM_CACHE);
	assert_string_equal(t.entries[1].name, "bash");
	assert_int_equal(t.entries[1].sums.count, 1061);
	assert_string_equal(t.entries[2].name, "make");
	kmem_table_free(&t);
	kmem_free(k);
}

/* Each part tells entries apart, and the name has all of them. */
static void test_parts(void **state)
{
	static const char *const asked[] = { "0", "1", "1", "0", "1" };
	static const char *const comms[] = { "bash", "make", "bash", "bash", "make" };
	struct kmem *k = kmem_fixture(false);
	struct kmem_table t;

	kmem_fixture_by(k, "gfp & __GFP_ZERO", asked);
	kmem_fixture_by(k, "comm", comms);
	t = make(k, "comm,gfp&__GFP_ZERO", KMEM_SORT_COUNT);
	assert_string_equal(t.group.heading, "task's name, gfp & __GFP_ZERO");
	assert_int_equal(t.n, 5);
	assert_string_equal(t.entries[1].name, "bash, 0");
	assert_int_equal(t.entries[1].sums.count, 1000);
	assert_string_equal(t.entries[2].name, "make, 1");
	assert_string_equal(t.entries[4].name, "bash, 1");
	kmem_table_free(&t);
	t = make(k, "kind,comm", KMEM_SORT_COUNT);
	assert_string_equal(t.entries[0].name, "cache, bash");
	assert_string_equal(t.entries[1].name, "kmalloc, bash");
	assert_true(kmem_group_has(&t.group, KMEM_KIND));
	assert_false(kmem_group_is(&t.group, KMEM_KIND));
	kmem_table_free(&t);
	kmem_free(k);
}

/* An allocation that got less than it asked for wastes nothing, and is told. */
static void test_short(void **state)
{
	struct kmem *k = kmem_fixture(false);
	struct kmem_sums s;

	k->rows[0].each = 32;
	k->rows[0].alloc = 32000;
	s = kmem_total(k, KSTATS_KMEM_KMALLOC);
	assert_int_equal(s.short_count, 1000);
	assert_int_equal(s.waste, 313 * 8 + 61 * (2048 - 1037) + 12);
	kmem_free(k);
}

/* ---- distributions ---- */

static void test_lifetimes(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_table t = make(k, NULL, KMEM_SORT_WASTE);
	const uint32_t quantiles[] = { 0, 62499, 62500, 62501, 500000, 791666, 791667, DIST_ONE };
	struct dist_bounds a, b;
	struct dist d;
	size_t i;

	assert_int_equal(kmem_lifetimes(&d, &t, &t.entries[0]), 0);
	assert_int_equal(d.samples, 960);
	assert_true(d.sum_lo == 700 * 900 + 200 * 12345 + 60 * 150);
	assert_true(d.sum_lo == d.sum_hi);
	for (i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		a = dist_quantile(&d, quantiles[i]);
		b = kmem_life_quantile(&t, &t.entries[0], quantiles[i]);
		assert_int_equal(a.lo, b.lo);
		assert_int_equal(a.hi, b.hi);
	}
	b = kmem_life_quantile(&t, &t.entries[0], 500000);
	assert_true(b.lo <= 900 && 900 <= b.hi);
	b = kmem_life_quantile(&t, &t.entries[0], DIST_ONE);
	assert_true(b.lo <= 12345 && 12345 <= b.hi);
	dist_close(&d);
	kmem_table_free(&t);
	kmem_free(k);
}

/* Lifetimes that are not sure are freed objects, and nothing else. */
static void test_unverified(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_account a;
	struct kmem_table t;
	struct kmem_sums s, more = {};
	struct dist d;

	k->lifes[1].flags |= KSTATS_KMEM_UNVERIFIED;
	k->programs[2].skipped = 9; /* frees; besides 7 allocations */
	t = make(k, NULL, KMEM_SORT_WASTE);
	assert_int_equal(kmem_lifetimes(&d, &t, &t.entries[0]), 0);
	assert_int_equal(d.samples, 760);
	assert_true(d.sum_lo == 700 * 900 + 60 * 150);
	assert_true(kmem_life_quantile(&t, &t.entries[0], DIST_ONE).hi < 1000);
	s = kmem_total(k, KSTATS_KMEM_KMALLOC);
	assert_int_equal(s.freed, 700 + 313 + 60);
	assert_int_equal(s.unverified, 200);
	kmem_sums_add(&more, &s);
	assert_memory_equal(&more, &s, sizeof(s));
	assert_int_equal(s.other_cpu, 0);
	a = kmem_account(k);
	assert_int_equal(a.freed, 700 + 200 + 313 + 60 + 4000 + 127 + 2);
	assert_int_equal(a.unverified, 200);
	assert_true(kmem_account_closes(&a));
	assert_int_equal(a.too_long, 9); /* allocations in bulk are unseen */
	fixture_text(&k->programs[6].method, "fexit");
	assert_int_equal(kmem_account(k).too_long, 7);
	fixture_text(&k->programs[3].method, "");
	assert_int_equal(kmem_account(k).too_long, 200); /* so are frees */
	fixture_text(&k->programs[3].method, "tracepoint");
	fixture_text(&k->programs[1].event, "kmem_cache_others");
	assert_int_equal(kmem_account(k).too_long, 9); /* not measured */
	fixture_text(&k->programs[1].event, "kmem_cache_alloc");
	k->lifes[k->n_lifes - 1].flags |= KSTATS_KMEM_UNVERIFIED;
	k->lifes[k->n_lifes - 1].how = KSTATS_KMEM_PAGE_FREE;
	assert_int_equal(kmem_account(k).too_long, 9); /* pages in bulk */
	k->lifes[k->n_lifes - 1].flags = 0;
	assert_int_equal(kmem_account(k).too_long, 7);
	fixture_text(&k->filters, "comm sh");
	assert_int_equal(kmem_account(k).too_long, 9);
	dist_close(&d);
	kmem_table_free(&t);
	kmem_free(k);
}

/* Where nothing was freed there is no lifetime. */
static void test_no_lifetimes(void **state)
{
	struct kmem *k = kmem_fixture(false);
	struct kmem_table t = make(k, NULL, KMEM_SORT_WASTE);
	struct dist_bounds b = kmem_life_quantile(&t, &t.entries[0], 500000);

	assert_int_equal(b.hi, 0);
	kmem_table_free(&t);
	kmem_free(k);
}

static void test_bytes(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_table t = make(k, NULL, KMEM_SORT_WASTE);
	struct dist_bounds b;
	struct dist d;
	uint32_t bits;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		assert_int_equal(kmem_bytes(&d, &t, &t.entries[0], KMEM_REQUESTED, bits), 0);
		assert_int_equal(d.samples, 1061);
		assert_int_equal(d.slots[kstats_slot_index(33, bits)].samples, 1000);
		assert_int_equal(d.slots[kstats_slot_index(1037, bits)].samples, 61);
		dist_close(&d);
		assert_int_equal(kmem_bytes(&d, &t, &t.entries[0], KMEM_WASTED, bits), 0);
		b = dist_quantile(&d, 0);
		assert_true(b.lo <= 31 && 31 <= b.hi);
		b = dist_quantile(&d, DIST_ONE);
		assert_true(b.lo <= 1011 && 1011 <= b.hi);
		dist_close(&d);
	}
	kmem_table_free(&t);
	kmem_free(k);
}

/* ---- the account ---- */

static void test_account(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_account a = kmem_account(k);
	char text[KMEM_ACCOUNT_TEXT];

	assert_int_equal(a.seen, 1000 + 313 + 61 + 5011 + 127 + 2);
	assert_int_equal(a.freed, 700 + 200 + 313 + 60 + 4000 + 127 + 2);
	assert_int_equal(a.live, 97 + 1 + 1000);
	assert_int_equal(a.reused, 3);
	assert_int_equal(a.no_live, 11);
	assert_int_equal(a.frees, a.matched + 17 + 29);
	assert_true(kmem_account_closes(&a));
	assert_int_equal(kmem_account_lost(&a), 7 + 2 + 11);
	assert_non_null(strstr(kmem_account_verdict(k, &a, text), "closes; SKIPPED 7 events;"));
	a.skipped = 1;
	assert_non_null(strstr(kmem_account_verdict(k, &a, text), "closes; SKIPPED 1 event;"));
	free(k->filters);
	k->filters = strdup("pid 1");
	assert_non_null(strstr(kmem_account_verdict(k, &a, text), "; SKIPPED up to 1 event;"));
	kmem_free(k);
}

static void test_account_open(void **state)
{
	static const enum kstats_kmem_count moved[] = {
		KSTATS_KMEM_N_REUSED, KSTATS_KMEM_N_NO_LIVE,    KSTATS_KMEM_N_NO_LIFE,
		KSTATS_KMEM_N_NULL,   KSTATS_KMEM_N_UNKNOWN,    KSTATS_KMEM_N_NO_ROW,
		KSTATS_KMEM_N_FREES,  KSTATS_KMEM_N_NO_ROW + 2,
	};
	char text[KMEM_ACCOUNT_TEXT];
	struct kmem_account a;
	struct kmem *k;
	size_t i;

	for (i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
		k = kmem_fixture(true);
		k->counts[moved[i]]++;
		a = kmem_account(k);
		assert_false(kmem_account_closes(&a));
		assert_non_null(strstr(kmem_account_verdict(k, &a, text), "DOES NOT CLOSE"));
		k->span.final = false;
		a = kmem_account(k);
		assert_true(kmem_account_closes(&a));
		kmem_free(k);
	}
	k = kmem_fixture(true);
	k->live_no_row = 1;
	a = kmem_account(k);
	assert_int_equal(a.allocs_off, -1);
	kmem_free(k);
}

/* ---- pairs ---- */

static void test_pairs(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_pair *pairs;
	size_t n;

	assert_int_equal(kmem_pairs(k, &pairs, &n), 0);
	assert_int_equal(n, 5);
	assert_string_equal(k->sites[pairs[0].from].name, "ext4_alloc_inode+0x1f [ext4]");
	assert_string_equal(k->sites[pairs[0].to].name, "i_callback+0x11");
	assert_int_equal(pairs[0].count, 4000);
	assert_int_equal(pairs[0].other_numa, 4000);
	assert_string_equal(k->sites[pairs[1].from].name, "kmemdup+0x1e");
	assert_int_equal(pairs[1].count, 960);
	assert_int_equal(pairs[1].other_cpu, 200);
	assert_int_equal(pairs[1].other_task, 200);
	assert_int_equal(pairs[2].other_cpu, 0);
	assert_int_equal(pairs[2].other_task, 313);
	free(pairs);
	kmem_free(k);
}

/* What may be the free of a later object does not tell who frees what a site allocates. */
static void test_pairs_sure(void **state)
{
	struct kmem *k = kmem_fixture(true);
	struct kmem_pair *pairs;
	size_t n;

	k->lifes[1].flags |= KSTATS_KMEM_UNVERIFIED;
	assert_int_equal(kmem_pairs(k, &pairs, &n), 0);
	assert_int_equal(n, 5);
	assert_string_equal(k->sites[pairs[1].from].name, "seq_open+0x2b");
	assert_string_equal(k->sites[pairs[2].from].name, "kmemdup+0x1e");
	assert_int_equal(pairs[2].count, 700 + 60);
	assert_int_equal(pairs[2].other_cpu, 0);
	assert_int_equal(pairs[2].other_task, 0);
	free(pairs);
	kmem_free(k);
}

/* ---- two sides ---- */

static struct kmem_compare compare(struct kmem **a, size_t n_a, struct kmem **b, size_t n_b,
				   enum kmem_sort sort)
{
	const struct kmem_side before = { n_a, (const struct kmem *const *)a };
	const struct kmem_side after = { n_b, (const struct kmem *const *)b };
	struct kmem_compare c;

	assert_int_equal(kmem_compare_make(&c, &before, &after, NULL, sort), 0);
	return c;
}

static void test_compare(void **state)
{
	struct kmem *a = kmem_fixture(false), *b = kmem_fixture(false);
	struct kmem *sides[] = { b, b };
	struct kmem_compare c;

	b->rows[1].count *= 3;
	b->rows[1].req *= 3;
	b->rows[1].alloc *= 3;
	c = compare(&a, 1, sides, 2, KMEM_SORT_WASTE);
	assert_false(c.functions);
	assert_false(c.per_second);
	assert_true(c.unit_a == 1 && c.unit_b == 2);
	assert_int_equal(c.n, 4);
	assert_string_equal(c.rows[0].name, "seq_open+0x2b");
	assert_int_equal(c.rows[0].a.waste, 313 * 8);
	assert_int_equal(c.rows[0].b.waste, 2 * 3 * 313 * 8);
	assert_int_equal(c.totals[KSTATS_KMEM_CACHE].b.count, 2 * 5011);
	assert_int_equal(c.lost_a, 9);
	assert_int_equal(c.lost_b, 18);
	kmem_compare_free(&c);
	kmem_free(a);
	kmem_free(b);
}

/* Offsets in functions differ from kernel to kernel, and modules do not. */
static void test_compare_kernels(void **state)
{
	struct kmem *a = kmem_fixture(false), *b = kmem_fixture(false);
	struct kmem_compare c;
	size_t i, inode = 0;

	fixture_text(&b->machine.build_id, "11");
	fixture_text(&b->sites[3].name, "ext4_alloc_inode+0x33 [ext4]");
	fixture_text(&b->command, "");
	b->span.end_ns += 10000000000;
	c = compare(&a, 1, &b, 1, KMEM_SORT_COUNT);
	assert_true(c.functions);
	assert_true(c.per_second);
	assert_true(c.unit_a == 10 && c.unit_b == 20);
	assert_int_equal(c.n, 4);
	for (i = 0; i < c.n; i++)
		inode += !strcmp(c.rows[i].name, "ext4_alloc_inode [ext4]") &&
			 c.rows[i].a.count == 5011 && c.rows[i].b.count == 5011;
	assert_int_equal(inode, 1);
	kmem_compare_free(&c);
	kmem_free(a);
	kmem_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),        cmocka_unit_test(test_sites),
		cmocka_unit_test(test_orders),       cmocka_unit_test(test_sums),
		cmocka_unit_test(test_dimension),    cmocka_unit_test(test_parts),
		cmocka_unit_test(test_short),        cmocka_unit_test(test_lifetimes),
		cmocka_unit_test(test_unverified),   cmocka_unit_test(test_no_lifetimes),
		cmocka_unit_test(test_bytes),        cmocka_unit_test(test_account),
		cmocka_unit_test(test_account_open), cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_compare),      cmocka_unit_test(test_compare_kernels),
		cmocka_unit_test(test_pairs_sure),
	};

	return cmocka_run_group_tests_name("kmem_table", tests, NULL, NULL);
}
