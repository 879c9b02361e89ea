#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every way to end prints the summary: signals, a time limit, a pipe that closes; and reports
# before the end. Measures system calls by their tracepoints. robust.sh does it in a guest. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
export PATH="$PWD/.output:$PATH"
# shellcheck source=tests/tap.sh
. tests/tap.sh
if ! tests/vm/here-can; then
	echo '1..1'
	echo 'ok 1 - endings # SKIP this machine or user lets no program in for tracepoints'
	exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
pair=(--start tp:sys_enter --end tp:sys_exit)

until_has() { # FILE PATTERN: waits until it is there
	local tries=0
	until grep -q "$2" "$1" || [ $((tries += 1)) -gt 3000 ]; do sleep 0.05; done
}

# Measures in the background until it is ended; sets pid.
begin() { # WORD...
	: >"$tmp/err" # what the one before said
	kstats-bpf trace "${pair[@]}" "$@" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_has "$tmp/err" measuring
}

for sig in INT TERM HUP; do
	begin
	kill -$sig $pid
	wait $pid
	is "SIG$sig ends with exit status 0" $? 0
	has "SIG$sig prints the summary" "$(cat "$tmp/out")" 'ledger .* started'
done
trap '' HUP
begin -d 2
trap - HUP
kill -HUP $pid
wait $pid
has 'under nohup a hangup does not end it' "$(head -n 1 "$tmp/out")" '^([2-9]|[1-9][0-9])[0-9.]* s on Linux'
: >"$tmp/err"
limit=1
while ! grep -q measuring "$tmp/err" && [ $limit -lt 1000 ]; do # the limit came too early
	timeout $limit kstats-bpf trace "${pair[@]}" >"$tmp/out" 2>"$tmp/err"
	limit=$((2 * limit))
done
has 'timeout gets the summary' "$(cat "$tmp/out")" 'ledger .* started'
begin -f json
kill -USR1 $pid
until_has "$tmp/out" '"period":1'
kill -USR2 $pid
until_has "$tmp/out" '"period":2'
kill -INT $pid
wait $pid
is 'USR1 and USR2 report: two of them, the last period, the whole' \
	"$(grep -o '"period":[0-9]*' "$tmp/out" | tr '\n' ' ')" '"period":1 "period":2 "period":2 "period":0 '
kstats-bpf trace -q -i 0.2 "${pair[@]}" 2>"$tmp/err" | head -n 1 >/dev/null
has 'a closed pipe ends it, and the summary goes to standard error' "$(cat "$tmp/err")" 'ledger .* started'
is 'nothing is lost between interval reports' "$(kstats-bpf trace -q -i 0.2 -d 1 -f csv "${pair[@]}" | awk -F, '
	NR > 1 && $1 > 0 { parts += $9 } $1 == "0" { whole += $9 } END { print (parts == whole) (whole > 0) }')" 11
plan
