// SPDX-License-Identifier: GPL-2.0-only
/* chance.c - numbers for permutations: see chance.h. */
#include "util/chance.h"

uint64_t chance_number(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}
