// SPDX-License-Identifier: GPL-2.0-only
/* Load read_sizes.bpf.c and wait. The node is removed when this process ends. */
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "read_sizes.skel.h"

int main(void)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct read_sizes_bpf *skel = read_sizes_bpf__open_and_load();
	int err = 1;

	if (!skel) {
		fprintf(stderr, "read_sizes: cannot load: is the module kstats loaded?\n");
		return 1;
	}
	if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.create), &opts) || opts.retval)
		fprintf(stderr, "read_sizes: no node: %s\n", strerror(-skel->bss->id));
	else if (read_sizes_bpf__attach(skel))
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
