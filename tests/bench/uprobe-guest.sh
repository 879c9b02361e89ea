#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# uprobe-guest.sh [KERNEL...]: instructions that a call of an empty function of a program takes
# while it is measured, by its first instruction and by method, beside bpftrace, in guests whose
# clock counts instructions. Interleaved repetitions; every tool's count must be exact. Called by
# `make bench`.

set -eu
cd "$(dirname "$0")/../.."
# shellcheck source=tests/bench/lib.sh
. tests/bench/lib.sh
[ $# -gt 0 ] || set -- 6.12 7
repetitions=${REPETITIONS-3} calls=${CALLS-100} kinds=${KINDS-of_nop of_long of_push of_jump of_lea}
program=$PWD/.output/kstats-bpf target=$PWD/.output/tests/bench/uprobe
peers=$(tests/bench/peers)

# Runs in the guest; a row is: first instruction, what, instructions a call, count of calls.
# shellcheck disable=SC2016
functions='
row() { printf "row\t%s\t%s\t%s\t%s\n" "$kind" "$@"; }
own() { # METHOD
	value=$($program trace -q -b 3 -m "$1" -f json -o /tmp/own "u:$target:$kind" -- \
		"$target" "$kind" "$calls") || return
	row "kstats-bpf, $1" "$value" \
		"$(tr , "\n" < /tmp/own | sed -n "s/.*\"recorded\": *//p" | head -n 1)"
}
bpftrace() {
	value=$($peers/bpftrace -q -o /tmp/peer -e "uprobe:$target:$kind { @start[tid] = nsecs; }
		uretprobe:$target:$kind /@start[tid]/ { @ns = hist(nsecs - @start[tid], 3); delete(@start[tid]); }
		END { clear(@start); }" -c "$target $kind $calls" 2> /tmp/talk | grep "[0-9]")
	row bpftrace "$value" "$(awk "/^\\[/ { n += \$3 } END { print n }" /tmp/peer)"
}'

guest() { # METHOD...
	cat <<-EOT
	calls=$calls program=$program target=$target peers=$peers
	$functions
	[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing
	for i in \$(seq $repetitions); do
		for kind in $kinds; do
			row 'nothing attached' "\$($target \$kind $calls)" -
			for m in $*; do own \$m; done
			bpftrace
		done
	done
	EOT
}

# Puts the kernel in front, and refuses counts that are not exact.
rows() { # KERNEL
	awk -F '\t' -v kernel="$1" -v wanted=$((calls * 100)) '
	$1 != "row" { next }
	$5 != "-" && $5 != wanted {
		print "bench/uprobe-guest: " kernel ", " $2 ", " $3 " counted " $5 " calls of " wanted \
			> "/dev/stderr"
		exit 1
	}
	{ print kernel ", " substr($2, 4) "\t" $3 "\t" $4 }'
}

mkdir -p .output/bench
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for kernel; do
	case $kernel in
	6.12*) methods='uprobe-multi uprobe' ;;
	6.1*) methods=uprobe ;;
	*) methods='uprobe-session uprobe-multi uprobe' ;;
	esac
	# shellcheck disable=SC2086
	tests/vm/run -k "$kernel" -i -e -c 1 -m 2048 -t 3000 -K "$quiet" -a "$target" -a "$program" \
		-a "$peers" -- "$(guest $methods)" >"$tmp/out"
	rows "$kernel" <"$tmp/out" >>"$tmp/rows"
done
echo "instructions a call of an empty function of a program; $repetitions interleaved repetitions"
echo
tests/bench/table.py --peer bpftrace --least "$repetitions" --json .output/bench/uprobe.json <"$tmp/rows"
