// SPDX-License-Identifier: GPL-2.0-only
/*
 * slice.c - a small BTF of the kernel's structures that programs name. libbpf compares every
 * type of the kernel with every structure that a program accesses; of this one it compares
 * a few.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "facts/types.h"

/** struct names - sorted names of structures; they belong to a BTF */
struct names {
	const char **at;
	size_t n;
	bool begins[256]; /* with this character, one at least */
};

static int slice_by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int slice_names_of(const struct btf *local, struct names *names)
{
	uint32_t n = btf__type_cnt(local), id;
	const struct btf_type *t;

	names->at = calloc(n, sizeof(*names->at));
	if (!names->at)
		return -ENOMEM;
	for (id = 1; id < n; id++) {
		t = btf__type_by_id(local, id);
		if (btf_is_struct(t) && t->name_off)
			names->at[names->n++] = btf__name_by_offset(local, t->name_off);
	}
	for (id = 0; id < names->n; id++)
		names->begins[(unsigned char)names->at[id][0]] = true;
	qsort(names->at, names->n, sizeof(*names->at), slice_by_name);
	return 0;
}

/* Modifiers and typedefs do not change where members lie. */
static const struct btf_type *skip(const struct facts_types *types, uint32_t id)
{
	const struct btf_type *t = facts_type(types, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = facts_type(types, t->type);
	return t;
}

static int add_type(struct btf *to, const struct facts_types *types, const struct btf_type *t);

/* A structure or union without a name gets none in @to either. */
static int add_members(struct btf *to, const struct facts_types *types, const struct btf_type *t,
		       const char *name)
{
	const struct btf_member *m = btf_members(t);
	unsigned int n = btf_vlen(t), i;
	int *ids = calloc(n + 1, sizeof(*ids)), id = ids ? 0 : -ENOMEM, err;

	for (i = 0; id >= 0 && i < n; i++)
		id = ids[i] = add_type(to, types, skip(types, m[i].type));
	if (id >= 0)
		id = btf_is_struct(t) ? btf__add_struct(to, name, t->size)
				      : btf__add_union(to, name, t->size);
	for (i = 0; id >= 0 && i < n; i++) {
		err = btf__add_field(to, facts_type_name(types, m[i].name_off), ids[i],
				     btf_member_bit_offset(t, i), btf_member_bitfield_size(t, i));
		if (err)
			id = err;
	}
	free(ids);
	return id;
}

/* What a pointer points to is not added: a program names the structures it follows. */
static int add_type(struct btf *to, const struct facts_types *types, const struct btf_type *t)
{
	int id;

	switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return add_members(to, types, t, NULL);
	case BTF_KIND_ARRAY:
		id = add_type(to, types, skip(types, btf_array(t)->type));
		return id < 0 ? id : btf__add_array(to, id, id, btf_array(t)->nelems);
	case BTF_KIND_INT:
		return btf__add_int(to, facts_type_name(types, t->name_off), t->size,
				    btf_int_encoding(t));
	case BTF_KIND_FLOAT:
		return btf__add_float(to, facts_type_name(types, t->name_off), t->size);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return btf__add_enum(to, NULL, t->size);
	case BTF_KIND_PTR:
		return btf__add_ptr(to, 0);
	default:
		return -EINVAL;
	}
}

static int add_named(struct btf *to, const struct facts_types *types, const struct names *names)
{
	const struct btf_type *t;
	const char *name;
	uint32_t i = types->kinds[BTF_KIND_STRUCT];
	int id = 0;

	for (; id >= 0 && i < types->kinds[BTF_KIND_STRUCT + 1]; i++) {
		t = types->at[types->of_kind[i]];
		if (!t->name_off)
			continue;
		name = facts_type_name(types, t->name_off);
		if (names->begins[(unsigned char)name[0]] &&
		    bsearch(&name, names->at, names->n, sizeof(*names->at), slice_by_name))
			id = add_members(to, types, t, name);
	}
	return id < 0 ? id : 0;
}

static int in_memory(const struct btf *btf)
{
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);
	int fd = data ? memfd_create("btf", MFD_CLOEXEC) : -1;

	if (fd < 0)
		return -ENOMEM;
	if (write(fd, data, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -EIO;
}

int facts_slice(const struct facts_types *t, const struct btf *local)
{
	struct btf *to = btf__new_empty();
	struct names names = {};
	int err = to ? slice_names_of(local, &names) : -ENOMEM;

	if (!err)
		err = add_named(to, t, &names);
	if (!err)
		err = in_memory(to);
	free(names.at);
	btf__free(to);
	return err;
}

/* The types of an object of this program. To open it all takes as long as the rest of a slice. */
static struct btf *slice_types_of(const char *bytes)
{
	Elf64_Shdr names, s;
	unsigned int i;
	Elf64_Ehdr h;

	memcpy(&h, bytes, sizeof(h));
	memcpy(&names, bytes + h.e_shoff + h.e_shstrndx * sizeof(names), sizeof(names));
	for (i = 0; i < h.e_shnum; i++) {
		memcpy(&s, bytes + h.e_shoff + i * sizeof(s), sizeof(s));
		if (!strcmp(bytes + names.sh_offset + s.sh_name, BTF_ELF_SEC))
			return btf__new(bytes + s.sh_offset, s.sh_size);
	}
	errno = ENOENT;
	return NULL;
}

int facts_slice_object(const struct facts_types *types, const void *bytes, char *path,
		       size_t path_size)
{
	struct btf *local = slice_types_of(bytes);
	int fd;

	if (!local)
		return -errno;
	fd = facts_slice(types, local);
	btf__free(local);
	snprintf(path, path_size, "/proc/self/fd/%d", fd);
	if (fd < 0 || !access(path, R_OK))
		return fd;
	close(fd);
	return -EACCES;
}
