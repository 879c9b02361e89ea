# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What check.t and history.t share. Sourced in the top folder; makes the folder $tmp.

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
