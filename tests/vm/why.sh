# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Single calls: what is recorded of slow ones is what why.c knows of them, ordinary ones are chosen
# evenly, and all are counted. Runs as root, in a guest or on this machine; prints TAP. Needs
# kstats-bpf in PATH; PROGRAM is why.c, METHODS those to be tried, KERNEL_METHODS those for
# vfs_read, KO the module kstats_target or nothing; WHOLE is not empty where each cause is also tried alone.
# Called by why-run.
#
# Whatever else the machine does may make more calls slow. So each planted one must be there, and
# counts must agree with what was kept, whose number is known where the threshold lets all be slow.

# shellcheck source=tests/tap.sh
. "$TAP"
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

# The calls of a recording, a line each, into $tmp/calls; their stacks in the same way; and the rest
# of what is told of single calls into $tmp/why.
measure() { # ARGUMENT... -- COMMAND...
	kstats-bpf why -q -f line --record "$tmp/rec" -o "$tmp/out" "$@" >"$tmp/said" 2>&1 || cat "$tmp/said"
	sed 's/.*"why"://' "$tmp/rec" >"$tmp/all"
	sed 's/"stacks":.*"lost":/"lost":/' "$tmp/all" >"$tmp/why"
	sed 's/.*"kept":\[//; s/\],"lost":.*//; s/,{"start_ns"/\n{"start_ns"/g' "$tmp/all" >"$tmp/calls"
	sed 's/.*"stacks":\[//; s/\],"kept":.*//; s/},{"user"/}\n{"user"/g' "$tmp/all" >"$tmp/stacks"
}

slow() {
	grep '"slow":true' "$tmp/calls"
}

told() { # NAME: number of what was lost
	sed -n "s/.*\"name\":\"$1\",\"n\":\\([0-9]*\\).*/\\1/p" "$tmp/why" | grep . || echo 0
}

number() { # NAME: of the begin of what is told
	sed -n "s/^{.*\"$1\":\\([0-9]*\\),.*/\\1/p" "$tmp/why" | sed 1q
}

# "most", if more than half of the planted calls come in, a line each. On a busy machine the task
# that preempts or wakes one may come late: then that call waited for something else.
planted() {
	n=$(grep -c .)
	if [ $((2 * n)) -gt "$PLANTED" ]; then echo most; else echo "$n of $PLANTED"; fi
}

# Slow calls that name under KEY a stack with a word. @KEY: as a regular expression
stacked() { # KEY WORD
	slow | sed -n "s/.*$1\":\\[*\\([0-9]*\\).*/\\1/p" | awk -v word="$2" '
		FNR == NR { of[FNR - 1] = $0; next }
		index(of[$1], word) > 0' "$tmp/stacks" - | planted
}

# Those of which a part is at least this long.
part() { # NUMBER NS
	slow | sed 's/.*"parts_ns":\[//; s/\].*//' | awk -F, -v part="$1" -v ns="$2" '$(part + 1) >= ns' | planted
}

with() { # PATTERN
	slow | grep -e "$1" | planted
}

# Its number among all fields, from 1.
field() { # NAME
	sed 's/.*"fields":\[//; s/\].*//; s/},{/}\n{/g' "$tmp/why" | grep -nF "\"name\":\"$1\"" | cut -d: -f1
}

# The values of calls, a line each, from this field on. None of them has a comma.
values() { # NAME
	sed 's/.*"values":\[//; s/\].*//; s/"//g' | cut -d, -f"$(field "$1")"-
}

# What is counted of a value: "CALLS SLOW".
counted() { # FIELD VALUE
	field=$(field "$1")
	sed 's/.*"values":\[\[//; s/\]\].*//; s/\],\[/\n/g' "$tmp/why" |
		awk -F, -v field=$((field - 1)) -v value="\"$2\"" '$1 == field && $4 == value { printf "%d %d", $2, $3 }'
}

PLANTED=5 CALLS=199
for method in $METHODS; do
	of="u:$PROGRAM:call -m $method --slower 4ms"
	# shellcheck disable=SC2086 # words
	measure $of -- "$PROGRAM" sleeps $CALLS
	is "$method: all calls are counted" "$(number calls)" $CALLS
	is "$method: all slow ones are kept" "$(number slow) $(told 'slow calls')" "$(slow | grep -c .) 0"
	# It begins when they come to it after they asked: in a guest, some ms later.
	is "$method: they sleep" "$(part 2 4000000)" most
	is "$method: the longest wait is the sleep" "$(with '"wait":{"ns":[0-9]*,"part":2,')" most
	is "$method: woken by a task" "$(with '"waker":"planted-waker"')" most
	is "$method: where they slept" "$(stacked 'wait":.*"stack' 'pipe_read')" most
	is "$method: where the waker was" "$(stacked 'waker_stack' 'pipe_write')" most
	[ -z "$NAMES" ] || is "$method: who called" "$(stacked 'user_caller' '"calls+')" most

	# A call that is left by longjmp() ends for nobody.
	# shellcheck disable=SC2086
	measure $of -f perfetto -- "$PROGRAM" jumps $CALLS
	is "$method: as a trace" "$(grep -c '"traceEvents":\[' "$tmp/out")" 1
	is "$method: after a jump, all that end are counted" "$(number calls)" $((CALLS - 1))
	is "$method: after a jump, they wait" "$(with '"wait":{"ns":[0-9]*,"part":2,')" most

	# shellcheck disable=SC2086
	measure $of -- "$PROGRAM" spins $CALLS
	is "$method: they spin" "$(part 0 6000000)" most
	[ -z "$NAMES" ] || is "$method: samples of that" "$(stacked 'samples' 'burns')" most

	# shellcheck disable=SC2086
	measure $of -- "$PROGRAM" preempted $CALLS
	is "$method: they are preempted" "$(part 1 4000000)" most
	is "$method: and by whom" "$(with '"part":1,.*"waker":"planted-rt"')" most
done

# Functions of the kernel, by methods that keep a start in different ways.
for method in $KERNEL_METHODS; do
	measure vfs_read -m "$method" --slower 4ms -- "$PROGRAM" sleeps $CALLS
	is "vfs_read by $method: they sleep" "$(with '"waker":"planted-waker"')" most
	is "vfs_read by $method: where they slept" "$(stacked 'wait":.*"stack' 'pipe_read')" most
	is "vfs_read by $method: where the waker was" "$(stacked 'waker_stack' 'pipe_write')" most
	is "vfs_read by $method: its caller" "$(stacked '"caller' 'ksys_read')" most
	is "vfs_read by $method: what it returned" "$(with '"1","no"\],"caller"')" most
done

# The kernel leaves functions of sleeping locks out of stacks of other tasks.
if [ "$KERNEL_METHODS" ]; then
	measure "u:$PROGRAM:call" --slower 4ms -- "$PROGRAM" locks $CALLS
	is 'a mutex: the longest wait is for it' "$(stacked 'wait":.*"stack' '__mutex_lock')" most
	is 'a mutex: woken by who had it' "$(with '"waker":"planted-waker"')" most
	kstats-bpf report "$tmp/rec" >"$tmp/report"
	has 'a mutex: in words' "$(cat "$tmp/report")" 'fdget_pos [(]__mutex_lock'
fi

# What makes them slow is the first row that is named.
first() {
	kstats-bpf report "$tmp/rec" | sed -n '/^explains/{n;s/^.*  //;p;}'
}
# Where the emulator itself stops for long, calls elsewhere are slow, too: then once more.
cause() { # NAME PATTERN ARGUMENT... -- COMMAND...
	what=$1 pattern=$2
	shift 2
	for try in 1 2 3; do
		measure "$@"
		found=$(first | xargs)
		echo "$found" | grep -qE "$pattern" && break
	done
	has "a cause: $what, in try $try" "$found" "$pattern"
}

if [ "$KERNEL_METHODS" ]; then
	method=${KERNEL_METHODS%% *}
	cause 'an argument on one processor' '^cpu is 1 and arg2 is 7$' \
		vfs_read -m "$method" --comm why --slower 16ms -- "$PROGRAM" sevens-elsewhere 2003
	if [ "$WHOLE" ]; then # each of these alone
		cause 'an argument' '^arg2 is 7$' vfs_read -m "$method" --comm why --slower 4ms -- "$PROGRAM" sevens 1201
		cause 'a processor' '^cpu is 1$' "u:$PROGRAM:call" --slower 4ms -- "$PROGRAM" elsewhere 2003
	fi
	mkdir -p "$tmp/cgroup"
	mount -t cgroup2 none "$tmp/cgroup"
	mkdir "$tmp/cgroup/planted"
	cause 'a control group' '^cgroup is /planted$' \
		"u:$PROGRAM:call" --slower 16ms -- "$PROGRAM" group 601 "$tmp/cgroup/planted/cgroup.procs"
	rmdir "$tmp/cgroup/planted"
	umount "$tmp/cgroup"
	cause errors '^ret is -EAGAIN$' vfs_read -m "$method" --comm why --slower 16ms -- "$PROGRAM" errors 1201
fi

# What comes about in a call of the module: a callee sleeps, interrupts come.
if [ "$KO" ]; then
	insmod "$KO"
	dir=/sys/kernel/debug/kstats_target
	cause 'a callee that sleeps' '^longest in kt_planted_maybe$' \
		kt_planted --callees --slower 8ms -- sh -c "echo 1201 0 >$dir/planted"
	is 'callees: each call is divided, and adds up' \
		"$(sed 's/.*"duration_ns":\([0-9]*\),.*"callees_ns":\[\([0-9,]*\)\].*/\1,\2/' "$tmp/calls" |
			awk -F, '{ n++; for (i = 2; i <= NF; i++) $1 -= $i } NF == 5 && $1 == 0 { ok++ } END { print n - ok, "of", (n > 0) }')" \
		'0 of 1'
	kstats-bpf report "$tmp/rec" >"$tmp/report"
	# Where times and intervals have many digits, a line of 80 columns has no room for the whole name.
	has 'callees: where the time goes' "$(sed -n '/^Mean time in each callee/,/whole call/p' "$tmp/report")" '^ *[0-9.]+ [mu]?s .*%  .*  kt_planted_m[aybe]*~?$'
	has 'callees: of the worst call' "$(cat "$tmp/report")" '[0-9.]+% in kt_planted_maybe: '
	# In an emulator that has little of a processor, the interrupts take less than a tenth of a call.
	cause 'a storm of interrupts' '^interrupted for [1-8]0% or more$' \
		kt_planted --slower 8ms -- sh -c "echo 1201 1 >$dir/planted"
fi

# Each call has its own values: nested ones begin in the order of their depth.
if [ "$KO" ]; then
	measure kt_recurse --slower 1ns --show depth -- sh -c "echo 40 5 100000 >$dir/recurse"
	is 'shown: of recursive calls, that of each' \
		"$(values depth <"$tmp/calls" | xargs | sed 's/5 4 3 2 1 */./g')" \
		'........................................'
	kstats-bpf report "$tmp/rec" >"$tmp/report"
	has 'shown: below the worst calls' "$(cat "$tmp/report")" ': depth is [1-5]$'
	measure kt_expr --slower 1ns --show 'object->half,str(text), large,large / (large % 5)' \
		-- sh -c "echo 599 >$dir/expr"
	is 'shown: numbers, strings, and what cannot be read' \
		"$(values 'object->half' <"$tmp/calls" | awk -F, '
			{ i = NR - 1; large = i % 2 ? -i : i; rest = i % 5 * (i % 2 ? -1 : 1) }
			$1 != (i % 10 < 2 ? "null" : i) || $2 != (i % 2 ? "odd" : "even") || $3 != large { bad++ }
			rest ? $4 != int(large / rest) : $4 != "null" { bad++ }
			END { print NR, bad + 0 }')" '599 0'
	measure --start kt_start --end kt_end --slower 1ns --show start.req,end.req -- sh -c "echo 40 5 >$dir/pair_nest"
	is 'shown: of a start and its end' \
		"$(values start.req <"$tmp/calls" | awk -F, '$1 == $2 && $1 ~ /^0x/ { n++ } END { print n }')" 200
	measure --start kt_start --end kt_end --key arg0 --slower 1ns --show start.req,end.req \
		-- sh -c "echo 97 >$dir/pair_cross"
	is 'shown: the same in two tasks' \
		"$(values start.req <"$tmp/calls" | awk -F, '$1 == $2 && $1 ~ /^0x/ { n++ } END { print n }')" 97
fi

# All calls by entry fields with few values: each value has as many as the program made.
measure "u:$PROGRAM:call" --slower 4ms -- "$PROGRAM" both 97
a=$(slow | grep -c planted-a) b=$(slow | grep -c planted-b)
is 'counts: all' "$(number calls) $(number slow)" "388 $((a + b))"
is 'counts: by name' "$(counted comm planted-a), $(counted comm planted-b)" "97 $a, 291 $b"
is 'counts: by processor' "$(counted cpu 0), $(counted cpu 1)" "97 $a, 291 $b"
is 'counts: by user' "$(counted uid 0)" "388 $((a + b))"
is 'counts: so many are planted' "$((a >= 2 && b >= 7))" 1
is 'what called a function of a program is in the program' \
	"$(grep -c '"user_caller":[0-9]' "$tmp/calls"), $(grep -c '"caller":[0-9]' "$tmp/calls")" "$(grep -c start_ns "$tmp/calls"), 0"
is 'counts: nothing is missing' "$(sed 's/.*"lost"/"lost"/' "$tmp/why")" '"lost":[]}}'

# A threshold that is learned: the calls before have left records, and are counted too. Looked at
# are 1,000 until it is known, the slow ones, and an ordinary one each 10 ms: on a machine that is
# starved for all of it these may be all.
for try in 1 2 3; do
	measure "u:$PROGRAM:call" -- "$PROGRAM" slowly 3001
	fewer=$(sed -n 's/.*"start_ns":\([0-9]*\).*/\1/p' "$tmp/calls" | sort -n |
		awk 'NR == 1 { first = $1 } END { print(NR < 1300 + ($1 - first) / 9e6 && NR < 2700) }')
	[ "$fewer" = 1 ] && break
done
before=$(told 'calls before the threshold was known')
is 'a quantile: all calls' "$(($(number calls) + ${before:-0}))" 3001
is 'a quantile: those before it was known' "$((${before:-0} < 300))" 1
is "a quantile: fewer are looked at, in try $try" "$fewer" 1
is 'a quantile: by name' "$(counted comm why | cut -d' ' -f1)" "$(number calls)"
measure "u:$PROGRAM:call" -- "$PROGRAM" slowly 211
# The three longest are slow, and those that took as long as the third.
longest=$(sed -n 's/.*"duration_ns":\([0-9]*\).*/\1/p' "$tmp/calls" | sort -rn |
	awk 'NR <= 3 { third = $1 } $1 == third || NR <= 3 { n++ } END { print n }')
is 'a quantile: of few calls, all are kept' "$(number calls) $(number slow) $(grep -c start_ns "$tmp/calls")" "211 $longest 211"

# Ordinary calls are chosen evenly: about as many of each quarter of them. A machine that stops for
# long spoils a quarter, so three times; a choice that is not even is so each time.
spread() {
	measure "u:$PROGRAM:call" --slower 60s -- "$PROGRAM" slowly 1009 "$tmp/quarters"
	sed 's/.*"start_ns":\([0-9]*\).*/\1/' "$tmp/calls" | awk '
		FNR == NR { first[NR] = $1; next }
		{
			for (i = 4; i > 1 && $1 < first[i];)
				i--
			n[i]++
			all++
		}
		END {
			for (i = 1; i <= 4; i++)
				even += (8 * n[i] > all && 2 * n[i] < all)
			if (even != 4)
				printf "%d, %d, %d, %d: ", n[1], n[2], n[3], n[4]
			printf "%d quarters of %s", even, (all >= 20 && all < 900 ? "some" : all)
		}' "$tmp/quarters" -
	echo " $(number slow)"
}
for try in 1 2 3; do
	even=$(spread)
	[ "$even" = '4 quarters of some 0' ] && break
done
is "ordinary calls are spread, in try $try" "$even" '4 quarters of some 0'

# A call that comes right behind a slow one has no better chance than others. One in 36 does.
if [ "$KERNEL_METHODS" ]; then
	measure vfs_read -m "${KERNEL_METHODS%% *}" --comm why --slower 4ms -- "$PROGRAM" after 4003
	grep '"slow":false' "$tmp/calls" | values arg2 | awk -F, '
		$1 == 1 { usual++ }
		$1 == 3 { after++ }
		END { print (usual >= 30 ? "some" : usual + 0), (after <= usual / 5 ? "few" : after + 0) }' >"$tmp/after"
	is 'ordinary calls: those behind slow ones are few' "$(cat "$tmp/after")" 'some few'
fi

# More records than there is room for: what is not kept is counted.
# Their record is large: none of them is looked at.
kstats-bpf why -q -f line --record "$tmp/rec" -o "$tmp/out" "u:$PROGRAM:call" --slower 1ns -- "$PROGRAM" quick 20011
sed 's/.*"why"://; s/"stacks":.*"lost":/"lost":/' "$tmp/rec" >"$tmp/why"
n=$(tr '{' '\n' <"$tmp/rec" | grep -c '^"start_ns"')
is 'too many: each call is counted' "$(number calls) $(number slow)" '20011 20011'
is 'too many: those that are not kept are told' "$(($(told 'slow calls') + n))" 20011
is 'too many: some are kept' "$((n >= 1000 && n < 20011))" 1

# What cannot be looked at.
refused() { # ARGUMENT...
	kstats-bpf why "$@" 2>&1
}
has 'several functions' "$(refused "u:$PROGRAM:call" "u:$PROGRAM:burns")" 'cannot look at 2 functions: .*--merge'
has 'values' "$(refused vfs_read --value ret)" 'cannot use --value with why'
has 'a parameter that is gone' "$(refused "u:$PROGRAM:call" --show arg0)" "cannot use 'arg0' for --show: .*"
has 'a stack' "$(refused vfs_read --show kstack)" "cannot use 'kstack' for --show: .*kept anyway"
has 'direct' "$(refused vfs_read -m direct)" 'cannot use --method direct with why'
plan
