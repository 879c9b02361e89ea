/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expr_world.h - made-up types, memory and expressions, from a seed. In: a seed. Out: what
 * expr_check(), expr_run() and a C compiler can be given. Called by test_expr.c, fuzz_expr.c and
 * tests/vm/expr.c.
 */
#ifndef KSTATS_EXPR_WORLD_H
#define KSTATS_EXPR_WORLD_H

#include <stdio.h>

#include "expr/expr.h"

#define WORLD_STRUCTS 6
#define WORLD_MEMBERS 10
#define WORLD_TYPES 96
#define WORLD_BYTES 4096
#define WORLD_PARAMS 8

/** struct world_type - a type */
struct world_type {
	struct expr_type type; /* as it is told */
	char name[48]; /* in C */
	uint32_t align;
	bool is_union;
	uint32_t n_members; /* number of @members */
	struct world_member {
		char name[16]; /* "" for an unnamed structure */
		struct expr_member member;
	} members[WORLD_MEMBERS];
};

/** struct world - types, and a point that has them as parameters */
struct world {
	uint64_t seed;
	struct expr_types types;
	struct expr_point point;
	struct world_type of[WORLD_TYPES];
	uint32_t n; /* number of @of; type 0 is void */
	uint32_t structs[WORLD_STRUCTS]; /* the structures that pointers lead to */
	uint32_t ints; /* types 1 to this are integers */
	uint32_t at[WORLD_STRUCTS]; /* where one of each lies in the memory */
	uint8_t memory[WORLD_BYTES];
	uint64_t address; /* where the memory is */
	uint64_t program; /* where a program sees it, too; 0: nowhere */
	uint64_t params[WORLD_PARAMS];
};

/** world_random() - the next number of a world. Return: 0 to @below - 1 */
uint32_t world_random(struct world *w, uint32_t below);

/** world_make() - types and a point */
void world_make(struct world *w, uint64_t seed);

/** world_fill() - other bytes in memory and parameters; @address: where the memory is */
void world_fill(struct world *w, uint64_t address);

/** world_expression() - an expression that fits the types; @strings: also comparisons of these */
void world_expression(struct world *w, char *buf, size_t size, bool strings);

/** world_text() - a string that the parameters lead to. Return: false if none was found */
bool world_text(struct world *w, char *buf, size_t size);

/** world_read() - memory of a world, as expr_input wants it */
int world_read(const void *world, uint64_t address, void *to, size_t size);

/** world_print() - the types in C */
void world_print(const struct world *w, FILE *out);

#endif /* KSTATS_EXPR_WORLD_H */
