// SPDX-License-Identifier: GPL-2.0-only
/* mini.c - the small symbol table that some distributions leave in stripped files, in xz. */
#include "user/priv.h"

#ifdef KSTATS_LZMA
#include <lzma.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEMORY_MOST (64ULL << 20)
#define PART 65536

/* Writes what @from decompresses to. Returns false if it is no xz, or is too large. */
static bool write_out(int fd, const void *from, size_t size)
{
	static unsigned char part[PART];
	uint64_t most = USER_UNPACKS_ANYWAY + USER_SHRINKS_MOST * size;
	lzma_stream xz = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&xz, MEMORY_MOST, 0);
	size_t n;

	xz.next_in = from;
	xz.avail_in = size;
	if (most > MEMORY_MOST)
		most = MEMORY_MOST;
	while (ret == LZMA_OK && xz.total_out < most) {
		xz.next_out = part;
		xz.avail_out = sizeof(part);
		ret = lzma_code(&xz, LZMA_FINISH);
		n = sizeof(part) - xz.avail_out;
		if (write(fd, part, n) != (ssize_t)n)
			ret = LZMA_PROG_ERROR;
	}
	lzma_end(&xz);
	return ret == LZMA_STREAM_END;
}

Elf *user_mini_open(Elf *elf, int *fd)
{
	GElf_Shdr header;
	Elf_Scn *section = user_section(elf, ".gnu_debugdata", &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	Elf *mini = NULL;

	*fd = data && data->d_buf ? memfd_create("symbols", MFD_CLOEXEC) : -1;
	if (*fd < 0)
		return NULL;
	if (write_out(*fd, data->d_buf, data->d_size))
		mini = elf_begin(*fd, ELF_C_READ, NULL);
	if (!mini) {
		close(*fd);
		*fd = -1;
	}
	return mini;
}
#else
Elf *user_mini_open(Elf *elf, int *fd)
{
	*fd = -1;
	return NULL;
}
#endif
