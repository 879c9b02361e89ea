// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev.c - commands to the kernel module. In: an id of a node. Out: slots, and functions that are
 * measured without a BPF program. See kstats_dev.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kstats_dev.h"
#include "kstats_direct.h"
#include "store/priv.h"
#include "util/refusal.h"

struct store_dev {
	int fd;
	union {
		struct kstats_slot slots[KSTATS_N_SLOTS_MAX];
		struct kstats_block blocks[STORE_BLOCKS];
	};
};

int store_dev_open(struct store_dev **dev, char *why, size_t size)
{
	struct store_dev *d = malloc(sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	d->fd = open(KSTATS_DEV, O_RDWR | O_CLOEXEC);
	if (d->fd >= 0) {
		*dev = d;
		return 0;
	}
	err = -errno;
	free(d);
	if (err == -ENOENT)
		snprintf(why, size,
			 "there is no " KSTATS_DEV ": the module is of an older version, or this "
			 "container was not given the file");
	else if (err == -EACCES || err == -EPERM)
		snprintf(why, size, "the user may not open " KSTATS_DEV);
	return err;
}

void store_dev_close(struct store_dev *dev)
{
	if (dev)
		close(dev->fd);
	free(dev);
}

/* What the command returns, or -errno. */
static int call(const struct store_dev *dev, unsigned long cmd, void *arg)
{
	int n = ioctl(dev->fd, cmd, arg);

	return n < 0 ? -errno : n;
}

static int call_node(const struct store_dev *dev, unsigned long cmd, uint32_t id, uint32_t arg)
{
	struct kstats_dev_node now = { .id = id, .arg = arg };

	return call(dev, cmd, &now);
}

int store_dev_create(struct store_dev *dev, struct kstats_dev_create *now)
{
	return call(dev, KSTATS_DEV_CREATE, now);
}

int store_dev_read(struct store_dev *dev, uint32_t id, unsigned int cpu,
		   const struct kstats_slot **slots)
{
	struct kstats_dev_read now = {
		.id = id,
		.cpu = cpu,
		.to = (uintptr_t)dev->slots,
		.size = sizeof(dev->slots),
	};

	*slots = dev->slots;
	return call(dev, KSTATS_DEV_READ, &now);
}

int store_dev_array(struct store_dev *dev, uint32_t id, uint32_t index, unsigned int cpu,
		    const struct kstats_block **blocks)
{
	struct kstats_dev_read now = {
		.id = id,
		.cpu = cpu,
		.index = index,
		.to = (uintptr_t)dev->blocks,
		.size = sizeof(dev->blocks),
	};

	*blocks = dev->blocks;
	return call(dev, KSTATS_DEV_READ, &now);
}

int store_dev_control(struct store_dev *dev, uint32_t id, enum kstats_op op)
{
	return call_node(dev, KSTATS_DEV_CONTROL, id, op);
}

/* ---- functions that the module measures without a BPF program ---- */

static void explain(int err, char *why, size_t size)
{
	static const struct {
		int err;
		const char *why;
	} words[] = {
		{ -EBUSY, "another tracer or a livepatch has the function" },
		{ -EINVAL, "ftrace cannot hook it, or another tracer has it" },
		{ -EBADF, "the kernel's BTF is about another function of that name" },
		{ -E2BIG, "its arguments, or its result, may be on the stack" },
		{ -EAGAIN, "another tracer is changing the function: try again" },
		{ -EDOM, KSTATS_DIRECT_STAYS_WHY },
		{ -ENOSPC, "all stubs of the module are in use, see 'kstats-bpf doctor'" },
		{ -EOPNOTSUPP, "the kernel lacks direct calls, its time stamp counter is not "
			       "stable, or it counts the depth of calls (retbleed=stuff)" },
		{ -ENOMEM, "the module has no memory left, see its parameter max_mib" },
		{ -ESTALE, "its module was unloaded" },
		{ -EALREADY, "one distribution takes one function only" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (words[i].err == err) {
			snprintf(why, size, "%s", words[i].why);
			return;
		}
	}
	refusal_blame_module(err, why, size);
}

int store_direct_attach(struct store *st, uint32_t node, uint64_t address, int program, char *why,
			size_t size)
{
	struct kstats_dev_attach now = { .address = address, .program = program };
	int err = -EOPNOTSUPP;

	if (st->ids) {
		now.id = st->ids[node];
		err = call(st->dev, KSTATS_DEV_ATTACH, &now);
	}
	if (err)
		explain(err, why, size);
	return err;
}

int store_direct_filter(struct store *st, uint32_t node, const struct kstats_direct_filter *filter,
			char *why, size_t size)
{
	struct kstats_dev_filter now = { .filter = *filter };
	int err = -EOPNOTSUPP;

	if (st->ids) {
		now.id = st->ids[node];
		now.filter.like = filter->like == node ? 0 : st->ids[filter->like];
		err = call(st->dev, KSTATS_DEV_FILTER, &now);
	}
	if (err)
		explain(err, why, size);
	return err;
}

int store_direct_follow(struct store *st, uint32_t node, uint32_t process)
{
	return call_node(st->dev, KSTATS_DEV_FOLLOW, st->ids[node], process);
}

int store_direct_detach(struct store *st, uint32_t node)
{
	return st->ids ? call_node(st->dev, KSTATS_DEV_DETACH, st->ids[node], 0) : -EOPNOTSUPP;
}

int store_direct_read(struct store *st, uint32_t node, struct kstats_direct_counts *counts)
{
	struct kstats_dev_counts now = { .id = st->ids[node] };
	int err = call(st->dev, KSTATS_DEV_COUNTS, &now);

	*counts = now.counts;
	return err;
}
