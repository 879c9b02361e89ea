// SPDX-License-Identifier: GPL-2.0-only
/*
 * params.c - the parameters of a function by debug information (DWARF): their names and widths,
 * and the registers that hold them where the function begins.
 */
#include "user/priv.h"
#include "util/arch.h"

#ifdef KSTATS_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG_BYTES 8

enum kind {
	NUMBER, /* or a pointer: it takes a register for numbers */
	FLOAT, /* it takes none */
	OTHER, /* it may take any number of them */
};

static const struct arch_parameter registers[] = ARCH_PARAMETERS;

#define N_REGISTERS (sizeof(registers) / sizeof(*registers))

/* ---- the file ---- */

void user_params_close(struct user_binary *b)
{
	if (b->dwarf)
		dwarf_end(b->dwarf);
	user_alternate_close(b);
	if (b->dwarf_fd > 0)
		close(b->dwarf_fd);
}

static void try_dwarf(struct user_binary *b, int fd)
{
	b->dwarf = user_unpacks_far(fd) ? NULL : dwarf_begin(fd, DWARF_C_READ);
	if (!b->dwarf || user_alternate_set(b, fd))
		return;
	dwarf_end(b->dwarf);
	b->dwarf = NULL;
}

/* The file itself, or one of debug information with the same build id. */
static Dwarf *open_dwarf(struct user_binary *b)
{
	char path[USER_DEBUG_PATH];
	struct stat st;

	if (b->dwarf || b->dwarf_fd)
		return b->dwarf;
	try_dwarf(b, b->fd);
	b->dwarf_fd = -1;
	if (b->dwarf || !user_debug_path(b, path))
		return b->dwarf;
	b->dwarf_fd = user_open_regular(path, &st);
	if (b->dwarf_fd >= 0)
		try_dwarf(b, b->dwarf_fd);
	return b->dwarf;
}

static Dwarf_Addr address_of(const struct user_binary *b, uint64_t offset)
{
	const struct user_segment *s;

	for (s = b->segments; s < b->segments + b->n_segments; s++)
		if (offset >= s->offset && offset - s->offset < s->size)
			return offset - s->offset + s->address;
	return 0;
}

/* ---- the function ---- */

/* Some compilers write no table of the addresses of units. */
static bool find_unit(Dwarf *dwarf, Dwarf_Addr pc, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;

	if (dwarf_addrdie(dwarf, pc, unit))
		return true;
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, unit, NULL))
		if (dwarf_haspc(unit, pc) > 0)
			return true;
	return false;
}

/* A function in several parts begins with the first. */
static bool begins_at(Dwarf_Die *fn, Dwarf_Addr pc)
{
	Dwarf_Addr base, begin, end;

	if (!dwarf_entrypc(fn, &begin))
		return begin == pc;
	return dwarf_ranges(fn, 0, &base, &begin, &end) > 0 && begin == pc;
}

static bool find_function(Dwarf *dwarf, Dwarf_Addr pc, Dwarf_Die *fn)
{
	Dwarf_Die unit, *scopes = NULL;
	bool found = false;
	int n, i;

	if (!find_unit(dwarf, pc, &unit))
		return false;
	n = dwarf_getscopes(&unit, pc, &scopes);
	for (i = 0; !found && i < n; i++) {
		*fn = scopes[i];
		found = dwarf_tag(fn) == DW_TAG_subprogram && begins_at(fn, pc);
	}
	if (n > 0)
		free(scopes);
	return found;
}

/* ---- types ---- */

/* The type of @die past typedefs and qualifiers; false if it has none. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), type) &&
	       !dwarf_peel_type(type, type);
}

static enum kind kind_of_base(Dwarf_Die *type, struct user_param *p)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding = 0;

	p->bytes = dwarf_bytesize(type);
	dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attr), &encoding);
	p->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (encoding == DW_ATE_float)
		return FLOAT;
	return encoding != DW_ATE_complex_float && p->bytes <= LONG_BYTES ? NUMBER : OTHER;
}

static enum kind params_kind_of(Dwarf_Die *die, struct user_param *p)
{
	Dwarf_Die type, of;

	if (!type_of(die, &type))
		return OTHER;
	switch (dwarf_tag(&type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		p->bytes = LONG_BYTES;
		return NUMBER;
	case DW_TAG_enumeration_type:
		if (type_of(&type, &of))
			kind_of_base(&of, p);
		p->bytes = dwarf_bytesize(&type);
		return p->bytes <= LONG_BYTES ? NUMBER : OTHER;
	case DW_TAG_base_type:
		return kind_of_base(&type, p);
	}
	return OTHER;
}

/* What is returned in memory is handed over as an address, in the first register. */
static bool returns_object(Dwarf_Die *fn)
{
	struct user_param unused = {};
	Dwarf_Die type;

	return type_of(fn, &type) && params_kind_of(fn, &unused) == OTHER;
}

/* ---- where they are ---- */

/* The compiler's word. Return: false if it says nothing of the first instruction. */
static bool is_told(Dwarf_Die *param, Dwarf_Addr pc, int *at)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n, i;

	*at = -1;
	if (dwarf_getlocation_addr(dwarf_attr_integrate(param, DW_AT_location, &attr), pc, &ops, &n,
				   1) != 1 ||
	    n != 1 || ops[0].atom < DW_OP_reg0 || ops[0].atom > DW_OP_reg31)
		return false;
	for (i = 0; i < N_REGISTERS; i++)
		if (registers[i].number == ops[0].atom - DW_OP_reg0)
			*at = registers[i].at;
	return true;
}

/* @by_rule: the calling convention tells the registers of what comes next; @used: how many */
static void read_param(Dwarf_Die *die, Dwarf_Addr pc, struct user_param *p, bool *by_rule,
		       size_t *used)
{
	const char *name = dwarf_diename(die);
	enum kind kind;

	*p = (struct user_param){ .at = -1 };
	snprintf(p->name, sizeof(p->name), "%s", name ? name : "");
	kind = params_kind_of(die, p);
	if (kind == OTHER)
		*by_rule = false;
	if (kind != NUMBER)
		return;
	if (!is_told(die, pc, &p->at) && *by_rule && *used < N_REGISTERS)
		p->at = registers[*used].at;
	++*used;
}

size_t user_params(struct user_binary *b, const struct user_symbol *s,
		   struct user_param params[USER_PARAMS_MAX])
{
	Dwarf *dwarf = open_dwarf(b);
	Dwarf_Addr pc = address_of(b, s->offset);
	Dwarf_Die fn, child;
	size_t n = 0, used = 0;
	bool by_rule;

	if (!dwarf || !find_function(dwarf, pc, &fn) || dwarf_child(&fn, &child))
		return 0;
	/* A copy that the compiler made for some calls, f.isra.0, may lack parameters. */
	by_rule = !strchr(s->name, '.') && !returns_object(&fn);
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			read_param(&child, pc, &params[n++], &by_rule, &used);
	} while (n < USER_PARAMS_MAX && !dwarf_siblingof(&child, &child));
	return n;
}

/* What an assembler writes of its functions has no types. */
static bool is_assembly(Dwarf_Die *fn)
{
	Dwarf_Die unit;

	return !dwarf_diecu(fn, &unit, NULL, NULL) ||
	       dwarf_srclang(&unit) == DW_LANG_Mips_Assembler;
}

struct user_return user_return(struct user_binary *b, const struct user_symbol *s)
{
	Dwarf *dwarf = open_dwarf(b);
	struct user_param p = {};
	Dwarf_Attribute attr;
	Dwarf_Die fn;

	if (!dwarf || !find_function(dwarf, address_of(b, s->offset), &fn) || is_assembly(&fn))
		return (struct user_return){};
	if (!dwarf_attr_integrate(&fn, DW_AT_type, &attr))
		return (struct user_return){ .is = USER_RETURNS_NOTHING };
	switch (params_kind_of(&fn, &p)) {
	case NUMBER:
		return (struct user_return){ USER_RETURNS_NUMBER, p.bytes, p.is_signed };
	case FLOAT:
		return (struct user_return){ .is = USER_RETURNS_FLOAT };
	case OTHER:
		break;
	}
	return (struct user_return){};
}

const char *user_params_never(void)
{
	return NULL;
}
#else
void user_params_close(struct user_binary *b)
{
}

size_t user_params(struct user_binary *b, const struct user_symbol *s,
		   struct user_param params[USER_PARAMS_MAX])
{
	return 0;
}

struct user_return user_return(struct user_binary *b, const struct user_symbol *s)
{
	return (struct user_return){};
}

const char *user_params_never(void)
{
	return "kstats-bpf was built without libdw";
}
#endif
