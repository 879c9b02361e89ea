#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A short form of the tables of `make bench-check`: a tenth of the sets, some of the
# rows, the same numbers each time. And the program on recordings of such sets. TAP.

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
# What the program says of the same sets, written as recordings, is what the library says.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
sets=$(.output/tests/bench/check -s -w "$tmp" '2 and 2 runs of 101,' '3 and 3 runs' \
	'2 and 12 runs, order unknown' 'power: +5 %, p99, 1 % noise' 'A/A, limit 5 %, p99, 1 %' |
	sed -n 's/^# set //p' | awk -F- '$2 + 0 <= 25')
said='' wanted='' differ=''
while read -r set verdict rule; do
	.output/kstats-bpf check "$tmp/$set"-run-*.json --base "$tmp/$set"-base-*.json -m "$rule" \
		>"$tmp/out"
	said+="$? "
	case $verdict in
	pass) wanted+='0 ' ;;
	fail) wanted+='1 ' ;;
	*) wanted+='3 ' ;;
	esac
	cmp -s "$tmp/out" "$tmp/$set.txt" || differ+="$set "
done <<<"$sets"
is 'the program: its verdicts' "$said" "$wanted"
is 'each kind is among them' "$(awk '{ print $2 }' <<<"$sets" | sort -u | tr '\n' ' ')" \
	'fail inconclusive pass '
is 'word by word' "$differ" ''
plan
