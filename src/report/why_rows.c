// SPDX-License-Identifier: GPL-2.0-only
/* why_rows.c - single calls as rows for programs: one for each call that was kept. */
#include <errno.h>
#include <stdlib.h>

#include "report/priv.h"

#define COUNT_OF(x) (sizeof(x) / sizeof(*(x)))

/* "comm=bash,arg0=7": the fields differ from recording to recording. */
static char *why_rows_values(const struct why *w, const struct why_call *c)
{
	char *text = NULL;
	size_t size, i, n = 0;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < w->n_fields; i++)
		if (c->values[i])
			fprintf(f, "%s%s=%s", n++ ? "," : "", w->fields[i].name, c->values[i]);
	return f && !fclose(f) ? text : NULL;
}

static void why_rows_tell(struct report_rows *to, const struct recording *rec,
			  const struct why_call *c, const char *frame, const char *values)
{
	const enum report_value_kind split = c->is_split ? REPORT_COUNT : REPORT_NONE;
	const enum report_value_kind task = rec->why->no_task ? REPORT_NONE : REPORT_COUNT;
	const enum report_value_kind cpu = c->cpu_begin != WHY_NO_CPU ? REPORT_COUNT : REPORT_NONE;
	const char *name = rec->whole->nodes[rec->why->node].name;
	const struct report_value cells[] = {
		{ "node", REPORT_TEXT, .text = name },
		{ "start_ns", REPORT_COUNT, .n = c->start_ns },
		{ "duration_ns", REPORT_COUNT, .n = c->duration_ns },
		{ "slow", REPORT_WORD, .text = c->is_slow ? "yes" : "no" },
		{ "pid", task, .n = c->pid },
		{ "tid", task, .n = c->tid },
		{ "cpu_begin", cpu, .n = c->cpu_begin },
		{ "cpu_end", REPORT_COUNT, .n = c->cpu_end },
		{ "running_ns", split, .n = c->part_ns[KSTATS_PART_RUNNING] },
		{ "runnable_ns", split, .n = c->part_ns[KSTATS_PART_RUNNABLE] },
		{ "sleeping_ns", split, .n = c->part_ns[KSTATS_PART_SLEEPING] },
		{ "blocked_ns", split, .n = c->part_ns[KSTATS_PART_BLOCKED] },
		{ "interrupted_ns", split, .n = c->part_ns[KSTATS_PART_INTERRUPTED] },
		{ "wait_ns", REPORT_COUNT, .n = c->wait.ns },
		{ "waits_in", REPORT_TEXT, .text = frame },
		{ "woken_by", REPORT_TEXT, .text = c->wait.waker },
		{ "values", REPORT_TEXT, .text = values },
		{ "recording", REPORT_TEXT, .text = rec->source },
	};

	to->row(to, cells, COUNT_OF(cells));
}

int report_why_rows(const struct report *r, struct report_rows *to)
{
	const struct recording *rec = report_recording(r);
	const struct study *s = report_why_study(r);
	const struct why *w = rec->why;
	const struct why_call *c;
	char *values;

	why_rows_tell(to, rec, &(struct why_call){}, NULL, NULL);
	for (c = w->calls; c < w->calls + w->n_calls_kept; c++) {
		values = why_rows_values(w, c);
		if (!values)
			return -ENOMEM;
		why_rows_tell(to, rec, c,
			      c->wait.ns && c->wait.stack != WHY_NO_STACK ? s->frames[c->wait.stack]
									  : NULL,
			      values);
		free(values);
	}
	return 0;
}
