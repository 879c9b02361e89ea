// SPDX-License-Identifier: GPL-2.0-only
/* serve - a function that is slow for one kind of request: the program of docs/why.md */
#include <stdio.h>
#include <unistd.h>

static volatile unsigned int done;

__attribute__((noinline)) void load_settings(void)
{
	usleep(10000);
}

__attribute__((noinline)) void serve(unsigned int kind)
{
	unsigned int i;

	for (i = 0; i < 5000; i++)
		done += i;
	if (kind == 7)
		load_settings();
}

int main(void)
{
	unsigned int i, chance = 1;

	for (i = 0; i < 3000; i++) {
		chance = chance * 1103515245 + 12345;
		serve(chance >> 16 & 63);
		usleep(200);
	}
	printf("%u requests\n", i);
	return 0;
}
