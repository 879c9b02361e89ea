// SPDX-License-Identifier: GPL-2.0-only
/* words - count how many different words a file has: the program of docs/tutorial.md */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BUCKETS
#define BUCKETS 64
#endif

struct word {
	struct word *next;
	char text[];
};

static struct word *table[BUCKETS];

static unsigned int hash(const char *text)
{
	unsigned int h = 5381;

	while (*text)
		h = h * 33 + (unsigned char)*text++;
	return h % BUCKETS;
}

/* Return: how many words it was compared with, or a negative number if it is new. */
__attribute__((noinline)) int lookup(const char *text)
{
	struct word **at = &table[hash(text)];
	int compared = 0;

	for (; *at; at = &(*at)->next) {
		compared++;
		if (!strcmp((*at)->text, text))
			return compared;
	}
	*at = malloc(sizeof(**at) + strlen(text) + 1);
	if (!*at)
		abort();
	(*at)->next = NULL;
	strcpy((*at)->text, text);
	return -compared;
}

int main(int argc, char **argv)
{
	FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
	unsigned int n = 0;
	char text[64];

	if (!in) {
		perror(argv[1]);
		return 1;
	}
	while (fscanf(in, "%63s", text) == 1)
		n += lookup(text) <= 0;
	printf("%u different words\n", n);
	return fclose(in) ? 1 : 0;
}
