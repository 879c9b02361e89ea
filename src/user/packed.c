// SPDX-License-Identifier: GPL-2.0-only
/* packed.c - sections that are compressed: what they claim to unpack to, before anyone does it. */
#include <endian.h>
#include <string.h>

#include "user/priv.h"

#define OLD_NAME ".zdebug" /* what the names of the old kind begin with */
#define OLD_MAGIC "ZLIB"
#define OLD_HEAD 12 /* bytes: that, and the size in the order of the network */

/* What a section of the old kind, .zdebug_info, says of itself. Return: 0 if it is none. */
static uint64_t old_size(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	const char *name;
	Elf_Data *data;
	uint64_t size;
	size_t names;

	name = elf_getshdrstrndx(elf, &names) ? NULL : elf_strptr(elf, names, header->sh_name);
	if (!name || strncmp(name, OLD_NAME, strlen(OLD_NAME)))
		return 0;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || data->d_size < OLD_HEAD ||
	    memcmp(data->d_buf, OLD_MAGIC, strlen(OLD_MAGIC)))
		return 0;
	memcpy(&size, (char *)data->d_buf + strlen(OLD_MAGIC), sizeof(size));
	return be64toh(size);
}

static uint64_t unpacked_size(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	GElf_Chdr packed;

	if (header->sh_type == SHT_NOBITS)
		return 0;
	if (!(header->sh_flags & SHF_COMPRESSED))
		return old_size(elf, section, header);
	return gelf_getchdr(section, &packed) ? packed.ch_size : UINT64_MAX;
}

bool user_unpacks_far(int fd)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool far = false;

	while (elf && !far && (section = elf_nextscn(elf, section)))
		far = gelf_getshdr(section, &header) &&
		      unpacked_size(elf, section, &header) >
			      USER_UNPACKS_ANYWAY + USER_SHRINKS_MOST * header.sh_size;
	elf_end(elf);
	return far;
}
