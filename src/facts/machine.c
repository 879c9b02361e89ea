// SPDX-License-Identifier: GPL-2.0-only
/* machine.c - processor, clock and kernel build, for recordings. */
#include "facts/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/priv.h"
#include "util/build_id.h"
#include "util/file.h"

static FILE *open_file(const struct facts *f, const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", f->root, path);
	return fopen(full, "re");
}

static void read_model(const struct facts *f, struct facts_machine *m)
{
	FILE *in = open_file(f, "/proc/cpuinfo");
	char line[256], *colon;

	while (in && !*m->cpu && fgets(line, sizeof(line), in)) {
		colon = strchr(line, ':');
		if (!colon || strncmp(line, "model name", strlen("model name")))
			continue;
		colon += 1 + strspn(colon + 1, " ");
		snprintf(m->cpu, sizeof(m->cpu), "%.*s", (int)strcspn(colon, "\n"), colon);
	}
	if (in)
		fclose(in);
}

/* The number of CPUs in a list: five for "0-3,8". */
static unsigned int count_list(const char *list)
{
	unsigned long first, last;
	unsigned int n = 0;
	char *end;

	for (; *list >= '0' && *list <= '9'; list = end + (*end == ',')) {
		first = last = strtoul(list, &end, 10);
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		n += last >= first ? last - first + 1 : 0;
	}
	return n;
}

unsigned int facts_cpus(const struct facts *f)
{
	char possible[256];
	unsigned int n;

	file_first_line(f->root, "/sys/devices/system/cpu/possible", possible, sizeof(possible));
	n = count_list(possible);
	return n ? n : 1;
}

void facts_machine(const struct facts *f, struct facts_machine *m)
{
	char online[256];

	*m = (struct facts_machine){};
	read_model(f, m);
	file_first_line(f->root, "/sys/devices/system/cpu/online", online, sizeof(online));
	m->cpus_online = count_list(online);
	file_first_line(f->root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
			m->clock, sizeof(m->clock));
	build_id_read(f->root, "/sys/kernel/notes", m->build_id);
}
