// SPDX-License-Identifier: GPL-2.0-only
/* links.c - remove the links of a node, which attach its programs. */
#include "node/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hook/returns.h"

#define WAIT_US 1000
#define WAIT_MAX_NS 10000000000
#define GRACE_US 200000 /* where it cannot be seen which links there are */

static void drop_hook(struct node *n, uint32_t i, const char *which, const struct plan_hook *plan)
{
	char name[SESSION_PIN_NAME];
	uint32_t more;

	snprintf(name, sizeof(name), SESSION_PIN_HOOK_LINK, i, which);
	pin_drop(&n->folder, name);
	for (more = 1; more < plan->places.n; more++) {
		snprintf(name, sizeof(name), SESSION_PIN_HOOK_MORE, i, which, more);
		pin_drop(&n->folder, name);
	}
}

static void drop_links(struct node *n)
{
	char name[SESSION_PIN_NAME];
	uint32_t i;

	for (i = 0; i < n->meta.n_probes; i++) {
		if (node_in_stub(&n->meta.probes[i])) {
			store_direct_detach(&n->store, n->meta.probes[i].node);
			continue;
		}
		drop_hook(n, i, "start", &n->meta.probes[i].start);
		drop_hook(n, i, "end", &n->meta.probes[i].end);
	}
	for (i = 0; session_helpers[i].name; i++) {
		snprintf(name, sizeof(name), SESSION_PIN_LINK, session_helpers[i].name);
		pin_drop(&n->folder, name);
	}
}

/* ---- until the kernel has freed the links ---- */

/* Ids of the node's programs. */
struct programs {
	uint32_t *ids;
	size_t n;
};

static void add_program(struct programs *p, const struct pin_folder *f, const char *name)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = pin_get(f, name);

	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		p->ids[p->n++] = info.id;
	close(fd);
}

static int find_programs(struct programs *p, const struct node *n)
{
	static const char *const ends[] = { "start", "end" };
	char name[SESSION_PIN_NAME];
	uint32_t i, helpers = 0;

	while (session_helpers[helpers].name)
		helpers++;
	p->ids = calloc(2 * n->meta.n_probes + helpers, sizeof(*p->ids));
	if (!p->ids)
		return -ENOMEM;
	for (i = 0; i < 2 * n->meta.n_probes; i++) {
		snprintf(name, sizeof(name), SESSION_PIN_HOOK_PROG, i / 2, ends[i % 2]);
		add_program(p, &n->folder, name);
	}
	for (i = 0; i < helpers; i++) {
		snprintf(name, sizeof(name), SESSION_PIN_PROG, session_helpers[i].name);
		add_program(p, &n->folder, name);
	}
	return 0;
}

static bool is_link_of(const struct programs *p, int fd)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	size_t i;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return false;
	for (i = 0; i < p->n; i++)
		if (p->ids[i] == info.prog_id)
			return true;
	return false;
}

/* Whether a link still has one of the programs. Return: 1, 0, or -errno if it cannot be seen. */
static int is_attached(const struct programs *p)
{
	bool found = false;
	__u32 id = 0;
	int fd;

	while (!found && !bpf_link_get_next_id(id, &id)) {
		fd = bpf_link_get_fd_by_id(id);
		/* Freed in the meantime. */
		if (fd < 0)
			continue;
		found = is_link_of(p, fd);
		close(fd);
	}
	if (found)
		return 1;
	return errno == ENOENT ? 0 : -errno;
}

/* Number of its links that may be of events in tracefs. */
static unsigned int count_returns(const struct node *n)
{
	char name[SESSION_PIN_NAME];
	unsigned int found = 0;
	uint32_t i;
	int fd;

	for (i = 0; i < n->meta.n_probes; i++) {
		if (n->meta.probes[i].end.type != PLAN_KRETPROBE)
			continue;
		snprintf(name, sizeof(name), SESSION_PIN_HOOK_LINK, i, "end");
		fd = pin_get(&n->folder, name);
		if (fd < 0)
			continue;
		found++;
		close(fd);
	}
	return found;
}

unsigned int node_returns(int root, const char *name)
{
	struct error e = {};
	struct pin_folder f;
	struct node *n;
	unsigned int found;

	if (pin_open(&f, root, name, false, &e))
		return 0;
	n = node_open_folder(&f, name, NODE_LIST, &e);
	found = n ? count_returns(n) : 0;
	node_close(n);
	return found;
}

/* Links of a killed process are waited for, too. */
int node_detach(struct node *n)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	unsigned int returns = count_returns(n), events = returns ? returns_clean() : 0;
	struct programs p = { 0 };
	int err;

	drop_links(n);
	err = find_programs(&p, n);
	if (!err)
		err = is_attached(&p);
	while (err > 0 && clock_ns(CLOCK_MONOTONIC) - begin < WAIT_MAX_NS) {
		usleep(WAIT_US);
		err = is_attached(&p);
	}
	free(p.ids);
	if (err < 0)
		usleep(GRACE_US);
	if (returns)
		returns_wait(events > returns ? events - returns : 0);
	return err > 0 ? -EAGAIN : 0;
}
