// SPDX-License-Identifier: GPL-2.0-only
/* elf.c - sections and segments of a program or library. */
#include "user/priv.h"

#include <string.h>

Elf_Scn *user_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	const char *text;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		text = gelf_getshdr(section, header) ? elf_strptr(elf, names, header->sh_name)
						     : NULL;
		if (text && !strcmp(text, name))
			return section;
	}
	return NULL;
}

uint64_t user_offset(const struct user_binary *b, uint64_t address, bool *is_code)
{
	const struct user_segment *s;

	for (s = b->segments; s < b->segments + b->n_segments; s++)
		if (address >= s->address && address - s->address < s->size) {
			*is_code = s->is_code;
			return address - s->address + s->offset;
		}
	return 0;
}

void user_read_segments(struct user_binary *b, Elf *elf)
{
	GElf_Phdr p;
	size_t n = 0, i;

	elf_getphdrnum(elf, &n);
	for (i = 0; i < n && b->n_segments < USER_SEGMENTS_MAX && gelf_getphdr(elf, i, &p); i++)
		if (p.p_type == PT_LOAD)
			b->segments[b->n_segments++] =
				(struct user_segment){ .address = p.p_vaddr,
						       .offset = p.p_offset,
						       .size = p.p_filesz,
						       .is_code = p.p_flags & PF_X,
						       .is_writable = p.p_flags & PF_W };
}
