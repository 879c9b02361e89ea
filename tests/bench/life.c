// SPDX-License-Identifier: GPL-2.0-only
/*
 * life.c - how long a tool takes to attach and to go, and the memory it takes.
 * Comes in: the tool and its arguments; one of them, "@", stands for a command that
 * the tool starts once it has attached, "@@" for the same in words. Without it the tool has
 * attached when it holds two links or events, and is interrupted. Goes out: ms to attached, ms from
 * the end to its exit, MiB at most while attached. Called by life.sh.
 */
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ATTACHED_US 300000 /* how long it stays so */
#define POLL_US 1000
#define ARGS_MAX 64

struct life {
	double attached; /* in s, of the clock */
	double end;
	double peak_mib;
};

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static double peak_mib(pid_t pid)
{
	char path[64], line[256];
	double kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %lf", &kib);
	if (f)
		fclose(f);
	return kib / 1024;
}

/* The command that the tool starts. */
static int mark(const char *path)
{
	struct life l = { .attached = now_s() };
	FILE *f = fopen(path, "w");

	usleep(ATTACHED_US);
	l.peak_mib = peak_mib(getppid());
	l.end = now_s();
	return !f || fwrite(&l, sizeof(l), 1, f) != 1 || fclose(f);
}

static bool holds_two(pid_t pid)
{
	char path[320], to[64];
	struct dirent *d;
	ssize_t n;
	int links = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, d->d_name);
		n = readlink(path, to, sizeof(to) - 1);
		to[n < 0 ? 0 : n] = '\0';
		links += strstr(to, "bpf_link") || strstr(to, "bpf-link") ||
			 strstr(to, "perf_event");
	}
	if (dir)
		closedir(dir);
	return links >= 2;
}

static void watch(pid_t pid, struct life *l)
{
	while (!holds_two(pid) && waitpid(pid, NULL, WNOHANG) == 0)
		usleep(POLL_US);
	l->attached = now_s();
	usleep(ATTACHED_US);
	l->peak_mib = peak_mib(pid);
	l->end = now_s();
	kill(pid, SIGINT);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (!freopen("/dev/null", "w", stdout))
		_exit(127);
	execv(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	char self[PATH_MAX - 64] = "", command[PATH_MAX], mark_file[] = "/tmp/life.XXXXXX";
	char *args[ARGS_MAX] = {};
	bool commanded = false, good;
	struct life l = {};
	double begin;
	FILE *f;
	pid_t pid;
	int i, n = 0;

	if (argc == 3 && !strcmp(argv[1], "--mark"))
		return mark(argv[2]);
	if (argc < 2 || argc > ARGS_MAX - 4 ||
	    readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 || mkstemp(mark_file) < 0)
		return 2;
	snprintf(command, sizeof(command), "%s --mark %s", self, mark_file);
	for (i = 1; i < argc; i++) {
		commanded |= argv[i][0] == '@';
		if (!strcmp(argv[i], "@@")) {
			args[n++] = self;
			args[n++] = "--mark";
			args[n++] = mark_file;
		} else {
			args[n++] = strcmp(argv[i], "@") ? argv[i] : command;
		}
	}
	begin = now_s();
	pid = start(args);
	if (!commanded)
		watch(pid, &l);
	waitpid(pid, NULL, 0);
	f = commanded ? fopen(mark_file, "r") : NULL;
	good = !commanded || (f && fread(&l, sizeof(l), 1, f) == 1);
	unlink(mark_file);
	if (!good || !l.peak_mib)
		return 1;
	printf("%.1f %.1f %.1f\n", (l.attached - begin) * 1e3, (now_s() - l.end) * 1e3, l.peak_mib);
	return 0;
}
