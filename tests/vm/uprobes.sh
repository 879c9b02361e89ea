# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Functions and static probes of a program whose calls are known, by every method that loads.
# Runs as root, in a guest or on this machine; prints TAP. Needs kstats-bpf in PATH; FOLDER
# has the program and the library, METHODS are those that must load, the first by itself. LIBDW is
# set if it was built with libdw, WHOLE if nothing is left out.
# Called by uprobes-run.

# Several words in one variable.
# shellcheck disable=SC2086

# shellcheck source=tests/tap.sh
. "$TAP"
program=$FOLDER/uprobes library=$FOLDER/libup.so throw=$FOLDER/throw many="u:$FOLDER/uprobes:many_*"
tmp=$(mktemp -d) one='' two=''
# In a guest: what overlays need.
if [ -e "$FOLDER/overlay.ko" ]; then
	insmod "$FOLDER/overlay.ko"
	mount -t tmpfs none "$tmp"
fi
trap 'kill -9 $one $two 2>/dev/null; rm -r "$tmp"/*; umount "$tmp" 2>/dev/null; rmdir "$tmp"' EXIT

# Counters of the ledger of a node of $tmp/json, by name.
ledger() { counters "$@" <"$tmp/json"; } # NODE KEY...
trace() { # WORD...: a run, whose report is in $tmp/json; "-q" keeps it silent
	: >"$tmp/json" # one that is refused must not leave that of the run before
	# The program switches stacks in one of its functions.
	timeout 120 kstats-bpf trace -q --throws -f json -o "$tmp/json" "$@"
}
# A call whose end is not seen is counted by what is known of it.
exact() { # NODE RECORDED STARTED UNENDED NESTED UNMATCHED
	node=$1
	shift
	# shellcheck disable=SC2046
	set -- "$*" $(ledger "$node" recorded started end_missed no_end task_gone nested unmatched balance)
	is "$how: $node" "${2-} ${3-} $((${4:-0} + ${5:-0} + ${6:-0})) ${7-} ${8-} ${9-}" "$1 0"
}

asked() { # CALLS LABEL NAME STARTED RECORDED OPTION...: CALLS are those that the program makes
	calls=$1 label=$2 name=$3 wanted="$4 $5 0"
	shift 5
	trace "$@" -- "$program" "$calls" 2>"$tmp/err"
	is "$label: $(echo "$*" | sed "s|$program|uprobes|")" "$(ledger "$name" started recorded balance)" "$wanted"
}
strings() { asked text strings "$@"; }
by_string() { # LABEL: the samples of each key
	tr '{' '\n' <"$tmp/json" | grep '"kind":"key"' -A 1 | grep -o "\"[^\"]*\":\"[^\"]*\"},\"samples\":[0-9]*" |
		sed 's/.*":"\(.*\)"},"samples":/\1 /' | sort | tr '\n' ' '
}
session() { [ "$method" = uprobe-session ]; }
for method in $METHODS; do
	how=$method
	m="-m $method"
	trace $m "u:$program:up_*" "u:$library:lib_*" -- "$program" all "$library" >"$tmp/out"
	is "$method: it is measured" $? 0
	exact up_nop 101 101 0 0 0
	exact up_push 101 101 0 0 0
	exact up_step 101 101 0 0 0
	exact up_tail 101 101 0 0 0
	exact up_tailed 101 101 0 0 0
	exact up_recursive 33 33 0 0 0
	exact up_jump 16 31 15 0 0
	exact up_thread 1688 1688 0 0 0
	exact up_leave 0 3 3 0 0
	exact up_fork 7 7 0 0 7
	exact up_child 91 91 0 0 0
	exact up_exec 0 1 1 0 0
	exact up_after 17 17 0 0 0
	handled=$(cat "$tmp/out")
	exact up_signal $((1009 + handled)) $((1009 + handled)) 0 0 0
	exact up_nap 3 3 0 0 0
	exact lib_call 115 115 0 0 0
	if session; then
		exact up_self 3 3 0 0 0
		exact up_deep 20 20 0 0 0
		exact up_very_deep 64 100 0 36 0
	else
		exact up_self 1 3 2 0 2
		exact up_deep 16 20 0 4 4
	fi

done

# ---- each call has its own end, by whatever way it comes ---- [6.1 7]
for method in $METHODS; do
	m="-m $method"
	# A start that keeps a key; the child of a fork ends a call that it did not start.
	how="$method, by a parameter"
	if session; then
		trace $m --by arg0 "u:$program:up_fork" -- "$program" after 2>"$tmp/err"
		has "$how: refused" "$? $(cat "$tmp/err")" '^2 .*no room for a key'
	else
		trace $m --by arg0 "u:$program:up_fork" -- "$program" all "$library" >"$tmp/out"
		exact up_fork 7 7 0 0 7
	fi
	how=$method

	trace $m --if 'duration >= 20ms' "u:$program:up_nap" -- "$program" all "$library" >"$tmp/out"
	is "$how: naps within naps last as long as they do" "$(ledger up_nap recorded short)" '3 0'
	trace $m "u:$library:lib_call" -- \
		sh -c "$program load $library & $program load $library; wait"
	exact lib_call 230 230 0 0 0

	# Two coroutines: each call lasts 5 ms, and the calls of one end amid those of the other.
	for upper in 0 1; do
		trace $m --if 'duration >= 5ms' "u:$program:up_yield" -- "$program" yield $upper 0x10000
		is "$how: coroutines, the upper stack is that of $upper: it goes well" $? 0
		is "$how: no sample is too short" "$(ledger up_yield started short balance)" '26 0 0'
	done
	trace $m "u:$throw:up_inside" -- "$throw" inside
	exact up_inside 29 29 0 0 0
	# Nothing can be unwound through a probe at a return.
	trace $m "u:$throw:up_through" -- "$throw" through >/dev/null 2>"$tmp/talk"
	has "$how: an exception through a call ends the program" "$(cat "$tmp/talk")" 'terminate called'
	exact up_through 1 2 1 0 0
done

# ---- coroutines, by a parameter ---- [here]
# With stacks at a distance at which a cookie that also held a key would look valid to the
# return of the other coroutine.
for far in '0 0xfe9cf1d0' '1 0x1ff01870'; do
	how='coroutines, by a parameter'
	trace --by arg0 --limit keys=16384 --if 'duration >= 5ms' "u:$program:up_yield" -- "$program" yield $far
	is "$how, apart $far: no sample is too short" \
		"$(ledger up_yield started short balance)" '26 0 0'
done

# ---- what may end by a probe at a return is refused ---- [here]
is_refused() { # FILE WORDS FUNCTION
	timeout 120 kstats-bpf trace -q "u:$1:$3" -- "$1" none >"$tmp/out" 2>"$tmp/err"
	has "refused without --throws: $3" "$? $(cat "$tmp/err")" "^2 .*$2.*add --throws"
}
is_refused "$throw" 'an exception that leaves a function would end the program' up_through
is_refused "$throw" 'an exception that leaves a function would end the program' 'up_*'
is_refused "$program" 'it switches stacks' up_yield
timeout 120 kstats-bpf trace -q -f json -o "$tmp/json" -n spans --start "u:$throw:up_begin" \
	--end "u:$throw:up_end" -- "$throw" over
is 'between points nothing is refused' "$(ledger spans recorded started balance)" '16 31 0'
timeout 120 kstats-bpf trace -q -f json -o "$tmp/json" "u:$library:lib_call" -- "$program" load "$library"
is 'nor in a library that does neither' "$(ledger lib_call recorded balance)" '115 0'

# ---- a program that crashes, perhaps by a probe ---- [here]
for words in "$program crash" "sh -c '$program crash; exit \$?'"; do
	eval "timeout 120 kstats-bpf trace -q --throws 'u:$program:up_after' -- $words" >"$tmp/out" 2>&1
	is "$words: the calls before are there" "$? $(grep -c ' 17 started = 17 recorded' "$tmp/out")" '132 1'
	has 'it crashed, so calls may be missing' "$(tr -s ' \n' ' ' <"$tmp/out")" \
		'MISSING: a probed program crashed \(SIGILL\), perhaps by the probes'
	is 'nothing says that none is' "$(grep -c 'nothing lost' "$tmp/out")" 0
done

# ---- arguments and return values: the i of 1,009 calls is in them, see args() ---- [here]
asks() { asked args "$how" "$@"; }
keys() { tr '{' '\n' <"$tmp/json" | grep '"kind":"key"' -A 1 | grep -o '"arg[0-9]":"[^"]*"},"samples":[0-9]*' | tr -d '"}' | sort | tr '\n' ' '; }
sum() { grep -o '"sum":{"lo":[0-9]*' "$tmp/json" | head -n 1 | grep -o '[0-9]*$'; }
for method in $METHODS; do
	how=$method args="u:$program:up_args"
	asks up_args 432 432 -m "$method" "$args" --if 'arg0 > 3'
	asks up_args 1 1 -m "$method" "$args" --if '(int)arg2 == -1000 && arg5 == 6'
	asks up_args 1009 173 -m "$method" "$args" --if 'ret < 0'
	asks up_args 201 57 -m "$method" "$args" --if 'ret < 0 && arg1 == 4'
	by_session=$([ "$method" = uprobe-session ] && echo yes)
	if [ ! "$by_session" ]; then
		asks up_args 1009 1009 -m "$method" "$args" --by arg0
		is "$how: calls of each key" "$(keys)" "arg0:0,samples:145 arg0:1,samples:144 arg0:2,samples:144 \
arg0:3,samples:144 arg0:4,samples:144 arg0:5,samples:144 arg0:6,samples:144 "
	fi
	trace -m "$method" "$args" --value 'duration - arg0' -- "$program" args 2>"$tmp/err"
	has "$how: at the return there are no arguments" "$? $(cat "$tmp/err")" \
		'^2 .*parameters cannot be read at this point'
	if [ "$by_session" ]; then
		trace -m "$method" "$args" --value arg0 -- "$program" args 2>"$tmp/err"
		has "$how: has no points" "$? $(cat "$tmp/err")" '^2 .*not one point'
		continue
	fi
	asks up_args 1009 1009 -m "$method" "$args" --value arg4
	is "$how: the sum of arg4" "$(sum)" $((505 * 100 + 504 * 101))
	asks up_args 1009 836 -m "$method" "$args" --value ret
	spot="usdt:$program:spots:spot"
	asks spots:spot 1009 1009 -m "$method" "$spot" --value arg1
	is "$how: the sum of i" "$(sum)" $((1008 * 1009 / 2))
	asks spots:spot 92 92 -m "$method" "$spot" --value arg1 --if 'arg0 == -3'
	asks spots:spot 91 91 -m "$method" "$spot" --value arg1 --if 'arg2 == -10'
	asks spots:spot 1009 1009 -m "$method" "$spot" --value arg1 --if 'arg3 == 4294967295'
	asks spots:spot 3 3 -m "$method" "$spot" --value arg1 --if 'arg4 == 255'
	# Of each eleven one is zero, and the others are negative.
	asks spots:spot 1009 92 -m "$method" "$spot" --value arg0
	for arg in 5 6; do
		trace "$spot" --value "arg$arg" -- "$program" args 2>"$tmp/err"
		has "$how: arg$arg cannot be read" "$? $(cat "$tmp/err")" '^2 .*it is not an integer in a register'
	done
done

# ---- the same parameters by name, as the compiler left them with and without optimization ---- [here]
by_name() {
	own=$program
	for program in "$own" "$FOLDER/box/lower$own"; do
		how=names args="u:$program:up_args" mixed="u:$program:up_mixed"
		asks up_args 1 1 "$args" --if 'c == -1000 && d == 1 && f == 6'
		asks up_args 1009 1009 "$args" --by c --limit keys=2000
		asks up_mixed 201 201 "$mixed" --if 'size == -4'
		asks up_mixed 1009 1009 "$mixed" --by 'size,arg0 & 0xff'
		for name in d by_value; do
			trace "$mixed" --by "$name" -- "$program" args 2>"$tmp/err"
			has "names: $name" "$? $(cat "$tmp/err")" '^2 .*no number or pointer whose register is known'
		done
	done
	trace "$mixed" --by after -- "$program" args 2>"$tmp/err"
	has 'names: behind a structure, without optimization' "$? $(cat "$tmp/err")" \
		'^2 .*no number or pointer whose register is known'
	program=$own
	asks up_mixed 336 336 "u:$program:up_mixed" --if 'after == 2'
}
if [ "$LIBDW" ]; then
	by_name
else
	result ok 'names of parameters # skip built without libdw'
fi
trace "u:$throw:up_inside" --by n -- "$throw" inside 2>"$tmp/err"
has 'names: without debug information' "$? $(cat "$tmp/err")" '^2 .*parameters of up_inside.* are not known.*; use arg0'
trace "u:$program:many_11?" --by n -- "$program" many 2>"$tmp/err"
has 'names: of many functions' "$? $(cat "$tmp/err")" '^2 .*parameters of many_11[0-9] are not known.*; use arg0'

# ---- strings of a program ---- [here]
of_text="u:$program:up_text"
strings up_text 198 191 "$of_text" --by 'str(arg0)'
is 'strings: each has its calls, and the cut one is marked' "$(by_string)" "/tmp/up/012345678901234567890123456789\
012345678901234567890123... 33 /up/first 101 /up/second 57 "
is 'strings: what cannot be read is counted' "$(ledger up_text unreadable)" 7
strings up_text 198 191 "$of_text" --by 'str(arg0, 126)'
is 'strings: a longer one is whole' "$(by_string)" "/tmp/up/0123456789012345678901234567890123456789\
0123456789012345678901234567890123456789012345678901 33 /up/first 101 /up/second 57 "
strings up_text 165 158 "$of_text" --if 'str(arg0, 4) == "/up/"'
strings up_text 64 57 "$of_text" --if 'str(arg0) == "/up/second"'
# ---- strings of system calls ---- [6.1]
if [ -e "$FOLDER/overlay.ko" ]; then # in a guest: functions of the kernel
	strings do_sys_openat2 108 101 do_sys_openat2 --if 'str(filename) == "/up/first"'
	strings do_sys_openat2 64 57 do_sys_openat2 --if 'filename == "/up/second"'
	strings do_sys_openat2 165 158 do_sys_openat2 --if 'str(filename, 4) == "/up/"' --by filename
	is 'strings of a system call' "$(by_string)" '/up/first 101 /up/second 57 '
fi

# ---- 300 functions, by one link where there is one, and else refused ---- [here]
for method in $METHODS; do
	how="$method, many"
	trace -m "$method" "$many" -- "$program" many 2>"$tmp/err"
	status=$?
	if [ "$method" = uprobe ]; then
		has "$how: refused" "$status $(cat "$tmp/err")" '^2 .*they name 300 functions and the limit is 64'
		trace -m "$method" "u:$program:many_1[01]?" -- "$program" many
	fi
	exact many_100 1 1 0 0 0
	exact many_106 7 7 0 0 0
	exact many_119 6 6 0 0 0
	[ "$method" != uprobe ] || continue
	exact many_399 6 6 0 0 0
	is "$how: all of them" "$(grep -o '"recorded":[0-9]*' "$tmp/json" | cut -d : -f 2 |
		awk '{ n += $1 } END { print n, NR }')" '1197 300'
	trace -m "$method" "$many" "u:$library:lib_*" --merge -- "$program" many
	is "$how: merged, with another file" "$(ledger merged recorded started balance)" '1197 1197 0'
	trace -m "$method" "$many" --if 'pid > 1 && ret % 2 == 0' -- "$program" many
	is "$how: with an expression" "$(for key in started recorded; do
		grep -o "\"$key\":[0-9]*" "$tmp/json" | cut -d : -f 2 | awk '{ n += $1 } END { print n, NR }'
	done | xargs)" '1197 300 597 300'
done
# ---- so many by itself ---- [6.1]
how='many, by itself'
trace "$many" -- "$program" many 2>"$tmp/err"
case $METHODS in
*multi* | *session*)
	is "$how" "$? $(grep -o '"method":"uprobe [sm][^"]*","reason"' "$tmp/json" | wc -l)" '0 300'
	;;
*) has "$how: refused" "$? $(cat "$tmp/err")" '^2 .*the limit is 64' ;;
esac

# ---- pairs, by the first method that has them ---- [here]
how=pairs
trace --start "usdt:$program:kstats:mark_begin" --end "usdt:$program:kstats:mark_end" --name marks \
	-- "$program" all "$library" >"$tmp/out"
exact marks 20 20 0 0 0
trace -m uprobe --start "usdt:$program:kstats:mark_begin" --end "usdt:$program:kstats:mark_end" \
	--name marks -- "$program" all "$library" >"$tmp/out"
how='pairs by perf events'
exact marks 20 20 0 0 0

# ---- pairs that are joined by a key: see put_jobs(), take_jobs() and do_jobs() ---- [here]
keyed() { # OPTION...: of 997 + 142 + 2,012 jobs put, 898 + 2,012 are taken
	trace -n jobs "$@" -- "$program" jobs 2>"$tmp/err"
	is "$how: $(echo "$*" | sed "s|$FOLDER/||g")" \
		"$? $(ledger jobs started recorded again in_flight unmatched balance)" \
		'0 3151 2910 142 99 31 0'
	cat "$tmp/err"
}
put="usdt:$program:jobs:put" take="usdt:$program:jobs:take"
for method in $METHODS; do
	[ "$method" != uprobe-session ] || continue
	how=$method
	keyed -m "$method" --start "${put}[arg0]" --end "${take}[arg1]"
	keyed -m "$method" --start "u:$program:up_put[arg0]" --end "u:$program:up_take[arg1]"
	keyed -m "$method" --start "u:$program:up_put[(int)arg0]" --end "${take}[arg1 + 0]"
	keyed -m "$method" --start "${put}[(long)arg0 << 32 | pid]" \
		--end "${take}[(long)arg1 << 32 | pid]"
done
how='a name without provider'
keyed --start "${put}[arg0]" --end "usdt:$program:take[arg1]"
trace --start "usdt:$program:put" --end "$take" -- "$program" jobs 2>"$tmp/err"
has "$how, of two providers" "$? $(cat "$tmp/err")" '^2 .*several providers .* write jobs:put or other:put'
how=key
trace -n jobs --start "${put}[arg0]" --end "${take}[arg1]" --if '(long)arg0 > 400' -- "$program" jobs
is 'key, with a condition' "$(ledger jobs recorded again balance)" "$((88 + 2012)) 14 0"
wrong() { # KEY KEY WORDS
	trace --start "${put}[$1]" --end "${take}[$2]" -- "$program" jobs 2>"$tmp/err"
	has "keys $1 and $2 are refused" "$? $(cat "$tmp/err")" "^2 .*$3"
}
wrong arg0 arg2 'it is not an integer in a register'
wrong arg1 arg1 'jobs:put has 1 parameter'
wrong arg0 ret 'there is no return value at this point'

# ---- a thread that is preempted in the middle of a program: see preempt() ---- [6.12 7]
slow_jobs=5003
[ ! "$WHOLE" ] || slow_jobs=20011
preempted() { # OPTION...: each job counts; $sum: the numbers of all jobs
	# shellcheck disable=SC2046
	set -- $(trace -n jobs -m "$method" "$@" -- "$program" preempt $slow_jobs)
	is "$how, preempted: each job" \
		"$(ledger jobs started recorded unmatched in_flight balance)" "$1 $1 0 0 0"
	sum=$2
}
for method in $METHODS; do
	how="$method"
	preempted "u:$program:up_put"
	how="$method, with a condition"
	preempted "u:$program:up_put" --if 'arg0 >= 0'
	[ "$method" != uprobe-session ] || continue
	how="$method, a pair with a key"
	preempted --start "u:$program:up_put[arg0]" --end "u:$program:up_take[arg1]"
	how="$method, values"
	preempted "u:$program:up_put" --value arg0 --unit none
	is "$how, preempted: their sum" \
		"$(sed 's/.*"sum":{"lo":\([0-9]*\),.*/\1/' "$tmp/json")" "$sum"
done

# ---- a program and a tracepoint, and exceptions ---- [here]
how='a program and a tracepoint'
trace --start "u:$program:up_marks" --end tp:raw_syscalls:sys_enter --name mixed \
	-- "$program" all "$library" >"$tmp/out"
is "$how: each call is followed by a read" "$(ledger mixed recorded started balance)" '19 19 0'

how='exceptions over the end'
trace --start "u:$throw:up_begin" --end "u:$throw:up_end" --name over -- "$throw" over
is "$how: each round that ends is a sample" \
	"$(ledger over recorded started unmatched balance)" '16 31 0 0'

# ---- one process ---- [6.1]
mkfifo "$tmp/in1" "$tmp/in2" "$tmp/out1" "$tmp/out2"
"$program" work <"$tmp/in1" >"$tmp/out1" &
one=$!
"$program" work <"$tmp/in2" >"$tmp/out2" &
two=$!
exec 3>"$tmp/in1" 4<"$tmp/out1" 5>"$tmp/in2" 6<"$tmp/out2"
# Each calls up_work() 103 times.
both='printf x >&3; printf x >&5; dd bs=1 count=1 <&4 >/dev/null 2>&1; dd bs=1 count=1 <&6 >/dev/null 2>&1'
sh -c "$both"
for method in $METHODS; do
	how="$method, one process"
	trace -m "$method" -p $one "u:$program:up_work" -a -- sh -c "$both; $both"
	exact up_work 206 206 0 0 0
	how="$method, both processes"
	trace -m "$method" "u:$program:up_work" -a -- sh -c "$both; $both"
	exact up_work 412 412 0 0 0
done
exec 3>&- 4<&- 5>&- 6<&-
wait $one $two
is 'the programs go on' $? 0
one='' two=''

# ---- the kernel puts no probe into code that the process may write, and tells nobody ---- [6.1]
mkfifo "$tmp/in4" "$tmp/out4"
"$program" writable <"$tmp/in4" >"$tmp/out4" &
one=$!
exec 3>"$tmp/in4" 4<"$tmp/out4"
dd bs=6 count=1 <&4 >/dev/null 2>&1
for method in $METHODS; do
	trace -m "$method" -p $one "u:$program:up_work" -a -- true 2>"$tmp/err"
	has "$method, code that is writable: it is said" "$? $(cat "$tmp/err")" \
		"^[1-9] .*put no probe into the code of process $one"
done
exec 3>&- 4<&-
wait $one
one=''

# ---- a process in a container, which has another program at the same path ---- [here]
offset() { kstats-bpf list --json "$@" 2>/dev/null | sed -n 's/.*"offset": *"*\([0-9a-fx]*\).*/\1/p'; }
once='printf x >&7; dd bs=1 count=1 <&8 >/dev/null 2>&1'
inside=$(offset "u:$FOLDER/box/lower$program:up_work")
outside=$(offset "u:$program:up_work")
is 'the program in containers is another' "$([ "$inside" != "$outside" ] && echo yes)" yes
counted() { # COMMAND: two rounds while it is measured, by every name that it has
	for at in "u:$program:up_work" u:uprobes:up_work u:/link:up_work; do
		how="$box, $at"
		trace -p "$pid" "$at" -a -- sh -c "$1"
		exact up_work 206 206 0 0 0
		is "$how: where it is" "$(offset -p "$pid" "$at")" "$inside"
	done
	how="$box, u:libc:malloc"
	trace -p "$pid" u:libc:malloc -a -- sh -c "$once; $once"
	exact malloc 14 14 0 0 0
}
for flags in - ${WHOLE:+u o} uo; do
	box="container $flags"
	cp -a "$FOLDER/box" "$tmp/box"
	root=$tmp/box
	case $flags in
	*o) mkdir "$root/upper" "$root/work" "$root/merged" ;;
	*) root=$root/lower ;;
	esac
	mkfifo "$tmp/in3" "$tmp/out3"
	"$FOLDER/contain" $flags "$tmp/pid" "$root" "$program" work <"$tmp/in3" >"$tmp/out3" &
	one=$!
	exec 7>"$tmp/in3" 8<"$tmp/out3"
	sh -c "$once"
	until [ -s "$tmp/pid" ]; do sleep 0.1; done
	pid=$(cat "$tmp/pid")
	counted "$once; $once"
	# Its files are replaced or removed, the first time amid a measurement.
	new=/proc/$pid/root$program
	cp "$program" "$new.new"
	libc=$(sed -n 's/.* \(\/.*\/libc\.so\.6\)$/\1/p' "/proc/$pid/maps" | head -n 1)
	box="$box, replaced"
	counted "$once; [ ! -e $new.new ] || mv $new.new $new; rm -f /proc/$pid/root$libc; $once"
	is "$box: the new file is another" "$(offset "u:$new:up_work")" "$outside"
	exec 7>&- 8<&-
	wait $one
	is "$box: the program goes on" $? 0
	one=''
	rm -r "$tmp/box" "$tmp/in3" "$tmp/out3" "$tmp/pid"
done

# ---- files that are replaced at each moment by others, in which no probe may be put ---- [here]
cp -r "$FOLDER/swap" "$tmp"
swap=$tmp/swap offset=$(cat "$FOLDER/offset")
for method in $METHODS; do
	at=1 refused=0
	: >"$tmp/all"
	while rm -f "$swap/done"; do
		timeout 120 env LD_PRELOAD="$FOLDER/swap.so" SWAP="$swap" SWAP_AT=$at SWAP_OFFSET="$offset" \
			kstats-bpf trace -q --throws -m "$method" "u:$swap/own/program:up_after" -- true \
			>/dev/null 2>"$tmp/err" || refused=$((refused + 1))
		[ -e "$swap/done" ] || break
		cat "$swap/done" "$tmp/err" >>"$tmp/all"
		at=$((at + 1))
	done
	is "$method: they were replaced, and no probe is in another file" \
		"$([ $at -gt 3 ] && [ $refused -gt 1 ] && echo yes) $(grep -cE '^probed|^cannot' "$tmp/all")" \
		'yes 0'
	has "$method: one that was replaced before it was hooked" "$(cat "$tmp/all")" \
		"cannot trace .*/own/program was (replaced|changed since it was read)"
done

# ---- the end ----
plan
