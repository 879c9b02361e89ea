#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# options.sh in a guest, which needs one kernel only: what it tries does not differ.
# Comes in: perhaps names of its sections. Goes out: TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
ko=$(tests/vm/build-kmod 6.12) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
${CC:-cc} -O1 -Wall -o "$tmp/threads" tests/vm/threads.c -lpthread || exit 1
tests/vm/run -f -k 6.12 -c 72 -K maxcpus=2 -a "$ko" -a "$tmp" -a tests/vm/options.sh -a tests/tap.sh \
	-- "insmod $ko && WHOLE=${KSTATS_WHOLE-} TAP=$PWD/tests/tap.sh THREADS=$tmp/threads sh $PWD/tests/vm/options.sh $*" 2>&1 |
	sed -u -E '/^(ok|not ok|1\.\.)/!s/^/# /'
exit "${PIPESTATUS[0]}"
