// SPDX-License-Identifier: GPL-2.0-only
/* program.c - the program of a command, which u:%:FUNCTION stands for. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"

#define ENDS_WORD " \t"
#define NOT_PLAIN "\\'\"`$*?[]{}~#!=<>;&|()\n" /* in a word, these mean something to a shell */

static bool is_own(const struct spec_point *p)
{
	return (spec_is_user(p->kind) && !strcmp(p->module, SPEC_OWN)) ||
	       (p->next && is_own(p->next));
}

bool spec_names_own(const struct spec *spec)
{
	size_t i;

	for (i = 0; i < spec->n_targets; i++)
		if (is_own(&spec->targets[i]))
			return true;
	return is_own(&spec->start) || is_own(&spec->end) || is_own(&spec->cancel) ||
	       is_own(&spec->via) || is_own(&spec->at);
}

/* "sh -c TEXT" runs what TEXT names. */
static const char *text_of_shell(char *const *command)
{
	static const char *const shells[] = { "sh", "dash", "bash" };
	const char *slash = strrchr(command[0], '/'), *name = slash ? slash + 1 : command[0];
	size_t i;

	for (i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (!strcmp(name, shells[i]) && command[1] && !strcmp(command[1], "-c"))
			return command[2];
	return NULL;
}

/* Whether a shell would do anything but start one program. What is quoted is an argument. */
static bool is_one_program(const char *text)
{
	char quote = '\0', before = '\0';

	for (; *text; before = *text++) {
		if (quote != '\'' && (*text == '`' || (*text == '$' && text[1] == '(')))
			return false;
		if (*text == '\\' && quote != '\'' && text[1])
			text++;
		else if (quote)
			quote = *text == quote ? '\0' : quote;
		else if (*text == '\'' || *text == '"')
			quote = *text;
		else if (strchr(";|()\n", *text))
			return false;
		else if (*text == '&' && before != '>' && before != '<' && text[1] != '>')
			return false;
	}
	return true;
}

static size_t word_length(const char *text)
{
	return strcspn(text, ENDS_WORD);
}

/* Length of "NAME=value " at the begin of a text, if its value is plain, or 0. */
static size_t assignment(const char *text)
{
	size_t name = 0, value;

	while (isalnum((unsigned char)text[name]) || text[name] == '_')
		name++;
	if (!name || text[name] != '=')
		return 0;
	value = word_length(text + name + 1);
	return strcspn(text + name + 1, NOT_PLAIN) < value ? 0 : name + 1 + value;
}

static char *first_program(const char *text)
{
	size_t len;

	do {
		text += strspn(text, ENDS_WORD);
		len = !strncmp(text, "exec ", 5) ? 5 : assignment(text);
		text += len;
	} while (len);
	len = word_length(text);
	return len && strcspn(text, NOT_PLAIN) >= len ? strndup(text, len) : NULL;
}

/* "cd FOLDER && TEXT": returns TEXT, and the length of FOLDER; else the text, and 0. */
static const char *after_folder(const char *text, const char **folder, size_t *len)
{
	const char *rest;

	*len = 0;
	text += strspn(text, ENDS_WORD);
	if (strncmp(text, "cd ", 3))
		return text;
	*folder = text + 3 + strspn(text + 3, ENDS_WORD);
	rest = *folder + word_length(*folder);
	if (strcspn(*folder, NOT_PLAIN) < (size_t)(rest - *folder))
		return text;
	rest += strspn(rest, ENDS_WORD);
	if (strncmp(rest, "&&", 2))
		return text;
	*len = word_length(*folder);
	return rest + 2;
}

static char *program_of_text(const char *text)
{
	const char *folder = NULL;
	char *program, *path = NULL;
	size_t len;

	text = after_folder(text, &folder, &len);
	program = is_one_program(text) ? first_program(text) : NULL;
	if (!program || !len || *program == '/' || !strchr(program, '/'))
		return program;
	if (asprintf(&path, "%.*s/%s", (int)len, folder, program) < 0)
		path = NULL;
	free(program);
	return path;
}

char *spec_program(const struct spec *spec, struct error *e)
{
	const char *text = spec->command ? text_of_shell(spec->command) : NULL;
	char *program;

	if (!spec->command) {
		error_set(e, EXIT_USAGE, -EINVAL, "there is no command after --",
			  "add -- COMMAND, or name the file: u:BINARY:FUNCTION",
			  "cannot tell which program u:%% is");
		return NULL;
	}
	program = text ? program_of_text(text) : strdup(spec->command[0]);
	if (!program)
		error_set(e, EXIT_USAGE, -EINVAL, "a shell may start several from it",
			  "give one program and its arguments, or name the file: "
			  "u:BINARY:FUNCTION",
			  "cannot tell which program u:%% is in '%s'",
			  text ? text : spec->command[0]);
	return program;
}
