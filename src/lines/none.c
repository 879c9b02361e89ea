// SPDX-License-Identifier: GPL-2.0-only
/* none.c - in place of dwarf.c where the program is built without libdw. */
#include "lines/priv.h"

bool dwarf_is_built(void)
{
	return false;
}

struct dwarf_file *dwarf_open(const char *path, const char *build_id, const char **why)
{
	*why = "this program was built without libdw";
	return NULL;
}

bool dwarf_symbol(struct dwarf_file *f, const char *name, uint64_t *address)
{
	return false;
}

size_t dwarf_frames(struct dwarf_file *f, uint64_t address, struct lines_frame frames[LINES_FRAMES])
{
	return 0;
}

void dwarf_close(struct dwarf_file *f)
{
}
