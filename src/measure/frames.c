// SPDX-License-Identifier: GPL-2.0-only
/* frames.c - backtraces with names, each kept once. See priv.h. */
#include "measure/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_LEAST 256
#define GOLDEN 0x9e3779b97f4a7c15ULL

static uint64_t frames_hash(uint64_t hash, struct collect_frames f)
{
	uint32_t i;

	for (i = 0; i < f.n; i++) {
		hash = (hash ^ f.at[i]) * GOLDEN;
		hash ^= hash >> 32;
	}
	return hash;
}

/* So that a place is found within a few steps. */
static int frames_grow(struct collect_stacks *s)
{
	size_t n = s->n_places ? 2 * s->n_places : PLACES_LEAST, i, at;
	uint32_t *places;

	if (s->n_places > 2 * s->n)
		return 0;
	places = malloc(n * sizeof(*places));
	if (!places)
		return -ENOMEM;
	memset(places, 0xff, n * sizeof(*places));
	for (i = 0; i < s->n; i++) {
		for (at = s->hashes[i] & (n - 1); places[at] != WHY_NO_STACK;)
			at = (at + 1) & (n - 1);
		places[at] = i;
	}
	free(s->places);
	s->places = places;
	s->n_places = n;
	return 0;
}

static int frames_room(struct collect_stacks *s)
{
	size_t room = s->room ? 2 * s->room : PLACES_LEAST;
	struct why_stack *of;
	uint64_t *hashes;
	bool *in_interrupt;

	if (s->n < s->room)
		return 0;
	of = realloc(s->of, room * sizeof(*of));
	if (of)
		s->of = of;
	hashes = realloc(s->hashes, room * sizeof(*hashes));
	if (hashes)
		s->hashes = hashes;
	in_interrupt = realloc(s->in_interrupt, room * sizeof(*in_interrupt));
	if (in_interrupt)
		s->in_interrupt = in_interrupt;
	if (!of || !hashes || !in_interrupt)
		return -ENOMEM;
	s->room = room;
	return 0;
}

/* ---- names ---- */

static bool frames_begin_with(const char *name, const char *const *words)
{
	for (; name && *words; words++)
		if (!strncmp(name, *words, strlen(*words)))
			return true;
	return false;
}

/* What stands between the program and the function, at the inner end of a backtrace. */
static bool frames_hook(const char *name)
{
	static const char *const words[] = {
		"bpf_",
		"__bpf_",
		"__traceiter_",
		"arch_rethook_",
		"rethook_",
		"kretprobe",
		"__kretprobe_",
		"kprobe_",
		"aggr_pre_",
		"ftrace_",
		"fprobe_",
		"perf_",
		"__perf_",
		"opt_pre_",
		"optimized_",
		"trace_call_bpf",
		"get_perf_callchain",
		NULL,
	};

	return frames_begin_with(name, words);
}

/* It stands where an interrupt has come upon what ran. */
static bool frames_interrupt(const char *name)
{
	static const char *const words[] = {
		"asm_sysvec_", "asm_common_interrupt", "el1h_64_irq", "el0t_64_irq", NULL,
	};

	return frames_begin_with(name, words);
}

#define HOOK_GAP 2 /* frames of a hook in one row that have other names */

/*
 * How many frames at the inner end are of the hook. Further out, the trampoline of a function that
 * is measured may follow.
 */
static uint32_t frames_of_hook(struct collect_stacks *s, struct collect_frames f)
{
	struct stacks_frame frame;
	uint32_t i, n = 0;

	for (i = 0; i < f.n && i <= n + HOOK_GAP; i++) {
		stacks_kernel(s->names, f.at[i], STACKS_RETURN, &frame);
		if (frames_hook(frame.function))
			n = i + 1;
	}
	return n < f.n ? n : 0;
}

/* How the kernel was entered is of the hook: the callers are in the frames of the program. */
static bool frames_of_uprobe(struct collect_stacks *s, struct collect_frames f)
{
	static const char *const words[] = { "uprobe_", "__uprobe_", "uretprobe_", NULL };
	uint32_t i, first = frames_of_hook(s, f);
	struct stacks_frame frame;

	for (i = first; i < f.n && i <= first + HOOK_GAP; i++) {
		stacks_kernel(s->names, f.at[i], STACKS_RETURN, &frame);
		if (frames_begin_with(frame.function, words))
			return true;
	}
	return false;
}

static int frame_add(struct why_stack *stack, const struct stacks_frame *frame)
{
	char text[STACKS_TEXT];

	stacks_text(frame, true, text, sizeof(text));
	stack->frames[stack->n] = strdup(text);
	return stack->frames[stack->n++] ? 0 : -ENOMEM;
}

static int add_kernel(struct collect_stacks *s, struct why_stack *stack, struct collect_frames f,
		      enum collect_place place)
{
	uint32_t i = place == COLLECT_HOOK ? frames_of_hook(s, f) : 0;
	enum stacks_kind kind = place == COLLECT_SAMPLE ? STACKS_PLACE : STACKS_RETURN;
	struct stacks_frame frame;

	for (; i < f.n; i++, kind = STACKS_RETURN) {
		stacks_kernel(s->names, f.at[i], kind, &frame);
		/* The trampoline stands between a function and its caller. */
		if (frame.function && !strncmp(frame.function, "bpf_trampoline_", 15))
			continue;
		s->in_interrupt[s->n - 1] |= frame.function && frames_interrupt(frame.function);
		if (frame_add(stack, &frame))
			return -ENOMEM;
	}
	return 0;
}

static int add_user(struct collect_stacks *s, struct why_stack *stack, struct collect_frames f,
		    uint32_t tgid)
{
	enum stacks_kind kind = STACKS_PLACE;
	struct stacks_frame frame;
	uint32_t i;

	/* The outermost frame has no caller. */
	for (i = 0; i < f.n && f.at[i]; i++, kind = STACKS_RETURN) {
		frame = (struct stacks_frame){ .offset = f.at[i] };
		if (s->knows_programs)
			stacks_program(s->names, tgid, f.at[i], kind, &frame);
		if (frame_add(stack, &frame))
			return -ENOMEM;
	}
	return 0;
}

static int frames_name(struct collect_stacks *s, const struct collect_trace *t)
{
	struct why_stack *stack = &s->of[s->n];

	*stack = (struct why_stack){ .is_user = !t->kernel.n };
	stack->frames = calloc(t->kernel.n + t->user.n, sizeof(*stack->frames));
	if (!stack->frames)
		return -ENOMEM;
	s->in_interrupt[s->n++] = false;
	return add_kernel(s, stack, t->kernel, t->place) || add_user(s, stack, t->user, t->tgid)
		       ? -ENOMEM
		       : 0;
}

/* ---- backtraces ---- */

int64_t collect_stack(struct collect_stacks *s, const struct collect_trace *trace)
{
	struct collect_trace whole = *trace, *t = &whole;
	uint64_t hash;
	size_t at;

	if (t->place == COLLECT_HOOK && s->has_user && frames_of_uprobe(s, t->kernel))
		t->kernel.n = 0;
	hash = frames_hash(t->user.n ? t->tgid : 0, t->kernel) + t->kernel.n;
	hash = frames_hash((hash ^ t->place) * GOLDEN, t->user);
	if (!t->kernel.n && !t->user.n)
		return WHY_NO_STACK;
	if (frames_grow(s) || frames_room(s))
		return -ENOMEM;
	/* Two backtraces of one hash would take 2^32 of them. */
	for (at = hash & (s->n_places - 1); s->places[at] != WHY_NO_STACK;
	     at = (at + 1) & (s->n_places - 1))
		if (s->hashes[s->places[at]] == hash)
			return s->places[at];
	s->hashes[s->n] = hash;
	if (frames_name(s, t))
		return -ENOMEM;
	s->places[at] = s->n - 1;
	return s->n - 1;
}

void collect_stacks_free(struct collect_stacks *s)
{
	uint32_t f;
	size_t i;

	for (i = 0; i < s->n; i++) {
		for (f = 0; f < s->of[i].n; f++)
			free(s->of[i].frames[f]);
		free(s->of[i].frames);
	}
	free(s->of);
	free(s->hashes);
	free(s->in_interrupt);
	free(s->places);
	stacks_close(s->names);
	*s = (struct collect_stacks){};
}
