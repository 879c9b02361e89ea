// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_calibration.c - any bytes as the file of the calibration: refused with a reason, or read,
 * and the same again after being written.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibrate/calibrate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char made[] = "/dev/shm/fuzz_calibration.XXXXXX";
static char folder[32]; /* the same by a name that is equal in each run: see steady.c */

static void put(const char *name, const void *data, size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f) || chmod(path, 0644))
		abort();
}

static void put_dir(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (mkdir(path, 0755))
		abort();
}

static void remove_all(void)
{
	static const char *const names[] = { "sys/kernel/random/boot_id",
					     "sys/kernel/osrelease",
					     "sys/kernel/random",
					     "sys/kernel",
					     "sys",
					     CALIBRATE_FILE };
	char path[128];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
	rmdir(made);
}

/* Else all would be refused before it is read. */
static void can_keep(void)
{
	const struct calibrate_place place = { folder, folder };
	struct costs none = {};
	struct error e = {};

	if (calibrate_save(&place, &none, &e) || calibrate_load(&place, &none, &e))
		abort();
	costs_free(&none);
}

static void make_all(void)
{
	if (!mkdtemp(made) || chmod(made, 0755))
		abort();
	snprintf(folder, sizeof(folder), "/proc/self/fd/%d/.", open(made, O_PATH | O_DIRECTORY));
	put_dir("sys");
	put_dir("sys/kernel");
	put_dir("sys/kernel/random");
	put("sys/kernel/random/boot_id", "1\n", 2);
	put("sys/kernel/osrelease", "6.12\n", 5);
	atexit(remove_all);
	can_keep();
}

static void load_again(const struct calibrate_place *place, const struct costs *c)
{
	struct costs again = {};
	struct error e = {};

	if (calibrate_save(place, c, &e) || calibrate_load(place, &again, &e) || again.n != c->n ||
	    memcmp(again.rows, c->rows, c->n * sizeof(*c->rows)))
		abort();
	costs_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct calibrate_place place = { folder, folder };
	static bool is_made;
	struct costs c = {};
	struct error e = {};
	int err;

	if (!is_made)
		make_all();
	is_made = true;
	put(CALIBRATE_FILE, data, size);
	err = calibrate_load(&place, &c, &e);
	if (err && (c.n || !e.what[0] || !e.next[0]))
		abort();
	if (!err && c.n)
		load_again(&place, &c);
	costs_free(&c);
	return 0;
}
