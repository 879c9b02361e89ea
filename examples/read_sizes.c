// SPDX-License-Identifier: GPL-2.0-only
/* Load read_sizes.bpf.c and wait. The node is removed when this process ends. */
#include <errno.h>
#include <fcntl.h>
#include <linux/ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kstats_dev.h"
#include "read_sizes.skel.h"

int main(void)
{
	struct kstats_dev_create node = { .frac_bits = KSTATS_BITS_DEFAULT, .name = "read_sizes" };
	int dev = open(KSTATS_DEV, O_RDWR | O_CLOEXEC);
	struct read_sizes_bpf *skel;
	int err = 1;

	if (dev < 0 || ioctl(dev, KSTATS_DEV_CREATE, &node)) {
		fprintf(stderr, "read_sizes: no node: %s; is the module kstats loaded?\n",
			strerror(errno));
		return 1;
	}
	skel = read_sizes_bpf__open_and_load();
	if (!skel) {
		fprintf(stderr, "read_sizes: cannot load\n");
		return 1;
	}
	skel->bss->id = node.id;
	if (read_sizes_bpf__attach(skel))
		fprintf(stderr, "read_sizes: cannot attach\n");
	else
		err = 0;
	if (!err) {
		printf("cat /sys/kernel/debug/kstats/read_sizes; Ctrl-C ends\n");
		fflush(stdout);
		pause();
	}
	read_sizes_bpf__destroy(skel);
	return err;
}
