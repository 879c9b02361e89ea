#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Where a result goes that cannot go where it should: told before where that can be
# known, else nothing measured is lost. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
export PATH="$PWD/.output:$PATH"
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
golden=tests/golden/tail.recording.json

(ulimit -f 1 && exec kstats-bpf report $golden -f json -o "$tmp/report") 2>"$tmp/err" | cat >"$tmp/out"
is 'a file that may not grow is an error, and no signal' "${PIPESTATUS[0]} $(wc -l <"$tmp/err")" '2 1'
has 'that is told' "$(cat "$tmp/err")" "cannot write '.*/report': File too large; .*went to standard output"
is 'the report is on standard output' "$(jq -c .nodes[0].samples "$tmp/out")" \
	"$(kstats-bpf report $golden -f json | jq -c .nodes[0].samples)"
(ulimit -f 1 && exec kstats-bpf report $golden -f html) >"$tmp/report" 2>"$tmp/err"
is 'so is standard output' "$? $(cat "$tmp/err")" \
	'2 kstats-bpf: cannot write the report: File too large; make room, or write elsewhere'

if [ "$(id -u)" != 0 ]; then
	result ok "somebody's sticky folder # SKIP root is needed"
	plan
	exit
fi

# ---- measuring ----
pair=(trace -q --start tp:sys_enter --end tp:sys_exit)
mkdir -m 1777 "$tmp/sticky"
echo theirs >"$tmp/sticky/report"
chown 4242 "$tmp/sticky/report"
chown 4243 "$tmp/sticky"
for option in -o --record; do
	kstats-bpf "${pair[@]}" "$option" "$tmp/sticky/report" -- touch "$tmp/ran" >"$tmp/out" 2>"$tmp/err"
	is "$option: a file of somebody in somebody's sticky folder is refused" \
		"$? $(grep -c "in a sticky folder.*choose another name" "$tmp/err") $(cat "$tmp/sticky/report")" '2 1 theirs'
	is 'before anything is measured' "$([ -e "$tmp/ran" ]; echo $?)" 1
done

# While it measures the file becomes somebody else's.
echo mine >"$tmp/sticky/mine"
kstats-bpf "${pair[@]}" --record "$tmp/sticky/mine" -- chown 4242 "$tmp/sticky/mine" >"$tmp/out" 2>"$tmp/err"
is 'one that becomes so is an error' "$? $(cat "$tmp/sticky/mine")" '2 mine'
where=$(sed -n "s/.*cannot write '.*\/mine': .*; the result is in '\(.*\)' instead$/\1/p" "$tmp/err")
has 'and the recording is where it says' "$(kstats-bpf report "$where")" 'sys_enter'
has 'and the report is shown' "$(cat "$tmp/out")" 'ledger .* started'
echo mine >"$tmp/sticky/memory"
kstats-bpf kmem -q --record "$tmp/sticky/memory" -- chown 4242 "$tmp/sticky/memory" >"$tmp/out" 2>"$tmp/err"
is 'so it is with memory events' "$? $(cat "$tmp/sticky/memory")" '2 mine'
where=$(sed -n "s/.*cannot write '.*\/memory': .*; the result is in '\(.*\)' instead$/\1/p" "$tmp/err")
has 'and their recording is where it says' "$(kstats-bpf report "$where")" 'account .* seen'
has 'and their report is shown' "$(cat "$tmp/out")" 'account .* seen'
kstats-bpf "${pair[@]}" -o "$tmp/sticky/new" -- true
has 'a new file is none of these' "$(cat "$tmp/sticky/new")" 'ledger .* started'
# shellcheck disable=SC2016
(ulimit -f 1 && exec kstats-bpf "${pair[@]}" -f json -o "$tmp/report" -- \
	sh -c 'dd if=/dev/zero of=$1 bs=4096 count=1; echo $? >&2' - "$tmp/grown") 2>"$tmp/err" >"$tmp/out"
has 'the command gets the signal as ever' "$(cat "$tmp/err")" '^153$'

kstats-bpf "${pair[@]}" -o "$tmp/report.txt" -- true
is 'the report file is written' $? 0
has 'and whole' "$(cat "$tmp/report.txt")" 'balanced|lost'
kstats-bpf trace --start tp:sys_enter --end tp:sys_exit -o "$tmp/report.txt" -- true 2>&-
has 'with standard error closed nothing is said in the report' "$(head -n 1 "$tmp/report.txt")" \
	'^[0-9.]+ [a-z]*s on Linux'
kstats-bpf "${pair[@]}" -d 0.1 >/dev/full 2>"$tmp/err"
is 'a full standard output is an error' $? 2
: >"$tmp/err"
kstats-bpf trace --start tp:sys_enter --end tp:sys_exit -o "$tmp/killed.txt" 2>"$tmp/err" &
pid=$!
tries=0
until grep -q measuring "$tmp/err" || [ $((tries += 1)) -gt 3000 ]; do sleep 0.05; done
kill -9 $pid
wait $pid 2>/dev/null
is 'killed (-9), it leaves no file' "$(find "$tmp" -name 'killed*')" ''

# ---- a full disk, which nobody else sees ----
full=$tmp/full
mkdir "$full"
# shellcheck disable=SC2016
TMPDIR=$tmp unshare -m sh -c 'full=$1; shift
	mount -t tmpfs -o size=4k tmpfs "$full" || exit
	echo old >"$full/report"
	dd if=/dev/zero of="$full/fill" bs=4096 count=1 2>/dev/null
	"$@" -o "$full/report" -f json -- true 2>"$full-err"
	echo $? >"$full-status"
	ls "$full" >"$full-files"
	cat "$full/report" >"$full-old"
	"$@" --record "$full/recording" -- true >"$full-out" 2>"$full-err2"
	echo $? >>"$full-status"' sh "$full" kstats-bpf "${pair[@]}"
is 'a full disk is an error, also for a recording' "$(xargs <"$full-status")" '2 2'
has 'that is told' "$(cat "$full-err")" 'cannot write .*No space left'
is 'and nothing half-written stays' "$(xargs <"$full-files")" 'fill report'
is 'the old file stays' "$(cat "$full-old")" old
instead() { sed -n "s/.*the result is in '\(.*\)' instead$/\1/p" "$1"; }
has 'and what was measured is somewhere else' "$(cat "$(instead "$full-err")")" '"name":".*sys_enter'
has 'so is a recording' "$(kstats-bpf report "$(instead "$full-err2")")" 'sys_enter'
has 'whose report is shown' "$(cat "$full-out")" 'ledger .* started'

# ---- no more files ----
bad='' step=1
[ "${KSTATS_QUICK-}" ] && step=7
for ((n = 8; n <= 48; n += step)); do
	(ulimit -n "$n" && exec kstats-bpf "${pair[@]}" -d 1ms) >/dev/null 2>"$tmp/err" ||
		grep -qE 'may open no more files|may open only|Too many open files|^[^k]' "$tmp/err" || bad="$bad $n: $(cat "$tmp/err")"
	grep -q 'refused it\|verifier' "$tmp/err" && bad="$bad $n: $(cat "$tmp/err")"
done
is 'no more files: the verifier is not blamed' "$bad" ''
# A report fits a small screen, if its figures and its ledger do.
on_screen() { # ROWS FILE: the lines of a report there
	script -qec "stty rows $1 cols 80; kstats-bpf report $2" /dev/null </dev/null | tr -d '\r'
}
sizes=tests/golden/sizes.recording.json all=$(kstats-bpf report tests/golden/sizes.recording.json | wc -l)
is 'a large screen: as in a file' "$(on_screen 60 $sizes | wc -l)" "$all"
is 'a small screen: a line stays for the prompt' "$(($(on_screen 24 $sizes | wc -l) <= 23))" 1
is 'with the figures and the ledger' "$(on_screen 24 $sizes | grep -cE 'count .*p50|ledger .*started')" 2
is 'too small a screen: as in a file' "$(on_screen 12 $sizes | wc -l)" "$all"
plan
