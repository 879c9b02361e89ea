// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobe.c - what a call of a function costs: uprobe FUNCTION CALLS. Prints ns, the cheapest of
 * the parts. The functions differ in their first instruction. Called by uprobe.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PARTS 100

void of_nop(void);
void of_push(void);
void of_endbr(void);
void of_lea(void);
__asm__(".text\n"
	".type of_nop, @function\nof_nop: nop\nret\n.size of_nop, .-of_nop\n"
	".type of_push, @function\nof_push: push %rbx\npop %rbx\nret\n.size of_push, .-of_push\n"
	".type of_endbr, @function\nof_endbr: endbr64\nret\n.size of_endbr, .-of_endbr\n"
	".type of_lea, @function\nof_lea: lea 1(%rdi), %rax\nret\n.size of_lea, .-of_lea\n");

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void (*function_of(const char *name))(void)
{
	if (!strcmp(name, "of_nop"))
		return of_nop;
	if (!strcmp(name, "of_push"))
		return of_push;
	return !strcmp(name, "of_endbr") ? of_endbr : of_lea;
}

int main(int argc, char **argv)
{
	void (*volatile call)(void) = function_of(argc > 1 ? argv[1] : "of_nop");
	int calls = argc > 2 ? atoi(argv[2]) : 10000, part, i;
	double begin, ns, best = 1e18;

	for (part = 0; part < PARTS; part++) {
		begin = now();
		for (i = 0; i < calls; i++)
			call();
		ns = (now() - begin) / calls;
		best = ns < best ? ns : best;
	}
	printf("%.1f\n", best);
	return 0;
}
