// SPDX-License-Identifier: GPL-2.0-only
/* test_expr.c - what expressions mean, and what is said of those that mean nothing. */
#include "fixture.h"

#include <errno.h>
#include <linux/bpf.h>

#include "expr/expr.h"

/* ---- types: struct file { f_flags, f_mode:3, inode, name[8], tag, at { x, y } } ---- */

enum {
	INT = 1,
	UINT,
	ULONG,
	CHAR,
	TEXT,
	NAME,
	FILE_,
	FILE_PTR,
	INODE,
	INODE_PTR,
	AT,
	U8,
	FLOAT,
	VOID_PTR,
	LONG,
	NUMBERS,
	N_TYPES
};

static const struct {
	const char *name;
	struct expr_type type;
} table[N_TYPES] = {
	[INT] = { "int", { EXPR_INT, INT, 4, true, false, 0, 0 } },
	[UINT] = { "unsigned int", { EXPR_INT, UINT, 4, false, false, 0, 0 } },
	[ULONG] = { "u64", { EXPR_INT, ULONG, 8, false, false, 0, 0 } },
	[CHAR] = { "char", { EXPR_INT, CHAR, 1, true, true, 0, 0 } },
	[TEXT] = { "char *", { EXPR_POINTER, TEXT, 8, false, false, CHAR, 0 } },
	[NAME] = { "char[]", { EXPR_ARRAY, NAME, 8, false, false, CHAR, 8 } },
	[FILE_] = { "struct file", { EXPR_STRUCT, FILE_, 64, false, false, 0, 0 } },
	[FILE_PTR] = { "struct file *", { EXPR_POINTER, FILE_PTR, 8, false, false, FILE_, 0 } },
	[INODE] = { "struct inode", { EXPR_OTHER, INODE, 0, false, false, 0, 0 } },
	[INODE_PTR] = { "struct inode *", { EXPR_POINTER, INODE_PTR, 8, false, false, INODE, 0 } },
	[AT] = { "struct at", { EXPR_STRUCT, AT, 8, false, false, 0, 0 } },
	[U8] = { "u8", { EXPR_INT, U8, 1, false, false, 0, 0 } },
	[FLOAT] = { "double", { EXPR_OTHER, FLOAT, 8, false, false, 0, 0 } },
	[VOID_PTR] = { "void *", { EXPR_POINTER, VOID_PTR, 8, false, false, 0, 0 } },
	[LONG] = { "long", { EXPR_INT, LONG, 8, true, false, 0, 0 } },
	[NUMBERS] = { "int[]", { EXPR_ARRAY, NUMBERS, 12, false, false, INT, 3 } },
};

static const struct {
	uint32_t of;
	const char *name;
	struct expr_member member;
} members[] = {
	{ FILE_, "f_flags", { UINT, 0, 0 } },
	{ FILE_, "f_mode", { UINT, 32, 3 } },
	{ FILE_, "f_low", { INT, 35, 3 } },
	{ FILE_, "inode", { INODE_PTR, 64, 0 } },
	{ FILE_, "name", { NAME, 128, 0 } },
	{ FILE_, "tag", { TEXT, 192, 0 } },
	{ FILE_, "at", { AT, 256, 0 } },
	{ FILE_, "next", { FILE_PTR, 320, 0 } },
	{ FILE_, "ratio", { FLOAT, 384, 0 } },
	{ FILE_, "n", { NUMBERS, 384, 0 } },
	{ AT, "x", { INT, 0, 0 } },
	{ AT, "y", { INT, 32, 0 } },
};

#define N_MEMBERS (sizeof(members) / sizeof(*members))

static bool look(const void *unused, uint32_t id, struct expr_type *type)
{
	if (id < N_TYPES)
		*type = table[id].type;
	return id < N_TYPES;
}

static bool member(const void *unused, uint32_t id, const char *name, struct expr_member *m)
{
	size_t i;

	for (i = 0; i < N_MEMBERS; i++) {
		if (members[i].of == id && !strcmp(members[i].name, name)) {
			*m = members[i].member;
			return true;
		}
	}
	return false;
}

static void each_member(const void *unused, uint32_t id, void (*each)(void *ctx, const char *name),
			void *ctx)
{
	size_t i;

	for (i = 0; i < N_MEMBERS; i++)
		if (members[i].of == id)
			each(ctx, members[i].name);
}

static uint32_t find(const void *unused, const char *name)
{
	uint32_t i;

	for (i = 1; i < N_TYPES && strcmp(table[i].name, name); i++)
		;
	return i < N_TYPES ? i : 0;
}

static bool constant(const void *unused, const char *name, int64_t *value, bool *is_signed)
{
	*value = 3;
	*is_signed = true;
	return !strcmp(name, "COLOUR_RED");
}

static void type_name(const void *unused, uint32_t id, char *buf, size_t size)
{
	snprintf(buf, size, "%s", table[id].name);
}

static const struct expr_types types = {
	NULL, look, member, each_member, find, constant, type_name
};

static struct expr_point entry = {
	.types = &types,
	.name = "f",
	.n_params = 6,
	.params = { { "file", FILE_PTR },
		    { "count", ULONG },
		    { "n", INT },
		    { "small", U8 },
		    { "where", AT },
		    { "behind", INT } },
};

/* ---- values ---- */

#define AT_ADDRESS 0x1000

static struct {
	uint32_t flags;
	uint32_t bits;
	uint64_t inode;
	char name[8];
	uint64_t tag;
	int32_t x, y;
	uint64_t next;
	int32_t n[4];
	char text[16];
} memory = { .flags = 0x8000,
	     .bits = 5 | 4 << 3,
	     .name = "eight888",
	     .tag = AT_ADDRESS + 64,
	     .x = -1,
	     .y = 9,
	     .n = { 1, -2, 3 },
	     .text = "read" };

static int read_memory(const void *unused, uint64_t address, void *to, size_t size)
{
	if (address < AT_ADDRESS || address + size > AT_ADDRESS + sizeof(memory))
		return -EFAULT;
	memcpy(to, (char *)&memory + (address - AT_ADDRESS), size);
	return 0;
}

static const uint64_t params[6] = { AT_ADDRESS, 4096, 0xffffffff00000005, 0x1ff };

static enum kstats_outcome run(const char *text, enum expr_use use, uint64_t *value)
{
	struct expr_input in = { .params = params, .read = read_memory, .pid = 12, .uid = -1U };
	struct expr_wanted wanted = { .use = use };
	struct error e = {};
	struct expr x;

	strcpy(in.comm, "task");
	if ((use == EXPR_KEY ? expr_parse_key : expr_parse)(&x, "--value", text, &e) ||
	    expr_check(&x, "--value", &entry, use, &e))
		fail_msg("%s: %s; %s", text, e.why, e.next);
	if (use == EXPR_CONDITION)
		wanted.condition = &x;
	else
		wanted.value = &x;
	return expr_run(&wanted, &in, value);
}

static const struct {
	const char *text;
	int64_t value;
} value_cases[] = {
	{ "1 + 2 * 3", 7 },
	{ "softirq(n) == \"irq_poll\"", 1 },
	{ "softirq(n) != \"irq_poll\"", 0 },
	{ "\"hi\" == softirq(n)", 0 },
	{ "1 + (port(n) == 1280)", 2 },
	{ "port(n) == \"1280\"", 1 },
	{ "port(n) == 5", 0 },
	{ "errno(-2) == \"-ENOENT\" && errno(n) != \"-EIO\"", 1 },
	{ "blockop(0x7f01) == \"write\"", 1 },
	{ "blockop(n + 4) == \"write_zeroes\"", 1 },
	{ "blockop(0x7f01)", 1 },
	{ "syscall(arg1) == \"read\" || syscall(n) == \"read\"", 0 },
	{ "(1 + 2) * 3", 9 },
	{ "10 - 3 - 2", 5 },
	{ "1 << 2 + 1", 8 },
	{ "1 | 2 ^ 3 & 6", 1 | (2 ^ (3 & 6)) },
	{ "4 == 2 + 2 && 3 < 4", 1 },
	{ "0 && 1 || 1", 1 },
	{ "-7 / 2", -3 },
	{ "-7 % 4", -3 },
	{ "-7 >> 1", -4 },
	{ "- -5", 5 },
	{ "!~-1", 1 },
	{ "~0", -1 },
	{ "1 << 31", INT32_MIN },
	{ "1 << 32", 1 },
	{ "0x80000000 >> 31", 1 },
	{ "0x80000000 + 0x80000000", 0 },
	{ "2147483648 + 2147483648", 1LL << 32 },
	{ "-1 < 0x1", 1 },
	{ "-1 < 0xffffffff", 0 },
	{ "-1 < 0XFFFFFFFF", 0 },
	{ "4k + 1M / 1G", 4096 },
	{ "2M", 2 << 20 },
	{ "0xff", 255 },
	{ "-EAGAIN", -11 },
	{ "COLOUR_RED", 3 },
	{ "count", 4096 },
	{ "arg1 / 2", 2048 },
	{ "n", 5 },
	{ "small", 255 },
	{ "(signed char)small", -1 },
	{ "(u8)count", 0 },
	{ "(unsigned char)-1 + 1", 256 },
	{ "pid * 2", 24 },
	{ "uid", 0xffffffff },
	{ "uid + 1", 0 },
	{ "file->f_flags", 0x8000 },
	{ "file->f_mode", 5 },
	{ "file->f_low", -4 },
	{ "file->at.x + file->at.y", 8 },
	{ "file->n[1]", -2 },
	{ "file[0].f_flags", 0x8000 },
	{ "((struct file *)arg0)->f_flags", 0x8000 },
	{ "((struct file *)(count))->at.y", 9 },
	{ "file == 0", 0 },
	{ "file == 4096 && file", 1 },
	{ "file->next == 0 || file->next->f_flags", 1 },
	{ "file->name == \"eight888\"", 1 },
	{ "file->name == \"eight\"", 0 },
	{ "'eight' != file->name", 1 },
	{ "file->tag == \"read\"", 1 },
	{ "file->tag == \"rea\"", 0 },
	{ "file->tag == \"reads\"", 0 },
	{ "comm == \"task\"", 1 },
	{ "comm == \"\"", 0 },
	{ "(u64)file->tag & 7", 0 },
	{ "str(file->tag) == \"read\"", 1 },
	{ "str((u64)file->tag + 1) == \"ead\"", 1 },
	{ "\"re\" == str(file->tag, 2)", 1 },
	{ "str(file->tag, 2) == \"r\"", 0 },
	{ "str(file->tag, 5) != \"read\"", 0 },
	{ "str((u64)arg0 + 16, 9) == \"eight888@\"", 1 },
	{ "str((u64)arg0 + 16, 126) == \"eight888@\"", 0 },
};

static void test_values(void **state)
{
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(value_cases) / sizeof(*value_cases); i++) {
		value = 0;
		assert_int_equal(run(value_cases[i].text, EXPR_KEY, &value), KSTATS_EXPR_YES);
		if (value != (uint64_t)value_cases[i].value)
			fail_msg("%s is %lld", value_cases[i].text, (long long)value);
	}
}

static void test_errors_of_values(void **state)
{
	uint64_t value = 1;

	assert_int_equal(run("1 / (count - 4096)", EXPR_VALUE, &value), KSTATS_EXPR_DIVISION);
	assert_int_equal(run("1 % 0", EXPR_VALUE, &value), KSTATS_EXPR_DIVISION);
	assert_int_equal(run("file->next->f_flags", EXPR_VALUE, &value), KSTATS_EXPR_UNREADABLE);
	assert_int_equal(run("file->next->name == \"\"", EXPR_VALUE, &value),
			 KSTATS_EXPR_UNREADABLE);
	assert_int_equal(run("file->at.x", EXPR_VALUE, &value), KSTATS_EXPR_NEGATIVE);
	assert_int_equal(run("-1", EXPR_VALUE, &value), KSTATS_EXPR_NEGATIVE);
	assert_int_equal(run("(unsigned long)-1", EXPR_VALUE, &value), KSTATS_EXPR_YES);
	assert_true(value == UINT64_MAX);
	assert_int_equal(run("file->at.x", EXPR_CONDITION, &value), KSTATS_EXPR_YES);
	assert_int_equal(run("file->next", EXPR_CONDITION, &value), KSTATS_EXPR_NO);
	/* What is not reached has no error. */
	assert_int_equal(run("0 && 1 / 0", EXPR_CONDITION, &value), KSTATS_EXPR_NO);
	assert_int_equal(run("1 || 1 / 0", EXPR_CONDITION, &value), KSTATS_EXPR_YES);
}

/* ---- words that are refused ---- */

static const struct {
	const char *text, *why, *next;
} refusals[] = {
	{ "", "column 1: an operand is missing at the end", "" },
	{ "1 +", "column 4: an operand is missing at the end", "" },
	{ "1 2", "column 3: an operator is missing before '2'", "" },
	{ "(1", "column 3: the bracket ')' is missing at the end", "" },
	{ "1)", "column 2: an operator is missing before ')'", "" },
	{ "n = 1", "column 3: nothing is assigned here", "write == to compare" },
	{ "n @ 1", "column 3: '@' has no meaning here", "" },
	{ "\x01", "column 1: the byte 0x01 has no meaning here", "" },
	{ "007", "column 1: a number that begins with 0 would be octal in C",
	  "leave out the 0, or write it in hexadecimal with 0x" },
	{ "0x", "column 1: no digits follow 0x", "" },
	{ "12q", "column 3: the number has an ending that is not known",
	  "a number ends in k, M, G, KiB, MiB, GiB, ns, us, ms or s" },
	{ "18446744073709551616", "column 1: the number does not fit into 64 bits", "" },
	{ "17179869184G", "column 1: the number does not fit into 64 bits", "" },
	{ "comm == \"a", "column 9: the string does not end", "strings stand between quotes" },
	{ "file->", "column 7: the name of a member is missing at the end", "" },
	{ "file->n[n]", "column 9: an index, which is a number, is missing before 'n'", "" },
	{ "file->n[3]", "column 9: the array has 3 elements", "" },
	{ "file->f_flag", "column 7: struct file has no f_flag", "did you mean f_flags" },
	{ "file.f_flags", "column 1: this is struct file *, which has no member f_flags",
	  "write -> in place of ." },
	{ "file->at->x", "column 7: this is struct at, which has no member x",
	  "write . in place of ->" },
	{ "file->inode->x", "column 7: this is struct inode *, whose members are not known",
	  "cast it first, as in ((struct file *)arg0)->f_flags" },
	{ "file->ratio", "column 7: this is double, which has no value here", "" },
	{ "file->at", "column 7: this is struct at, and a number is needed",
	  "name a member of it" },
	{ "n->x", "column 1: this is int, which has no member x", "" },
	{ "n[0]", "column 1: this is int, not an array", "" },
	{ "coun", "column 1: f has no parameter coun, and there is no constant of that name",
	  "did you mean count" },
	{ "arg6", "column 1: f has 6 parameters", "parameters count from arg0" },
	{ "where", "column 1: it is a structure that is passed by value", "" },
	{ "behind", "column 1: a structure that is passed by value stands before it", "" },
	{ "ret", "column 1: there is no return value at this point",
	  "leave it out, or measure a function to its return" },
	{ "duration", "column 1: there is no duration at this point", "" },
	{ "file + 1", "column 1: this is a pointer (struct file *), and a number is needed",
	  "read a member by ->, or cast it, as in (u64)ptr" },
	{ "str(\"a\") == \"a\"", "column 5: this is a string already", "leave out str()" },
	{ "str(comm) == \"a\"", "column 5: this is a string already", "leave out str()" },
	{ "str(file->name) == \"a\"", "column 11: this is a string already", "leave out str()" },
	{ "str(file->at) == \"a\"", "column 11: this is struct at, and a number is needed",
	  "name a member of it" },
	{ "str(arg0) + 1", "column 1: this is a string, and a number is needed",
	  "compare it by == or != with a string in quotes" },
	{ "str(arg0, 2) == \"abc\"",
	  "column 17: the string in quotes has 3 bytes, and what it is compared with at most 2",
	  "" },
	{ "str(arg0, 0)", "column 11: str() reads 1 to 126 bytes", "" },
	{ "str(arg0, 127)", "column 11: str() reads 1 to 126 bytes", "" },
	{ "str(arg0, n)", "column 11: the number of bytes is missing before 'n'", "" },
	{ "str(arg0", "column 9: the bracket ')' is missing at the end", "" },
	{ "comm", "column 1: this is a string, and a number is needed",
	  "record a number; --by takes strings" },
	{ "comm + 1", "column 1: this is a string, and a number is needed",
	  "compare it by == or != with a string in quotes" },
	{ "\"a\" + 1", "column 1: a string can only be compared by == or !=",
	  "compare it with a string, or with str(...)" },
	{ "\"a\" == \"a\"", "column 1: two strings in quotes are compared", "" },
	{ "n == \"a\"", "column 1: this is int, not a string",
	  "read it as a string, as in str(arg0), or leave out the quotes" },
	{ "file->name == \"ninebytes\"",
	  "column 15: the string in quotes has 9 bytes, and what it is compared with at "
	  "most 8",
	  "" },
	{ "(struct nothing *)file", "column 1: the kernel has no type struct nothing", "" },
	{ "(struct file)file", "column 1: struct file is not a number",
	  "cast it to a pointer, and use ->" },
	{ "softirq(n) == \"net_xx\"", "column 15: softirq() is never 'net_xx'",
	  "did you mean net_" },
	{ "softirq(n) == 5", "column 15: softirq() has a name, and this is none",
	  "compare it with a name in quotes, or leave out its name" },
	{ "softirq(n) < \"hi\"",
	  "column 9: softirq() has a name, which can only be compared by == or !=",
	  "compare it with a name in quotes, or leave its name out" },
	{ "softirq(n) == softirq(n)",
	  "column 9: softirq() has a name, which can only be compared by == or !=", "" },
	{ "1 + softirq(n)",
	  "column 13: softirq() has a name, which can only be compared by == or !=", "" },
	{ "softirq(n", "column 10: the bracket ')' is missing at the end", "" },
	{ "port(n) == 65536", "column 12: port() is never '65536'", "" },
	{ "state(n) == \"idle\"", "column 13: state() cannot be compared with 'idle'",
	  "compare the number, without its name" },
	{ "errno(n) == \"ENOENT\"", "column 13: errno() is never 'ENOENT'", "" },
	{ "(u64)comm", "column 1: only numbers and pointers can be cast", "" },
};

/* ---- keys of several parts ---- */

static void test_key_parts(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} keys[] = {
		{ "(int)-1", UINT64_MAX },
		{ "(u8)1,(unsigned short)2", 0x10002 },
		{ "(unsigned short)1,(char)-2,(int)-3", 0x1fefffffffd },
		{ "(signed char)-1,(u8)2", 0xff02 },
		{ "n,(unsigned int)count", 0x500001000 },
		{ "(u8)1,(u8)2,(u8)3,(u8)4,(u8)5,(u8)6,(u8)7,(u8)8", 0x102030405060708 },
	};
	struct error e = {};
	uint64_t value;
	struct expr x;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		value = 1;
		assert_int_equal(run(keys[i].text, EXPR_KEY, &value), KSTATS_EXPR_YES);
		if (value != keys[i].value)
			fail_msg("%s is %#lx", keys[i].text, (unsigned long)value);
	}
	assert_int_equal(expr_parse_key(&x, "--key", "(u8)1,n,(unsigned short)2", &e), 0);
	assert_int_equal(expr_check(&x, "--key", &entry, EXPR_KEY, &e), 0);
	assert_int_equal(x.parts, 0x142);
	assert_int_equal(expr_parse_key(&x, "--key", "n,n,(u8)1", &e), 0);
	assert_int_equal(expr_check(&x, "--key", &entry, EXPR_KEY, &e), -EINVAL);
	assert_string_equal(e.why, "column 5: the values have 9 bytes together, and a key has 8");
	assert_int_equal(expr_parse_key(&x, "--key", "n,comm", &e), 0);
	assert_int_equal(expr_check(&x, "--key", &entry, EXPR_KEY, &e), -EINVAL);
	assert_int_equal(strncmp(e.next, "join start and end by a number", 30), 0);
	assert_int_equal(expr_parse_key(&x, "--key", "comm", &e), 0);
	assert_int_equal(expr_check(&x, "--key", &entry, EXPR_KEY, &e), -EINVAL);
	assert_int_equal(strncmp(e.next, "join start and end by a number", 30), 0);
	assert_int_equal(expr_parse(&x, "--if", "n,n", &e), -EINVAL);
}

static void test_refused(void **state)
{
	struct error e;
	struct expr x;
	size_t i;

	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		e = (struct error){};
		if (!expr_parse(&x, "--value", refusals[i].text, &e) &&
		    !expr_check(&x, "--value", &entry, EXPR_VALUE, &e))
			fail_msg("%s is accepted", refusals[i].text);
		assert_string_equal(e.why, refusals[i].why);
		assert_int_equal(strncmp(e.next, refusals[i].next, strlen(refusals[i].next)), 0);
		assert_non_null(strstr(e.what, "for --value"));
	}
}

static void test_limits(void **state)
{
	char text[EXPR_LENGTH_MAX + 2];
	struct error e = {};
	struct expr x;
	int i;

	memset(text, ' ', sizeof(text));
	text[0] = '1';
	text[EXPR_LENGTH_MAX] = '\0';
	assert_int_equal(expr_parse(&x, "--if", text, &e), 0);
	text[EXPR_LENGTH_MAX] = ' ';
	text[EXPR_LENGTH_MAX + 1] = '\0';
	assert_int_equal(expr_parse(&x, "--if", text, &e), -EINVAL);
	assert_non_null(strstr(e.why, "longer than 400 bytes"));
	memset(text, '!', EXPR_DEPTH_MAX);
	strcpy(text + EXPR_DEPTH_MAX, "1");
	assert_int_equal(expr_parse(&x, "--if", text, &e), 0);
	memset(text, '!', EXPR_DEPTH_MAX + 1);
	strcpy(text + EXPR_DEPTH_MAX + 1, "1");
	assert_int_equal(expr_parse(&x, "--if", text, &e), -EINVAL);
	assert_non_null(strstr(e.why, "inside each other"));
	strcpy(text, "1");
	for (i = 1; i < EXPR_NODES_MAX / 2; i++)
		strcat(text, "+1");
	assert_int_equal(expr_parse(&x, "--if", text, &e), 0);
	strcat(text, "+1");
	assert_int_equal(expr_parse(&x, "--if", text, &e), -EINVAL);
	assert_non_null(strstr(e.why, "operands and operators"));
}

/* ---- conditions with parts of the entry and of the end ---- */

static void check_split(const char *text, unsigned int when, bool at_entry, bool at_end)
{
	struct expr x, first, last;
	struct error e;

	assert_int_equal(expr_parse(&x, "--if", text, &e), 0);
	assert_int_equal(expr_when(&x), when);
	expr_split(&x, &first, &last);
	assert_int_equal(!!first.n, at_entry);
	assert_int_equal(!!last.n, at_end);
	assert_int_equal(expr_when(&first) & EXPR_AT_END, 0);
}

static void test_split(void **state)
{
	check_split("count > 1", EXPR_AT_ENTRY, true, false);
	check_split("pid == 1", 0, true, false);
	check_split("ret < 0", EXPR_AT_END, false, true);
	check_split("ret == -EAGAIN", EXPR_AT_END, false, true);
	check_split("count && ret < 0", EXPR_AT_ENTRY | EXPR_AT_END, true, true);
	check_split("ret && (count && duration > 1k) && n",
		    EXPR_AT_ENTRY | EXPR_AT_END | EXPR_AT_BOTH, true, true);
	check_split("count || ret", EXPR_AT_ENTRY | EXPR_AT_END, false, true);
	check_split("!(count && n)", EXPR_AT_ENTRY, true, false);
}

static void test_split_values(void **state)
{
	struct expr_input in = { .params = params, .read = read_memory, .ret = 7 };
	struct expr x, first, last;
	struct expr_point end = entry;
	struct error e;

	end.has_ret = true;
	end.ret = INT;
	assert_int_equal(expr_parse(&x, "--if", "ret > 5 && count && ret < 8 && n == 5", &e), 0);
	expr_split(&x, &first, &last);
	assert_int_equal(expr_check(&first, "--if", &entry, EXPR_CONDITION, &e), 0);
	assert_int_equal(expr_check(&last, "--if", &end, EXPR_CONDITION, &e), 0);
	assert_int_equal(expr_run(&(struct expr_wanted){ .condition = &first }, &in, NULL),
			 KSTATS_EXPR_YES);
	assert_int_equal(expr_run(&(struct expr_wanted){ .condition = &last }, &in, NULL),
			 KSTATS_EXPR_YES);
	in.ret = 8;
	assert_int_equal(expr_run(&(struct expr_wanted){ .condition = &last }, &in, NULL),
			 KSTATS_EXPR_NO);
}

/* At points in programs no types are known. */
static void test_without_types(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} casts[] = { { "(u8)511", 255 },           { "(u16)65537", 1 },
		      { "(u32)4294967301", 5 },     { "(u64)4294967301", 4294967301 },
		      { "(s8)511 < 0", 1 },         { "(s16)65535 < 0", 1 },
		      { "(s32)4294967295 < 0", 1 }, { "(s64)18446744073709551615 < 0", 1 },
		      { "(u32)4294967295 > 0", 1 } };
	struct expr_point point = { .name = "f" };
	struct expr_input in = {};
	struct error e = {};
	struct expr x;
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(casts) / sizeof(*casts); i++) {
		assert_int_equal(expr_parse(&x, "--value", casts[i].text, &e), 0);
		assert_int_equal(expr_check(&x, "--value", &point, EXPR_VALUE, &e), 0);
		assert_int_equal(expr_run(&(struct expr_wanted){ .value = &x }, &in, &value),
				 KSTATS_EXPR_YES);
		assert_int_equal(value, casts[i].value);
	}
	assert_int_equal(expr_parse(&x, "--value", "(u7)1", &e), 0);
	assert_int_equal(expr_check(&x, "--value", &point, EXPR_VALUE, &e), -EINVAL);
	assert_non_null(strstr(e.why, "the kernel has no type u7"));
}

/* A string as a part of a key: whole, or cut and marked. */
static void test_key(void **state)
{
	static const struct {
		const char *text, *bytes;
		unsigned int words;
	} keys[] = { { "str((u64)arg0 + 16, 8)", "eight888\1", 2 },
		     { "str((u64)arg0 + 16, 10)", "eight888@\x10", 2 },
		     { "str(file->tag, 4)", "read", 1 },
		     { "file->name", "eight888", 2 },
		     { "file->tag", "read", 8 } };
	struct expr_input in = { .params = params, .read = read_memory };
	struct expr_wanted wanted = { .use = EXPR_BY };
	uint64_t words[KSTATS_BY_WORDS];
	struct error e = {};
	struct expr x;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		memset(words, 0, sizeof(words));
		wanted.by[0] = &x;
		assert_int_equal(expr_parse(&x, "--by", keys[i].text, &e), 0);
		assert_int_equal(expr_check(&x, "--by", &entry, EXPR_BY, &e), 0);
		assert_int_equal(expr_part(&x).words, keys[i].words);
		assert_int_equal(expr_run(&wanted, &in, words), KSTATS_EXPR_YES);
		assert_string_equal((char *)words, keys[i].bytes);
	}
}

/* Of values that stand alone, one that cannot be read leaves the others as they are. */
static void test_alone(void **state)
{
	static const char *const texts[] = { "str((u64)arg0 + 16, 8)", "1 / (pid - pid)",
					     "file->name", "7" };
	struct expr_input in = { .params = params, .read = read_memory };
	struct expr_wanted wanted = { .alone = true };
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	uint64_t words[1 + KSTATS_BY_WORDS] = {};
	struct error e = {};
	struct expr x[4];
	size_t i;

	for (i = 0; i < 4; i++) {
		wanted.by[i] = &x[i];
		assert_int_equal(expr_parse(&x[i], "--show", texts[i], &e), 0);
		assert_int_equal(expr_check(&x[i], "--show", &entry, EXPR_BY, &e), 0);
	}
	assert_int_equal(expr_run(&wanted, &in, words), KSTATS_EXPR_YES);
	assert_int_equal(words[0], 0xd);
	assert_string_equal((char *)&words[1], "eight888\1");
	assert_string_equal((char *)&words[4], "eight888");
	assert_int_equal(words[6], 7);
	assert_true(expr_compile(&wanted, EXPR_CTX_TRACE, insns) > 0);
}

/* How often the task left the processor: only where the end is in the task of the start. */
static void test_switches(void **state)
{
	struct expr_input in = { .params = params, .read = read_memory, .switches = 3 };
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	struct expr_point end = entry;
	struct error e = {};
	uint64_t value = 0;
	struct expr x;

	assert_int_equal(expr_parse(&x, "--value", "switches * 2", &e), 0);
	assert_int_equal(expr_when(&x), EXPR_AT_END | EXPR_AT_BOTH | EXPR_SWITCHES_OF_CALL);
	assert_int_equal(expr_check(&x, "--value", &end, EXPR_VALUE, &e), -EINVAL);
	assert_non_null(strstr(e.why, "joined by its task"));
	end.is_end = end.has_switches = true;
	assert_int_equal(expr_parse(&x, "--value", "switches * 2", &e), 0);
	assert_int_equal(expr_check(&x, "--value", &end, EXPR_VALUE, &e), 0);
	assert_int_equal(expr_run(&(struct expr_wanted){ .value = &x }, &in, &value),
			 KSTATS_EXPR_YES);
	assert_int_equal(value, 6);
	assert_true(expr_compile(&(struct expr_wanted){ .value = &x }, EXPR_CTX_REGS, insns) > 0);
}

static void test_cut(void **state)
{
	assert_int_equal(expr_cut("str(a, 5),b"), 9);
	assert_int_equal(expr_cut("a),b"), 2);
	assert_int_equal(expr_cut("a,b"), 1);
	assert_int_equal(expr_cut("a"), 1);
	assert_int_equal(expr_cut("comm == \",\",b"), 11);
}

/* ---- instructions ---- */

static void test_instructions(void **state)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	struct expr_point sixth = entry;
	char *text = NULL;
	struct error e;
	struct expr x;
	size_t size;
	FILE *out;
	int n;

	assert_int_equal(expr_parse(&x, "--if", "count > 4k", &e), 0);
	assert_int_equal(expr_check(&x, "--if", &entry, EXPR_CONDITION, &e), 0);
	n = expr_compile(&(struct expr_wanted){ .condition = &x }, EXPR_CTX_TRACE, insns);
	out = open_memstream(&text, &size);
	expr_print_insns(insns, n, out);
	fclose(out);
	assert_string_equal(text, "   0: r6 = r1\n"
				  "   1: r0 = *(u64 *)(r6 +8)\n"
				  "   2: if r0 <= 4096 goto 5\n"
				  "   3: r0 = 1\n"
				  "   4: exit\n"
				  "   5: r0 = 0\n"
				  "   6: exit\n");
	free(text);
	/* With kprobes a seventh parameter is on the stack. */
	sixth.n_params = 7;
	sixth.params[4].type = INT;
	sixth.params[6].type = INT;
	assert_int_equal(expr_parse(&x, "--if", "arg6", &e), 0);
	assert_int_equal(expr_check(&x, "--if", &sixth, EXPR_CONDITION, &e), 0);
	n = expr_compile(&(struct expr_wanted){ .condition = &x }, EXPR_CTX_REGS, insns);
	assert_int_equal(n, -ENXIO);
}

/* As clang names integers. */
static uint32_t find_as_clang(const void *of, const char *name)
{
	return !strcmp(name, "unsigned long") ? 7 : !strcmp(name, "int") ? 3 : 0;
}

static void test_integers(void **state)
{
	const struct expr_types types = { .find = find_as_clang };

	assert_int_equal(expr_integer(&types, 8, false), 7);
	assert_int_equal(expr_integer(&types, 4, true), 3);
	assert_int_equal(expr_integer(&types, 8, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_errors_of_values),
		cmocka_unit_test(test_key_parts),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_split_values),
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_without_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
