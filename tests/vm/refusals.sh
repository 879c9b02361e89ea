# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Each bpf(2) and perf_event_open(2) of a command fails once, and some of its allocations: it says
# so, or gives the right result without; and nothing is left. Runs as root, in a guest or on this
# machine, with a BPF file system of its own. Needs kstats-bpf in PATH; FOLDER has refuse.so and
# the program uprobes; SESSIONS are those that work here; ERRORS, how many errors each call gets;
# MEMORY, how many allocations of each command fail; STEP, which of its calls: each one, or one in
# so many, others of each command; FORMATS, those of a report whose allocations fail. Prints TAP.
# Called by refusals-run.

# shellcheck source=tests/tap.sh
. "$TAP"
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
pins=/sys/fs/bpf/kstats
events=/sys/kernel/tracing
[ -e $events/uprobe_events ] || events=/sys/kernel/debug/tracing
mkdir "$tmp/files"

# EPERM, ENOMEM, EINVAL, EAGAIN, EINTR, EMFILE, ENOSPC
numbers='1 12 22 11 4 24 28'

command() { # SESSION: what fails
	case $1 in
	points) set -- trace -f json -o "$tmp/files/out" --start tp:sched:sched_process_exec \
		--end tp:sched:sched_process_exit -- sh -c : ;;
	program) set -- trace --throws -f json -o "$tmp/files/out" "u:$FOLDER/uprobes:up_after" -- \
		"$FOLDER/uprobes" after ;;
	parts) set -- trace --throws --parts -f json -o "$tmp/files/out" "u:$FOLDER/uprobes:up_after" -- \
		"$FOLDER/uprobes" after ;;
	via) set -- trace -f json -o "$tmp/files/out" --start tp:task:task_rename --via tp:sched:sched_process_exec \
		--end tp:sched:sched_process_exit -- sh -c : ;;
	why) set -- why --throws -f json -o "$tmp/files/out" "u:$FOLDER/uprobes:up_after" -- "$FOLDER/uprobes" after ;;
	top) set -- top --throws --frames 1 -i 0.1 "u:$FOLDER/uprobes:up_after" ;;
	callees) set -- trace --callees -f json -o "$tmp/files/out" vfs_statfs -- stat -f / ;;
	calibrate) set -- calibrate -q --json -m fentry ;;
	function) set -- trace -f json -o "$tmp/files/out" vfs_statfs -- stat -f / ;;
	direct) set -- trace -m direct -f json -o "$tmp/files/out" vfs_getattr -- stat / ;;
	kmem) set -- kmem -f json -o "$tmp/files/out" -d 5ms ;;
	lifetime) set -- kmem --lifetime -f json -o "$tmp/files/out" -d 5ms ;;
	add) set -- node add fresh --start tp:sched:sched_process_exec --end tp:sched:sched_process_exit ;;
	add-kmem) set -- node add --kmem fresh ;;
	show) set -- node show kept ;;
	ls) set -- node ls ;;
	reset) set -- node reset kept ;;
	stop) set -- node stop kept ;;
	rm) set -- node rm kept ;;
	esac
	timeout 100 env LD_PRELOAD="$FOLDER/refuse.so" REFUSE_COUNT="$tmp/count" TMPDIR="$tmp/files" \
		REFUSE_WHAT="$what" REFUSE_AT="$at" REFUSE_WITH="$with" \
		kstats-bpf "$@" >"$tmp/said" 2>"$tmp/err"
}

# What a command must find, and what it may leave.
prepare() { # SESSION
	rm -f "$tmp/files/out"
	case $1 in
	show | ls | reset | stop | rm)
		[ -e $pins/kept ] || kstats-bpf node add kept --start tp:sched:sched_process_exec \
			--end tp:sched:sched_process_exit >/dev/null 2>&1 ;;
	esac
}

left() { # SESSION STATUS: prints what should not be there
	find "$tmp/files" -type f ! -name out
	[ "$2" = 0 ] || find "$tmp/files" -name out
	[ "$1 $2" != 'rm 0' ] || find $pins -mindepth 1 2>/dev/null
	[ "$1" != calibrate ] || find /run/kstats-bpf -type f ! -name calibration.json ! -name lock ! -name told
	case $1 in
	show | ls | reset | stop | rm) kstats-bpf node ls 2>/dev/null | grep -v '^NAME' | awk 'NF && $1 != "kept" { print $1 }' ;;
	add*)
		[ "$2" = 0 ] && kstats-bpf node rm fresh >/dev/null 2>&1
		find $pins -mindepth 1 2>/dev/null
		;;
	*) find $pins -mindepth 1 2>/dev/null ;;
	esac
	grep -h kstats $events/uprobe_events $events/kprobe_events 2>/dev/null
}

# Of a result, what does not depend on the moment.
result_of() { # SESSION
	case $1 in
	top | calibrate | kmem | lifetime | add* | show | ls | reset | stop | rm) ;;
	*) grep -o '"recorded":[0-9]*' "$tmp/files/out" ;;
	esac
}

judge() { # SESSION STATUS: prints what is wrong
	if [ "$2" -ge 124 ]; then
		echo "status $2"
	elif [ "$2" = 0 ]; then
		[ "$(result_of "$1")" = "$right" ] || echo "another result: $(result_of "$1")"
	elif ! grep -qE '^kstats-bpf: .{20}' "$tmp/err"; then
		echo "status $2 without a sentence"
	fi
	grep -E 'Success|rror 0|\(null\)|nknown error' "$tmp/err" | head -n 1
	left "$1" "$2" | sed 's/^/left: /'
}

try() { # SESSION: with what, at and with
	prepare "$1"
	command "$1"
	status=$?
	[ $status = 0 ] || errors=$((errors + 1))
	bad=$(judge "$1" $status)
	[ ! "$bad" ] || {
		wrong=$((wrong + 1))
		[ $wrong -gt 12 ] || echo "$what $at of $1 fails with $with: $(echo "$bad" | head -n 3 | tr '\n' ' ')" \
			"($(tail -n 1 "$tmp/err"))" | sed 's/^/# /'
	}
}

count() { # SESSION WHAT: how many such calls there are, if none fails
	what=$2 at=0 with=0
	prepare "$1"
	command "$1"
	status=$?
	right=$(result_of "$1")
	bad=$(judge "$1" $status)
	[ $status = 0 ] || bad="status $status: $(tail -n 1 "$tmp/err") $bad"
	n=$(cat "$tmp/count")
	is "$1: nothing fails, and calls are counted" "$bad$([ "$n" -gt 5 ] || echo "$n calls")" ''
}

each_call() { # SESSION
	count "$1" kernel
	wrong=0 errors=0 at=$FIRST
	# Commands load alike: each begins one call later than the one before.
	FIRST=$((FIRST % STEP + 1))
	while [ $at -le "$n" ]; do
		k=0
		# shellcheck disable=SC2153 # refusals-run sets it
		while [ $k -lt "$ERRORS" ]; do
			with=$(echo "$numbers" | cut -d ' ' -f $(((at + k) % 7 + 1)))
			try "$1"
			k=$((k + 1))
		done
		at=$((at + STEP))
	done
	echo "# $1: $n calls, $errors errors"
	is "$1: $([ "$STEP" = 1 ] && echo each || echo "one in $STEP") of its calls into the kernel fails" "$wrong" 0
}

# Some, evenly among all.
some_memory() { # SESSION
	count "$1" memory
	wrong=0 errors=0 k=1
	while [ $k -le "$MEMORY" ]; do
		at=$((n * k / MEMORY))
		try "$1"
		k=$((k + 1))
	done
	echo "# $1: $n allocations, $errors errors"
	is "$1: $MEMORY of its allocations fail" "$wrong" 0
}

# Reading a recording asks the kernel for little, and memory for each word.
format() { # FORMAT: some of its allocations fail
	what=memory at=0 with=0 wrong=0 errors=0 k=1
	shown "$1"
	status=$?
	n=$(cat "$tmp/count")
	is "report -f $1: nothing fails, and allocations are counted" "$status $((n > 100))" '0 1'
	cp "$tmp/said" "$tmp/right"
	while [ $k -le $((8 * MEMORY)) ]; do
		at=$((n * k / (8 * MEMORY)))
		shown "$1"
		status=$?
		if [ $status -ge 124 ] || { [ $status = 0 ] && ! cmp -s "$tmp/said" "$tmp/right"; } ||
			{ [ $status != 0 ] && ! grep -qE '^kstats-bpf: .{20}' "$tmp/err"; }; then
			wrong=$((wrong + 1))
			echo "# allocation $at of report -f $1 fails: status $status ($(tail -n 1 "$tmp/err"))"
		fi
		[ $status = 0 ] || errors=$((errors + 1))
		k=$((k + 1))
	done
	echo "# $1: $n allocations, $errors errors"
	is "report -f $1: $((8 * MEMORY)) of its allocations fail" "$wrong $((errors > 0))" '0 1'
}

shown() { # FORMAT
	timeout 100 env LD_PRELOAD="$FOLDER/refuse.so" REFUSE_COUNT="$tmp/count" REFUSE_WHAT="$what" \
		REFUSE_AT="$at" REFUSE_WITH="$with" kstats-bpf report "$tmp/rec" -f "$1" >"$tmp/said" 2>"$tmp/err"
}

FIRST=1
for session in $SESSIONS; do
	each_call "$session"
	[ "$MEMORY" = 0 ] || some_memory "$session"
done
if [ "$FORMATS" ]; then
	kstats-bpf why -q --throws --record "$tmp/rec" "u:$FOLDER/uprobes:up_after" -- "$FOLDER/uprobes" after >"$tmp/said" 2>&1
fi
for format in $FORMATS; do
	format "$format"
done
kstats-bpf node rm --all >/dev/null 2>&1
is 'nothing is pinned' "$(find $pins -mindepth 1 2>/dev/null)" ''
plan
