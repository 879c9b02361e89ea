#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# growth.sh [KERNEL...]: instructions that a call of an empty function takes while
# many more functions are traced with it, in guests whose clock counts instructions.
# Interleaved repetitions, which are the same to the instruction; the count of calls
# must be exact. Called by `make bench`.

set -eu
cd "$(dirname "$0")/../.."
# shellcheck source=tests/bench/lib.sh
. tests/bench/lib.sh
[ $# -gt 0 ] || set -- 6.12 7
repetitions=${REPETITIONS-7} numbers=${NUMBERS-1 16 256 1000} calls=40000
warm=$((calls / 10 + 1)) # calls that the program makes before it measures
calls_program=$PWD/.output/tests/bench/calls program=$PWD/.output/kstats-bpf

# Runs in the guest. The others are functions that nobody calls meanwhile; those with
# variable arguments cannot be traced by a trampoline.
guest() { # TARGET METHOD...
	cat <<-EOT
	insmod $1 || exit 1
	$program list -F 'acpi_*' | awk '/fentry/ && !/_(error|exception|warning|info)/ { print \$1 }' \
		>/tmp/others
	$calls_program none function 200000 1 >/dev/null
	for i in \$(seq $repetitions); do
		for method in ${*:2}; do
			printf '%s\tnothing attached\t%s\t-\n' \$method \$($calls_program none function $calls 1)
			for n in $numbers; do
				# Too long to attach in a guest: programs of its own for each, in turn.
				[ \$method != kprobe-session ] && [ \$n -gt 256 ] && continue
				value=\$($program trace -q -a -m \$method -f json -o /tmp/own \
					--limit functions=\$n kt_empty \$(head -n \$((n - 1)) /tmp/others) -- \
					$calls_program none function $calls 1) || exit 1
				printf '%s\t%s functions traced\t%s\t%s\n' \$method \$n \$value \
					\$(tr , '\n' </tmp/own | sed -n 's/.*"recorded": *//p' | head -n 1)
			done
		done
	done
	EOT
}

rows() { # KERNEL
	awk -F '\t' -v kernel="$1" -v wanted=$((calls + warm)) '
	$4 != "-" && $4 != wanted {
		print "bench/growth: " $1 ", " $2 ": counted " $4 " calls of " wanted > "/dev/stderr"
		exit 1
	}
	{ print "kernel " kernel ", " $1 "\t" $2 "\t" $3 }'
}

mkdir -p .output/bench
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for kernel; do
	methods='fentry kprobe-session'
	[ "$kernel" != 7 ] || methods='fsession kprobe-session'
	target=$(tests/vm/build-kmod "$kernel")
	# shellcheck disable=SC2086
	tests/vm/run -k "$kernel" -i -e -c 1 -m 2048 -t 3600 -K "$quiet" -a "$target" \
		-a "$calls_program" -a "$program" -- "$(guest "$target" $methods)" >"$tmp/out"
	rows "$kernel" <"$tmp/out" >>"$tmp/rows"
done
echo "instructions a call of an empty function; $repetitions interleaved repetitions"
echo
tests/bench/table.py --least "$repetitions" --json .output/bench/growth.json <"$tmp/rows"
