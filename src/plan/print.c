// SPDX-License-Identifier: GPL-2.0-only
/* print.c - a plan in words. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "util/arch.h"
#include "util/safe_str.h"
#include "util/units.h"

const char *plan_way_risk(const struct plan *plan, const struct plan_way *way)
{
	bool kprobe = way->start.type == PLAN_KPROBE || way->end.type == PLAN_KPROBE;
	bool event = way->start.type == PLAN_TRACE_EVENT || way->end.type == PLAN_TRACE_EVENT;

	if (way->end.type == PLAN_KRETPROBE && !plan_has(plan, FACTS_ROOM_FOR_RETURNS))
		return "without tracefs the kernel has room for only ten calls at once, or two "
		       "for each CPU: the ledger counts the rest as lost";
	/* What our programs count to tell the skips is read at the end, and not at each gap. */
	if (plan->spec->gap && (kprobe || event) && !plan_has(plan, FACTS_COUNTS_KPROBES))
		return "this kernel does not tell at once which calls it skips with kprobes or "
		       "trace events: a gap may contain such calls";
	if (!plan_may_skip(plan, way->start.type) && !plan_may_skip(plan, way->end.type)) {
		if (event && !plan_has(plan, FACTS_COUNTS_KPROBES))
			return "calls that this kernel skips with trace events are not counted";
		return kprobe && !plan_has(plan, FACTS_COUNTS_KPROBES) && !plan->counts_runs
			       ? "calls that this kernel skips with kprobes are not counted"
			       : NULL;
	}
	return "it may lose calls when tasks share a CPU, for this kernel preempts them inside "
	       "its programs";
}

#define DIRECT ", direct (needs the module kstats)"
#define TRACEPOINTS "; for tracepoints: trace-event"

const char *plan_preemption(bool preempts, const char *why, enum facts_session session, char *buf,
			    size_t size)
{
	if (!preempts)
		snprintf(buf, size,
			 "tasks are not preempted inside BPF programs (%s); no method loses calls "
			 "by this",
			 why);
	else
		snprintf(buf, size,
			 "tasks are preempted inside BPF programs (%s); methods that lose no calls "
			 "by this: %skprobe%s" TRACEPOINTS,
			 why, session == FACTS_SESSION ? "kprobe-session, " : "",
			 ARCH_NO_DIRECT ? "" : DIRECT);
	return buf;
}

/* The keys of some points, none of them twice. Returns the length. */
static size_t print_keys(const struct spec_point *p, const struct expr *other, char *buf,
			 size_t size, size_t at)
{
	const struct spec_point *first = p, *before;
	const char *key;

	for (; p && p->kind != SPEC_NONE && at < size; p = p->next) {
		key = (p->key ? p->key : other)->text;
		for (before = first; before != p; before = before->next)
			if (!strcmp((before->key ? before->key : other)->text, key))
				break;
		if (before == p)
			at += snprintf(buf + at, size - at, "%s%s", p == first ? "" : ", ", key);
	}
	return at < size ? at : size - 1;
}

static void print_several_keys(const struct spec *spec, char *buf, size_t size)
{
	size_t at = snprintf(buf, size, "by key ");

	at = print_keys(&spec->start, spec->keys[0], buf, size, at);
	at += snprintf(buf + at, size - at, " to ");
	print_keys(&spec->end, spec->keys[1], buf, size, at < size ? at : size - 1);
}

const char *plan_pairing(const struct spec *spec, char *buf, size_t size)
{
	if (spec->pairing == KSTATS_BY_POINT)
		snprintf(buf, size, SNAPSHOT_ONE_POINT);
	else if (spec->pairing == KSTATS_BY_CPU)
		snprintf(buf, size, "per CPU");
	else if (spec->pairing != KSTATS_BY_KEY)
		snprintf(buf, size, "%s",
			 spec->method == SPEC_METHOD_DIRECT ? SNAPSHOT_BY_CALL : SNAPSHOT_BY_TASK);
	else if (spec_is_several(spec))
		print_several_keys(spec, buf, size);
	else if (spec->keys[0] && !strcmp(spec->keys[0]->text, spec->keys[1]->text))
		snprintf(buf, size, "by key %s", spec->keys[0]->text);
	else if (spec->keys[0])
		snprintf(buf, size, "by key %s to %s", spec->keys[0]->text, spec->keys[1]->text);
	else if (spec->key_start == spec->key_end)
		snprintf(buf, size, "by key arg%d", spec->key_start);
	else
		snprintf(buf, size, "by key arg%d to arg%d", spec->key_start, spec->key_end);
	return buf;
}

#define BY_PID "pid "
#define BY_TID "tid "
#define BY_COMM "comm "
#define BY_CPU "cpu "
#define BY_CGROUP "cgroup "
#define BY_COMMAND "the command's processes"
#define BY_IF "if "
#define BY_START "starts if "

static void print_ids(FILE *out, const char *what, const uint32_t *ids, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		fprintf(out, "%s%u", i ? "," : what, ids[i]);
	if (n)
		fputs("; ", out);
}

static bool cpu_in(const struct spec_who *who, unsigned int cpu)
{
	return cpu < KSTATS_CPUS_MAX && who->cpus[cpu / 64] >> (cpu % 64) & 1;
}

static void print_cpus(FILE *out, const struct spec_who *who)
{
	const char *sep = BY_CPU;
	unsigned int cpu, last;

	for (cpu = 0; cpu < KSTATS_CPUS_MAX; cpu++) {
		if (!cpu_in(who, cpu))
			continue;
		for (last = cpu; cpu_in(who, last + 1); last++)
			;
		if (last > cpu)
			fprintf(out, "%s%u-%u", sep, cpu, last);
		else
			fprintf(out, "%s%u", sep, cpu);
		sep = ",";
		cpu = last;
	}
	fputs("; ", out);
}

bool plan_leaves_out(const char *filters)
{
	static const char *const who[] = { BY_PID,    BY_TID,     BY_COMM, BY_CPU,
					   BY_CGROUP, BY_COMMAND, BY_IF,   BY_START };
	size_t i;

	/* Filters on tasks come before filters on calls. */
	for (i = 0; i < sizeof(who) / sizeof(*who); i++)
		if (!strncmp(filters, who[i], strlen(who[i])))
			return true;
	return false;
}

char *plan_filters(const struct spec *spec)
{
	const struct spec_who *who = &spec->who;
	const struct spec_point *p;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print_ids(out, BY_PID, who->pids, who->n_pids);
	print_ids(out, BY_TID, who->tids, who->n_tids);
	if (who->comm[0])
		fprintf(out, BY_COMM "%s; ", who->comm);
	if (who->by_cpu)
		print_cpus(out, who);
	if (who->cgroup)
		fprintf(out, BY_CGROUP "%s; ", who->cgroup);
	if (spec->command && !spec->all)
		fprintf(out, BY_COMMAND "; ");
	for (p = &spec->start; p; p = p->next)
		if (p->condition)
			fprintf(out, BY_START "%s; ", p->condition->text);
	if (spec->condition && spec_asks_at_entry(spec))
		fprintf(out, BY_IF "%s; ", spec->condition->text);
	if (spec->condition && !spec_asks_at_entry(spec))
		fprintf(out, "%s; ", spec->condition->text);
	if (fclose(out) || !text) {
		free(text);
		return NULL;
	}
	if (size >= 2)
		text[size - 2] = '\0';
	return text;
}

static void print_hook(FILE *out, const char *role, const struct plan_hook *hook)
{
	char module[64], name[128];

	fprintf(out, "      %-5s  %-14s  %s%s%s\n", role, plan_types[hook->type].label,
		safe_str(module, sizeof(module), hook->module), hook->module[0] ? ":" : "",
		safe_str(name, sizeof(name), hook->name));
}

static void print_code(FILE *out, const struct plan *plan, const char *role, const char *what,
		       const struct plan_code *code)
{
	if (!code->n)
		return;
	fprintf(out, "      %-5s  %s of %d instructions\n", role, what, code->n);
	if (plan->spec->verbose)
		expr_print_insns(code->insns, code->n, out);
}

#define GATE "condition, before all else,"

static void print_codes(FILE *out, const struct plan *plan, const struct plan_way *way)
{
	static const char *const roles[PLAN_ROLES] = { "end", "end", "cancel", "via" };
	const char *what = plan->spec->value ? "value" : "condition";

	if (plan_is_point(plan)) {
		print_hook(out, "point", &way->start);
		print_code(out, plan, "point", GATE, &way->start.gate);
		print_code(out, plan, "point", what,
			   way->start.if_start.n ? &way->start.if_start : &way->start.if_end);
		print_code(out, plan, "point", "key of --by", &way->start.by);
		return;
	}
	if (plan_has_start(way))
		print_hook(out, "start", &way->start);
	if (way->end.type != PLAN_NO_HOOK)
		print_hook(out, roles[way->end.role], &way->end);
	if (plan->is_several && way->start.own.n > 2)
		print_code(out, plan, "start", "condition of the point", &way->start.own);
	if (plan->is_several && way->end.own.n > 2)
		print_code(out, plan, "end", "condition of the point", &way->end.own);
	print_code(out, plan, "start", "values for the end", &way->start.keep);
	print_code(out, plan, "start", "key", &way->start.key);
	print_code(out, plan, "start", "condition", &way->start.if_start);
	print_code(out, plan, "start", GATE, &way->start.gate);
	print_code(out, plan, "end", "key", &way->end.key);
	print_code(out, plan, "end", GATE, &way->end.gate);
	print_code(out, plan, plan->by.at_start ? "start" : "end", "key of --by",
		   way->start.by.n ? &way->start.by : &way->end.by);
	print_code(out, plan, "end", "values of --show",
		   plan_is_session(way->start.type) ? &way->start.show : &way->end.show);
	print_code(out, plan, "end", what,
		   plan_is_session(way->start.type) ? &way->start.if_end : &way->end.if_end);
}

static void print_probe(FILE *out, const struct plan *plan, const struct plan_probe *probe)
{
	char name[128], text[4 * EXPR_LENGTH_MAX];
	const char *risk;
	unsigned int w;

	if (!plan->is_several || probe == plan->probes)
		fprintf(out, "  %s\n", safe_str(name, sizeof(name), plan->nodes[probe->node].what));
	if (probe->if_type)
		fprintf(out, "    if %s, asked %s\n",
			safe_str(text, sizeof(text), plan->spec->condition->text), probe->if_type);
	if (probe->value_type)
		fprintf(out, "    value %s, read %s\n",
			safe_str(text, sizeof(text), plan->spec->value->text), probe->value_type);
	for (w = 0; w < probe->n_ways; w++) {
		risk = plan_way_risk(plan, &probe->ways[w]);
		fprintf(out, "    %s %s (%s%s%s)\n", w ? "else" : "with", probe->ways[w].method,
			w ? "where that is refused" : probe->reason, risk ? "; " : "",
			risk ? risk : "");
		print_codes(out, plan, &probe->ways[w]);
	}
}

static void print_slots(FILE *out, const struct plan *plan)
{
	bool in_blocks = plan->blocks_of_cpu;
	char bytes[UNITS_TEXT], all[UNITS_TEXT];

	units_bytes(all, plan->slot_bytes_all);
	fprintf(out, "slots: %s of kernel memory on %u CPU%s, ",
		in_blocks ? units_bytes(bytes, plan->slot_bytes) : all, plan->n_cpus,
		units_plural(plan->n_cpus));
	if (in_blocks)
		fprintf(out, "in blocks that are taken when first used (all slots: %s)\n", all);
	else
		fprintf(out, "all from the start\n");
}

/* Kretprobes that are only tried where other methods are refused are not worth a line. */
static void print_returns(FILE *out, const struct plan *plan)
{
	uint32_t i, n = 0;
	char bytes[UNITS_TEXT];

	for (i = 0; i < plan->n_probes; i++)
		n += plan->probes[i].ways[0].end.type == PLAN_KRETPROBE;
	if (!n || !plan_has(plan, FACTS_ROOM_FOR_RETURNS))
		return;
	units_bytes(bytes, n * plan_return_bytes(plan->return_calls, plan->n_cpus));
	fprintf(out,
		"kretprobes: room for %u open calls of each function, up to %s of kernel "
		"memory%s\n",
		plan->return_calls, bytes, n > 1 ? " for all" : "");
}

static void print_by(FILE *out, const struct plan *plan)
{
	char text[4 * EXPR_LENGTH_MAX];
	unsigned int i;

	for (i = 0; i < plan->spec->n_by; i++)
		fprintf(out, "%s%s", i ? ", " : "  and one for each value of ",
			safe_str(text, sizeof(text), plan->spec->by[i]->text));
	if (i)
		fprintf(out, "\n    at the %s, %u words, up to %u of them\n",
			plan_is_point(plan) ? "point"
			: plan->is_pair     ? "end"
			: plan->by.at_start ? "entry"
					    : "return",
			plan->by.words, plan->by.most);
}

static void print_callees(FILE *out, const struct plan *plan)
{
	char name[128];
	uint32_t i;

	if (!plan->n_callees)
		return;
	fprintf(out, "callees, traced: %u\n", plan->n_callees);
	for (i = 0; i < plan->n_callees; i++)
		fprintf(out, "  %s%s%s\n", plan->callees[i].start.module,
			*plan->callees[i].start.module ? ":" : "",
			safe_str(name, sizeof(name), plan->callees[i].start.name));
	if (!plan->untraced || !*plan->untraced)
		return;
	fprintf(out, "callees, not traced: %s\n", plan->untraced);
	for (i = 0; i < plan->n_refusals; i++)
		fprintf(out, "  %u, as %s\n", plan->refusals[i].n, plan->refusals[i].why);
}

static void plan_print_markers(const struct plan *plan, FILE *out)
{
	uint32_t i;

	fprintf(out,
		"plan: " PLAN_MARKERS ", which record by themselves, bits %u (%u slots)\n"
		"who may record: %s\n"
		"nodes:\n",
		plan->spec->bits, kstats_n_slots(plan->spec->bits),
		plan->spec->all       ? "all programs"
		: plan->spec->as_root ? "programs of root"
				      : "programs of root and of the user who called sudo");
	for (i = 0; i < plan->n_nodes; i++)
		fprintf(out, "  %s\n", plan->nodes[i].name);
}

void plan_print(const struct plan *plan, FILE *out)
{
	char buf[PLAN_PAIRING], name[128], text[256];
	uint32_t i;

	if (spec_has_markers(plan->spec)) {
		plan_print_markers(plan, out);
		return;
	}
	fprintf(out, "plan: backend %s%s%s%s, bits %u (%u slots), pairing %s\n",
		plan->kmod ? "kmod" : "map", *plan->backend_reason ? " (" : "",
		plan->backend_reason, *plan->backend_reason ? ")" : "", plan->spec->bits,
		kstats_n_slots(plan->spec->bits), plan_pairing(plan->spec, buf, sizeof(buf)));
	print_slots(out, plan);
	print_returns(out, plan);
	fprintf(out, "preemption: %s\n",
		plan_preemption(plan->preempts, plan->preempts_why, plan->session, text,
				sizeof(text)));
	fprintf(out, "nodes:\n");
	for (i = 0; i < plan->n_nodes; i++)
		fprintf(out, "  %s\n", safe_str(name, sizeof(name), plan->nodes[i].name));
	print_callees(out, plan);
	print_by(out, plan);
	fprintf(out, "hooks:\n");
	for (i = 0; i < plan->n_probes; i++)
		print_probe(out, plan, &plan->probes[i]);
	if (plan->n_skipped)
		fprintf(out, "left out: %zu function%s that cannot be traced\n", plan->n_skipped,
			units_plural(plan->n_skipped));
}
