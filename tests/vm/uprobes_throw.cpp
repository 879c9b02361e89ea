// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobes_throw.cpp - exceptions of C++ in functions whose calls are known. "inside" throws and
 * catches within a call of up_inside(), 29 times; "over" throws between up_begin() and up_end() in
 * 15 of 31 rounds; "through" throws through a call of up_through(). Called by uprobes.sh.
 */
#include <cstring>

#define MARK extern "C" __attribute__((noinline, noclone, used))

static volatile int sink;

MARK void up_thrower(int n)
{
	sink = sink + 1;
	if (n % 2)
		throw n;
}

MARK void up_inside(int n)
{
	try {
		up_thrower(n);
	} catch (int) {
		sink = sink + 1;
	}
}

MARK void up_begin(void)
{
	sink = sink + 1;
}

MARK void up_end(void)
{
	sink = sink + 1;
}

MARK void up_through(int n)
{
	up_thrower(n);
	sink = sink + 1;
}

static void over(int n)
{
	try {
		up_begin();
		up_thrower(n);
		up_end();
	} catch (int) {
		sink = sink + 1;
	}
}

static void through(int n)
{
	try {
		up_through(n);
	} catch (int) {
		sink = sink + 1;
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int i;

	for (i = 0; i < 29 && !strcmp(what, "inside"); i++)
		up_inside(i);
	for (i = 0; i < 31 && !strcmp(what, "over"); i++)
		over(i);
	for (i = 0; i < 31 && !strcmp(what, "through"); i++)
		through(i);
	return 0;
}
