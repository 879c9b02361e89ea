// SPDX-License-Identifier: GPL-2.0-only
/* near.c - the functions and tracepoints that are nearest to a name that was not found. */
#include "facts/priv.h"

#include <stdio.h>
#include <string.h>

#include "util/arch.h"
#include "util/near.h"

/* Sorted first: of equally near names the first wins. */
static void consider_module(struct nearest *near, struct facts_module *m)
{
	size_t i;

	facts_btf_sort(m);
	for (i = 0; i < m->n_fns; i++)
		near_consider(near, m->fns[i].name);
}

/* Programs know a system call as "openat", or "sys_openat"; its events begin with "sys_enter_". */
static bool is_system_call(const struct facts *f, const char *name, char *buf, size_t size)
{
	static const char *const befores[] = { "sys_enter_", "sys_exit_", "sys_" };
	char function[128];
	size_t i;

	for (i = 0; i < 3 && strncmp(name, befores[i], strlen(befores[i])); i++)
		;
	snprintf(function, sizeof(function), ARCH_SYSTEM_CALL "%s",
		 name + (i < 3 ? strlen(befores[i]) : 0));
	for (i = 0; i < f->kernel.n_fns && strcmp(f->kernel.fns[i].name, function); i++)
		;
	if (i == f->kernel.n_fns)
		return false;
	snprintf(buf, size,
		 "did you mean %s, or the tracepoints of all system calls, "
		 "tp:sys_enter and tp:sys_exit?",
		 function);
	return true;
}

/* A tracepoint without the letters that say so. */
static bool is_tracepoint(const struct facts *f, const char *name, char *buf, size_t size)
{
	bool found = facts_tp_named(&f->kernel, name);
	size_t m;

	for (m = 0; !found && m < f->n_modules; m++)
		found = facts_tp_named(&f->modules[m], name);
	if (found)
		snprintf(buf, size, "for the tracepoint of that name write tp:%s", name);
	return found;
}

char *facts_near_functions(struct facts *f, const char *name, char *buf, size_t size)
{
	struct nearest near = { .wanted = name };
	size_t m;

	if (is_system_call(f, name, buf, size) || is_tracepoint(f, name, buf, size))
		return buf;
	consider_module(&near, &f->kernel);
	for (m = 0; m < f->n_modules; m++)
		consider_module(&near, &f->modules[m]);
	return near_words(&near, buf, size);
}

char *facts_near_tracepoints(const struct facts *f, const char *name, char *buf, size_t size)
{
	struct nearest near = { .wanted = name };
	size_t i, m;

	if (is_system_call(f, name, buf, size))
		return buf;
	for (i = 0; i < f->kernel.n_tps; i++)
		near_consider(&near, f->kernel.tps[i].name);
	for (m = 0; m < f->n_modules; m++)
		for (i = 0; i < f->modules[m].n_tps; i++)
			near_consider(&near, f->modules[m].tps[i].name);
	return near_words(&near, buf, size);
}

char *facts_near(struct facts *f, const char *name, char *buf, size_t size)
{
	if (!facts_near_functions(f, name, buf, size)[0])
		facts_near_tracepoints(f, name, buf, size);
	return buf;
}
