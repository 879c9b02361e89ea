// SPDX-License-Identifier: GPL-2.0-only
/*
 * by.c - the expressions of --if and --by: what they know of an allocation, their code, and the
 * values of the dimensions as texts. See priv.h.
 */
#include "heap/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BIT "___GFP_DMA_BIT"
#define PREFIX "___GFP_"
#define SUFFIX "_BIT"

/* ---- what expressions know ---- */

static const struct {
	const char *name;
	unsigned int bytes;
	bool is_signed;
} names[KSTATS_KMEM_NAMES] = {
	[KSTATS_KMEM_SIZE] = { "size", 8, false },   [KSTATS_KMEM_GIVEN] = { "given", 8, false },
	[KSTATS_KMEM_ORDER] = { "order", 4, false }, [KSTATS_KMEM_GFP_FLAGS] = { "gfp", 4, false },
	[KSTATS_KMEM_NODE] = { "numa", 4, true },
};

/* GFP flags are no constants of the kernel's types: up to 6.8 these do not have them at all. */
static bool by_constant(const void *of, const char *name, int64_t *value, bool *is_signed)
{
	const struct heap *h = (const void *)((const char *)of - offsetof(struct heap, types));
	uint32_t flags = kmem_gfp_flags(&h->gfp, name, strlen(name));

	if (!flags)
		return facts_expr_types(&h->types).constant(of, name, value, is_signed);
	*value = flags;
	*is_signed = false;
	return true;
}

static void by_point(const struct expr_types *types, struct expr_point *p)
{
	unsigned int i;

	*p = (struct expr_point){
		.types = types,
		.name = "an allocation",
		.n_params = KSTATS_KMEM_NAMES,
		.see = "kmem knows size, given, order, gfp, numa, comm, pid, tid, uid, cpu and "
		       "cgroup; --by also takes site, cache and kind, each alone",
	};
	for (i = 0; i < KSTATS_KMEM_NAMES; i++) {
		snprintf(p->params[i].name, sizeof(p->params[i].name), "%s", names[i].name);
		p->params[i].type = expr_integer(types, names[i].bytes, names[i].is_signed);
	}
}

static bool is_of_name(const struct expr_node *node, enum kstats_kmem_name name)
{
	return node->op == EXPR_PARAM && node->number == name;
}

/* "gfp", and what a mask leaves of it. */
static bool is_flags(const struct expr *x, int at)
{
	const struct expr_node *node = &x->nodes[at];

	return is_of_name(node, KSTATS_KMEM_GFP_FLAGS) ||
	       (node->op == EXPR_AND && (is_flags(x, node->a) || is_flags(x, node->b)));
}

/* ---- their code ---- */

/* The names that are asked for. The helper pads the name of a task also while it is changed. */
static void by_take_names(struct heap *h, struct expr *x)
{
	struct expr_node *node;

	for (node = x->nodes; node < x->nodes + x->n; node++) {
		if (node->op == EXPR_PARAM)
			h->settings[KSTATS_KMEM_ASKS] |= 1U << node->number;
		else if (node->op == EXPR_COMM)
			node->offset = 0;
	}
}

static int by_take_part(struct heap *h, const struct expr *x, struct error *e)
{
	struct heap_part *to = &h->parts[h->n_parts++];

	to->part = expr_part(x);
	to->is_flags = is_flags(x, x->root);
	to->is_node = is_of_name(&x->nodes[x->root], KSTATS_KMEM_NODE);
	h->settings[KSTATS_KMEM_BY] += to->part.words;
	if (to->part.frames)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "stacks of allocations are not kept, only the call site",
				 "write site, and --skip for the callers of helpers",
				 "cannot use '%s' for --by", x->text);
	if (h->settings[KSTATS_KMEM_BY] <= KSTATS_KMEM_BY_WORDS)
		return 0;
	return error_set(e, EXIT_USAGE, -E2BIG,
			 "all parts together have 32 bytes: comm takes 16, a number 8, and "
			 "str(ADDRESS, N) takes N + 2, rounded up to 8",
			 "leave out a part, or cut strings, as in str(ADDRESS, 14)",
			 "the key of --by is too long");
}

/* A name alone; programs then find the key by themselves. */
static enum kstats_kmem_key by_key(const struct expr *x)
{
	const struct expr_node *root = &x->nodes[x->root];

	return root->op == EXPR_COMM                     ? KSTATS_KMEM_KEY_COMM
	       : root->op == EXPR_CPU                    ? KSTATS_KMEM_KEY_CPU
	       : is_of_name(root, KSTATS_KMEM_GFP_FLAGS) ? KSTATS_KMEM_KEY_GFP
	       : is_of_name(root, KSTATS_KMEM_NODE)      ? KSTATS_KMEM_KEY_NODE
							 : KSTATS_KMEM_KEY_ASKED;
}

static int by_compile(struct heap *h, const struct expr_wanted *wanted, struct error *e)
{
	free(h->code);
	h->code = malloc(EXPR_INSNS_MAX * sizeof(*h->code));
	if (!h->code)
		return error_no_memory(e, "cannot read the expressions");
	h->n_code = expr_compile(wanted, EXPR_CTX_TP, h->code);
	if (h->n_code >= 0)
		return 0;
	return error_set(e, EXIT_USAGE, -E2BIG, "they take too many instructions",
			 "write shorter ones", "cannot use these expressions");
}

/* @x: room for all of them */
static int by_check(struct heap *h, struct expr *x, struct error *e)
{
	struct expr_types types = facts_expr_types(&h->types);
	const struct spec *spec = &h->want->spec;
	struct expr_wanted wanted = {};
	struct expr_point point;
	unsigned int i;
	int err = 0;

	types.constant = by_constant;
	by_point(&types, &point);
	if (spec->condition) {
		*x = *spec->condition;
		wanted.condition = x;
		err = expr_check(x, "--if", &point, EXPR_CONDITION, e);
		by_take_names(h, x++);
	}
	for (i = 0; !err && i < spec->n_by; i++, x++) {
		*x = *spec->by[i];
		wanted.by[i] = x;
		err = expr_check(x, "--by", &point, EXPR_BY, e);
		if (!err)
			err = by_take_part(h, x, e);
		by_take_names(h, x);
	}
	if (!err && !spec->condition && spec->n_by == 1)
		h->settings[KSTATS_KMEM_KEY] = by_key(wanted.by[0]);
	if (err)
		return err;
	if (h->settings[KSTATS_KMEM_KEY]) {
		h->settings[KSTATS_KMEM_ASKS] = 0;
		return 0;
	}
	h->settings[KSTATS_KMEM_ASKS] |= 1U << KSTATS_KMEM_NAMES;
	return by_compile(h, &wanted, e);
}

int heap_ask(struct heap *h, struct error *e)
{
	const struct spec *spec = &h->want->spec;
	struct expr *x;
	int err;

	h->n_parts = h->n_code = 0;
	h->settings[KSTATS_KMEM_BY] = h->settings[KSTATS_KMEM_KEY] = 0;
	h->settings[KSTATS_KMEM_ASKS] = 0;
	if (!spec->condition && !spec->n_by)
		return 0;
	if (!h->types.n)
		return error_set(e, EXIT_KERNEL, -EOPNOTSUPP, "this kernel has no BTF",
				 "use --by site, cache, kind, size or order, which need none",
				 "cannot use expressions in --if or --by");
	x = calloc(KSTATS_BY_PARTS + 1, sizeof(*x));
	if (!x)
		return error_no_memory(e, "cannot read the expressions");
	heap_gfp(h);
	err = by_check(h, x, e);
	free(x);
	return err;
}

/* ---- values ---- */

static char *part_text(const struct heap *h, const struct heap_part *p, const uint64_t *words)
{
	if (p->is_flags)
		return kmem_gfp_text(&h->gfp, *words);
	if (p->is_node && (int32_t)*words < 0)
		return strdup("any");
	return session_part_text(&p->part, words);
}

/* A value of a part in a row. */
struct part_value {
	uint64_t words[KSTATS_KMEM_BY_WORDS];
	size_t row;
};

static int part_words_order(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct part_value, row));
}

/* Each value is named once: to find the path of a control group takes a walk over all of them. */
static int name_values(const struct heap *h, struct kmem *k, unsigned int part,
		       const struct part_value *v)
{
	char **text, *before = NULL;
	size_t i;

	for (i = 0; i < k->n_rows; i++) {
		text = &k->values[v[i].row * k->n_by + part].text;
		*text = i && !part_words_order(&v[i - 1], &v[i])
				? strdup(before)
				: part_text(h, &h->parts[part], v[i].words);
		if (!*text)
			return -ENOMEM;
		before = *text;
	}
	return 0;
}

/* @at: its first word in the keys */
static int read_part(const struct heap *h, struct kmem *k, unsigned int part, unsigned int at,
		     const struct kstats_kmem_row *const *rows)
{
	struct part_value *values = calloc(k->n_rows + 1, sizeof(*values));
	unsigned int w;
	size_t i;
	int err;

	if (!values)
		return -ENOMEM;
	for (i = 0; i < k->n_rows; i++) {
		values[i].row = i;
		for (w = 0; w < h->parts[part].part.words; w++)
			values[i].words[w] = rows[i]->by[at + w] ^ KSTATS_KMEM_BY_CHANGED;
	}
	qsort(values, k->n_rows, sizeof(*values), part_words_order);
	err = name_values(h, k, part, values);
	free(values);
	return err;
}

int heap_read_parts(const struct heap *h, struct kmem *k, const struct kstats_kmem_row *const *rows)
{
	unsigned int i, at = 0;
	const char *text;
	int err = 0;
	size_t n;

	k->n_by = h->n_parts;
	k->n_values = k->n_rows * k->n_by;
	k->values = calloc(k->n_values + 1, sizeof(*k->values));
	if (!k->values)
		return -ENOMEM;
	for (i = 0; !err && i < k->n_by; i++) {
		text = h->want->spec.by[i]->text;
		text += strspn(text, " ");
		for (n = strlen(text); n && text[n - 1] == ' '; n--)
			;
		k->by[i] = strndup(text, n);
		err = k->by[i] ? read_part(h, k, i, at, rows) : -ENOMEM;
		at += h->parts[i].part.words;
	}
	return err;
}

/* ---- GFP flags ---- */

/* "___GFP_ZERO_BIT" is 8. */
static void take_bit(struct kmem_gfp *g, const char *name, uint32_t bit)
{
	size_t n = strlen(name), around = strlen(PREFIX) + strlen(SUFFIX);

	if (n <= around || bit >= KMEM_GFP_BITS || n - around >= KMEM_GFP_NAME ||
	    strncmp(name, PREFIX, strlen(PREFIX)) || strcmp(name + n - strlen(SUFFIX), SUFFIX))
		return;
	memcpy(g->names[bit], name + strlen(PREFIX), n - around);
}

static bool take_enum(struct kmem_gfp *g, const struct facts_types *types, const struct btf_type *t)
{
	const struct btf_enum *values = btf_enum(t);
	unsigned int i;

	if (!btf_vlen(t) || strcmp(facts_type_name(types, values->name_off), FIRST_BIT))
		return false;
	*g = (struct kmem_gfp){};
	for (i = 0; i < btf_vlen(t); i++)
		take_bit(g, facts_type_name(types, values[i].name_off), values[i].val);
	return true;
}

void heap_gfp(struct heap *h)
{
	const struct facts_types *types = &h->types;
	uint32_t i = types->kinds[BTF_KIND_ENUM];

	kmem_gfp_old(&h->gfp);
	for (; i < types->kinds[BTF_KIND_ENUM + 1]; i++)
		if (take_enum(&h->gfp, types, types->at[types->of_kind[i]]))
			break;
}
