/* SPDX-License-Identifier: GPL-2.0-only */
/* check.h - what the files share that find the types of an expression. */
#ifndef KSTATS_EXPR_CHECK_H
#define KSTATS_EXPR_CHECK_H

#include <stdarg.h>

#include "expr/priv.h"

/** struct expr_checker - an expression while its types are found */
struct expr_checker {
	struct expr *x; /* being filled in */
	const char *option; /* the option it belongs to */
	const struct expr_point *point; /* where it is evaluated */
	enum expr_use use; /* what it is for */
	struct error *e;
};

/** expr_wrong() - say what is wrong with a node. Return: -EINVAL */
int expr_wrong(const struct expr_checker *c, const struct expr_node *node, const char *next,
	       const char *why, ...) __attribute__((format(printf, 4, 5)));

/** expr_type_of() - a type by its number; false, and void, if it is not known */
bool expr_type_of(const struct expr_checker *c, uint32_t id, struct expr_type *type);

/** expr_is_name() - the type of a node as C writes it. Return: @buf */
const char *expr_is_name(const struct expr_checker *c, const struct expr_node *node, char *buf,
			 size_t size);

/** expr_set_int() - make a node's value an integer */
void expr_set_int(struct expr_node *node, unsigned int bytes, bool is_signed);

/** expr_set_type() - set the type of a node's value; @type: receives it. Return: 0 or -EINVAL */
int expr_set_type(struct expr_checker *c, struct expr_node *node, uint32_t id,
		  struct expr_type *type);

/** expr_check_number() - the type that C gives a number */
int expr_check_number(struct expr_checker *c, struct expr_node *node);

/** expr_check_name() - find what a name stands for */
int expr_check_name(struct expr_checker *c, struct expr_node *node);

/** expr_check_cast() - the type of a cast */
int expr_check_cast(struct expr_checker *c, struct expr_node *node);

/** expr_check_any() - find names and types, also of what has no value. Return: 0 or -EINVAL */
int expr_check_any(struct expr *x, const struct expr_point *point, struct error *e);

/** expr_each_builtin() - call a function with the name of each operand that every point has */
void expr_each_builtin(void (*each)(void *ctx, const char *name), void *ctx);

#endif /* KSTATS_EXPR_CHECK_H */
