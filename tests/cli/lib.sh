# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What several of these tests share. Sourced in the top folder; makes the folder $tmp.

export PATH="$PWD/.output:$PATH"
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# shellcheck disable=SC2034 # the caller reads $out
status() { # NAME WANTED ARG...: the exit status of check; leaves the output in $out
	local name=$1 wanted=$2
	shift 2
	out=$(timeout 60 kstats-bpf check "$@" 2>&1)
	is "$name" "$?" "$wanted"
}

# A refusal: nothing in $tmp/out, and in $tmp/err one sentence.
one_sentence() { # NAME STATUS PATTERN
	local err wanted="^kstats-bpf: .*$3"
	IFS='' read -rd '' err <"$tmp/err"
	if [ "$2" = 2 ] && [ ! -s "$tmp/out" ] && [[ $err = *$'\n' && $err != *$'\n'*$'\n' &&
		${err%$'\n'} =~ $wanted ]]; then
		result ok "$1"
	else
		result 'not ok' "$1: status $2, $(wc -c <"$tmp/out") bytes of output, no '$3' alone in: $err"
	fi
}
