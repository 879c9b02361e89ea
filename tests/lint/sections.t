#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A script without the sections that other kernels run still has all that it uses: functions and
# variables. See tests/vm/sections. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -r "$tmp"' EXIT

gone() { # WHOLE PART: functions of the one that the other calls and lacks
	local before='(^|[;&|({!]|until|while|if|do|then|else)[[:space:]]*'
	comm -23 <(defined "$1") <(defined "$2") | while read -r name; do
		grep -vE '^[[:space:]]*#' "$2" | grep -qE "$before$name([[:space:]);]|\$)" && echo "$name"
	done
}
defined() { sed -nE 's/^[[:space:]]*([a-z_]+)\(\) \{.*/\1/p' "$1" | sort -u; }
# Names that a script, or one that it may read in, gives a value to: NAME=, for NAME, read NAME.
assigned() {
	grep -hvE '^[[:space:]]*#' "$1" tests/tap.sh tests/vm/{nodes,objects}.sh |
		grep -oE '(^|[^[:alnum:]_"$.-])[a-z_]+=|(for|read|read -r)( [a-z_]+)+' |
		grep -oE '[a-z_]+' | sort -u
}
unassigned() { # WHOLE PART: variables that the part uses and only the whole one gives a value to
	comm -23 <(assigned "$1") <(assigned "$2") | while read -r name; do
		grep -qE "\\$\{?$name\b" "$2" && echo "$name"
	done
}

here() { # SCRIPT: prints a tag more if it runs on this machine as well
	local name=${1##*/}
	name=${name%.sh}
	grep -q "^${name//_/-}-here " tests/vm/suites && echo '|here'
}

for script in tests/vm/*.sh; do
	grep -qE '^# ---- .* ---- \[.*\]$' "$script" || continue
	for kernel in 6.1 6.12 7; do
		part=$(tests/vm/sections $kernel "$script" "$tmp")
		is "$script on $kernel: is shell" "$(sh -n "$part" 2>&1)" ''
		is "$script on $kernel: tells how many results there were" "$(tail -n 1 "$part")" plan
		is "$script on $kernel: functions" "$(gone "$script" "$part")" ''
		is "$script on $kernel: variables" "$(unassigned "$script" "$part")" ''
	done
	# A tag names kernels that there are, the long run, or this machine where the script runs on it.
	is "$script: its tags" "$(sed -nE 's/^# ---- .* ---- \[(.*)\]$/\1/p' "$script" | tr ' ' '\n' |
		sort -u | grep -vxE "6\.1|6\.12|7|long$(here "$script")")" ''
done
plan
