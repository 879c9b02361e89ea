# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Whatever happens, nothing is left behind, every way to end prints the summary, and no
# privilege is kept. Runs inside a guest, as root; prints TAP. KILLS says how many; SIZES are MiB of
# memory, the last of them enough. Called by robust.

dir=/sys/kernel/debug/kstats_target
# shellcheck source=tests/tap.sh
. "$TAP"

# shellcheck source=tests/vm/objects.sh
. "$OBJECTS"

# Waits until FILE has that many lines, or words, of PATTERN.
until_has() { # FILE PATTERN COUNT
	tries=0
	while [ "$(grep -o "$2" "$1" | wc -l)" -lt "$3" ] && [ $tries -lt 3000 ]; do
		usleep 100000
		tries=$((tries + 1))
	done
}

# Waits until the program that writes its talk to FILE is measuring.
attached() { until_has "$1" measuring 1; }

load() { # runs until it is killed, and leaves most of the processor to others
	while :; do echo 100 >$dir/empty; usleep 50000; done
}

before=$(objects)
load &
loader=$!

# ---- kill -9: half of them while it attaches, half while it measures ---- [7]
ticks() { sed 's/ .*//; s/\.//' /proc/uptime; } # hundredths of a second

: >/tmp/err
begin=$(ticks) measured=0
kstats-bpf trace kt_empty -d 600 -o /tmp/killed.txt 2>/tmp/err &
pid=$!
attached /tmp/err
took=$(($(ticks) - begin + 1)) # to attach, on this machine
kill -9 $pid
wait $pid 2>/dev/null
is 'killed (-9), it leaves no file' "$(find /tmp -name 'killed*')" ''
i=0
while [ $i -lt "$KILLS" ]; do
	: >/tmp/err
	kstats-bpf trace kt_empty -d 600 >/dev/null 2>/tmp/err &
	pid=$!
	[ $((i % 2)) = 0 ] || attached /tmp/err
	usleep $((i * 7919 % 97 * took * 10000 / 97 / (1 + i % 2 * 9)))
	kill -9 $pid
	wait $pid 2>/dev/null
	measured=$((measured + $(grep -c measuring /tmp/err)))
	i=$((i + 1))
done
is "$KILLS kills (-9) leave nothing" "$(settled "$before")" "$before"
is 'half of them came while it measured' "$((measured >= KILLS / 2))" 1
out=$(kstats-bpf trace -q kt_empty -d 1)
has 'and the next run works' "$out" 'balanced, nothing lost'

# ---- what list says ---- [6.1]

is 'list names the method that is taken' "$(kstats-bpf list kt_empty | tr -s ' ' | head -n 1)" \
	"kstats_target:kt_empty $(kstats-bpf trace -q kt_empty -d 0.1 -f json |
		grep -o '"method":"[^"]*"' | cut -d '"' -f 4)"

is 'list takes what it prints' "$(kstats-bpf list kstats_target:kt_empt? | cut -d ' ' -f 1)" \
	kstats_target:kt_empty
is 'list of a subsystem' "$(kstats-bpf list 'sched:sched_switc?' | cut -d ' ' -f 1)" tp:sched_switch
kstats-bpf list tp:foo:sched_switch 2>/dev/null
is 'list of another subsystem' $? 2
out=$(kstats-bpf trace --dry-run --start tp:foo:sched_wakeup --end tp:sched:sched_switch 2>&1)
is 'a tracepoint of another subsystem: status' $? 2
has 'and why' "$out" "'tp:foo:sched_wakeup': the tracepoint belongs to another subsystem"

# ---- kretprobes: room for calls that sleep, and nothing left ---- [6.1]
events=/sys/kernel/tracing/kprobe_events
sleeps='-q -m kprobe __x64_sys_clock_nanosleep'
ours() { grep -c kstats_bpf $events; }

# shellcheck disable=SC2086
kstats-bpf trace $sleeps -d 600 >/dev/null &
pid=$!
until_has $events kstats_bpf 1
kill -9 $pid
wait $pid 2>/dev/null
# shellcheck disable=SC2016,SC2086
out=$(kstats-bpf trace $sleeps -f json -- \
	sh -c 'for i in $(seq 60); do sleep 2 & done; wait; cat '$events)
has '60 calls that sleep are recorded' "$out" '"recorded":60,'
is 'and none has no end' "$(grep -o '"end_missed":[0-9]*' <<-EOF
	$out
EOF
)" '"end_missed":0'
is 'what was killed has left nothing then' "$(echo "$out" | grep -c "^r.*kstats_bpf")" 1
is 'nor has this' "$(ours)" 0
mount --bind /dev/null $events
out=$(kstats-bpf trace -q -m kprobe kt_empty -d 0.1 | tr -s '\n ' ' ')
umount $events
has 'without such events, it is said' "$out" 'no event could be made in tracefs'

# ---- what is attached ---- [7]
is 'nothing is attached: status and message' "$(kstats-bpf list --markers --listened 2>&1; echo $?)" \
	"kstats-bpf: nothing is attached to any tracepoint
0"
kstats-bpf trace --start tp:sched_waking --end tp:sched_wakeup --key 'p->pid' -d 600 2>/tmp/err >/dev/null &
first=$!
kstats-bpf trace -m trace-event --start tp:irq_handler_entry --end tp:irq_handler_exit -d 600 \
	2>/tmp/err2 >/dev/null &
second=$!
attached /tmp/err
attached /tmp/err2
echo 1 >/sys/kernel/tracing/events/sched/sched_process_fork/enable
mkdir /sys/kernel/tracing/instances/other
echo 1 >/sys/kernel/tracing/instances/other/events/syscalls/sys_enter_getpgid/enable
kstats-bpf node add forks --start 'tp:sched_process_fork[child->pid]' --end 'tp:sched_wakeup_new[p->pid]' 2>/tmp/node_err ||
	cat /tmp/node_err
heard() { # TRACEPOINT
	kstats-bpf list --markers --listened --json "$1" | tr '{' '\n' | sed -n 's/,"program":[0-9]*//; s/}.*//; /"by"/p'
}
has 'a raw tracepoint has its listener' "$(heard sched_wakeup)" "^\"by\":\"bpf\",\"name\":\"[a-z_]*\",\"pid\":$first,\"comm\":\"kstats-bpf\"\$"
has 'so has a trace event' "$(heard irq_handler_exit)" "^\"by\":\"bpf\",\"name\":\"[a-z_]*\",\"pid\":$second,\"comm\":\"kstats-bpf\"\$"
has 'ftrace' "$(heard sched_process_fork)" '"by":"ftrace","name":""'
has 'a program that is pinned' "$(heard sched_wakeup_new)" '^"by":"bpf","name":"[a-z_]*"$'
has "ftrace's instances, and events of system calls" "$(kstats-bpf list --markers --listened 'sys_enter_*' | tr -s ' \n' ' ')" \
	'^sys_enter_getpgid trace event attached: ftrace, instance other '
is 'nothing else is listed' "$(kstats-bpf list --markers --listened --json 'irq*' | wc -l)" 2
echo 0 >/sys/kernel/tracing/events/sched/sched_process_fork/enable
rmdir /sys/kernel/tracing/instances/other
kstats-bpf node rm forks
kill $first $second
wait $first $second 2>/dev/null

# ---- ftrace switched off: nothing would be seen, by any method ---- [6.1]
if (echo 0 >/proc/sys/kernel/ftrace_enabled) 2>/dev/null; then
	out=$(kstats-bpf trace -q kt_empty -d 0.1 2>&1)
	is 'without ftrace: status' $? 4
	has 'and why' "$out" 'ftrace is off.*sysctl kernel.ftrace_enabled=1'
	echo 1 >/proc/sys/kernel/ftrace_enabled
fi

# ---- a clock that is set, an hour forth and back ---- [7]
seconds() { cut -d . -f 1 /proc/uptime; }
real=$(($(date +%s) - $(seconds)))
while :; do
	date -s @$((real + 3600)) && usleep 30000 && date -s @$((real - 3600)) && usleep 30000
done >/dev/null &
setter=$!
begin=$(seconds)
kstats-bpf trace -q -f json -d 1 kt_empty >/tmp/out 2>/tmp/err
is 'while the clock is set: status' "$? $(cat /tmp/err)" '0 '
took=$(($(seconds) - begin))
is "it ends on time ($took s)" $((took >= 1 && took < 600)) 1
kill $setter
wait $setter 2>/dev/null
date -s @$((real + $(seconds))) >/dev/null
max=$(sed 's/.*"max_ns":{"lo":\([0-9]*\).*/\1/' /tmp/out)
is "no duration is of the clock (the longest $max ns)" $((max < 600000000000)) 1
has 'and all is counted' "$(cat /tmp/out)" '"recorded":[1-9][0-9]*,"lost":0,"balance":0'

# ---- too little memory ---- [7]
group=/sys/fs/cgroup/small
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $group
level=$(cut -f 1 /proc/sys/kernel/printk)
dmesg -n 1 # the backtrace of who is killed for want of memory is no error of the kernel
wrong='' ends=''
for size in $SIZES; do
	echo "${size}M" >$group/memory.max
	# shellcheck disable=SC2016
	sh -c 'echo $$ >/sys/fs/cgroup/small/cgroup.procs
		exec kstats-bpf trace -q -f json -d 0.1 kt_empty' >/tmp/out 2>/tmp/err
	status=$?
	ends="$ends $size:$status"
	case $status in
	0) grep -q '"balance":0' /tmp/out || wrong="$wrong $size:no-balance" ;;
	137) ;; # the kernel killed it
	*) grep -qE '^kstats-bpf: .{20}' /tmp/err || wrong="$wrong $size:$(head -c 100 /tmp/err)" ;;
	esac
done
dmesg -n "$level"
echo "# MiB and status:$ends"
is 'with little memory it says so, is killed, or is right' "$wrong" ''
has 'with enough it is right' "$ends" ':0$'
rmdir $group

# ---- every ending prints the summary; cli/endings.t sees to it on this machine ---- [long]
for sig in INT TERM HUP; do
	: >/tmp/err # what the one before said
	kstats-bpf trace kt_empty >/tmp/out 2>/tmp/err &
	pid=$!
	attached /tmp/err
	kill -$sig $pid
	wait $pid
	is "SIG$sig ends with exit status 0" $? 0
	has "SIG$sig prints the summary" "$(cat /tmp/out)" 'ledger .* started'
done
: >/tmp/err # what the one before said
(trap '' HUP && exec kstats-bpf trace -d 3 kt_empty >/tmp/out 2>/tmp/err) &
pid=$!
attached /tmp/err
kill -HUP $pid
wait $pid
has 'under nohup a hangup does not end it' "$(head -n 1 /tmp/out)" '^([3-9]|[1-9][0-9])[0-9.]* s on Linux'
: >/tmp/err # what the one before said
limit=2
while ! grep -q measuring /tmp/err && [ $limit -lt 1000 ]; do # the limit came too early
	limit=$((2 * limit))
	timeout $limit kstats-bpf trace kt_empty >/tmp/out 2>/tmp/err
done
has 'timeout gets the summary' "$(cat /tmp/out)" 'ledger .* started'
: >/tmp/err # what the one before said
kstats-bpf trace -f json kt_empty >/tmp/out 2>/tmp/err &
pid=$!
attached /tmp/err
kill -USR1 $pid
until_has /tmp/out '"period":1' 1
kill -USR2 $pid
until_has /tmp/out '"period":2' 1
kill -INT $pid
wait $pid
is 'USR1 and USR2 report: two of them, the last period, the whole' \
	"$(grep -o '"period":[0-9]*' /tmp/out | tr '\n' ' ')" '"period":1 "period":2 "period":2 "period":0 '
kstats-bpf trace -q -i 0.5 kt_empty 2>/tmp/err | head -n 1 >/dev/null
has 'a closed pipe ends it, and the summary goes to standard error' "$(cat /tmp/err)" \
	'ledger .* started'
sum=$(kstats-bpf trace -q -i 0.5 -d 3 -f csv kt_empty | awk -F, '
	NR > 1 && $1 > 0 { parts += $9 } $1 == "0" { whole += $9 } END { print (parts == whole) (whole > 0) }')
is 'nothing is lost between interval reports' "$sum" 11

# ---- output files; cli/output.t writes them on this machine ---- [long]
kstats-bpf trace -q kt_empty -d 0.2 -o /tmp/report.txt
is 'the report file is written' $? 0
has 'and whole' "$(cat /tmp/report.txt)" 'balanced'
kstats-bpf trace kt_empty -d 0.1 -o /tmp/report.txt 2>&-
has 'with standard error closed nothing is said in the report' "$(head -n 1 /tmp/report.txt)" \
	'^[0-9.]* m*s on Linux'
mkdir /tmp/full
mount -t tmpfs -o size=4k tmpfs /tmp/full
echo old >/tmp/full/report
dd if=/dev/zero of=/tmp/full/fill bs=4096 count=1 2>/dev/null
err=$(kstats-bpf trace -q kt_empty -d 0.2 -o /tmp/full/report -f json 2>&1)
is 'a full disk is an error' $? 2
has 'that is told' "$err" "cannot write .*No space left"
is 'and nothing half-written stays' "$(ls /tmp/full)" "$(printf 'fill\nreport')"
is 'the old file stays' "$(cat /tmp/full/report)" old
where=$(echo "$err" | sed -n "s/.*the result is in '\(.*\)' instead$/\1/p")
has 'and what was measured is somewhere else' "$(cat "$where")" '"name":"kt_empty"'
out=$(kstats-bpf trace -q kt_empty -d 0.2 --record /tmp/full/recording 2>/tmp/err)
is 'so it is with a recording' $? 2
where=$(sed -n "s/.*the result is in '\(.*\)' instead$/\1/p" /tmp/err)
has 'which can be read' "$(kstats-bpf report "$where")" 'kt_empty'
has 'and the report is shown' "$out" 'ledger .* started'
: >/tmp/err # what the one before said
kstats-bpf trace kt_empty -o /tmp/killed.txt 2>/tmp/err &
pid=$!
attached /tmp/err
kill -9 $pid
wait $pid 2>/dev/null
is 'killed (-9), it leaves no file' "$(find /tmp -name 'killed*')" ''
kstats-bpf trace -q kt_empty -d 0.2 >/dev/full 2>/tmp/err
is 'a full standard output is an error' $? 2

# ---- the command; cli/command.t runs it on this machine ---- [long]
kstats-bpf trace -q kt_empty -- sh -c 'exit 7' >/dev/null
is "the command's exit status is ours" $? 7
kstats-bpf trace -q kt_empty -- sh -c 'kill -9 $$' >/dev/null
is 'a killed command is 128 and the signal' $? 137
err=$(kstats-bpf trace -q kt_empty -- /nonexistent 2>&1 >/dev/null)
is 'a command that is not there: 2' $? 2
has 'is told' "$err" "cannot run '/nonexistent': No such file"
out=$(SUDO_UID=1000 SUDO_GID=1000 SUDO_USER=user kstats-bpf trace -q kt_empty -- id -u 2>&1 | head -n 1)
is 'under sudo the command runs as the caller' "$out" 1000
out=$(SUDO_UID=1000 SUDO_GID=1000 kstats-bpf trace -q --as-root kt_empty -- id -u 2>&1 | head -n 1)
is 'unless --as-root' "$out" 0
kstats-bpf trace -q kt_empty -d 2 -- sleep 100 >/dev/null
is 'the end of -d ends the command too' "$?/$(ps | awk '$4 == "sleep" && $5 == 100')" 0/

# ---- privileges ---- [6.1]
: >/tmp/err # what the one before said
kstats-bpf trace kt_empty >/tmp/out 2>/tmp/err &
pid=$!
attached /tmp/err
is 'attached, it keeps no capability' "$(awk '/^CapPrm|^CapEff/ { print $2 }' /proc/$pid/status |
	sort -u)" 0000000000000000
kill -INT $pid
wait $pid
is 'and an interrupt prints the summary' "$? $(grep -c 'ledger .* started' /tmp/out)" '0 1'
chmod 755 / /tmp
err=$(su user -s /bin/sh -c 'kstats-bpf trace -q vfs_read -d 1' 2>&1)
is 'without privileges: 4' $? 4
has 'with the next step' "$err" 'doctor'

# ---- methods that this kernel lacks ----
case $(uname -r) in
6.*)
	err=$(kstats-bpf trace -q -m fsession kt_empty -d 1 2>&1)
	has 'no fsession: since when there is' "$err" 'came with 7\.0'
	;;
esac
case $(uname -r) in
6.1.*)
	err=$(kstats-bpf trace -q -m kprobe-session kt_empty -d 1 2>&1)
	has 'no kprobe session: since when there is' "$err" 'came with 6\.10'
	insmod "$KMOD"
	out=$(kstats-bpf trace -v -m kprobe kt_empty -d 0.1 2>/tmp/err | tr -s '\n ' ' ')
	has 'kprobes cannot use the module, the map is used: why' "$out" \
		'map backend \(the module kstats: kretprobe refused: .*kstats_record is not allowed\)'
	has "-v shows the verifier's log" "$(cat /tmp/err)" '^verifier: calling kernel function kstats_record is not allowed'
	kstats-bpf trace -q -m kprobe --backend kmod kt_empty -d 0.1 >/dev/null 2>/tmp/err
	is 'with --backend kmod they are refused' "$? $(grep -c 'function kstats_record is not allowed' /tmp/err)" '4 1'
	has 'fentry can' "$(kstats-bpf trace -q -m fentry kt_empty -d 0.1)" 'kmod backend;'
	rmmod kstats
	;;
esac

# ---- exactness asked for ---- [6.1]
kstats-bpf trace -q --max-loss 0 kt_empty -d 1 >/dev/null
is '--max-loss 0: 0 when nothing is lost' $? 0
# A method that keeps the stamp in the call itself has no limit for nested calls.
err=$(kstats-bpf trace -q --max-loss 0 -m fentry kt_recurse -a -- sh -c "echo 11 21 0 > $dir/recurse" 2>&1 >/dev/null)
is '--max-loss 0: 3 when something is' $? 3
has 'and says what' "$err" 'events were lost'
err=$(kstats-bpf trace -q --max-loss 1 -m fentry kt_recurse -a -- sh -c "echo 11 21 0 > $dir/recurse" 2>&1 >/dev/null)
is '--max-loss 1: 3 when more is' $? 3
has 'and says how much' "$err" '% of its events were lost, --max-loss allows 1%'
kstats-bpf trace -q --max-loss 99 -m fentry kt_recurse -a -- sh -c "echo 11 21 0 > $dir/recurse" >/dev/null
is '--max-loss 99: 0 when less is' $? 0

# ---- at the end ----
kill $loader
wait $loader 2>/dev/null
is 'at the end nothing is left' "$(settled "$before")" "$before"
plan
