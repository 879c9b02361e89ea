#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Compares the instructions of random expressions, and of as many keys, with the interpreter, on
# the oldest kernel. With --long many more of them, on each. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
make -s .output/tests/vm/expr || exit 1
number=1000 kernels=6.1
[ "${1-}" = --long ] && number=100000 kernels='6.1 6.12 7'
n=0
for kernel in $kernels; do
	n=$((n + 1))
	out=$(tests/vm/run -f -k "$kernel" -a .output/tests/vm/expr -- "$PWD/.output/tests/vm/expr $number" 2>&1)
	if [ "$(grep -c '^ok' <<<"$out")" = 4 ]; then
		echo "ok $n - $kernel: $number expressions and as many keys: values and errors as the interpreter has them"
	else
		echo "not ok $n - $kernel"
		tail -n 20 <<<"$out" | sed 's/^/# /'
	fi
done
echo "1..$n"
