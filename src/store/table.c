// SPDX-License-Identifier: GPL-2.0-only
#include "store/table.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/mman.h>

static int table_look(int fd, const struct table_shape *want, struct bpf_map_info *info)
{
	__u32 len = sizeof(*info);

	if (fd < 0)
		return fd;
	if (bpf_obj_get_info_by_fd(fd, info, &len))
		return -errno;
	return info->type == want->type && info->key_size == sizeof(__u32) &&
			       info->value_size == want->value &&
			       (!want->n || info->max_entries == want->n) &&
			       (!want->id || info->id == want->id)
		       ? 0
		       : -EINVAL;
}

int table_check(int fd, const struct table_shape *want, uint32_t *id)
{
	struct bpf_map_info info = {};
	int err = table_look(fd, want, &info);

	if (id)
		*id = info.id;
	return err;
}

static int map(struct table *t, int fd, size_t element, int how)
{
	const struct table_shape want = { .type = BPF_MAP_TYPE_ARRAY, .value = element };
	struct bpf_map_info info = {};
	int err = table_look(fd, &want, &info);
	size_t size;
	void *at;

	if (err)
		return err;
	if (!(info.map_flags & BPF_F_MMAPABLE))
		return -EINVAL;
	size = info.max_entries * element;
	at = mmap(NULL, size, how, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	*t = (struct table){ .at = at, .n = info.max_entries, .size = size };
	return 0;
}

int table_open(struct table *t, int fd, size_t element)
{
	return map(t, fd, element, PROT_READ | PROT_WRITE);
}

int table_open_const(struct table *t, int fd, size_t element)
{
	return map(t, fd, element, PROT_READ);
}

void table_close(struct table *t)
{
	if (t->at)
		munmap(t->at, t->size);
	*t = (struct table){ 0 };
}
