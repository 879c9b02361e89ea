#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# user.sh: what a marker costs on this machine, in ns, with and without restartable
# sequences; and an empty uprobe pair in the same run. Called by `make bench`.

set -eu
cd "$(dirname "$0")/../.."
if [ "${1-}" != inside ]; then
	exec unshare -m "$0" inside
fi
mount -t bpf -o mode=700 bpf /sys/fs/bpf
mount -t tmpfs run /run
PATH=$PWD/.output:$PATH
for node in cost_sample cost_pair cost_stopped; do
	kstats-bpf node add --user $node --bits 3
done
kstats-bpf node stop cost_stopped
.output/tests/bench/user
GLIBC_TUNABLES=glibc.pthread.rseq=0 .output/tests/bench/user | sed -n 's/, recorded/, without rseq/p'
kstats-bpf node rm --all
umount /run/kstats-user
