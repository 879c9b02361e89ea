// SPDX-License-Identifier: GPL-2.0-only
/* going.c - see going.h. */
#include "going.h"

#define GOING 512

static struct {
	unsigned long from, to;
} going[GOING];
static unsigned int n_going;

void going_tell(unsigned long from, unsigned long to)
{
	going[n_going].from = from;
	going[n_going].to = to;
	n_going = (n_going + 1) % GOING;
}

void going_forget(unsigned long from, unsigned long to)
{
	unsigned int i;

	for (i = 0; i < GOING; i++)
		if (from < going[i].to && going[i].from < to)
			going[i].from = going[i].to = 0;
}

bool going_has(unsigned long place)
{
	unsigned int i;

	for (i = 0; i < GOING; i++)
		if (place >= going[i].from && place < going[i].to)
			return true;
	return false;
}
