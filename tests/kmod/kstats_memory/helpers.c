// SPDX-License-Identifier: GPL-2.0-only
/*
 * helpers.c - what others allocate and free by helpers, whose names begin with "help_"
 *
 * Comes in: the numbers of a written line. Goes out: objects and pages, and their truth, in
 * which the call sites are the callers of the helpers.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>

#include "km.h"

#define MANY 16
#define DEPTH 40 /* more frames than a stack is read of */

struct with_head {
	struct rcu_head rcu;
	u64 more[];
};

/* No helper ends with a call, as no km_*: see km.h. */
static void *__site help_kmalloc(size_t size)
{
	void *p = kmalloc(size, GFP_KERNEL);

	barrier();
	return p;
}

static void *__site help_outer(size_t size)
{
	void *p = help_kmalloc(size);

	barrier();
	return p;
}

static void *__site help_deep(size_t size, unsigned int deeper)
{
	void *p = deeper ? help_deep(size, deeper - 1) : help_kmalloc(size);

	barrier();
	return p;
}

static void __site help_kfree(void *p)
{
	kfree(p);
	barrier();
}

static void __site help_kfree_rcu(struct with_head *r)
{
	kfree_rcu(r, rcu);
	barrier();
}

static void *__site help_cache_alloc(void)
{
	void *p = kmem_cache_alloc(plain_cache(), GFP_KERNEL);

	barrier();
	return p;
}

static void __site help_cache_free(void *p)
{
	kmem_cache_free(plain_cache(), p);
	barrier();
}

static int __site help_bulk_alloc(void **objects)
{
	int got = kmem_cache_alloc_bulk(plain_cache(), GFP_KERNEL, MANY, objects);

	barrier();
	return got;
}

static void __site help_bulk_free(void **objects)
{
	kmem_cache_free_bulk(plain_cache(), MANY, objects);
	barrier();
}

static unsigned long __site help_pages(unsigned int order)
{
	unsigned long address = __get_free_pages(GFP_KERNEL | __GFP_NOWARN, order);

	barrier();
	return address;
}

static void __site help_pages_free(unsigned long address, unsigned int order)
{
	free_pages(address, order);
	barrier();
}

/* ---- who calls them ------------------------------------------------------------- */

static bool __site km_behind(struct object *o, size_t size)
{
	void *p = help_outer(size);

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, "kmalloc", size, ksize(p), 1);
	return true;
}

static bool __site km_beside(struct object *o, size_t size)
{
	void *p = help_kmalloc(size);

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, "kmalloc", size, ksize(p), 1);
	return true;
}

static bool __site km_deep(struct object *o, size_t size)
{
	void *p = help_deep(size, DEPTH);

	if (!object_made(o, p, "no_caller"))
		return false;
	truth_alloc(o->site, "kmalloc", size, ksize(p), 1);
	truth_count(o->site, 1);
	return true;
}

static void __site km_behind_kfree(struct object *o)
{
	help_kfree(o->ptr);
	truth_free(o, "kfree", __func__);
}

static void __site km_behind_kfree_rcu(struct object *o)
{
	truth_free(o, "rcu", __func__);
	help_kfree_rcu(o->ptr);
	barrier();
}

/* N of one caller, 2 N of the other, one of which frees itself. */
int op_behind(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_behind(&o, arg[1]))
			return -ENOMEM;
		km_behind_kfree(&o);
		if (!km_beside(&o, arg[1]))
			return -ENOMEM;
		km_kfree(&o);
		if (!km_beside(&o, sizeof(struct with_head) + arg[1]))
			return -ENOMEM;
		km_behind_kfree_rcu(&o);
	}
	return calls_result(i, arg[0]);
}

int op_deep(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_deep(&o, arg[1]))
			return -ENOMEM;
		km_kfree(&o);
	}
	return calls_result(i, arg[0]);
}

static bool __site km_behind_cache(struct object *o)
{
	void *p = help_cache_alloc();

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, PLAIN_NAME, PLAIN_SIZE, 0, 1);
	return true;
}

static void __site km_behind_cache_free(struct object *o)
{
	help_cache_free(o->ptr);
	truth_free(o, "cache_free", __func__);
}

int op_behind_cache(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_behind_cache(&o))
			return -ENOMEM;
		km_behind_cache_free(&o);
	}
	return calls_result(i, arg[0]);
}

static bool __site km_behind_bulk(void **objects)
{
	if (!help_bulk_alloc(objects))
		return false;
	truth_alloc(__func__, PLAIN_NAME, PLAIN_SIZE, 0, MANY);
	truth_count("bulk", MANY);
	return true;
}

static void __site km_behind_bulk_free(void **objects)
{
	help_bulk_free(objects);
	truth_frees("km_behind_bulk", "bulk", __func__, MANY);
}

int op_behind_bulk(const u64 *arg)
{
	void *objects[MANY];
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_behind_bulk(objects))
			return -ENOMEM;
		km_behind_bulk_free(objects);
	}
	return calls_result(i, arg[0]);
}

static unsigned long __site km_behind_pages(unsigned int order)
{
	unsigned long address = help_pages(order);
	u64 size = PAGE_SIZE << order;

	if (address)
		truth_alloc(__func__, "pages", size, size, 1);
	return address;
}

static void __site km_behind_pages_free(unsigned long address, unsigned int order)
{
	help_pages_free(address, order);
	truth_frees("km_behind_pages", "pages", __func__, 1);
}

int op_behind_pages(const u64 *arg)
{
	unsigned long address;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		address = km_behind_pages(arg[1]);
		if (!address)
			return -ENOMEM;
		km_behind_pages_free(address, arg[1]);
	}
	return calls_result(i, arg[0]);
}
