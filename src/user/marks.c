// SPDX-License-Identifier: GPL-2.0-only
/* marks.c - the notes of static probes (USDT) of a file, section .note.stapsdt. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "user/priv.h"

#define OWNER "stapsdt"
#define MARK_TYPE 3
#define ADDRESSES 3 /* of the place, of .stapsdt.base when it was linked, of the semaphore */

/* A note in parts. */
struct note {
	uint64_t at[ADDRESSES];
	const char *texts[3]; /* provider, name, arguments */
};

static bool marks_parse(const char *desc, size_t size, struct note *n)
{
	size_t at = sizeof(n->at), len;
	int i;

	if (size < at)
		return false;
	memcpy(n->at, desc, at);
	for (i = 0; i < 3; i++) {
		len = strnlen(desc + at, size - at);
		if (at + len >= size)
			return false;
		n->texts[i] = desc + at;
		at += len + 1;
	}
	return *n->texts[1];
}

/* Where the mark of a provider and name is in the array. */
struct place {
	const char *provider, *name; /* of the file */
	size_t i;
};

static int by_texts(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int diff = strcmp(x->provider, y->provider);

	return diff ? diff : strcmp(x->name, y->name);
}

/* Twice as long, whenever its length is a power of two. */
static void *marks_grow(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : realloc(array, (n ? 2 * n : 1) * size);
}

/* Return: where to look for the mark, which may be the end of the array; NULL without memory. */
static struct place *marks_find_place(struct user_binary *b, const struct note *n, void **places)
{
	struct place like = { .provider = n->texts[0], .name = n->texts[1], .i = b->n_marks };
	struct place **found = tfind(&like, places, by_texts), *new;

	if (found)
		return *found;
	new = malloc(sizeof(*new));
	if (!new)
		return NULL;
	*new = like;
	if (tsearch(new, places, by_texts))
		return new;
	free(new);
	return NULL;
}

static struct user_mark *mark_of(struct user_binary *b, const struct note *n, void **places)
{
	struct place *place = marks_find_place(b, n, places);
	struct user_mark *more, *m;

	if (!place)
		return NULL;
	if (place->i < b->n_marks)
		return &b->marks[place->i];
	more = marks_grow(b->marks, b->n_marks, sizeof(*more));
	if (!more)
		return NULL;
	b->marks = more;
	m = &more[b->n_marks++];
	*m = (struct user_mark){ .provider = strdup(n->texts[0]),
				 .name = strdup(n->texts[1]),
				 .arguments = strdup(n->texts[2]),
				 .is_uniform = true };
	return m->provider && m->name && m->arguments ? m : NULL;
}

/* If the file was relinked to other addresses (prelink), the notes still have the old ones. */
static int marks_add(struct user_binary *b, const struct note *n, uint64_t moved, void **places)
{
	uint64_t place, *more;
	enum user_first first;
	const char *unsafe;
	struct user_mark *m;
	bool is_code = false, any;

	place = user_offset(b, n->at[0] + moved, &is_code);
	if (!place || !is_code)
		return 0;
	m = mark_of(b, n, places);
	more = m ? marks_grow(m->offsets, m->n, sizeof(*more)) : NULL;
	if (!more)
		return -ENOMEM;
	m->offsets = more;
	more[m->n++] = place;
	m->is_uniform &= !strcmp(m->arguments, n->texts[2]);
	first = user_first_at(b, place, &unsafe);
	if (unsafe)
		m->refused = unsafe;
	if (m->n > 1)
		return 0;
	m->first = first;
	m->semaphore = n->at[2] ? user_offset(b, n->at[2] + moved, &any) : 0;
	if (n->at[2] && !m->semaphore)
		m->refused = "its semaphore is not in the file, so the kernel cannot raise it";
	return 0;
}

static int marks_by_name(const void *a, const void *b)
{
	const struct user_mark *x = a, *y = b;
	int diff = strcmp(x->provider, y->provider);

	return diff ? diff : strcmp(x->name, y->name);
}

int user_read_marks(struct user_binary *b, Elf *elf)
{
	GElf_Shdr base = {}, header;
	Elf_Scn *section = user_section(elf, ".note.stapsdt", &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	bool has_base = user_section(elf, ".stapsdt.base", &base);
	size_t at = 0, next, name, desc;
	void *places = NULL;
	GElf_Nhdr nhdr;
	struct note n;
	int err = 0;

	while (!err && data && (next = gelf_getnote(data, at, &nhdr, &name, &desc))) {
		at = next;
		if (nhdr.n_type != MARK_TYPE || nhdr.n_namesz != sizeof(OWNER) ||
		    memcmp((char *)data->d_buf + name, OWNER, sizeof(OWNER)) ||
		    !marks_parse((char *)data->d_buf + desc, nhdr.n_descsz, &n))
			continue;
		err = marks_add(b, &n, has_base ? base.sh_addr - n.at[1] : 0, &places);
	}
	tdestroy(places, free);
	if (b->n_marks)
		qsort(b->marks, b->n_marks, sizeof(*b->marks), marks_by_name);
	return err;
}
