#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the ledger says of ends that never had a start: a pair whose start is never
# reached. Measures system calls by their tracepoints; needs root. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
export PATH="$PWD/.output:$PATH"
# shellcheck source=tests/tap.sh
. tests/tap.sh
if [ "$(id -u)" != 0 ]; then
	echo '1..1'
	echo 'ok 1 - ends without a start # SKIP root is needed'
	exit 0
fi
# A command of one thread that gets no alarm: only ends.
out=$(kstats-bpf trace -q --start tp:alarmtimer_fired --end tp:sys_enter -- true)
is 'it measures' $? 0
has 'ends are there, and no start' "$out" \
	'^ +and ([1-9][0-9]* ends without a start: their|1 end without a start: its) start was not seen, or was dropped'
has 'they have a reason' "$out" 'Ends were seen but no start'
is 'nobody says that calls were open at the begin' "$(grep -c 'open at' <<<"$out")" 0
plan
