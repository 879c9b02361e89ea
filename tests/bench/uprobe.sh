#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# uprobe.sh: what a call of a function of a program costs on this machine while it is measured,
# in ns, by its first instruction and by method, beside bpftrace and funclatency. Rows of tabs:
# first instruction, what, cost. Called by `make bench`.

set -eu
cd "$(dirname "$0")/../.."
program=$PWD/.output/kstats-bpf target=$PWD/.output/tests/bench/uprobe
peers=$(tests/bench/peers)
[ "${INSIDE-}" ] || INSIDE=1 exec unshare -m "$0"
kinds=${KINDS-of_nop of_push of_endbr of_lea}

# The cheapest of the repetitions; every tool's count must be right.
least() { sort -n | head -n 1; }
check() { # COUNT
	[ "$1" = $((calls * 100)) ] || echo "$kind: a tool counted $1 calls" >&2
}
own() { # METHOD
	rm -f "$tmp/own"
	$program trace -q -b 3 -m "$1" -f json -o "$tmp/own" "u:$target:$kind" -- "$target" "$kind" "$calls" ||
		return
	check "$(tr , "\n" < "$tmp/own" | sed -n "s/.*\"recorded\": *//p" | head -n 1)"
}
bpftrace() {
	"$peers"/bpftrace -q -o "$tmp/peer" -e "uprobe:$target:$kind { @start[tid] = nsecs; }
		uretprobe:$target:$kind /@start[tid]/ { @ns = hist(nsecs - @start[tid], 3); delete(@start[tid]); }
		END { clear(@start); }" -c "$target $kind $calls" 2> "$tmp/talk" | grep "[0-9]"
	check "$(awk "/^\\[/ { n += \$3 } END { print n }" "$tmp/peer")"
}
funclatency() {
	"$peers"/funclatency "$target:$kind" > "$tmp/peer" 2> "$tmp/talk" &
	pid=$!
	# What it says of its start stays in its buffer: its descriptors tell.
	until [ "$(find /proc/$pid/fd -lname "anon_inode:*perf_event*" | wc -l)" -ge 2 ]; do
		kill -0 $pid || return
		sleep 0.2
	done
	"$target" "$kind" "$calls" | grep "[0-9]"
	kill -INT $pid
	wait $pid || :
	check "$(awk "/ -> / { n += \$5 } END { print n }" "$tmp/peer")"
}
measure() {
	for kind in $kinds; do
		for _ in $(seq "$repetitions"); do
			"$target" "$kind" "$calls" >> "$tmp/$kind.nothing"
			for m in $methods; do own "$m" >> "$tmp/$kind.$m"; done
			bpftrace >> "$tmp/$kind.bpftrace"
			funclatency >> "$tmp/$kind.funclatency"
		done
		for m in nothing $methods bpftrace funclatency; do
			printf "%s\t%s\t%s\n" "$kind" "$m" "$(least < "$tmp/$kind.$m")"
		done
	done
}

# bpftrace looks into it.
mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
calls=${CALLS-1000} repetitions=${REPETITIONS-5}
methods='uprobe-session uprobe-multi uprobe'
measure
