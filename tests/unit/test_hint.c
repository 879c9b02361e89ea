// SPDX-License-Identifier: GPL-2.0-only
/* test_hint.c - advice on pairs whose starts and ends fit each other badly. */
#include "fixture.h"

#include "result/hint.h"

/* A pair with so many samples. */
static struct snapshot *pair(const char *pairing, const char *what, uint64_t samples)
{
	struct snapshot *s = fixture_new(3, 2, 1);

	fixture_text(&s->pairing, pairing);
	fixture_text(&s->nodes[0].what, what);
	fixture_record(s, 0, 0, 5000, samples);
	return s;
}

static void tell(struct snapshot *s, enum kstats_ledger id, uint64_t n)
{
	s->nodes[0].ledger[id] += n;
	if (id != KSTATS_UNMATCHED)
		s->nodes[0].ledger[KSTATS_STARTED] += n;
}

/* @words: some of the advice; NULL: there is none. Releases the snapshot. */
static void advises(struct snapshot *s, const char *words)
{
	char text[HINT_TEXT];
	const char *hint = hint_pair(s, 0, text);

	if (!words)
		assert_null(hint);
	else
		assert_true(hint && strstr(hint, words));
	snapshot_free(s);
}

/* Of 100 ends, as many as @n have no start, and @open starts no end. */
static struct snapshot *unmatched(uint64_t n, uint64_t open)
{
	struct snapshot *s = pair("by key p->pid", "from a to b", 100 - n);

	tell(s, KSTATS_UNMATCHED, n);
	tell(s, KSTATS_IN_FLIGHT, open);
	return s;
}

static void test_unmatched(void **state)
{
	struct snapshot *s;

	advises(unmatched(0, 0), NULL);
	advises(unmatched(20, 0), NULL);
	advises(unmatched(21, 0), "21% of the ends have no start");
	advises(unmatched(50, 0), "the keys of start and end may differ");
	s = pair("per CPU", "from a to b", 50);
	tell(s, KSTATS_UNMATCHED, 50);
	advises(s, "or an end needs a condition ('POINT if EXPR'). See also 'kstats-bpf recipes'.");
	s = pair("by task", "from a to b", 50);
	tell(s, KSTATS_UNMATCHED, 50);
	advises(s, "one of the two may be in an interrupt, the other in a task (then join them");
	/* Their starts lie before the measurement, where about as many were open as are now. */
	advises(unmatched(50, 14), "50% of the ends");
	advises(unmatched(50, 15), NULL);
	s = pair("by task", "from a to b", 50);
	tell(s, KSTATS_UNMATCHED, 50);
	s->nodes[0].ledger[KSTATS_STARTED] += 15;
	s->span.final = false;
	advises(s, NULL);
	s = pair("by task", "entry to return of a", 50);
	tell(s, KSTATS_UNMATCHED, 50);
	advises(s, NULL);
	/* Ends that a condition leaves out have their start. */
	s = pair("by task", "from a to b", 50);
	tell(s, KSTATS_UNMATCHED, 50);
	tell(s, KSTATS_IF, 200);
	advises(s, NULL);
	/* So do those that end no call, or of which it is not certain. */
	s = pair("by task", "from a to b", 50);
	tell(s, KSTATS_UNMATCHED, 50);
	tell(s, KSTATS_CANCELLED, 100);
	tell(s, KSTATS_UNVERIFIED, 100);
	advises(s, NULL);
}

static struct snapshot *again(const char *pairing, const char *what, enum kstats_ledger id)
{
	struct snapshot *s = pair(pairing, what, 300);

	tell(s, id, 20);
	return s;
}

static void test_again(void **state)
{
	struct snapshot *s;

	advises(again("by key req", "from a to b", KSTATS_AGAIN), "6% of the starts came while");
	advises(again("by key req", "from a to b", KSTATS_AGAIN), "one key");
	advises(again("by task", "from a to b", KSTATS_NESTED), "a task can have several");
	advises(again("per CPU", "from a to b", KSTATS_SUPERSEDED), "a processor can have several");
	advises(again("by key req", "from the first a to b", KSTATS_AGAIN), NULL);
	advises(again("by task", "entry to return of a", KSTATS_NESTED), NULL);
	s = pair("by key req", "from a to b", 400);
	tell(s, KSTATS_AGAIN, 20);
	advises(s, NULL);
	s = pair("by key req", "from a to b", 100);
	tell(s, KSTATS_AGAIN, 19);
	advises(s, NULL);
	/* What is the larger share comes first. */
	s = pair("by task", "from a to b", 100);
	tell(s, KSTATS_UNMATCHED, 100);
	tell(s, KSTATS_NESTED, 200);
	advises(s, "67% of the starts were dropped");
}

static void test_open(void **state)
{
	struct snapshot *s = pair("by key req", "from a to b", 20);

	tell(s, KSTATS_IN_FLIGHT, 21);
	advises(s, "51% of the starts have no end");
	s = pair("by key req", "from a to b", 20);
	tell(s, KSTATS_IN_FLIGHT, 20);
	advises(s, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unmatched),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_open),
	};

	return cmocka_run_group_tests_name("hint", tests, NULL, NULL);
}
