// SPDX-License-Identifier: GPL-2.0-only
/* paths - a function that is slow on one of the paths to it: the program of docs/stacks.md */
#include <stdio.h>
#include <unistd.h>

static unsigned int seen;

__attribute__((noinline)) void find(unsigned int us)
{
	usleep(us);
	seen++;
}

__attribute__((noinline)) void answer(void)
{
	find(100);
	seen++;
}

__attribute__((noinline)) void reload(void)
{
	find(50000);
	seen++;
}

int main(void)
{
	int i;

	for (i = 0; i < 60; i++) {
		answer();
		if (i % 10 == 9)
			reload();
	}
	printf("%u\n", seen);
	return 0;
}
