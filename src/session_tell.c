// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_tell.c - tasks as the kernel knows them. In: numbers of our own PID
 * namespace. Out: what BPF programs see, which is of the first one. The kernel's
 * iterator is asked, since what /proc shows is our own view. Called by session.c.
 */
#include "session_priv.h"

#include <errno.h>
#include <unistd.h>

/* One object, found by @info; the iterator writes it whole. */
static int tell(const struct bpf_program *prog, union bpf_iter_link_info *info, void *to,
		size_t size)
{
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = info, .link_info_len = sizeof(*info));
	struct bpf_link *link = bpf_program__attach_iter(prog, &opts);
	int fd, err = 0;
	ssize_t n;

	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0) {
		err = -errno;
	} else {
		n = read(fd, to, size);
		err = n < 0 ? -errno : n != (ssize_t)size ? -ESRCH : 0;
		close(fd);
	}
	bpf_link__destroy(link);
	return err;
}

int session_tell_task(const struct kstats_bpf *skel, pid_t number, struct kstats_task *task)
{
	union bpf_iter_link_info info = { .task.tid = number };

	return tell(skel->progs.tell_task, &info, task, sizeof(*task));
}
