// SPDX-License-Identifier: GPL-2.0-only
/* facts.c - opening, looking up and matching facts. */
#include "facts/priv.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct facts *facts_open(const char *root, struct error *e)
{
	struct facts *f = calloc(1, sizeof(*f));
	char path[4200];
	int err;

	if (!f || !(f->root = strdup(!strcmp(root, "/") ? "" : root))) {
		error_no_memory(e, "cannot read the kernel's types");
		facts_close(f);
		return NULL;
	}
	snprintf(path, sizeof(path), "%s" FACTS_BTF_DIR "/vmlinux", f->root);
	err = facts_btf_read(&f->kernel, path, NULL);
	f->kernel.name = strdup("");
	f->session = err ? FACTS_NO_SESSION : facts_btf_session(&f->kernel);
	f->by_name = !err && !facts_btf_has_member(&f->kernel, "bpf_prog_aux", "mod");
	if (!err)
		facts_has_read(f);
	facts_preempt_read(f);
	f->tp_stays = !err && facts_btf_has_member(&f->kernel, "tracepoint", "regfunc");
	if (!err && f->kernel.name)
		return f;
	error_set(e, EXIT_KERNEL, err, err == -ENOENT ? "the kernel was built without BTF" : NULL,
		  "use a kernel with CONFIG_DEBUG_INFO_BTF=y", "cannot read '%s'", path);
	facts_close(f);
	return NULL;
}

const struct facts_types *facts_kernel_types(const struct facts *f)
{
	return &f->kernel.types;
}

void facts_module_free(struct facts_module *m)
{
	size_t i;

	for (i = 0; m->is_plain && i < m->n_fns; i++)
		free((char *)m->fns[i].name);
	free(m->fns);
	free(m->tps);
	facts_types_free(&m->types);
	free(m->name);
}

void facts_close(struct facts *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->n_modules; i++)
		facts_module_free(&f->modules[i]);
	free(f->modules);
	facts_module_free(&f->kernel);
	free(f->ftrace);
	free(f->blacklist);
	free(f->events);
	free(f->root);
	free(f);
}

static int module_add(struct facts *f, const char *name)
{
	struct facts_module *grown, m = {};
	char path[4500];

	grown = realloc(f->modules, (f->n_modules + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->modules = grown;
	snprintf(path, sizeof(path), "%s" FACTS_BTF_DIR "/%s", f->root, name);
	m.name = strdup(name);
	/* A module may be unloaded at any moment; it is then left out. */
	if (!m.name || facts_btf_read(&m, path, &f->kernel.types))
		facts_module_free(&m);
	else
		f->modules[f->n_modules++] = m;
	return 0;
}

int facts_modules_read(struct facts *f)
{
	char path[4200];
	struct dirent *d;
	DIR *dir;
	int err = 0;

	if (f->modules_read)
		return 0;
	f->modules_read = true;
	snprintf(path, sizeof(path), "%s" FACTS_BTF_DIR, f->root);
	dir = opendir(path);
	while (dir && !err && (d = readdir(dir)))
		if (d->d_name[0] != '.' && strcmp(d->d_name, "vmlinux"))
			err = module_add(f, d->d_name);
	if (dir)
		closedir(dir);
	if (f->n_modules)
		qsort(f->modules, f->n_modules, sizeof(*f->modules), facts_by_name);
	return err;
}

/* ---- functions ---- */

static void facts_fill(const struct facts *f, const struct facts_module *m,
		       const struct facts_entry *entry, bool types, struct facts_function *out)
{
	*out = (struct facts_function){
		.module = m->name,
		.name = entry->name,
		.btf_id = entry->btf_id,
		.seen_by_ftrace = f->ftrace ? entry->hits > 0 : -1,
		.kprobe_ok = f->blacklist ? !entry->forbidden : -1,
		.denied = entry->hits > 1 ? "several functions have this name"
					  : facts_denied(entry->name),
		.noreturn = facts_noreturn(entry->name),
		.shared = facts_shared(f, m, entry->name),
		.varargs = facts_btf_varargs(m, entry->btf_id),
	};
	out->twin = f->by_name && out->shared;
	if (types && entry->btf_id)
		facts_btf_function(m, entry->btf_id, out);
}

static int facts_no_memory(const char *name, struct error *e)
{
	return error_no_memory(e, "cannot look up '%s'", name);
}

static int facts_not_found(struct facts *f, const char *name, struct error *e)
{
	char next[384], variant[200];
	int found = facts_variant(f, name, variant, sizeof(variant));

	if (found == 1)
		return error_set(
			e, EXIT_USAGE, -ENOENT,
			"the compiler changed it and kept only a copy with another interface",
			"trace a function that calls it", "cannot trace '%s' (now '%s')", name,
			variant);
	if (facts_ftrace_mark(f))
		return facts_no_memory(name, e);
	facts_near_functions(f, name, next, sizeof(next));
	return error_set(e, EXIT_USAGE, -ENOENT,
			 found == 2 ? "it has no BTF and ftrace does not list it"
				    : "this kernel has no function of that name (or it is inlined)",
			 next[0] ? next : "'kstats-bpf list' shows what there is",
			 "cannot trace '%s'", name);
}

static int in_module(struct facts *f, const char *module, const char *name,
		     struct facts_function *out, struct error *e)
{
	struct facts_module *m = facts_module_find(f, module);
	const struct facts_entry *entry;

	if (!m)
		return error_set(e, EXIT_USAGE, -ENOENT, "the module is not loaded, or has no BTF",
				 "load it, or check its name; a tracepoint is tp:SUBSYSTEM:NAME",
				 "cannot trace '%s:%s'", module, name);
	if (facts_entry_marked(f, m, name, &entry))
		return facts_no_memory(name, e);
	if (!entry)
		return error_set(e, EXIT_USAGE, -ENOENT, "the module has no function of that name",
				 "'kstats-bpf list' shows what there is", "cannot trace '%s:%s'",
				 module, name);
	facts_fill(f, m, entry, true, out);
	return 0;
}

static int in_modules(struct facts *f, const char *name, struct facts_function *out,
		      struct error *e)
{
	const struct facts_module *where = NULL;
	const struct facts_entry *entry, *hit = NULL;
	size_t i;

	for (i = 0; i < f->n_modules; i++) {
		if (facts_entry_marked(f, &f->modules[i], name, &entry))
			return facts_no_memory(name, e);
		if (!entry)
			continue;
		if (hit)
			return error_set(e, EXIT_USAGE, -ENOTUNIQ,
					 "more than one module has a function of that name",
					 "write MODULE:FUNCTION", "cannot trace '%s'", name);
		hit = entry;
		where = &f->modules[i];
	}
	if (!hit)
		return facts_not_found(f, name, e);
	facts_fill(f, where, hit, true, out);
	return 0;
}

int facts_find_function(struct facts *f, const char *module, const char *name,
			struct facts_function *out, struct error *e)
{
	const struct facts_entry *entry;

	if (facts_ftrace_read(f))
		return facts_no_memory(name, e);
	if (module && *module && strcmp(module, "vmlinux"))
		return in_module(f, module, name, out, e);
	if (facts_entry_marked(f, &f->kernel, name, &entry))
		return facts_no_memory(name, e);
	if (!entry)
		return in_modules(f, name, out, e);
	facts_fill(f, &f->kernel, entry, true, out);
	return 0;
}

static bool traceable(const struct facts_function *fn)
{
	return !fn->denied && fn->seen_by_ftrace && ((fn->btf_id && !fn->varargs) || fn->kprobe_ok);
}

struct matches {
	struct facts_function *fns;
	size_t n;
	size_t room;
	size_t skipped;
};

static int match_module(const struct facts *f, const struct facts_module *m, const char *glob,
			struct matches *found)
{
	struct facts_function *grown;
	size_t i;

	for (i = 0; i < m->n_fns; i++) {
		if (fnmatch(glob, m->fns[i].name, 0))
			continue;
		if (found->n == found->room) {
			found->room = found->room ? 2 * found->room : 64;
			grown = realloc(found->fns, found->room * sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			found->fns = grown;
		}
		facts_fill(f, m, &m->fns[i], true, &found->fns[found->n]);
		if (traceable(&found->fns[found->n]))
			found->n++;
		else
			found->skipped++;
	}
	return 0;
}

int facts_match_functions(struct facts *f, const char *module, const char *glob,
			  struct facts_function **out, size_t *n, size_t *n_skipped)
{
	struct matches found = {};
	int err = facts_ftrace_mark(f);
	size_t i;

	if (!err && (!module || !fnmatch(module, "vmlinux", 0)))
		err = match_module(f, &f->kernel, glob, &found);
	for (i = 0; !err && i < f->n_modules; i++)
		if (!module || !fnmatch(module, f->modules[i].name, 0))
			err = match_module(f, &f->modules[i], glob, &found);
	if (err) {
		free(found.fns);
		return err;
	}
	*out = found.fns;
	*n = found.n;
	*n_skipped = found.skipped;
	return 0;
}

/* ---- tracepoints ---- */

const struct facts_tp *facts_tp_named(const struct facts_module *m, const char *name)
{
	const struct facts_tp key = { .name = name };

	return m->n_tps ? bsearch(&key, m->tps, m->n_tps, sizeof(key), facts_by_name) : NULL;
}

static bool tp_in(const struct facts_module *m, const char *name, struct facts_tracepoint *out)
{
	const struct facts_tp *tp = facts_tp_named(m, name);

	if (!tp)
		return false;
	*out = (struct facts_tracepoint){ .module = m->name,
					  .name = tp->name,
					  .btf_id = tp->btf_id };
	facts_btf_tracepoint(m, tp->btf_id, out);
	return true;
}

/* False if tracefs cannot be read, or if the tracepoint has no event and so no folder. */
static bool wrong_subsystem(const struct facts *f, const char *subsystem, const char *name)
{
	char path[4400];
	struct stat st;

	snprintf(path, sizeof(path), "%s/sys/kernel/tracing/events/%s/%s", f->root, subsystem,
		 name);
	if (!stat(path, &st))
		return false;
	snprintf(path, sizeof(path), "%s/sys/kernel/tracing/events/sched", f->root);
	return !stat(path, &st);
}

int facts_find_tracepoint(struct facts *f, const char *subsystem, const char *name,
			  struct facts_tracepoint *out, struct error *e)
{
	char next[384];
	size_t i;
	bool found = tp_in(&f->kernel, name, out);

	if (!found && facts_modules_read(f))
		return facts_no_memory(name, e);
	for (i = 0; !found && i < f->n_modules; i++)
		found = tp_in(&f->modules[i], name, out);
	if (!found) {
		facts_near_tracepoints(f, name, next, sizeof(next));
		return error_set(e, EXIT_USAGE, -ENOENT,
				 "this kernel has no tracepoint of that name",
				 next[0] ? next : "'kstats-bpf list -T' shows what there is",
				 "cannot trace 'tp:%s'", name);
	}
	if (subsystem && wrong_subsystem(f, subsystem, name))
		return error_set(
			e, EXIT_USAGE, -ENOENT, "the tracepoint belongs to another subsystem",
			"leave the subsystem out", "cannot trace 'tp:%s:%s'", subsystem, name);
	return 0;
}

/* ---- walks ---- */

static int each_entry(const struct facts *f, const struct facts_module *m,
		      int (*fn)(void *ctx, const struct facts_function *function), void *ctx)
{
	struct facts_function out;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < m->n_fns; i++) {
		facts_fill(f, m, &m->fns[i], false, &out);
		ret = fn(ctx, &out);
	}
	return ret;
}

int facts_each_function(struct facts *f, bool deep,
			int (*fn)(void *ctx, const struct facts_function *function), void *ctx)
{
	int ret = deep ? facts_ftrace_mark(f) : 0;
	size_t i;

	facts_btf_sort(&f->kernel);
	if (!ret)
		ret = each_entry(f, &f->kernel, fn, ctx);
	for (i = 0; deep && !ret && i < f->n_modules; i++)
		ret = each_entry(f, &f->modules[i], fn, ctx);
	return ret;
}

static int each_tp(const struct facts_module *m,
		   int (*fn)(void *ctx, const struct facts_tracepoint *tp), void *ctx)
{
	struct facts_tracepoint out = { .module = m->name };
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < m->n_tps; i++) {
		out.name = m->tps[i].name;
		out.btf_id = m->tps[i].btf_id;
		ret = fn(ctx, &out);
	}
	return ret;
}

int facts_each_tracepoint(struct facts *f, bool deep,
			  int (*fn)(void *ctx, const struct facts_tracepoint *tp), void *ctx)
{
	int ret = deep ? facts_modules_read(f) : 0;
	size_t i;

	if (!ret)
		ret = each_tp(&f->kernel, fn, ctx);
	for (i = 0; deep && !ret && i < f->n_modules; i++)
		ret = each_tp(&f->modules[i], fn, ctx);
	return ret;
}
