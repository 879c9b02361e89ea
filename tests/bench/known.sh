#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# known.sh [LOAD...]: where known tools err: bcc's tools, in Python and of libbpf-tools, and
# bpftrace's, as Debian 13 packages them, each beside ours on the same load, in a guest with Linux
# 6.12. LOAD: idle, nesting, lost, parts (all of them). Prints a row for each tool: load, tool, what
# it counted. The tools in Python compile for half a minute each there. Called by `make bench-known`.

set -eu
# shellcheck disable=SC2034
prog=bench/known
cd "$(dirname "$0")/../.."
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh
[ $# -gt 0 ] || set -- idle nesting lost parts
root=$KSTATS_CACHE/chroot-known kernel=6.12

debian_13 "$root" python3-bpfcc,bpfcc-tools,bpftrace,libbpf-tools ||
	die "cannot install the peers (see $root.log)"
rm -rf "$root"/var/cache/apt/archives/*.deb
target=$(tests/vm/build-kmod "$kernel")
parts=$(tests/vm/build-kmod "$kernel" tests/kmod/kstats_parts)
headers=$(tests/vm/fetch "$kernel")/headers # build-kmod has put them there

# shellcheck disable=SC2016
guest='
set -u
release=$(uname -r)
mkdir -p $root/lib/modules/$release
mv $headers/usr/src/* $root/usr/src/
ln -s /usr/src/linux-headers-$release $root/lib/modules/$release/build
ln -s /usr/src/linux-headers-${release%-*}-common $root/lib/modules/$release/source
for folder in proc sys dev; do mount --rbind /$folder $root/$folder; done
mount -t debugfs none $root/sys/kernel/debug
[ -e $root/sys/kernel/debug/kprobes ] || exit 1
insmod $target || exit 1
insmod $parts half_us=200000 || exit 1
at=/sys/kernel/debug/kstats_target
[ -e $at ] || mount -t debugfs none /sys/kernel/debug
export PYTHONUNBUFFERED=1

row() { printf "%s\t%s\t%s\n" "$load" "$1" "$2"; }
samples() { # LEAST: of a histogram of bcc or of bpftrace, those of rows that begin there or later
	tr -d "[,)" < /tmp/peer | awk -v least="$1" "
		function number(word) {
			return word * (word ~ /K\$/ ? 1024 : word ~ /M\$/ ? 1048576 : 1)
		}
		\$2 == \"->\" && \$4 == \":\" && \$1 >= least { n += \$5 }
		/[|]/ && \$2 != \"->\" && number(\$1) >= least { n += \$3 ~ /^[0-9]/ ? \$3 : \$2 }
		END { print n + 0 }"
}
peer() { # NAME LEAST PROGRAM WORD...: its samples of so much, in what it counts in
	measure "$@"
	row "$1" "$(samples $2)"
}
measure() { # as peer
	name=$1
	shift 2
	# A shell lets what runs in the background ignore the signal.
	chroot $root python3 -c "import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])" "$@" > /tmp/peer 2> /tmp/peer-said &
	pid=$!
	until grep -q . /tmp/peer || [ "$(ls -l /proc/$pid/fd 2> /dev/null | grep -cE "bpf.link|perf_event")" -ge 2 ]; do
		kill -0 $pid || { row "$name" "cannot run: $(tail -n 1 /tmp/peer-said)" && return; }
		sleep 0.2
	done
	sleep 1
	$load
	sleep 1
	kill -INT $pid
	wait $pid
	grep "[|] *$" /tmp/peer | sed "s/^/# /" >&2
}
both() { # as peer: all of its samples, and those of so much
	measure "$@"
	row "$1" "$(samples 0), $(samples $2)"
}
own() { # NAME WORD...
	name=$1
	shift
	kstats-bpf trace -q -a -f json -o /tmp/own --record /tmp/record "$@" -- sh /tmp/load $load
	kstats-bpf report /tmp/record | sed "s/^/# /" >&2
	row "$name" "$(tr , "\n" < /tmp/own | sed -n "s/.*\"recorded\": *//p" | head -n 1)"
}
'
# What makes the loads, and their truth.
# shellcheck disable=SC2016
loads='
at=/sys/kernel/debug/kstats_target
waited() { awk "/^cpu/ { ns += \$9 } END { printf \"%d\", ns / 1e6 }" /proc/schedstat; }
idle() { # 12 times busy for 200 ms and idle for as long: nobody waits for so long
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		timeout -s KILL 0.2 sh -c "while :; do :; done"
		usleep 200000
	done 2> /dev/null
}
nesting() { echo "10 5 2000000" > $at/recurse; } # 50 calls, of which 10 are not inside another
lost() { # 40 tasks are inside at the same time
	echo 40 > $at/block
	echo > $at/unblock
}
parts() { # 13 requests, each of two parts of 200 ms
	dd if=/dev/kt_parts of=/dev/null iflag=direct bs=8k count=13 status=none
}'
# shellcheck disable=SC2016
cases='
compare_idle() { # samples of 131 ms and more
	first=$(waited)
	idle
	row "truth: ms that all tasks together waited (/proc/schedstat)" $(($(waited) - first))
	peer "runqlat.bt (bpftrace)" 131072 bpftrace /usr/sbin/runqlat.bt
	peer "runqlat (libbpf-tools)" 131072 runqlat-libbpf
	peer "runqlat (bcc)" 131072 runqlat-bpfcc
	own "kstats-bpf trace @runqlat" @runqlat --if "duration >= 131072us"
}
compare_nesting() { # calls, and those of 8.4 ms or more: the outermost ones
	row "truth: calls" "50, 10"
	by_tid="fentry:kt_recurse { @s[tid] = nsecs } fexit:kt_recurse /@s[tid]/ {
		@ = hist(nsecs - @s[tid]); delete(@s[tid]) } END { clear(@s) }"
	both "bpftrace, a time for each task" 8388608 bpftrace -e "$by_tid"
	both "funclatency (libbpf-tools)" 8388608 funclatency-libbpf kt_recurse
	both "funclatency (bcc)" 8388608 funclatency-bpfcc kt_recurse
	both "funclatency -l 5 (bcc)" 8388608 funclatency-bpfcc -l 5 kt_recurse
	own "kstats-bpf trace kt_recurse" kt_recurse
	own "the same, calls of 8.4 ms or more" kt_recurse --if "duration >= 8388608"
}
compare_lost() { # calls
	row "truth: calls" 40
	by_tid="kprobe:kt_block { @s[tid] = nsecs } kretprobe:kt_block /@s[tid]/ {
		@ = hist(nsecs - @s[tid]); delete(@s[tid]) } END { clear(@s) }"
	peer "bpftrace, kretprobe" 0 bpftrace -e "$by_tid"
	peer "funclatency (libbpf-tools)" 0 funclatency-libbpf kt_block
	peer "funclatency (bcc)" 0 funclatency-bpfcc kt_block
	own "kstats-bpf trace -m kprobe kt_block" -m kprobe kt_block
	own "kstats-bpf trace kt_block" kt_block
}
compare_parts() { # samples of 262 ms and more
	row "truth: requests of 400 ms" 13
	peer "biolatency.bt (bpftrace)" 262144 bpftrace /usr/sbin/biolatency.bt
	peer "biolatency (libbpf-tools)" 262144 biolatency-libbpf
	peer "biolatency (bcc)" 262144 biolatency-bpfcc
	own "kstats-bpf trace @biolat" @biolat --if "duration >= 262144us"
}
'
tests/vm/run -f -b -c 1 -k "$kernel" -m 6000 -a "$root" -a "$headers" -a "$target" -a "$parts" \
	-a "$(command -v dd)" -- "root=$root headers=$headers target=$target parts=$parts $guest
cat >/tmp/load <<'EOT'
$loads
\$1
EOT
$loads $cases
for load in $*; do compare_\$load; done"
