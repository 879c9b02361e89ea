# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Functions and static probes of a program whose calls are known, by every method that loads.
# Runs as root, in a guest or on this machine; prints TAP. Needs kstats-bpf in PATH; FOLDER
# has the program and the library, METHODS are those that must load, the first by itself.
# Called by uprobes-run.

# shellcheck source=tests/tap.sh
. "$TAP"
program=$FOLDER/uprobes library=$FOLDER/libup.so
tmp=$(mktemp -d)
trap 'kill -9 $one $two 2>/dev/null; rm -r "$tmp"' EXIT

# Counters of the ledger of a node of $tmp/json, by name.
ledger() { # NODE KEY...
	json=$(sed "s/.*\"name\":\"$1\",//; s/\"name\":.*//" "$tmp/json" | sed 's/.*"ledger":{\([^}]*\)}.*/\1/')
	shift
	for key; do
		echo "$json" | sed "s/.*\"$key\":\(-\{0,1\}[0-9]*\).*/\1/"
	done | tr '\n' ' ' | sed 's/ $//'
}
trace() { # WORD...: a run, whose report is in $tmp/json; "-q" keeps it silent
	timeout 120 kstats-bpf trace -q -f json -o "$tmp/json" "$@"
}
# A call whose end is not seen is counted by what is known of it.
exact() { # NODE RECORDED STARTED UNENDED NESTED UNMATCHED
	node=$1
	shift
	# shellcheck disable=SC2046
	set -- "$*" $(ledger "$node" recorded started end_missed no_end task_gone nested unmatched balance)
	is "$how: $node" "$2 $3 $(($4 + $5 + $6)) $7 $8 $9" "$1 0"
}

for method in $METHODS; do
	how=$method session=
	[ "$method" != uprobe-session ] || session=yes
	m="-m $method"
	# shellcheck disable=SC2086
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
	if [ "$session" ]; then
		exact up_self 3 3 0 0 0
		exact up_deep 20 20 0 0 0
	else
		exact up_self 1 3 2 0 2
		exact up_deep 16 20 0 4 4
	fi

	# shellcheck disable=SC2086
	trace $m --min-duration 20ms "u:$program:up_nap" -- "$program" all "$library" >"$tmp/out"
	is "$how: naps within naps last as long as they do" "$(ledger up_nap recorded short)" '3 0'
	# shellcheck disable=SC2086
	trace $m "u:$library:lib_call" -- \
		sh -c "$program load $library & $program load $library; wait"
	exact lib_call 230 230 0 0 0
done

# ---- pairs, by the first method that has them ----
how=pairs
trace --start "usdt:$program:kstats:mark_begin" --end "usdt:$program:kstats:mark_end" --node marks \
	-- "$program" all "$library" >"$tmp/out"
exact marks 20 20 0 0 0
trace -m uprobe --start "usdt:$program:kstats:mark_begin" --end "usdt:$program:kstats:mark_end" \
	--node marks -- "$program" all "$library" >"$tmp/out"
how='pairs by perf events'
exact marks 20 20 0 0 0
how='a program and a tracepoint'
trace --start "u:$program:up_marks" --end tp:raw_syscalls:sys_enter --node mixed \
	-- "$program" all "$library" >"$tmp/out"
is "$how: each call is followed by a read" "$(ledger mixed recorded started balance)" '19 19 0'

# ---- one process ----
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
plan
