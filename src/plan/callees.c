// SPDX-License-Identifier: GPL-2.0-only
/* callees.c - functions that are traced within calls of the target (--callees). */
#include "plan/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts/callees.h"
#include "kstats_callees.h"

#define NAMED_MAX 12 /* functions that are not traced, and are named in the output */

/** struct callees_rest - calls that are not traced */
struct callees_rest {
	char *names; /* owned; of functions, with commas between them */
	unsigned int n; /* number of functions */
	unsigned int more; /* those of them that @names does not have */
	unsigned int indirect; /* calls that are made by an address */
	unsigned int nameless; /* calls of addresses without a name */
};

static int callees_rest_add(struct callees_rest *rest, const char *name)
{
	char *joined;

	if (rest->n++ >= NAMED_MAX) {
		rest->more++;
		return 0;
	}
	if (asprintf(&joined, "%s%s%s", rest->names ? rest->names : "", rest->names ? ", " : "",
		     name) < 0)
		return -ENOMEM;
	free(rest->names);
	rest->names = joined;
	return 0;
}

/* A jump in place of an indirect call; newer kernels have another name for the same place. */
static bool callees_is_thunk(const char *name)
{
	if (!strncmp(name, "__pi_", strlen("__pi_")))
		name += strlen("__pi_");
	return !strncmp(name, "__x86_indirect_", strlen("__x86_indirect_"));
}

/* A jump in place of a return, or the end of the kernel. */
static bool callees_is_no_call(const char *name)
{
	const char *end = strstr(name, "return_thunk");

	return (end && !strcmp(end, "return_thunk")) || !strcmp(name, "__stack_chk_fail");
}

static bool callees_is_target(const char *name, const char *module, const struct plan_list *l)
{
	return !strcmp(name, l->fns->name) && !strcmp(module, l->fns->module);
}

/* Why it cannot be traced by fentry and fexit; NULL: it can. */
static const char *callees_refusal(const struct facts_function *fn, const struct plan_list *l)
{
	if (callees_is_target(fn->name, fn->module, l))
		return "it is the target itself";
	if (fn->denied)
		return fn->denied;
	if (!fn->seen_by_ftrace)
		return "the kernel marks it as not to be traced (notrace)";
	if (!fn->btf_id)
		return "it has no BTF, which fentry needs";
	if (fn->varargs)
		return "its number of arguments varies";
	if (fn->twin)
		return "several modules have such a function";
	return fn->noreturn ? "it never returns" : NULL;
}

static int callees_hook(struct plan_hook *hook, enum plan_hook_type type, uint32_t nth,
			const struct facts_function *fn)
{
	hook->type = type;
	hook->word = nth;
	hook->btf_id = fn->btf_id;
	hook->shared = fn->shared;
	hook->module = strdup(fn->module);
	hook->name = strdup(fn->name);
	return hook->module && hook->name ? 0 : -ENOMEM;
}

static int callees_take(struct plan *plan, const struct facts_function *fn)
{
	struct plan_way *way = &plan->callees[plan->n_callees];
	int err;

	err = callees_hook(&way->start, PLAN_FENTRY, plan->n_callees, fn);
	if (!err)
		err = callees_hook(&way->end, PLAN_FEXIT, plan->n_callees, fn);
	plan->n_callees++;
	return err;
}

/* ---- those that are named ---- */

/* "vfs_read", "ext4:ext4_sync_file" */
static int callees_look_up(struct facts *facts, char *word, struct facts_function *fn,
			   struct error *e)
{
	char *colon = strchr(word, ':');
	int err;

	if (!colon)
		return facts_find_function(facts, NULL, word, fn, e);
	*colon = '\0';
	err = facts_find_function(facts, word, colon + 1, fn, e);
	*colon = ':';
	return err;
}

/* Two functions of one name, of different modules, would have distributions of one name. */
static bool callees_has(const struct plan *plan, const struct facts_function *fn)
{
	uint32_t i;

	for (i = 0; i < plan->n_callees; i++)
		if (!strcmp(plan->callees[i].start.name, fn->name))
			return true;
	return false;
}

static int callees_find_named(struct plan *plan, struct facts *facts, const struct plan_list *l,
			      struct error *e)
{
	char *words = strdup(plan->spec->callees), *save = NULL, *word;
	struct facts_function fn;
	const char *why;
	int err = words ? 0 : -ENOMEM;

	for (word = err ? NULL : strtok_r(words, ",", &save); !err && word;
	     word = strtok_r(NULL, ",", &save)) {
		err = callees_look_up(facts, word, &fn, e);
		if (err)
			break;
		why = callees_refusal(&fn, l);
		if (callees_has(plan, &fn))
			err = error_set(e, EXIT_USAGE, -EINVAL, "another one has that name",
					"name one of them", "cannot use '%s' for --callees", word);
		else if (why)
			err = error_set(e, EXIT_KERNEL, -EOPNOTSUPP, why, "leave it out",
					"cannot trace the callee '%s'", word);
		else if (plan->n_callees == KSTATS_CALLEES_MAX)
			err = error_set(e, EXIT_USAGE, -E2BIG, "at most 15 callees can be traced",
					"name fewer, or measure twice", "too many callees");
		else
			err = callees_take(plan, &fn);
	}
	free(words);
	return err;
}

/* ---- those that are found ---- */

/* A symbol by its name. @fn: filled in where NULL is returned; else why it cannot be traced */
static const char *callees_try(struct facts *facts, const struct plan_list *l,
			       const struct facts_callee *c, struct facts_function *fn)
{
	if (facts_find_function(facts, *c->module ? c->module : NULL, c->name, fn, NULL) ||
	    strcmp(fn->module, c->module))
		return "neither BTF nor ftrace knows it";
	return callees_refusal(fn, l);
}

/*
 * Of several names at one address, that by which it can be traced. Returns how many there are.
 * @why: receives why none can, or NULL
 */
static size_t callees_choose(struct facts *facts, const struct plan_list *l,
			     const struct facts_callees *c, size_t i, struct facts_function *fn,
			     const char **why)
{
	struct facts_function one;
	const char *no;
	bool can = false;
	size_t n = 0;

	do {
		no = can ? NULL : callees_try(facts, l, &c->callees[i + n], &one);
		if (!can && !no) {
			*fn = one;
			can = true;
		}
		*why = can ? NULL : n ? *why : no;
		n++;
	} while (i + n < c->n && c->callees[i + n].address == c->callees[i].address);
	return n;
}

static int callees_count_refusal(struct plan *plan, const char *why)
{
	struct plan_refusal *grown;
	size_t i;

	for (i = 0; i < plan->n_refusals && strcmp(plan->refusals[i].why, why); i++)
		;
	if (i == plan->n_refusals) {
		grown = realloc(plan->refusals, (i + 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		plan->refusals = grown;
		grown[plan->n_refusals++] = (struct plan_refusal){ why, 0 };
	}
	plan->refusals[i].n++;
	return 0;
}

static int callees_leave(struct plan *plan, const struct plan_list *l, const struct facts_callee *c,
			 const char *why, struct callees_rest *rest)
{
	int err = callees_count_refusal(plan, why ? why : "only the first 15 are traced");

	return err ? err
		   : callees_rest_add(rest, callees_is_target(c->name, c->module, l)
						    ? "calls of itself"
						    : c->name);
}

static int callees_sort_out(struct plan *plan, struct facts *facts, const struct plan_list *l,
			    const struct facts_callees *c, struct callees_rest *rest)
{
	struct facts_function fn;
	const char *why;
	size_t i, n;
	int err = 0;

	for (i = 0; !err && i < c->n; i += n) {
		n = callees_choose(facts, l, c, i, &fn, &why);
		if (!why && plan->n_callees < KSTATS_CALLEES_MAX)
			err = callees_take(plan, &fn);
		else if (callees_is_thunk(c->callees[i].name))
			rest->indirect++;
		else if (!callees_is_no_call(c->callees[i].name))
			err = callees_leave(plan, l, &c->callees[i], why, rest);
	}
	rest->indirect += c->indirect;
	rest->nameless = c->nameless;
	return err;
}

/* ", and in parts that are not traced: kt_notrace, 1 indirect call" */
static char *callees_say_rest(const struct callees_rest *rest, bool is_cut)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	const char *comma = "";

	if (!out)
		return NULL;
	if (rest->names) {
		fputs(rest->names, out);
		comma = ", ";
	}
	if (rest->more) {
		fprintf(out, "%s%u more", comma, rest->more);
		comma = ", ";
	}
	if (rest->indirect) {
		fprintf(out, "%s%s", comma,
			rest->indirect == 1 ? "an indirect call" : "indirect calls");
		comma = ", ";
	}
	if (rest->nameless) {
		fprintf(out, "%scalls of code without a name", comma);
		comma = ", ";
	}
	if (is_cut)
		fprintf(out, "%swhat follows an unknown instruction", comma);
	return fclose(out) ? NULL : text;
}

static int callees_find_all(struct plan *plan, struct facts *facts, const struct plan_list *l,
			    struct error *e)
{
	struct callees_rest rest = {};
	struct facts_callees c = {};
	int err = facts_callees(facts_kernel_types(facts), l->fns, &c, e);

	if (err)
		goto out;
	err = callees_sort_out(plan, facts, l, &c, &rest);
	if (!err) {
		plan->untraced = callees_say_rest(&rest, c.is_cut);
		err = plan->untraced ? 0 : -ENOMEM;
	}
	if (!err && !plan->n_callees)
		err = error_set(e, EXIT_KERNEL, -ENOENT,
				*plan->untraced ? "none of its callees can be traced"
						: "it calls no other function directly",
				"leave out --callees", "cannot divide the time of '%s'",
				l->fns->name);
out:
	facts_callees_free(&c);
	free(rest.names);
	return err;
}

int plan_callees_find(struct plan *plan, struct facts *facts, const struct plan_list *l,
		      struct error *e)
{
	int err;

	if (!plan->spec->callees)
		return 0;
	plan->callees = calloc(KSTATS_CALLEES_MAX, sizeof(*plan->callees));
	if (!plan->callees)
		return -ENOMEM;
	err = *plan->spec->callees ? callees_find_named(plan, facts, l, e)
				   : callees_find_all(plan, facts, l, e);
	return err == -ENOMEM ? error_no_memory(e, "cannot plan") : err;
}

/* ---- distributions ---- */

static int callees_node(struct plan *plan, enum snapshot_kind kind, char *name, char *what)
{
	plan->nodes[plan->n_nodes++] =
		(struct plan_node){ .name = name, .what = what, .kind = kind };
	return name && what ? 0 : -ENOMEM;
}

static char *callees_words(const char *a, const char *b, const char *c)
{
	char *text;

	return asprintf(&text, "%s%s%s", a, b, c) < 0 ? NULL : text;
}

int plan_callees_add(struct plan *plan)
{
	const char *name = plan->nodes[0].name, *what = plan->nodes[0].what;
	bool rest = plan->untraced && *plan->untraced;
	char *of;
	uint32_t i;
	int err;

	if (!plan->n_callees)
		return 0;
	plan->callees_at = plan->n_nodes;
	of = callees_words(what, ", without its callees",
			   rest ? "; with those that are not traced: " : "");
	err = callees_node(plan, SNAPSHOT_SELF, callees_words(name, ":self", ""),
			   of ? callees_words(of, rest ? plan->untraced : "", "") : NULL);
	free(of);
	for (i = 0; !err && i < plan->n_callees; i++)
		err = callees_node(plan, SNAPSHOT_CALLEE,
				   callees_words(name, ":in-", plan->callees[i].start.name),
				   callees_words(what, ", time in ", plan->callees[i].start.name));
	return err ? err
		   : callees_node(
			     plan, SNAPSHOT_UNDIVIDED, callees_words(name, ":undivided", ""),
			     callees_words(what, ", calls whose time in callees is not known", ""));
}

void plan_callees_free(struct plan *plan)
{
	uint32_t i;

	for (i = 0; i < plan->n_callees; i++)
		plan_way_free(&plan->callees[i]);
	free(plan->callees);
	free(plan->untraced);
	free(plan->refusals);
}
