// SPDX-License-Identifier: GPL-2.0-only
/* by.c - the keys of --by: what they are made of, where, and the names of their parts. */
#include "plan/priv.h"

#include <ctype.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Only members: what follows the last -> or . is name enough. */
static const char *last_name(const char *text)
{
	const char *name = text, *p;

	for (p = text; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("_->.", *p))
			return text;
		if (*p == '.' || (*p == '>' && p > text && p[-1] == '-'))
			name = p + 1;
	}
	return *name ? name : text;
}

/* Letters, digits and _, as the label of a metric needs it. */
static void name_part(const char *text, char *to, size_t size)
{
	size_t n = 0;

	for (text = last_name(text); *text && n + 1 < size; text++) {
		if (isalnum((unsigned char)*text))
			to[n++] = *text;
		else if (n && to[n - 1] != '_')
			to[n++] = '_';
	}
	while (n && to[n - 1] == '_')
		n--;
	to[n] = '\0';
	if (snapshot_key_ok(to))
		return;
	memmove(to + 3, to, n < size - 4 ? n + 1 : size - 3);
	memcpy(to, "by_", 3);
	to[size - 1] = '\0';
}

/* What is named by a part: of "str(filename, 8)" it is the address. */
static void by_take_name(const struct expr *x, char *to, size_t size)
{
	const struct expr_node *root = &x->nodes[x->root];
	char text[EXPR_LENGTH_MAX + 1];
	const char *inner = strchr(x->text, '(');

	snprintf(text, sizeof(text), "%s", x->text);
	if (root->op == EXPR_STR && inner)
		snprintf(text, sizeof(text), "%.*s", (int)expr_cut(inner + 1), inner + 1);
	name_part(root->naming ? naming_word(root->naming) : text, to, size);
}

static char *label_of(const struct plan *plan, unsigned int part)
{
	char name[48], *label;
	unsigned int i, nth = 1;

	by_take_name(plan->spec->by[part], name, sizeof(name));
	for (i = 0; i < part; i++)
		nth += !strncmp(plan->by.labels[i], name, strlen(name)) &&
		       (!plan->by.labels[i][strlen(name)] ||
			plan->by.labels[i][strlen(name)] == '_');
	if (nth == 1)
		return strdup(name);
	return asprintf(&label, "%s_%u", name, nth) < 0 ? NULL : label;
}

/*
 * Parameters are read at the entry, unless another part of the key is known only at the return, or
 * starts are kept by CPU, where no key is kept with them.
 */
static bool is_at_start(const struct plan *plan, unsigned int when)
{
	return plan->spec->n_targets && !plan_is_point(plan) && when == EXPR_AT_ENTRY &&
	       plan->spec->pairing != KSTATS_BY_CPU;
}

int plan_by_open(struct plan *plan, struct error *e)
{
	const struct spec *spec = plan->spec;
	unsigned int when = spec_by_when(spec), i;

	if (!spec->n_by)
		return 0;
	plan->by.at_start = is_at_start(plan, when);
	if (plan->by.at_start && spec->method == SPEC_METHOD_UPROBE_SESSION)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "its cookie, 64 bits a call, has no room for a key",
				 "use --method uprobe-multi, or leave out --method",
				 "cannot use method uprobe-session for a parameter in --by");
	if (when & EXPR_AT_ENTRY && !plan->by.at_start && spec->n_targets && !plan_is_point(plan) &&
	    spec_is_user(spec->targets[0].kind))
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "a program's registers hold its parameters only at the entry of a "
				 "function",
				 "leave out ret, duration and --key cpu, or the parameter",
				 "cannot use a parameter in this --by");
	plan->by.most = spec->max_keys ? spec->max_keys : SPEC_KEYS_DEFAULT;
	plan->by.n = spec->n_by;
	for (i = 0; i < spec->n_by; i++) {
		plan->by.labels[i] = label_of(plan, i);
		if (!plan->by.labels[i])
			return -ENOMEM;
	}
	return 0;
}

void plan_by_free(struct plan_by *by)
{
	unsigned int i;

	for (i = 0; i < KSTATS_BY_PARTS; i++)
		free(by->labels[i]);
	*by = (struct plan_by){};
}

/* ---- types ---- */

static int by_differ(const struct plan *plan, const struct plan_point *p, unsigned int part,
		     struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, "its type is another one than in the others",
			 "cast it, or measure one function", "cannot use '%.200s' of '%s' for --by",
			 plan->spec->by[part]->text, plan_point_name(p));
}

/* How the part lies in the key: the same at all points. */
static int take_part(struct plan *plan, const struct plan_point *p, unsigned int part, bool first,
		     struct error *e)
{
	struct expr_part new = expr_part(p->by[part]), *old = &plan->by.parts[part];

	if (!first)
		return new.words == old->words &&new.is_text == old->is_text &&new.cut ==
				       old->cut &&new.is_signed == old->is_signed
			       ? 0
			       : by_differ(plan, p, part, e);
	*old = new;
	plan->by.words += new.words;
	if (plan->by.words <= KSTATS_BY_WORDS)
		return 0;
	return error_set(e, EXIT_USAGE, -E2BIG, "its strings take more than 128 bytes together",
			 "use fewer of them", "the key of --by is too long");
}

/* Only what is called has a caller; that of a program's function is in its stack. */
static int by_check_frames(struct plan *plan, const struct plan_point *p, unsigned int part,
			   struct error *e)
{
	enum expr_frames frames = expr_part(p->by[part]).frames;
	bool user = spec_is_user(p->kind);

	if (frames == EXPR_FRAMES_CALLER && (p->kind != SPEC_FUNCTION || !plan->spec->n_targets))
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "it is not one function of the kernel that is called and returns",
				 user ? "use --by ustack" : "use --by kstack",
				 "'%s' has no caller for --by", plan_point_name(p));
	if (frames == EXPR_FRAMES_PROGRAM)
		plan->by.of_user_calls = p->kind == SPEC_USER_FUNCTION;
	return 0;
}

int plan_by_check(struct plan *plan, struct plan_condition *c, struct plan_point *p,
		  struct error *e)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	bool first = !plan->by.words;
	struct expr_wanted wanted = {};
	struct expr_point at;
	unsigned int i;
	int err = 0;

	memset(p->by, 0, sizeof(p->by));
	if (plan_is_point(plan))
		plan_point_of(plan, p, plan->spec->at_return, &at);
	else if (plan->by.at_start)
		plan_point_of(plan, p, false, &at);
	else
		plan_return_of(plan, p, &at);
	for (i = 0; !err && i < plan->spec->n_by; i++) {
		/* Of several points, what is kept of the start was taken out. */
		if (!plan->is_several)
			c->by[i] = *plan->spec->by[i];
		err = expr_check(&c->by[i], "--by", &at, EXPR_BY, e);
		p->by[i] = wanted.by[i] = &c->by[i];
		if (!err)
			err = by_check_frames(plan, p, i, e);
		if (!err)
			err = take_part(plan, p, i, first, e);
		plan->by.may_fail |= !err && !expr_always_answers(p->by[i]);
	}
	if (err || !i || expr_compile(&wanted, EXPR_CTX_TP, insns) >= 0)
		return err;
	return error_set(e, EXIT_USAGE, -E2BIG, "it takes too many instructions",
			 "write a shorter one", "cannot use '%.200s' for --by",
			 plan->spec->by[0]->text);
}

int plan_by_code(struct plan_code *code, const struct plan_point *p, enum plan_hook_type type)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	struct expr_wanted wanted = {};
	unsigned int i;

	if (!p->by[0])
		return 0;
	for (i = 0; i < KSTATS_BY_PARTS; i++)
		wanted.by[i] = p->by[i];
	return plan_code_copy(code, expr_compile(&wanted, plan_types[type].context, insns), insns);
}
