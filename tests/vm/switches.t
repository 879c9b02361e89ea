#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Switches that keep programs from running: a measurement is refused while one is off,
# and reports when one is used while it runs. In a guest. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ko=$(tests/vm/build-kmod 6.12) || exit 1

cat >"$tmp/script" <<SCRIPT
insmod $ko
load='echo 101 > /sys/kernel/debug/kstats_target/empty'
kprobes=/sys/kernel/debug/kprobes/enabled
ftrace=/proc/sys/kernel/ftrace_enabled
try() { # NAME ARG...: its status, and what it wrote
	name=\$1
	shift
	kstats-bpf trace kt_empty "\$@" >out 2>err </dev/null
	echo "\$name status \$?"
	sed "s/^/\$name out /" out
	sed "s/^/\$name err /" err
	echo 1 >\$kprobes
	echo 1 >\$ftrace
}
cd /tmp
echo 0 >\$kprobes
try before_kprobe -m kprobe -- true
echo 0 >\$kprobes
try before_other -m fentry --max-loss 0 -- sh -c "\$load"
echo 0 >\$ftrace
try before_ftrace -m fentry -- true
try off_kprobe -m kprobe -- sh -c "\$load; echo 0 >\$kprobes; \$load"
try strict_kprobe -m kprobe --max-loss 0 -- sh -c "echo 0 >\$kprobes; \$load; echo 1 >\$kprobes"
try other_kprobe -m fentry --max-loss 0 -- sh -c "\$load; echo 0 >\$kprobes; \$load"
try off_ftrace -m fentry -f json -- sh -c "\$load; echo 0 >\$ftrace; \$load"
try strict_ftrace -m fentry --max-loss 0 -- sh -c "echo 0 >\$ftrace; \$load; echo 1 >\$ftrace"
try gate -m fentry --runs 2 --assert 'count>=0' -- sh -c "echo 0 >\$ftrace; \$load; echo 1 >\$ftrace"
try kept -q -m fentry --record r1 -- sh -c "echo 0 >\$ftrace; \$load; echo 1 >\$ftrace"
kstats-bpf check --assert 'count>=0' r1 2>&1 | sed "s/^/check out /"
kstats-bpf report r1 | sed "s/^/report out /"
kstats-bpf node add kt_empty
kstats-bpf node show kt_empty | sed "s/^/node_on out /"
echo 0 >\$ftrace
kstats-bpf node show kt_empty | sed "s/^/node_off out /"
echo 1 >\$ftrace
kstats-bpf node rm kt_empty
try none -m fentry --max-loss 0 -- sh -c "\$load"
SCRIPT
out=$(tests/vm/run -f -k 6.12 -a "$ko" -a "$tmp" -- "sh $tmp/script" 2>&1)
is 'the guest ran' $? 0
of() { grep "^$1 " <<<"$out" | sed "s/^$1 //"; }
status() { # NAME WANTED WHAT
	is "$3" "$(of "$1 status")" "$2"
}

status before_kprobe 4 'kprobes off are refused'
has 'and told' "$(of 'before_kprobe err')" 'kprobes are off.*echo 1 >'
status before_other 0 'where other methods are used they do not matter'
status before_ftrace 4 'ftrace off is refused'
has 'and told' "$(of 'before_ftrace err')" 'ftrace is off'
has 'kprobes off while it measures: the report says so' "$(of 'off_kprobe out' | xargs -0 echo)" \
	'^MISSING: +kprobes .*switched off'
has 'and the ledger' "$(of 'off_kprobe out')" 'CALLS MAY BE MISSING'
has 'and who watches' "$(of 'off_kprobe err')" 'calls may be missing: kprobes'
status strict_kprobe 3 'off and on again: --max-loss 0 fails'
has 'and is told' "$(of 'strict_kprobe err')" 'not exact, calls may be missing: kprobes .*written to'
status other_kprobe 0 'where other methods are used that is nothing'
has 'ftrace off: in JSON too' "$(of 'off_ftrace out')" '"unseen":"ftrace .*switched off"'
status strict_ftrace 3 'ftrace off and on again: --max-loss 0 fails'
status gate 3 'a gate has no verdict'
has 'and says why' "$(of 'gate err')" 'calls may be missing: ftrace'
has 'a recording is not judged' "$(of 'check out')" "cannot judge by 'r1', calls may be missing"
has 'and says so when it is shown' "$(of 'report out')" '^MISSING: +ftrace'
has 'a node shows' "$(of 'node_on out')" 'kt_empty'
is 'nothing' "$(of 'node_on out' | grep -c MISSING)" 0
has 'and tells of what is off now' "$(of 'node_off out')" '^MISSING: +ftrace .*switched off'
status none 0 'with nothing switched nothing is said'
is 'anywhere' "$(of 'none (out|err)' | grep -ci missing)" 0
plan
