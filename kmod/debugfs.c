// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs.c - nodes as files, for a shell: /sys/kernel/debug/kstats/NAME.
 * Reading prints a copy that is taken when the file is opened, in the classic
 * format (see kstats-bpf-formats(5)); writing START, STOP or RESET acts. The
 * file _control lists the nodes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "node.h"

#define MILLION 1000000
#define WORD_MAX 15

static struct dentry *folder;

/**
 * struct row - how much of one CPU, or of all CPUs, has been printed
 * @seen: samples in the slots before this one
 * @total: samples in all slots
 */
struct row {
	u64 seen;
	u64 total;
};

/**
 * struct copy - a node as it was when its file was opened
 * @bits: resolution
 * @slot: the next slot to print
 * @slots: kstats_n_slots() for each CPU number below nr_cpu_ids
 * @all: the sums over the CPUs
 * @row_all: progress of @all
 * @rows: progress of each CPU
 */
struct copy {
	u8 bits;
	u32 slot;
	struct kstats_slot *slots;
	struct kstats_slot *all;
	struct row row_all;
	struct row rows[];
};

static const struct kstats_slot *copy_slot(const struct copy *c, unsigned int cpu, u32 i)
{
	return &c->slots[(size_t)cpu * kstats_n_slots(c->bits) + i];
}

/* ---- the copy ---- */

static void copy_free(struct copy *c)
{
	if (!c)
		return;
	kvfree(c->slots);
	kvfree(c->all);
	kvfree(c);
}

static struct copy *copy_alloc(u8 bits)
{
	struct copy *c = kvzalloc(struct_size(c, rows, nr_cpu_ids), GFP_KERNEL);
	u32 n = kstats_n_slots(bits);

	if (!c)
		return NULL;
	c->bits = bits;
	c->all = kvcalloc(n, sizeof(*c->all), GFP_KERNEL);
	c->slots = kvcalloc((size_t)n * nr_cpu_ids, sizeof(*c->slots), GFP_KERNEL);
	if (c->all && c->slots)
		return c;
	copy_free(c);
	return NULL;
}

static struct copy *copy_take(struct kstats_node *node)
{
	struct copy *c = copy_alloc(node->hot.bits);
	u32 i, n = kstats_n_slots(node->hot.bits);
	const struct kstats_slot *s;
	unsigned int cpu;

	if (!c)
		return ERR_PTR(-ENOMEM);
	for_each_possible_cpu(cpu) {
		if (node_read(node, cpu, c->slots + (size_t)cpu * n)) {
			copy_free(c);
			return ERR_PTR(-EINTR);
		}
		for (i = 0; i < n; i++) {
			s = copy_slot(c, cpu, i);
			c->all[i].samples += s->samples;
			c->all[i].sum += s->sum;
			c->rows[cpu].total += s->samples;
			c->row_all.total += s->samples;
		}
	}
	return c;
}

/* ---- the rows ---- */

static void print_row(struct seq_file *m, const struct copy *c, char mark, unsigned int cpu,
		      const struct kstats_slot *s, const struct row *row)
{
	u64 seen = row->seen + s->samples;
	u64 avg = kstats_slot_avg(div64_u64(s->sum, s->samples), c->slot, c->bits);
	u64 part = seen == row->total ? 0 : mul_u64_u64_div_u64(seen, MILLION, row->total);

	seq_printf(m, "slot %-3d CPU%c %-4d count %8llu avg %8llu p %c.%06llu\n", c->slot, mark,
		   cpu, s->samples, avg, seen == row->total ? '1' : '0', part);
}

static int rows_show(struct seq_file *m, void *v)
{
	const struct copy *c = m->private;
	const struct kstats_slot *s;
	unsigned int cpu;

	if (!c->all[c->slot].samples)
		return 0;
	for_each_possible_cpu(cpu) {
		s = copy_slot(c, cpu, c->slot);
		if (s->samples)
			print_row(m, c, ' ', cpu, s, &c->rows[cpu]);
	}
	print_row(m, c, 'S', num_possible_cpus(), &c->all[c->slot], &c->row_all);
	return 0;
}

/* Go to the next slot. Unlike rows_show(), this is called once for each slot. */
static void rows_pass(struct copy *c)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		c->rows[cpu].seen += copy_slot(c, cpu, c->slot)->samples;
	c->row_all.seen += c->all[c->slot].samples;
	c->slot++;
}

static void rows_rewind(struct copy *c)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		c->rows[cpu].seen = 0;
	c->row_all.seen = 0;
	c->slot = 0;
}

static void *rows_start(struct seq_file *m, loff_t *pos)
{
	struct copy *c = m->private;

	if (*pos >= kstats_n_slots(c->bits))
		return NULL;
	if (*pos < c->slot)
		rows_rewind(c);
	while (c->slot < *pos)
		rows_pass(c);
	return c;
}

static void *rows_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return rows_start(m, pos);
}

static void rows_stop(struct seq_file *m, void *v)
{
}

static const struct seq_operations rows_ops = {
	.start = rows_start,
	.next = rows_next,
	.stop = rows_stop,
	.show = rows_show,
};

/* ---- the file of a node ---- */

static int node_open(struct inode *inode, struct file *file)
{
	struct copy *c;
	int err;

	/* A file opened for writing only has no copy to seek in. */
	if (!(file->f_mode & FMODE_READ))
		return nonseekable_open(inode, file);
	c = copy_take(inode->i_private);
	if (IS_ERR(c))
		return PTR_ERR(c);
	err = seq_open(file, &rows_ops);
	if (err) {
		copy_free(c);
		return err;
	}
	((struct seq_file *)file->private_data)->private = c;
	return 0;
}

static int node_close(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	if (!(file->f_mode & FMODE_READ))
		return 0;
	copy_free(m->private);
	return seq_release(inode, file);
}

static const char *const words[] = {
	[KSTATS_OP_START] = "START",
	[KSTATS_OP_STOP] = "STOP",
	[KSTATS_OP_RESET] = "RESET",
};

static ssize_t node_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	char buf[WORD_MAX + 1], *word;
	int op, err;

	if (!size || size > WORD_MAX)
		return -EINVAL;
	if (copy_from_user(buf, from, size))
		return -EFAULT;
	buf[size] = '\0';
	if (strlen(buf) != size)
		return -EINVAL;
	word = strim(buf);
	for (op = 0; op < ARRAY_SIZE(words); op++)
		if (!strcasecmp(word, words[op]))
			break;
	/* This keeps the node. What follows does not wait for user space. */
	err = debugfs_file_get(file->f_path.dentry);
	if (err)
		return err;
	err = node_control(file_inode(file)->i_private, op);
	debugfs_file_put(file->f_path.dentry);
	return err ? err : (ssize_t)size;
}

static const struct file_operations node_fops = {
	.owner = THIS_MODULE,
	.open = node_open,
	.read = seq_read,
	.write = node_write,
	.llseek = seq_lseek,
	.release = node_close,
};

/*
 * Not debugfs_create_file(): removing such a file would wait, with the folder locked, for
 * all its readers and writers, and these may wait for a page of user memory.
 */
int debugfs_add(struct kstats_node *node)
{
	if (IS_ERR(folder))
		return 0;
	node->dentry = debugfs_create_file_unsafe(node->name, 0600, folder, node, &node_fops);
	return PTR_ERR_OR_ZERO(node->dentry);
}

void debugfs_del(struct kstats_node *node)
{
	debugfs_remove(node->dentry);
}

/* ---- the list ---- */

static int control_show(struct seq_file *m, void *v)
{
	struct kstats_node *node = NULL;

	nodes_hold();
	while ((node = nodes_next(node)))
		if (*node->name)
			seq_printf(m, "%s\n", node->name);
	nodes_drop();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(control);

int debugfs_init(void)
{
	struct dentry *control;

	folder = debugfs_create_dir("kstats", NULL);
	control = IS_ERR(folder)
			  ? folder
			  : debugfs_create_file("_control", 0400, folder, NULL, &control_fops);
	if (control != ERR_PTR(-ENOMEM))
		return 0;
	debugfs_remove(folder);
	pr_err("no memory for its files in debugfs; not loaded\n");
	return -ENOMEM;
}

void debugfs_exit(void)
{
	debugfs_remove(folder);
}
