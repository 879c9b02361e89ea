/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expr.h - expressions over the parameters of a function or a tracepoint. In: the words of the
 * user, and the types of the kernel behind a table of functions. Out: a checked expression, its
 * value over given bytes, and the BPF instructions that compute the same. Pure. Called by spec,
 * plan and hook; facts offers the types.
 *
 * The values are those of C: integer promotions, the usual arithmetic conversions, width and sign
 * by type. What C leaves undefined is defined here. Sums wrap. The number of bits to shift by is
 * taken modulo the width. The least number divided by -1 is itself, with the remainder 0.
 */
#ifndef KSTATS_EXPR_H
#define KSTATS_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kstats_abi.h"
#include "naming/naming.h"
#include "util/error.h"

#define EXPR_LENGTH_MAX 400 /* bytes of an expression */
#define EXPR_NODES_MAX 96 /* operands and operators */
#define EXPR_DEPTH_MAX 24 /* parentheses and operators inside each other */
#define EXPR_TEXT_MAX 63 /* bytes of a string in quotes */
/* Bytes that str(EXPR) and str(EXPR, N) read. One more byte tells that a string was longer. */
#define EXPR_STR_DEFAULT (EXPR_TEXT_MAX - 1)
#define EXPR_STR_MAX (8 * KSTATS_BY_WORDS - 2)
#define EXPR_PARAMS_MAX 12
#define EXPR_NAME_MAX 64 /* bytes of a name, with its NUL */
#define EXPR_COMM_LEN 16 /* bytes of a task's name, with its NUL */

/* ---- types ---- */

/** enum expr_kind - what a type is, past typedefs and qualifiers */
enum expr_kind {
	EXPR_VOID,
	EXPR_INT, /* also bool and enum */
	EXPR_POINTER,
	EXPR_STRUCT, /* or union */
	EXPR_ARRAY,
	EXPR_OTHER, /* float, function, or a structure that is declared only */
};

/** struct expr_type - a type of the kernel */
struct expr_type {
	enum expr_kind kind; /* what it is */
	uint32_t id; /* its number */
	uint32_t bytes; /* its size; of an array: of all elements */
	bool is_signed; /* of an integer */
	bool is_char; /* an integer of one byte that holds text */
	uint32_t of; /* type of what a pointer points to, or of an element */
	uint32_t n; /* number of elements */
};

/** struct expr_member - a member of a structure */
struct expr_member {
	uint32_t type; /* its type */
	uint32_t bit; /* where it begins, in bits */
	uint32_t bits; /* width of a bitfield; else 0 */
};

/** struct expr_types - where types come from */
struct expr_types {
	const void *of; /* handed to the functions */
	/* a type by its number; false if there is none */
	bool (*type)(const void *of, uint32_t id, struct expr_type *type);
	/* a member by its name, also inside unnamed members */
	bool (*member)(const void *of, uint32_t id, const char *name, struct expr_member *member);
	/* the name of each member, also of those inside unnamed members */
	void (*each_member)(const void *of, uint32_t id, void (*each)(void *ctx, const char *name),
			    void *ctx);
	/* a type by its name, "struct file", "union x", "enum x" or "u32"; 0 if there is none */
	uint32_t (*find)(const void *of, const char *name);
	/* the value of an enum's name; false if there is none */
	bool (*constant)(const void *of, const char *name, int64_t *value, bool *is_signed);
	/* a type as C writes it: "struct file *" */
	void (*name)(const void *of, uint32_t id, char *buf, size_t size);
};

/** enum expr_where - where a parameter is, if not where the calling convention has it */
enum expr_where {
	EXPR_NOWHERE, /* where it cannot be read */
	EXPR_IN_REGISTER,
	EXPR_IN_MEMORY, /* of the program, behind a register */
	EXPR_IS_NUMBER,
};

/** struct expr_place - where a parameter without a type is */
struct expr_place {
	enum expr_where where; /* where it is */
	uint8_t bytes; /* its width */
	bool is_signed; /* it has a sign */
	int16_t at; /* its register: bytes from the begin of struct pt_regs */
	int64_t number; /* bytes behind that register; or the number that it is */
};

/** struct expr_param - a parameter */
struct expr_param {
	char name[EXPR_NAME_MAX]; /* or "" */
	uint32_t type; /* its type; 0: not known, eight bytes without sign */
	struct expr_place place; /* only where the point says so */
};

/** struct expr_point - a point at which an expression is evaluated */
struct expr_point {
	const struct expr_types *types; /* NULL: nothing is known of types */
	char name[128]; /* of the function or tracepoint */
	uint32_t n_params; /* number of @params */
	struct expr_param params[EXPR_PARAMS_MAX];
	bool is_program; /* it is in a program: addresses that it knows are the program's */
	bool has_places; /* its parameters are where they say, and have no type */
	bool no_params; /* it has parameters that cannot be seen at this point */
	/* what else may be named, where it is no function and its parameters have no numbers; or
	 * NULL */
	const char *see;
	const char *no_names; /* why names of its parameters are not known, or NULL */
	bool has_ret; /* it is the return of a function */
	uint32_t ret; /* type of the return value; 0: not known */
	uint32_t ret_bytes; /* without @types: width of the return value; 0: not known */
	bool ret_signed; /* with @ret_bytes */
	const char *no_ret; /* without @types: what it returns that is no number, or NULL */
	bool is_end; /* there is a duration */
	bool has_switches; /* it is in the same task as the start */
};

/* ---- expressions ---- */

/** enum expr_op - what a node is */
enum expr_op {
	EXPR_NUMBER,
	EXPR_TEXT, /* a string in quotes */
	EXPR_NAME, /* not resolved yet */
	EXPR_PARAM,
	EXPR_RET,
	EXPR_DURATION,
	EXPR_SWITCHES, /* how often the task left the processor */
	EXPR_PID,
	EXPR_TID,
	EXPR_UID,
	EXPR_CPU,
	EXPR_NUMA,
	EXPR_CGROUP,
	EXPR_COMM,
	EXPR_KSTACK, /* these three: a part of --by alone, see enum expr_frames */
	EXPR_USTACK,
	EXPR_CALLER,
	EXPR_KEPT, /* a value of the start of a pair: which word of those kept */
	EXPR_DOT,
	EXPR_ARROW,
	EXPR_INDEX,
	EXPR_STR, /* the string at an address */
	EXPR_CAST,
	EXPR_NOT,
	EXPR_INVERT,
	EXPR_MINUS,
	EXPR_MUL,
	EXPR_DIV,
	EXPR_MOD,
	EXPR_ADD,
	EXPR_SUB,
	EXPR_SHL,
	EXPR_SHR,
	EXPR_LT,
	EXPR_LE,
	EXPR_GT,
	EXPR_GE,
	EXPR_EQ,
	EXPR_NE,
	EXPR_AND,
	EXPR_XOR,
	EXPR_OR,
	EXPR_JOIN, /* parts of a key; expr_check() makes one number of them */
	EXPR_ANDAND,
	EXPR_OROR,
};

/** struct expr_is - the type of a node's value */
struct expr_is {
	enum expr_kind kind; /* EXPR_STRUCT and EXPR_ARRAY have an address only */
	uint8_t bytes; /* of an integer or pointer, as it is in memory or in its parameter */
	bool is_signed; /* of an integer */
	uint32_t type; /* of a structure or array: itself; of a pointer: what it points to */
};

/** struct expr_node - a node of the tree; its parts stand before it */
struct expr_node {
	enum expr_op op; /* what it is */
	uint16_t column; /* where it begins in the text */
	uint16_t length; /* bytes of the text of a name, a type or a string */
	uint16_t text; /* where that begins */
	int16_t a; /* left or only part; -1: none */
	int16_t b; /* right part */
	int64_t number; /* a number; of a parameter, an index: which one; of str(): its bytes */
	bool is_unsigned; /* a number that only fits without sign */
	struct expr_place place; /* of a parameter; EXPR_NOWHERE: as the function expects it */
	enum naming naming; /* it is shown by a name: "syscall(id)" */
	bool is_program; /* a string of the program, wherever its address leads */
	bool is_object; /* a parameter that points to a structure the kernel knows */
	struct expr_is is; /* set by expr_check() */
	/*
	 * what lies in memory: the pointer it is found by, -1 if it is not in memory; of comm, the
	 * offset in a task, 0 if it is not known
	 */
	int16_t base;
	uint32_t offset; /* its bytes behind that pointer */
	uint8_t bit; /* of a bitfield: its first bit */
	uint8_t bits; /* its width; 0: no bitfield */
};

/** struct expr - an expression */
struct expr {
	char text[EXPR_LENGTH_MAX + 1]; /* as it was written */
	uint16_t n; /* number of @nodes; 0: there is no expression */
	int16_t root; /* the node of the whole */
	bool is_text; /* it is a string; set by expr_check() with EXPR_BY */
	uint32_t parts; /* bytes of each part of a key, 4 bits each; set by expr_check() */
	struct expr_node nodes[EXPR_NODES_MAX * 3 / 2]; /* with room for expr_split() */
};

/**
 * expr_parse() - read an expression
 * @option: the option it belongs to, for the message
 * @text: the words
 *
 * Return: 0 or -EINVAL, with the column and what was found.
 */
int expr_parse(struct expr *x, const char *option, const char *text, struct error *e);

/** expr_parse_key() - the same of a key, which may have several parts, with commas between them */
int expr_parse_key(struct expr *x, const char *option, const char *text, struct error *e);

/**
 * expr_cut() - the length of the part of a list before the next comma
 *
 * Commas in quotes and in brackets do not count. Return: the length; @text ends there, or a comma
 * is there.
 */
size_t expr_cut(const char *text);

/** enum expr_when - what an expression needs, as bits */
enum expr_when {
	EXPR_AT_ENTRY = 1, /* a parameter */
	EXPR_AT_END = 2, /* the return value or the duration */
	EXPR_AT_BOTH = 4, /* the duration or the switches, which need both points */
	EXPR_SWITCHES_OF_CALL = 8, /* the latter */
};

/** expr_when() - what an expression needs; @x: parsed; parameters are what no other name is */
unsigned int expr_when(const struct expr *x);

/**
 * expr_split() - cut a condition into what is asked at the entry and what at the end
 * @x: parsed
 * @entry: receives the parts, joined by &&, that need nothing of the end
 * @end: receives the others
 *
 * A part that needs both stays in @end.
 */
void expr_split(const struct expr *x, struct expr *entry, struct expr *end);

/** struct expr_simple - a comparison of ret or duration with a number */
struct expr_simple {
	enum expr_op name; /* EXPR_RET or EXPR_DURATION */
	enum expr_op op; /* the comparison, the name at its left */
	int64_t number; /* at its right */
};

/** expr_is_simple() - whether an expression is no more than that; @x: parsed */
bool expr_is_simple(const struct expr *x, struct expr_simple *out);

/** expr_take_fn() - whether a part is taken out; @ctx: as it was given to expr_take() */
typedef bool expr_take_fn(void *ctx, const struct expr_simple *part);

/**
 * expr_take() - take simple parts out of a condition
 * @x: parsed, not checked; receives the others, joined by &&; if there are none its n is 0
 * @wants: asked for each simple part
 */
void expr_take(struct expr *x, expr_take_fn *wants, void *ctx);

/** enum expr_use - what an expression is for */
enum expr_use {
	EXPR_CONDITION, /* true or false: an integer or a pointer */
	EXPR_VALUE, /* a sample: an integer that is not negative */
	EXPR_KEY, /* an integer or a pointer, with all its bits */
	EXPR_BY, /* the same, or a string: a part of a key of --by */
};

/** expr_integer() - a type of the kernel: an integer of 1, 2, 4 or 8 bytes; 0 if there is none */
uint32_t expr_integer(const struct expr_types *types, unsigned int bytes, bool is_signed);

/**
 * expr_check() - find the names and types of an expression
 * @x: parsed, and not checked before; filled in
 * @option: the option it belongs to, for the message
 * @point: where it is evaluated
 *
 * Return: 0 or -EINVAL, with the column, the type found, and the nearest names.
 */
int expr_check(struct expr *x, const char *option, const struct expr_point *point,
	       enum expr_use use, struct error *e);

/** struct expr_kept - parts of expressions that are evaluated at the start of a pair */
struct expr_kept {
	unsigned int n; /* number of @parts */
	struct expr parts[KSTATS_KEPT_WORDS]; /* parsed, not checked; a word each */
};

/** expr_names_point() - whether start.X or end.X is in an expression, which is parsed */
bool expr_names_point(const struct expr *x);

/** expr_needs_start() - whether an expression at @end, which is parsed, needs values of @start */
bool expr_needs_start(const struct expr *x, const struct expr_point *start,
		      const struct expr_point *end);

/** expr_strip() - turn start.X and end.X into X, where all are of one point; @x: parsed */
void expr_strip(struct expr *x);

/**
 * expr_keep() - take out what an expression at the end needs of the start
 * @x: parsed; receives EXPR_KEPT in place of these parts
 * @kept: receives the parts
 *
 * Return: 0 or -EINVAL.
 */
int expr_keep(struct expr *x, const char *option, const struct expr_point *start,
	      const struct expr_point *end, struct expr_kept *kept, struct error *e);

/** EXPR_KEPT_AT - bytes behind the address where a value goes, at which kept words are */
#define EXPR_KEPT_AT (-8 * KSTATS_KEPT_WORDS)
#define EXPR_SWITCHES_AT (EXPR_KEPT_AT - 8) /* the same of the switches of the call */

/** enum expr_frames - parts of a key that the programs find by the stack */
enum expr_frames {
	EXPR_NO_FRAMES,
	EXPR_FRAMES_KERNEL, /* the word is an enum kstats_frames_id */
	EXPR_FRAMES_PROGRAM,
	EXPR_FRAMES_CALLER, /* the word is a return address of the kernel */
};

/** EXPR_CUT - what stands in a key behind a string that was longer than its room */
#define EXPR_CUT 1

/** struct expr_part - how a value of EXPR_BY lies in the words of a key */
struct expr_part {
	uint8_t words; /* their number */
	bool is_text; /* bytes of a string up to a NUL, and zeroes; else a number */
	bool is_comm; /* a string: the name of the task */
	uint8_t cut; /* of a string: this byte is EXPR_CUT where it was longer; 0: it never is */
	bool is_signed; /* of a number */
	bool is_pointer; /* a number that is an address */
	enum expr_frames frames; /* a number that stands for code */
	enum naming naming; /* of a number that has a name */
};

/** expr_part() - how the value of an expression lies in a key; @x: checked for EXPR_BY */
struct expr_part expr_part(const struct expr *x);

/** expr_type_name() - the type of a checked expression, "unsigned int". Return: @buf */
const char *expr_type_name(const struct expr *x, const struct expr_point *point, char *buf,
			   size_t size);

/**
 * expr_offer() - what an expression that is being typed may go on with
 * @begin: what was typed so far
 * @each: called with each offer, which begins with @begin
 * @ctx: handed to @each
 *
 * These are members after -> and ., and else the names of operands.
 */
void expr_offer(const struct expr_point *point, const char *begin,
		void (*each)(void *ctx, const char *word), void *ctx);

/* ---- their values ---- */

/** struct expr_input - what an expression is evaluated over */
struct expr_input {
	const uint64_t *params; /* registers of the parameters, the upper bits undefined */
	uint64_t ret; /* return value, the same */
	uint64_t duration; /* nanoseconds */
	uint64_t switches; /* how often the task left the processor */
	const uint64_t *kept; /* values of the start, by their numbers */
	uint32_t pid;
	uint32_t tid;
	uint32_t uid;
	uint32_t cpu;
	uint32_t numa;
	uint64_t cgroup;
	char comm[EXPR_COMM_LEN];
	/* reads memory of the kernel: 0, or not 0 if a byte cannot be read */
	int (*read)(const void *memory, uint64_t address, void *to, size_t size);
	const void *memory; /* handed to @read */
};

/** struct expr_wanted - what one piece of code computes */
struct expr_wanted {
	const struct expr *condition; /* comes first; NULL: none */
	const struct expr *value; /* NULL: none */
	enum expr_use use; /* of @value */
	/* parts of a key, one behind the other, in place of a value; NULL: no more */
	const struct expr *by[KSTATS_KEPT_WORDS];
	/* one without a value spoils no other: a word before them tells, as bits, which have one */
	bool alone;
};

/**
 * expr_run() - evaluate
 * @value: set if the outcome is KSTATS_EXPR_YES and a value is wanted; of a key: KSTATS_BY_WORDS,
 *	of which those in use are set; with @alone one word more
 */
enum kstats_outcome expr_run(const struct expr_wanted *wanted, const struct expr_input *in,
			     uint64_t *value);

/* ---- their instructions ---- */

struct bpf_insn;

#define EXPR_INSNS_MAX 4096

/** enum expr_context - what the instructions get */
enum expr_context {
	EXPR_CTX_TRACE, /* fentry, fexit, fsession: words, read through helpers where needed */
	EXPR_CTX_TP, /* tp_btf, raw tracepoint: words */
	EXPR_CTX_REGS, /* kprobe, kretprobe: struct pt_regs */
};

/**
 * expr_compile() - instructions that compute the same as expr_run()
 * @insns: receives up to EXPR_INSNS_MAX
 *
 * They are a function of a program: r1 is the context, r2 the address where the value goes, r3 the
 * duration. It returns an enum kstats_outcome.
 *
 * Return: their number; -E2BIG if they are too many, or parts too deep inside each other; -ENXIO if
 * a parameter is not in a register, with EXPR_CTX_REGS.
 */
int expr_compile(const struct expr_wanted *wanted, enum expr_context context,
		 struct bpf_insn *insns);

/**
 * expr_is_fixed() - whether a condition has the same value at every point of a call
 * @x: checked
 *
 * True for conditions over parameters, numbers and the process that read no memory and cannot fail.
 */
bool expr_is_fixed(const struct expr *x);

/**
 * expr_always_answers() - whether an expression has a value in every case
 * @x: checked
 *
 * It is one that reads no memory but the name of the task, and divides by no variable.
 */
bool expr_always_answers(const struct expr *x);

/**
 * expr_compile_gate() - instructions before a program, which end it where a condition is false
 * @x: expr_is_fixed() or expr_always_answers()
 * @insns: receives up to EXPR_INSNS_MAX
 *
 * The context is in r1, before and after them. A program that they end returns 0.
 *
 * Return: as for expr_compile().
 */
int expr_compile_gate(const struct expr *x, enum expr_context context, struct bpf_insn *insns);

/** expr_print_insns() - instructions, one a line */
void expr_print_insns(const struct bpf_insn *insns, int n, FILE *out);

#endif /* KSTATS_EXPR_H */
