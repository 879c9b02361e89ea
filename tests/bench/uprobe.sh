#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# uprobe.sh [KERNEL...]: what a call of a function of a program costs while it is measured, by
# its first instruction and by method, beside bpftrace: in ns on this machine, or in
# instructions in guests whose clock counts them. Rows of tabs: first instruction, what, cost.
# Called by `make bench`.

set -eu
cd "$(dirname "$0")/../.."
program=$PWD/.output/kstats-bpf target=$PWD/.output/tests/bench/uprobe
peers=$(tests/bench/peers)
[ $# -gt 0 ] || [ "${INSIDE-}" ] || INSIDE=1 exec unshare -m "$0"
kinds=${KINDS-of_nop of_push of_endbr of_lea}

# Runs here or in the guest. The cheapest of the repetitions; every tool's count must be right.
# shellcheck disable=SC2016
functions='
least() { sort -n | head -n 1; }
check() { # COUNT
	[ "$1" = $((calls * 100)) ] || echo "$kind: a tool counted $1 calls" >&2
}
own() { # METHOD
	rm -f "$tmp/own"
	$program trace -q -b 3 -m "$1" -f json -o "$tmp/own" "u:$target:$kind" -- $target $kind $calls ||
		return
	check "$(tr , "\n" < "$tmp/own" | sed -n "s/.*\"recorded\": *//p" | head -n 1)"
}
bpftrace() {
	$peers/bpftrace -q -o "$tmp/peer" -e "uprobe:$target:$kind { @start[tid] = nsecs; }
		uretprobe:$target:$kind /@start[tid]/ { @ns = hist(nsecs - @start[tid], 3); delete(@start[tid]); }
		END { clear(@start); }" -c "$target $kind $calls" 2> "$tmp/talk" | grep "[0-9]"
	check "$(awk "/^\\[/ { n += \$3 } END { print n }" "$tmp/peer")"
}
measure() {
	for kind in $kinds; do
		for i in $(seq $repetitions); do
			$target $kind $calls >> "$tmp/$kind.nothing"
			for m in $methods; do own $m >> "$tmp/$kind.$m"; done
			bpftrace >> "$tmp/$kind.bpftrace"
		done
		for m in nothing $methods bpftrace; do
			printf "%s\t%s\t%s\n" $kind $m "$(least < "$tmp/$kind.$m")"
		done
	done
}'

if [ $# = 0 ]; then
	# bpftrace looks into it.
	mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing
	tmp=$(mktemp -d)
	trap 'rm -r "$tmp"' EXIT
	# shellcheck disable=SC2034
	calls=${CALLS-1000} repetitions=${REPETITIONS-5}
	# shellcheck disable=SC2034
	methods='uprobe-session uprobe-multi uprobe'
	eval "$functions"
	measure
fi
for kernel; do
	case $kernel in
	6.12*) methods='uprobe-multi uprobe' ;;
	6.1*) methods=uprobe ;;
	*) methods='uprobe-session uprobe-multi uprobe' ;;
	esac
	echo "$kernel"
	tests/vm/run -i -c 1 -m 2048 -k "$kernel" -t 1800 -a "$target" -a "$program" -a "$peers" -- "
		program=$program target=$target peers=$peers kinds='$kinds' methods='$methods'
		tmp=/tmp calls=${CALLS-20} repetitions=${REPETITIONS-1}
		$functions
		measure"
done
