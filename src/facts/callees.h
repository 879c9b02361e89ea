/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callees.h - the functions that a function of the running kernel calls directly. In: its name.
 * Out: their names, by its instructions as they are now. Called by plan.
 */
#ifndef KSTATS_FACTS_CALLEES_H
#define KSTATS_FACTS_CALLEES_H

#include "facts/facts.h"

/** struct facts_callee - a function that is called, or jumped to at the end */
struct facts_callee {
	uint64_t address; /* where it is; several may have one address, and follow each other */
	char *name; /* owned */
	char *module; /* owned; "" for the kernel proper */
};

/** struct facts_callees - what a function calls, in the order of its instructions */
struct facts_callees {
	struct facts_callee *callees; /* owned */
	size_t n; /* number of @callees */
	unsigned int indirect; /* calls whose function is known only when they are made */
	unsigned int nameless; /* calls of addresses without a name */
	bool is_cut; /* it has an instruction that is not known; what follows was not read */
};

/**
 * facts_callees() - read and decode the instructions of a function of the running kernel
 * @types: as for facts_symbols()
 * @out: filled in; freed with facts_callees_free() also after an error
 */
int facts_callees(const struct facts_types *types, const struct facts_function *fn,
		  struct facts_callees *out, struct error *e);

/** facts_callees_free() - release; @c may be zero-filled */
void facts_callees_free(struct facts_callees *c);

/** struct facts_code - instructions */
struct facts_code {
	uint64_t address; /* of the first */
	const unsigned char *bytes; /* what is there */
	size_t n; /* number of bytes */
};

/** struct facts_calls - where instructions lead to */
struct facts_calls {
	uint64_t *to; /* owned; addresses, each once, in the order of the instructions */
	size_t n; /* number of @to */
	unsigned int indirect; /* calls of an address in a register or in memory */
	bool is_cut; /* an instruction is not known */
	const char *library; /* the file that decodes and cannot be loaded, or NULL */
};

/**
 * facts_decode() - find the calls in the instructions of a function, and jumps out of it
 * @parts: its instructions; the first begin at its entry, where the call of a tracer may be
 * @out: freed with free() of its addresses
 *
 * Return: 0, -ENOMEM, -EOPNOTSUPP if this program was built without a decoder, or -ELIBACC if the
 * library that decodes is missing or another one.
 */
int facts_decode(const struct facts_code *parts, size_t n_parts, struct facts_calls *out);

/**
 * facts_text() - read the kernel's memory
 *
 * Return: 0 or -errno. It takes CAP_BPF and CAP_PERFMON.
 */
int facts_text(uint64_t address, void *to, size_t n);

#endif /* KSTATS_FACTS_CALLEES_H */
