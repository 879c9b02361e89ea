# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Another tracer at the function that is measured: attached before or after, detached before or
# after, in a guest. Both count each call that is made while they are there. Comes in: the .ko files
# TARGET and KMOD; ORDERS, "all" or "some" of each pair; SECS, how long others come and go
# under load. Prints TAP. Whoever waits for ever makes the kernel complain, which fails the guest.
# Called by tracers-run, outside.

dir=/sys/kernel/debug/kstats_target
tracing=/sys/kernel/tracing
# shellcheck source=tests/tap.sh
. "$TAP"

insmod "$KMOD" && insmod "$TARGET" || exit 1
[ -d $tracing/events ] || mount -t tracefs none $tracing
mkdir -p /tmp/ours /tmp/theirs
echo 200 >/proc/sys/kernel/hung_task_timeout_secs
# A small buffer: it is read to its end, and more than is counted here would take long.
echo 256 >$tracing/buffer_size_kb

# ---- who measures ----

recorded() { # FILE: of the first node
	tr , '\n' <"$1" | tr '{' '\n' | sed -n 's/^ *"recorded": *//p' | head -n 1
}

begin() { # FOLDER METHOD: in the background, attached when this returns; fails if it is refused
	rm -f "$1"/*
	(cd "$1" && exec kstats-bpf trace -a -m "$2" -f json kt_empty -- sh -c \
		'until [ -e end ]; do usleep 100000; done' >out 2>err) &
	eval "pid_${1##*/}=$!"
	pid=$!
	until grep -q '^kstats-bpf: measuring' "$1/err" 2>/dev/null; do
		kill -0 $pid 2>/dev/null || return 1
		usleep 100000
	done
}

finish() { # FOLDER: sets got to what it has; in the shell that began it
	: >"$1/end"
	eval "wait \$pid_${1##*/}"
	got=$(recorded "$1/out")
}

event() { # WORDS: of kprobe_events, or of dynamic_events for a fprobe
	echo "$1" >>$tracing/dynamic_events && echo 1 >$tracing/events/other/it/enable
}

# Behind the place of ftrace, where its call leads back to.
event_inside() {
	for offset in 5 6 7 8 9 10 11 12 13; do
		event "p:other/it kt_empty+$offset" 2>/dev/null && return
	done
	return 1
}

tracer() { # NAME
	echo kt_empty >$tracing/set_ftrace_filter && : >$tracing/trace &&
		echo "$1" >$tracing/current_tracer
}

they_begin() { # KIND
	case $1 in
	fentry) begin /tmp/theirs fentry ;;
	kprobe) event 'p:other/it kt_empty' ;;
	kretprobe) event 'r:other/it kt_empty' ;;
	fprobe) event 'f:other/it kt_empty' ;;
	inside) event_inside ;;
	function | function_graph) tracer "$1" ;;
	esac
}

they_finish() { # KIND: sets got to what it has
	case $1 in
	fentry) finish /tmp/theirs ;;
	function | function_graph)
		# Another tracer empties the buffer.
		echo 0 >$tracing/tracing_on
		got=$(grep -c '^[^#].* kt_empty' $tracing/trace)
		echo nop >$tracing/current_tracer
		echo 1 >$tracing/tracing_on
		echo >$tracing/set_ftrace_filter
		;;
	*)
		echo 0 >$tracing/events/other/it/enable
		got=$(awk '$1 == "it" { print $2 }' $tracing/kprobe_profile)
		# That of a fprobe has none.
		[ "$got" ] || got=$(grep -c ' it: ' $tracing/trace)
		echo '-:other/it' >>$tracing/dynamic_events
		: >$tracing/trace
		;;
	esac
}

# What this kernel has.
methods='' kinds=''
for method in direct fentry fsession kprobe kprobe-session; do
	begin /tmp/ours "$method" && methods="$methods $method"
	finish /tmp/ours
done
for kind in fentry kprobe kretprobe fprobe inside function function_graph; do
	they_begin "$kind" 2>/dev/null && kinds="$kinds $kind" && they_finish "$kind"
done
echo "# measured by$methods; others:$kinds"
has 'there are methods and other tracers' "$methods,$kinds" \
	'direct fentry.* kprobe.*,.*fentry kprobe kretprobe.* inside function function_graph'

# ---- both orders ----

calls() { echo "$1" >$dir/empty; }

# Nothing else can be where one has changed the address that ftrace calls.
excludes() { # METHOD KIND
	case $1,$2 in direct,fentry) true ;; *) false ;; esac
}

# Prints what ours and theirs have; "-" for what is refused.
together() { # METHOD KIND WHO-COMES-FIRST WHO-GOES-FIRST
	ours=- theirs=-
	if [ "$3" = ours ]; then
		begin /tmp/ours "$1" && ours=''
		calls 101
		they_begin "$2" && theirs=''
	else
		they_begin "$2" && theirs=''
		calls 101
		begin /tmp/ours "$1" && ours=''
	fi
	calls 211
	for one in "$4" calls $([ "$4" = ours ] && echo theirs || echo ours); do
		case $one in
		calls) calls 307 ;;
		ours) [ "$ours" ] || { finish /tmp/ours && ours=$got; } ;;
		theirs) [ "$theirs" ] || { they_finish "$2" && theirs=$got; } ;;
		esac
	done
	calls 13
	echo "$ours $theirs"
}

wanted() { # METHOD KIND WHO-COMES-FIRST WHO-GOES-FIRST
	first=312 last=211
	[ "$3" = "$4" ] && last=518 || first=619
	if excludes "$1" "$2"; then
		last=-
	fi
	[ "$3" = ours ] && echo "$first $last" || echo "$last $first"
}

set -- 'ours theirs' 'theirs ours' 'ours ours' 'theirs theirs'
turn=0
for method in $methods; do
	for kind in $kinds; do
		for order; do
			turn=$((turn + 1))
			[ "$ORDERS" = all ] || [ $((turn % 17)) = 0 ] || { excludes "$method" "$kind" &&
				[ "${order% *}" != "${order#* }" ]; } || continue
			# shellcheck disable=SC2086
			is "$method and $kind: $(echo $order | sed 's/ / first, then without /')" \
				"$(together $method $kind $order 2>/dev/null)" "$(wanted $method $kind $order)"
		done
	done
done

# ---- others come and go under load ----

load() { # beside them, on the other processor
	while [ ! -e /tmp/enough ]; do
		echo 1009 >$dir/empty && echo
		[ "$ORDERS" = all ] || usleep 20000
	done >/tmp/rounds
}

made() { # SHELL-FUNCTION WORD: calls it under load; sets total to the calls of kt_empty
	rm -f /tmp/enough
	load &
	taskset -p 2 $! >/dev/null
	pid_load=$!
	end=$(($(date +%s) + SECS)) n=0
	while [ "$(date +%s)" -lt $end ] || [ $n -lt 1 ]; do
		"$@" >/dev/null 2>&1
		n=$((n + 1))
	done
	: >/tmp/enough
	wait $pid_load
	total=$((1009 * $(wc -l </tmp/rounds)))
}

all_others() { # METHOD: each that can be beside it, in turn, some at once
	for kind in $kinds; do
		excludes "$1" "$kind" && continue
		they_begin "$kind"
		usleep 20000
		they_finish "$kind"
	done
	event 'p:other/it kt_empty'
	tracer function_graph
	they_finish kprobe
	they_finish function_graph
}

echo 16 >$tracing/buffer_size_kb
[ "$ORDERS" = all ] && under="$methods" beside='fentry kprobe inside' || under=direct beside=kprobe
for method in $under; do
	begin /tmp/ours "$method"
	made all_others "$method"
	finish /tmp/ours
	is "$method has every call while others come and go" "$got" "$total"
done

all_of_us() {
	for method in $methods; do
		excludes "$method" "$1" && continue
		begin /tmp/ours "$method"
		usleep 20000
		finish /tmp/ours
	done
}

for kind in $beside; do
	they_begin "$kind"
	made all_of_us "$kind"
	they_finish "$kind"
	is "a $kind has every call while we come and go" "$got" "$total"
done

# ---- at the end ----

i=0
until rmmod kstats 2>/dev/null || [ $i -ge 600 ]; do
	usleep 100000
	i=$((i + 1))
done
is 'nothing is left: the module goes' "$(ls -d /sys/module/kstats 2>/dev/null)" ''
is 'ftrace still works' "$(cat /proc/sys/kernel/ftrace_enabled)" 1
plan
