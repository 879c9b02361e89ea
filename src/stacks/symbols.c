// SPDX-License-Identifier: GPL-2.0-only
/* symbols.c - see symbols.h. */
#include "stacks/symbols.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "util/arch.h"

#define GROW_ROWS 131072
#define GROW_NAMES (4 * 1024 * 1024)
#define PAGE 4096ULL
#define NAME_LENGTH 512 /* KSYM_NAME_LEN of the kernel */
#define FAR (64 * 1024 * 1024) /* no function is longer: the address is in none */

static int put_name(struct symbols *s, const char *text)
{
	size_t n = strlen(text) + 1;
	char *grown;

	if (s->names_size + n > s->names_room) {
		grown = realloc(s->names, s->names_room + GROW_NAMES);
		if (!grown)
			return -ENOMEM;
		s->names = grown;
		s->names_room += GROW_NAMES;
	}
	memcpy(s->names + s->names_size, text, n);
	s->names_size += n;
	return 0;
}

static int symbols_add(struct symbols *s, const struct facts_symbol *symbol)
{
	struct symbol *grown;
	int err;

	if (s->n == s->room) {
		grown = realloc(s->rows, (s->room + GROW_ROWS) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		s->rows = grown;
		s->room += GROW_ROWS;
	}
	s->rows[s->n++] = (struct symbol){ symbol->address, s->names_size, false };
	if (!ARCH_KERNEL_HALF && !strcmp(symbol->name, "_stext"))
		s->text = symbol->address;
	err = put_name(s, symbol->name);
	return err ? err : put_name(s, symbol->module);
}

/** struct symbols_both - where they go to */
struct symbols_both {
	struct symbols *text;
	struct symbols *data; /* or NULL */
};

static int symbols_take(void *ctx, const struct facts_symbol *symbol)
{
	struct symbols_both *both = ctx;

	if (!symbol->address)
		return 0;
	if (facts_is_text(symbol))
		return symbols_add(both->text, symbol);
	return both->data && strchr("bBdDrR", symbol->type) ? symbols_add(both->data, symbol) : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static int symbols_order_by_name(const void *a, const void *b, void *symbols)
{
	const struct symbols *s = symbols;
	const struct symbol *x = *(struct symbol *const *)a, *y = *(struct symbol *const *)b;

	return strcmp(s->names + x->name, s->names + y->name);
}

/* Without memory for it, all names look shared. */
static void symbols_find_shared(struct symbols *s)
{
	struct symbol **sorted = calloc(s->n, sizeof(*sorted));
	size_t i;

	for (i = 0; i < s->n; i++) {
		s->rows[i].is_shared = !sorted;
		if (sorted)
			sorted[i] = &s->rows[i];
	}
	if (sorted)
		qsort_r(sorted, s->n, sizeof(*sorted), symbols_order_by_name, s);
	for (i = 1; sorted && i < s->n; i++)
		if (!symbols_order_by_name(&sorted[i - 1], &sorted[i], s))
			sorted[i - 1]->is_shared = sorted[i]->is_shared = true;
	free(sorted);
}

/* @find_shared: or NULL */
static void symbols_sort(struct symbols *s, const void *find_shared)
{
	qsort(s->rows, s->n, sizeof(*s->rows), by_address);
	if (find_shared && s->n)
		symbols_find_shared(s);
}

int symbols_read(struct symbols *s, const char *root, const struct facts_types *types)
{
	return symbols_read_both(s, NULL, root, types);
}

int symbols_read_both(struct symbols *s, struct symbols *data, const char *root,
		      const struct facts_types *types)
{
	struct symbols_both both = { s, data };
	int err;

	*s = (struct symbols){};
	if (data)
		*data = (struct symbols){};
	err = facts_symbols(root, types, symbols_take, &both);
	if (!err && !s->n)
		err = -EACCES;
	if (!err) {
		symbols_sort(s, data);
		if (data)
			symbols_sort(data, data);
		return 0;
	}
	symbols_free(s);
	if (data)
		symbols_free(data);
	return err;
}

/* The last function that begins at or before an address; of aliases the first. */
static const struct symbol *find(const struct symbols *s, uint64_t address)
{
	size_t low = 0, high = s->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (s->rows[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || address - s->rows[low - 1].address > FAR)
		return NULL;
	while (low > 1 && s->rows[low - 2].address == s->rows[low - 1].address)
		low--;
	return &s->rows[low - 1];
}

/* Modules are within 2 GiB of the kernel, which branches to them need. */
uint64_t symbols_address(const struct symbols *s, uint32_t low)
{
	if (ARCH_KERNEL_HALF)
		return ARCH_KERNEL_HALF | low;
	return s->text + (int32_t)(low - (uint32_t)s->text);
}

/* A function that never returns may end with the call: its return address is the next one's. */
bool symbols_place(const struct symbols *s, const struct symbols *more, uint64_t address,
		   struct lines_place *place)
{
	const struct symbol *at = find(s, address - 1), *other;

	other = more ? find(more, address - 1) : NULL;
	if (other && (!at || other->address > at->address)) {
		at = other;
		s = more;
	}
	if (!at)
		return false;
	place->address = address - 1;
	place->function = s->names + at->name;
	place->module = place->function + strlen(place->function) + 1;
	place->offset = address - 1 - at->address;
	return true;
}

char *symbols_site(const struct symbols *s, const struct symbols *more, uint64_t address)
{
	struct lines_place p;
	char *text = NULL;

	if (!symbols_place(s, more, address, &p)) {
		if (asprintf(&text, "0x%" PRIx64, address) < 0)
			return NULL;
		return text;
	}
	if (asprintf(&text, "%s+0x%" PRIx64 "%s%s%s", p.function, p.offset + 1,
		     *p.module ? " [" : "", p.module, *p.module ? "]" : "") < 0)
		return NULL;
	return text;
}

bool symbols_find(const struct symbols *s, const char *name, uint64_t *address, uint64_t *size)
{
	const char *own;
	size_t i, next;

	for (i = 0; i < s->n; i++) {
		own = s->names + s->rows[i].name;
		if (strcmp(own, name) || own[strlen(own) + 1])
			continue;
		*address = s->rows[i].address;
		for (next = i + 1; next < s->n && s->rows[next].address == *address; next++)
			;
		*size = next < s->n ? s->rows[next].address - *address : 0;
		return true;
	}
	return false;
}

static const char *module_of(const struct symbols *s, size_t i)
{
	const char *name = s->names + s->rows[i].name;

	return name + strlen(name) + 1;
}

/*
 * Where a function ends: where the next one begins. After the last one of a module other modules
 * may come, so it ends with its page at the latest.
 */
static uint64_t symbol_end(const struct symbols *s, size_t i)
{
	uint64_t begin = s->rows[i].address;
	size_t next = i + 1;

	while (next < s->n && s->rows[next].address == begin)
		next++;
	if (next < s->n && !strcmp(module_of(s, next), module_of(s, i)))
		return s->rows[next].address;
	return (begin / PAGE + 1) * PAGE;
}

/* Marks of the linker, at which nothing is: "_etext", "__init_end". */
static bool symbols_is_mark(const char *name)
{
	size_t n = strlen(name);

	return !strcmp(name, "_etext") || !strcmp(name, "_edata") ||
	       (*name == '_' && n > 4 && !strcmp(name + n - 4, "_end"));
}

bool symbols_pointer(const struct symbols *s, const struct symbols *data, uint64_t address,
		     struct lines_place *place, bool *is_shared)
{
	const struct symbol *at = find(s, address), *other = find(data, address);

	if (other && (!at || other->address > at->address)) {
		at = other;
		s = data;
	}
	if (!at || symbols_is_mark(s->names + at->name) || address >= symbol_end(s, at - s->rows))
		return false;
	*is_shared = at->is_shared;
	place->address = address;
	place->function = s->names + at->name;
	place->module = place->function + strlen(place->function) + 1;
	place->offset = address - at->address;
	return true;
}

/* Programs and trampolines, which come and go, look like modules. */
static bool is_module(const char *name)
{
	return *name && strcmp(name, "bpf") && strncmp(name, "__builtin__", 11);
}

int symbols_modules(const struct symbols *s, int (*each)(void *ctx, const struct symbols_module *m),
		    void *ctx)
{
	struct symbols_module m = {};
	size_t i, last;
	int err = 0;

	for (i = 0; !err && i < s->n; i = last + 1) {
		for (last = i; last + 1 < s->n && !strcmp(module_of(s, last + 1), module_of(s, i));)
			last++;
		m = (struct symbols_module){ module_of(s, i), s->rows[i].address,
					     symbol_end(s, last) };
		if (is_module(m.name))
			err = each(ctx, &m);
	}
	return err;
}

bool symbols_stays(const struct symbols *s, uint64_t address)
{
	const struct symbol *at = find(s, address - 1);
	const char *module;
	size_t i, next;

	if (!at)
		return false;
	i = next = at - s->rows;
	module = module_of(s, i);
	while (next < s->n && s->rows[next].address == at->address)
		next++;
	return next < s->n && !strcmp(module_of(s, next), module) &&
	       (!*module || is_module(module));
}

bool symbols_has_module(const struct symbols *s, const struct symbols_module *m)
{
	const struct symbol *at = find(s, m->first);

	return at && at->address == m->first && !strcmp(module_of(s, at - s->rows), m->name);
}

/* The name without what the compiler and the kernel's build put behind it. */
static const char *plain_name(const char *name, char buf[NAME_LENGTH])
{
	static const char built[] = "_noprof";
	size_t n = strcspn(name, "."), tail = strlen(built);

	if (n > tail && !strncmp(name + n - tail, built, tail))
		n -= tail;
	if (n >= NAME_LENGTH)
		return name;
	memcpy(buf, name, n);
	buf[n] = '\0';
	return buf;
}

static bool matches(const char *name, const struct symbols_globs *globs)
{
	char buf[NAME_LENGTH];
	const char *plain = plain_name(name, buf);
	bool any = false;
	size_t i;

	for (i = 0; i < globs->n; i++) {
		if (fnmatch(globs->at[i], name, 0) && fnmatch(globs->at[i], plain, 0))
			continue;
		any = globs->used[i] = true;
	}
	return any;
}

int symbols_ranges(const struct symbols *s, const struct symbols_globs *globs,
		   struct kstats_kmem_range to[KSTATS_KMEM_SKIPPED])
{
	uint64_t end = 0;
	uint32_t made = 0;
	size_t i;

	memset(to, 0, KSTATS_KMEM_SKIPPED * sizeof(*to));
	for (i = 0; i < s->n; i++) {
		if (!matches(s->names + s->rows[i].name, globs))
			continue;
		if (!made || s->rows[i].address > end) {
			if (made == KSTATS_KMEM_SKIPPED)
				return -E2BIG;
			to[made++].first = s->rows[i].address;
		}
		end = symbol_end(s, i);
		to[made - 1].size = (uint32_t)end - to[made - 1].first;
	}
	for (; made < KSTATS_KMEM_SKIPPED; made++)
		to[made].first = ~0U;
	return 0;
}

void symbols_free(struct symbols *s)
{
	free(s->rows);
	free(s->names);
	*s = (struct symbols){};
}
