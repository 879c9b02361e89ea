#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# filters.sh [-g] [KERNEL...]: instructions that a call takes which a filter leaves out, and one
# that it does not; by trampoline, and by sessions where the kernel has them; in guests whose clock
# counts instructions. Every count must be exact: of those that are left out, 0. With -g the bare
# rows, as guard.sh wants them. Called by `make bench` and guard.sh.

set -eu
cd "$(dirname "$0")/../.."
# shellcheck source=tests/bench/lib.sh
. tests/bench/lib.sh
guard=''
[ "${1-}" != -g ] || { guard=1 && shift; }
[ $# -gt 0 ] || set -- 6.12 7
calls=40000
warm=$((calls / 10 + 1)) # calls that the program makes before it measures
calls_program=$PWD/.output/tests/bench/calls program=${PROGRAM-$PWD/.output/kstats-bpf}

# Runs in the guest; a row is: what, instructions for each call, count of calls.
# shellcheck disable=SC2016
functions='
row() { printf "%s\t%s\t%s\n" "$@"; }
plain() { row "$1" "$($calls_program "$2" function $calls 1)" -; }
recorded() { tr , "\n" < /tmp/own | sed -n "s/.*\"recorded\": *//p" | head -n 1; }
trace() { $program trace -q -b 3 --backend map -f json -o /tmp/own "$@"; }
own() { # WHAT OPTION...
	what=$1
	shift
	value=$(trace "$@" kt_empty -- $calls_program none function $calls 1)
	row "$what" "$value" "$(recorded)"
}
beside() { # WHAT OPTION...: calls of another process than the command
	what=$1
	shift
	rm -f /tmp/begun /tmp/held
	mkfifo /tmp/held
	trace "$@" kt_empty -- sh -c ": > /tmp/begun; read x < /tmp/held" &
	until [ -e /tmp/begun ]; do sleep 0.1; done
	value=$($calls_program none function $calls 1)
	echo > /tmp/held
	wait $!
	row "$what" "$value" "$(recorded)"
}
filters() { # METHOD OPTION...
	by=$1
	shift
	own "kstats-bpf $by, everybody" "$@" -a
	own "kstats-bpf $by, the command" "$@"
	beside "kstats-bpf $by, left out by the command" "$@"
	own "kstats-bpf $by, left out by -p" "$@" -a -p 1
	own "kstats-bpf $by, left out by -t" "$@" -a -t 1
	own "kstats-bpf $by, left out by --comm" "$@" -a --comm x
	own "kstats-bpf $by, left out by --cgroup" "$@" -a -c /sys/fs/cgroup/other
}'

guest() { # TARGET KERNEL
	cat <<-EOT
	insmod $1 || exit 1
	calls=$calls calls_program=$calls_program program=$program
	$functions
	mkdir -p /sys/fs/cgroup/other || exit 1
	$calls_program none function 200000 1 >/dev/null
	plain 'nothing attached' none
	plain 'two empty programs' empty
	plain 'two clock reads (the limit)' clocks
	filters fentry -m fentry
	[ -n "$guard" ] || filters '--per-cpu' -m fentry --per-cpu
	case $2 in 6.12 | 7) filters 'kprobe session' -m kprobe-session ;; esac
	case $2 in 7) filters fsession -m fsession ;; esac
	EOT
}

# Puts the kernel in front, and refuses counts that are not exact.
rows() { # KERNEL
	awk -F '\t' -v OFS='\t' -v kernel="$1" -v wanted=$((calls + warm)) '
	$3 != "-" && $3 != ($1 ~ /left out/ ? 0 : wanted) {
		print "bench/filters: " kernel ", " $1 " counted " $3 " calls of " wanted > "/dev/stderr"
		exit 1
	}
	{ print "kernel " kernel, $1, $2, "-" }'
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for kernel; do
	target=$(tests/vm/build-kmod "$kernel")
	tests/vm/run -k "$kernel" -i -c 1 -m 2048 -t 3000 -K "$quiet" -a "$target" \
		-a "$calls_program" -a "$program" -- "$(guest "$target" "$kernel")" >"$tmp/out"
	rows "$kernel" <"$tmp/out" >>"$tmp/rows"
done
if [ -n "$guard" ]; then
	cat "$tmp/rows"
	exit
fi
echo 'instructions added to a call'
echo
awk -F '\t' '
	$2 == "nothing attached" { base = $3; next }
	!($2 in seen) { seen[name[++n] = $2] = 1 }
	!($1 in column) { kernel[column[$1] = ++m] = $1 }
	{ added[$2, $1] = sprintf("%.0f", $3 - base) }
	END {
		for (j = 1; j <= m; j++) {
			head = head " | " kernel[j]
			line = line " | ---:"
		}
		print "|" head " |\n| ---" line " |"
		for (i = 1; i <= n; i++) {
			printf "| %s", name[i]
			for (j = 1; j <= m; j++)
				printf " | %s", added[name[i], kernel[j]]
			print " |"
		}
	}' "$tmp/rows"
