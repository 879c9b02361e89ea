# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# A processor goes off and on while all methods attach and detach, on it and beside it, in a guest.
# Comes in: the .ko files TARGET and KMOD (may be empty: without the module); SECS, how long. Prints
# TAP. Whoever waits for ever makes the kernel complain, which fails the guest (tests/vm/run).
# Called by hotplug-run, outside.

tracing=/sys/kernel/tracing
cpu1=/sys/devices/system/cpu/cpu1/online
# shellcheck source=tests/tap.sh
. "$TAP"

insmod "$TARGET" || exit 1
if [ "$KMOD" ]; then insmod "$KMOD" || exit 1; fi
[ -d $tracing/events ] || mount -t tracefs none $tracing
echo 200 >/proc/sys/kernel/hung_task_timeout_secs

# What this kernel has, each on functions that are called all the time.
try() { # NAME OPTION...
	name=$1
	shift
	kstats-bpf trace -q "$@" -d 5ms >/dev/null 2>&1 && echo "$name $*" >>/tmp/methods
}
# What direct and fentry measure is not for another one of them: each worker has its own function.
of() { # FUNCTION: those words for that function
	sed "s/vfs_read/$1/" /tmp/methods
}
: >/tmp/methods
for method in direct fsession fentry kprobe-session kprobe; do
	try $method -m $method vfs_read
done
try tp_btf -m tp_btf --start tp:sched:sched_wakeup --end tp:sched:sched_switch
try trace-event -m trace-event --start tp:sched:sched_wakeup --end tp:sched:sched_switch
sed 's/^/# /' /tmp/methods
has 'there are methods' "$(cut -d ' ' -f 1 /tmp/methods | xargs)" 'fentry.*kprobe'

attach_on() { # MASK FUNCTION: in turn by each method
	of "$2" >"/tmp/methods.$1"
	while [ ! -e /tmp/enough ]; do
		while read -r name options; do
			[ ! -e /tmp/enough ] || break
			# It may go off in between; then the command is not run.
			# shellcheck disable=SC2086
			taskset "$1" kstats-bpf trace -q $options -d 5ms >/dev/null 2>/tmp/why.$1
			status=$?
			if [ $status = 0 ]; then
				echo "$name" >>"/tmp/done.$1"
			elif ! grep -q "can't set" "/tmp/why.$1"; then
				sed "s/^/$name: /" "/tmp/why.$1" >>/tmp/failed
			fi
		done <"/tmp/methods.$1"
	done
}
others() { # nodes, commands with filters, and what hooks each return
	while [ ! -e /tmp/enough ]; do
		kstats-bpf trace -q vfs_getattr -- true >/dev/null 2>>/tmp/failed
		if [ "$KMOD" ]; then
			kstats-bpf trace -q -m direct vfs_getattr -- true >/dev/null 2>>/tmp/failed
			kstats-bpf node add hot vfs_open -m direct 2>>/tmp/failed &&
				kstats-bpf node reset hot && kstats-bpf node stop hot &&
				kstats-bpf node start hot && kstats-bpf node rm hot
		fi 2>>/tmp/failed
		echo function_graph >$tracing/current_tracer
		echo nop >$tracing/current_tracer
		echo others >>/tmp/done.others
	done
}

: >/tmp/failed
attach_on 1 vfs_read &
attach_on 2 vfs_write &
others &
end=$(($(date +%s) + SECS)) n=0
while [ "$(date +%s)" -lt $end ] || [ ! -s /tmp/done.1 ] || [ ! -s /tmp/done.2 ] || [ ! -s /tmp/done.others ]; do
	echo 0 >$cpu1
	usleep 120000
	echo 1 >$cpu1
	usleep 120000
	n=$((n + 1))
	[ $((n % 500)) != 0 ] || echo "# $n times off and on"
done
: >/tmp/enough
wait
cat /tmp/done.1 /tmp/done.2 /tmp/done.others | sort | uniq -c | sed 's/^ */# /'
sort /tmp/failed | uniq -c | head -n 20 | sed 's/^/# /'
is "a processor went off and on $n times in $SECS s, and every attach ended well" "$(wc -l </tmp/failed)" 0
i=0
while [ "$KMOD" ] && ! rmmod kstats 2>/dev/null && [ $i -lt 1200 ]; do usleep 100000; i=$((i + 1)); done
is 'nothing is left: the module goes' "$(ls -d /sys/module/kstats 2>/dev/null)" ''
is 'ftrace still works' "$(cat /proc/sys/kernel/ftrace_enabled)" 1
plan
