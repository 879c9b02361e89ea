// SPDX-License-Identifier: GPL-2.0-only
/* program.c - see program.h. */
#include "program.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/recording.h"

#define FILES_MAX 200
#define NAME 96

extern char **environ;

static char *file_name(char *name, const struct program *p, bool judged, unsigned int i)
{
	snprintf(name, NAME, "%s/%s-%03u.json", p->folder, judged ? "run" : "base", i + 1);
	return name;
}

void program_open(struct program *p, const char *path)
{
	const char *under = getenv("TMPDIR");

	*p = (struct program){ .path = path };
	snprintf(p->folder, sizeof(p->folder), "%.40s/verdicts-XXXXXX", under ? under : "/tmp");
	if (!mkdtemp(p->folder)) {
		perror(p->folder);
		exit(2);
	}
}

static void write_run(const struct program *p, bool judged, unsigned int i,
		      const struct snapshot *run)
{
	struct recording *r = recording_new((struct snapshot *)run);
	char name[NAME];
	struct error e;
	FILE *f = fopen(file_name(name, p, judged, i), "w");

	if (!f || !r || recording_save(r, f, &e) || fclose(f)) {
		perror(name);
		exit(2);
	}
	r->whole = NULL; /* it is not ours */
	recording_free(r);
}

void program_write(struct program *p, const struct compare_set *base,
		   const struct compare_set *judged)
{
	unsigned int i;

	for (i = 0; i < base->n; i++)
		write_run(p, false, i, base->runs[i]);
	for (i = 0; i < judged->n; i++)
		write_run(p, true, i, judged->runs[i]);
	p->written[0] = base->n;
	p->written[1] = judged->n;
}

static pid_t start(const char *path, char **words, int out)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (posix_spawn(&pid, path, &actions, NULL, words, environ)) {
		perror(path);
		exit(2);
	}
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

int program_run(const char *path, char **words, char *text)
{
	int out[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		abort();
	pid = start(path, words, out[1]);
	close(out[1]);
	while ((got = read(out[0], text + n, PROGRAM_TEXT - 1 - n)) > 0)
		n += got;
	text[n] = '\0';
	close(out[0]);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

int program_check(const struct program *p, const char *rule, const char *confidence, char *text)
{
	bool relative = !strpbrk(rule, "<>");
	char names[FILES_MAX][NAME], *words[FILES_MAX + 8] = { "kstats-bpf", "check" };
	unsigned int n = 2, k = 0, i;

	for (i = 0; i < p->written[1]; i++)
		words[n++] = file_name(names[k++], p, true, i);
	words[n++] = relative ? "--max-increase" : "--assert";
	words[n++] = (char *)rule;
	words[n++] = "--confidence";
	words[n++] = (char *)confidence;
	if (relative)
		words[n++] = "--base";
	for (i = 0; relative && i < p->written[0]; i++)
		words[n++] = file_name(names[k++], p, false, i);
	return program_run(p->path, words, text);
}

void program_close(struct program *p)
{
	char name[NAME];
	unsigned int k, i;

	for (k = 0; k < 2; k++)
		for (i = 0; i < p->written[k]; i++)
			unlink(file_name(name, p, k, i));
	rmdir(p->folder);
}
