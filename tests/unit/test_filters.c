// SPDX-License-Identifier: GPL-2.0-only
/* test_filters.c - who is measured, as a plan says it and recordings keep it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "plan/plan.h"

static const struct {
	const char *words, *text;
} rows[] = {
	{ "f", "" },
	{ "f -p 7", "pid 7" },
	{ "f -p 7,8 -t 9,10", "pid 7,8; tid 9,10" },
	{ "f --comm sh", "comm sh" },
	{ "f -C 0", "cpu 0" },
	{ "f -C 0-2,31,33,63-64,4095", "cpu 0-2,31,33,63-64,4095" },
	{ "f -c /x/y", "cgroup /x/y" },
	{ "f --if duration>=10us", "duration>=10us" },
	{ "f --if ret!=-1&&duration>5us", "ret!=-1&&duration>5us" },
	{ "f --if pid&&ret>3", "if pid&&ret>3" },
	{ "f -- true", "the command's processes" },
	{ "f -a -- true", "" },
	{ "f -p 1 -t 2 --comm c -C 3 -c /g --if duration>4ns&&ret>5 -- true",
	  "pid 1; tid 2; comm c; cpu 3; cgroup /g; the command's processes; "
	  "duration>4ns&&ret>5" },
};

static void test_texts(void **state)
{
	char line[256], *argv[32], *save, *word, *text;
	struct spec spec;
	struct error e;
	size_t i;
	int argc;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(line, sizeof(line), "trace %s", rows[i].words);
		save = NULL;
		argc = 0;
		for (word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
			argv[argc++] = word;
		argv[argc] = NULL;
		assert_int_equal(spec_parse_trace(&spec, argc, argv, &e), 0);
		text = plan_filters(&spec);
		assert_non_null(text);
		assert_string_equal(text, rows[i].text);
		free(text);
		spec_free(&spec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_texts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
