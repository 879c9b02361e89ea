#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A short form of the tables of `make bench-check`: a tenth of the sets, some of the
# rows, the same numbers each time. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
make -s .output/tests/bench/check .output/tests/bench/sequential || exit 1

table() { # PROGRAM ROWS WORD...: every row that has a word in it is as it should be
	local program=$1 rows=$2
	shift 2
	out=$(.output/tests/bench/"$program" -s "$@")
	is "$program: a status of 0" "$?" 0
	is "$program: its rows" "$(grep -c '^ok' <<<"$out")" "$rows"
	echo "# ${out//$'\n'/$'\n# '}" | grep '^# not ok'
}

table check 9 'A/A, p99, 1 % noise' 'A/A, p99, 30 % noise' '6 of 100 and' '2 and 2 runs of 1,' \
	'2 and 12 runs, in turn' 'p99, one side first, drift' '30 %, p99.9, bits 0' \
	'one run of 100' 'limit 10 %, p99, 1 % noise'
table sequential 6 'A/A, limit 5 %, 5 % noise' '+20 %, limit 5 %, 5' 'the limit of 5 %, 10 % noise' '2..10'
plan
