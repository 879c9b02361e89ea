# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Functions of a module without BTF, and kretprobes where tracefs is not there: they have room for
# few calls at a time, and what they miss is told. Runs inside a guest, as root. Comes in: WHOLE,
# the module kstats_target, and BARE, without its BTF. Prints TAP. Called by returns-run.

[ -d /.vm ] || exit 1 # a guest
dir=/sys/kernel/debug/kstats_target
# shellcheck source=tests/tap.sh
. "$TAP"

of() { # KEY...: their numbers in a JSON report
	report=$(cat)
	for key; do
		echo "$report" | grep -o "\"$key\":[0-9]*" | head -n 1 | cut -d : -f 2
	done | xargs
}

insmod "$BARE" 2>/dev/null
is 'a module without BTF is loaded' "$(ls -d $dir)" $dir

# ---- functions without BTF ----
out=$(kstats-bpf trace -q -a --max-loss 0 -f json kt_step -- sh -c "echo 1009 0 >$dir/step")
is 'each call is recorded' "$? $(echo "$out" | of recorded lost)" '0 1009 0'

rmmod kstats_target
insmod "$WHOLE" 2>/dev/null

# ---- sleepers without tracefs ----
for at in /sys/kernel/tracing /sys/kernel/debug/tracing; do
	[ ! -d $at ] || mount -t tmpfs none $at
done
# shellcheck disable=SC2016 # a shell of its own expands it
sleepers='for n in 10 60; do echo $n >$0/block; echo 0 >$0/unblock; done'
trace() { # OPTION...
	capsh --drop=cap_sys_admin --shell=/bin/sh -- -c \
		"kstats-bpf trace -q -a -f json $* kt_block -- sh -c '$sleepers' $dir"
}
echo 2 >/proc/sys/kernel/perf_event_paranoid # above that Debian lets in CAP_SYS_ADMIN alone
out=$(trace -m kprobe)
# shellcheck disable=SC2046
set -- $? $(echo "$out" | of recorded lost balance)
is 'recorded and lost are all calls' "$1 $((${2:-0} + ${3:-0})) $4" '0 70 0'
is 'some are lost' $((${3:-0} > 0)) 1
plan
