// SPDX-License-Identifier: GPL-2.0-only
/*
 * kstats_user.c - the markers of kstats_user.h for kstats_user.py. In: names at run time. Out:
 * samples in the nodes of these names. A begin is kept by the caller, not by the thread, so that it
 * may end in another thread, or after other tasks of an event loop have run.
 */
#include <stdlib.h>
#include <string.h>

#include "kstats_user.h"

#ifndef KSTATS_USER_NODE_H
#error "markers are for x86-64 and arm64; elsewhere kstats_user.py works without this library"
#endif

/* A begin; kstats_user.py has it as Span. */
struct kstats_python_begun {
	__u64 session; /* 0: nothing was recorded then, or it has ended */
	__u64 start_ns;
	__u64 self;
};

struct kstats_user_marker *kstats_python_marker(const char *name);
void kstats_python_begin(struct kstats_user_marker *m, struct kstats_python_begun *b);
void kstats_python_end(struct kstats_user_marker *m, struct kstats_python_begun *b);
void kstats_python_sample(struct kstats_user_marker *m, __u64 value);
const char *kstats_python_state(struct kstats_user_marker *m);
const __u32 *kstats_python_version(void);
void kstats_python_look(void);

/* Return: a marker that stays, or NULL. */
struct kstats_user_marker *kstats_python_marker(const char *name)
{
	size_t size = sizeof(struct kstats_user_marker) + strlen(name) + 1;
	struct kstats_user_marker *m = aligned_alloc(64, (size + 63) & ~(size_t)63);

	if (m) {
		memset(m, 0, sizeof(*m));
		strcpy(m->name, name);
	}
	return m;
}

void kstats_python_begin(struct kstats_user_marker *m, struct kstats_python_begun *b)
{
	const struct kstats_user_node *node;

	b->session = 0;
	if (!kstats_user_is_on(m))
		return;
	node = kstats_user_node(m);
	b->session = node ? __atomic_load_n(&node->control->session, __ATOMIC_ACQUIRE) : 0;
	if (!b->session)
		return;
	kstats_user_add(node, b->session, KSTATS_USER_BEGUN, 1, 0);
	b->self = kstats_user_self();
	b->start_ns = kstats_user_now();
}

/* A begin from before a reset, or of the parent before a fork, has no end here. */
void kstats_python_end(struct kstats_user_marker *m, struct kstats_python_begun *b)
{
	const struct kstats_user_node *node;
	__u64 now, session;

	if (!kstats_user_is_on(m))
		return;
	now = kstats_user_now();
	node = kstats_user_node(m);
	session = node ? __atomic_load_n(&node->control->session, __ATOMIC_ACQUIRE) : 0;
	if (!session)
		return;
	if (b->session == session && b->self == kstats_user_self())
		kstats_user_count(node, session, kstats_user_durations(), now - b->start_ns);
	else
		kstats_user_add(node, session, KSTATS_USER_UNMATCHED, 1, 0);
	b->session = 0;
}

void kstats_python_sample(struct kstats_user_marker *m, __u64 value)
{
	if (kstats_user_is_on(m))
		kstats_user_sample(m, value);
}

const char *kstats_python_state(struct kstats_user_marker *m)
{
	return kstats_user_text(kstats_user_state(m));
}

/* While a marker has seen the number there, nobody listens to it. */
const __u32 *kstats_python_version(void)
{
	return __atomic_load_n(&kstats_user_process.version, __ATOMIC_ACQUIRE);
}

void kstats_python_look(void)
{
	kstats_user_look_again();
}
