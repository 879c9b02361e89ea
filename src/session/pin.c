// SPDX-License-Identifier: GPL-2.0-only
/* pin.c - what a session made, under names that outlive it. */
#include "session/priv.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

const struct plan_way *session_way(const struct session *s, uint32_t i)
{
	int way = s->probes[i].way;

	return way < 0 ? NULL : &s->plan->probes[i].ways[way];
}

struct session_variables session_variables(const struct session *s)
{
	return (struct session_variables){
		.size = bpf_map__value_size(s->skel->maps.bss),
		.on_at = offsetof(struct kstats_bpf__bss, kstats_on),
		.epoch_at = offsetof(struct kstats_bpf__bss, epoch_ns),
		.taken_at = offsetof(struct kstats_bpf__bss, by_taken),
	};
}

int session_pin_links(const struct pin_folder *f, uint32_t i, const char *which,
		      const struct hook *h)
{
	char name[SESSION_PIN_NAME];
	unsigned int more;
	int err;

	snprintf(name, sizeof(name), SESSION_PIN_HOOK_LINK, i, which);
	err = pin_put(f, name, h->link_fd);
	for (more = 0; !err && more < h->n_more; more++) {
		snprintf(name, sizeof(name), SESSION_PIN_HOOK_MORE, i, which, more + 1);
		err = pin_put(f, name, h->more[more].link_fd);
	}
	return err;
}

static int pin_hook(const struct pin_folder *f, uint32_t i, const char *which, const struct hook *h)
{
	char name[SESSION_PIN_NAME];
	int err;

	snprintf(name, sizeof(name), SESSION_PIN_HOOK_PROG, i, which);
	err = pin_put(f, name, h->prog_fd);
	return err ? err : session_pin_links(f, i, which, h);
}

static int pin_probes(const struct session *s, const struct pin_folder *f)
{
	const struct plan_way *way;
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < s->plan->n_probes; i++) {
		way = session_way(s, i);
		/* A stub belongs to its node in the module, which the map of owners holds. */
		if (!way || s->probes[i].direct)
			continue;
		if (plan_has_start(way))
			err = pin_hook(f, i, "start", &s->probes[i].start);
		if (!err && plan_has_end(s->plan, way))
			err = pin_hook(f, i, "end", &s->probes[i].end);
	}
	return err;
}

static int pin_helper(const struct session *s, const struct pin_folder *f, unsigned int i)
{
	char name[SESSION_PIN_NAME];
	int err;

	if (!s->helpers[i])
		return 0;
	snprintf(name, sizeof(name), SESSION_PIN_PROG, session_helpers[i].name);
	err = pin_put(f, name, bpf_program__fd(session_helper(s, i)));
	if (err)
		return err;
	snprintf(name, sizeof(name), SESSION_PIN_LINK, session_helpers[i].name);
	return pin_put(f, name, bpf_link__fd(s->helpers[i]));
}

static int pin_maps(const struct session *s, const struct pin_folder *f)
{
	int owners = store_owners(&s->store);
	int blocks = session_blocks(s);
	int err = pin_put(f, SESSION_PIN_CELLS, bpf_map__fd(s->skel->maps.cells));

	if (!err && blocks >= 0)
		err = pin_put(f, SESSION_PIN_BLOCKS, blocks);
	if (!err)
		err = pin_put(f, SESSION_PIN_VARIABLES, bpf_map__fd(s->skel->maps.bss));
	if (!err)
		err = pin_put(f, SESSION_PIN_IDLE, bpf_map__fd(s->skel->maps.idle_stacks));
	if (!err)
		err = pin_put(f, SESSION_PIN_TASK_SLOTS, bpf_map__fd(s->skel->maps.task_slots));
	if (!err)
		err = pin_put(f, SESSION_PIN_STACKS, bpf_map__fd(s->skel->maps.task_stacks));
	if (!err)
		err = pin_put(f, SESSION_PIN_KEYS, bpf_map__fd(s->skel->maps.keys));
	if (!err && s->plan->by.most)
		err = pin_put(f, SESSION_PIN_BY, bpf_map__fd(s->skel->maps.by_keys));
	if (!err && owners >= 0)
		err = pin_put(f, SESSION_PIN_OWNERS, owners);
	return err;
}

int session_pin(const struct session *s, const struct pin_folder *f, struct error *e)
{
	int err = pin_maps(s, f);
	unsigned int i;

	for (i = 0; !err && session_helpers[i].name; i++)
		err = pin_helper(s, f, i);
	if (!err && s->hits_link)
		err = pin_put(f, SESSION_PIN_HITS, bpf_link__fd(s->hits_link));
	if (!err)
		err = pin_probes(s, f);
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot pin what was attached");
}
