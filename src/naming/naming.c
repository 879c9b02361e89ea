// SPDX-License-Identifier: GPL-2.0-only
#include "naming/naming.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/near.h"

#define ERRNO_MAX 4095
#define PORT_MAX 65535

static const char *const words[] = {
	[NAMING_SYSCALL] = "syscall",   [NAMING_ERRNO] = "errno",   [NAMING_SOFTIRQ] = "softirq",
	[NAMING_BLOCKOP] = "blockop",   [NAMING_STATE] = "state",   [NAMING_PORT] = "port",
	[NAMING_TCPSTATE] = "tcpstate", [NAMING_DEVICE] = "device", [NAMING_CGROUP] = "cgroup",
};

#define N_WORDS (sizeof(words) / sizeof(*words))

/* As /proc/softirqs writes them, in small letters. */
static const char *const softirqs[] = { "hi",       "timer",   "net_tx", "net_rx",  "block",
					"irq_poll", "tasklet", "sched",  "hrtimer", "rcu" };

/* enum req_op; those of zones have other numbers in each kernel. */
static const char *const blockops[] = {
	[0] = "read",    [1] = "write",        [2] = "flush",
	[3] = "discard", [5] = "secure_erase", [9] = "write_zeroes",
};

/* Of include/net/tcp_states.h, as ss(8) has them. */
static const char *const tcpstates[] = {
	NULL,     "ESTAB",      "SYN-SENT", "SYN-RECV", "FIN-WAIT-1", "FIN-WAIT-2",   "TIME-WAIT",
	"UNCONN", "CLOSE-WAIT", "LAST-ACK", "LISTEN",   "CLOSING",    "NEW-SYN-RECV",
};

/* As /proc/PID/status has them, by the lowest bit; the first has none. */
static const char *const states[] = { "running", "sleeping",     "disk sleep",
				      "stopped", "tracing stop", "dead",
				      "zombie",  "parked",       "dead" };

#define STATE_IDLE 0x402 /* TASK_NOLOAD and TASK_UNINTERRUPTIBLE */

static const struct {
	const char *const *names;
	size_t n;
} lists[N_WORDS] = {
	[NAMING_SOFTIRQ] = { softirqs, sizeof(softirqs) / sizeof(*softirqs) },
	[NAMING_TCPSTATE] = { tcpstates, sizeof(tcpstates) / sizeof(*tcpstates) },
	[NAMING_BLOCKOP] = { blockops, sizeof(blockops) / sizeof(*blockops) },
};

enum naming naming_find(const char *word, size_t length)
{
	size_t i;

	for (i = NAMING_NONE + 1; i < N_WORDS; i++)
		if (strlen(words[i]) == length && !strncmp(words[i], word, length))
			return i;
	return NAMING_NONE;
}

const char *naming_word(enum naming naming)
{
	return words[naming];
}

void naming_each(void (*each)(void *ctx, const char *word), void *ctx)
{
	size_t i;

	for (i = NAMING_NONE + 1; i < N_WORDS; i++)
		each(ctx, words[i]);
}

/* ---- number to name ---- */

static const char *call_name(uint64_t number)
{
	unsigned int i, is;
	const char *name;

	for (i = 0; naming_call(i, &is, &name); i++)
		if (is == number)
			return name;
	/* At the end of a return from a signal the kernel has put it in place of the number. */
	return number == UINT64_MAX ? "rt_sigreturn or -1" : NULL;
}

static const char *state_name(uint64_t state)
{
	unsigned int bit = state ? __builtin_ctzll(state) : 0;

	if ((state & STATE_IDLE) == STATE_IDLE)
		return "idle";
	if (!state)
		return states[0];
	return bit + 1 < sizeof(states) / sizeof(*states) ? states[bit + 1] : NULL;
}

static uint16_t port_swap(uint64_t port)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap16(port) : port;
}

static const char *errno_name(uint64_t number)
{
	int64_t error = (int64_t)number;

	/* An int that was not extended is negative as an int. */
	if (error > 0 && error <= UINT32_MAX)
		error = (int32_t)number;
	return error < 0 && error >= -ERRNO_MAX ? error_name(-error) : NULL;
}

bool naming_write(enum naming naming, uint64_t number, char *buf, size_t size)
{
	const char *name = NULL, *sign = "";

	if (naming == NAMING_PORT) {
		snprintf(buf, size, "%u", port_swap(number));
		return true;
	}
	if (naming == NAMING_SYSCALL)
		name = call_name(number);
	else if (naming == NAMING_STATE)
		name = state_name(number);
	else if (naming == NAMING_ERRNO)
		name = errno_name(number), sign = "-";
	else if (naming < N_WORDS && number < lists[naming].n)
		name = lists[naming].names[number];
	if (!name)
		return false;
	snprintf(buf, size, "%s%s", sign, name);
	return true;
}

/* ---- name to number ---- */

static bool call_number(const char *name, int64_t *number, struct nearest *near)
{
	const char *is;
	unsigned int i, n;

	for (i = 0; naming_call(i, &n, &is); i++) {
		if (!strcmp(is, name)) {
			*number = n;
			return true;
		}
		near_consider(near, is);
	}
	return false;
}

static bool list_number(enum naming naming, const char *name, int64_t *number, struct nearest *near)
{
	size_t i;

	for (i = 0; i < lists[naming].n; i++) {
		if (!lists[naming].names[i])
			continue;
		if (!strcmp(lists[naming].names[i], name)) {
			*number = i;
			return true;
		}
		near_consider(near, lists[naming].names[i]);
	}
	return false;
}

/* States have further bits; the machine gives the names of devices and groups. */
bool naming_compares(enum naming naming)
{
	return naming != NAMING_STATE && naming != NAMING_DEVICE && naming != NAMING_CGROUP;
}

static bool port_number(const char *name, int64_t *number)
{
	unsigned long port;
	char *end;

	if (*name < '0' || *name > '9')
		return false;
	port = strtoul(name, &end, 10);
	*number = port_swap(port);
	return !*end && port <= PORT_MAX;
}

bool naming_number(enum naming naming, const char *name, int64_t *number, char *near, size_t size)
{
	struct nearest nearest = { .wanted = name };
	bool found = false;

	*near = '\0';
	if (naming == NAMING_PORT)
		return port_number(name, number);
	if (naming == NAMING_ERRNO) {
		*number = *name == '-' ? -error_number(name + 1) : 0;
		return *number;
	}
	if (naming == NAMING_SYSCALL)
		found = call_number(name, number, &nearest);
	else if (naming_compares(naming))
		found = list_number(naming, name, number, &nearest);
	if (!found)
		near_words(&nearest, near, size);
	return found;
}
