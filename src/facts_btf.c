// SPDX-License-Identifier: GPL-2.0-only
/* facts_btf.c - functions and tracepoints out of BTF. See facts_priv.h. */
#include "facts_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TP_PREFIX "btf_trace_"

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct facts_entry *)a)->name, ((const struct facts_entry *)b)->name);
}

static int tp_by_name(const void *a, const void *b)
{
	return strcmp(((const struct facts_tp *)a)->name, ((const struct facts_tp *)b)->name);
}

static bool is_tp(const struct btf *btf, const struct btf_type *t)
{
	return btf_is_typedef(t) &&
	       !strncmp(btf__name_by_offset(btf, t->name_off), TP_PREFIX, strlen(TP_PREFIX));
}

/* One entry for a name, whatever BTF has: static functions may share one. */
static size_t unique(struct facts_entry *fns, size_t n)
{
	size_t i, kept = 0;

	for (i = 0; i < n; i++)
		if (!kept || strcmp(fns[kept - 1].name, fns[i].name))
			fns[kept++] = fns[i];
	return kept;
}

static int index_types(struct facts_module *m, uint32_t first)
{
	uint32_t n = btf__type_cnt(m->btf), id;
	const struct btf_type *t;
	const char *name;

	m->fns = calloc(n - first + 1, sizeof(*m->fns));
	m->tps = calloc(n - first + 1, sizeof(*m->tps));
	if (!m->fns || !m->tps)
		return -ENOMEM;
	for (id = first; id < n; id++) {
		t = btf__type_by_id(m->btf, id);
		name = btf__name_by_offset(m->btf, t->name_off);
		if (btf_is_func(t))
			m->fns[m->n_fns++] = (struct facts_entry){ .name = name, .btf_id = id };
		else if (is_tp(m->btf, t))
			m->tps[m->n_tps++] = (struct facts_tp){ name + strlen(TP_PREFIX), id };
	}
	qsort(m->fns, m->n_fns, sizeof(*m->fns), by_name);
	m->n_fns = unique(m->fns, m->n_fns);
	qsort(m->tps, m->n_tps, sizeof(*m->tps), tp_by_name);
	return 0;
}

int facts_btf_read(struct facts_module *m, const char *path, struct btf *base)
{
	m->btf = base ? btf__parse_split(path, base) : btf__parse(path, NULL);
	if (!m->btf)
		return -errno;
	return index_types(m, base ? btf__type_cnt(base) : 1);
}

struct facts_entry *facts_entry_find(const struct facts_module *m, const char *name)
{
	const struct facts_entry key = { .name = name };

	return m->n_fns ? bsearch(&key, m->fns, m->n_fns, sizeof(key), by_name) : NULL;
}

bool facts_shared(const struct facts *f, const struct facts_module *m, const char *name)
{
	size_t i;

	/* The kernel proper is asked first: only names in modules are taken for another. */
	if (m == &f->kernel)
		return false;
	if (facts_entry_find(&f->kernel, name))
		return true;
	for (i = 0; i < f->n_modules; i++)
		if (&f->modules[i] != m && facts_entry_find(&f->modules[i], name))
			return true;
	return false;
}

/* ---- types ---- */

bool facts_btf_has_member(const struct facts_module *m, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(m->btf, type, BTF_KIND_STRUCT);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(m->btf, id);
	unsigned int i;

	for (i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(m->btf, btf_members(t)[i].name_off), member))
			return true;
	return false;
}

static const struct btf_type *skip(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static struct facts_value value_of(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = skip(btf, id);
	struct facts_value v = { FACTS_OTHER, 0 };

	if (!id || !t || btf_is_void(t)) {
		v.type = FACTS_VOID;
		return v;
	}
	v.bytes = btf_is_ptr(t) ? 8 : t->size;
	if (btf_is_ptr(t))
		v.type = FACTS_POINTER;
	else if (btf_is_any_enum(t))
		v.type = btf_kflag(t) ? FACTS_SIGNED : FACTS_UNSIGNED;
	else if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_BOOL)
		v.type = FACTS_BOOL;
	else if (btf_is_int(t))
		v.type = btf_int_encoding(t) & BTF_INT_SIGNED ? FACTS_SIGNED : FACTS_UNSIGNED;
	return v;
}

static unsigned int args_of(const struct btf *btf, const struct btf_type *proto,
			    unsigned int skipped, struct facts_value *args)
{
	const struct btf_param *params = btf_params(proto);
	unsigned int n = btf_vlen(proto), i;

	for (i = skipped; i < n && i - skipped < FACTS_ARGS_MAX; i++)
		args[i - skipped] = value_of(btf, params[i].type);
	return n > skipped ? n - skipped : 0;
}

void facts_btf_function(const struct facts_module *m, uint32_t id, struct facts_function *out)
{
	const struct btf_type *t = btf__type_by_id(m->btf, id), *proto;

	proto = btf__type_by_id(m->btf, t->type);
	out->ret = value_of(m->btf, proto->type);
	out->n_args = args_of(m->btf, proto, 0, out->args);
}

/* typedef -> pointer -> prototype, whose first argument is the probe's own. */
void facts_btf_tracepoint(const struct facts_module *m, uint32_t id, struct facts_tracepoint *out)
{
	const struct btf_type *t = btf__type_by_id(m->btf, id);

	t = btf__type_by_id(m->btf, t->type);
	if (t && btf_is_ptr(t))
		t = btf__type_by_id(m->btf, t->type);
	if (t && btf_is_func_proto(t))
		out->n_args = args_of(m->btf, t, 1, out->args);
}

bool facts_has_module(const struct facts *f, const char *name)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s" FACTS_BTF_DIR "/%s", f->root, name);
	return !access(path, F_OK);
}

enum facts_session facts_session(const struct facts *f)
{
	const struct facts_entry *entry = facts_entry_find(&f->kernel, "bpf_session_cookie");
	struct facts_function fn = {};

	if (!entry || !entry->btf_id)
		return FACTS_NO_SESSION;
	facts_btf_function(&f->kernel, entry->btf_id, &fn);
	return fn.n_args ? FACTS_SESSION : FACTS_SESSION_VOID;
}
