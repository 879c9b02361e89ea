// SPDX-License-Identifier: GPL-2.0-only
/* stacks.c - frames of the kernel, and frames as text. */
#include "stacks/priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stacks *stacks_open(const char *root)
{
	struct stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->root = strdup(root);
	if (!s->root) {
		free(s);
		return NULL;
	}
	return s;
}

void stacks_read(struct stacks *s)
{
	if (s->kernel_read)
		return;
	s->kernel_read = true;
	s->kernel_err = symbols_read(&s->kernel, s->root, NULL);
}

/* symbols_place() takes return addresses. */
void stacks_kernel(struct stacks *s, uint64_t address, enum stacks_kind kind,
		   struct stacks_frame *f)
{
	struct lines_place place;

	stacks_read(s);
	*f = (struct stacks_frame){ .offset = address };
	if (s->kernel_err ||
	    !symbols_place(&s->kernel, NULL, address + (kind == STACKS_PLACE), &place))
		return;
	*f = (struct stacks_frame){ .function = place.function,
				    .in = place.module,
				    .in_kernel = true,
				    .offset = place.offset + (kind == STACKS_RETURN) };
}

void stacks_read_data(struct stacks *s)
{
	if (s->kernel_read)
		return;
	s->kernel_read = true;
	s->kernel_err = symbols_read_both(&s->kernel, &s->data, s->root, NULL);
}

bool stacks_pointer(struct stacks *s, uint64_t address, struct stacks_frame *f, bool *is_shared)
{
	struct lines_place place;

	if (s->kernel_err || !s->data.n ||
	    !symbols_pointer(&s->kernel, &s->data, address, &place, is_shared))
		return false;
	*f = (struct stacks_frame){ .function = place.function,
				    .in = place.module,
				    .in_kernel = true,
				    .offset = place.offset };
	return true;
}

const char *stacks_hidden(struct stacks *s)
{
	stacks_read(s);
	if (s->kernel_err == -EACCES)
		return "the kernel hides the addresses of its functions: run it with CAP_SYSLOG, "
		       "and with the sysctl kernel.kptr_restrict below 2";
	return s->kernel_err ? "/proc/kallsyms cannot be read" : NULL;
}

static void without_semicolons(char *text)
{
	for (; (text = strchr(text, ';')); text++)
		*text = ':';
}

char *stacks_text(const struct stacks_frame *f, bool with_offset, char *buf, size_t size)
{
	char offset[24] = "";

	if (with_offset || !f->function)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, f->offset);
	if (f->function && f->in_kernel && *f->in)
		snprintf(buf, size, "%s%s [%s]", f->function, offset, f->in);
	else if (f->function)
		snprintf(buf, size, "%s%s", f->function, offset);
	else if (f->in)
		snprintf(buf, size, "[%s%s]", f->in, offset);
	else
		snprintf(buf, size, f->offset ? "%s" : "[unknown]", offset + 1);
	without_semicolons(buf);
	return buf;
}

void stacks_close(struct stacks *s)
{
	if (!s)
		return;
	stacks_unfollow(s);
	symbols_free(&s->kernel);
	symbols_free(&s->data);
	stacks_free_processes(s);
	stacks_free_files(s);
	free(s->root);
	free(s);
}
