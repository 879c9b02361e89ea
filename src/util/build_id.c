// SPDX-License-Identifier: GPL-2.0-only
/* build_id.c - see build_id.h. */
#include "util/build_id.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

void build_id_text(const unsigned char *id, size_t n, char text[BUILD_ID_TEXT])
{
	size_t i;

	*text = '\0';
	for (i = 0; i < n && i < BUILD_ID_MOST; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
}

/* Bytes of a name or of contents, which are padded to whole words. */
static size_t padded(size_t n)
{
	return (n + 3) / 4 * 4;
}

/* Xen's notes have the same types as GNU's; the name tells them apart. */
void build_id_read(const char *root, const char *path, char text[BUILD_ID_TEXT])
{
	unsigned char bytes[sizeof("GNU") + BUILD_ID_MOST];
	char full[512];
	Elf64_Nhdr h;
	size_t n;
	FILE *in;

	*text = '\0';
	snprintf(full, sizeof(full), "%s%s", root, path);
	in = fopen(full, "re");
	while (in && !*text && fread(&h, sizeof(h), 1, in)) {
		n = padded(h.n_namesz) + padded(h.n_descsz);
		if (n > sizeof(bytes)) {
			fseek(in, n, SEEK_CUR);
			continue;
		}
		if (fread(bytes, 1, n, in) != n)
			break;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == sizeof("GNU") &&
		    !memcmp(bytes, "GNU", sizeof("GNU")))
			build_id_text(bytes + sizeof("GNU"), h.n_descsz, text);
	}
	if (in)
		fclose(in);
}
