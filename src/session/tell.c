// SPDX-License-Identifier: GPL-2.0-only
/*
 * tell.c - tasks and groups as the kernel knows them. In: numbers and paths of
 * our own namespaces. Out: what BPF programs see, which is of the initial ones. The
 * kernel's iterators are asked, since what /proc and /sys/fs/cgroup show is our own
 * view. Called by session.c and settings.c.
 */
#include "session/priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FIRST_PID_NAMESPACE "pid:[4026531836]"

/* Asks an iterator about the object that @info names. It writes all of it, or nothing. */
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

int session_tell_task(const struct bpf_program *prog, pid_t number, struct kstats_task *task)
{
	union bpf_iter_link_info info = { .task.tid = number };

	return tell(prog, &info, task, sizeof(*task));
}

/*
 * These programs are loaded separately: their results become constants of the session, which is
 * not loaded yet.
 */
static struct kstats_bpf *open_teller(bool cgroup)
{
	struct kstats_bpf *skel = session_open_plain();
	struct bpf_program *prog;
	int err;

	if (!skel)
		return NULL;
	bpf_object__for_each_program(prog, skel->obj) bpf_program__set_autoload(prog, false);
	bpf_program__set_autoload(cgroup ? skel->progs.tell_cgroup : skel->progs.tell_task, true);
	err = kstats_bpf__load(skel);
	if (!err)
		err = store_globals(skel->obj);
	if (!err)
		return skel;
	kstats_bpf__destroy(skel);
	errno = -err;
	return NULL;
}

/* ---- numbers ---- */

bool session_in_container(void)
{
	char link[64] = "";

	return readlink("/proc/self/ns/pid", link, sizeof(link) - 1) <= 0 ||
	       strcmp(link, FIRST_PID_NAMESPACE);
}

static int translate(const struct kstats_bpf *skel, uint32_t *number, bool process, struct error *e)
{
	const char *option = process ? "--pid" : "--tid";
	struct kstats_task task;
	int err = session_tell_task(skel->progs.tell_task, *number, &task);

	if (!err && process && task.pid != task.tgid)
		return error_set(e, EXIT_USAGE, -EINVAL, "it is a thread, not a process",
				 "use --tid for threads", "cannot use %s %u", option, *number);
	if (!err) {
		*number = process ? task.tgid : task.pid;
		return 0;
	}
	return error_set(e, EXIT_USAGE, err,
			 err == -ESRCH ? "this container has no such task" : NULL,
			 "name one that is there, or use --cgroup or --comm", "cannot use %s %u",
			 option, *number);
}

static int translate_all(struct spec_who *who, struct error *e)
{
	struct kstats_bpf *skel;
	int err = 0;
	size_t i;

	if ((!who->n_pids && !who->n_tids) || !session_in_container())
		return 0;
	skel = open_teller(false);
	if (!skel)
		return error_set(e, EXIT_KERNEL, -errno,
				 "numbers in a container are its own, and the "
				 "kernel does not tell which they are outside",
				 "see 'kstats-bpf doctor', or use --cgroup or --comm",
				 "cannot use --pid or --tid here");
	for (i = 0; !err && i < who->n_pids; i++)
		err = translate(skel, &who->pids[i], true, e);
	for (i = 0; !err && i < who->n_tids; i++)
		err = translate(skel, &who->tids[i], false, e);
	kstats_bpf__destroy(skel);
	return err;
}

/* ---- groups ---- */

static int open_cgroup(const char *path, struct error *e)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = -errno;
	struct statfs fs;

	if (fd < 0)
		return error_set(e, EXIT_USAGE, err, NULL,
				 "name the folder of a group, as under /sys/fs/cgroup",
				 "cannot use cgroup '%s'", path);
	if (!fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC)
		return fd;
	close(fd);
	return error_set(e, EXIT_USAGE, -EINVAL, "it is not a group of cgroup version 2",
			 "name a folder where 'mount' shows cgroup2", "cannot use cgroup '%s'",
			 path);
}

static int ask_cgroup(const char *path, struct kstats_cgroup *cgroup, struct error *e)
{
	union bpf_iter_link_info info = { .cgroup.order = BPF_CGROUP_ITER_SELF_ONLY };
	int fd = open_cgroup(path, e), err;
	struct kstats_bpf *skel;

	if (fd < 0)
		return fd;
	info.cgroup.cgroup_fd = fd;
	skel = open_teller(true);
	err = skel ? tell(skel->progs.tell_cgroup, &info, cgroup, sizeof(*cgroup)) : -errno;
	kstats_bpf__destroy(skel);
	close(fd);
	if (err)
		return error_set(e, EXIT_KERNEL, err, NULL, "see 'kstats-bpf doctor'",
				 "cannot ask the kernel about cgroup '%s'", path);
	if (cgroup->level)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "it is the root, and every task is below it",
			 "leave --cgroup out, or name a folder below", "cannot use cgroup '%s'",
			 path);
}

/* ---- all filters ---- */

/* Without this check nothing would be measured on CPUs that do not exist, without a word. */
static int check_cpus(const struct spec_who *who, struct error *e)
{
	int n = libbpf_num_possible_cpus(), cpu;
	char why[64];

	if (!who->by_cpu || n <= 0)
		return 0;
	for (cpu = 0; cpu < n && cpu < KSTATS_CPUS_MAX; cpu++)
		if (who->cpus[cpu / 64] >> (cpu % 64) & 1)
			return 0;
	snprintf(why, sizeof(why), "this machine's are 0 to %d", n - 1);
	return error_set(e, EXIT_USAGE, -EINVAL, why, "name one that is there",
			 "cannot use --cpu: none of those is there");
}

int session_command_add(int fd, __u64 *homes, __u64 address)
{
	__u8 one = 1;
	int err = bpf_map_update_elem(fd, &address, &one, BPF_NOEXIST);

	if (!err)
		kstats_home_add(&homes[kstats_home(address)], address);
	else if (err == -EEXIST) /* of a task before it: whether its home counts it is not known */
		homes[kstats_home(address)] = KSTATS_HOME_MOST;
	return err == -EEXIST ? 0 : err;
}

enum kstats_who session_who_first(uint32_t n_pids, bool command)
{
	if (n_pids + command > 1)
		return KSTATS_WHO_LISTED;
	return command ? KSTATS_WHO_COMMAND : n_pids ? KSTATS_WHO_PROCESS : KSTATS_WHO_ANY;
}

int session_who(struct spec_who *who, struct kstats_cgroup *cgroup, struct error *e)
{
	int err = check_cpus(who, e);

	if (!err)
		err = translate_all(who, e);
	return !err && who->cgroup ? ask_cgroup(who->cgroup, cgroup, e) : err;
}
