// SPDX-License-Identifier: GPL-2.0-only
/*
 * frames.c - stacks that are parts of keys of --by, as text: the outermost function first, joined
 * by ";", as tools for flame graphs read them. What BPF and its callers add is left out, and so is
 * the function that is measured: its callers are the stack. At a tracepoint or a static probe, the
 * function that it stands in is the last one.
 */
#include "session/priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kstats_frames.h"
#include "stacks/stacks.h"
#include "util/arch.h"

#define CUT "[more callers]" /* in their place where there was no room for all */
#define FRAMES_CUT_AT 127 /* the kernel reads no more frames than this by default */

struct session_frames {
	struct stacks *stacks;
	struct table table;
	char **texts; /* owned; by place in @table, as they were named first; NULL: not yet */
	bool follows; /* what processes map */
	bool drops_first; /* of programs: the first frame is the function that is measured */
};

struct session_frames *session_frames_open(const struct plan_by *by, int fd)
{
	struct session_frames *f = calloc(1, sizeof(*f));
	unsigned int i;
	bool kept = false;

	for (i = 0; i < by->n; i++) {
		kept |= by->parts[i].frames == EXPR_FRAMES_KERNEL ||
			by->parts[i].frames == EXPR_FRAMES_PROGRAM;
		if (f && by->parts[i].frames == EXPR_FRAMES_PROGRAM)
			f->follows = true;
	}
	if (f)
		f->stacks = stacks_open("");
	if (!f || !f->stacks || (kept && table_open(&f->table, fd, sizeof(struct kstats_frames)))) {
		session_frames_close(f);
		return NULL;
	}
	if (plan_by_has_pointers(by))
		stacks_read_data(f->stacks);
	else
		stacks_read(f->stacks);
	if (f->follows)
		stacks_follow(f->stacks);
	f->drops_first = by->of_user_calls;
	return f;
}

bool session_follows(const struct session *s)
{
	return s->frames && s->frames->follows;
}

void session_catch_up(struct session *s)
{
	if (session_follows(s))
		stacks_catch_up(s->frames->stacks);
}

static void forget_texts(struct session_frames *f)
{
	size_t i;

	for (i = 0; f->texts && i < f->table.n; i++)
		free(f->texts[i]);
	free(f->texts);
	f->texts = NULL;
}

void session_frames_forget(struct session_frames *f)
{
	if (!f || !f->table.at)
		return;
	memset(f->table.at, 0, f->table.size);
	forget_texts(f);
}

void session_frames_close(struct session_frames *f)
{
	if (!f)
		return;
	forget_texts(f);
	table_close(&f->table);
	stacks_close(f->stacks);
	free(f);
}

/* ---- which frames are told ---- */

/* The functions by which the kernel calls programs at a tracepoint. */
static bool is_of_tracepoint(const struct stacks_frame *f)
{
	static const char *const begins[] = { "bpf_trace_run", "__bpf_trace_", "__traceiter_",
					      "trace_call_bpf", "perf_trace_" };
	size_t i;

	for (i = 0; f->function && i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(f->function, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/*
 * The number of frames in front of the first one that is told. The last of these is that of a
 * function at its begin, where it is measured; no frame of its callers is there.
 */
static unsigned int kernel_skip(struct stacks *s, const struct kstats_frames *at, unsigned int n)
{
	struct stacks_frame f = {};
	unsigned int i;

	for (i = 0; i < n; i++) {
		stacks_kernel(s, at->at[i], STACKS_PLACE, &f);
		if (!is_of_tracepoint(&f) && (!f.in || strcmp(f.in, "bpf")))
			break;
	}
	return i < n && f.function && f.offset <= ARCH_TRACED_WITHIN ? i + 1 : i;
}

static void name_frame(const struct session_frames *f, const struct kstats_frames *at,
		       unsigned int i, struct stacks_frame *frame)
{
	if (at->tgid)
		stacks_program(f->stacks, at->tgid, at->at[i], i ? STACKS_RETURN : STACKS_PLACE,
			       frame);
	else
		stacks_kernel(f->stacks, at->at[i], STACKS_RETURN, frame);
}

/* A function whose return is traced has a frame below that of its trampoline, too. */
static bool is_of_trampoline(const struct session_frames *f, const struct kstats_frames *at,
			     unsigned int i)
{
	struct stacks_frame frame;

	if (at->tgid)
		return false;
	name_frame(f, at, i, &frame);
	if (frame.function && !strncmp(frame.function, "bpf_trampoline_", 15))
		return true;
	if (!frame.function || frame.offset > ARCH_TRACED_WITHIN || !i)
		return false;
	name_frame(f, at, i - 1, &frame);
	return frame.function && !strncmp(frame.function, "bpf_trampoline_", 15);
}

static char *frames_fold(const struct session_frames *f, const struct kstats_frames *at)
{
	unsigned int n = at->n < KSTATS_FRAMES_MOST ? at->n : KSTATS_FRAMES_MOST, i;
	unsigned int skip = at->tgid ? f->drops_first : kernel_skip(f->stacks, at, n);
	struct stacks_frame frame;
	char text[STACKS_TEXT], *folded = NULL;
	const char *between = "";
	size_t size;
	FILE *out = open_memstream(&folded, &size);

	if (!out)
		return NULL;
	if (n >= FRAMES_CUT_AT) {
		fputs(CUT, out);
		between = ";";
	}
	for (i = n; i-- > skip;) {
		if (!at->at[i] || is_of_trampoline(f, at, i))
			continue;
		name_frame(f, at, i, &frame);
		fprintf(out, "%s%s", between, stacks_text(&frame, false, text, sizeof(text)));
		between = ";";
	}
	if (!*between)
		fputs("[no caller]", out);
	return fclose(out) ? NULL : folded;
}

/*
 * A stack keeps the name that it was given first: its process may run another program since, and
 * the key of an interval must not get another name.
 */
static char *frames_text(struct session_frames *f, const struct kstats_frames *all, size_t place)
{
	if (!f->texts)
		f->texts = calloc(f->table.n, sizeof(*f->texts));
	if (!f->texts)
		return NULL;
	if (!f->texts[place])
		f->texts[place] = frames_fold(f, &all[place]);
	return f->texts[place] ? strdup(f->texts[place]) : NULL;
}

char *session_frames_text(struct session_frames *f, const struct expr_part *part, uint64_t word)
{
	const struct kstats_frames *all = f->table.at;
	struct stacks_frame frame;
	char text[STACKS_TEXT];

	if (part->frames == EXPR_FRAMES_CALLER && word) {
		stacks_kernel(f->stacks, word, STACKS_RETURN, &frame);
		if (frame.in && !strcmp(frame.in, "bpf"))
			return strdup("[unknown]");
		return strdup(stacks_text(&frame, true, text, sizeof(text)));
	}
	if (part->frames == EXPR_FRAMES_CALLER)
		return strdup("[unknown]");
	if (word == KSTATS_FRAMES_NONE)
		return strdup(part->frames == EXPR_FRAMES_PROGRAM ? "[no program]" : "[unknown]");
	if (word == KSTATS_FRAMES_FULL)
		return strdup("[stack not kept: the table is full]");
	if (word - KSTATS_FRAMES_FIRST >= f->table.n)
		return strdup("[stack not kept: too many at once]");
	return frames_text(f, all, word - KSTATS_FRAMES_FIRST);
}

bool session_frames_pointer(struct session_frames *f, uint64_t address, char *buf, size_t size)
{
	struct stacks_frame frame;
	bool is_shared;
	size_t n;

	if (!stacks_pointer(f->stacks, address, &frame, &is_shared))
		return false;
	stacks_text(&frame, frame.offset, buf, size);
	n = strlen(buf);
	if (is_shared)
		snprintf(buf + n, size - n, " at 0x%" PRIx64, address);
	return true;
}
