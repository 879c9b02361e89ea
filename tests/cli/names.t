#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Numbers that have names are shown by name in every format that shows keys, and on the screen. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
if [ "$(id -u)" != 0 ]; then
	result ok 'names in each format # skip it needs root'
	plan
	exit
fi

# A key whose values are openat and -ENOENT, not 257 and -2.
calls=(--start tp:sys_enter --end tp:sys_exit --by 'syscall(id),errno(ret)' --if 'syscall(id) == "openat" && ret < 0')
named() { # NAME FILE
	is "$1: the system call" "$(grep -ac openat "$2" | sed 's/^[1-9].*/some/')" some
	is "$1: the error" "$(grep -acE 'ENOENT|ENO~' "$2" | sed 's/^[1-9].*/some/')" some
	rm -f "$2"
}

kstats-bpf trace -q "${calls[@]}" --record "$tmp/r.json" -- sh -c "cat /nosuch; true" >/dev/null 2>&1
cp "$tmp/r.json" "$tmp/s.json"
for format in $(kstats-bpf complete report x -f ''); do
	[[ $format = perfetto || $format = line ]] && continue # of single calls; of no keys
	kstats-bpf report "$tmp/r.json" -f "$format" -o "$tmp/out"
	named "report -f $format" "$tmp/out"
done
for format in $(kstats-bpf complete check x -f ''); do
	kstats-bpf check "$tmp/r.json" --assert 'count>0' -f "$format" -o "$tmp/out"
	[ "$format" = series ] || named "check -f $format" "$tmp/out"
done
for format in $(kstats-bpf complete diff x -f ''); do
	kstats-bpf diff --force "$tmp/r.json" -- "$tmp/s.json" -f "$format" -o "$tmp/out"
	named "diff -f $format" "$tmp/out"
done
for format in $(kstats-bpf complete why vfs_read -f ''); do
	[[ $format = summary || $format = html ]] && continue # what slow calls have in common, and no values of one
	kstats-bpf why -q "${calls[@]}" --slower 1ns -f "$format" -o "$tmp/out" -- cat /nosuch 2>/dev/null
	named "why -f $format" "$tmp/out"
done
(while sleep 0.05; do cat /nosuch 2>/dev/null; done) &
loop=$!
COLUMNS=120 kstats-bpf top "${calls[@]}" --frames 240 -i 0.5 >"$tmp/out" &
top=$!
for ((i = 0; i < 600; i++)); do
	grep -qa 'ENO.*openat' "$tmp/out" && break
	sleep 0.2
done
kill $loop
kill -INT $top
wait $top
named top "$tmp/out"
plan
