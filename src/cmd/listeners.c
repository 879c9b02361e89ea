// SPDX-License-Identifier: GPL-2.0-only
/* listeners.c - who listens to a point, for `list --markers`. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "facts/facts.h"
#include "util/json.h"
#include "util/safe_str.h"

int cmd_listeners(bool programs, struct facts_listener **rows, size_t *n, struct error *e)
{
	int err = facts_listeners(programs, rows, n);

	if (!err)
		return 0;
	return error_set(
		e, EXIT_KERNEL, err, err == -EPERM ? "the kernel tells only root" : strerror(-err),
		err == -EPERM ? "use sudo" : NULL, "cannot find out what is attached to %s",
		programs ? "programs" : "tracepoints");
}

struct json_object *cmd_listener_json(const struct facts_listener *at)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "by", at->program ? "bpf" : "ftrace");
	json_add_text(o, "name", at->name);
	if (at->program)
		json_object_object_add(o, "program", json_object_new_int64(at->program));
	if (at->pid) {
		json_object_object_add(o, "pid", json_object_new_int(at->pid));
		json_add_text(o, "comm", at->comm);
	}
	return o;
}

void cmd_print_listener(const struct facts_listener *at)
{
	char name[4 * sizeof(at->name) + 1], comm[4 * sizeof(at->comm) + 1];

	safe_str(name, sizeof(name), at->name);
	safe_str(comm, sizeof(comm), at->comm);
	if (!at->program)
		printf("    attached: ftrace%s%s\n", *name ? ", instance " : "", name);
	else if (at->pid)
		printf("    attached: BPF program %u, '%s', of %s (process %d)\n", at->program,
		       name, comm, at->pid);
	else
		printf("    attached: BPF program %u, '%s', pinned\n", at->program, name);
}
