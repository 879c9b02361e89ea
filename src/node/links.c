// SPDX-License-Identifier: GPL-2.0-only
/* links.c - remove the links of a node, which attach its programs. */
#include "node/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define WAIT_US 1000
#define WAITS 10000

/* Links whose names were removed. */
struct former {
	uint32_t *ids;
	size_t n;
};

static size_t count_links(const struct node *n)
{
	size_t sum = 0, i;

	for (i = 0; session_helpers[i].name; i++)
		sum++;
	for (i = 0; i < n->meta.n_probes; i++)
		sum += 2 + n->meta.probes[i].start.places.n + n->meta.probes[i].end.places.n;
	return sum;
}

static void drop_link(struct former *f, const struct pin_folder *folder, const char *name)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	int fd = pin_get(folder, name);

	if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len))
		f->ids[f->n++] = info.id;
	pin_drop(folder, name);
	if (fd >= 0)
		close(fd);
}

static void drop_hook(struct former *f, struct node *n, uint32_t i, const char *which,
		      const struct plan_hook *plan)
{
	char name[SESSION_PIN_NAME];
	uint32_t more;

	snprintf(name, sizeof(name), SESSION_PIN_HOOK_LINK, i, which);
	drop_link(f, &n->folder, name);
	for (more = 1; more < plan->places.n; more++) {
		snprintf(name, sizeof(name), SESSION_PIN_HOOK_MORE, i, which, more);
		drop_link(f, &n->folder, name);
	}
}

static void drop_links(struct former *f, struct node *n)
{
	char name[SESSION_PIN_NAME];
	uint32_t i;

	for (i = 0; i < n->meta.n_probes; i++) {
		if (node_in_stub(&n->meta.probes[i])) {
			store_direct_detach(&n->store, n->meta.probes[i].node);
			continue;
		}
		drop_hook(f, n, i, "start", &n->meta.probes[i].start);
		drop_hook(f, n, i, "end", &n->meta.probes[i].end);
	}
	for (i = 0; session_helpers[i].name; i++) {
		snprintf(name, sizeof(name), SESSION_PIN_LINK, session_helpers[i].name);
		drop_link(f, &n->folder, name);
	}
}

/* A user who may not ask for links by id is not told of them, as if they were gone. */
static bool is_gone(uint32_t id)
{
	int fd = bpf_link_get_fd_by_id(id);

	if (fd >= 0)
		close(fd);
	return fd < 0;
}

int node_detach(struct node *n)
{
	struct former f = { .ids = calloc(count_links(n), sizeof(*f.ids)) };
	int tries = 0;

	if (!f.ids)
		return -ENOMEM;
	drop_links(&f, n);
	while (f.n && tries < WAITS) {
		if (is_gone(f.ids[f.n - 1])) {
			f.n--;
		} else {
			usleep(WAIT_US);
			tries++;
		}
	}
	free(f.ids);
	return f.n ? -EAGAIN : 0;
}
