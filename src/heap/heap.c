// SPDX-License-Identifier: GPL-2.0-only
/* heap.c - the life of a measurement of memory events. */
#include "heap/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "session/session.h"
#include "util/clock.h"

/* Without addresses, large kmallocs would be counted twice: see set_inner() in load.c. */
static int read_symbols(struct heap *h, struct error *e)
{
	int err;

	h->modules = facts_mark("");
	err = symbols_read(&h->symbols, "", heap_types(h));
	if (err == -EACCES)
		return error_set(e, EXIT_KERNEL, err, "the kernel hides the addresses of its code",
				 "run it with CAP_SYSLOG, and with the sysctl kernel.kptr_restrict "
				 "below 2",
				 "cannot tell call sites apart from the allocator");
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot read /proc/kallsyms") : 0;
}

static void open_lines(struct heap *h)
{
	uint64_t stext = 0, size;
	struct utsname uts;

	uname(&uts);
	symbols_find(&h->symbols, "_stext", &stext, &size);
	h->lines = lines_open("", uts.release, stext);
}

int heap_know_names(struct heap *h, struct error *e)
{
	if (read_symbols(h, NULL))
		h->symbols = (struct symbols){};
	else
		open_lines(h);
	if (!h->want->spec.n_by)
		return 0;
	if (facts_types_read(&h->types, FACTS_KERNEL_BTF, NULL))
		h->types = (struct facts_types){};
	return heap_ask(h, e);
}

static struct heap *heap_new(const struct spec_kmem *want, struct facts *facts, struct error *e)
{
	struct heap *h = calloc(1, sizeof(*h));
	int i, n = libbpf_num_possible_cpus();

	if (!h || n <= 0) {
		error_no_memory(e, "cannot start");
		free(h);
		return NULL;
	}
	h->want = want;
	h->facts = facts;
	h->n_cpus = n;
	for (i = 0; i < HEAP_HOOKS; i++)
		h->hooks[i] = (struct heap_hook){ HEAP_NO_HOOK };
	if (!want->spec.verbose)
		libbpf_set_print(NULL);
	return h;
}

static int describe(struct heap *h, struct error *e)
{
	h->filters = heap_filters(h);
	if (h->filters && !facts_machine(h->facts, &h->machine))
		return 0;
	return error_no_memory(e, "cannot start");
}

struct heap *heap_open(const struct spec_kmem *want, struct facts *facts, struct error *e)
{
	struct heap *h = heap_new(want, facts, e);
	int err;

	if (!h)
		return NULL;
	err = describe(h, e);
	if (!err)
		err = read_symbols(h, e);
	if (!err)
		open_lines(h);
	if (!err)
		err = heap_load(h, e);
	if (!err)
		err = heap_attach(h, e);
	if (!err)
		return h;
	heap_close(h);
	return NULL;
}

int heap_dry_run(const struct spec_kmem *want, struct facts *facts, FILE *out, struct error *e)
{
	struct heap *h = heap_new(want, facts, e);
	int err = h ? heap_choose(h, e) : -ENOMEM;

	if (!err && heap_print_plan(h, out))
		err = error_no_memory(e, "cannot print the plan");
	heap_close(h);
	return err;
}

int heap_follow(struct heap *h, pid_t pid, struct error *e)
{
	struct kstats_task task;
	int err;

	if (!h->skel->rodata->who_by_command)
		return 0;
	err = session_tell_task(h->skel->progs.tell_task, pid, &task);
	if (!err)
		err = session_command_add(bpf_map__fd(h->skel->maps.command_tasks),
					  h->skel->bss->command_homes, task.address);
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, NULL, "use --all to measure all tasks",
			 "cannot follow process %d", (int)pid);
}

void heap_set_on(const struct heap *h, bool on)
{
	__atomic_store_n(h->on, on, __ATOMIC_SEQ_CST);
}

void heap_start(struct heap *h)
{
	struct heap_hook *hook;

	for (hook = h->hooks; hook < h->hooks + HEAP_HOOKS; hook++)
		hook->begin = heap_skipped(hook);
	h->wall_ns = clock_ns(CLOCK_REALTIME);
	h->begin_ns = clock_ns(CLOCK_MONOTONIC);
	heap_set_on(h, true);
}

void heap_stop(struct heap *h)
{
	struct heap_hook *hook;

	if (h->stopped)
		return;
	heap_set_on(h, false);
	h->end_ns = clock_ns(CLOCK_MONOTONIC);
	for (hook = h->hooks; hook < h->hooks + HEAP_HOOKS; hook++)
		hook->skipped = heap_skipped(hook) - hook->begin;
	session_wait_programs();
	h->stopped = true;
	heap_detach(h);
}

uint64_t heap_untracked(const struct heap *h)
{
	return h->skel->bss->untracked_forks;
}

const char *heap_lines_missing(const struct heap *h, char *buf, size_t size)
{
	return h->lines ? lines_missing(h->lines, buf, size) : NULL;
}

void heap_close(struct heap *h)
{
	if (!h)
		return;
	heap_detach(h);
	heap_unload(h);
	recording_free_machine(&h->machine);
	json_object_put(h->description);
	free(h->filters);
	free(h->gone);
	free(h->code);
	spec_free(&h->kept.spec);
	facts_types_free(&h->types);
	lines_close(h->lines);
	symbols_free(&h->symbols);
	free(h);
}
