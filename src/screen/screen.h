/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * screen.h - what `top` shows. In: what was counted in one interval after another, and keys that
 * are typed. Out: pages. Pure: it knows no terminal and no kernel. Called by top.
 */
#ifndef KSTATS_SCREEN_H
#define KSTATS_SCREEN_H

#include "result/dist.h"
#include "result/snapshot.h"
#include "screen/page.h"

#define SCREEN_TICKS 60 /* intervals that are remembered: a minute of the usual ones */
#define SCREEN_SEARCH 64
#define SCREEN_MESSAGE 1024
#define SCREEN_WIDTH_MIN 40 /* smaller pages only say so */
#define SCREEN_HEIGHT_MIN 10

/** enum screen_key - keys that are no characters; others are what they type */
enum screen_key {
	SCREEN_ENTER = '\n',
	SCREEN_ESCAPE = 27,
	SCREEN_ERASE = 127,
	SCREEN_UP = 256,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
};

/** enum screen_wish - what a key asks of the caller */
enum screen_wish {
	SCREEN_NOTHING, /* only another page */
	SCREEN_QUIT,
	SCREEN_RECORD, /* begin to record, or end */
};

/** enum screen_order - what the rows are sorted by */
enum screen_order {
	SCREEN_AS_GIVEN,
	SCREEN_BY_RATE,
	SCREEN_BY_P50,
	SCREEN_BY_P99,
	SCREEN_BY_MAX,
	SCREEN_BY_TIME,
	SCREEN_ORDERS, /* number of orders */
};

/** enum screen_mode - what is shown */
enum screen_mode {
	SCREEN_LIST, /* the rows */
	SCREEN_ROW, /* one of them */
	SCREEN_HELP,
};

/** struct screen_figures - figures of a row in some time */
struct screen_figures {
	uint64_t samples;
	uint64_t ns; /* time in which they were counted; 0: it was not read */
	uint64_t p50; /* upper ends of the slots that hold the quantiles */
	uint64_t p99;
	uint64_t max;
	double total; /* sum of all samples */
};

/** struct screen_tick - one interval of a row */
struct screen_tick {
	uint64_t at; /* its number, from 1; 0: none */
	struct counts *counts; /* owned */
	struct screen_figures figures;
};

/** struct screen_row - a function, a pair, a node or a key */
struct screen_row {
	unsigned int source; /* number of what it is read from */
	unsigned int number; /* index in the rows as they were added */
	const struct screen_row *owner; /* of a key: the row of all keys; of others: itself */
	char *name; /* owned */
	char *label; /* owned; what is shown of it in the list: of a key its parts */
	char *what; /* owned; "entry to return of vfs_read"; or how it was asked for */
	char *method; /* owned; "" if it is not measured */
	char *why; /* owned; why it is not measured, or NULL */
	char unit[UNITS_WORD]; /* of its values; "": they are durations */
	enum snapshot_kind kind;
	uint32_t bits; /* resolution */
	uint32_t n_cpus; /* possible CPUs */
	struct counts *all; /* owned; since the view began */
	struct screen_figures sum; /* the same in figures, if they are shown */
	double figure; /* what it is sorted by, in the order of the last page */
	struct screen_tick ticks[SCREEN_TICKS]; /* by number modulo SCREEN_TICKS */
};

/** struct screen - all that is shown */
struct screen {
	struct screen_row **rows; /* owned; as they were added */
	unsigned int n_rows;
	struct screen_row **shown; /* owned; those that the search found, in order; not owned */
	unsigned int n_shown;
	unsigned int chosen; /* index in @shown */
	unsigned int top; /* index of the first on the page */
	const struct screen_row *open; /* the row of SCREEN_ROW */
	enum screen_mode mode;
	enum screen_mode before; /* the help was asked for */
	enum screen_order order;
	bool reversed; /* the least first */
	bool all; /* figures are since the view began, and not of the last interval */
	bool paused;
	bool searching; /* keys are typed into @search */
	char search[SCREEN_SEARCH]; /* only rows with this in their names are shown */
	char message[SCREEN_MESSAGE]; /* what happened, until the next key */
	const char *unit; /* as in --unit */
	uint64_t interval_ns; /* between ticks */
	uint64_t tick; /* number of the last */
	uint64_t begin_tick; /* of the view: what is not after it is not shown */
	uint64_t begin_wall_ns; /* wall clock when the view began */
	uint64_t wall_ns; /* wall clock of the last tick */
	uint64_t record_ns; /* how long it has been recorded; 0: it is not */
	bool reset; /* the view is to begin anew: taken back by the caller */
	/*
	 * what the source of @open counted since the view began, by snapshot_total(); given by the
	 * caller, not owned; or NULL
	 */
	const struct snapshot *view;
};

/**
 * screen_feed() - add what a source counted in the last interval
 * @s: its @tick and @wall_ns are those of the interval
 * @period: by snapshot_total()
 *
 * Return: 0, -EOVERFLOW or -ENOMEM.
 */
int screen_feed(struct screen *s, unsigned int source, const struct snapshot *period);

/** struct screen_refused - something that is not measured */
struct screen_refused {
	unsigned int source;
	const char *name;
	const char *what;
	const char *why;
};

/** screen_refuse() - add a row that says why it is not measured. Return: 0 or -ENOMEM */
int screen_refuse(struct screen *s, const struct screen_refused *r);

/** screen_reset() - begin the view anew, at this tick */
void screen_reset(struct screen *s);

/** screen_close() - release; @s may be zero-filled */
void screen_close(struct screen *s);

/** screen_key() - a key was typed. Return: what it asks of the caller */
enum screen_wish screen_key(struct screen *s, int key);

/** screen_draw() - draw the page; @p: open and blank */
void screen_draw(struct screen *s, struct page *p);

#endif /* KSTATS_SCREEN_H */
