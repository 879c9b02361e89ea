#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What measuring takes on this very machine; see calibrate.sh. TAP.

cd "$(dirname "$0")/../.." || exit 1
PATH=$PWD/.output:$PATH

skip() {
	echo "ok 1 # skip $1"
	echo 1..1
	exit
}

[ "$(id -u)" = 0 ] || skip 'it takes root'
unshare -m true 2>/dev/null || skip 'a /run of its own cannot be made here'
kstats-bpf doctor --json | jq -es 'any(.what == "tp_btf" and .answer == "ok")' >/dev/null ||
	skip 'programs on tracepoints are refused here, see kstats-bpf doctor'
exec unshare -m sh tests/bench/calibrate.sh
