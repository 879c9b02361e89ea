// SPDX-License-Identifier: GPL-2.0-only
/*
 * expr.c - a function with parameters of every width and sign, and a structure with members of
 * each kind. Call i gets
 *
 *   narrow  the lowest byte of i         object  what kt_fill() makes of i; for i % 10 == 0 NULL,
 *   middle  -(i % 100)                           for i % 10 == 1 an address without memory
 *   wide    3 * i                        text    "even" or "odd"
 *   large   i, negative where it is odd
 *
 * and returns i % 7 - 3.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "kt.h"

#define SHORT_CALLS 1024 /* so many empty calls are a short time */

struct kt_inner {
	s32 depth;
	const char *label;
};

struct kt_object {
	u8 small;
	s16 middle;
	u32 low : 3, high : 5;
	s32 sign : 4;
	struct kt_inner inner;
	struct kt_object *next;
	char name[8];
	union {
		u64 whole;
		u32 half;
	};
	u16 row[4];
};

#define WILD ((struct kt_object *)0xdead000000000000)

static const char *const texts[] = { "even", "odd" };

int kt_expr(u8 narrow, s16 middle, u32 wide, s64 large, struct kt_object *object,
	    const char *text);
int __traced kt_expr(u8 narrow, s16 middle, u32 wide, s64 large, struct kt_object *object,
		     const char *text)
{
	barrier();
	return (int)((u64)abs(large) % 7) - 3;
}

static void kt_fill(struct kt_object *o, u64 i, struct kt_object *next)
{
	o->small = i % 251;
	o->middle = -(s16)(i % 1000);
	o->low = i;
	o->high = i >> 3;
	o->sign = i;
	o->inner.depth = i % 2 ? -(s32)i : (s32)i;
	o->inner.label = texts[i % 2];
	o->next = i % 3 ? next : NULL;
	snprintf(o->name, sizeof(o->name), "kt%u", (u32)(i % 5));
	o->whole = 0x100000000 + i;
	o->row[2] = i;
}

int op_expr(const u64 *arg)
{
	static struct kt_object object, second;
	u64 i;

	kt_fill(&second, 8, NULL);
	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++) {
		kt_fill(&object, i, &second);
		kt_expr(i, -(s16)(i % 100), 3 * i, i % 2 ? -(s64)i : (s64)i,
			i % 10 == 0   ? NULL
			: i % 10 == 1 ? WILD
				      : &object,
			texts[i % 2]);
	}
	truth_count(TRUTH_kt_expr, i);
	return calls_result(i, arg[0]);
}
