// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_markers.c - a program with markers; compiled with -shared -fPIC, a library with markers, of
 * which a program may load any number. After `sudo make install`:
 *
 *	cc -O2 -o user_markers examples/user_markers.c
 *	sudo kstats-bpf node add --user request --mode 0666
 *	sudo kstats-bpf node add --user batch --mode 0666
 *	./user_markers
 *	sudo kstats-bpf node show request batch
 *
 * While there is no node of these names, a marker takes less than a nanosecond. Mode 0666 lets
 * programs of all users record.
 */
#include <stdio.h>
#include <unistd.h>

#ifdef IN_TREE
#include "kstats_user.h"
#else
#include <kstats/kstats_user.h>
#endif

void example_batch(unsigned long value);
void example_begin(void);
void example_end(void);
const char *example_state(void);

void example_batch(unsigned long value)
{
	KSTATS_SAMPLE(batch, value);
}

void example_begin(void)
{
	KSTATS_BEGIN(request);
}

void example_end(void)
{
	KSTATS_END(request);
}

const char *example_state(void)
{
	return kstats_user_text(KSTATS_USER_STATE(request));
}

int main(void)
{
	unsigned long i;

	for (i = 0; i < 1000; i++) {
		KSTATS_BEGIN(request);
		usleep(i % 10);
		KSTATS_END(request);
		KSTATS_SAMPLE(batch, i % 100);
	}
	printf("request: %s\n", example_state());
	return 0;
}
