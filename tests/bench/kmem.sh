#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# kmem.sh [-g] [KERNEL...]: instructions that a kmalloc(64) and its kfree() take while
# kstats-bpf kmem follows all allocations, by site and with lifetimes; beside two programs
# that do nothing, and beside what leak finders usually do, a stack id and two hashes; in
# guests whose clock counts instructions. What kmem counts must be exact. With -g no leak
# finder and no table: the bare rows, with the instructions that the kernel's verifier
# went through as a last column; with GUARD_FEW as well, "-" in rows that are not measured. Called by
# `make bench` and guard.sh.

set -eu
cd "$(dirname "$0")/../.."
# shellcheck source=tests/bench/lib.sh
. tests/bench/lib.sh
guard=''
[ "${1-}" != -g ] || { guard=1 && shift; }
[ $# -gt 0 ] || set -- 6.1 6.12 7
repetitions=${REPETITIONS-7} calls=40000
warm=$((calls / 10 + 1)) # calls that the program makes before it measures
calls_program=$PWD/.output/tests/bench/calls program=$PWD/.output/kstats-bpf

# Runs in the guest; a row is: what, instructions for each call, count of calls, verified.
# shellcheck disable=SC2016
functions='
row() { printf "%s\t%s\t%s\t%s\n" "$@"; }
plain() { row "$1" "$($calls_program "$2" memory $calls 1)" - -; }
more() { # own WHAT OPTION...: left out where few rows are asked for
	if [ -n "$few" ]; then row "$2" - - -; else "$@"; fi
}
own() { # WHAT OPTION...
	what=$1
	shift
	value=$($program kmem -q $everybody "$@" --record /tmp/own -o /tmp/kmem.out -- sh -c \
		"cat /proc/\$PPID/fdinfo/* > /tmp/fds 2> /dev/null; exec $calls_program none memory $calls 1")
	# Of all the numbers of the recording one must be that of the calls.
	row "$what" "$value" "$(tr -c 0-9 "\n" < /tmp/own | grep -x -m 1 $wanted)" \
		"$(awk "/^prog_id/ { id = \$2 } /^verified_insns/ && !seen[id]++ { n += \$2 } END { print n }" /tmp/fds)"
}
beside() { # WHAT: calls by another process than the command
	rm -f /tmp/begun /tmp/held
	mkfifo /tmp/held
	$program kmem -q --record /tmp/own -o /tmp/kmem.out -- \
		sh -c ": > /tmp/begun; read x < /tmp/held" &
	until [ -e /tmp/begun ]; do sleep 0.1; done
	value=$($calls_program none memory $calls 1)
	echo > /tmp/held
	wait $!
	row "$1" "$value" - -
}'

guest() { # TARGET KERNEL
	cat <<-EOT
	insmod $1 || exit 1
	calls=$calls wanted=$((calls + warm)) calls_program=$calls_program program=$program
	few=${GUARD_FEW-}
	$functions
	everybody=-a
	$calls_program none memory 200000 1 >/dev/null
	for i in \$(seq $repetitions); do
		plain 'nothing attached' none
		plain 'two empty programs on events' empty
		own 'kstats-bpf kmem, by site'
		own 'kstats-bpf kmem, with lifetimes' --lifetime
		everybody=''
		more own 'kstats-bpf kmem, by site, the command'
		everybody=-a
		beside 'kstats-bpf kmem, by site, left out by the command'
		[ -z "$guard" ] || continue
		case $2 in
		7)
			plain 'two empty programs on trace events' events
			plain 'two empty kprobes' probes
			plain 'two empty kprobe links' links
			;;
		esac
		own 'by site, --skip names others' --skip 'kmemdup*'
		own 'by site, --skip names the site' --skip km_cost
		plain 'stack id and two hashes' leak
	done
	EOT
}

# Puts the kernel in front, and refuses counts that are not exact.
rows() { # KERNEL
	awk -F '\t' -v kernel="$1" -v guard="$guard" -v wanted=$((calls + warm)) '
	$3 != "-" && $3 != wanted {
		print "bench/kmem: " kernel ", " $1 " counted " $3 " calls of " wanted > "/dev/stderr"
		exit 1
	}
	{ print "kernel " kernel "\t" $1 "\t" $2 (guard ? "\t" $4 : "") }'
}

mkdir -p .output/bench
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for kernel; do
	target=$(tests/vm/build-kmod "$kernel" tests/kmod/kstats_memory)
	tests/vm/run -k "$kernel" -i -e -c 1 -m 2048 -t 3000 -K "$quiet" -a "$target" \
		-a "$calls_program" -a "$program" -- "$(guest "$target" "$kernel")" >"$tmp/out"
	rows "$kernel" <"$tmp/out" >>"$tmp/rows"
done
if [ -n "$guard" ]; then
	cat "$tmp/rows"
	exit
fi
echo "instructions a kmalloc(64) and its kfree; $repetitions interleaved repetitions"
echo
tests/bench/table.py --peer 'stack id' --least "$repetitions" \
	--json .output/bench/kmem.json <"$tmp/rows"
