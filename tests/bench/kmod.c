// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmod.c - what one record costs: in the map, in the module. Comes in: "bare",
 * or "map" or "kmod", each with "around" or "record"; how many calls. Goes out:
 * ns for each call of kt_empty(), which is instructions where the guest's clock
 * counts them. Called by kmod.sh in a guest with both modules loaded.
 */
#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "kstats_dev.h"
#include "record.skel.h"
#include "record_kmod.skel.h"

#define CALLS_FILE "/sys/kernel/debug/kstats_target/empty"
#define SAMPLE 12345

static int node_make(struct kstats_cell *cell)
{
	struct kstats_dev_create now = { .frac_bits = KSTATS_BITS_DEFAULT };
	int fd = open(KSTATS_DEV, O_RDWR);

	if (fd < 0 || ioctl(fd, KSTATS_DEV_CREATE, &now))
		return -1;
	cell->id = now.id;
	return 0; /* kept until the process ends */
}

/* Both objects, by their names: the skeletons differ in type only. */
static int attach(struct bpf_object *obj, const char *prog, int kmod)
{
	struct kstats_cell *cells = calloc(libbpf_num_possible_cpus(), sizeof(*cells));
	struct bpf_program *p;
	__u32 first = 0;
	int i;

	bpf_object__for_each_program(p, obj)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), prog));
	if (!cells || bpf_object__load(obj) || (kmod && node_make(cells)))
		return -1;
	for (i = 1; i < libbpf_num_possible_cpus(); i++)
		cells[i] = cells[0];
	if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(obj, "cells"), &first, cells, 0))
		return -1;
	return bpf_program__attach(bpf_object__find_program_by_name(obj, prog)) ? 0 : -1;
}

static int open_attach(const char *backend, const char *prog)
{
	struct record_kmod_bpf *kmod;
	struct record_bpf *map;

	if (!strcmp(backend, "bare"))
		return 0;
	if (!strcmp(backend, "kmod")) {
		kmod = record_kmod_bpf__open();
		if (!kmod)
			return -1;
		kmod->bss->sample = SAMPLE;
		return attach(kmod->obj, prog, 1);
	}
	map = record_bpf__open();
	if (!map)
		return -1;
	map->rodata->is_alone = true; /* as where a node has one function */
	map->bss->sample = SAMPLE;
	return attach(map->obj, prog, 0);
}

static double measure(unsigned long calls)
{
	struct timespec a, b;
	FILE *f = fopen(CALLS_FILE, "w");

	if (!f)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (fprintf(f, "%lu\n", calls) < 0 || fclose(f))
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &b);
	return ((b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec) / calls;
}

int main(int argc, char **argv)
{
	double ns;

	if (argc != 4 || open_attach(argv[1], argv[2])) {
		fprintf(stderr, "bench/kmod: cannot attach\n");
		return 1;
	}
	measure(atol(argv[3]) / 10 + 1);
	ns = measure(atol(argv[3]));
	if (ns < 0)
		return 1;
	printf("%.2f\n", ns);
	return 0;
}
