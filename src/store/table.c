// SPDX-License-Identifier: GPL-2.0-only
#include "store/table.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/mman.h>

int table_open(struct table *t, int fd, size_t element)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	size_t size;
	void *at;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	if (info.type != BPF_MAP_TYPE_ARRAY || info.value_size != element ||
	    !(info.map_flags & BPF_F_MMAPABLE))
		return -EINVAL;
	size = info.max_entries * element;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	*t = (struct table){ .at = at, .n = info.max_entries, .size = size };
	return 0;
}

void table_close(struct table *t)
{
	if (t->at)
		munmap(t->at, t->size);
	*t = (struct table){ 0 };
}
