// SPDX-License-Identifier: GPL-2.0-only
#include "ui/nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap/heap.h"
#include "util/refusal.h"
#include "util/safe_str.h"

static void say_cleared(void *ctx, const char *name)
{
	char safe[512];

	fprintf(stderr, "kstats-bpf: removed what a killed command had left of the node '%s'\n",
		safe_str(safe, sizeof(safe), name));
}

/* Open the folder once; the descriptor stays -1 if it is missing and not made. */
static int open_root(struct nodes *n, bool make, struct error *e)
{
	if (n->root.fd >= 0)
		return 0;
	if (!n->path)
		n->path = PIN_ROOT;
	n->root.fd = pin_root(n->path, make, e);
	if (n->root.fd == -ENOENT && !make) {
		n->root.fd = -1;
		return 0;
	}
	if (n->root.fd < 0)
		return n->root.fd;
	if (!n->only_read)
		pin_clear(n->root.fd, say_cleared, NULL);
	return 0;
}

static int list_names(struct nodes *n, struct error *e)
{
	if (n->root.fd < 0)
		return 0;
	n->n = pin_list(n->root.fd, &n->names);
	return n->n < 0 ? error_set(e, EXIT_KERNEL, n->n, NULL, NULL, "cannot list the nodes") : 0;
}

int nodes_find(struct nodes *n, char **words, int n_words, struct error *e)
{
	int err;

	if (n->all == (n_words > 0))
		return error_set(e, EXIT_USAGE, -EINVAL,
				 n->all ? "there are names beside --all" : "none is named",
				 "name nodes, see 'kstats-bpf node ls', or use --all",
				 "which nodes");
	err = open_root(n, false, e);
	if (err || n->all)
		return err ? err : list_names(n, e);
	n->names = words;
	n->n = n_words;
	return 0;
}

int nodes_print(struct nodes *n, struct error *e)
{
	int i, err = open_root(n, false, e);
	char safe[512];

	if (!err)
		err = list_names(n, e);
	for (i = 0; !err && i < n->n; i++)
		puts(safe_str(safe, sizeof(safe), n->names[i]));
	pin_list_free(n->names, err ? 0 : n->n);
	n->names = NULL;
	n->n = 0;
	return err;
}

/* -ENOENT of anything but the name is not a usage error. */
static bool no_such_node(const struct error *e)
{
	return e->err == -ENOENT && e->status == EXIT_USAGE;
}

bool nodes_gone(const struct nodes *n, const struct error *e)
{
	return n->all && no_such_node(e);
}

void nodes_close(struct nodes *n)
{
	if (n->all)
		pin_list_free(n->names, n->n);
	node_root_close(&n->root);
	facts_close(n->facts);
	n->facts = NULL;
}

char *nodes_join(int argc, char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	for (i = 0; f && i < argc; i++)
		fprintf(f, "%s%s", i ? " " : "", argv[i]);
	if (f && !fclose(f))
		return text;
	free(text);
	return NULL;
}

/* ---- read ---- */

/* The node is closed at once, so that nobody who changes it has to wait. */
static int read_any(struct nodes *n, const char *name, struct input *in, struct error *e)
{
	struct node *node = node_open(&n->root, name, NODE_READ, e);

	*in = (struct input){};
	if (node && node_is_kmem(node))
		in->kmem = node_read_kmem(node, e);
	else if (node)
		in->rec = node_read(node, e);
	node_close(node);
	return in->kmem || in->rec ? 0 : -EIO;
}

static struct recording *read_named(struct nodes *n, const char *name, struct error *e)
{
	struct input in;

	if (!read_any(n, name, &in, e) && in.rec)
		recording_drop_unused(in.rec);
	if (in.kmem)
		error_set(e, EXIT_USAGE, -EINVAL, "it is of memory events, which have no gaps",
			  "leave GAP- out", "cannot show the gaps of '%s'", name);
	kmem_free(in.kmem);
	return in.rec;
}

static int keep_gaps(struct recording *r, const char *name, struct error *e)
{
	struct snapshot *gaps = snapshot_gaps(r->whole);

	if (!gaps)
		return error_no_memory(e, "cannot show '%s'", name);
	snapshot_free(r->whole);
	r->whole = gaps;
	if (gaps->n_nodes)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "the node keeps no gaps",
			 "add a node with --gap, see kstats-bpf-node(8)", "cannot show '%s'", name);
}

int nodes_read(struct nodes *n, const char *name, struct input *in, struct error *e)
{
	size_t prefix = strlen(PLAN_GAP);
	struct error of_owner = {};

	if (!read_any(n, name, in, e))
		return 0;
	if (!no_such_node(e) || strncmp(name, PLAN_GAP, prefix))
		return -EIO;
	in->rec = read_named(n, name + prefix, &of_owner);
	if (!in->rec && !no_such_node(&of_owner))
		*e = of_owner;
	if (!in->rec)
		return -EIO;
	if (!keep_gaps(in->rec, name, e))
		return 0;
	recording_free(in->rec);
	in->rec = NULL;
	return -EIO;
}

/* ---- add ---- */

static int nodes_refuse(const char *option, const char *next, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, "a node stays, and is looked at later", next,
			 "cannot use %s for a node", option);
}

static int check_spec(const struct spec *spec, struct error *e)
{
	if (spec->command)
		return nodes_refuse("a command", "filter by --comm, --pid or --cgroup", e);
	if (spec->duration_ns)
		return nodes_refuse("--duration", "stop it with 'kstats-bpf node stop'", e);
	if (spec->interval_ns)
		return nodes_refuse("--interval", "it is an option of 'kstats-bpf node show'", e);
	if (spec->output || strcmp(spec->format, "summary"))
		return nodes_refuse("--output or --format",
				    "they are options of 'kstats-bpf node show'", e);
	if (strcmp(spec->unit, "auto"))
		return nodes_refuse("--unit", "it is an option of 'kstats-bpf node show'", e);
	if (spec->sort)
		return nodes_refuse("--sort", "tables are sorted by 'kstats-bpf node show'", e);
	if (spec->buckets.given)
		return nodes_refuse("--buckets", "it is an option of 'kstats-bpf node export'", e);
	if (spec->series.gate.max_loss >= 0)
		return nodes_refuse("--max-loss", "its ledger is in 'kstats-bpf node show'", e);
	if (spec->tags.n)
		return nodes_refuse("--tag", "tags are of recordings, see 'kstats-bpf trace'", e);
	if (spec->record)
		return nodes_refuse("--record", "it is an option of 'kstats-bpf node show'", e);
	if (spec->floor)
		return nodes_refuse("--floor", "use 'kstats-bpf calibrate' or 'trace'", e);
	if (spec->max_overhead)
		return nodes_refuse("--limit overhead", "use 'kstats-bpf trace'", e);
	if (spec->callees)
		return nodes_refuse("--callees", "use 'kstats-bpf trace'", e);
	if (spec->parts)
		return nodes_refuse("--parts", "use 'kstats-bpf trace'", e);
	if (spec->via.kind)
		return nodes_refuse("--via", "use 'kstats-bpf trace'", e);
	if (spec->series.runs)
		return nodes_refuse("--runs or --assert", "use 'kstats-bpf trace'", e);
	return 0;
}

/* Tell the user which of several functions are left out. */
static void say_left_out(struct nodes *n, const char *name)
{
	struct recording *r = read_named(n, name, NULL);
	char safe[2][512];
	uint32_t i;

	for (i = 0; r && i < r->whole->n_nodes; i++) {
		if (strcmp(r->whole->nodes[i].method, "none"))
			continue;
		fprintf(stderr, "kstats-bpf: left out '%s': %s\n",
			safe_str(safe[0], sizeof(safe[0]), r->whole->nodes[i].name),
			safe_str(safe[1], sizeof(safe[1]), r->whole->nodes[i].reason));
	}
	recording_free(r);
}

/* Read once for all lines, and again if a module was loaded or unloaded in between. */
static int look_at_kernel(struct nodes *n, struct error *e)
{
	uint64_t mark = facts_mark("");

	if (n->facts && mark && mark == n->mark)
		return 0;
	facts_close(n->facts);
	n->mark = mark;
	n->facts = facts_open("/", e);
	return n->facts ? 0 : -ENOENT;
}

static bool root_is_there(const struct nodes *n)
{
	return n->root.fd >= 0 || !access(n->path ? n->path : PIN_ROOT, F_OK);
}

/* The node was refused: remove the folder that was made for it. */
static void leave_root(struct nodes *n)
{
	pin_root_leave(n->path, n->root.fd);
	close(n->root.fd);
	n->root.fd = -1;
}

static struct node_words nodes_words(const struct nodes *n, const char *text)
{
	return (struct node_words){ text, n->file, n->line };
}

static int make_node(struct nodes *n, const char *name, const char *text, const struct plan *plan,
		     struct error *e)
{
	const struct node_words words = nodes_words(n, text);
	bool there = root_is_there(n);
	int err = open_root(n, true, e);

	if (err)
		return err;
	err = node_add(n->root.fd, name, &words, plan, n->facts, e);
	if (err && !there)
		leave_root(n);
	return err;
}

int nodes_add_user(struct nodes *n, const struct node_user *what, const char *text, struct error *e)
{
	struct node_user wanted = *what;
	bool there = root_is_there(n);
	int err;

	if (n->check)
		return 0;
	wanted.words = nodes_words(n, text);
	err = refusal_check_user(n->needs_bpf, "add a node", e);

	if (!err)
		err = look_at_kernel(n, e);
	if (!err)
		err = open_root(n, true, e);
	if (err)
		return err;
	err = node_add_user(n->root.fd, &wanted, n->facts, e);
	if (err && !there)
		leave_root(n);
	return err;
}

int nodes_add_kmem(struct nodes *n, const struct spec_kmem *want, const char *words,
		   struct error *e)
{
	const struct node_kmem what = { want->node, nodes_words(n, words), want };
	bool there = root_is_there(n);
	int err;

	if (n->check)
		return 0;
	err = look_at_kernel(n, e);

	if (!err && want->spec.dry_run)
		return heap_dry_run(want, n->facts, stdout, e);
	if (!err)
		err = refusal_check_user(n->needs_bpf, "add a node", e);
	if (!err)
		err = open_root(n, true, e);
	if (err)
		return err;
	err = node_add_kmem(n->root.fd, &what, n->facts, e);
	if (err && !there)
		leave_root(n);
	return err;
}

int nodes_add(struct nodes *n, struct spec *spec, const char *words, struct error *e)
{
	struct plan plan = {};
	int err = check_spec(spec, e);

	spec->stays = true;
	if (err || n->check)
		return err;
	err = look_at_kernel(n, e);
	if (!err)
		err = plan_make(&plan, spec, n->facts, e);
	if (!err && spec->dry_run) {
		plan_print(&plan, stdout);
		goto out;
	}
	if (!err)
		err = refusal_check_user(n->needs_bpf, "add a node", e);
	if (!err)
		err = make_node(n, spec->name, words, &plan, e);
	if (!err && plan.n_probes > 1)
		say_left_out(n, spec->name);
out:
	plan_free(&plan);
	return err;
}

/* ---- change ---- */

static int remove_node(struct nodes *n, const char *name, struct error *e)
{
	int err = node_let_go(n->root.fd, name, e);

	return err ? err : pin_remove(n->root.fd, name, e);
}

int nodes_change(struct nodes *n, const char *verb, const char *name, struct error *e)
{
	static const struct {
		const char *verb;
		int (*run)(struct node *n, struct error *e);
	} changes[] = {
		{ "start", node_start },
		{ "stop", node_stop },
		{ "reset", node_reset },
	};
	int err = open_root(n, false, e);
	struct node *node;
	size_t i = 0;

	if (err)
		return err;
	if (!strcmp(verb, "rm"))
		return remove_node(n, name, e);
	node = node_open(&n->root, name, NODE_CHANGE, e);
	if (!node)
		return -ENOENT;
	while (strcmp(changes[i].verb, verb))
		i++;
	err = changes[i].run(node, e);
	node_close(node);
	return err;
}
