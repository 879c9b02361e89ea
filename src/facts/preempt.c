// SPDX-License-Identifier: GPL-2.0-only
/*
 * preempt.c - whether the kernel preempts tasks inside BPF tracing programs.
 *
 * The sources are tried in the order of how reliable they are: what the running kernel
 * reports, its command line, and the configuration it was built with.
 */
#include "facts/priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "util/file.h"

/* From this release on, the kernel may ignore preempt=none and preempt=voluntary. */
#define RELEASE_LAZY 7

static bool is_answered(struct facts *f, bool preempts, const char *why)
{
	f->preempts = preempts;
	snprintf(f->preempts_why, sizeof(f->preempts_why), "%s", why);
	return true;
}

/* preempt=none and preempt=voluntary do not preempt tasks inside programs. */
static bool by_word(struct facts *f, const char *word, const char *from)
{
	bool stays = !strcmp(word, "none") || !strcmp(word, "voluntary");
	char why[sizeof(f->preempts_why)];

	if (!stays && strcmp(word, "full") && strcmp(word, "lazy"))
		return false;
	snprintf(why, sizeof(why), "preempt=%s, %s", word, from);
	return is_answered(f, !stays, why);
}

static bool by_version(struct facts *f)
{
	char text[256];

	if (!file_first_line(f->root, "/sys/kernel/realtime", text, sizeof(text)) && *text == '1')
		return is_answered(f, true, "PREEMPT_RT");
	if (file_first_line(f->root, "/proc/sys/kernel/version", text, sizeof(text)))
		return false;
	if (strstr(text, "PREEMPT_RT"))
		return is_answered(f, true, "PREEMPT_RT");
	if (!strstr(text, "PREEMPT"))
		return is_answered(f, false, "built without preemption");
	return !strstr(text, "PREEMPT_DYNAMIC") &&
	       is_answered(f, true, "built with full or lazy preemption");
}

/* "none voluntary (full)" */
static bool by_switch(struct facts *f)
{
	char text[256], *word;

	if (file_first_line(f->root, "/sys/kernel/debug/sched/preempt", text, sizeof(text)))
		return false;
	word = strchr(text, '(');
	if (!word)
		return false;
	word++;
	word[strcspn(word, ")")] = '\0';
	return by_word(f, word, "as its scheduler says");
}

/* The kernel accepts each word it knows, so the last one counts. */
static bool by_command_line(struct facts *f)
{
	char text[4096], release[65], *save = NULL, *word;
	bool found = false;

	file_first_line(f->root, "/proc/sys/kernel/osrelease", release, sizeof(release));
	if (file_first_line(f->root, "/proc/cmdline", text, sizeof(text)))
		return false;
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (strncmp(word, "preempt=", strlen("preempt=")))
			continue;
		word += strlen("preempt=");
		if (atoi(release) >= RELEASE_LAZY && strcmp(word, "full") && strcmp(word, "lazy"))
			continue;
		found |= by_word(f, word, "on its command line");
	}
	return found;
}

/* Reads the file with or without compression. */
static bool by_config_file(struct facts *f, const char *path)
{
	static const struct {
		const char *line, *word;
	} rows[] = {
		{ "CONFIG_PREEMPT_NONE=y\n", "none" },
		{ "CONFIG_PREEMPT_VOLUNTARY=y\n", "voluntary" },
		{ "CONFIG_PREEMPT=y\n", "full" },
		{ "CONFIG_PREEMPT_LAZY=y\n", "lazy" },
	};
	char full[4400], line[256];
	bool found = false;
	gzFile in;
	size_t i;

	snprintf(full, sizeof(full), "%s%s", f->root, path);
	in = gzopen(full, "re");
	while (in && !found && gzgets(in, line, sizeof(line)))
		for (i = 0; !found && i < sizeof(rows) / sizeof(*rows); i++)
			if (!strcmp(line, rows[i].line))
				found = by_word(f, rows[i].word, "as it was built");
	if (in)
		gzclose(in);
	return found;
}

static bool by_config(struct facts *f)
{
	char release[65], path[128];

	if (!file_first_line(f->root, "/proc/sys/kernel/osrelease", release, sizeof(release))) {
		snprintf(path, sizeof(path), "/boot/config-%s", release);
		if (by_config_file(f, path))
			return true;
		snprintf(path, sizeof(path), "/lib/modules/%s/config", release);
		if (by_config_file(f, path))
			return true;
	}
	return by_config_file(f, "/proc/config.gz");
}

void facts_preempt_read(struct facts *f)
{
	if (!by_version(f) && !by_switch(f) && !by_command_line(f) && !by_config(f))
		is_answered(f, true, "assumed, since this kernel does not tell");
}

bool facts_preempts(const struct facts *f)
{
	return f->preempts;
}

bool facts_tp_preempts(const struct facts *f)
{
	return f->preempts && !f->tp_stays;
}

const char *facts_preempts_why(const struct facts *f)
{
	return f->preempts_why;
}
