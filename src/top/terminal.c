// SPDX-License-Identifier: GPL-2.0-only
/* terminal.c - the only file that knows ncurses: it paints pages and reads keys. */
#include "top/priv.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "terminfo.h"

#define LEAVE_MAX 256
#define ESCAPE_MS 25 /* after Esc, so long is the rest of a key awaited */

/* To give the terminal back from a signal handler, where ncurses cannot be called. */
static struct {
	struct termios settings;
	char leave[LEAVE_MAX]; /* what leaves its other screen */
	size_t leave_length;
	volatile sig_atomic_t taken;
	SCREEN *screen;
	bool colors;
} terminal;

/* ---- what can be shown ---- */

bool terminal_utf8(void)
{
	const char *names[] = { "LC_ALL", "LC_CTYPE", "LANG" }, *value;
	size_t i;

	if (setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8"))
		return true;
	/* A locale that is not installed here, as in a static program. */
	for (i = 0; i < 3; i++) {
		value = getenv(names[i]);
		if (value && *value)
			return (strcasestr(value, "utf-8") || strcasestr(value, "utf8")) &&
			       setlocale(LC_CTYPE, "C.UTF-8");
	}
	return false;
}

/* Where the machine does not describe the terminal, a description in the program does. */
static int terminal_setup(void)
{
	const char *name = getenv("TERM");
	int state, err;
	size_t i;

	err = setupterm(NULL, STDOUT_FILENO, &state);
	if (!err || !name)
		return err;
	for (i = 0; terminfo_kept[i].name; i++) {
		if (strncmp(name, terminfo_kept[i].begins, strlen(terminfo_kept[i].begins)))
			continue;
		setenv("TERM", terminfo_kept[i].name, 1);
		setenv("TERMINFO", terminfo_kept[i].description, 1);
		return setupterm(NULL, STDOUT_FILENO, &state);
	}
	return err;
}

int terminal_check(struct error *e)
{
	static const char next[] = "use 'kstats-bpf trace -i 1', or --frames to print screens";
	const char *name = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_set(e, EXIT_USAGE, -ENOTTY,
				 isatty(STDIN_FILENO) ? "standard output is no terminal"
						      : "standard input is no terminal",
				 next, "cannot show a screen");
	if (!name || !*name || !strcmp(name, "dumb"))
		return error_set(
			e, EXIT_USAGE, -ENOTTY, "TERM does not say what kind of terminal this is",
			"set it, like TERM=xterm or TERM=vt100, or use 'kstats-bpf trace -i 1'",
			"cannot show a screen");
	if (terminal_setup())
		return error_set(e, EXIT_USAGE, -ENOTTY, "this terminal is not known here",
				 "set TERM=xterm or TERM=vt100", "cannot show a screen on '%.32s'",
				 name);
	if (!cursor_address)
		return error_set(e, EXIT_USAGE, -ENOTTY, "its cursor cannot be moved", next,
				 "cannot show a screen on '%.32s'", name);
	return 0;
}

/* ---- giving it back ---- */

/* Without the times to wait, which are between "$<" and ">". */
static void terminal_add_leave(const char *text)
{
	for (; text && *text; text++) {
		if (!strncmp(text, "$<", 2) && strchr(text, '>'))
			text = strchr(text, '>');
		else if (terminal.leave_length < LEAVE_MAX)
			terminal.leave[terminal.leave_length++] = *text;
	}
}

/* Called by signal handlers too. */
static void terminal_give_back(void)
{
	if (!terminal.taken)
		return;
	terminal.taken = 0;
	if (write(STDOUT_FILENO, terminal.leave, terminal.leave_length) < 0)
		terminal.leave_length = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.settings);
}

static void terminal_crash(int sig)
{
	terminal_give_back();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void terminal_watch(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP };
	struct sigaction act = { .sa_handler = terminal_crash, .sa_flags = SA_NODEFER };
	size_t i;

	for (i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigaction(crashes[i], &act, NULL);
	atexit(terminal_give_back);
}

/* ---- taking it over ---- */

static void terminal_colors(void)
{
	const char *no_color = getenv("NO_COLOR");

	terminal.colors = !(no_color && *no_color) && has_colors();
	if (!terminal.colors)
		return;
	start_color();
	use_default_colors();
	init_pair(PAGE_BAR, COLOR_CYAN, -1);
	init_pair(PAGE_GOOD, COLOR_GREEN, -1);
	init_pair(PAGE_WARN, COLOR_RED, -1);
}

int terminal_open(FILE *out, struct error *e)
{
	if (tcgetattr(STDIN_FILENO, &terminal.settings))
		return error_set(e, EXIT_USAGE, -errno, NULL, NULL, "cannot use the terminal");
	terminal_add_leave(keypad_local);
	terminal_add_leave(exit_attribute_mode);
	terminal_add_leave(cursor_normal);
	terminal_add_leave(exit_ca_mode);
	terminal_watch();
	terminal.screen = newterm(NULL, out, stdin);
	if (!terminal.screen)
		return error_set(e, EXIT_USAGE, -ENOTTY, "ncurses refused it",
				 "set TERM=xterm or TERM=vt100", "cannot use the terminal");
	terminal.taken = 1;
	terminal_colors();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, true);
	nodelay(stdscr, true);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	return 0;
}

void terminal_close(void)
{
	if (!terminal.screen)
		return;
	endwin();
	delscreen(terminal.screen);
	terminal.screen = NULL;
	/* Once more, since ncurses restores what it found itself. */
	terminal.taken = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.settings);
}

void terminal_suspend(void)
{
	endwin();
	kill(getpid(), SIGSTOP);
	clearok(stdscr, true);
	refresh();
}

void terminal_size(unsigned int *width, unsigned int *height)
{
	struct winsize ws;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_row && ws.ws_col &&
	    (ws.ws_row != LINES || ws.ws_col != COLS))
		resizeterm(ws.ws_row, ws.ws_col);
	*width = COLS;
	*height = LINES;
}

/* ---- painting ---- */

static attr_t terminal_look(const struct page_cell *cell)
{
	static const attr_t looks[PAGE_LOOKS] = {
		[PAGE_TITLE] = A_BOLD, [PAGE_FAINT] = A_DIM, [PAGE_WARN] = A_BOLD
	};
	attr_t look = looks[cell->look];

	if (terminal.colors && cell->look >= PAGE_BAR)
		look |= COLOR_PAIR(cell->look);
	return cell->chosen ? (look & ~A_DIM) | A_REVERSE : look;
}

void terminal_paint(const struct page *p)
{
	const struct page_cell *cell = p->cells;
	unsigned int x, y;
	wchar_t c[2] = {};

	for (y = 0; y < p->height; y++) {
		move(y, 0);
		for (x = 0; x < p->width; x++, cell++) {
			c[0] = cell->c ?: ' ';
			attrset(terminal_look(cell));
			addnwstr(c, 1);
		}
	}
	refresh();
}

/* ---- keys ---- */

int terminal_key(void)
{
	static const struct {
		int typed;
		int key;
	} keys[] = {
		{ KEY_UP, SCREEN_UP },           { KEY_DOWN, SCREEN_DOWN },
		{ KEY_LEFT, SCREEN_LEFT },       { KEY_RIGHT, SCREEN_RIGHT },
		{ KEY_PPAGE, SCREEN_PAGE_UP },   { KEY_NPAGE, SCREEN_PAGE_DOWN },
		{ KEY_HOME, SCREEN_HOME },       { KEY_END, SCREEN_END },
		{ KEY_ENTER, SCREEN_ENTER },     { '\r', SCREEN_ENTER },
		{ KEY_BACKSPACE, SCREEN_ERASE }, { '\b', SCREEN_ERASE },
	};
	int typed = getch();
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].typed == typed)
			return keys[i].key;
	if (typed == ERR)
		return -1;
	return typed > SCREEN_ERASE ? 0 : typed; /* 0: a key without a meaning */
}
