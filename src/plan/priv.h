/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of plan share. */
#ifndef KSTATS_PLAN_PRIV_H
#define KSTATS_PLAN_PRIV_H

#include "plan/plan.h"
#include "user/user.h"

/* A point in a program that was looked up. */
struct plan_user {
	char *name; /* owned; for people */
	char *binary; /* owned; as it was named */
	struct plan_places places; /* where it is */
	char *arguments; /* owned; of a static probe, as its note describes them; else NULL */
	bool is_uniform; /* they are the same at all its places */
	enum user_first first; /* the instruction there */
	bool breaks; /* a probe at its return may break the program */
	struct user_param params[USER_PARAMS_MAX]; /* of a function, where expressions ask */
	size_t n_params; /* number of @params; 0 without debug information */
	struct user_return ret; /* of a function, where expressions ask */
};

/* The functions that the targets name. */
struct plan_list {
	struct facts_function *fns; /* array, freed by the owner */
	struct plan_user *users; /* functions of programs, in place of @fns; freed by the owner */
	size_t n; /* its length */
	size_t n_skipped; /* number of functions that matched a glob but cannot be traced */
};

/* A point that was looked up. */
struct plan_point {
	enum spec_point_kind kind; /* what it is */
	struct facts_function fn; /* the function */
	struct facts_tracepoint tp; /* the tracepoint */
	struct plan_user user; /* the point in a program; owned */
	bool is_return; /* of a function, its return */
	const char *no_event; /* why its trace event cannot be used; NULL if it can */
	const struct expr *condition; /* asked here, with types; NULL: none */
	const struct expr *value; /* the sample here, with types; NULL: none */
	const struct expr *own; /* what makes an event this one of several points; NULL: all are */
	const struct expr *keep[KSTATS_KEPT_WORDS]; /* of a start: what its end needs, with types */
	const struct expr *key; /* what joins it with the other point, with types; NULL: none */
	const struct expr *end_condition; /* of a function: asked at its return */
	const struct expr *end_value; /* of a function: the sample at its return */
	const struct expr *by[KSTATS_BY_PARTS]; /* parts of the key of --by, with types */
};

/** plan_point_name() - name of a point. Return: owned by the facts */
const char *plan_point_name(const struct plan_point *p);

/**
 * plan_probe_add() - find the ways to hook a function, or a pair of points
 * @plan: has room for one more probe
 * @end: the same as @start for a function
 * @node: node that accounts for its starts
 *
 * Return: 0, -ENOMEM, or -ENXIO if no way can read what the condition asks for.
 */
int plan_probe_add(struct plan *plan, const struct plan_point *start, const struct plan_point *end,
		   uint32_t node);

/** plan_choose_backend() - fill in kmod, map and backend_reason of a plan with its spec */
int plan_choose_backend(struct plan *plan, const struct facts *facts, struct error *e);

/**
 * plan_choose_slots() - whether all slots are there from the start, or come in blocks
 * @plan: has its nodes and its backend; the slots, and maybe the backend, are filled in
 *
 * Return: 0 or -ENOSPC.
 */
int plan_choose_slots(struct plan *plan, struct facts *facts, struct error *e);

/** plan_choose_returns() - fill in return_calls and calls; @plan: has its probes and n_cpus */
void plan_choose_returns(struct plan *plan);

/**
 * plan_possible() - whether a method may be tried
 * @method: not SPEC_METHOD_AUTO
 *
 * Return: true if the function has what the method needs, and no other method is forced.
 */
bool plan_possible(const struct spec *spec, enum spec_method method,
		   const struct facts_function *fn);

/** plan_check_method() - check that the method fits the other options */
int plan_check_method(const struct spec *spec, struct error *e);

/** plan_check_function() - check that it can be hooked; @returns: its return is hooked too */
int plan_check_function(const struct spec *spec, const struct facts_function *fn, bool returns,
			struct error *e);

/** plan_list_target() - add the functions that a target names; @t: function or glob */
int plan_list_target(struct plan_list *l, const struct spec *spec, struct facts *facts,
		     const struct spec_point *t, struct error *e);

/** struct plan_condition - the condition at the points of a probe */
struct plan_condition {
	struct expr start; /* with types */
	struct expr end; /* the same, without what plan_quick_take() takes out */
	struct expr keys[2]; /* what joins start and end, the same */
	struct expr value; /* the sample, the same */
	struct expr by[KSTATS_BY_PARTS]; /* parts of the key of --by, the same */
	struct expr own; /* what makes an event this one of several points, the same */
	struct expr keep[KSTATS_KEPT_WORDS]; /* of a start: what its end needs, the same */
};

/**
 * plan_condition_check() - find names and types, and let the points ask it
 * @c: filled in; the points refer to it
 * @end: the same as @start for a function
 */
int plan_condition_check(struct plan *plan, struct plan_condition *c, struct plan_point *start,
			 struct plan_point *end, struct error *e);

/** plan_keys_fit() - whether two keys have parts of the same sizes, so that they can be equal */
int plan_keys_fit(const struct expr *a, const struct expr *b, struct error *e);

/** plan_own_check() - the same for one of several points; @sp: as it was named */
int plan_own_check(struct plan *plan, struct plan_condition *c, struct plan_point *p,
		   const struct spec_point *sp, enum plan_role role, struct error *e);

/**
 * plan_keep_check() - take what an end needs of the start out of its expressions
 * @c: of the end, which is not checked yet; its value, by and end are set
 * @kept: receives what is taken out, in an order that is the same at each end
 */
int plan_keep_check(const struct plan *plan, struct plan_condition *c, const struct plan_point *end,
		    const struct plan_point *start, struct expr_kept *kept, struct error *e);

/** plan_needs_start() - whether an end needs parameters of its start */
bool plan_needs_start(const struct plan *plan, const struct plan_point *start,
		      const struct plan_point *end);

/**
 * plan_callees_find() - find the functions that the target calls, and hook those that can be
 * @l: the target
 */
int plan_callees_find(struct plan *plan, struct facts *facts, const struct plan_list *l,
		      struct error *e);

/** plan_callees_free() - release what a plan knows of callees */
void plan_callees_free(struct plan *plan);

/** plan_callees_add() - add the distributions of callees; @plan: has that of the call */
int plan_callees_add(struct plan *plan);

/** plan_vias_add() - add the distributions of stages; @plan: has those of its pair */
int plan_vias_add(struct plan *plan);

/** plan_several_make() - plan a pair of several points */
int plan_several_make(struct plan *plan, struct facts *facts, struct error *e);

/** plan_point_find() - look a point up; @p: empty */
int plan_point_find(const struct spec *spec, struct facts *facts, const struct spec_point *sp,
		    struct plan_point *p, struct error *e);

/** plan_nodes_add() - add the distributions of a probe, in the order that programs expect */
int plan_nodes_add(struct plan *plan, const char *name, const char *what);

/** plan_alloc() - make room for probes and their nodes. Return: 0 or -ENOMEM */
int plan_alloc(struct plan *plan, size_t n_probes, size_t n_names);

/** plan_no_way() - say that no way reads what expressions need. Return: -ENXIO */
int plan_no_way(const struct plan *plan, const char *name, struct error *e);

/**
 * plan_own_way() - a probe's next way, of which one hook is that of a point
 *
 * Return: 0 or -errno.
 */
int plan_own_way(const struct plan *plan, struct plan_probe *probe, const struct plan_point *p,
		 enum plan_hook_type type, enum plan_role role);

/** plan_is_careful() - whether methods that lose no call come before cheaper ones */
bool plan_is_careful(const struct plan *plan);

/**
 * plan_quick_find() - find the parts of the condition that programs check by themselves
 * @plan: its quick is filled in
 * @l: functions measured from entry to return, NULL for a pair of points
 */
void plan_quick_find(struct plan *plan, const struct plan_list *l);

/** plan_quick_take() - take these parts out of a condition; @x: parsed, not checked */
void plan_quick_take(const struct plan *plan, struct expr *x);

/** plan_condition_text() - its parts with their types. Return: owned by the caller, or NULL */
char *plan_condition_text(const struct plan *plan, const struct plan_point *start,
			  const struct plan_point *end);

/** plan_value_text() - the value's type, and where it is read. Return: as above */
char *plan_value_text(const struct plan *plan, const struct plan_point *start,
		      const struct plan_point *end);

/**
 * plan_code_make() - the instructions of expressions
 * @wanted: which; if there are none, @code stays empty
 *
 * Return: 0, -ENXIO if hooks of this type cannot read what they ask for, or -errno.
 */
int plan_code_make(struct plan_code *code, const struct expr_wanted *wanted,
		   enum plan_hook_type type);

/** plan_gate_make() - put the condition before the program of a hook, if it can be. 0 or -errno */
int plan_gate_make(const struct plan *plan, struct plan_hook *hook, const struct plan_point *p);

/** plan_code_copy() - keep @n instructions; @n: or the -errno of making them. 0 or -errno */
int plan_code_copy(struct plan_code *code, int n, const struct bpf_insn *insns);

/** plan_by_open() - the keys of --by: their number, names, and when they are made. 0 or -errno */
int plan_by_open(struct plan *plan, struct error *e);

/**
 * plan_by_check() - find names and types, and let a point make the key
 * @c: filled in; the point refers to it
 * @p: of a pair: its end
 */
int plan_by_check(struct plan *plan, struct plan_condition *c, struct plan_point *p,
		  struct error *e);

/** plan_by_code() - the instructions that make the key at a point. Return: 0 or -errno */
int plan_by_code(struct plan_code *code, const struct plan_point *p, enum plan_hook_type type);

/** plan_point_of() - what expressions see at a point; @at_end: at a function's return */
void plan_point_of(const struct plan *plan, const struct plan_point *p, bool at_end,
		   struct expr_point *out);

/** plan_return_of() - what they see at the return if a method is chosen that shows all of it */
void plan_return_of(const struct plan *plan, const struct plan_point *p, struct expr_point *out);

/** plan_way_free() - release what a way owns */
void plan_way_free(struct plan_way *way);

/** plan_takes_many_user() - the same of functions of programs */
bool plan_takes_many_user(const struct plan *plan);

/** plan_takes_many() - whether one link for many functions is possible */
bool plan_takes_many(const struct plan *plan);

/** plan_direct_refusal() - why a stub cannot measure a function: half a sentence, or NULL */
const char *plan_direct_refusal(const struct facts_function *fn);

/** plan_user_find() - look a point up; @p: its kind is set, the rest is filled in */
int plan_user_find(const struct spec *spec, const struct spec_point *sp, struct plan_point *p,
		   struct error *e);

/** plan_list_user() - add the functions of a program that a target names */
int plan_list_user(struct plan_list *l, const struct spec *spec, const struct spec_point *t,
		   struct error *e);

/** plan_user_free() - release what it owns */
void plan_user_free(struct plan_user *u);

/** plan_places_copy() - Return: 0 or -ENOMEM, with what is to be freed in @to */
int plan_places_copy(struct plan_places *to, const struct plan_places *from);

/** plan_check_user() - check that spec asks nothing else of points in programs */
int plan_check_user(const struct spec *spec, struct error *e);

/** plan_user_point() - what expressions see at a point in a program */
void plan_user_point(const struct plan_point *p, struct expr_point *out);

/** plan_user_ways() - the ways to measure a function of a program from entry to return */
int plan_user_ways(const struct plan *plan, struct plan_probe *probe, const struct plan_point *p);

/** plan_way_make() - fill in the hooks of a way with its types. Return: 0, -ENXIO or -ENOMEM */
int plan_way_make(const struct plan *plan, struct plan_way *way, uint32_t node,
		  const struct plan_point *start, const struct plan_point *end);

#endif /* KSTATS_PLAN_PRIV_H */
