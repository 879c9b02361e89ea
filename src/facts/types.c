// SPDX-License-Identifier: GPL-2.0-only
/* types.c - a BTF file in memory. */
#include "facts/types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file ---- */

static int types_read_all(int fd, char *to, size_t size)
{
	size_t at = 0;
	ssize_t n;

	while (at < size) {
		n = read(fd, to + at, size - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EINVAL;
		at += n;
	}
	return 0;
}

/* Newer kernels allow mapping the file; others deliver one page per read. */
static int types_read_file(struct facts_types *t, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size < (off_t)sizeof(struct btf_header) || st.st_size > UINT32_MAX)
		return -EINVAL;
	t->size = st.st_size;
	t->data = mmap(NULL, t->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (t->data != MAP_FAILED) {
		t->mapped = t->size;
		return 0;
	}
	t->data = malloc(t->size);
	if (!t->data)
		return -ENOMEM;
	return types_read_all(fd, t->data, t->size);
}

/* ---- what is in it ---- */

/* Bytes of a type, 0 for a kind that is newer than this program. */
static size_t types_size_of(const struct btf_type *type)
{
	size_t n = btf_vlen(type);

	switch (btf_kind(type)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return sizeof(*type);
	case BTF_KIND_INT:
		return sizeof(*type) + sizeof(__u32);
	case BTF_KIND_ARRAY:
		return sizeof(*type) + sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return sizeof(*type) + n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return sizeof(*type) + n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return sizeof(*type) + n * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return sizeof(*type) + n * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(*type) + sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return sizeof(*type) + n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(*type) + sizeof(struct btf_decl_tag);
	default:
		return 0;
	}
}

static int find_parts(struct facts_types *t, const char **types, const char **end)
{
	const struct btf_header *h = t->data;
	uint64_t types_at = (uint64_t)h->hdr_len + h->type_off;
	uint64_t strings_at = (uint64_t)h->hdr_len + h->str_off;

	if (h->magic != BTF_MAGIC || h->version != BTF_VERSION || h->hdr_len < sizeof(*h) ||
	    types_at % 4 || types_at + h->type_len > t->size || strings_at + h->str_len > t->size)
		return -EINVAL;
	*types = (const char *)t->data + types_at;
	*end = *types + h->type_len;
	t->strings = (const char *)t->data + strings_at;
	t->strings_size = h->str_len;
	/* So every name ends inside the section. A module may have no names. */
	if (!h->str_len)
		return t->base ? 0 : -EINVAL;
	return t->strings[h->str_len - 1] ? -EINVAL : 0;
}

static int find_types(struct facts_types *t, const char *types, const char *end)
{
	const struct btf_type *type;
	size_t size;

	/* No type is smaller than this struct, so there is room for all. */
	t->at = malloc(((end - types) / sizeof(*type) + 1) * sizeof(*t->at));
	if (!t->at)
		return -ENOMEM;
	for (; types < end; types += size) {
		type = (const void *)types;
		size = (size_t)(end - types) < sizeof(*type) ? 0 : types_size_of(type);
		if (!size || size > (size_t)(end - types))
			return -EINVAL;
		t->at[t->n++ - t->first] = type;
	}
	return 0;
}

static int sort_by_kind(struct facts_types *t)
{
	uint32_t n = t->n - t->first, next[NR_BTF_KINDS], i;

	t->of_kind = malloc((n + 1) * sizeof(*t->of_kind));
	if (!t->of_kind)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		t->kinds[btf_kind(t->at[i]) + 1]++;
	for (i = 0; i < NR_BTF_KINDS; i++) {
		t->kinds[i + 1] += t->kinds[i];
		next[i] = t->kinds[i];
	}
	for (i = 0; i < n; i++)
		t->of_kind[next[btf_kind(t->at[i])]++] = i;
	return 0;
}

int facts_types_read(struct facts_types *t, const char *path, const struct facts_types *base)
{
	struct facts_types new = {
		.base = base,
		.first = base ? base->n : 1,
		.n = base ? base->n : 1,
		.strings_first = base ? base->strings_first + base->strings_size : 0,
	};
	const char *types, *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = types_read_file(&new, fd);
	if (!err)
		err = find_parts(&new, &types, &end);
	if (!err)
		err = find_types(&new, types, end);
	if (!err)
		err = sort_by_kind(&new);
	close(fd);
	if (err)
		facts_types_free(&new);
	else
		*t = new;
	return err;
}

void facts_types_free(struct facts_types *t)
{
	if (t->mapped)
		munmap(t->data, t->mapped);
	else if (t->data != MAP_FAILED)
		free(t->data);
	free(t->at);
	free(t->of_kind);
	*t = (struct facts_types){};
}

const struct btf_type *facts_type(const struct facts_types *t, uint32_t id)
{
	static const struct btf_type nothing;

	if (!id)
		return &nothing;
	while (t && id < t->first)
		t = t->base;
	return t && id < t->n ? t->at[id - t->first] : NULL;
}

const char *facts_type_name(const struct facts_types *t, uint32_t offset)
{
	while (t && offset < t->strings_first)
		t = t->base;
	return t && offset - t->strings_first < t->strings_size
		       ? t->strings + (offset - t->strings_first)
		       : "";
}

uint32_t facts_types_find(const struct facts_types *t, unsigned int kind, const char *name)
{
	const char *other;
	uint32_t i;

	for (i = t->kinds[kind]; i < t->kinds[kind + 1]; i++) {
		other = facts_type_name(t, t->at[t->of_kind[i]]->name_off);
		/* Most differ in the first character: the function need not be called. */
		if (other[0] == name[0] && !strcmp(other, name))
			return t->first + t->of_kind[i];
	}
	return 0;
}
