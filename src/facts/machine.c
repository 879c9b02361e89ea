// SPDX-License-Identifier: GPL-2.0-only
/* machine.c - processor, clock and kernel build, for recordings. */
#include "facts/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/priv.h"
#include "result/recording.h"
#include "util/build_id.h"
#include "util/file.h"

static FILE *machine_open_file(const struct facts *f, const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", f->root, path);
	return fopen(full, "re");
}

static void read_model(const struct facts *f, char *model, size_t size)
{
	FILE *in = machine_open_file(f, "/proc/cpuinfo");
	char line[256], *colon;

	*model = '\0';
	while (in && !*model && fgets(line, sizeof(line), in)) {
		colon = strchr(line, ':');
		if (!colon || strncmp(line, "model name", strlen("model name")))
			continue;
		colon += 1 + strspn(colon + 1, " ");
		snprintf(model, size, "%.*s", (int)strcspn(colon, "\n"), colon);
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

void facts_clock(const struct facts *f, char clock[FACTS_CLOCK])
{
	*clock = '\0';
	file_first_line(f->root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
			clock, FACTS_CLOCK);
}

int facts_machine(const struct facts *f, struct recording_machine *m)
{
	char cpu[128], clock[FACTS_CLOCK], online[256] = "", build_id[BUILD_ID_TEXT] = "";

	read_model(f, cpu, sizeof(cpu));
	facts_clock(f, clock);
	file_first_line(f->root, "/sys/devices/system/cpu/online", online, sizeof(online));
	build_id_read(f->root, "/sys/kernel/notes", build_id);
	return recording_copy_machine(
		m, &(struct recording_machine){ cpu, count_list(online), clock, build_id });
}
