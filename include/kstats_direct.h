/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_direct.h - functions in which a call can end unseen. Included by the module, which
 * refuses to measure them by a stub, and by programs that tell why.
 *
 * A task that dies inside a function is noticed as long as it has not got to do_task_dead(). A
 * CPU that is switched off stays inside its idle loop, and when it is switched on begins there
 * anew.
 */
#ifndef KSTATS_DIRECT_NAMES_H
#define KSTATS_DIRECT_NAMES_H

#include <linux/types.h>

/** Why a stub does not measure such a function; half a sentence */
#define KSTATS_DIRECT_STAYS_WHY "a CPU that is switched off, or a task that ends, stays inside"

/** kstats_name_is() - whether they are the same; @name: any text; @word: any text */
static inline int kstats_name_is(const char *name, const char *word)
{
	while (*word && *name == *word) {
		name++;
		word++;
	}
	return *name == *word;
}

/** kstats_name_has() - whether one is in the other; @name: any text; @word: not empty */
static inline int kstats_name_has(const char *name, const char *word)
{
	unsigned int i;

	for (; *name; name++) {
		for (i = 0; word[i] && name[i] == word[i]; i++)
			;
		if (!word[i])
			return 1;
	}
	return 0;
}

/**
 * kstats_direct_stays() - whether a call of a function may end without being seen
 * @name: of the function
 *
 * Return: 1 or 0.
 */
static inline int kstats_direct_stays(const char *name)
{
	return kstats_name_is(name, "do_idle") || kstats_name_is(name, "cpu_startup_entry") ||
	       kstats_name_is(name, "arch_cpu_idle_dead") || kstats_name_is(name, "do_task_dead") ||
	       kstats_name_has(name, "play_dead");
}

#endif /* KSTATS_DIRECT_NAMES_H */
