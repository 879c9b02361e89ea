// SPDX-License-Identifier: GPL-2.0-only
/* describe.c - what was kept, as struct why: fields, values, calls. See priv.h. */
#include "measure/priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "naming/naming.h"

#define ERRNO_MOST 4095
#define TEXT 256 /* of a value */
#define GROUPS_MOST 64 /* control groups whose names are kept */

/* What is known of the task of a call at its entry. */
struct describe_who {
	const char *comm;
	uint32_t tid, tgid, uid, cpu;
	uint64_t cgroup;
};

/* Names of control groups, each looked for once. */
struct describe_groups {
	size_t n;
	uint64_t ids[GROUPS_MOST];
	char names[GROUPS_MOST][TEXT];
};

/** struct describe - what is filled in, and which fields it has */
struct describe {
	struct collect *c;
	struct why *w;
	size_t room; /* of values */
	struct describe_groups groups;
	uint32_t task_at; /* of the fields of tasks; @w->n_fields: there are none */
	uint32_t arg_at; /* the same of arguments, @n_args of them */
	uint32_t n_args;
	uint32_t by_at; /* the same of the key of --by */
	uint32_t ret_at; /* the same of what is returned */
	uint32_t moved_at; /* the same of whether it came to another processor */
	uint32_t show_at; /* the same of the values of --show, which come last */
};

/* ---- texts ---- */

static void describe_group(struct describe_groups *g, uint64_t id, char *buf, size_t size)
{
	size_t i;

	for (i = 0; i < g->n && g->ids[i] != id; i++)
		;
	if (i == g->n && !session_named(NAMING_CGROUP, id, buf, size))
		snprintf(buf, size, "%" PRIu64, id);
	if (i < g->n)
		snprintf(buf, size, "%s", g->names[i]);
	if (i < g->n || i == GROUPS_MOST)
		return;
	g->ids[i] = id;
	snprintf(g->names[i], sizeof(g->names[i]), "%s", buf);
	g->n++;
}

static void describe_numa(uint32_t cpu, char *buf, size_t size)
{
	char path[80];
	unsigned int node;

	snprintf(buf, size, "0");
	for (node = 0; node < 1024; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/node%u", cpu, node);
		if (!access(path, F_OK)) {
			snprintf(buf, size, "%u", node);
			return;
		}
	}
}

static void who_comm(struct describe *d, const struct describe_who *who, char *buf, size_t size)
{
	snprintf(buf, size, "%s", who->comm);
}

static void who_pid(struct describe *d, const struct describe_who *who, char *buf, size_t size)
{
	snprintf(buf, size, "%" PRIu32, who->tgid);
}

static void who_tid(struct describe *d, const struct describe_who *who, char *buf, size_t size)
{
	snprintf(buf, size, "%" PRIu32, who->tid);
}

static void who_uid(struct describe *d, const struct describe_who *who, char *buf, size_t size)
{
	snprintf(buf, size, "%" PRIu32, who->uid);
}

static void who_cgroup(struct describe *d, const struct describe_who *who, char *buf, size_t size)
{
	describe_group(&d->groups, who->cgroup, buf, size);
}

static void who_cpu_begin(struct describe *d, const struct describe_who *who, char *buf,
			  size_t size)
{
	if (who->cpu != WHY_NO_CPU)
		snprintf(buf, size, "%" PRIu32, who->cpu);
}

static void who_numa(struct describe *d, const struct describe_who *who, char *buf, size_t size)
{
	if (who->cpu != WHY_NO_CPU)
		describe_numa(who->cpu, buf, size);
}

static const struct {
	const char *name;
	void (*text)(struct describe *d, const struct describe_who *who, char *buf, size_t size);
} task_fields[] = {
	{ "comm", who_comm }, { "pid", who_pid },       { "tid", who_tid },
	{ "uid", who_uid },   { "cgroup", who_cgroup }, { "cpu", who_cpu_begin },
	{ "numa", who_numa },
};

#define TASK_FIELDS (sizeof(task_fields) / sizeof(*task_fields))

static int64_t describe_narrow(uint64_t v, const struct facts_value *type)
{
	unsigned int shift = type->bytes && type->bytes < 8 ? 64 - 8 * type->bytes : 0;

	return type->type == FACTS_SIGNED ? (int64_t)(v << shift) >> shift
					  : (int64_t)(v << shift >> shift);
}

static void describe_number(uint64_t v, const struct facts_value *type, char *buf, size_t size)
{
	int64_t n = describe_narrow(v, type);
	bool may_fail = type->type == FACTS_SIGNED || type->type == FACTS_POINTER;

	if (may_fail && n < 0 && n >= -ERRNO_MOST && naming_write(NAMING_ERRNO, n, buf, size))
		return;
	if (type->type == FACTS_POINTER || type->type == FACTS_UNKNOWN)
		snprintf(buf, size, "0x%" PRIx64, n);
	else if (type->type == FACTS_SIGNED)
		snprintf(buf, size, "%" PRId64, n);
	else
		snprintf(buf, size, "%" PRIu64, (uint64_t)n);
}

/* ---- fields ---- */

static int describe_field(struct why *w, const char *name, enum why_when when, bool is_counted)
{
	struct why_field *grown = realloc(w->fields, (w->n_fields + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	w->fields = grown;
	grown[w->n_fields] = (struct why_field){ strdup(name), when, is_counted };
	return grown[w->n_fields++].name ? 0 : -ENOMEM;
}

static bool by_trampoline(const struct collect *c)
{
	const struct plan_way *way = session_way(c->session, 0);

	return way && (way->end.type == PLAN_FEXIT || way->end.type == PLAN_FSESSION);
}

static uint32_t describe_args(const struct collect *c)
{
	return by_trampoline(c) ? session_why_args(c->plan) : 0;
}

static bool describe_has_ret(const struct collect *c)
{
	enum facts_type type = c->plan->probes[0].ret.type;

	return !c->plan->is_pair && type != FACTS_VOID && type != FACTS_UNKNOWN;
}

static int describe_fields(struct describe *d)
{
	const struct plan *plan = d->c->plan;
	bool of_task = plan->parts_at, counted = d->c->base_ns || !d->c->plan->spec->slower.ns;
	char name[32];
	int err = 0;
	uint32_t i;

	d->task_at = d->w->n_fields;
	for (i = 0; !err && of_task && i < TASK_FIELDS; i++)
		err = describe_field(d->w, task_fields[i].name, WHY_AT_ENTRY, counted);
	d->by_at = d->w->n_fields;
	for (i = 0; !err && i < plan->by.n; i++)
		err = describe_field(d->w, plan->by.labels[i],
				     plan->by.at_start ? WHY_AT_ENTRY : WHY_DURING, !of_task);
	d->arg_at = d->w->n_fields;
	d->n_args = describe_args(d->c);
	for (i = 0; !err && i < d->n_args; i++) {
		snprintf(name, sizeof(name), "arg%u", i);
		err = describe_field(d->w, name, WHY_AT_ENTRY, false);
	}
	d->ret_at = d->w->n_fields;
	if (!err && describe_has_ret(d->c))
		err = describe_field(d->w, "ret", WHY_AWAKE, false);
	d->moved_at = d->w->n_fields;
	if (!err && of_task)
		err = describe_field(d->w, "migrated", WHY_DURING, false);
	d->show_at = d->w->n_fields;
	for (i = 0; !err && i < plan->show.n; i++)
		err = describe_field(d->w, plan->spec->show[i]->text, WHY_SHOWN, false);
	return err;
}

/* ---- values of all calls ---- */

static int describe_value(struct describe *d, uint32_t field, const char *text,
			  struct collect_slow n)
{
	struct why *w = d->w;
	size_t room = d->room ? 2 * d->room : 256;
	struct why_value *grown;
	char *copy;

	if (w->n_values == d->room) {
		grown = realloc(w->values, room * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		w->values = grown;
		d->room = room;
	}
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	w->values[w->n_values++] = (struct why_value){ field, copy, n.all, n.slow };
	return 0;
}

static int describe_by_field(const void *a, const void *b)
{
	const struct why_value *x = a, *y = b;

	if (x->field != y->field)
		return x->field < y->field ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* The same value of several threads, processors or calls is one. */
static void describe_join(struct why *w)
{
	struct why_value *v = w->values;
	size_t i, n = 0;

	if (!w->n_values)
		return;
	qsort(v, w->n_values, sizeof(*v), describe_by_field);
	for (i = 1; i < w->n_values; i++) {
		if (describe_by_field(&v[n], &v[i])) {
			v[++n] = v[i];
			continue;
		}
		v[n].calls += v[i].calls;
		v[n].slow += v[i].slow;
		free(v[i].text);
	}
	w->n_values = n + 1;
}

static int count_who(struct describe *d, const struct describe_who *who, struct collect_slow n)
{
	char text[TEXT];
	size_t i;
	int err = 0;

	for (i = 0; !err && i < TASK_FIELDS; i++) {
		text[0] = '\0';
		task_fields[i].text(d, who, text, sizeof(text));
		if (*text)
			err = describe_value(d, d->task_at + i, text, n);
	}
	return err;
}

static void count_place(void *ctx, uint32_t cpu, const struct kstats_why_count *p)
{
	struct describe *d = ctx;
	char comm[KSTATS_COMM_LEN + 1] = "";
	const struct describe_who who = { comm, p->tid, p->tgid, p->uid, cpu, p->cgroup };
	struct collect_slow n = { .all = p->all };
	uint32_t i = kstats_slot_index(d->w->threshold_ns, KSTATS_WHY_BITS) -
		     kstats_slot_index(d->c->base_ns, KSTATS_WHY_BITS);

	memcpy(comm, p->comm, sizeof(p->comm));
	for (; i < KSTATS_WHY_TAIL; i++)
		n.slow += p->tail[i];
	d->w->n_calls += n.all;
	d->w->n_slow += n.slow;
	if (count_who(d, &who, n))
		d->c->err = -ENOMEM;
}

static struct describe_who describe_who_of(const struct collect_call *call)
{
	return (struct describe_who){ call->comm, call->call.tid,       call->call.pid,
				      call->uid,  call->call.cpu_begin, call->cgroup };
}

/* Before programs counted calls, each of them left a record. */
static bool is_before_counts(const struct collect *c, const struct collect_call *call)
{
	if (!c->base_ns)
		return true;
	return !call->is_counted && call->call.start_ns + call->call.duration_ns < c->counting_ns;
}

static int count_calls(struct describe *d)
{
	struct collect_slow n = { .all = 1 };
	struct describe_who who;
	int err = 0;
	size_t i;

	for (i = 0; !err && i < d->c->n_calls; i++) {
		if (!is_before_counts(d->c, &d->c->calls[i]))
			continue;
		who = describe_who_of(&d->c->calls[i]);
		n.slow = d->c->calls[i].call.duration_ns >= d->w->threshold_ns;
		d->w->n_calls++;
		d->w->n_slow += n.slow;
		if (d->c->plan->parts_at)
			err = count_who(d, &who, n);
	}
	return err;
}

/* Keys have distributions of their own. */
static int count_keys(struct describe *d, const struct snapshot *all, bool sum)
{
	const struct plan_by *by = &d->c->plan->by;
	struct collect_slow n;
	const char *value;
	int err = 0;
	uint32_t i, k;

	for (i = 0; !err && i < all->n_nodes; i++) {
		if (i && all->nodes[i].kind != SNAPSHOT_KEY)
			continue;
		err = collect_count(all, i, d->w->threshold_ns, &n);
		if (sum) {
			d->w->n_calls += n.all;
			d->w->n_slow += n.slow;
		}
		for (k = 0; !err && i && n.all && k < by->n; k++) {
			value = tags_get(&all->nodes[i].by, by->labels[k]);
			if (value)
				err = describe_value(d, d->by_at + k, value, n);
		}
	}
	return err;
}

static int count_all(struct describe *d, const struct snapshot *all)
{
	int err = 0;

	if (!d->c->plan->parts_at) {
		err = count_keys(d, all, true);
	} else {
		if (d->c->base_ns)
			session_why_count(d->c->session, count_place, d);
		err = count_calls(d);
	}
	describe_join(d->w);
	return err ? err : d->c->err;
}

/* ---- single calls ---- */

static int describe_set(struct why_call *call, uint32_t field, const char *text)
{
	if (!*text)
		return 0;
	call->values[field] = strdup(text);
	return call->values[field] ? 0 : -ENOMEM;
}

static int describe_call(struct describe *d, const struct collect_call *from, struct why_call *call,
			 const struct snapshot *all)
{
	const struct plan *plan = d->c->plan;
	const struct describe_who who = describe_who_of(from);
	char text[TEXT];
	const char *key;
	int err = 0;
	uint32_t i;

	for (i = 0; !err && d->task_at + i < d->by_at; i++) {
		text[0] = '\0';
		task_fields[i].text(d, &who, text, sizeof(text));
		err = describe_set(call, d->task_at + i, text);
	}
	for (i = 0; !err && from->node < all->n_nodes && i < plan->by.n; i++) {
		key = tags_get(&all->nodes[from->node].by, plan->by.labels[i]);
		err = describe_set(call, d->by_at + i, key ? key : "");
	}
	for (i = 0; !err && i < d->n_args; i++) {
		describe_number(from->args[i], &plan->probes[0].args[i], text, sizeof(text));
		err = describe_set(call, d->arg_at + i, text);
	}
	if (!err && d->ret_at < d->moved_at) {
		describe_number(from->ret, &plan->probes[0].ret, text, sizeof(text));
		err = describe_set(call, d->ret_at, text);
	}
	if (!err && d->moved_at < d->show_at && from->call.cpu_begin != WHY_NO_CPU)
		err = describe_set(call, d->moved_at,
				   from->call.cpu_begin == from->call.cpu_end ? "no" : "yes");
	if (!err)
		err = collect_show(d->c, from, call->values + d->show_at);
	return err;
}

static int describe_by_task(const void *a, const void *b)
{
	const struct collect_sample *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* The samples that lie in the call; they are sorted. */
static int describe_samples(const struct collect *c, struct why_call *call)
{
	size_t lo = 0, hi = c->n_samples, mid, i, n;
	const struct collect_sample *s = c->samples;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (s[mid].tid < call->tid ||
		    (s[mid].tid == call->tid && s[mid].ns < call->start_ns))
			lo = mid + 1;
		else
			hi = mid;
	}
	for (n = 0; lo + n < c->n_samples && s[lo + n].tid == call->tid &&
		    s[lo + n].ns <= call->start_ns + call->duration_ns && n < WHY_SAMPLES_MAX;)
		n++;
	if (!n)
		return 0;
	call->samples = calloc(n, sizeof(*call->samples));
	if (!call->samples)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (s[lo + i].stack != WHY_NO_STACK)
			call->samples[call->n_samples++] = s[lo + i].stack;
	return 0;
}

static int describe_by_start(const void *a, const void *b)
{
	const struct collect_call *x = a, *y = b;

	return x->call.start_ns < y->call.start_ns ? -1 : x->call.start_ns > y->call.start_ns;
}

/* Of those below the threshold, only calls that were chosen are like others. */
static bool describe_wants(const struct collect *c, const struct collect_call *call,
			   uint64_t threshold)
{
	return call->call.duration_ns >= threshold || call->is_chosen || !c->base_ns;
}

static int describe_calls(struct describe *d, const struct snapshot *all)
{
	struct collect *c = d->c;
	struct collect_call *from;
	struct why_call *call;
	int err = 0;
	size_t i;

	qsort(c->calls, c->n_calls, sizeof(*c->calls), describe_by_start);
	qsort(c->samples, c->n_samples, sizeof(*c->samples), describe_by_task);
	d->w->calls = calloc(c->n_calls + 1, sizeof(*d->w->calls));
	if (!d->w->calls)
		return -ENOMEM;
	for (i = 0; !err && i < c->n_calls; i++) {
		from = &c->calls[i];
		if (!describe_wants(c, from, d->w->threshold_ns))
			continue;
		call = &d->w->calls[d->w->n_calls_kept++];
		*call = from->call;
		from->call.wait.waker = NULL;
		call->is_slow = call->duration_ns >= d->w->threshold_ns;
		call->values = calloc(d->w->n_fields + 1, sizeof(*call->values));
		err = call->values ? describe_call(d, from, call, all) : -ENOMEM;
		if (!err)
			err = collect_divide(c, d->w, from, call);
		if (!err)
			err = describe_samples(c, call);
	}
	return err;
}

/* ---- what is missing ---- */

static int describe_lose(struct why *w, const char *name, uint64_t n)
{
	struct why_lost *grown;

	if (!n)
		return 0;
	grown = realloc(w->lost, (w->n_lost + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	w->lost = grown;
	grown[w->n_lost] = (struct why_lost){ strdup(name), n };
	return grown[w->n_lost++].name ? 0 : -ENOMEM;
}

static uint64_t slow_kept(const struct collect *c, uint64_t threshold)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < c->n_calls; i++)
		n += c->calls[i].call.duration_ns >= threshold &&
		     (c->calls[i].is_counted || !c->plan->parts_at ||
		      is_before_counts(c, &c->calls[i]));
	return n;
}

static int describe_lost(struct describe *d, const struct snapshot *all)
{
	const struct collect *c = d->c;
	struct collect_slow n;
	uint64_t kept = slow_kept(c, d->w->threshold_ns), counted = d->w->n_calls, total = 0;
	uint64_t uncounted = session_why_lost(c->session, KSTATS_WHY_LOST_COUNTS);
	int err = 0;
	uint32_t i;

	for (i = 0; !err && i < all->n_nodes; i++) {
		if (i && all->nodes[i].kind != SNAPSHOT_KEY)
			continue;
		err = collect_count(all, i, 0, &n);
		total += n.all;
	}
	if (!err)
		err = describe_lose(d->w, "slow calls",
				    d->w->n_slow > kept ? d->w->n_slow - kept : 0);
	if (!err)
		err = describe_lose(d->w, "calls before the threshold was known",
				    total > counted + uncounted ? total - counted - uncounted : 0);
	if (!err)
		err = describe_lose(d->w, "calls of tasks that had no place", uncounted);
	if (!err)
		err = describe_lose(d->w, "samples",
				    session_why_lost(c->session, KSTATS_WHY_LOST_SAMPLES) +
					    c->lost_samples);
	return err;
}

int collect_describe(struct collect *c, const struct snapshot *all, struct why *w)
{
	struct describe d = { .c = c, .w = w };
	int err = describe_fields(&d);

	if (!err)
		err = collect_name_callees(c, w);
	if (!err)
		err = count_all(&d, all);
	if (!err)
		err = describe_lost(&d, all);
	if (!err)
		err = describe_calls(&d, all);
	if (err)
		return err;
	w->n_stacks = c->stacks.n;
	w->stacks = c->stacks.of;
	c->stacks.of = NULL;
	c->stacks.n = 0;
	return 0;
}
