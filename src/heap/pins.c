// SPDX-License-Identifier: GPL-2.0-only
/*
 * pins.c - a measurement that outlives the process that began it: its maps, programs and links
 * in a folder, and what must be known to open them again. See heap.h.
 */
#include "heap/priv.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/session.h"
#include "store/table.h"
#include "util/json.h"
#include "util/json_read.h"

#define LAYOUT_SIZE 96
#define MODULES_MAX 65536
#define HEAP_MAPS (HEAP_TABLES + 1) /* the last one is of the variables */

static const char *const map_names[HEAP_MAPS] = {
	[HEAP_ROWS] = "rows",     [HEAP_LIVE] = "live",     [HEAP_LIFES] = "lifes",
	[HEAP_CACHES] = "caches", [HEAP_COUNTS] = "counts", [HEAP_TABLES] = SESSION_PIN_VARIABLES,
};

/* What the programs write; other layouts cannot be read. */
static char *layout(char text[LAYOUT_SIZE])
{
	snprintf(text, LAYOUT_SIZE,
		 "row %zu, live %zu, life %zu, cache %zu, counters %d of %zu, bits %d",
		 sizeof(struct kstats_kmem_row), sizeof(struct kstats_kmem_live),
		 sizeof(struct kstats_kmem_life), sizeof(struct kstats_kmem_cache),
		 KSTATS_KMEM_COUNT_N, sizeof(struct kstats_kmem_counts), KSTATS_KMEM_LIFE_BITS);
	return text;
}

static char *pin_name(char name[SESSION_PIN_NAME], const char *what, int i)
{
	snprintf(name, SESSION_PIN_NAME, "%s-%d", what, i);
	return name;
}

static int map_fd(const struct heap *h, unsigned int i)
{
	return bpf_map__fd(i < HEAP_TABLES ? heap_map(h, i) : h->skel->maps.bss);
}

/* ---- pinning ---- */

static int pin_links(const struct heap *h, const struct pin_folder *f)
{
	char name[SESSION_PIN_NAME];
	int i, err = 0;

	for (i = 0; !err && i < HEAP_HOOKS; i++)
		if (h->hooks[i].link >= 0)
			err = pin_put(f, pin_name(name, "link", i), h->hooks[i].link);
	return err;
}

int heap_pin(const struct heap *h, const struct pin_folder *f, struct error *e)
{
	char name[SESSION_PIN_NAME];
	int i, err = 0;

	for (i = 0; !err && i < HEAP_MAPS; i++)
		err = pin_put(f, map_names[i], map_fd(h, i));
	for (i = 0; !err && i < HEAP_HOOKS; i++)
		if (h->hooks[i].fd >= 0)
			err = pin_put(f, pin_name(name, "prog", i), h->hooks[i].fd);
	if (!err)
		err = pin_links(h, f);
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot pin what was attached") : 0;
}

/* ---- the description ---- */

static struct json_object *describe_map(const struct heap *h, unsigned int i)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	struct json_object *o = json_object_new_object();
	int err = bpf_obj_get_info_by_fd(map_fd(h, i), &info, &len);

	err |= json_add_u64(o, "id", info.id);
	err |= json_add_u64(o, "size", info.value_size);
	return json_made(o, err);
}

static struct json_object *describe_hook(const struct heap_hook *hook)
{
	bool there = hook->fd >= 0;
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "event", hook->event);

	err |= json_add_text(o, "method", there ? hook->method : "");
	err |= json_add_text(o, "function", there && hook->function ? hook->function : "");
	err |= json_add_u64(o, "trace_event", hook->is_trace_event);
	err |= json_add_text(o, "why", hook->why);
	return json_made(o, err);
}

static int describe_module(void *ctx, const struct symbols_module *m)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "name", m->name);

	err |= json_add_u64(o, "first", m->first);
	err |= json_add_u64(o, "end", m->end);
	if (!err)
		return json_push(ctx, o);
	json_object_put(o);
	return -ENOMEM;
}

static int describe_lists(const struct heap *h, struct json_object *o)
{
	struct json_object *maps = json_object_new_array(), *hooks = json_object_new_array();
	struct json_object *modules = json_object_new_array();
	int i, err = 0;

	for (i = 0; i < HEAP_MAPS; i++)
		err |= json_push(maps, describe_map(h, i));
	for (i = 0; i < HEAP_HOOKS; i++)
		err |= json_push(hooks, describe_hook(&h->hooks[i]));
	err |= symbols_modules(&h->symbols, describe_module, modules);
	err |= json_add(o, "maps", maps);
	err |= json_add(o, "hooks", hooks);
	return err | json_add(o, "modules", modules);
}

static struct json_object *describe_by(const struct heap *h)
{
	struct json_object *o = json_object_new_array();
	unsigned int i;
	int err = 0;

	for (i = 0; i < h->want->spec.n_by; i++)
		err |= json_push_text(o, h->want->spec.by[i]->text);
	return json_made(o, err);
}

struct json_object *heap_describe(const struct heap *h)
{
	struct json_object *o = json_object_new_object();
	char text[LAYOUT_SIZE];
	int err = json_add_text(o, "layout", layout(text));

	err |= json_add_u64(o, "lifetimes", h->want->lifetimes);
	err |= json_add(o, "by", describe_by(h));
	err |= json_add_u64(o, "max_sites", h->want->max_sites);
	err |= json_add_u64(o, "max_live", h->want->max_live);
	err |= json_add_text(o, "skip", h->want->skip);
	err |= json_add_text(o, "filters", h->filters);
	err |= json_add_u64(o, "on_at", offsetof(struct kmem_bpf__bss, kmem_on));
	err |= describe_lists(h, o);
	return json_made(o, err);
}

/* ---- opening again ---- */

static const char *text_of(struct json_object *from, const char *key, struct error *e, int *err)
{
	struct json_object *o = NULL;

	if (!*err)
		*err = json_get(from, key, json_type_string, &o, e);
	return o ? json_object_get_string(o) : "";
}

static uint64_t number_of(struct json_object *from, const char *key, uint64_t max, struct error *e,
			  int *err)
{
	uint64_t n = 0;

	if (!*err)
		*err = json_get_u64(from, key, max, &n, e);
	return n;
}

static struct json_object *list_of(struct json_object *from, const char *key, size_t least,
				   size_t most, struct error *e)
{
	struct json_object *array;
	size_t n;

	if (json_get(from, key, json_type_array, &array, e))
		return NULL;
	n = json_object_array_length(array);
	if (n >= least && n <= most)
		return array;
	json_bad(e, "'%s' has a wrong length", key);
	return NULL;
}

static int read_by(struct spec_kmem *to, struct json_object *from, struct error *e)
{
	struct json_object *list = list_of(from, "by", 0, KSTATS_BY_PARTS, e), *o;
	int err = list ? 0 : -EINVAL;
	struct spec *spec = &to->spec;
	struct expr *x;
	size_t i;

	for (i = 0; !err && i < json_object_array_length(list); i++) {
		x = calloc(1, sizeof(*x));
		if (!x)
			return error_no_memory(e, "cannot use it");
		spec->by[spec->n_by++] = x;
		o = json_object_array_get_idx(list, i);
		err = json_object_is_type(o, json_type_string)
			      ? expr_parse(x, "--by", json_object_get_string(o), e)
			      : json_bad(e, "'by' holds what is not text");
	}
	return err;
}

static int read_want(struct heap *h, struct error *e)
{
	struct json_object *from = h->description;
	struct spec_kmem *to = &h->kept;
	char text[LAYOUT_SIZE];
	int err = 0;

	if (strcmp(text_of(from, "layout", e, &err), layout(text)) && !err)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "another version of kstats-bpf made it, which has other tables",
				 NULL, "cannot use it");
	to->lifetimes = number_of(from, "lifetimes", 1, e, &err);
	to->max_sites = number_of(from, "max_sites", UINT32_MAX, e, &err);
	to->max_live = number_of(from, "max_live", UINT32_MAX, e, &err);
	to->skip = text_of(from, "skip", e, &err);
	if (!*to->skip)
		to->skip = NULL;
	h->filters = strdup(text_of(from, "filters", e, &err));
	h->want = to;
	if (!err)
		err = read_by(to, from, e);
	return err || h->filters ? err : error_no_memory(e, "cannot use it");
}

static int bad_pin(const char *name, int err, struct error *e)
{
	char why[128];

	snprintf(why, sizeof(why), "its %s cannot be used: %s", name, strerror(-err));
	return error_set(e, EXIT_USAGE, -EINVAL, why, NULL, "cannot use it");
}

/* By the number that the map had: a map of the same size may belong to somebody else. */
static int open_map(struct heap *h, const struct pin_folder *f, int i, struct json_object *from,
		    struct error *e)
{
	struct heap_area *area = i < HEAP_TABLES ? &h->tables[i] : &h->variables;
	struct table_shape shape = { .type = BPF_MAP_TYPE_ARRAY, .n = 1 };
	int fd = pin_get(f, map_names[i]), err = 0;
	void *at;

	shape.id = number_of(from, "id", UINT32_MAX, e, &err);
	shape.value = number_of(from, "size", UINT32_MAX, e, &err);
	if (!err) {
		err = shape.id && shape.value ? table_check(fd, &shape, NULL) : -EINVAL;
		at = err ? MAP_FAILED
			 : mmap(NULL, shape.value, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at != MAP_FAILED)
			*area = (struct heap_area){ shape.value, at };
		else
			err = bad_pin(map_names[i], err ? err : -errno, e);
	}
	if (fd >= 0)
		close(fd);
	return err;
}

static int open_maps(struct heap *h, const struct pin_folder *f, struct error *e)
{
	struct json_object *list = list_of(h->description, "maps", HEAP_MAPS, HEAP_MAPS, e);
	int i, err = list ? 0 : -EINVAL;
	uint64_t at;

	for (i = 0; !err && i < HEAP_MAPS; i++)
		err = open_map(h, f, i, json_object_array_get_idx(list, i), e);
	at = number_of(h->description, "on_at", UINT32_MAX, e, &err);
	if (!err && (at % sizeof(*h->on) || at + sizeof(*h->on) > h->variables.size))
		err = json_bad(e, "its variables lie outside of the map");
	if (!err)
		h->on = (uint32_t *)((char *)h->variables.at + at);
	return err;
}

static int open_hook(struct heap_hook *hook, const struct pin_folder *f, int i,
		     struct json_object *from, struct error *e)
{
	char name[SESSION_PIN_NAME];
	int err = 0;

	hook->event = text_of(from, "event", e, &err);
	hook->method = text_of(from, "method", e, &err);
	hook->function = text_of(from, "function", e, &err);
	hook->is_trace_event = number_of(from, "trace_event", 1, e, &err);
	snprintf(hook->why, sizeof(hook->why), "%s", text_of(from, "why", e, &err));
	if (!*hook->function)
		hook->function = NULL;
	if (err || !*hook->method)
		return err;
	hook->fd = pin_get(f, pin_name(name, "prog", i));
	return hook->fd < 0 ? bad_pin(name, hook->fd, e) : 0;
}

static int open_hooks(struct heap *h, const struct pin_folder *f, struct error *e)
{
	struct json_object *list = list_of(h->description, "hooks", HEAP_HOOKS, HEAP_HOOKS, e);
	int i, err = list ? 0 : -EINVAL;

	for (i = 0; !err && i < HEAP_HOOKS; i++)
		err = open_hook(&h->hooks[i], f, i, json_object_array_get_idx(list, i), e);
	return err;
}

/* The modules that were unloaded or moved since the begin. */
static int read_gone(struct heap *h, struct error *e)
{
	struct json_object *list = list_of(h->description, "modules", 0, MODULES_MAX, e), *o;
	struct symbols_module *to;
	int err = list ? 0 : -EINVAL;
	size_t i, n = list ? json_object_array_length(list) : 0;

	h->gone = calloc(n + 1, sizeof(*h->gone));
	if (!h->gone)
		return error_no_memory(e, "cannot use it");
	for (i = 0; !err && h->symbols.n && i < n; i++) {
		o = json_object_array_get_idx(list, i);
		to = &h->gone[h->n_gone];
		to->name = text_of(o, "name", e, &err);
		to->first = number_of(o, "first", UINT64_MAX, e, &err);
		to->end = number_of(o, "end", UINT64_MAX, e, &err);
		h->n_gone += !symbols_has_module(&h->symbols, to);
	}
	return err;
}

struct heap *heap_reopen(const struct pin_folder *f, struct json_object *from,
			 const struct recording_machine *machine, bool names, struct error *e)
{
	struct heap *h = calloc(1, sizeof(*h));
	int i, err = -ENOMEM;

	if (!h) {
		error_no_memory(e, "cannot use it");
		return NULL;
	}
	for (i = 0; i < HEAP_HOOKS; i++)
		h->hooks[i] = (struct heap_hook){ HEAP_NO_HOOK };
	h->description = json_object_get(from);
	if (!recording_copy_machine(&h->machine, machine))
		err = read_want(h, e);
	else
		error_no_memory(e, "cannot use it");
	if (!err)
		err = open_maps(h, f, e);
	if (!err)
		err = open_hooks(h, f, e);
	if (!err && names)
		err = heap_know_names(h, e);
	if (!err && names)
		err = read_gone(h, e);
	if (!err)
		return h;
	heap_close(h);
	return NULL;
}

/* ---- control ---- */

void heap_detach_pinned(const struct pin_folder *f)
{
	char name[SESSION_PIN_NAME];
	int i;

	for (i = HEAP_HOOKS - 1; i >= 0; i--)
		pin_drop(f, pin_name(name, "link", i));
}

int heap_attach_pinned(struct heap *h, const struct pin_folder *f, struct error *e)
{
	int err = heap_attach(h, e);

	if (!err && pin_links(h, f))
		err = error_set(e, EXIT_KERNEL, -EIO, NULL, NULL, "cannot pin what was attached");
	heap_detach(h);
	if (err)
		heap_detach_pinned(f);
	return err;
}

bool heap_is_on(const struct heap *h)
{
	return __atomic_load_n(h->on, __ATOMIC_SEQ_CST);
}

void heap_switch(struct heap *h, bool on)
{
	heap_set_on(h, on);
	if (!on)
		session_wait_programs();
}

/* What a program knows of the kernel's own counts stays true. */
void heap_clear(struct heap *h)
{
	struct kstats_kmem_counts *c = (void *)h->tables[HEAP_COUNTS].at;
	enum heap_table t;
	size_t cpu;

	for (t = 0; t < HEAP_TABLES; t++)
		if (t != HEAP_COUNTS)
			memset((void *)h->tables[t].at, 0, h->tables[t].size);
	for (cpu = 0; cpu < h->tables[HEAP_COUNTS].size / sizeof(*c); cpu++)
		memset(c[cpu].n, 0, sizeof(c[cpu].n));
}

uint64_t heap_skips(const struct heap *h, unsigned int i)
{
	return heap_skipped(&h->hooks[i]);
}

uint64_t heap_allocations(const struct heap *h)
{
	const struct kstats_kmem_counts *c = h->tables[HEAP_COUNTS].at;
	const struct kstats_kmem_row *row = h->tables[HEAP_ROWS].at;
	size_t i, kind;
	uint64_t n = 0;

	for (i = 0; i < h->tables[HEAP_ROWS].size / sizeof(*row); i++)
		n += row[i].count;
	for (i = 0; i < h->tables[HEAP_COUNTS].size / sizeof(*c); i++)
		for (kind = 0; kind < 3; kind++)
			n += c[i].n[KSTATS_KMEM_N_NO_ROW + kind];
	return n;
}

bool heap_lifetimes(const struct heap *h)
{
	return h->want->lifetimes;
}

size_t heap_memory(const struct heap *h)
{
	enum heap_table t;
	size_t all = 0;

	for (t = 0; t < HEAP_TABLES; t++)
		all += h->tables[t].size;
	return all;
}
