#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# step.sh [REPETITIONS]: what the record step alone costs, on this very machine, in
# ns, everything in the cache: as a BPF program, the same arithmetic in C, and in an
# HdrHistogram. Called by `make bench`.

set -eu
cd "$(dirname "$0")/../.."
repetitions=${1-7} folder=.output/tests/bench
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

hdr=true
if sources=$(tests/bench/hdr) &&
	gcc -O2 -std=gnu11 -I"$sources" -o $folder/hdr tests/bench/hdr.c \
		"$sources/hdr_histogram.c" -lm; then
	hdr=$folder/hdr
else
	echo 'bench/step: HdrHistogram cannot be had: its rows are left out' >&2
fi

for ((i = 0; i < repetitions; i++)); do
	$folder/step
	$hdr
done | sed 's/^/one record, ns\t/' >"$tmp/rows"
mkdir -p .output/bench
echo "one record, all in the cache, net of the loop around; $repetitions interleaved repetitions"
echo
tests/bench/table.py --plain --digits 1 --peer HdrHistogram --least "$repetitions" \
	--json .output/bench/step.json <"$tmp/rows"
