// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - a disk that completes each request in two parts, for tests only
 *
 * /dev/kt_parts has one queue that serves one request at a time. The first half of its bytes
 * completes after half_us microseconds, the rest after as long again, and nothing is given back
 * to the queue in between. What is read is whatever the memory had before.
 */
#include <linux/blk-mq.h>
#include <linux/module.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#define SECTORS (1 << 17) /* 64 MiB */

static uint half_us = 10000;
module_param(half_us, uint, 0400);

static struct blk_mq_tag_set tags;
static struct gendisk *disk;
static struct request *served;
static bool half_done;
static struct delayed_work part_work;

static void part_finish(struct work_struct *work)
{
	struct request *rq = served;

	if (!half_done && blk_update_request(rq, BLK_STS_OK, blk_rq_bytes(rq) / 2 & ~511)) {
		half_done = true;
		schedule_delayed_work(&part_work, usecs_to_jiffies(half_us));
		return;
	}
	blk_mq_end_request(rq, BLK_STS_OK);
}

static blk_status_t parts_queue(struct blk_mq_hw_ctx *queue, const struct blk_mq_queue_data *data)
{
	served = data->rq;
	half_done = false;
	blk_mq_start_request(data->rq);
	schedule_delayed_work(&part_work, usecs_to_jiffies(half_us));
	return BLK_STS_OK;
}

static const struct blk_mq_ops parts_ops = { .queue_rq = parts_queue };
static const struct block_device_operations parts_disk_ops = { .owner = THIS_MODULE };

static struct gendisk *parts_disk(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return blk_mq_alloc_disk(&tags, NULL, NULL);
#else
	return blk_mq_alloc_disk(&tags, NULL);
#endif
}

static int __init parts_init(void)
{
	int err;

	INIT_DELAYED_WORK(&part_work, part_finish);
	tags.ops = &parts_ops;
	tags.nr_hw_queues = 1;
	tags.queue_depth = 1;
	tags.numa_node = NUMA_NO_NODE;
	err = blk_mq_alloc_tag_set(&tags);
	if (err)
		return err;
	disk = parts_disk();
	if (IS_ERR(disk)) {
		err = PTR_ERR(disk);
		goto out_tags;
	}
	disk->fops = &parts_disk_ops;
	strscpy(disk->disk_name, "kt_parts", DISK_NAME_LEN);
	set_capacity(disk, SECTORS);
	err = add_disk(disk);
	if (!err)
		return 0;
	put_disk(disk);
out_tags:
	blk_mq_free_tag_set(&tags);
	return err;
}

static void __exit parts_exit(void)
{
	del_gendisk(disk);
	put_disk(disk);
	blk_mq_free_tag_set(&tags);
}

module_init(parts_init);
module_exit(parts_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For tests: a disk that completes requests in parts");
