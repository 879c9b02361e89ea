// SPDX-License-Identifier: GPL-2.0-only
/*
 * dwarf.c - a file with debug information, by libdw of elfutils. The file is mapped, and only
 * the compilation units of the places are read.
 */
#include "lines/priv.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct dwarf_file {
	Dwfl *dwfl;
	Dwfl_Module *module; /* owned by dwfl */
};

bool dwarf_is_built(void)
{
	return true;
}

/* ---- opening ---- */

/* Do not look for other files: all that is needed must be in the file itself. */
static int find_no_elf(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, char **path,
		       Elf **elf)
{
	return -1;
}

static int find_no_more(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base,
			const char *path, const char *link, GElf_Word crc, char **found)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_no_elf,
	.find_debuginfo = find_no_more,
	.section_address = dwfl_offline_section_address,
};

static bool is_build(Dwfl_Module *m, const char *build_id)
{
	const unsigned char *id;
	char text[BUILD_ID_TEXT];
	GElf_Addr unused;
	int n = dwfl_module_build_id(m, &id, &unused);

	if (n <= 0 || n > BUILD_ID_MOST)
		return false;
	build_id_text(id, n, text);
	return !strcmp(text, build_id);
}

static const char *open_module(struct dwarf_file *f, const char *path, const char *build_id)
{
	Dwarf_Addr bias;

	f->dwfl = dwfl_begin(&callbacks);
	if (!f->dwfl)
		return "out of memory";
	dwfl_report_begin(f->dwfl);
	f->module = dwfl_report_offline(f->dwfl, "", path, -1);
	dwfl_report_end(f->dwfl, NULL, NULL);
	if (!f->module || !dwfl_module_getelf(f->module, &bias))
		return "is not an ELF file";
	if (!is_build(f->module, build_id))
		return "is of another build";
	return dwfl_module_getdwarf(f->module, &bias) ? NULL : "has no debug information";
}

struct dwarf_file *dwarf_open(const char *path, const char *build_id, const char **why)
{
	struct dwarf_file *f = calloc(1, sizeof(*f));

	*why = f ? open_module(f, path, build_id) : "out of memory";
	if (!*why)
		return f;
	dwarf_close(f);
	return NULL;
}

void dwarf_close(struct dwarf_file *f)
{
	if (f && f->dwfl)
		dwfl_end(f->dwfl);
	free(f);
}

/* ---- symbols ---- */

bool dwarf_symbol(struct dwarf_file *f, const char *name, uint64_t *address)
{
	int n = dwfl_module_getsymtab(f->module), i;
	const char *own;
	GElf_Addr at;
	GElf_Sym sym;
	bool found = false;

	for (i = 1; i < n; i++) {
		own = dwfl_module_getsym_info(f->module, i, &sym, &at, NULL, NULL, NULL);
		if (!own || strcmp(own, name) || sym.st_shndx == SHN_UNDEF)
			continue;
		if (found && *address != at)
			return false;
		*address = at;
		found = true;
	}
	return found;
}

/* ---- frames ---- */

/* The unit that holds an address. Some compilers write no table of the addresses of units. */
static Dwarf_Die *dwarf_find_unit(struct dwarf_file *f, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(f->module, address, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(f->module, unit, bias)))
		if (dwarf_haspc(unit, address - *bias) > 0)
			break;
	return unit;
}

static const char *dwarf_text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(die, name, &attr));
}

static void set_line(struct lines_frame *f, Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int n;

	f->folder = dwarf_text_of(unit, DW_AT_comp_dir);
	f->file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (line && !dwarf_lineno(line, &n) && n > 0)
		f->line = n;
}

/* The line that calls an inlined function, in the one that it is inlined into. */
static void set_call(struct lines_frame *f, Dwarf_Die *unit, Dwarf_Die *inlined)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word n;

	f->folder = dwarf_text_of(unit, DW_AT_comp_dir);
	if (!dwarf_getsrcfiles(unit, &files, NULL) &&
	    !dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &n))
		f->file = dwarf_filesrc(files, n, NULL, NULL);
	if (!dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &n))
		f->line = n;
}

size_t dwarf_frames(struct dwarf_file *f, uint64_t address, struct lines_frame frames[LINES_FRAMES])
{
	Dwarf_Die *unit, *inner = NULL, *scopes = NULL;
	Dwarf_Addr bias;
	size_t n = 0;
	int count = 0, i;

	unit = dwarf_find_unit(f, address, &bias);
	if (!unit)
		return 0;
	frames[0] = (struct lines_frame){};
	set_line(&frames[0], unit, address - bias);
	/* The first list may lack scopes around the innermost one, so ask for them. */
	if (dwarf_getscopes(unit, address - bias, &inner) > 0)
		count = dwarf_getscopes_die(&inner[0], &scopes);
	for (i = 0; i < count; i++) {
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			frames[n++].function = dwarf_diename(&scopes[i]);
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram || n + 1 == LINES_FRAMES)
			break;
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		frames[n++].function = dwarf_diename(&scopes[i]);
		frames[n] = (struct lines_frame){};
		set_call(&frames[n], unit, &scopes[i]);
	}
	free(scopes);
	free(inner);
	return n || !frames[0].file ? n : 1; /* assembly has no functions */
}
