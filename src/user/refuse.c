// SPDX-License-Identifier: GPL-2.0-only
/*
 * refuse.c - which functions can be probed. At a return probe the kernel replaces the return
 * address on the stack, which some functions do not survive.
 */
#include <string.h>

#include "user/priv.h"

static bool refuse_is_in(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static const char *never_returns(const char *name)
{
	static const char *const names[] = { "abort",
					     "exit",
					     "_exit",
					     "_Exit",
					     "quick_exit",
					     "longjmp",
					     "_longjmp",
					     "siglongjmp",
					     "__longjmp_chk",
					     "pthread_exit",
					     "__assert_fail",
					     "__assert",
					     "__stack_chk_fail",
					     "__fortify_fail",
					     "__cxa_throw",
					     "__cxa_rethrow",
					     "_Unwind_Resume",
					     "__libc_fatal",
					     "__libc_start_main",
					     "__chk_fail",
					     "thrd_exit",
					     "setcontext",
					     NULL };

	return refuse_is_in(names, name) ? "it never returns" : NULL;
}

/* Their caller continues twice, or on another stack. */
static const char *returns_twice(const char *name)
{
	static const char *const names[] = { "setjmp",    "_setjmp",    "__sigsetjmp",
					     "vfork",     "__vfork",    "__libc_vfork",
					     "clone",     "__clone",    "clone3",
					     "__clone3",  "getcontext", "swapcontext",
					     "sigsetjmp", NULL };

	return refuse_is_in(names, name)
		       ? "it returns twice or on another stack, which a return probe would break"
		       : NULL;
}

static const char *has_no_caller(const char *name)
{
	static const char *const names[] = { "_start", "_dl_start_user", "__restore_rt", NULL };

	return refuse_is_in(names, name) ? "it was not called, and has no return address" : NULL;
}

/* Compilers move rarely executed parts of a function away, and jump there. */
static bool is_part(const char *name)
{
	const char *part = strstr(name, ".cold");

	return part && (!part[5] || part[5] == '.');
}

static bool is_writable(const struct user_binary *b, uint64_t offset)
{
	const struct user_segment *s;

	for (s = b->segments; s < b->segments + b->n_segments; s++)
		if (s->is_code && offset >= s->offset && offset - s->offset < s->size)
			return s->is_writable;
	return false;
}

void user_judge(const struct user_binary *b, struct user_symbol *s, int type)
{
	const char *unsafe;

	if (!s->offset) {
		s->refused = "it is in another file, and is called through a PLT here";
		return;
	}
	if (type == STT_GNU_IFUNC)
		s->refused = "it chooses among several functions when the program starts (IFUNC)";
	s->is_part = is_part(s->name);
	if (s->is_part)
		s->refused = "it is a part of a function, not its beginning";
	else if (is_writable(b, s->offset))
		s->refused = "its code is writable in memory, where the kernel puts no probes";
	s->first = user_first_at(b, s->offset, &unsafe);
	if (!s->refused)
		s->refused = unsafe;
	s->no_return = never_returns(s->name);
	if (!s->no_return)
		s->no_return = returns_twice(s->name);
	if (!s->no_return)
		s->no_return = has_no_caller(s->name);
	if (!s->no_return && b->is_go)
		s->no_return = "Go moves its stacks, and would find the address of a return probe "
			       "there; measure between two points";
}
