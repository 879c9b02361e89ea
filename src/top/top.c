// SPDX-License-Identifier: GPL-2.0-only
/* top.c - wait for time, keys and signals, and show a page after each. */
#include "top/top.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "top/priv.h"
#include "util/caps.h"
#include "util/clock.h"

#define FRAME_WIDTH 80 /* of printed pages, if COLUMNS and LINES do not say otherwise */
#define FRAME_HEIGHT 24
#define FRAME_MOST 1000
#define TOP_CAPS (1ULL << CAP_DAC_OVERRIDE) /* for the files of recordings */

/* What it waits for. */
struct top_wait {
	int signals; /* signalfd */
	int ticks; /* timerfd of the intervals */
	uint64_t begin_ns; /* monotonic clock of the begin */
	uint64_t record_ns; /* of recording */
	uint64_t tick; /* number of intervals, also of those in a pause */
	unsigned int printed; /* pages */
	bool utf8; /* pages may have other characters than those of ASCII */
	bool end; /* it is to end */
	bool changed; /* the page is to be drawn again */
};

/* ---- waiting ---- */

static int top_listen(struct top_wait *w, struct error *e)
{
	static const int watched[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(watched) / sizeof(*watched); i++)
		sigaddset(&set, watched[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	w->ticks = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (w->signals >= 0 && w->ticks >= 0)
		return 0;
	return error_set(e, EXIT_KERNEL, -errno, NULL, NULL, "cannot wait for time and signals");
}

static int top_set_timer(const struct top_wait *w, uint64_t interval_ns, struct error *e)
{
	struct itimerspec its = {};

	its.it_value.tv_sec = its.it_interval.tv_sec = interval_ns / 1000000000;
	its.it_value.tv_nsec = its.it_interval.tv_nsec = interval_ns % 1000000000;
	if (!timerfd_settime(w->ticks, 0, &its, NULL))
		return 0;
	return error_set(e, EXIT_KERNEL, -errno, NULL, NULL, "cannot set a timer");
}

static void top_take_signals(struct top_wait *w)
{
	struct signalfd_siginfo si;

	while (read(w->signals, &si, sizeof(si)) == sizeof(si)) {
		w->changed = true;
		if (si.ssi_signo == SIGTSTP)
			terminal_suspend();
		else if (si.ssi_signo != SIGWINCH)
			w->end = true;
	}
}

/* ---- intervals ---- */

static int top_read(struct top *t, struct top_wait *w, struct error *e)
{
	unsigned int i;
	int err = 0;

	t->screen.tick = w->tick;
	t->screen.wall_ns = clock_ns(CLOCK_REALTIME);
	if (t->screen.record_ns)
		t->screen.record_ns = clock_ns(CLOCK_MONOTONIC) - w->record_ns;
	for (i = 0; !err && i < t->n_sources; i++)
		err = source_tick(t, i, e);
	return err;
}

static int top_tick(struct top *t, struct top_wait *w, struct error *e)
{
	uint64_t n;

	if (read(w->ticks, &n, sizeof(n)) != sizeof(n))
		return 0;
	w->tick += n;
	if (t->duration_ns && clock_ns(CLOCK_MONOTONIC) - w->begin_ns >= t->duration_ns)
		w->end = true;
	/* In a pause all goes on to be counted, and is read at its end. */
	if (t->screen.paused)
		return 0;
	w->changed = true;
	return top_read(t, w, e);
}

static int top_reset(struct top *t, struct error *e)
{
	unsigned int i;
	int err = 0;

	t->screen.reset = false;
	screen_reset(&t->screen);
	for (i = 0; !err && i < t->n_sources; i++)
		err = source_reset(&t->sources[i], e);
	return err;
}

/* ---- keys ---- */

/* Files that cannot be written are no reason to end. */
static int top_record(struct top *t, struct top_wait *w)
{
	struct error e = {};
	int err;

	w->record_ns = clock_ns(CLOCK_MONOTONIC);
	err = t->screen.record_ns ? record_end(t, &e) : record_begin(t, &e);
	if (err)
		snprintf(t->screen.message, sizeof(t->screen.message), "%s: %s", e.what, e.why);
	return 0;
}

static int top_take_keys(struct top *t, struct top_wait *w, struct error *e)
{
	int key, err = 0;

	while (!err && (key = terminal_key()) >= 0) {
		w->changed = true;
		switch (screen_key(&t->screen, key)) {
		case SCREEN_QUIT:
			w->end = true;
			break;
		case SCREEN_RECORD:
			err = top_record(t, w);
			break;
		default:
			break;
		}
		if (!err && t->screen.reset) /* what came until this moment is of the view before */
			err = top_read(t, w, e) ?: top_reset(t, e);
	}
	return err;
}

/* ---- pages ---- */

static unsigned int top_size_of(const char *variable, unsigned int usual)
{
	const char *value = getenv(variable);
	int n = value ? atoi(value) : 0;

	return n > 0 && n <= FRAME_MOST ? n : usual;
}

static int top_show(struct top *t, struct top_wait *w, struct error *e)
{
	struct page p = { .utf8 = w->utf8 };
	struct snapshot *view = NULL;
	unsigned int width, height;

	if (t->frames) {
		width = top_size_of("COLUMNS", FRAME_WIDTH);
		height = top_size_of("LINES", FRAME_HEIGHT);
	} else {
		terminal_size(&width, &height);
	}
	if (page_open(&p, width, height))
		return error_no_memory(e, "cannot draw a page");
	if (t->screen.mode == SCREEN_ROW)
		view = source_view(&t->sources[t->screen.open->source]);
	t->screen.view = view;
	screen_draw(&t->screen, &p);
	if (!t->frames)
		terminal_paint(&p);
	else
		page_print(&p, t->out);
	/* Who read them may have gone. */
	if (t->frames && (fflush(t->out) || ferror(t->out)))
		w->end = true;
	w->printed++;
	t->screen.view = NULL;
	snapshot_free(view);
	page_close(&p);
	w->changed = false;
	return 0;
}

static int top_wait_once(struct top *t, struct top_wait *w, struct error *e)
{
	struct pollfd fds[] = {
		{ .fd = w->signals, .events = POLLIN },
		{ .fd = w->ticks, .events = POLLIN },
		{ .fd = t->frames ? -1 : STDIN_FILENO, .events = POLLIN },
	};
	int err;

	if (poll(fds, sizeof(fds) / sizeof(*fds), -1) < 0 && errno != EINTR)
		return error_set(e, EXIT_KERNEL, -errno, NULL, NULL, "cannot wait");
	top_take_signals(w);
	if (fds[2].revents & (POLLHUP | POLLERR | POLLNVAL)) /* the terminal is gone */
		w->end = true;
	err = w->end ? 0 : top_tick(t, w, e);
	if (!err && !w->end && fds[2].revents & POLLIN)
		err = top_take_keys(t, w, e);
	return err;
}

static int top_loop(struct top *t, struct top_wait *w, struct error *e)
{
	int err = 0;

	while (!err && !w->end) {
		if (w->changed)
			err = top_show(t, w, e);
		if (!err && !(t->frames && w->printed >= t->frames))
			err = top_wait_once(t, w, e);
		if (t->frames && w->printed >= t->frames)
			w->end = true;
	}
	return err;
}

/* ---- from begin to end ---- */

/* One after another: each is seen as soon as it is there. */
static int top_attach(struct top *t, struct top_wait *w, struct error *e)
{
	unsigned int i, n = 0;
	int err = 0;

	for (i = 0; !err && !w->end && i < t->n_sources; i++) {
		snprintf(t->screen.message, sizeof(t->screen.message), "attaching %u of %u: %s",
			 i + 1, t->n_sources, t->sources[i].name);
		err = t->frames ? 0 : top_show(t, w, e);
		n += !source_open(t, &t->sources[i]);
		if (!err && t->sources[i].is_node)
			err = source_tick(t, i, e);
		if (!err && source_left_out(t, i))
			err = error_no_memory(e, "cannot show a row");
		top_take_signals(w);
	}
	*t->screen.message = '\0';
	if (err || w->end || n || !t->n_sources)
		return err;
	*e = t->sources[0].refused;
	return e->err;
}

static int top_begin(struct top *t, struct top_wait *w, struct error *e)
{
	int err = top_attach(t, w, e);

	if (!err && t->root.fd < 0)
		err = caps_keep(TOP_CAPS, e);
	if (!err && t->record)
		err = record_begin(t, e);
	if (!err)
		err = top_set_timer(w, t->interval_ns, e);
	w->begin_ns = w->record_ns = clock_ns(CLOCK_MONOTONIC);
	t->screen.wall_ns = t->screen.begin_wall_ns = clock_ns(CLOCK_REALTIME);
	w->changed = !t->frames;
	return err;
}

int top_check(const struct top *t, struct error *e)
{
	return t->frames ? 0 : terminal_check(e);
}

int top_run(struct top *t, struct error *e)
{
	struct top_wait w = { .signals = -1, .ticks = -1, .utf8 = terminal_utf8() };
	struct error kept = {};
	int err;

	t->screen.interval_ns = t->interval_ns;
	t->screen.wall_ns = t->screen.begin_wall_ns = clock_ns(CLOCK_REALTIME);
	err = top_listen(&w, e);
	if (!err && !t->frames)
		err = terminal_open(t->out, e);
	if (!err)
		err = top_begin(t, &w, e);
	if (!err)
		err = top_loop(t, &w, e);
	if (t->screen.record_ns && record_end(t, err ? &kept : e) && !err)
		err = e->err;
	terminal_close();
	if (w.signals >= 0)
		close(w.signals);
	if (w.ticks >= 0)
		close(w.ticks);
	return err;
}

void top_close(struct top *t)
{
	unsigned int i;

	for (i = 0; i < t->n_sources; i++)
		source_close(&t->sources[i]);
	free(t->sources);
	screen_close(&t->screen);
	node_root_close(&t->root);
	free(t->kept);
}
