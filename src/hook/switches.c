// SPDX-License-Identifier: GPL-2.0-only
#include "hook/switches.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static const struct {
	const char *path;
	const char *name;
} rows[SWITCHES_N] = {
	{ "/proc/sys/kernel/ftrace_enabled", "ftrace (kernel.ftrace_enabled)" },
	{ "/sys/kernel/debug/kprobes/enabled", "kprobes (debugfs, kprobes/enabled)" },
};

unsigned int switches_of(const struct plan_hook *hook)
{
	switch (hook->type) {
	case PLAN_TP_BTF:
	case PLAN_TRACE_EVENT:
	case PLAN_UPROBE:
	case PLAN_URETPROBE:
	case PLAN_UPROBE_MULTI:
	case PLAN_URETPROBE_MULTI:
	case PLAN_UPROBE_SESSION:
		return 0;
	case PLAN_KPROBE:
	case PLAN_KRETPROBE:
		return SWITCHES_FTRACE | SWITCHES_KPROBES;
	default:
		return SWITCHES_FTRACE;
	}
}

void switches_watch(struct switches *s, const char *root)
{
	char path[512];
	int i;

	s->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	for (i = 0; i < SWITCHES_N; i++) {
		snprintf(path, sizeof(path), "%s%s", root, rows[i].path);
		s->held[i] = open(path, O_RDONLY | O_CLOEXEC);
		s->watches[i] = -1;
		if (s->notify >= 0 && s->held[i] >= 0)
			s->watches[i] = inotify_add_watch(s->notify, path, IN_MODIFY);
	}
}

/* Bits of the switches that were written to since the last call. */
static unsigned int read_written(const struct switches *s)
{
	char buf[4096] __attribute__((aligned(8)));
	const struct inotify_event *ev;
	unsigned int written = 0;
	ssize_t n, at;
	int i;

	while (s->notify >= 0 && (n = read(s->notify, buf, sizeof(buf))) > 0)
		for (at = 0; at < n; at += sizeof(*ev) + ev->len) {
			ev = (const struct inotify_event *)(buf + at);
			for (i = 0; i < SWITCHES_N; i++)
				if (ev->wd == s->watches[i])
					written |= 1U << i;
		}
	return written;
}

static bool is_off(int fd)
{
	char text[16];

	return fd >= 0 && pread(fd, text, sizeof(text), 0) > 0 && text[0] == '0';
}

bool switches_moved(struct switches *s, unsigned int which, char *buf, size_t size)
{
	unsigned int written = read_written(s);
	bool moved = false, off;
	size_t len = 0;
	int i;

	*buf = '\0';
	for (i = 0; i < SWITCHES_N; i++) {
		off = is_off(s->held[i]);
		if (!(which & 1U << i) || !(off || written & 1U << i))
			continue;
		len += snprintf(buf + len, len < size ? size - len : 0, "%s%s %s",
				moved ? ", and " : "", rows[i].name,
				off ? "was switched off"
				    : "may have been off for a time: its "
				      "switch was written to");
		moved = true;
	}
	return moved;
}

static void switches_close_fd(int fd)
{
	if (fd > 0)
		close(fd);
}

void switches_close(struct switches *s)
{
	int i;

	switches_close_fd(s->notify);
	for (i = 0; i < SWITCHES_N; i++)
		switches_close_fd(s->held[i]);
	*s = (struct switches){};
}
