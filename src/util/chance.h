/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chance.h - numbers for permutations and resampling, the same in each run, since the same
 * measurement must get the same verdict. Called by judge and why.
 */
#ifndef KSTATS_CHANCE_H
#define KSTATS_CHANCE_H

#include <stdint.h>

/**
 * chance_number() - the next pseudo-random number
 * @state: of the generator; the same state gives the same numbers
 *
 * Return: 64 bits.
 */
uint64_t chance_number(uint64_t *state);

/** chance_below() - a number from 0 to @n - 1; @n: above 0 */
static inline uint32_t chance_below(uint64_t *state, uint32_t n)
{
	return (chance_number(state) >> 32) * n >> 32;
}

#endif /* KSTATS_CHANCE_H */
