#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# own.sh [REPETITIONS]: what the program itself takes, in ms of its processor's time:
# listing all functions, reading the slots of many processors, drawing them. Called
# by `make bench`.

set -eu
cd "$(dirname "$0")/../.."
repetitions=${1-7} folder=.output/tests/bench program=.output/kstats-bpf
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

TIMEFORMAT='%3U %3S'
list() {
	local n user sys
	read -r user sys < <({ time "$program" list >"$tmp/list"; } 2>&1)
	n=$(wc -l <"$tmp/list")
	[ "$n" -gt 1000 ] || { echo "bench/own: list shows $n lines" >&2; exit 1; }
	awk -v u="$user" -v s="$sys" -v n="$n" \
		'BEGIN { printf "listing, ms\tall %d functions and tracepoints\t%.0f\n", n, (u + s) * 1000 }'
}

for ((i = 0; i < repetitions; i++)); do
	list
	$folder/snapshot
done >"$tmp/rows"
mkdir -p .output/bench
echo "ms of the processor's time; $repetitions repetitions"
echo
tests/bench/table.py --plain --digits 1 --least "$repetitions" \
	--json .output/bench/own.json <"$tmp/rows"
