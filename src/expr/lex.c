// SPDX-License-Identifier: GPL-2.0-only
/* lex.c - the tokens of an expression. */
#include "expr/priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "util/units.h"

int expr_bad(struct error *e, const char *option, const struct expr *x, unsigned int at,
	     const char *next, const char *why, ...)
{
	char text[320], full[384];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	snprintf(full, sizeof(full), "column %u: %s", at + 1, text);
	return error_set(e, EXIT_USAGE, -EINVAL, full, next, "cannot use '%.*s' for %s", 200,
			 x->text, option);
}

const char *expr_text(const struct expr *x, const struct expr_node *node, char *buf, size_t size)
{
	snprintf(buf, size, "%.*s", (int)node->length, x->text + node->text);
	return buf;
}

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static int lex_bad(struct expr_reader *r, unsigned int at, const char *next, const char *why)
{
	r->token.kind = TOKEN_BAD;
	return expr_bad(r->e, r->option, r->x, at, next, "%s", why);
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/*
 * A number with a unit of time, "1.5ms", in nanoseconds. Minutes and hours are left out: "5m"
 * could be five million. Return: its bytes, 0 if it is none, -1 if it is one that does not fit.
 */
static int lex_time(const char *p, uint64_t *ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t digits = strspn(p, "0123456789."), length = digits, i;
	char word[48];

	while (is_name_byte(p[length]))
		length++;
	for (i = 0; i < 4; i++)
		if (strlen(units[i]) == length - digits &&
		    !strncmp(p + digits, units[i], length - digits))
			break;
	if (i == 4 || length >= sizeof(word))
		return 0;
	snprintf(word, sizeof(word), "%.*s", (int)length, p);
	return units_parse_duration(word, 0, ns) ? -1 : (int)length;
}

/* The power of 2 that a letter behind a number multiplies it by. */
static unsigned int shift_of(char letter)
{
	return letter == 'k' || letter == 'K' ? 10 : letter == 'M' ? 20 : letter == 'G' ? 30 : 0;
}

static int lex_read_number(struct expr_reader *r, const char *p)
{
	static const char too_large[] = "the number does not fit into 64 bits";
	bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	struct expr_token *t = &r->token;
	int base = hex ? 16 : 10, shift, time = lex_time(p, &t->number);
	const char *begin = p;
	uint64_t n = 0;

	if (time < 0)
		return lex_bad(r, t->at, "write it like 10us, 1.5ms or 2s",
			       "the time is too long, or finer than a nanosecond");
	t->kind = TOKEN_NUMBER;
	t->length = time;
	if (time)
		return 0;
	if (hex)
		p += 2;
	if (digit_of(*p) >= base)
		return lex_bad(r, t->at, NULL, "no digits follow 0x");
	if (!hex && p[0] == '0' && isdigit((unsigned char)p[1]))
		return lex_bad(r, t->at, "leave out the 0, or write it in hexadecimal with 0x",
			       "a number that begins with 0 would be octal in C");
	for (; digit_of(*p) < base; p++)
		if (__builtin_mul_overflow(n, base, &n) ||
		    __builtin_add_overflow(n, digit_of(*p), &n))
			return lex_bad(r, t->at, NULL, too_large);
	shift = shift_of(*p);
	if (shift) {
		p += p[1] == 'i' && p[2] == 'B' ? 3 : 1;
		if (n >> (64 - shift))
			return lex_bad(r, t->at, NULL, too_large);
		n <<= shift;
	}
	if (is_name_byte(*p))
		return lex_bad(r, p - r->x->text,
			       "a number ends in k, M, G, KiB, MiB, GiB, ns, us, ms or s",
			       "the number has an ending that is not known");
	t->kind = TOKEN_NUMBER;
	t->number = n;
	t->length = p - begin;
	return 0;
}

static int lex_read_text(struct expr_reader *r, const char *p)
{
	struct expr_token *t = &r->token;
	const char *end = strchr(p + 1, *p);

	if (!end)
		return lex_bad(r, t->at, "strings stand between quotes", "the string does not end");
	if (end - p - 1 > EXPR_TEXT_MAX)
		return lex_bad(r, t->at, NULL, "the string has more than 63 bytes");
	t->kind = TOKEN_TEXT;
	t->length = end + 1 - p;
	return 0;
}

static int read_op(struct expr_reader *r, const char *p)
{
	static const char *const ops[] = { "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "->" };
	struct expr_token *t = &r->token;
	char why[64];
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(*ops) && strncmp(p, ops[i], 2); i++)
		;
	t->kind = TOKEN_OP;
	t->length = i < sizeof(ops) / sizeof(*ops) ? 2 : 1;
	memcpy(t->op, p, t->length);
	t->op[t->length] = '\0';
	if (t->length == 2 || strchr("|^&<>+-*/%!~().[],", *p))
		return 0;
	if (*p == '=')
		return lex_bad(r, t->at, "write == to compare", "nothing is assigned here");
	snprintf(why, sizeof(why),
		 isprint((unsigned char)*p) ? "'%c' has no meaning here"
					    : "the byte 0x%02x has no meaning here",
		 (unsigned char)*p);
	return lex_bad(r, t->at, NULL, why);
}

int expr_next_token(struct expr_reader *r)
{
	struct expr_token *t = &r->token;
	const char *p = r->x->text + t->at + t->length;

	while (*p == ' ' || *p == '\t')
		p++;
	*t = (struct expr_token){ .at = p - r->x->text };
	if (!*p)
		return 0;
	if (isdigit((unsigned char)*p))
		return lex_read_number(r, p);
	if (*p == '"' || *p == '\'')
		return lex_read_text(r, p);
	if (!is_name_byte(*p))
		return read_op(r, p);
	t->kind = TOKEN_NAME;
	while (is_name_byte(p[t->length]))
		t->length++;
	if (t->length >= EXPR_NAME_MAX)
		return lex_bad(r, t->at, NULL, "the name has more than 63 bytes");
	return 0;
}

size_t expr_cut(const char *text)
{
	const char *p = text, *end;
	int depth = 0;

	for (; *p && (*p != ',' || depth > 0); p++) {
		depth += (*p == '(') - (*p == ')');
		end = *p == '"' || *p == '\'' ? strchr(p + 1, *p) : NULL;
		if (end)
			p = end;
	}
	return p - text;
}
