/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * golden_cases.h - the snapshots behind the golden files: what a report must
 * show well. Called by test_golden.c.
 */
#ifndef KSTATS_GOLDEN_CASES_H
#define KSTATS_GOLDEN_CASES_H

#include "kstats_parts.h"
#include "fixture.h"
#include "result/ledger.h"
#include "report/look.h"
#include "why_fixture.h"

/* Two modes, a long tail, four CPUs: what most people see. */
static struct snapshot *case_bimodal(void)
{
	struct snapshot *s = fixture_new(5, 4, 1);
	uint64_t r = 1, i;

	fixture_name(s, 0, "vfs_read");
	fixture_begin(s);
	for (i = 0; i < 80021; i++)
		fixture_record(s, 0, i % 4, fixture_near(&r, 480, 1), 1);
	for (i = 0; i < 20011; i++)
		fixture_record(s, 0, i % 3, fixture_near(&r, 15000, 1), 1);
	for (i = 0; i < 37; i++)
		fixture_record(s, 0, 2, fixture_near(&r, 2000000, 2), 1);
	fixture_end(s);
	fixture_count(s, 0, KSTATS_IN_FLIGHT, 2);
	fixture_count(s, 0, KSTATS_UNMATCHED, 1);
	return s;
}

static struct snapshot *case_why(void)
{
	struct snapshot *s = fixture_new(5, 4, 1);
	uint64_t r = 31, i;

	fixture_name(s, 0, "vfs_read");
	fixture_begin(s);
	for (i = 0; i < WHY_CALLS - WHY_SLOW; i++)
		fixture_record(s, 0, i % 4, 5000 + fixture_random(&r) % 4000, 1);
	for (i = 0; i < WHY_SLOW; i++)
		fixture_record(s, 0, i % 4, 400000 + fixture_random(&r) % 300000, 1);
	fixture_end(s);
	return s;
}

static void describe_why(struct recording *r)
{
	r->why = why_fixture();
}

static struct snapshot *case_why_callees(void)
{
	struct snapshot *s = fixture_new(5, 4, 2);

	fixture_name(s, 0, "vfs_read");
	fixture_name(s, 1, "vfs_read:self");
	fixture_text(&s->nodes[1].what, "entry to return of vfs_read, without its callees; with "
					"those that are not traced: an indirect call");
	s->nodes[1].kind = SNAPSHOT_SELF;
	s->nodes[1].owner = 0;
	fixture_begin(s);
	fixture_record(s, 0, 0, 5000, 1);
	fixture_end(s);
	return s;
}

static void describe_why_callees(struct recording *r)
{
	r->why = why_fixture_divided();
}

static void describe_bimodal(struct recording *r)
{
	fixture_text(&r->source, "before.json");
	fixture_text(&r->machine.cpu, "Example CPU 4000 @ 3.20GHz");
	fixture_text(&r->machine.clock, "tsc");
	fixture_text(&r->machine.build_id, "0123456789abcdef0123456789abcdef01234567");
	r->machine.cpus_online = 4;
	r->status = 3;
	fixture_text(&r->whole->command, "sh -c 'exit 3'");
	assert_int_equal(tags_set(&r->tags, "commit", "1a2b3c", NULL), 0);
	fixture_cost(r, "fentry/fexit", 38);
	assert_int_equal(tags_set(&r->tags, "branch", "\"quoted\" <b>", NULL), 0);
}

static void describe_tail(struct recording *r)
{
	fixture_cost(r, "kprobe/kretprobe", 263);
}

static void describe_one(struct recording *r)
{
	fixture_text(&r->source, "one, and \"only\".json");
}

static void describe_many(struct recording *r)
{
	fixture_cost(r, "fentry/fexit", 431);
}

/* From nanoseconds to half a minute, with every kind of loss. */
static struct snapshot *case_tail(void)
{
	struct snapshot *s = fixture_new(5, 8, 1);
	uint64_t r = 2, i;
	int place, id;

	fixture_name(s, 0, "blk_mq_submit_bio");
	fixture_text(&s->nodes[0].method, "kprobe/kretprobe");
	fixture_text(&s->nodes[0].reason,
		     "fentry refused: the security policy of this machine forbids tracing programs "
		     "that are attached to functions");
	fixture_text(&s->filters, "pid 12,13,14; cpu 0-3,5; comm fio; cgroup /system.slice; "
				  "not shorter than 10 ns");
	fixture_text(&s->command, "fio --name=random --rw=randread --bs=4k --size=1g --runtime=30");
	fixture_begin(s);
	for (i = 0; i < 300007; i++)
		fixture_record(s, 0, i % 8, fixture_near(&r, 260, 1), 1);
	for (i = 0; i < 40; i++)
		fixture_record(s, 0, i % 8, 1ULL << (i % 35), 1);
	fixture_end(s);
	for (i = 0, place = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		if (ledger_rows[id].rare)
			continue;
		if (id != KSTATS_STARTED)
			fixture_count(s, 0, id, 3 + place * place);
		place++;
	}
	return s;
}

static struct snapshot *case_one(void)
{
	struct snapshot *s = fixture_new(5, 2, 1);

	fixture_name(s, 0, "do_mount");
	fixture_record(s, 0, 1, 123456789, 1);
	fixture_count(s, 0, KSTATS_SKIPPED_SHARED, 2);
	return s;
}

/* Nothing was called; a filter may be why. */
static struct snapshot *case_empty(void)
{
	struct snapshot *s = fixture_new(5, 2, 3);

	fixture_name(s, 0, "vfs_write");
	fixture_name(s, 1, "vfs_write:error");
	s->nodes[1].kind = SNAPSHOT_ERROR;
	s->nodes[1].owner = 0;
	fixture_name(s, 2, "GAP-vfs_write");
	s->nodes[2].kind = SNAPSHOT_GAP;
	s->nodes[2].owner = 0;
	fixture_text(&s->filters, "pid 4242");
	return s;
}

/* The edges of the numbers, an account that is wrong, and names that bite. */
static struct snapshot *case_hostile(void)
{
	struct snapshot *s = fixture_new(0, 1, 2);
	uint32_t last = kstats_n_slots(0) - 1;

	fixture_name(s, 0, "=cmd|' /C calc'!A0");
	fixture_text(&s->nodes[0].what, "a \"quoted\", \033[31mred\033[0m\r\nand <b>bold</b> name");
	fixture_text(&s->nodes[0].reason, "\xe2\x80\xae"
					  "backwards");
	fixture_record(s, 0, 0, UINT64_MAX, 3);
	fixture_record(s, 0, 0, 0, 5);
	fixture_set(s, 0, 0, last,
		    (struct kstats_slot){ 2, 2 * kstats_slot_scale(UINT64_MAX, last, 0) });
	fixture_name(s, 1, "@SUM(A1:A9)");
	fixture_record(s, 1, 0, 1, 1);
	s->nodes[1].ledger[KSTATS_STARTED] += 1234;
	return s;
}

/* What lies below the floor is faint where there are colours. */
static void describe_hostile(struct recording *r)
{
	fixture_cost(r, "fentry/fexit", 38);
}

/* The figures of the example in the description of the format. */
static struct snapshot *case_classic(void)
{
	struct snapshot *s = fixture_new(3, 28, 1);

	fixture_name(s, 0, "netif_receive_skb");
	fixture_record(s, 0, 0, 480, 589);
	fixture_record(s, 0, 3, 480, 225);
	fixture_record(s, 0, 0, 700, 21330 - 589);
	fixture_record(s, 0, 12, 512, 328950 - 21330 - 225);
	return s;
}

static struct snapshot *case_cpus(void)
{
	struct snapshot *s = fixture_new(3, 256, 1);
	uint64_t r = 3, i;

	fixture_name(s, 0, "try_to_wake_up");
	fixture_text(&s->pairing, "per CPU");
	fixture_begin(s);
	for (i = 0; i < 10007; i++)
		fixture_record(s, 0, i % 127 * 2, fixture_near(&r, 900, 1), 1);
	fixture_end(s);
	fixture_count(s, 0, KSTATS_SUPERSEDED, 5);
	return s;
}

/* A glob: many functions, some never called, two that lost something, ten that share a program. */
static struct snapshot *case_many(void)
{
	static const char *const names[] = {
		"sendmsg",      "recvmsg",    "ack",       "rcv_established",        "v4_do_rcv",
		"transmit_skb", "write_xmit", "rearm_rto", "rate_check_app_limited", "push"
	};
	struct snapshot *s = fixture_new(5, 2, 30);
	uint64_t r = 4, i;
	uint32_t node;
	char name[64];

	fixture_begin(s);
	for (node = 0; node < 30; node++) {
		snprintf(name, sizeof(name), "tcp_%s%.0u", names[node % 10], node / 10);
		fixture_name(s, node, name);
		if (node >= 20)
			fixture_count(s, node, KSTATS_SKIPPED_SHARED, 3);
		for (i = 0; node % 4 && i < 31U * (30 - node); i++)
			fixture_record(s, node, i % 2,
				       fixture_near(&r, 200ULL << (node * 7 % 13), 2), 1);
	}
	fixture_end(s);
	fixture_count(s, 5, KSTATS_NESTED, 7);
	fixture_count(s, 6, KSTATS_SKIPPED, 11);
	return s;
}

/* Keys of --by: more than are shown, some that bite, and samples that had no room. */
static struct snapshot *case_keys(void)
{
	static const char *const comms[] = { "bash", "=cmd|'x'", "kworker/0:1-\"ev\\", "<b>",
					     "nginx" };
	struct snapshot *s = fixture_new(5, 2, 27);
	uint64_t r = 14, i;
	uint32_t node;
	char name[64], cpu[8];

	fixture_begin(s);
	fixture_name(s, 0, "vfs_read");
	fixture_name(s, 1, "vfs_read:unverified");
	s->nodes[1].kind = SNAPSHOT_UNVERIFIED;
	s->nodes[1].owner = 0;
	for (i = 0; i < 17; i++)
		fixture_record(s, 0, i % 2, fixture_near(&r, 9000, 1), 1);
	for (node = 2; node < 27; node++) {
		snprintf(cpu, sizeof(cpu), "%u", node / 5);
		snprintf(name, sizeof(name), "vfs_read{comm=\"%s\",cpu=\"%s\"}", comms[node % 5],
			 cpu);
		fixture_name(s, node, name);
		fixture_text(&s->nodes[node].what, s->nodes[0].what);
		assert_int_equal(tags_set(&s->nodes[node].by, "comm", comms[node % 5], NULL), 0);
		assert_int_equal(tags_set(&s->nodes[node].by, "cpu", cpu, NULL), 0);
		assert_int_equal(tags_set(&s->nodes[node].numbers, "cpu", cpu, NULL), 0);
		s->nodes[node].kind = SNAPSHOT_KEY;
		s->nodes[node].owner = 0;
		for (i = 0; i < 7 + node * 13 % 20; i++)
			fixture_record(s, node, i % 2, fixture_near(&r, 300 + 70 * node, 1), 1);
	}
	fixture_end(s);
	return s;
}

/* Stacks, two of which differ behind what a line holds. */
static struct snapshot *case_stacks(void)
{
	static const char *const stacks[] = {
		"entry;do_syscall_64;__x64_sys_openat;do_sys_openat2;do_filp_open;path_openat;"
		"link_path_walk.part.0.constprop.0",
		"entry;do_syscall_64;__x64_sys_execve;do_sys_openat2;do_filp_open;path_openat;"
		"link_path_walk.part.0.constprop.0",
		"ret_from_fork_asm;kthread;worker_thread",
		"[unknown]",
	};
	struct snapshot *s = fixture_new(5, 1, 5);
	uint64_t r = 3, i;
	char name[256];
	uint32_t node;

	fixture_begin(s);
	fixture_name(s, 0, "dput");
	for (node = 1; node < 5; node++) {
		snprintf(name, sizeof(name), "dput{kstack=\"%s\"}", stacks[node - 1]);
		fixture_name(s, node, name);
		fixture_text(&s->nodes[node].what, s->nodes[0].what);
		assert_int_equal(tags_set(&s->nodes[node].by, "kstack", stacks[node - 1], NULL), 0);
		s->nodes[node].kind = SNAPSHOT_KEY;
		s->nodes[node].owner = 0;
		for (i = 0; i < 11 * node; i++)
			fixture_record(s, node, 0, fixture_near(&r, 700 * node, 1), 1);
	}
	fixture_record(s, 0, 0, 5000, 2);
	fixture_end(s);
	return s;
}

/* An interval report of a session that goes on, with errors apart and gaps. */
static struct snapshot *case_period(void)
{
	struct snapshot *s = fixture_new(4, 2, 3);
	uint64_t r = 5, i;

	s->span.final = false;
	fixture_text(&s->pairing, "by key arg0");
	fixture_name(s, 0, "nvme_queue_rq");
	fixture_text(&s->nodes[0].what, "from block_rq_issue to block_rq_complete");
	fixture_text(&s->nodes[0].method, "tracepoint pair");
	fixture_name(s, 1, "nvme_queue_rq:error");
	s->nodes[1].kind = SNAPSHOT_ERROR;
	s->nodes[1].owner = 0;
	fixture_name(s, 2, "GAP-nvme_queue_rq");
	s->nodes[2].kind = SNAPSHOT_GAP;
	s->nodes[2].owner = 0;
	fixture_begin(s);
	for (i = 0; i < 5003; i++) {
		fixture_record(s, 0, i % 2, fixture_near(&r, 85000, 1), 1);
		fixture_record(s, 2, i % 2, fixture_near(&r, 400000, 3), 1);
	}
	for (i = 0; i < 17; i++)
		fixture_record(s, 1, 0, fixture_near(&r, 900, 1), 1);
	fixture_end(s);
	fixture_count(s, 0, KSTATS_IN_FLIGHT, 4);
	return s;
}

/*
 * What is near the floor, with the floor taken off: below it, in the slot that holds
 * it, above; errors too, but no gaps, and no method whose floor is not known.
 */
static struct snapshot *case_floor(void)
{
	struct snapshot *s = fixture_new(3, 3, 4);
	uint64_t r = 11, i;

	fixture_name(s, 0, "noop_llseek");
	fixture_name(s, 1, "noop_llseek:error");
	s->nodes[1].kind = SNAPSHOT_ERROR;
	s->nodes[1].owner = 0;
	fixture_name(s, 2, "GAP-noop_llseek");
	s->nodes[2].kind = SNAPSHOT_GAP;
	s->nodes[2].owner = 0;
	fixture_name(s, 3, "old_function");
	fixture_text(&s->nodes[3].method, "kprobe/kretprobe");
	fixture_begin(s);
	for (i = 0; i < 3001; i++) {
		fixture_record(s, 0, i % 3, 80 + fixture_random(&r) % 40, 1);
		fixture_record(s, 2, i % 2, 95 + i % 7, 1);
		fixture_record(s, 3, i % 2, 60 + i % 90, 1);
	}
	for (i = 0; i < 101; i++)
		fixture_record(s, 0, 1, fixture_near(&r, 4000, 1), 1);
	for (i = 0; i < 11; i++)
		fixture_record(s, 1, 0, 94 + i, 1);
	fixture_end(s);
	return s;
}

static void describe_floor(struct recording *r)
{
	struct snapshot *first = snapshot_copy(r->whole), *rest;

	fixture_cost(r, "fentry/fexit", 98);
	first->span.final = false;
	assert_int_equal(recording_add_period(r, first), 0);
	rest = snapshot_subtract(r->whole, first, NULL);
	assert_non_null(rest);
	assert_int_equal(recording_add_period(r, rest), 0);
	snapshot_free(first);
	snapshot_free(rest);
}

#define WATCHED 24 /* intervals */

/* One interval of a function that becomes slower, and gets a second mode halfway. */
static void record_watched(struct snapshot *s, unsigned int i)
{
	uint64_t r = 6 + i;
	int k;

	for (k = 0; k < 211; k++)
		fixture_record(s, 0, k % 2, fixture_near(&r, 3000 + 150 * i, 1), 1);
	for (k = 0; i >= WATCHED / 2 && k < 53; k++)
		fixture_record(s, 0, 1, fixture_near(&r, 90000, 1), 1);
}

static struct snapshot *case_watched(void)
{
	struct snapshot *s = fixture_new(4, 2, 1);
	unsigned int i;

	fixture_name(s, 0, "ext4_file_write_iter");
	for (i = 0; i < WATCHED; i++)
		record_watched(s, i);
	return s;
}

static void describe_watched(struct recording *r)
{
	uint64_t begin = r->whole->span.begin_ns, all = r->whole->span.end_ns - begin;
	struct snapshot *s;
	unsigned int i;

	for (i = 0; i < WATCHED; i++) {
		s = fixture_new(4, 2, 1);
		fixture_name(s, 0, "ext4_file_write_iter");
		record_watched(s, i);
		s->span.begin_ns = begin + all * i / WATCHED;
		s->span.end_ns = begin + all * (i + 1) / WATCHED;
		s->span.final = i == WATCHED - 1;
		assert_int_equal(recording_add_period(r, s), 0);
		snapshot_free(s);
	}
}

/* A function whose calls sleep or wait for a processor now and then, with its parts. */
static struct snapshot *case_parts(void)
{
	static const char *const parts[] = { "running",     "runnable", "sleeping", "blocked",
					     "interrupted", "left",     "unsplit" };
	struct snapshot *s = fixture_new(5, 2, 1 + KSTATS_PARTS_N);
	uint64_t r = 21, ns[KSTATS_PART_TIMES], sum, i;
	uint32_t part;
	char name[64];

	fixture_name(s, 0, "vfs_read");
	for (part = 0; part < KSTATS_PARTS_N; part++) {
		snprintf(name, sizeof(name), "vfs_read:%s", parts[part]);
		fixture_name(s, 1 + part, name);
		s->nodes[1 + part].kind = SNAPSHOT_RUNNING + part;
		s->nodes[1 + part].owner = 0;
	}
	fixture_begin(s);
	for (i = 0; i < 5003; i++) {
		ns[KSTATS_PART_RUNNING] = fixture_near(&r, 1800, 1);
		ns[KSTATS_PART_RUNNABLE] = i % 50 ? 0 : fixture_near(&r, 300000, 2);
		ns[KSTATS_PART_SLEEPING] = i % 100 ? 0 : fixture_near(&r, 2000000, 1);
		ns[KSTATS_PART_BLOCKED] = 0;
		ns[KSTATS_PART_INTERRUPTED] = i % 300 ? 0 : 700;
		for (part = 0, sum = 0; part < KSTATS_PART_TIMES; part++) {
			fixture_record(s, 1 + part, i % 2, ns[part], 1);
			sum += part < KSTATS_PART_INTERRUPTED ? ns[part] : 0;
		}
		fixture_record(s, 0, i % 2, sum, 1);
		if (!(i % 50))
			fixture_record(s, 1 + KSTATS_PART_LEFT, i % 2, sum, 1);
	}
	fixture_record(s, 0, 0, 9000, 3);
	fixture_record(s, 1 + KSTATS_PART_UNSPLIT, 0, 9000, 3);
	fixture_end(s);
	return s;
}

/* Requests, some of which were never in a queue, and some of which came back from the device. */
static struct snapshot *case_via(void)
{
	struct snapshot *s = fixture_new(5, 2, 4);
	uint64_t r = 33, queue, device, i;

	fixture_name(s, 0, "io");
	fixture_text(&s->nodes[0].what,
		     "from block_rq_insert to block_rq_complete via block_rq_issue");
	fixture_name(s, 1, "io:to-block_rq_issue");
	fixture_name(s, 2, "io:to-block_rq_complete");
	fixture_name(s, 3, "io:again");
	for (i = 1; i < 4; i++) {
		s->nodes[i].kind = i < 3 ? SNAPSHOT_STAGE : SNAPSHOT_AGAIN;
		s->nodes[i].owner = 0;
	}
	fixture_begin(s);
	for (i = 0; i < 3001; i++) {
		queue = i % 7 ? fixture_near(&r, 3000, 1) : 0;
		device = fixture_near(&r, 90000, 1);
		fixture_record(s, 0, i % 2, queue + device, 1);
		if (queue)
			fixture_record(s, 1, i % 2, queue, 1);
		fixture_record(s, 2, i % 2, device, 1);
		if (i % 500 == 1)
			fixture_record(s, 3, i % 2, queue + device, 1);
	}
	fixture_end(s);
	return s;
}

/* Two functions, of one of which the kernel skipped ends and starts. */
static struct snapshot *case_unverified(void)
{
	struct snapshot *s = fixture_new(3, 2, 4);
	uint64_t r = 11, i;

	fixture_name(s, 0, "vfs_read");
	fixture_name(s, 1, "vfs_write");
	fixture_name(s, 2, "vfs_read:unverified");
	fixture_name(s, 3, "vfs_write:unverified");
	for (i = 0; i < 2; i++) {
		s->nodes[2 + i].kind = SNAPSHOT_UNVERIFIED;
		s->nodes[2 + i].owner = i;
	}
	fixture_begin(s);
	for (i = 0; i < 20011; i++)
		fixture_record(s, i % 3 == 0, i % 2, fixture_near(&r, 1200, 1), 1);
	for (i = 0; i < 107; i++)
		fixture_record(s, 2, i % 2, fixture_near(&r, 4000000, 2), 1);
	fixture_end(s);
	s->nodes[0].ledger[KSTATS_UNVERIFIED] = 107;
	fixture_count(s, 0, KSTATS_SKIPPED, 113);
	return s;
}

/* Sizes of what a tracepoint tells, and where they were not taken. */
static struct snapshot *case_sizes(void)
{
	struct snapshot *s = fixture_new(5, 2, 1);
	uint64_t r = 11, i;

	fixture_name(s, 0, "kmalloc");
	fixture_text(&s->nodes[0].what, "bytes_alloc at kmalloc");
	fixture_text(&s->nodes[0].method, "tracepoint (tp_btf)");
	fixture_text(&s->pairing, SNAPSHOT_ONE_POINT);
	fixture_text(&s->filters, "if bytes_req < 4M");
	strcpy(s->unit, UNITS_BYTES);
	fixture_begin(s);
	for (i = 0; i < 5003; i++)
		fixture_record(s, 0, i % 2, 8ULL << (i % 9), 1);
	for (i = 0; i < 211; i++)
		fixture_record(s, 0, 1, fixture_near(&r, 2000000, 1), 1);
	fixture_record(s, 0, 0, 0, 1);
	fixture_end(s);
	fixture_count(s, 0, KSTATS_NEGATIVE, 17);
	fixture_count(s, 0, KSTATS_UNREADABLE, 3);
	return s;
}

/* Numbers in a unit of the user's, and large ones. */
static struct snapshot *case_pages(void)
{
	struct snapshot *s = fixture_new(3, 2, 1);
	uint64_t i;

	fixture_name(s, 0, "wb");
	fixture_text(&s->nodes[0].what, "pages at writeback_written");
	strcpy(s->unit, "pages");
	fixture_begin(s);
	for (i = 1; i < 5000000000; i = i * 5 / 4 + 1)
		fixture_record(s, 0, i % 2, i, 1);
	fixture_end(s);
	return s;
}

/* A case: its name, how it is made, and what is asked of the renderer. */
struct golden_case {
	const char *name;
	struct snapshot *(*make)(void);
	void (*describe)(struct recording *r); /* NULL: nothing to add */
	struct report_look o;
	const char *formats; /* that are kept; NULL: all */
};

/* Bounds from 127 ns to 8 us, so that a case with many distributions is short. */
#define GOLDEN_BUCKETS                                           \
	{                                                        \
		.bits = 0, .first = 7, .last = 13, .given = true \
	}

static const struct golden_case golden_cases[] = {
	{ "bimodal",
	  case_bimodal,
	  describe_bimodal,
	  { .unit = "auto", .width = 80, .per_cpu_rows = true },
	  "summary json hist hgrm openmetrics html" },
	{ "tail",
	  case_tail,
	  describe_tail,
	  { .unit = "auto", .width = 80, .bars = true },
	  "summary json hist openmetrics html" },
	{ "one", case_one, describe_one, { .unit = "auto", .width = 80 }, NULL },
	{ "empty",
	  case_empty,
	  NULL,
	  { .unit = "auto", .width = 80, .buckets = GOLDEN_BUCKETS },
	  NULL },
	{ "hostile",
	  case_hostile,
	  describe_hostile,
	  { .unit = "auto", .width = 80, .color = true },
	  NULL },
	{ "classic", case_classic, NULL, { .unit = "ns", .width = 80 }, NULL },
	{ "cpus", case_cpus, NULL, { .unit = "us", .width = 120 }, "html" },
	{ "many", case_many, describe_many, { .unit = "auto", .width = 80 }, "summary" },
	{ "keys",
	  case_keys,
	  NULL,
	  { .unit = "auto", .width = 80, .sort = SORT_P99, .buckets = GOLDEN_BUCKETS },
	  "summary json csv openmetrics" },
	{ "stacks", case_stacks, NULL, { .unit = "auto", .width = 80 }, "summary csv folded" },
	{ "floor",
	  case_floor,
	  describe_floor,
	  { .unit = "auto",
	    .width = 80,
	    .per_cpu_rows = true,
	    .subtract_floor = true,
	    .buckets = GOLDEN_BUCKETS },
	  NULL },
	{ "unverified",
	  case_unverified,
	  NULL,
	  { .unit = "auto", .width = 80, .buckets = GOLDEN_BUCKETS },
	  "summary json csv openmetrics" },
	{ "parts",
	  case_parts,
	  NULL,
	  { .unit = "auto", .width = 80, .buckets = GOLDEN_BUCKETS },
	  "summary line csv openmetrics" },
	{ "via",
	  case_via,
	  NULL,
	  { .unit = "auto", .width = 80, .buckets = GOLDEN_BUCKETS },
	  "summary openmetrics" },
	{ "why", case_why, describe_why, { .unit = "auto", .width = 80 }, "summary json perfetto" },
	{ "why-callees",
	  case_why_callees,
	  describe_why_callees,
	  { .unit = "auto", .width = 80 },
	  "summary json csv html perfetto" },
	{ "watched",
	  case_watched,
	  describe_watched,
	  { .unit = "auto", .width = 80 },
	  "summary json html" },
	{ "sizes",
	  case_sizes,
	  NULL,
	  { .unit = "auto", .width = 80, .per_cpu_rows = true },
	  "summary json csv hist openmetrics html svg" },
	{ "pages",
	  case_pages,
	  NULL,
	  { .unit = "us", .width = 80 },
	  "summary json csv hgrm openmetrics svg" },
	{ "period",
	  case_period,
	  NULL,
	  { .unit = "auto",
	    .width = 80,
	    .period = 7,
	    .continued = true,
	    .buckets = GOLDEN_BUCKETS },
	  "summary json csv hist hgrm openmetrics" },
};

#define GOLDEN_CASES (sizeof(golden_cases) / sizeof(*golden_cases))

#endif /* KSTATS_GOLDEN_CASES_H */
