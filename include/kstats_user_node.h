/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_user_node.h - what the markers of kstats_user.h do: they find a node by its name, map
 * it, and count in it. In: a marker. Out: a slot changed in the cell of this CPU. Included by
 * kstats_user.h alone. Safe in signal handlers.
 */
#ifndef KSTATS_USER_NODE_H
#define KSTATS_USER_NODE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kstats_user_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* glibc 2.35 and newer have these; elsewhere their addresses are NULL. */
#define KSTATS_USER_WEAK extern __attribute__((weak))
KSTATS_USER_WEAK const ptrdiff_t __rseq_offset;
KSTATS_USER_WEAK const unsigned int __rseq_size;
#ifndef __cplusplus
#define KSTATS_USER_EXTERN extern
KSTATS_USER_EXTERN int sched_getcpu(void);
KSTATS_USER_EXTERN long syscall(long number, ...);
#endif

/* A node that is mapped. Its address stays valid until the process ends. */
struct kstats_user_node {
	const struct kstats_user_control *control;
	char *cells;
	size_t size; /* of control and cells */
	__u32 n_cpus;
	__u32 cell_size;
	__u32 bits;
};

/* What this program or library knows of a name. KSTATS_USER_MARKER() defines it, in assembly. */
struct kstats_user_marker {
	__u32 seen; /* version at which nobody listened; 0: the node records */
	__u32 version; /* version of the last look */
	struct kstats_user_node *node; /* or NULL */
	__u32 why; /* enum kstats_user_why */
	char name[];
};

/* What all markers of this program or library share. */
struct kstats_user_process {
	const __u32 *version; /* in the folder, shared with all programs; or @none */
	__u32 none; /* version while no folder is found; below KSTATS_USER_VERSION_BIT */
	__u32 why; /* why no folder is found */
	__u64 looking; /* process and thread that is looking, or 0 */
	__u32 *self; /* number of this process; 0 after a fork */
	__u32 fixed; /* in place of @self where the kernel cannot clear it */
};

#define KSTATS_USER_ONE __attribute__((weak, visibility("hidden")))
#define KSTATS_USER_COLD static __attribute__((noinline, unused))
#define KSTATS_USER_INLINE static inline __attribute__((always_inline, unused))

/* One of each in a program or library, however many files include this. */
KSTATS_USER_ONE extern struct kstats_user_process kstats_user_process;
struct kstats_user_process kstats_user_process = {
	&kstats_user_process.none, 1, KSTATS_USER_NO_FOLDER, 0, &kstats_user_process.fixed, 1,
};

/* ---- finding nodes ---- */

KSTATS_USER_INLINE __u32 kstats_user_version(void)
{
	const __u32 *version = __atomic_load_n(&kstats_user_process.version, __ATOMIC_RELAXED);

	return __atomic_load_n(version, __ATOMIC_ACQUIRE);
}

/* Not close(): a thread may be cancelled in it, and its look would never end. */
KSTATS_USER_INLINE void kstats_user_close(int fd)
{
	syscall(SYS_close, fd);
}

/* An environment variable; NULL in setuid programs, which have more rights than who sets it. */
KSTATS_USER_COLD const char *kstats_user_setting(const char *name)
{
	return getauxval(AT_SECURE) ? NULL : getenv(name);
}

/*
 * Whether a filter of system calls may kill the program for bpf(2) or for opening files.
 * KSTATS_USER_BPF says that it does not.
 */
KSTATS_USER_COLD int kstats_user_is_filtered(void)
{
	return prctl(PR_GET_SECCOMP) > 0 && !kstats_user_setting("KSTATS_USER_BPF");
}

/* Open a pinned map. Return: descriptor, or -errno. */
KSTATS_USER_COLD int kstats_user_open_map(const char *name, const char *more, size_t value_size,
					  size_t entries, __u32 *id)
{
	const char *folder = kstats_user_setting("KSTATS_USER_FOLDER");
	struct bpf_map_info info;
	union bpf_attr attr;
	char path[512];
	int fd, err = 0;

	if (kstats_user_is_filtered())
		return -EPERM;
	if (snprintf(path, sizeof(path), "%s/%s%s", folder ? folder : KSTATS_USER_FOLDER, name,
		     more) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (access(path, F_OK))
		return -errno;
	memset(&attr, 0, sizeof(attr));
	attr.pathname = (__u64)(unsigned long)path;
	fd = (int)syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
	if (fd < 0)
		return -errno;
	memset(&attr, 0, sizeof(attr));
	memset(&info, 0, sizeof(info));
	attr.info.bpf_fd = (__u32)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (__u64)(unsigned long)&info;
	if (syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)))
		err = -errno;
	else if (info.type != BPF_MAP_TYPE_ARRAY || !(info.map_flags & BPF_F_MMAPABLE) ||
		 info.value_size != value_size || info.max_entries != entries)
		err = -EINVAL;
	if (err) {
		kstats_user_close(fd);
		return err;
	}
	*id = info.id;
	return fd;
}

KSTATS_USER_INLINE __u32 kstats_user_reason(int err, __u32 missing)
{
	if (err == -ENOENT || err == -ENOTDIR)
		return missing;
	if (err == -EACCES || err == -EPERM || err == -ENOSYS)
		return KSTATS_USER_DENIED;
	return KSTATS_USER_FAILED;
}

/* Memory is mapped in pages of so many bytes: 4096, or on arm64 perhaps more. */
KSTATS_USER_INLINE size_t kstats_user_page(void)
{
	return (size_t)getauxval(AT_PAGESZ);
}

/* Keep the process id in a page that the kernel clears in the child of a fork. */
KSTATS_USER_COLD void kstats_user_follow_forks(void)
{
	void *page = mmap(NULL, kstats_user_page(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return;
	if (madvise(page, kstats_user_page(), 18 /* MADV_WIPEONFORK */)) {
		munmap(page, kstats_user_page());
		return;
	}
	*(__u32 *)page = (__u32)getpid();
	__atomic_store_n(&kstats_user_process.self, (__u32 *)page, __ATOMIC_RELEASE);
}

KSTATS_USER_COLD int kstats_user_find_folder(void)
{
	__u32 id;
	int fd = kstats_user_open_map(KSTATS_USER_VERSION, "", sizeof(__u64), 1, &id);
	void *page;

	if (fd < 0)
		return fd;
	page = mmap(NULL, kstats_user_page(), PROT_READ, MAP_SHARED, fd, 0);
	kstats_user_close(fd);
	if (page == MAP_FAILED)
		return -ENOMEM;
	kstats_user_follow_forks();
	__atomic_store_n(&kstats_user_process.version, (const __u32 *)page, __ATOMIC_RELEASE);
	return 0;
}

/* Map control and cells side by side. @c: a first mapping of the control, which has the sizes. */
KSTATS_USER_COLD int kstats_user_map_cells(struct kstats_user_marker *m, int control_fd,
					   const struct kstats_user_control *c)
{
	size_t page = kstats_user_page();
	size_t size = ((size_t)c->cell_size * c->n_cpus * 2 + page - 1) & ~(page - 1);
	struct kstats_user_node *node;
	char *at;
	__u32 id;
	int fd;

	fd = kstats_user_open_map(m->name, KSTATS_USER_CELLS, c->cell_size, (size_t)c->n_cpus * 2,
				  &id);
	if (fd < 0)
		return fd;
	at = (char *)mmap(NULL, 2 * page + size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (id != c->cells_id || at == (char *)MAP_FAILED ||
	    mmap(at + page, page, PROT_READ, MAP_SHARED | MAP_FIXED, control_fd, 0) == MAP_FAILED ||
	    mmap(at + 2 * page, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED) {
		kstats_user_close(fd);
		if (at != (char *)MAP_FAILED)
			munmap(at, 2 * page + size);
		return id == c->cells_id ? -ENOMEM : -ENOENT;
	}
	kstats_user_close(fd);
	node = (struct kstats_user_node *)at;
	node->control = (const struct kstats_user_control *)(at + page);
	node->cells = at + 2 * page;
	node->size = page + size;
	node->n_cpus = c->n_cpus;
	node->cell_size = c->cell_size;
	node->bits = c->bits;
	__atomic_store_n(&m->node, node, __ATOMIC_RELEASE);
	return 0;
}

KSTATS_USER_COLD __u32 kstats_user_find_node(struct kstats_user_marker *m)
{
	__u32 id, why = KSTATS_USER_OTHER;
	int fd = kstats_user_open_map(m->name, "", sizeof(struct kstats_user_control), 1, &id), err;
	const struct kstats_user_control *c;
	void *page;

	if (fd < 0)
		return kstats_user_reason(fd, KSTATS_USER_NO_NODE);
	page = mmap(NULL, kstats_user_page(), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		kstats_user_close(fd);
		return KSTATS_USER_FAILED;
	}
	c = (const struct kstats_user_control *)page;
	if (c->layout == KSTATS_USER_LAYOUT && c->bits <= KSTATS_BITS_MAX && c->n_cpus &&
	    c->n_cpus <= 65536 && c->cell_size == KSTATS_USER_CELL_SIZE(c->bits)) {
		err = c->gone ? -ENOENT : kstats_user_map_cells(m, fd, c);
		why = KSTATS_USER_RECORDS;
		if (err)
			why = kstats_user_reason(err, KSTATS_USER_NO_NODE);
	}
	munmap(page, kstats_user_page());
	kstats_user_close(fd);
	return why;
}

/*
 * Let a removed node go. Other threads may be about to write to it: they get memory that nobody
 * reads, at the same address, which stays reserved.
 */
KSTATS_USER_COLD void kstats_user_drop(struct kstats_user_marker *m)
{
	struct kstats_user_node *node = m->node;

	__atomic_store_n(&m->node, (struct kstats_user_node *)NULL, __ATOMIC_RELEASE);
	mmap((char *)node + kstats_user_page(), node->size, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

/*
 * One thread looks at a time. The others wait, so that the first samples of their threads are not
 * lost; but a thread that has a node already goes on with it. Return: 1 if it is locked.
 */
KSTATS_USER_COLD int kstats_user_lock(const struct kstats_user_marker *m)
{
	const struct timespec pause = { 0, 20000 };
	__u64 self = (__u64)getpid() << 32 | (__u32)syscall(SYS_gettid), holder;
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		holder = 0;
		if (__atomic_compare_exchange_n(&kstats_user_process.looking, &holder, self, 0,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return 1;
		if (holder == self || m->node) /* a signal handler interrupted the look */
			return 0;
		/* A thread of the parent locked it before a fork; here nobody unlocks it. */
		if (holder >> 32 != self >> 32 &&
		    __atomic_compare_exchange_n(&kstats_user_process.looking, &holder, self, 0,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return 1;
		syscall(SYS_nanosleep, &pause, NULL);
	}
	return 0;
}

/*
 * A thread that may be cancelled at any instruction would not end its look. No system call is
 * needed to put that off, which a filter of the program might forbid.
 */
KSTATS_USER_COLD void kstats_user_look(struct kstats_user_marker *m)
{
	int err = 0, saved = errno, cancel = PTHREAD_CANCEL_DEFERRED;
	__u32 version;

	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &cancel);
	if (!kstats_user_lock(m))
		goto out;
	if (m->version == kstats_user_version()) /* another thread looked meanwhile */
		goto unlock;
	if (kstats_user_process.version == &kstats_user_process.none)
		err = kstats_user_find_folder();
	if (err)
		kstats_user_process.why = kstats_user_reason(err, KSTATS_USER_NO_FOLDER);
	version = kstats_user_version();
	if (m->node && m->node->control->gone)
		kstats_user_drop(m);
	if (err)
		m->why = kstats_user_process.why;
	else if (!m->node)
		m->why = kstats_user_find_node(m);
	if (m->node)
		m->why = __atomic_load_n(&m->node->control->session, __ATOMIC_ACQUIRE)
				 ? KSTATS_USER_RECORDS
				 : KSTATS_USER_STOPPED;
	__atomic_store_n(&m->version, version, __ATOMIC_RELEASE);
	if (m->why == KSTATS_USER_RECORDS || (version & KSTATS_USER_CHANGING))
		__atomic_store_n(&m->seen, 0, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&m->seen, version, __ATOMIC_RELEASE);
unlock:
	__atomic_store_n(&kstats_user_process.looking, (__u64)0, __ATOMIC_RELEASE);
out:
	errno = saved;
	pthread_setcanceltype(cancel, &cancel);
}

/* The node, or NULL. */
KSTATS_USER_INLINE struct kstats_user_node *kstats_user_node(struct kstats_user_marker *m)
{
	if (__builtin_expect(
		    __atomic_load_n(&m->version, __ATOMIC_RELAXED) != kstats_user_version(), 0))
		kstats_user_look(m);
	return __atomic_load_n(&m->node, __ATOMIC_ACQUIRE);
}

/* The only test that a marker makes while nobody listens. */
KSTATS_USER_INLINE int kstats_user_is_on(const struct kstats_user_marker *m)
{
	return __builtin_expect(
		__atomic_load_n(&m->seen, __ATOMIC_RELAXED) != kstats_user_version(), 0);
}

/* ---- counting ---- */

#define KSTATS_USER_PAIR __attribute__((vector_size(16), may_alias))
typedef KSTATS_USER_PAIR long long kstats_user_pair;

#ifdef __aarch64__
#include "kstats_user_arm64.h"
#else
#include "kstats_user_x86.h"
#endif

/* The same by one atomic operation, in the second cell of the CPU. */
KSTATS_USER_COLD int kstats_user_add_shared(const struct kstats_user_node *node, __u64 session,
					    __u64 offset, __u64 more, __u64 more_sum)
{
	int cpu = sched_getcpu();
	__u64 *slot;

	if (cpu < 0 || (__u32)cpu >= node->n_cpus)
		cpu = 0;
	slot = (__u64 *)(node->cells + (__u64)(node->n_cpus + (__u32)cpu) * node->cell_size +
			 offset);
	if (__atomic_load_n(&node->control->session, __ATOMIC_ACQUIRE) != session)
		return 0;
	kstats_user_add_both(slot, more, more_sum);
	return 1;
}

/* Count, if the session is still the same. Return: 1 if so. */
KSTATS_USER_INLINE int kstats_user_add(const struct kstats_user_node *node, __u64 session,
				       __u32 slot, __u64 more, __u64 more_sum)
{
	kstats_user_pair both = { (long long)more, (long long)more_sum };
	__u64 offset = (__u64)slot * sizeof(struct kstats_slot);
	int done = -1;

	if (&__rseq_size && __rseq_size)
		done = kstats_user_add_here(node, session, offset, both);
	if (__builtin_expect(done < 0, 0))
		done = kstats_user_add_shared(node, session, offset, more, more_sum);
	return done;
}

KSTATS_USER_INLINE void kstats_user_count(const struct kstats_user_node *node, __u64 session,
					  __u32 first, __u64 value)
{
	__u32 slot = kstats_slot_index(value, node->bits);

	kstats_user_add(node, session, first + slot, 1, kstats_slot_scale(value, slot, node->bits));
}

KSTATS_USER_COLD void kstats_user_sample(struct kstats_user_marker *m, __u64 value)
{
	const struct kstats_user_node *node = kstats_user_node(m);
	__u64 session = node ? __atomic_load_n(&node->control->session, __ATOMIC_ACQUIRE) : 0;

	if (session)
		kstats_user_count(node, session, kstats_user_values(node->bits), value);
}

#ifdef __cplusplus
}
#endif

#endif /* KSTATS_USER_NODE_H */
