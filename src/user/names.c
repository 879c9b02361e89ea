// SPDX-License-Identifier: GPL-2.0-only
/*
 * names.c - names of C++ and Rust in their own words, by libiberty's demangler (LGPL 2 or later
 * with a linking exception), where the program is built with it.
 */
#include "user/priv.h"

#ifdef KSTATS_LIBIBERTY
#include <libiberty/demangle.h>

char *user_demangle(const char *name)
{
	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return NULL;
	return cplus_demangle(name, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
}
#else
char *user_demangle(const char *name)
{
	return NULL;
}
#endif
