#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A short form of the tables of `make bench-check`: a tenth of the sets, some of the rows, the same
# numbers each time. With KSTATS_TABLES=bench only those that tests/bench/*.t leave out, which then
# run as well. And a set of every row to the program itself, which says of it what the library says,
# word by word. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
make -s .output/tests/bench/{check,sequential,measured} || exit 1

table() { # PROGRAM ROWS WORD...: every row that has a word in it is as it should be
	local program=$1 rows=$2
	shift 2
	out=$(.output/tests/bench/"$program" "$@")
	is "$program: a status of 0" "$?" 0
	is "$program: its rows" "$(grep -c '^ok' <<<"$out")" "$rows"
	echo "# ${out//$'\n'/$'\n# '}" | grep '^# not ok'
}

kinds() { # prints the verdicts that are in $out
	grep -oE '(pass|fail|neither|early) +[0-9.]+' <<<"$out" | awk '$2 > 0 { print $1 }' | sort -u | xargs
}

if [ "${KSTATS_TABLES-}" = bench ]; then # the same rows are made there
	table sequential 1 -s '2..10'
else
	table check 14 -s 'A/A, p99, 1 % noise' 'A/A, p99, 30 % noise' '6 of 100 and' '2 and 2 runs of 1,' \
		'2 and 12 runs, in turn' 'p99, one side first, drift' '30 %, p99.9, bits 0' \
		'one run of 100' 'limit 10 %, p99, 1 % noise' '3 and 3 runs in two modes' \
		'12 and 12, outliers'
	table sequential 6 -s 'A/A, limit 5 %, 5 % noise' '+20 %, limit 5 %, 5' \
		'the limit of 5 %, 10 % noise' '2..10'
fi
table check 121 -n 1 -p .output/kstats-bpf
is 'each kind is among them' "$(kinds)" 'fail neither pass'
table sequential 23 -n 1 -p .output/tests/bench/measured
is 'of series too' "$(kinds)" 'early fail pass'
plan
