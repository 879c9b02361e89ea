// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64.c - a program of arm64 whose calls are known, which arm64.sh measures. "seek N" makes
 * system calls, "signal N" sends itself signals, "file N" makes files whose memory is known, and
 * "user N" calls the functions up_*, each of which must return twice its argument.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPOT "-4@w0 8@x1 -2@[sp, 8] 4@-1 1@w1 4f@s0 8@[x0, x1, lsl 3] 8@xzr"

/* One for each way in which the kernel treats the instruction under a probe. */
long up_nop(long i);
long up_bti(long i);
long up_pac(long i);
long up_frame(long i);
long up_add(long i);
long up_adrp(long i);
long up_adr(long i);
long up_branch(long i);
long up_cbz(long i);
long up_tbz(long i);
long up_literal(long i);
asm(".text\n"
    ".macro up name\n"
    ".balign 4\n.globl up_\\name\n.type up_\\name, %function\nup_\\name:\n"
    ".endm\n"
    ".macro twice\nadd x0, x0, x0\nret\n.endm\n"
    "up nop\nnop\ntwice\n"
    "up bti\nhint #34\ntwice\n"
    "up pac\nhint #25\nstp x29, x30, [sp, #-16]!\nadd x0, x0, x0\nldp x29, x30, [sp], #16\n"
    "hint #29\nret\n"
    "up frame\nstp x29, x30, [sp, #-16]!\nmov x29, sp\nadd x0, x0, x0\n"
    "ldp x29, x30, [sp], #16\nret\n"
    "up add\ntwice\n"
    "up adrp\nadrp x9, up_adrp\ntwice\n"
    "up adr\nadr x9, up_add\nbr x9\n"
    "up branch\nb up_add\n"
    "up cbz\ncbz x0, 1f\nadd x0, x0, x0\n1: ret\n"
    "up tbz\ntbz w0, #0, 1f\nnop\n1: twice\n"
    "up literal\nldr x9, 1f\nadd x0, x0, x0\nret\n.balign 8\n1: .quad 0\n");

/* A static probe whose arguments are where SPOT says: the first is -i % 11, the second is i. */
void up_spot(int minus, long i);
asm(".balign 4\n.type up_spot, %function\n"
    "up_spot: sub sp, sp, #16\nstrh w0, [sp, #8]\n990: nop\nadd sp, sp, #16\nret\n"
    ".pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n"
    ".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
    "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n.asciz \"spots\"\n.asciz \"spot\"\n"
    ".asciz \"" SPOT "\"\n994: .balign 4\n.popsection\n"
    ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
    ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"
    ".size _.stapsdt.base, 1\n.popsection\n");

static long (*const ups[])(long i) = { up_nop,  up_bti,	   up_pac, up_frame, up_add, up_adr,
				       up_adrp, up_branch, up_cbz, up_tbz,   up_literal };

static volatile sig_atomic_t handled;
static volatile long sink;

static void handle(int signal)
{
	handled++;
}

static void seek(long n)
{
	int fd = memfd_create("seek", 0);
	long i;

	for (i = 0; i < n; i++)
		if (lseek(fd, i, SEEK_SET) != i)
			exit(1);
}

long up_recurse(long depth);

/* Of a call inside a call, the stack pointer is lower. */
__attribute__((noinline)) long up_recurse(long depth)
{
	long deeper = depth > 1 ? up_recurse(depth - 1) : 0;

	sink = depth;
	return deeper + 1;
}

static void user(long n)
{
	size_t up;
	long i;

	for (i = 0; i < n; i++) {
		for (up = 0; up < sizeof(ups) / sizeof(*ups); up++)
			if (ups[up](i) != 2 * i)
				exit(1);
		up_spot(-i % 11, i);
	}
	for (i = 0; i < n / 10; i++)
		if (up_recurse(7) != 7)
			exit(1);
}

static void file(long n)
{
	long i;

	for (i = 0; i < n; i++)
		close(eventfd(0, 0));
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0, i;

	if (n < 1)
		return 2;
	signal(SIGUSR1, handle);
	if (!strcmp(argv[1], "seek"))
		seek(n);
	else if (!strcmp(argv[1], "user"))
		user(n);
	else if (!strcmp(argv[1], "file"))
		file(n);
	else if (!strcmp(argv[1], "signal"))
		for (i = 0; i < n; i++)
			raise(SIGUSR1);
	return handled != (strcmp(argv[1], "signal") ? 0 : n);
}
