#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# life.sh [KERNEL...]: from a tool's start to attached, from its end to its exit, its
# memory and its size: on this machine with tracepoints, and with KERNELs in guests
# that count instructions (a ms is a million), with a function. Interleaved
# repetitions. Called by `make bench`.

set -eu
cd "$(dirname "$0")/../.."
# shellcheck source=tests/bench/lib.sh
. tests/bench/lib.sh
repetitions=${REPETITIONS-7}
life=$PWD/.output/tests/bench/life program=$PWD/.output/kstats-bpf
peers=$(tests/bench/peers)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Also for guests.
# shellcheck disable=SC2016
functions='
rows() { # WHAT TOOL ARGUMENT...
	what=$1
	shift
	set -- $($life "$@" 2> /dev/null)
	[ $# -eq 3 ] || { echo "bench/life: $what did not run" >&2; exit 1; }
	printf "start to attached, ms\t%s\t%s\n" "$what" "$1"
	printf "end to exit, ms\t%s\t%s\n" "$what" "$2"
	printf "peak memory, MiB\t%s\t%s\n" "$what" "$3"
}
stamps() { # ENTRY RETURN
	echo "$1 { @start[tid] = nsecs; } $2 /@start[tid]/ {
		@ns = hist(nsecs - @start[tid], 3); delete(@start[tid]); } END { clear(@start); }"
}'
eval "$functions"

native() {
	for ((i = 0; i < repetitions; i++)); do
		rows 'kstats-bpf, tracepoint pair' "$program" trace -q -a \
			--start tp:raw_syscalls:sys_enter --end tp:raw_syscalls:sys_exit -- @@
		rows 'bpftrace, rawtracepoint' "$peers/bpftrace" -q \
			-e "$(stamps rawtracepoint:sys_enter rawtracepoint:sys_exit)" -c @
	done
}

# The programs alone, without what they are linked to.
sizes() {
	local p
	strip -o "$tmp/stripped" "$program"
	for ((i = 0; i < repetitions; i++)); do
		printf 'size of the program, KiB\t%s\t%s\n' \
			kstats-bpf $(($(stat -c %s "$tmp/stripped") / 1024))
		printf 'size of the program, KiB\t%s\t%s\n' \
			bpftrace $(($(stat -c %s "$peers/bpftrace.bin") / 1024))
	done
	p=$(stat -c %s "$peers/funclatency.bin")
	echo "bench/life: funclatency's program has $((p / 1024)) KiB" >&2
}

guest() { # TARGET
	cat <<-EOT
	insmod $1 || exit 1
	life=$life program=$program peers=$peers
	$functions
	for i in \$(seq $repetitions); do
		rows 'kstats-bpf, first choice' \$program trace -q -a kt_empty -- @@
		rows 'kstats-bpf, fentry' \$program trace -q -a -m fentry kt_empty -- @@
		rows 'kstats-bpf, kprobe' \$program trace -q -a -m kprobe kt_empty -- @@
		rows 'bpftrace, fentry' \$peers/bpftrace -q -e \
			"\$(stamps fentry:kstats_target:kt_empty fexit:kstats_target:kt_empty)" -c @
		rows 'funclatency' \$peers/funclatency kt_empty
	done
	EOT
}

mkdir -p .output/bench
if [ $# -eq 0 ]; then
	{ native && sizes; } >"$tmp/rows"
else
	for kernel; do
		target=$(tests/vm/build-kmod "$kernel")
		tests/vm/run -k "$kernel" -i -e -c 1 -m 2048 -t 1800 -K "$quiet" -a "$target" -a "$life" \
			-a "$program" -a "$peers" -- "$(guest "$target")" >"$tmp/out"
		sed "s/^/kernel $kernel, /" "$tmp/out" >>"$tmp/rows"
	done
fi
echo "$repetitions interleaved repetitions"
echo
tests/bench/table.py --plain --digits 1 --peer 'bpftrace|funclatency' --least "$repetitions" \
	--json ".output/bench/life${1+-guest}.json" <"$tmp/rows"
