// SPDX-License-Identifier: GPL-2.0-only
/* place.c - see place.h. */
#include "place.h"

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "kstats_direct.h"

#define ENDBR_SIZE 4
#define INT3 0xcc
#define TRIES 100 /* each waits for a millisecond or more */

/* The table of symbols says that it is the first byte of a function that can be measured. */
static int check_symbol(unsigned long addr)
{
	char *text = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL), *plus;
	int err = -EINVAL;

	if (!text)
		return -ENOMEM;
	sprint_symbol(text, addr);
	/* "name+0x0/0x40 [module]"; a plain number if there is none */
	plus = strstr(text, "+0x0/");
	if (plus) {
		*plus = '\0';
		err = kstats_direct_stays(text) ? -EDOM : 0;
	}
	kfree(text);
	return err;
}

/* A nop, or a call or a jump if somebody else traces the function. */
static bool is_place(const u8 *code)
{
	static const u8 nop[CALL_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return !memcmp(code, nop, sizeof(nop)) || *code == 0xe8 || *code == 0xe9;
}

/* Perhaps it is behind an endbr, or what replaced that. */
static int find_place(unsigned long addr, unsigned long *place)
{
	u8 code[ENDBR_SIZE + CALL_SIZE];

	if (copy_from_kernel_nofault(code, (void *)addr, sizeof(code)))
		return -EINVAL;
	if (is_place(code))
		*place = addr;
	else if (is_place(code + ENDBR_SIZE))
		*place = addr + ENDBR_SIZE;
	else if (!memchr_inv(code, INT3, sizeof(code)))
		return -EINVAL; /* what the kernel was started with, and freed */
	else
		/* The first byte, while the others are changed by somebody. */
		return code[0] == INT3 || code[ENDBR_SIZE] == INT3 ? -EAGAIN : -EINVAL;
	return 0;
}

int place_of(unsigned long addr, unsigned long *place)
{
	int err = check_symbol(addr), tries;

	for (tries = 0; !err && tries < TRIES; tries++) {
		err = find_place(addr, place);
		if (err != -EAGAIN)
			return err;
		err = 0;
		usleep_range(1000, 2000);
	}
	return err ?: -EAGAIN;
}
