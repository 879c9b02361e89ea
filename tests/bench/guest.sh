#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# guest.sh [-g] [KERNEL...]: instructions that a call of an empty function takes while
# it is traced, by each method and backend, by bpftrace and by funclatency; and one of
# getpgid, a function of the kernel proper, which funclatency hooks another way; in
# guests whose clock counts instructions. Interleaved repetitions; every tool's
# count must be exact: of those that a filter leaves out, 0. With -g no other tools and no table: the bare rows, with
# the instructions that the kernel's verifier went through, and the most states that
# it kept at a time, as last columns; with GUARD_FEW as well, "-" in rows that are not measured.
# On 6.1 kprobes cannot use the module.
# Called by `make bench` and guard.sh.

set -eu
cd "$(dirname "$0")/../.."
# shellcheck source=tests/bench/lib.sh
. tests/bench/lib.sh
guard=''
[ "${1-}" != -g ] || { guard=1 && shift; }
[ $# -gt 0 ] || set -- 6.12 7
repetitions=${REPETITIONS-7} calls=40000
warm=$((calls / 10 + 1)) # calls that the program makes before it measures
calls_program=$PWD/.output/tests/bench/calls program=$PWD/.output/kstats-bpf
states=$PWD/.output/tests/bench/states.so
peers=''
[ -n "$guard" ] || peers=$(tests/bench/peers)

# Runs in the guest; a row is: what, instructions for each call, count of calls.
# shellcheck disable=SC2016
functions='
row() { printf "%s\t%s\t%s\t%s\t%s\t%s\n" "$@" "$group"; }
plain() { row "$1" "$($calls_program "$2" $kind $calls 1)" - - -; }
of() { group=$1 kind=$2 name=$3 everybody=-a; }
own() { # WHAT OPTION...
	what=$1
	shift
	: > /tmp/states
	value=$(STATES=/tmp/states LD_PRELOAD=$states \
		$program ${verb-trace} -q -b 3 $everybody "$@" -f json -o /tmp/own $name -- sh -c \
		"cat /proc/\$PPID/fdinfo/* > /tmp/fds 2> /dev/null; unset LD_PRELOAD
		exec $calls_program none $kind $calls 1")
	row "$what" "$value" \
		"$(tr , "\n" < /tmp/own | sed -n "s/.*\"\(recorded\|calls\)\": *//p" | head -n 1)" \
		"$(awk "/^prog_id/ { id = \$2 } /^verified_insns/ && !seen[id]++ { n += \$2 } END { print n }" /tmp/fds)" \
		"$(sort -n /tmp/states | tail -n 1)"
}
beside() { # WHAT OPTION...: calls of another process than the command
	what=$1
	shift
	rm -f /tmp/begun /tmp/held
	mkfifo /tmp/held
	$program trace -q -b 3 "$@" -f json -o /tmp/own $name -- \
		sh -c ": > /tmp/begun; read x < /tmp/held" &
	until [ -e /tmp/begun ]; do sleep 0.1; done
	value=$($calls_program none $kind $calls 1)
	echo > /tmp/held
	wait $!
	row "$what" "$value" \
		"$(tr , "\n" < /tmp/own | sed -n "s/.*\"recorded\": *//p" | head -n 1)" - -
}
more() { # own|beside|module WHAT OPTION...: left out where few rows are asked for
	if [ -n "$few" ]; then row "$2" - - - -; else "$@"; fi
}
filters() { # METHOD [more]: the calls of a command, and those that a filter leaves out
	by="-m $1 --backend map"
	everybody=""
	$2 own "kstats-bpf $1, the command" $by
	$2 beside "kstats-bpf $1, left out by the command" $by
	everybody=-a
	more own "kstats-bpf $1, left out by -p" $by -p 1
	more own "kstats-bpf $1, left out by -t" $by -t 1
	own "kstats-bpf $1, left out by --comm" $by --comm x
	more own "kstats-bpf $1, left out by --cgroup" $by -c /sys/fs/cgroup/other
}
module() { # WHAT OPTION...
	[ ! -d /sys/module/kstats ] || own "$@" --backend kmod
}
forget="delete(@start[tid]);"
bpftrace() { # WHAT ENTRY RETURN [FILTER]
	value=$($peers/bpftrace -q -o /tmp/peer -e "$2$name ${4:+/$4/ }{ @start[tid] = nsecs; }
		$3$name /@start[tid]/ { @ns = hist(nsecs - @start[tid], 3); $forget }
		END { clear(@start); }" -c "$calls_program none $kind $calls 1")
	row "$1" "$value" "$(awk "/^\\[/ { n += \$3 } END { print n + 0 }" /tmp/peer)" - -
}
funclatency() { # WHAT OPTION...
	what=$1
	shift
	$peers/funclatency "$@" $name > /tmp/peer &
	pid=$!
	# What it says of its start stays in its buffer: its descriptors tell.
	until [ "$(ls -l /proc/$pid/fd | grep -cE "bpf.link|perf_event")" -ge 2 ]; do
		kill -0 $pid || exit 1
		sleep 0.2
	done
	value=$($calls_program none $kind $calls 1)
	kill -INT $pid
	wait $pid || :
	row "$what" "$value" "$(awk "/ -> / { n += \$5 } END { print n + 0 }" /tmp/peer)" - -
}'

guest() { # KMOD TARGET KERNEL
	cat <<-EOT
	insmod $1 || exit 1
	insmod $2 || exit 1
	calls=$calls calls_program=$calls_program program=$program peers=$peers states=${guard:+$states}
	few=${GUARD_FEW-}
	$functions
	mkdir -p /sys/fs/cgroup/other
	$calls_program none function 200000 1 >/dev/null
	for i in \$(seq $repetitions); do
		of '' function kt_empty
		plain 'nothing attached' none
		plain 'two empty programs' empty
		plain 'two clock reads (the limit)' clocks
		own 'kstats-bpf fentry, map, by task' -m fentry --backend map
		module 'kstats-bpf fentry, module, by task' -m fentry
		own 'kstats-bpf fentry, map, --key cpu' -m fentry --backend map --key cpu
		more module 'kstats-bpf fentry, module, --key cpu' -m fentry --key cpu
		case $3 in
		6.12 | 7)
			own 'kstats-bpf kprobe session, map' -m kprobe-session --backend map
			more module 'kstats-bpf kprobe session, module' -m kprobe-session
			;;
		esac
		case $3 in
		7)
			own 'kstats-bpf fsession, map' -m fsession --backend map
			module 'kstats-bpf fsession, module' -m fsession
			;;
		esac
		case $3 in 6.1) ;; *)
			filters fentry
			filters kprobe-session more
			;;
		esac
		module 'kstats-bpf direct' -m direct
		everybody=''
		more module 'kstats-bpf direct, the command' -m direct
		everybody=-a
		module 'kstats-bpf direct, left out' -m direct -p 1
		own 'kstats-bpf kprobe, map, by task' -m kprobe --backend map
		case $3 in 6.1) ;; *) more module 'kstats-bpf kprobe, module, by task' -m kprobe ;; esac
		if [ -n "$guard" ]; then
			blocks='--backend map --limit memory=4k'
			own 'kstats-bpf fentry, blocks, by task' -m fentry \$blocks
			more own 'kstats-bpf fentry, blocks, --key cpu' -m fentry --key cpu \$blocks
			case $3 in 6.12) more own 'kstats-bpf kprobe session, blocks' -m kprobe-session \$blocks ;; esac
			more own 'kstats-bpf kprobe, blocks, by task' -m kprobe \$blocks
			own 'kstats-bpf fentry, map, --parts' -m fentry --backend map --parts
			own 'kstats-bpf fentry, map, --callees, none is called' -m fentry --backend map --callees=kt_busy
			own 'kstats-bpf fentry, map, --by kstack' -m fentry --backend map --by kstack
			more own 'kstats-bpf fentry, map, --by ustack' -m fentry --backend map --by ustack
			verb=why
			own 'kstats-bpf why, fentry, map, below the threshold' -m fentry --backend map --slower 60s
			verb=trace
			module 'kstats-bpf fentry, module, blocks, by task' -m fentry --limit memory=4k
			more module 'kstats-bpf fentry, module, blocks, --key cpu' -m fentry --key cpu \\
				--limit memory=4k
			continue
		fi
		bpftrace 'bpftrace, fentry' fentry:kstats_target: fexit:kstats_target:
		bpftrace 'bpftrace, kprobe' kprobe: kretprobe:
		bpftrace 'bpftrace, fentry, left out' fentry:kstats_target: fexit:kstats_target: 'pid == 1'
		# Wrong where a start was not seen, but the least that a script can do.
		forget=''
		bpftrace 'bpftrace, fentry, without delete()' fentry:kstats_target: fexit:kstats_target:
		forget='delete(@start[tid]);'
		funclatency 'funclatency'
		funclatency 'funclatency -k' -k
		funclatency 'funclatency, left out' -p 1
		of ', getpgid' syscall __x64_sys_getpgid
		plain 'nothing attached' none
		plain 'two empty programs' empty
		plain 'two clock reads (the limit)' clocks
		own 'kstats-bpf, first choice'
		own 'kstats-bpf fentry' -m fentry
		case $3 in 6.12 | 7) own 'kstats-bpf kprobe session' -m kprobe-session ;; esac
		own 'kstats-bpf kprobe' -m kprobe
		bpftrace 'bpftrace, fentry' fentry: fexit:
		bpftrace 'bpftrace, kprobe' kprobe: kretprobe:
		funclatency 'funclatency'
	done
	EOT
}

# Puts the kernel in front, and refuses counts that are not exact.
rows() { # KERNEL
	awk -F '\t' -v kernel="$1" -v guard="$guard" -v wanted=$((calls + warm)) '
	$3 != "-" && $3 != ($1 ~ /left out/ ? 0 : wanted) {
		print "bench/guest: " kernel ", " $1 " counted " $3 " calls of " wanted > "/dev/stderr"
		exit 1
	}
	{ print "kernel " kernel $6 "\t" $1 "\t" $2 (guard ? "\t" $4 "\t" $5 : "") }'
}

mkdir -p .output/bench
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for kernel; do
	ko=$(tests/vm/build-kmod "$kernel" kmod)
	target=$(tests/vm/build-kmod "$kernel")
	tests/vm/run -k "$kernel" -i -e -c 1 -m 2048 -t 3000 -K "$quiet" -a "$ko" -a "$target" \
		-a "$calls_program" -a "$program" ${guard:+-a "$states"} ${peers:+-a "$peers"} -- \
		"$(guest "$ko" "$target" "$kernel")" >"$tmp/out"
	rows "$kernel" <"$tmp/out" >>"$tmp/rows"
done
if [ -n "$guard" ]; then
	cat "$tmp/rows"
	exit
fi
echo "instructions a call of an empty function, and of getpgid; $repetitions interleaved repetitions"
echo
tests/bench/table.py --limit 'two clock reads (the limit)' --peer 'bpftrace|funclatency' \
	--least "$repetitions" --json .output/bench/guest.json <"$tmp/rows"
