/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_dev.h - the commands of /dev/kstats, which make, read and control nodes of the module.
 * Included by the module and by programs of user space, after <linux/ioctl.h>. The manual is
 * kstats(9).
 *
 * All that may sleep is here, and not in kfuncs. A syscall program is bound to its CPU while it
 * runs. To attach a function the kernel waits until no CPU is being switched off; that in turn
 * waits for all tasks that are bound to the CPU: both would wait for ever. The caller of a command
 * is bound to nothing, and can be killed while it waits for others.
 *
 * Who opens the file holds the nodes that are created by it, until the file is closed. A program
 * can hold one longer, see kstats_node_acquire(). Each command checks its caller, who must be the
 * user who created the node, or have CAP_SYS_ADMIN. Only KSTATS_DEV_CREATE and KSTATS_DEV_RELEASE,
 * which are about the open file, do not.
 */
#ifndef KSTATS_DEV_H
#define KSTATS_DEV_H

#include "kstats_abi.h"

/** Where it is */
#define KSTATS_DEV "/dev/kstats"

/** Blocks that one call reads at most */
#define KSTATS_DEV_BLOCKS_MAX (8 * KSTATS_N_BLOCKS_MAX)

/**
 * struct kstats_dev_create - a node that is to be made; it records at once
 * @frac_bits: resolution, 0 to 5
 * @n: distributions of an array; 0: a node that is none
 * @blocks: of an array: on each CPU, how many blocks of 16 neighbouring slots all its
 *	distributions together can take
 * @id: receives its id
 * @name: up to 63 letters, digits, and any of _ . - : ; "" makes a node without a name
 *
 * A distribution of an array takes a block when it first needs one of its slots. On each CPU it
 * takes 128 bytes, and a block 264. An array has no name.
 */
struct kstats_dev_create {
	__u32 frac_bits;
	__u32 n;
	__u32 blocks;
	__u32 id;
	char name[KSTATS_NAME_MAX + 1];
};

/**
 * struct kstats_dev_read - counts that are to be copied
 * @id: node
 * @cpu: a possible CPU; of an array, the first one that is read
 * @index: distribution of an array, else 0
 * @take: 1: and they are reset, in one step; only for a node that is no array
 * @to: address of memory that receives struct kstats_slot, or struct kstats_block of an array
 * @size: bytes of that memory; for an array from KSTATS_N_BLOCKS_MAX to KSTATS_DEV_BLOCKS_MAX
 * blocks
 *
 * Blocks of one CPU come after those of another, and in any order; in each, @next is the number of
 * its CPU. It stops at a CPU for which there may be too little room left: it has read all CPUs if
 * KSTATS_N_BLOCKS_MAX more blocks would fit.
 */
struct kstats_dev_read {
	__u32 id;
	__u32 cpu;
	__u32 index;
	__u32 take;
	__u64 to;
	__u64 size;
};

/**
 * struct kstats_dev_node - what is to be done with a node
 * @id: node
 * @arg: enum kstats_op for KSTATS_DEV_CONTROL, process for KSTATS_DEV_FOLLOW, else 0
 */
struct kstats_dev_node {
	__u32 id;
	__u32 arg;
};

/**
 * struct kstats_dev_attach - a function that is to be measured without a BPF program
 * @id: node; it measures one function
 * @program: descriptor of a BPF program that is loaded for fentry of the function, and not
 *	attached; it may be closed afterwards
 * @address: where the function begins; 0: the one that was detached, with @program 0
 *
 * The module knows from the program where the function has its arguments and its result: the
 * kernel's verifier has read that in the kernel's BTF, which modules cannot read.
 */
struct kstats_dev_attach {
	__u32 id;
	__u32 program;
	__u64 address;
};

/**
 * struct kstats_dev_filter - which calls of the function are to be measured
 * @id: node
 * @pad: 0
 * @filter: which
 */
struct kstats_dev_filter {
	__u32 id;
	__u32 pad;
	struct kstats_direct_filter filter;
};

/**
 * struct kstats_dev_counts - calls of the function
 * @id: node
 * @pad: 0
 * @counts: receives them
 */
struct kstats_dev_counts {
	__u32 id;
	__u32 pad;
	struct kstats_direct_counts counts;
};

/*
 * Each returns 0 or more, or fails with ENOENT if there is no such node, EPERM if it is another
 * user's, EFAULT for memory that is not there, ENOMEM, EINTR if the caller is killed, ENOTTY if
 * the module is of another version and does not know the command, and what is told below.
 */

/*
 * Fails with EINVAL for an invalid name, resolution, or number, EEXIST, ENOSPC if the user has as
 * many nodes or as much memory as the parameters of the module allow.
 */
#define KSTATS_DEV_CREATE _IOWR('k', 1, struct kstats_dev_create)

/* Let go of a node that was created by this open file. ENOENT if it holds no such node. */
#define KSTATS_DEV_RELEASE _IOW('k', 2, struct kstats_dev_node)

/* Returns the number of slots or blocks. EINVAL: wrong CPU or index, or too large; ENOSPC: too
 * small */
#define KSTATS_DEV_READ _IOW('k', 3, struct kstats_dev_read)

/* Start, stop or reset. Calls of array_record fail while an array is reset. EINVAL: what is it? */
#define KSTATS_DEV_CONTROL _IOW('k', 4, struct kstats_dev_node)

/*
 * Measure a function. Needs CAP_SYS_ADMIN. Fails with EOPNOTSUPP if the kernel lacks what
 * it takes, its time stamp counter is not stable, or it counts the depth of calls; ENOSPC if as
 * many functions are measured as can be; EINVAL if no function begins at the address, ftrace cannot
 * hook it, or the node is an array; EBADF if the program is none for this function, or is attached;
 * E2BIG if the function takes arguments on the stack, or one of more than 8 bytes, or returns more
 * than 16; EDOM if a task or a CPU ends inside without a trace; EAGAIN if another tracer is just
 * changing the function; EALREADY if the node measures a function; ESTALE if the module of the
 * function goes or has gone since; EBUSY (or EINVAL) if the function is traced by a BPF trampoline
 * or has a livepatch.
 */
#define KSTATS_DEV_ATTACH _IOW('k', 5, struct kstats_dev_attach)

/* Stop measuring the function, until it is attached again. Releasing the node does it too. */
#define KSTATS_DEV_DETACH _IOW('k', 6, struct kstats_dev_node)

/*
 * Before KSTATS_DEV_ATTACH, and with the same privilege: measure only some calls. It is decided
 * when a call begins. A set of processes takes 512 KiB. Fails with EALREADY if the node has a
 * filter or measures a function, EINVAL for unknown flags, EOPNOTSUPP.
 */
#define KSTATS_DEV_FILTER _IOW('k', 7, struct kstats_dev_filter)

/*
 * Measure the calls of one process more, by its number in the initial PID namespace; 0: of no
 * process any more. It counts until that process has ended: another one that gets its number is
 * not measured. ENOENT also if the node has no filter KSTATS_DIRECT_BY_PROCESS; EINVAL if no
 * process can have that number.
 */
#define KSTATS_DEV_FOLLOW _IOW('k', 8, struct kstats_dev_node)

/* Read the calls of the function that a node measures. ENOENT also if it measures none. */
#define KSTATS_DEV_COUNTS _IOWR('k', 9, struct kstats_dev_counts)

#endif /* KSTATS_DEV_H */
