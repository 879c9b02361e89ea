// SPDX-License-Identifier: GPL-2.0-only
#include "util/instead.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A row for one verb stands before that for all. */
static const struct instead {
	const char *verb; /* the verb; NULL: all that take options */
	const char *word;
	const char *type;
} rows[] = {
	/* other tools */
	{ "", "argdist", "write 'kstats-bpf trace FUNCTION --value PARAMETER'" },
	{ "", "biolatency", "write 'kstats-bpf trace @biolat'" },
	{ "", "cpudist", "write 'kstats-bpf trace @cpudist'" },
	{ "", "funccount", "write 'kstats-bpf trace FUNCTION --value 1'" },
	{ "", "funclatency", "write 'kstats-bpf trace FUNCTION'" },
	{ "", "gethostlatency", "write 'kstats-bpf trace @dns'" },
	{ "", "hardirqs", "write 'kstats-bpf trace @hardirq'" },
	{ "", "hist", "write 'kstats-bpf trace FUNCTION -f hist'" },
	{ "", "memleak", "write 'kstats-bpf kmem --lifetime --sort live'" },
	{ "", "runqlat", "write 'kstats-bpf trace @runqlat'" },
	{ "", "offcputime", "write 'kstats-bpf trace @offcpu'" },
	{ "", "runqslower", "write 'kstats-bpf why @runqlat'" },
	{ "", "slabratetop", "write 'kstats-bpf kmem --by cache --sort count'" },
	{ "", "slabtop", "write 'kstats-bpf kmem --by cache --sort bytes'" },
	{ "", "softirqs", "write 'kstats-bpf trace @softirq'" },
	{ "", "stackcount", "write 'kstats-bpf trace FUNCTION --value 1 --by kstack'" },
	{ "", "syscount", "write 'kstats-bpf trace @syscalls'" },
	{ "", "tcpconnlat", "write 'kstats-bpf trace @tcpconnect'" },
	{ "", "tcprtt", "write 'kstats-bpf trace @tcprtt'" },
	/* options that have become others */
	{ "check", "-a", "write --assert" },
	{ "check", "-m", "write --max-increase" },
	{ "kmem", "-k", "write --kind" },
	{ "kmem", "-l", "write --lifetime" },
	{ "list", "-m", "write --markers" },
	{ "trace", "--show", "write 'kstats-bpf why FUNCTION --show EXPR'" },
	{ "trace", "--slower", "write 'kstats-bpf why FUNCTION --slower WHAT'" },
	{ "top", "--slower", "write 'kstats-bpf why FUNCTION --slower WHAT'" },
	{ NULL, "--at", "name the point without it: 'kstats-bpf trace POINT --value EXPR'" },
	{ NULL, "--calibrate", "write --floor measure" },
	{ NULL, "--end-key", "write it beside the point: --end 'POINT[EXPR]'" },
	{ NULL, "--fast", "write -m fast" },
	{ NULL, "--max-functions", "write --limit functions=N" },
	{ NULL, "--max-live", "write --limit live=N" },
	{ NULL, "--max-overhead", "write --limit overhead=PERCENT" },
	{ NULL, "--max-keys", "write --limit keys=N" },
	{ NULL, "--max-sites", "write --limit sites=N" },
	{ NULL, "--min-duration", "write --if 'duration >= 10us'" },
	{ NULL, "--node", "write --name" },
	{ NULL, "--per-cpu", "write --key cpu" },
	{ NULL, "--per-cpu-rows", "write --by cpu" },
	{ NULL, "--ret", "write --if 'ret < 0'" },
	{ NULL, "--slot-memory", "write --limit memory=SIZE" },
	{ NULL, "--split-ret", "write --by 'ret < 0'" },
	{ NULL, "--start-key", "write it beside the point: --start 'POINT[EXPR]'" },
	{ NULL, "--strict", "write --max-loss 0" },
	{ NULL, "--subtract-floor", "write --floor subtract" },
	/* verbs by other names, or without their first word */
	{ "", "add", "write 'kstats-bpf node add'" },
	{ "", "compare", "write 'kstats-bpf diff', or 'kstats-bpf check' for a verdict" },
	{ "", "export", "write 'kstats-bpf node export'" },
	{ "", "ls", "write 'kstats-bpf node ls', or 'kstats-bpf list' for functions" },
	{ "", "record", "write 'kstats-bpf trace FUNCTION --record FILE'" },
	{ "", "remove", "write 'kstats-bpf node rm'" },
	{ "", "reset", "write 'kstats-bpf node reset'" },
	{ "", "rm", "write 'kstats-bpf node rm'" },
	{ "", "run", "write 'kstats-bpf trace FUNCTION -- COMMAND'" },
	{ "", "show", "write 'kstats-bpf report FILE', or 'kstats-bpf node show'" },
	{ "", "start", "write 'kstats-bpf node start'" },
	{ "", "stat", "write 'kstats-bpf trace FUNCTION'" },
	{ "", "stop", "write 'kstats-bpf node stop'" },
	{ "", "version", "write 'kstats-bpf --version'" },
	{ "node", "delete", "write 'kstats-bpf node rm'" },
	{ "node", "report", "write 'kstats-bpf node show'" },
	{ "node", "status", "write 'kstats-bpf node ls'" },
	{ "node", "trace", "write 'kstats-bpf node add'" },
};

const char *instead_of(const char *verb, const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].word, word) &&
		    (rows[i].verb ? !strcmp(rows[i].verb, verb) : word[0] == '-'))
			return rows[i].type;
	return NULL;
}
