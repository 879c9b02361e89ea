# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the method "direct" must survive, in a guest: other tracers of the same function,
# livepatches, modules that are unloaded, tasks that stay inside. Comes in: the .ko files TARGET,
# KMOD, PATCH and LIVE; TOOL, of tests/vm/kmod, and SYMBOLS; CYCLES, HOTPLUGS,
# RESETS and ATTACHES, which say how often. Prints TAP. A complaint of the kernel
# fails the guest (tests/vm/run).
# Called by direct-run, outside.

dir=/sys/kernel/debug/kstats_target
param=/sys/module/kstats/parameters
tracing=/sys/kernel/tracing
cpu1=/sys/devices/system/cpu/cpu1/online
VERSION=$(uname -r)
# shellcheck source=tests/tap.sh
. "$TAP"

insmod "$KMOD" && insmod "$TARGET" || exit 1
[ -d $tracing/events ] || mount -t tracefs none $tracing

recorded() { # FILE: "METHOD RECORDED" of the first node
	tr , '\n' <"$1" | tr '{' '\n' | sed -n 's/^ *"method": *"\([^"]*\)".*/\1/p; s/^ *"recorded": *//p' |
		head -n 2 | xargs
}

direct() { # FUNCTION SHELL: measures it while the shell runs; prints as recorded()
	kstats-bpf trace -q -a -m direct -f json "$1" -- sh -c "$2" >/tmp/direct 2>/tmp/err
	recorded /tmp/direct
}

running() { # FUNCTION OPTION...: measures in the background, attached when this returns
	function=$1
	shift
	: >/tmp/err
	kstats-bpf trace -a "$@" -f json "$function" -- sh -c \
		'until [ -e /tmp/end ]; do usleep 100000; done' >/tmp/running 2>/tmp/err &
	pid=$!
	until grep -q '^kstats-bpf: measuring' /tmp/err; do
		kill -0 $pid 2>/dev/null || break
		usleep 100000
	done
}

end() { # of running()
	: >/tmp/end
	wait $pid
	status=$?
	rm -f /tmp/end
}

address() { # of kt_empty
	grep -F ' kt_empty' /proc/kallsyms | sed -nE 's/^([0-9a-f]+) [tT] kt_empty\t\[kstats_target\]$/0x\1/p'
}

settled() { # prints what stubs are in use, at the latest after a minute
	i=0
	while [ -n "$(cat $param/direct)" ] && [ $i -lt 600 ]; do
		usleep 100000
		i=$((i + 1))
	done
	cat $param/direct
}

# ---- the kernel's symbols ---- [6.1 7]

running kt_empty -m fentry
"$SYMBOLS" >/tmp/symbols
is 'its symbols are read with modules and programs there' "$? $(tail -n 1 /tmp/symbols)" '0 1..3'
sed -E 's/^((not )?ok) [0-9]+/\1/; /^1\.\./d' /tmp/symbols >/tmp/rows
results /tmp/rows
end

# ---- other tracers ---- [7]

running kt_empty -m fentry
direct kt_empty true >/tmp/out
has 'a function that BPF traces already is refused' "$(cat /tmp/err)" \
	"cannot trace 'kt_empty': direct refused: .*another tracer"
end
is 'the first goes on' "$status" 0
running kt_empty -m direct
has 'doctor says what keeps the module' "$(kstats-bpf doctor)" \
	'stubs in use +- +attached to kt_empty; the module stays until their traces end'
kstats-bpf trace -q -a -m fentry kt_empty -- true >/dev/null 2>/tmp/err2
is 'fentry on a function that a stub measures is refused' "$?" 4
has 'in words' "$(cat /tmp/err2)" "cannot trace 'kt_empty': fexit refused: .*(busy|Invalid argument)"
kstats-bpf trace -q -a -f json kt_empty -- sh -c "echo 1009 > $dir/empty" >/tmp/auto 2>/tmp/err2
has 'the choice by itself goes on by another method' "$(recorded /tmp/auto)" '^kprobe.* 1009$'
end
is 'the stub has counted them too' "$(recorded /tmp/running)" 'direct 1009'

kstats-bpf trace -q -a -m kprobe -f json kt_empty -- sh -c "
	echo kt_empty > $tracing/set_ftrace_filter && echo function > $tracing/current_tracer &&
	: > $tracing/trace &&
	kstats-bpf trace -q -a -m direct -f json kt_empty -- sh -c 'echo 1009 > $dir/empty' > /tmp/inner
	grep -c kt_empty $tracing/trace > /tmp/lines
	echo function_graph > $tracing/current_tracer
	kstats-bpf trace -q -a -m direct -f json kt_empty -- sh -c 'echo 1013 > $dir/empty' > /tmp/graph
	echo nop > $tracing/current_tracer; echo > $tracing/set_ftrace_filter" >/tmp/outer
is 'beside a kprobe and the function tracer' "$(recorded /tmp/inner)" 'direct 1009'
# The header of the trace may name the function, too.
is 'the tracer has them too' "$([ "$(cat /tmp/lines)" -ge 1009 ] && echo yes)" yes
is 'beside the function graph' "$(recorded /tmp/graph)" 'direct 1013'
is 'the kprobe has all' "$(recorded /tmp/outer)" 'kprobe/kretprobe 2022'
case $VERSION in
6.1.*) ;; # has no kprobe sessions
*)
	kstats-bpf trace -q -a -m kprobe-session -f json kt_empty -- sh -c "
		kstats-bpf trace -q -a -m direct -f json kt_empty -- sh -c 'echo 1019 > $dir/empty' > /tmp/inner" >/tmp/outer
	is 'beside a kprobe session' "$(recorded /tmp/inner) $(recorded /tmp/outer)" \
		'direct 1019 kprobe session 1019'
	;;
esac

# ---- right after a run ---- [7]

is 'a run' "$(direct kt_empty "echo 101 >$dir/empty")" 'direct 101'
rmmod kstats 2>/tmp/err
is 'the module can be removed right after it' "$?" 0
[ -d /sys/module/kstats ] || insmod "$KMOD"

# ---- what can be measured ---- [7]

has 'list says that a function can be measured' "$(kstats-bpf list kt_empty | tail -n 1)" \
	'^    direct: yes, by the module kstats$'
has 'and why one cannot' "$(kstats-bpf list kt_args8 | tail -n 1)" \
	'^    direct: no: it takes arguments on the stack$'
direct kt_args8 true >/tmp/out
has 'for the same reason it is refused' "$(cat /tmp/err)" \
	"cannot trace 'kt_args8': it takes arguments on the stack"

# ---- more functions than stubs ---- [7]

kstats-bpf trace -q -a -m direct 'kt_many_[0-9]?' -- true >/tmp/out 2>/tmp/err
has 'a hundred functions are refused' "$? $(cat /tmp/err)" \
	'^2 .*cannot measure 100 functions with --method direct: .* it has 64, and 64 are free; name fewer'
running kt_empty -m direct
kstats-bpf trace -q -a -m direct 'kt_many_[0-5]?' 'kt_many_6[0-3]' -- true >/tmp/out 2>/tmp/err
has 'so are 64 while another has one' "$? $(cat /tmp/err)" \
	"^4 .*it has 64, and 63 are free; /sys/module/kstats/parameters/direct lists"
end
is 'the stubs are free again' "$(settled)$(cat $param/direct_free)" 64
has 'a report says how starts are found' "$(kstats-bpf trace -a -m direct kt_empty -- true 2>&1)" \
	'paired by call;'

# ---- stacks, taken by NMIs ---- [7]

# Not on the console, where a backtrace is taken for an error of the kernel. Lines with "?" are
# guesses, not frames.
dmesg -n 1
dmesg -c >/dev/null
running kt_empty -m direct
while [ ! -e /tmp/enough ]; do
	taskset 2 sh -c "echo 20011 >$dir/empty"
	echo >>/tmp/rounds
done &
load=$!
i=0
stubs='RIP: 0010:(direct_stub_|direct_end\+|__SCT__direct_)'
while [ $i -lt 40 ] || { [ $i -lt 400 ] && ! grep -qE "$stubs" /tmp/nmi; }; do
	taskset 1 sh -c 'echo l >/proc/sysrq-trigger'
	dmesg -c >>/tmp/nmi
	i=$((i + 1))
done
: >/tmp/enough
wait $load
end
rm /tmp/enough
dmesg -n 5
# The module's other functions run, too: direct_in_use() at the end of each task.
is 'backtraces that NMIs take inside a stub: there are some, and none is cut' "$(awk '
	function end() { if (at) cut = cut " " at; at = passed = "" }
	/NMI backtrace for cpu/ { end() }
	/'"$stubs"'|RIP: 0010:kt_empty\+/ {
		end(); n += !/RIP: 0010:kt_empty/; at = $0; sub(/.*RIP: 0010:/, "", at) }
	at && /\]  op_empty\+/ { passed = 1 }
	passed && /\]  entry_SYSCALL_64_after_hwframe\+/ { at = passed = "" }
	END { end(); print (n ? "some" : "none") cut }' /tmp/nmi)" some
is 'the kernel complained of nothing' "$(grep -cE 'BUG|WARNING|cut here' /tmp/nmi)" 0
is 'and all calls are recorded' "$(recorded /tmp/running)" "direct $((20011 * $(wc -l </tmp/rounds)))"

# ---- livepatches ---- [6.1 6.12]

addr=$(address)
insmod "$PATCH" addr="$addr"
direct kt_empty true >/tmp/out
has 'a function with a livepatch is refused' "$(cat /tmp/err)" "cannot trace 'kt_empty': direct refused"
rmmod kstats_patch
running kt_empty -m direct
echo 1009 >$dir/empty
insmod "$PATCH" addr="$addr"
is 'a livepatch that comes later is not refused' "$?" 0
echo 13 >$dir/empty
is 'its code runs' "$(cat /sys/module/kstats_patch/parameters/calls)" 13
has 'the stub lets pass' "$(cat $param/direct)" '^kt_empty.* 1009 1009 livepatch$'
end
is 'what was before it is recorded' "$(recorded /tmp/running)" 'direct 1009'
has 'and what came is told' "$(cat /tmp/running)" 'not measured since a livepatch came to it'
is 'the stub is free' "$(settled)" ''
echo 7 >$dir/empty
is 'the livepatch stays' "$(cat /sys/module/kstats_patch/parameters/calls)" 20
rmmod kstats_patch
is 'the function is free again' "$(direct kt_empty "echo 11 > $dir/empty")" 'direct 11'
kstats-bpf trace -q -a -m fentry -f json kt_empty -- sh -c "echo 17 > $dir/empty" >/tmp/out
is 'for others too' "$(recorded /tmp/out)" 'fentry/fexit 17'

# ---- the kernel's own livepatches ---- [7]

live() { # 0 | 1: waits until the livepatch is so far for all tasks, at the latest after a minute
	if [ "$1" = 1 ]; then
		insmod "$LIVE"
	else
		echo 0 >/sys/kernel/livepatch/kstats_live/enabled
	fi
	i=0
	while [ "$(cat /sys/kernel/livepatch/kstats_live/transition 2>/dev/null)" = 1 ] && [ $i -lt 600 ]; do
		usleep 100000
		i=$((i + 1))
	done
	[ "$1" = 1 ] || until rmmod kstats_live 2>/dev/null || [ $i -ge 600 ]; do
		usleep 100000
		i=$((i + 1))
	done
	[ $i -lt 600 ] && echo well
}

is 'a livepatch before' "$(live 1)" well
direct kt_empty true >/tmp/out
has 'refused' "$(cat /tmp/err)" "cannot trace 'kt_empty': direct refused"
is 'it goes' "$(live 0)" well
running kt_empty kt_block -m direct
echo 1009 >$dir/empty
echo 3 >$dir/block
# It looks at the stacks of all tasks, also of those that sleep inside of a stub.
is 'a livepatch after, with tasks that sleep in a stub' "$(live 1)" well
echo 13 >$dir/empty
is 'its code runs' "$(cat /sys/module/kstats_live/parameters/calls)" 13
has 'the stub lets pass' "$(cat $param/direct)" '^kt_empty.* 1009 1009 livepatch'
is 'it can go while the stub is there' "$(live 0)" well
echo 0 >$dir/unblock
end
is 'what was before it is recorded, and the sleepers are' \
	"$(tr , '\n' </tmp/running | tr '{' '\n' | sed -n 's/^ *"recorded": *//p' | xargs)" '3 1009'
has 'and what came is told' "$(cat /tmp/running)" 'not measured since a livepatch came to it'
is 'the stubs are free' "$(settled)" ''

# ---- modules that go ---- [6.1 6.12]

running kstats_target:kt_empty -m direct
echo 1009 >$dir/empty
rmmod kstats_target
is 'the module of a function can be unloaded' "$?" 0
insmod "$TARGET"
echo 5 >$dir/empty
end
is 'its calls are recorded' "$(recorded /tmp/running)" 'direct 1009'
has 'and that it went is told' "$(cat /tmp/running)" 'not measured since its module was unloaded'
is 'the new one can be measured' "$(direct kt_empty "echo 19 > $dir/empty")" 'direct 19'
is 'ftrace still works' "$(cat /proc/sys/kernel/ftrace_enabled)" 1

insmod "$PATCH" slow=kstats_target
addr=$(address)
rmmod kstats_target &
going=$!
going_on=/sys/module/kstats_patch/parameters
until [ "$(cat $going_on/waits)" = Y ]; do usleep 10000; done
is 'a function of a module that is being unloaded is refused' "$("$TOOL" attach "$addr")" -116
echo Y >$going_on/go_on
wait $going
rmmod kstats_patch
insmod "$TARGET"
is 'once more, the new one can be measured' "$(direct kt_empty "echo 23 > $dir/empty")" 'direct 23'

# ---- ends of the program ---- [6.12]

running kt_empty -m direct
kill -KILL $pid
end
is 'the program is killed' "$status" 137
is 'its stubs go' "$(settled)" ''
running kt_empty -m direct
echo 1009 >$dir/empty
kill -INT $pid
end
is 'after an interrupt' "$status $(recorded /tmp/running)" '0 direct 1009'
is 'its stubs go, too' "$(settled)" ''
mkdir -p /tmp/small && mount -t tmpfs -o size=4k none /tmp/small
dd if=/dev/zero of=/tmp/small/all bs=4k count=1 2>/dev/null
kstats-bpf trace -q -a -m direct -f json -o /tmp/small/report kt_empty -- sh -c \
	"echo 1009 > $dir/empty" 2>/tmp/err
has 'the disk is full' "$? $(cat /tmp/err)" '^[1-9][0-9]* .*No space left'
is 'the stubs go in any case' "$(settled)" ''
umount /tmp/small
kstats-bpf trace -q -m direct --runs 5 --assert 'count==5045' kt_empty -- sh -c \
	"(echo 1009 > $dir/empty) & wait" >/tmp/out 2>&1
is 'several runs, each with its own processes' "$?" 0
is 'it is the stub that goes back' "$(settled)" ''

# ---- nodes that stay ---- [7]

show() { # NODE
	kstats-bpf node show -f json "$1" >/tmp/node 2>/tmp/err
	recorded /tmp/node
}

mkdir -p /sys/fs/bpf
mount -t bpf bpf /sys/fs/bpf
kstats-bpf node add kt_empty -m direct
echo 1009 >$dir/empty
is 'a node counts' "$(show kt_empty)" 'direct 1009'
timeout 600 rmmod kstats 2>/tmp/err
is 'it keeps the module' "$?" 1
kstats-bpf node add slots kt_block --backend kmod -m fentry
kstats-bpf node add alone kt_block --backend map -m kprobe
has 'doctor names it and one that keeps slots there' "$(kstats-bpf doctor)" \
	'module kstats +- +in use by the nodes kt_empty, slots; rmmod refuses'
kstats-bpf node rm slots alone
kstats-bpf node stop kt_empty
echo 13 >$dir/empty
is 'when it is stopped, it does not count' "$(show kt_empty)" 'direct 1009'
kstats-bpf trace -q -a -m fentry -f json kt_empty -- true >/tmp/out
is 'and the function is free' "$(recorded /tmp/out)" 'fentry/fexit 0'
kstats-bpf node start kt_empty
echo 17 >$dir/empty
is 'started again' "$(show kt_empty)" 'direct 1026'
kstats-bpf node reset kt_empty
echo 19 >$dir/empty
is 'reset' "$(show kt_empty)" 'direct 19'

# More CPUs busy than there are, so that a reset is preempted while it copies.
kstats-bpf node rm kt_empty
kstats-bpf node add kt_empty -m direct -b 5
for i in 1 2 3; do
	while [ ! -e /tmp/enough ]; do echo 100003 >$dir/empty; done &
done
i=0
file=/sys/kernel/debug/kstats/kt_empty
while [ $i -lt "$RESETS" ]; do
	echo reset >$file
	echo stop >$file
	kstats-bpf node show -f json kt_empty | tr , '\n' | sed -n 's/^ *"balance": *//p' | tr -d '}]'
	echo start >$file
	i=$((i + 1))
done >/tmp/balances
: >/tmp/enough
wait
rm /tmp/enough
is "reset under load $RESETS times: no sample without a start" "$(sort /tmp/balances | uniq -c | xargs)" "$RESETS 0"
kstats-bpf node reset kt_empty
echo 4000037 >$dir/empty &
load=$!
turns="0 1 ${KSTATS_WHOLE:+0 1}"
for i in $turns; do
	echo "$i" >$cpu1
	direct kt_static_fn "echo 101 > $dir/static"
done >/tmp/others
wait $load
is 'CPUs go and come while it counts' "$(cat $cpu1) $(show kt_empty)" '1 direct 4000037'
is 'and while others are attached and detached' "$(sort /tmp/others | uniq -c | xargs)" "$(echo "$turns" | wc -w) direct 101"
kstats-bpf node reset kt_empty
echo 19 >$dir/empty
is 'then it counts from 0' "$(show kt_empty)" 'direct 19'

kstats-bpf node add kt_block -m direct
kstats-bpf node add mine kt_static_fn -m direct -p $$ -C 0,1
echo 3 >$dir/block
in_flight() {
	show kt_block >/dev/null
	tr , '\n' </tmp/node | sed -n 's/^ *"\(recorded\|in_flight\|balance\)": *//p' | tr -d '}]' | xargs
}
is 'calls that are open' "$(in_flight)" '3 0 0'
kstats-bpf node stop kt_block
is 'stay in flight when it is stopped' "$(in_flight)" '3 0 0'
kstats-bpf node start kt_block
echo 0 >$dir/unblock
i=0
until [ "$(in_flight)" = '0 3 0' ] || [ $i -ge 600 ]; do usleep 100000; i=$((i + 1)); done
is 'and are recorded if they end when it runs again' "$(in_flight)" '0 3 0'
echo 31 >$dir/static
(echo 37 >$dir/static)
is 'a node of a process' "$(show mine)" 'direct 31'

addr=$(address)
insmod "$PATCH" addr="$addr"
echo 11 >$dir/empty
is 'a livepatch comes' "$(show kt_empty)" 'direct 19'
has 'the node says so' "$(cat /tmp/node)" 'not measured since a livepatch came to it'
has 'so does the list' "$(kstats-bpf node ls)" 'kt_empty +direct +kmod +lost'
rmmod kstats_patch
kstats-bpf node stop kt_empty && kstats-bpf node start kt_empty
echo 23 >$dir/empty
is 'when it has gone, the node can measure again' "$(show kt_empty)" 'direct 42'
rmmod kstats_target
show kt_empty >/dev/null
has 'the module goes' "$(cat /tmp/node)" 'not measured since its module was unloaded'
has 'the list names the reason' "$(kstats-bpf node ls --json)" '"lost":"its module was unloaded"'
insmod "$TARGET"
kstats-bpf node stop kt_empty
kstats-bpf node start kt_empty 2>/tmp/err
is 'its new function is not taken for the old one' "$?" 4
has 'in words' "$(cat /tmp/err)" "cannot start 'kt_empty'.*its module was unloaded; remove it"
kstats-bpf node rm --all
is 'removed nodes leave no stub' "$(settled)" ''

# ---- tasks that stay inside ---- [6.1 7]

running kt_block -m direct
echo 3 >$dir/block
# shellcheck disable=SC2046
stack=$(cat $(grep -ls kt_block /proc/[0-9]*/stack))
# Where ftrace jumps to the stub, the function is there once, else twice. Newer kernels begin
# a thread in ret_from_fork_asm.
is 'a stack through the stub is whole' \
	"$(echo "$stack" | sed -n 's/.* \([a-z_]*\)+.*/\1/p' | grep -Ev '^direct_stub|_asm$' | sort | uniq -c | xargs)" \
	"3 block_thread $([ "${VERSION%%.*}" -ge 7 ] && echo 3 || echo 6) kt_block 3 kthread 3 ret_from_fork"
end
is 'they are in flight' "$(tr , '\n' </tmp/running | sed -n 's/^ *"in_flight": *//p' | head -n 1)" 3
has 'doctor names them' "$(kstats-bpf doctor | tr '\n' ' ')" \
	'direct +ok .*stubs in use +- +kt_block detached, 3 calls open; the module stays until they end'
is 'and says how to find them' "$(grep -l direct_stub /proc/[0-9]*/task/*/stack | wc -l)" 3
has 'the stub waits for them' "$(cat $param/direct)" '^kt_block.* 3 0 detached$'
timeout 600 rmmod kstats 2>/tmp/err
is 'the module stays, and says so at once' "$?" 1
kstats-bpf trace -q -a -m fentry -f json kt_block -- true >/tmp/out
is 'the function is free for others' "$(recorded /tmp/out)" 'fentry/fexit 0'
echo 0 >$dir/unblock
is 'when they have left, the stub is free' "$(settled)" ''
i=0
until rmmod kstats 2>/dev/null || [ $i -ge 600 ]; do
	usleep 100000
	i=$((i + 1))
done
is 'and the module goes' "$(ls -d /sys/module/kstats 2>/dev/null)" ''

insmod "$KMOD" || exit 1

# ---- tasks that end inside ---- [6.1 6.12]

kstats-bpf trace -q -m direct -f json get_signal -- sh -c '
	for i in 1 2 3 4 5 6 7; do
		sleep 1000 &
		kill -KILL $!
		wait $!
	done' >/tmp/died 2>/tmp/err
tr , '\n' </tmp/died | tr -d '}]' | sed -n 's/^ *"\(started\|recorded\|task_gone\|in_flight\|balance\)": */\1 /p' |
	head -n 5 | tr '\n' ' ' >/tmp/counts
has 'seven tasks that are killed inside' "$(cat /tmp/counts)" 'task_gone 7 .*balance 0'
has 'none of them is in flight' "$(cat /tmp/counts)" 'in_flight 0 '
is 'their stub is free' "$(settled)" ''
kstats-bpf trace -q -m direct -f json get_signal -d 10ms >/tmp/out 2>&1
is 'and again' "$? $(settled)" '0 '
# Each task that ends is in both: first in the one, that calls the other.
kstats-bpf trace -q -m direct -f json get_signal arch_do_signal_or_restart -- sh -c '
	sleep 1000 & kill -KILL $!; wait $!' >/tmp/died 2>/tmp/err
is 'a task that ends in two of them, one in the other' \
	"$(tr , '\n' </tmp/died | tr -d '}]' | sed -n 's/^ *"task_gone": *//p' | head -n 2 | xargs)" '1 1'
is 'their stubs are free' "$(settled)" ''

# ---- suspend ---- [6.1]

if [ -w /sys/power/pm_test ]; then
	running kt_empty -m direct
	echo 1009 >$dir/empty
	echo freezer >/sys/power/pm_test
	echo freeze >/sys/power/state
	end
	has 'a machine that is suspended says so' "$(cat /tmp/running)" \
		'durations may be wrong since the machine was suspended'
	is 'its calls are there' "$(recorded /tmp/running)" 'direct 1009'
	is 'the stub goes' "$(settled)" ''
	direct kt_empty "echo 1013 > $dir/empty" >/tmp/out
	is 'the next one knows nothing of it' "$(grep -c suspended /tmp/direct)" 0
fi

# ---- what each attach leaves ---- [6.12]

leaks() { # prints objects of 64 bytes that stay after that many times
	awk '$1 == "kmalloc-64" { print $2 }' /proc/slabinfo
}
if [ -r /proc/slabinfo ] && [ "$(leaks)" ]; then
	"$TOOL" cycle 20 >/dev/null
	# A page of these objects may be filled by others at that moment. A leak, of two objects for
	# each attach, is seen each time.
	grown=0
	for round in 1 2 3; do
		before=$(leaks)
		"$TOOL" cycle $((ATTACHES / 3)) >/tmp/out
		is "functions are attached $((ATTACHES / 3)) times" "$(cat /tmp/out)" 0
		# What is only freed late goes in this time; what leaks stays.
		for _ in $(seq 100); do
			after=$(leaks)
			[ $((after - before)) -ge $((ATTACHES / 6)) ] || break
			sleep 0.2
		done
		echo "# kmalloc-64, round $round: $before before, $after after"
		[ $((after - before)) -lt $((ATTACHES / 6)) ] || grown=$((grown + 1))
	done
	is 'nothing is left of them' "$((grown < 3))" 1
fi

# ---- a processor that goes off and on ---- [7]

# Two that attach and detach, each bound to one processor, beside it. Whoever waits for ever makes
# the kernel complain.
echo 120 >/proc/sys/kernel/hung_task_timeout_secs
rm -f /tmp/enough /tmp/attached?
attach_on() { # MASK
	while [ ! -e /tmp/enough ]; do
		taskset "$1" true 2>/dev/null || continue # it is off
		taskset "$1" kstats-bpf trace -q -m direct vfs_read vfs_write vfs_open -d 5ms \
			>/dev/null 2>&1 && echo >>"/tmp/attached$1"
	done
}
attach_on 1 &
attach_on 2 &
# A command brings a filter with it, and the function graph what hooks each return. All functions
# of the kernel are patched for that only in `make test-long`.
[ "${KSTATS_WHOLE-}" ] || echo 'vfs_get*' >$tracing/set_ftrace_filter
while [ ! -e /tmp/enough ]; do
	kstats-bpf trace -q -m direct vfs_getattr -- true >/dev/null 2>&1 && echo >>/tmp/attached3
	echo function_graph >$tracing/current_tracer
	echo nop >$tracing/current_tracer
done &
i=0
while [ $i -lt "$HOTPLUGS" ] || [ ! -s /tmp/attached1 ] || [ ! -s /tmp/attached2 ] || [ ! -s /tmp/attached3 ]; do
	echo 0 >$cpu1
	usleep 120000
	echo 1 >$cpu1
	# Longer from time to time, up to 2 s: on a slow machine none attaches in so short a time.
	usleep $((120000 * (i < 4 * HOTPLUGS ? (1 + i / HOTPLUGS) * (1 + i / HOTPLUGS) : 16)))
	i=$((i + 1))
	[ $i -lt $((HOTPLUGS + 3000)) ] || break
done
: >/tmp/enough
wait
rm /tmp/enough
echo >$tracing/set_ftrace_filter
echo "# $i times off and on; attached $(wc -l </tmp/attached1), $(wc -l </tmp/attached2), $(wc -l </tmp/attached3) times"
is 'a processor goes off and on while others attach and detach on it' \
	"$(cat $cpu1) $(settled) $(find /tmp/attached1 /tmp/attached2 /tmp/attached3 -size +0 | wc -l)" '1  3'
echo 600 >/proc/sys/kernel/hung_task_timeout_secs
i=0
until rmmod kstats 2>/dev/null || [ $i -ge 600 ]; do usleep 100000; i=$((i + 1)); done
is 'and the module goes' "$(ls -d /sys/module/kstats 2>/dev/null)" ''

# ---- hot functions, again and again ---- [6.1]

i=0
while [ -d /sys/module/kstats ] && ! rmmod kstats 2>/dev/null && [ $i -lt 600 ]; do
	usleep 100000
	i=$((i + 1))
done
while [ ! -e /tmp/enough ]; do
	ls -lR /sys/module /proc/self >/dev/null 2>&1
done &
# Few at a time: for each that is detached ftrace waits until every task has been scheduled.
hot() { # N: some of them
	case $1 in
	0) echo kfree mutex_unlock _raw_spin_lock ;;
	1) echo _raw_spin_lock_irqsave hrtimer_interrupt schedule ;;
	2) echo vfs_read kmem_cache_free kfree ;;
	3) echo schedule _raw_spin_lock ;;
	esac
}
i=0 failed=0
while [ $i -lt "$CYCLES" ]; do
	insmod "$KMOD" || failed=$((failed + 1))
	# In turn: everybody; a command and its children; processes that come and go, on a CPU.
	case $((i % 3)) in
	0) set -- -d 100ms ;;
	1) set -- -- sh -c 'for j in 1 2 3 4 5; do ls /proc >/dev/null & done; wait' ;;
	2) set -- -d 100ms -p 1,$$ -C 1 ;;
	esac
	# shellcheck disable=SC2046
	kstats-bpf trace -q -m direct -f csv -b 0 $(hot $((i % 4))) "$@" >/tmp/hot 2>/tmp/err ||
		failed=$((failed + 1))
	j=0
	until rmmod kstats 2>/dev/null || [ $j -ge 600 ]; do
		usleep 100000
		j=$((j + 1))
	done
	[ ! -d /sys/module/kstats ] || failed=$((failed + 1))
	i=$((i + 1))
	[ $((i % 20)) -ne 0 ] || echo "# $i cycles, $failed failures"
done
: >/tmp/enough
wait
cat /tmp/err
is "$CYCLES cycles of load, attach, detach and unload under load" $failed 0

# ---- a clock that breaks: there is no way back ---- [6.1]

insmod "$KMOD"
kstats-bpf node add kt_static_fn -m direct
running kt_empty -m direct
echo 1009 >$dir/empty
insmod "$PATCH" unstable=1
end
is 'the time stamp counter becomes unstable' "$(recorded /tmp/running)" 'direct 1009'
has 'and this is told' "$(cat /tmp/running)" \
	'durations may be wrong since the time stamp counter became unstable'
has 'so does the list of nodes' "$(kstats-bpf node ls 2>&1)" 'kt_static_fn +direct +kmod +lost'
direct kt_empty true >/tmp/out
has 'from now on it is refused' "$(cat /tmp/err)" \
	"cannot trace 'kt_empty': direct refused: .*its time stamp counter is not stable"
has 'doctor says so' "$(kstats-bpf doctor)" 'direct +no +the time stamp counter is not stable'
kstats-bpf node rm --all

# ---- at the end ----
plan
