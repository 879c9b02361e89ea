// SPDX-License-Identifier: GPL-2.0-only
/*
 * ops.c - kmalloc() and its like, and pages, by the writer alone
 *
 * Comes in: the numbers of a written line. Goes out: allocations and frees, and their truth.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "km.h"

#define KMALLOC "kmalloc"

bool __site km_kmalloc(struct object *o, size_t size, gfp_t gfp)
{
	void *p = kmalloc(size, gfp);

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, KMALLOC, size, ksize(p), 1);
	return true;
}

void __site km_kfree(struct object *o)
{
	kfree(o->ptr);
	truth_free(o, "kfree", __func__);
}

int op_kmalloc(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_kmalloc(&o, arg[1], GFP_KERNEL))
			return -ENOMEM;
		km_kfree(&o);
	}
	return calls_result(i, arg[0]);
}

static bool __site km_atomic(struct object *o, size_t size)
{
	void *p = kmalloc(size, GFP_ATOMIC);

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, KMALLOC, size, ksize(p), 1);
	return true;
}

int op_atomic(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_atomic(&o, arg[1]))
			return -ENOMEM;
		km_kfree(&o);
	}
	return calls_result(i, arg[0]);
}

#define FIXED(size)                                                \
	do {                                                       \
		void *p = kmalloc(size, GFP_KERNEL);               \
		if (!object_made(&o, p, __func__))                 \
			return false;                              \
		truth_alloc(__func__, KMALLOC, size, ksize(p), 1); \
		km_kfree(&o);                                      \
	} while (0)

/* Sizes that the compiler knows: it chooses the cache itself. */
static bool __site km_fixed(void)
{
	struct object o;

	FIXED(1);
	FIXED(8);
	FIXED(9);
	FIXED(16);
	FIXED(31);
	FIXED(32);
	FIXED(64);
	FIXED(65);
	FIXED(96);
	FIXED(97);
	FIXED(128);
	FIXED(192);
	FIXED(193);
	FIXED(256);
	FIXED(512);
	FIXED(1000);
	FIXED(1024);
	FIXED(1025);
	FIXED(2048);
	FIXED(3001);
	FIXED(4096);
	FIXED(4097);
	FIXED(8192);
	FIXED(8193);
	FIXED(20000);
	FIXED(65536);
	FIXED(65537);
	return true;
}

int op_fixed(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++)
		if (!km_fixed())
			return -ENOMEM;
	return calls_result(i, arg[0]);
}

static bool __site km_zalloc(struct object *o, size_t size)
{
	void *p = kzalloc(size, GFP_KERNEL);

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, KMALLOC, size, ksize(p), 1);
	return true;
}

int op_zalloc(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_zalloc(&o, arg[1]))
			return -ENOMEM;
		km_kfree(&o);
	}
	return calls_result(i, arg[0]);
}

static bool __site km_node(struct object *o, size_t size)
{
	void *p = kmalloc_node(size, GFP_KERNEL, 0);

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, KMALLOC, size, ksize(p), 1);
	return true;
}

int op_node(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_node(&o, arg[1]))
			return -ENOMEM;
		km_kfree(&o);
	}
	return calls_result(i, arg[0]);
}

static bool __site km_kvmalloc(struct object *o, size_t size)
{
	void *p = kvmalloc(size, GFP_KERNEL);

	if (!object_made(o, p, __func__))
		return false;
	if (is_vmalloc_addr(p))
		truth_count("vmalloc", 1);
	else
		truth_alloc(__func__, KMALLOC, size, ksize(p), 1);
	return true;
}

/* The event's site is in kvfree(), which calls kfree(). */
static void __site km_kvfree(struct object *o)
{
	bool pages = is_vmalloc_addr(o->ptr);

	kvfree(o->ptr);
	if (!pages)
		truth_free(o, "kfree", "kvfree");
}

int op_kvmalloc(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_kvmalloc(&o, arg[1]))
			return -ENOMEM;
		km_kvfree(&o);
	}
	return calls_result(i, arg[0]);
}

bool __site km_realloc(struct object *o, size_t size)
{
	void *p = krealloc(o->ptr, size, GFP_KERNEL);
	struct object old = *o;

	if (!p) {
		kfree(o->ptr);
		return false;
	}
	if (p == o->ptr) {
		truth_count("in_place", 1);
		return true;
	}
	truth_free(&old, "kfree", "krealloc");
	truth_alloc(__func__, KMALLOC, size, ksize(p), 1);
	return object_made(o, p, __func__);
}

int op_realloc(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_kmalloc(&o, arg[1], GFP_KERNEL) || !km_realloc(&o, arg[2]))
			return -ENOMEM;
		km_kfree(&o);
	}
	return calls_result(i, arg[0]);
}

/* kmalloc(0) tells of nothing; each of the three frees does, and means nothing. */
static void __site km_nothing(size_t nothing)
{
	void *p = NULL;

	kfree(kmalloc(nothing, GFP_KERNEL));
	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
	p = ZERO_SIZE_PTR;
	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
	truth_count("null", 3);
}

int op_nothing(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++)
		km_nothing(0);
	return calls_result(i, arg[0]);
}

/* More than any cache and the buddy allocator have. */
static bool __site km_too_much(void)
{
	size_t size = KMALLOC_MAX_SIZE + 1;
	void *p;

	OPTIMIZER_HIDE_VAR(size);
	p = kmalloc(size, GFP_KERNEL | __GFP_NOWARN);
	truth_count("failed", 1);
	return !p;
}

int op_too_much(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++)
		if (!km_too_much())
			return -EINVAL;
	return calls_result(i, arg[0]);
}

/* kmemdup() passes its caller on, kasprintf() is the site itself. */
static bool __site km_kmemdup(struct object *o, size_t size)
{
	void *p = kmemdup(empty_zero_page, size, GFP_KERNEL);

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, KMALLOC, size, ksize(p), 1);
	return true;
}

static bool __site km_kasprintf(struct object *o, size_t size)
{
	char *p = kasprintf(GFP_KERNEL, "%0*d", (int)size - 1, 0);

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, KMALLOC, size, ksize(p), 1);
	return true;
}

int op_helpers(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_kmemdup(&o, arg[1]))
			return -ENOMEM;
		km_kfree(&o);
		if (!km_kasprintf(&o, arg[1]))
			return -ENOMEM;
		km_kfree(&o);
	}
	return calls_result(i, arg[0]);
}

static bool __site km_pages(unsigned int order)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, order);
	u64 size = PAGE_SIZE << order;

	if (!page)
		return false;
	truth_alloc("pages", "pages", size, size, 1);
	__free_pages(page, order);
	truth_frees("pages", "pages", "pages", 1);
	return true;
}

static int pages(const u64 *arg)
{
	u64 i;

	for (i = 0; i < arg[0]; i++)
		if (!km_pages(arg[1]))
			return -ENOMEM;
	return 0;
}

int op_pages(const u64 *arg)
{
	return named_run(pages, arg);
}

static u64 __site km_cost(u64 calls)
{
	u64 i, each = 0;

	for (i = 0; i < calls; i++) {
		void *p = kmalloc(64, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(p);
		if (!p)
			break;
		if (!i)
			each = ksize(p);
		kfree(p);
	}
	truth_alloc(__func__, KMALLOC, 64, each, i);
	truth_frees(__func__, "kfree", __func__, i);
	return i;
}

/* Nothing but kmalloc() and kfree(): for a loop that counts instructions. */
int op_cost(const u64 *arg)
{
	return calls_result(km_cost(arg[0]), arg[0]);
}

struct by_rcu {
	struct rcu_head rcu;
	u64 more[];
};

static void __site km_rcu_free(struct object *o)
{
	struct by_rcu *r = o->ptr;

	truth_free(o, "rcu", __func__);
	kfree_rcu(r, rcu);
	barrier();
}

static void __site km_rcu_free_alone(struct object *o)
{
	truth_free(o, "rcu", __func__);
	kvfree_rcu_mightsleep(o->ptr);
	barrier();
}

static int by_rcu(const u64 *arg, void (*give)(struct object *o))
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_kmalloc(&o, sizeof(struct by_rcu) + arg[1], GFP_KERNEL))
			return -ENOMEM;
		give(&o);
	}
	return calls_result(i, arg[0]);
}

int op_rcu(const u64 *arg)
{
	return by_rcu(arg, km_rcu_free);
}

int op_rcu_alone(const u64 *arg)
{
	return by_rcu(arg, km_rcu_free_alone);
}
