// SPDX-License-Identifier: GPL-2.0-only
/*
 * caches.c - two caches that nobody else uses, one of them with a constructor
 *
 * Comes in: the numbers of a written line. Goes out: objects one by one and in bulk, and
 * their truth.
 */
#include <linux/minmax.h>

#include "km.h"

#define BULK_MAX 64
#define KEEP_MAX 4096
#define MANY_MAX 2048
#define MANY_SIZE 40

struct own {
	const char *name;
	u32 size;
	void (*ctor)(void *object);
	struct kmem_cache *cache;
};

static void constructed(void *object)
{
	memset(object, 0xa5, 8);
}

static struct own plain = { PLAIN_NAME, PLAIN_SIZE };
static struct own with_ctor = { "kstats_memory_ctor", 333, constructed };
static void *kept[KEEP_MAX];
static unsigned int kept_n;
static DEFINE_MUTEX(kept_lock);

/* A region for user copies keeps the kernel from merging the cache with another one. */
static int own_make(struct own *own)
{
	own->cache = kmem_cache_create_usercopy(own->name, own->size, 0, 0, 0, 8, own->ctor);
	return own->cache ? 0 : -ENOMEM;
}

int caches_make(void)
{
	return own_make(&plain) ?: own_make(&with_ctor);
}

struct kmem_cache *plain_cache(void)
{
	return plain.cache;
}

void caches_destroy(void)
{
	if (forgotten)
		return;
	kmem_cache_destroy(plain.cache);
	kmem_cache_destroy(with_ctor.cache);
}

/* What an object takes: a cache is asked by the sizes in sysfs, the truth leaves it out. */
static bool __site km_cache_alloc(struct object *o, struct own *own)
{
	void *p = kmem_cache_alloc(own->cache, GFP_KERNEL);

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, own->name, own->size, 0, 1);
	return true;
}

static void __site km_cache_free(struct object *o, struct own *own)
{
	kmem_cache_free(own->cache, o->ptr);
	truth_free(o, "cache_free", __func__);
}

static int one_by_one(struct own *own, u64 n)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, n); i++) {
		if (!km_cache_alloc(&o, own))
			return -ENOMEM;
		km_cache_free(&o, own);
	}
	return calls_result(i, n);
}

int op_cache(const u64 *arg)
{
	return one_by_one(&plain, arg[0]);
}

int op_cache_ctor(const u64 *arg)
{
	return one_by_one(&with_ctor, arg[0]);
}

int op_cache_kfree(const u64 *arg)
{
	struct object o;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_cache_alloc(&o, &plain))
			return -ENOMEM;
		km_kfree(&o);
	}
	return calls_result(i, arg[0]);
}

static bool __site km_bulk_alloc(void **objects, unsigned int n)
{
	if (!kmem_cache_alloc_bulk(plain.cache, GFP_KERNEL, n, objects))
		return false;
	truth_alloc(__func__, plain.name, plain.size, 0, n);
	truth_count("bulk", n);
	return true;
}

static void __site km_bulk_free(const char *site, void **objects, unsigned int n)
{
	kmem_cache_free_bulk(plain.cache, n, objects);
	truth_frees(site, "bulk", __func__, n);
}

int op_bulk(const u64 *arg)
{
	void *objects[BULK_MAX];
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_bulk_alloc(objects, arg[1]))
			return -ENOMEM;
		km_bulk_free("km_bulk_alloc", objects, arg[1]);
	}
	return calls_result(i, arg[0]);
}

int op_bulk_alloc(const u64 *arg)
{
	void *objects[BULK_MAX];
	struct object o;
	u64 i, k;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		if (!km_bulk_alloc(objects, arg[1]))
			return -ENOMEM;
		for (k = 0; k < arg[1]; k++) {
			object_made(&o, objects[k], "km_bulk_alloc");
			km_cache_free(&o, &plain);
		}
	}
	return calls_result(i, arg[0]);
}

int op_bulk_free(const u64 *arg)
{
	void *objects[BULK_MAX];
	struct object o;
	u64 i, k;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		for (k = 0; k < arg[1]; k++) {
			if (!km_cache_alloc(&o, &plain))
				return -ENOMEM;
			objects[k] = o.ptr;
		}
		km_bulk_free("km_cache_alloc", objects, arg[1]);
	}
	return calls_result(i, arg[0]);
}

static bool __site km_cache_keep(void)
{
	struct object o;

	o.ptr = kmem_cache_alloc(plain.cache, GFP_KERNEL);
	if (!o.ptr)
		return false;
	kept[kept_n++] = o.ptr;
	truth_alloc(__func__, plain.name, plain.size, 0, 1);
	return true;
}

int op_cache_keep(const u64 *arg)
{
	int err = 0;
	u64 i;

	mutex_lock(&kept_lock);
	for (i = 0; i < arg[0] && !err; i++)
		if (kept_n == KEEP_MAX || !km_cache_keep())
			err = -ENOMEM;
	mutex_unlock(&kept_lock);
	return err;
}

static void __site km_cache_drop(void *object)
{
	kmem_cache_free(plain.cache, object);
	truth_frees("km_cache_keep", "cache_free", __func__, 1);
}

int op_cache_drop(const u64 *arg)
{
	mutex_lock(&kept_lock);
	while (kept_n)
		km_cache_drop(kept[--kept_n]);
	mutex_unlock(&kept_lock);
	return 0;
}

static int __site km_cache_many(struct kmem_cache *cache)
{
	void *p = kmem_cache_alloc(cache, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	kmem_cache_free(cache, p);
	truth_count("many", 1);
	return 0;
}

/* None is destroyed before all were used: no two of them have the same address. */
int op_cache_many(const u64 *arg)
{
	static struct kmem_cache *many[MANY_MAX];
	int err = 0;
	char name[32];
	u64 i;

	mutex_lock(&kept_lock);
	for (i = 0; i < arg[0] && !err; i++) {
		snprintf(name, sizeof(name), "kstats_many_%llu", i);
		many[i] = kmem_cache_create_usercopy(name, MANY_SIZE, 0, 0, 0, 8, NULL);
		err = many[i] ? km_cache_many(many[i]) : -ENOMEM;
	}
	while (i)
		kmem_cache_destroy(many[--i]);
	mutex_unlock(&kept_lock);
	return err;
}
