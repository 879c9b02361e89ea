#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# native.sh [REPETITIONS]: what tracing a cheap system call costs on this very
# machine, in ns a call: by nobody, by programs that do nothing or read the clock
# only, by kstats-bpf, by bpftrace and by syscount; on one CPU and on two at once. Interleaved
# repetitions; every tool's count is checked. Called by `make bench`.

set -eu
cd "$(dirname "$0")/../.."
[ "${INSIDE-}" ] || INSIDE=1 exec unshare -m "$0" "$@"
# syscount looks into it.
mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing
repetitions=${1-7} calls=1000000
calls_program=$PWD/.output/tests/bench/calls program=$PWD/.output/kstats-bpf
peers=$(tests/bench/peers)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

counted() { # WHAT COUNT CPUS
	[ "$2" -ge $((calls * $3)) ] && return
	echo "bench/native: $1 counted $2 calls of $((calls * $3))" >&2
	return 1
}

own() { # CPUS OPTION...
	local cpus=$1
	shift
	"$program" trace -q -b 3 --start tp:raw_syscalls:sys_enter --end tp:raw_syscalls:sys_exit \
		-a "$@" -f json -o "$tmp/own.json" -- "$calls_program" none getpgid $calls "$cpus"
	counted kstats-bpf "$(jq '.nodes[0].ledger.recorded' "$tmp/own.json")" "$cpus"
}

# Keeps the start by thread in a map. An end of a system call has always had its own start, so that
# need not be deleted.
# shellcheck disable=SC2016
bpftrace_program='rawtracepoint:sys_enter { @start[tid] = nsecs; }
rawtracepoint:sys_exit /@start[tid]/ { @ns = hist(nsecs - @start[tid], 3); }
END { clear(@start); }'

peer() { # CPUS
	"$peers/bpftrace" -q -f json -o "$tmp/peer.json" -e "$bpftrace_program" \
		-c "$calls_program none getpgid $calls $1" 2>"$tmp/peer.err" || cat "$tmp/peer.err" >&2
	counted bpftrace "$(jq -s '[.[] | select(.type == "hist") | .data[][].count] | add' \
		"$tmp/peer.json")" "$1"
}

# It keeps starts by thread, and adds up by number of the call; no distribution.
syscount() { # CPUS
	local pid count
	"$peers/syscount" -L >"$tmp/syscount" &
	pid=$!
	until [ "$(find /proc/$pid/fd -lname 'anon_inode:*perf_event*' 2>/dev/null | wc -l)" -ge 2 ]; do
		kill -0 $pid || return
		sleep 0.2
	done
	"$calls_program" none getpgid $calls "$1"
	kill -INT $pid
	wait $pid || :
	count=$(awk '$1 == "getpgid" { print $2 }' "$tmp/syscount")
	counted syscount "${count:-0}" "$1"
}

row() { # GROUP WHAT COMMAND...
	local value
	value=$("${@:3}") || exit 1
	printf '%s\t%s\t%s\n' "$1" "$2" "$value"
}

repetition() { # CPUS GROUP
	for what in none empty clocks; do
		row "$2" "${names[$what]}" "$calls_program" $what getpgid $calls "$1"
	done
	row "$2" 'kstats-bpf, by task' own "$1"
	row "$2" 'kstats-bpf, --key cpu' own "$1" --key cpu
	row "$2" 'kstats-bpf, -m trace-event' own "$1" -m trace-event
	row "$2" 'bpftrace, rawtracepoint' peer "$1"
	row "$2" 'syscount -L' syscount "$1"
}

declare -A names=([none]='nothing attached' [empty]='two empty programs'
	[clocks]='two clock reads (the limit)')
mkdir -p .output/bench
echo "ns a call of getpgid, all its system call's events traced; $repetitions interleaved repetitions"
echo
for ((i = 0; i < repetitions; i++)); do
	for cpus in 1 2; do
		[ "$cpus" -le "$(nproc)" ] && repetition $cpus "$cpus at once"
	done
done >"$tmp/rows"
tests/bench/table.py --limit "${names[clocks]}" --peer 'bpftrace|syscount' --digits 0 \
	--least "$repetitions" --json .output/bench/native.json <"$tmp/rows"
