#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Compares the slot arithmetic in BPF with that in user space; with KSTATS_WHOLE=yes on each kernel. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
make -s .output/tests/vm/slot || exit 1
n=0
for kernel in 6.1 ${KSTATS_WHOLE:+6.12 7}; do
	n=$((n + 1))
	out=$(tests/vm/run -f -k "$kernel" -a .output/tests/vm/slot -- "$PWD/.output/tests/vm/slot" 2>&1)
	line=$(grep -E '^(not )?ok 1 - ' <<<"$out") || line="not ok 1 - $(tail -n 3 <<<"$out")"
	echo "${line%%ok *}ok $n - $kernel: ${line#*- }"
done
echo "1..$n"
