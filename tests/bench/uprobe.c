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
void of_long(void);
void of_push(void);
void of_jump(void);
void of_endbr(void);
void of_lea(void);
__asm__(".text\n"
	".type of_nop, @function\nof_nop: nop\nret\n.size of_nop, .-of_nop\n"
	".type of_push, @function\nof_push: push %rbx\npop %rbx\nret\n.size of_push, .-of_push\n"
	".type of_long, @function\nof_long: .byte 0x0f, 0x1f, 0x44, 0, 0\nret\n"
	".size of_long, .-of_long\n"
	".type of_jump, @function\nof_jump: jmp 1f\n1: ret\n.size of_jump, .-of_jump\n"
	".type of_endbr, @function\nof_endbr: endbr64\nret\n.size of_endbr, .-of_endbr\n"
	".type of_lea, @function\nof_lea: lea 1(%rdi), %rax\nret\n.size of_lea, .-of_lea\n");

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static const struct {
	const char *name;
	void (*call)(void);
} functions[] = {
	{ "of_nop", of_nop },   { "of_long", of_long },   { "of_push", of_push },
	{ "of_jump", of_jump }, { "of_endbr", of_endbr }, { "of_lea", of_lea },
};

#define N_FUNCTIONS (sizeof(functions) / sizeof(*functions))

static void (*function_of(const char *name))(void)
{
	size_t i = 0;

	while (i < N_FUNCTIONS && strcmp(functions[i].name, name))
		i++;
	if (i < N_FUNCTIONS)
		return functions[i].call;
	fprintf(stderr, "uprobe: there is no function %s\n", name);
	exit(2);
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
