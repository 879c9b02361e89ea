/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_user.h - markers in programs and libraries of your own. In: time between two markers, or
 * any u64. Out: samples in the node of that name, while there is one; this adds it:
 * kstats-bpf node add --user NAME. The manual is kstats_user(3).
 *
 *	KSTATS_BEGIN(request);		the name is an identifier, without quotes
 *	...
 *	KSTATS_END(request);
 *	KSTATS_SAMPLE(batch, n);
 *
 * C from gnu99 and C++ from C++11 on, for Linux on x86-64 and arm64; elsewhere the markers are
 * empty. No library is needed. Use only the names that the manual describes: the others that begin
 * with KSTATS_USER_ or kstats_user_ may change.
 */
#ifndef KSTATS_USER_H
#define KSTATS_USER_H

/*
 * KSTATS_USER_STATE() - whether the samples of a name are recorded, or why not, as an enum
 *	kstats_user_why; kstats_user_text() says it in words
 * KSTATS_USER_LOOK() - look again for the folder of nodes, if it was missing at the first marker
 */
enum kstats_user_why {
	KSTATS_USER_RECORDS, /* the samples of this name are recorded */
	KSTATS_USER_STOPPED, /* the node is stopped */
	KSTATS_USER_NO_NODE,
	KSTATS_USER_NO_FOLDER, /* no node was ever added, or its folder is not visible here */
	KSTATS_USER_DENIED, /* the permissions of the folder or node, or a filter of bpf(2) */
	KSTATS_USER_OTHER, /* another version of kstats-bpf made the node */
	KSTATS_USER_FAILED, /* the node cannot be mapped, or is not a node */
	KSTATS_USER_EMPTY, /* the markers are empty on this machine */
};

#if defined(__linux__) && defined(__LP64__) && (defined(__x86_64__) || defined(__AARCH64EL__))

#include "kstats_user_node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- begin and end ---- */

/* A begin whose end has not come yet. */
struct kstats_user_open {
	struct kstats_user_marker *marker; /* NULL: not in use; or KSTATS_USER_FILLING */
	__u64 function; /* KSTATS_USER_FUNCTION */
	void *frame; /* of the function */
	__u64 session;
	__u64 start_ns;
	__u32 self;
};

/* In a place that is being written, so that signal handlers do not take it for an empty one. */
#define KSTATS_USER_FILLING ((struct kstats_user_marker *)1)
#define KSTATS_USER_DEPTH 32 /* open begins that a thread keeps, of all markers together */

/* The open begins of a thread, in a ring. */
struct kstats_user_thread {
	__u64 top; /* number of the next one, modulo KSTATS_USER_DEPTH */
	struct kstats_user_open open[KSTATS_USER_DEPTH];
};

KSTATS_USER_ONE extern __thread struct kstats_user_thread kstats_user_thread;
__thread struct kstats_user_thread kstats_user_thread;

KSTATS_USER_INLINE __u64 kstats_user_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (__u64)t.tv_sec * 1000000000 + (__u64)t.tv_nsec;
}

/* The number of this process. */
KSTATS_USER_INLINE __u32 kstats_user_self(void)
{
	__u32 *self = __atomic_load_n(&kstats_user_process.self, __ATOMIC_ACQUIRE);

	if (__builtin_expect(!*self, 0))
		*self = (__u32)getpid();
	return *self;
}

/* Count a begin that is given up; @counter tells the reason. */
KSTATS_USER_COLD void kstats_user_give_up(const struct kstats_user_marker *m, __u64 session,
					  __u32 counter)
{
	const struct kstats_user_node *node = __atomic_load_n(&m->node, __ATOMIC_ACQUIRE);

	if (node)
		kstats_user_add(node, session, counter, 1, 0);
}

/* Replace @from by @to; signal handlers see one or the other. Return: 1 if @from was there. */
KSTATS_USER_INLINE int kstats_user_swap(struct kstats_user_open *o, struct kstats_user_marker *from,
					struct kstats_user_marker *to)
{
	return kstats_user_swap_here(&o->marker, from, to);
}

/*
 * A place for a begin. Signal handlers may begin and end between any two instructions. After
 * them, the open begins are as before, but unused places at the top may be gone.
 */
KSTATS_USER_INLINE struct kstats_user_open *kstats_user_place(struct kstats_user_thread *t)
{
	struct kstats_user_open *o, old;
	volatile __u64 *top = &t->top;
	__u64 at;

	do {
		at = *top;
		o = &t->open[at % KSTATS_USER_DEPTH];
		old.marker = *(struct kstats_user_marker *volatile *)&o->marker;
		if (__builtin_expect(old.marker != NULL, 0)) {
			old = *o;
			if (kstats_user_swap(o, old.marker, KSTATS_USER_FILLING) &&
			    old.marker != KSTATS_USER_FILLING && old.self == kstats_user_self())
				kstats_user_give_up(old.marker, old.session, KSTATS_USER_NESTED);
		}
		*(struct kstats_user_marker *volatile *)&o->marker = KSTATS_USER_FILLING;
		*top = at + 1;
	} while (*(struct kstats_user_marker *volatile *)&o->marker != KSTATS_USER_FILLING ||
		 *top != at + 1);
	return o;
}

KSTATS_USER_COLD void kstats_user_begin(struct kstats_user_marker *m, __u64 function, void *frame)
{
	const struct kstats_user_node *node = kstats_user_node(m);
	__u64 session = node ? __atomic_load_n(&node->control->session, __ATOMIC_ACQUIRE) : 0;
	struct kstats_user_open *o;

	if (!session || !kstats_user_add(node, session, KSTATS_USER_BEGUN, 1, 0))
		return;
	o = kstats_user_place(&kstats_user_thread);
	o->function = function;
	o->frame = frame;
	o->session = session;
	o->self = kstats_user_self();
	o->start_ns = kstats_user_now();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	o->marker = m;
}

/*
 * Take out the last begin of this name that this end can belong to. Return: 1, or 0 if there is
 * none. In the same function, begin and end have the same frame: a begin with a lower frame was
 * left without an end, and one with a higher frame belongs to a caller.
 */
KSTATS_USER_INLINE int kstats_user_take(struct kstats_user_marker *m, __u64 function, void *frame,
					__u64 session, __u64 *start_ns)
{
	struct kstats_user_thread *t = &kstats_user_thread;
	__u64 at = t->top, last = at > KSTATS_USER_DEPTH ? at - KSTATS_USER_DEPTH : 0;
	__u32 self = kstats_user_self();
	struct kstats_user_open *o;
	__u64 start;
	int found = 0;

	while (!found && at-- > last) {
		o = &t->open[at % KSTATS_USER_DEPTH];
		if (o->marker != m)
			continue;
		/* A begin from before a reset, or of the parent before a fork, has no end here. */
		if (o->session != session || o->self != self) {
			kstats_user_swap(o, m, NULL);
			continue;
		}
		if (o->function == function && o->frame > frame)
			break;
		start = o->start_ns;
		if (o->function != function || o->frame == frame) {
			found = kstats_user_swap(o, m, NULL);
			*start_ns = start;
		} else if (kstats_user_swap(o, m, NULL)) {
			kstats_user_give_up(m, session, KSTATS_USER_LEFT);
		}
	}
	/* No further: below may be as many as were ever left without an end. */
	while (t->top > last && !t->open[(t->top - 1) % KSTATS_USER_DEPTH].marker)
		t->top--;
	return found;
}

KSTATS_USER_COLD void kstats_user_end(struct kstats_user_marker *m, __u64 function, void *frame)
{
	const struct kstats_user_node *node = kstats_user_node(m);
	__u64 session = node ? __atomic_load_n(&node->control->session, __ATOMIC_ACQUIRE) : 0;
	__u64 now, start = 0;

	if (!session)
		return;
	now = kstats_user_now();
	if (kstats_user_take(m, function, frame, session, &start))
		kstats_user_count(node, session, kstats_user_durations(), now - start);
	else
		kstats_user_add(node, session, KSTATS_USER_UNMATCHED, 1, 0);
}

KSTATS_USER_COLD enum kstats_user_why kstats_user_state(struct kstats_user_marker *m)
{
	kstats_user_node(m);
	return (enum kstats_user_why)m->why;
}

KSTATS_USER_COLD void kstats_user_look_again(void)
{
	__u32 *none = &kstats_user_process.none;

	__atomic_store_n(none, (*none + 1) & ~KSTATS_USER_VERSION_BIT, __ATOMIC_RELEASE);
}

#ifdef __cplusplus
}
#endif

/* ---- markers ---- */

/*
 * Define a struct kstats_user_marker, and set the variable @marker to its address. The linker keeps
 * one for each name in a program or library. C cannot define such a variable inside a function, so
 * assembly does.
 */
/* clang-format off */
#define KSTATS_USER_MARKER(name, marker) \
	struct kstats_user_marker *marker; \
	__asm__( \
		".ifndef kstats_user_marker_" #name "\n" \
		".pushsection .data.kstats_user_marker_" #name ", \"awG\", @progbits, " \
			"kstats_user_marker_" #name ", comdat\n" \
		".weak kstats_user_marker_" #name "\n" \
		".hidden kstats_user_marker_" #name "\n" \
		".type kstats_user_marker_" #name ", @object\n" \
		".balign 64\n" \
		"kstats_user_marker_" #name ":\n" \
		".long 0, 0\n" \
		".quad 0\n" \
		".long 0\n" \
		".asciz \"" #name "\"\n" \
		".balign 64\n" \
		".size kstats_user_marker_" #name ", . - kstats_user_marker_" #name "\n" \
		".popsection\n" \
		".endif\n\t" \
		KSTATS_USER_ADDRESS("kstats_user_marker_" #name) : "=r"(marker))

/* A nop, and a note about it in the form of SystemTap's static probes, which other tracers read. */
#define KSTATS_USER_NOTE(probe, args, ...) \
	__asm__ volatile( \
		"990: nop\n" \
		".pushsection .note.stapsdt, \"?\", \"note\"\n" \
		".balign 4\n" \
		".4byte 992f - 991f, 994f - 993f, 3\n" \
		"991: .asciz \"stapsdt\"\n" \
		"992: .balign 4\n" \
		"993: .8byte 990b\n" \
		".8byte _.stapsdt.base\n" \
		".8byte 0\n" \
		".asciz \"kstats\"\n" \
		".asciz \"" probe "\"\n" \
		".asciz \"" args "\"\n" \
		"994: .balign 4\n" \
		".popsection\n" \
		".ifndef _.stapsdt.base\n" \
		".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n" \
		".weak _.stapsdt.base\n" \
		".hidden _.stapsdt.base\n" \
		"_.stapsdt.base: .space 1\n" \
		".size _.stapsdt.base, 1\n" \
		".popsection\n" \
		".endif" : : __VA_ARGS__)

/* A number of the function. Functions of other files or classes may share the text of its name. */
#ifdef __cplusplus
#define KSTATS_USER_FUNCTION ((__u64)__PRETTY_FUNCTION__ ^ (__u64)__FILE__)
#else
#define KSTATS_USER_FUNCTION ((__u64)__func__ ^ (__u64)__FILE__)
#endif

#define KSTATS_USER_POINT(name, which) \
	do { \
		KSTATS_USER_MARKER(name, kstats_user_m_); \
		KSTATS_USER_NOTE(#name "_" #which, "", ); \
		if (kstats_user_is_on(kstats_user_m_)) \
			kstats_user_##which(kstats_user_m_, KSTATS_USER_FUNCTION, \
					    __builtin_frame_address(0)); \
	} while (0)

#define KSTATS_BEGIN(name) KSTATS_USER_POINT(name, begin)
#define KSTATS_END(name) KSTATS_USER_POINT(name, end)
#define KSTATS_SAMPLE(name, value) \
	do { \
		__u64 kstats_user_value_ = (__u64)(value); \
		KSTATS_USER_MARKER(name, kstats_user_m_); \
		KSTATS_USER_NOTE(#name, "8@%0", "nor"(kstats_user_value_)); \
		if (kstats_user_is_on(kstats_user_m_)) \
			kstats_user_sample(kstats_user_m_, kstats_user_value_); \
	} while (0)
#define KSTATS_USER_STATE(name) \
	__extension__({ \
		KSTATS_USER_MARKER(name, kstats_user_m_); \
		kstats_user_state(kstats_user_m_); \
	})
#define KSTATS_USER_LOOK() kstats_user_look_again()
/* clang-format on */

#else

#define KSTATS_BEGIN(name) ((void)0)
#define KSTATS_END(name) ((void)0)
#define KSTATS_SAMPLE(name, value) ((void)(value))
#define KSTATS_USER_STATE(name) KSTATS_USER_EMPTY
#define KSTATS_USER_LOOK() ((void)0)

#endif

/**
 * kstats_user_text() - a state in words
 * @why: of KSTATS_USER_STATE()
 *
 * Return: a constant text.
 */
static inline const char *kstats_user_text(enum kstats_user_why why)
{
	static const char *const texts[] = {
		"it records",
		"the node is stopped",
		"there is no node of that name",
		"there is no folder of nodes, or it is not visible here",
		"it is not permitted to use the node",
		"another version of kstats-bpf made the node",
		"the node cannot be mapped",
		"markers are empty on this machine",
	};

	return texts[why <= KSTATS_USER_EMPTY ? why : KSTATS_USER_FAILED];
}

#endif /* KSTATS_USER_H */
