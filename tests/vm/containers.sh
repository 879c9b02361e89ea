# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Measures from inside namespaces, and measures commands that enter namespaces. Runs as
# root, in a guest or on this machine; prints TAP. Comes in: TAP, KSTATS (the program),
# TASKS (built from tasks.c), CHILDREN (how many a command has), and ROOT, a container's,
# where there is podman, with its RUNTIMES; WHOLE, if nothing is left out, as on this machine.
# Called by containers-run.

# Several words in one variable, and scripts for another shell.
# shellcheck disable=SC2086,SC2046,SC2016

# shellcheck source=tests/tap.sh
. "$TAP"
unshare=/usr/bin/unshare # not busybox's, which knows less
tmp=$(mktemp -d) || exit 1
mkfifo "$tmp/go" "$tmp/done"
n=$CHILDREN

# In a guest this counts the calls of a function that nobody else calls. This machine may
# refuse that, so here it counts all system calls: a task ends inside its last one, and so
# does the command itself.
if [ "${ROOT-}" ]; then
	calls=__x64_sys_getpgid
	sleeps='-m fentry __x64_sys_clock_nanosleep'
	words='started recorded lost balance' all="$n $n 0 0 " none='0 0 0 0 ' more=0
else
	calls='--start tp:raw_syscalls:sys_enter --end tp:raw_syscalls:sys_exit -n P'
	sleeps=$calls
	words='task_gone lost balance' all="$((n + 1)) 0 0 " none='0 0 0 ' more=10
fi
trace="$KSTATS trace -q --max-loss 0 -f json $calls"

# Puts the words and numbers of the ledger on one line.
of() { # WORD... < JSON
	sed 's/[,{]/\n/g' >"$tmp/json"
	for word; do
		sed -n "s/^\"$word\":\\([0-9-]*\\).*/\\1/p" "$tmp/json" | head -n 1
	done | tr '\n' ' '
}

# ---- a command whose children all have the same process number ---- [7]
for ns in '' ${WHOLE:+-p -pm -C -muin} -pmuinC; do
	enter=${ns:+$unshare -f $ns}
	case $ns in
	-pm*) enter="$enter --mount-proc" ;;
	esac
	out=$($enter $trace -- "$TASKS" same $n)
	is "children with one number: all are followed${ns:+, under unshare $ns}" \
		"$? $(echo "$out" | of $words)" "0 $all"
done
out=$($trace -- $unshare -U -r -p -f "$TASKS" same $n)
is 'in a user namespace of their own' "$? $(echo "$out" | of $words)" \
	"0 $(echo "$all" | sed "s/^$((n + 1)) /$((n + 2)) /")"

# ---- children that are made at once ---- [6.1]
# On one CPU, so that their parents preempt each other. Kprobes lose no call by that.
if [ "${ROOT-}" ]; then
	out=$($KSTATS trace -q --max-loss 0 -f json -m kprobe $calls -- taskset 1 sh -c \
		'for i in 1 2 3 4 5 6; do "$1" same "$2" & done; wait' sh "$TASKS" $n)
	is 'of six tasks at once: all are followed' "$? $(echo "$out" | of $words)" \
		"0 $((6 * n)) $((6 * n)) 0 0 "
fi

# ---- calls in flight of tasks outside ---- [6.1 7]
# There are more tasks than task slots, so that more calls are open than the slots hold.
# Calls that the kernel skips are not counted as in flight. Where it skips ends, as from 7 on, as
# many open calls are told as ended unseen, so both are counted there.
cpus=$(($(sed 's/.*-//' /sys/devices/system/cpu/possible) + 1)) slots=64
while [ $slots -lt $((cpus * 64)) ]; do slots=$((slots * 2)); done
"$TASKS" crowd $((slots * 2)) "$tmp/crowd" &
crowd=$!
until [ -e "$tmp/crowd" ] || ! kill -0 $crowd; do sleep 0.1; done
case $(uname -r) in
7.*) missed=1 spaces=${WHOLE:+-p -pm} ;;
*) missed=0 spaces='-p -pm' ;;
esac
for ns in '' $spaces; do
	enter=${ns:+$unshare -f $ns}
	case $ns in
	-pm) enter="$enter --mount-proc" ;;
	esac
	out=$($enter $KSTATS trace -q -f json $sleeps -d 3)
	set -- $? $(echo "$out" | of in_flight end_missed balance)
	is "what others have open is counted${ns:+, under unshare $ns}" \
		"$1 $((${2:-0} + missed * ${3:-0} > slots)) $4" '0 1 0'
done
kill $crowd
wait $crowd 2>/dev/null

# ---- numbers ---- [7]
for option in -p -t; do
	for ns in ${WHOLE:+'' -p} -pm; do
		enter=${ns:+$unshare -f $ns}
		case $ns in
		-pm) enter="$enter --mount-proc" ;;
		esac
		rm -f "$tmp/ready"
		out=$($enter sh -c '"$1" calls "$2" "$3/ready" "$3/go" "$3/done" &
			trap "kill $! 2>/dev/null" EXIT
			until [ -e "$3/ready" ] || ! kill -0 $!; do sleep 0.1; done
			$4 -a "$5" $! -- sh -c ": >\"$3/go\"; cat \"$3/done\""' \
			sh "$TASKS" $n "$tmp" "$trace" $option)
		set -- $? $(echo "$out" | of recorded lost balance)
		is "$option${ns:+ under unshare $ns}: the calls of that one" \
			"$1 $((${2:-0} >= n && ${2:-0} <= n + more)) $3 $4" '0 1 0 0'
	done
	err=$($unshare -f -p $trace $option 999999 -d 0.1 2>&1)
	is "$option: a number that is nobody's in a namespace: status" $? 2
	has 'and why' "$err" 'no such task.*--cgroup'
done

# ---- groups ---- [6.1]
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
top=$root/kstats-test-$$
mkdir -p "$top/a/b" "$tmp/cgroup"
for group in "$top" ${WHOLE:+"$top/a"} "$top/a/b"; do
	out=$($trace -a -c "$group" -- sh -c 'echo $$ >"$1/cgroup.procs"; exec "$2" same "$3"' \
		sh "$top/a/b" "$TASKS" $n)
	is "--cgroup, ${group#"$root"/}: all of it and below" \
		"$? $(echo "$out" | of $words)" "0 $all"
done
out=$($trace -a -c "$top/a/b" -- sh -c "echo \$\$ >'$top/a/cgroup.procs'; exec '$TASKS' same $n")
is '--cgroup: nothing of what is above' "$? $(echo "$out" | of $words)" "0 $none"
out=$(sh -c 'echo $$ >"$1/a/cgroup.procs"; exec /usr/bin/unshare -C -m sh -c "$2" sh "$3" "$4" "$5" "$6"' sh \
	"$top" 'mount -t cgroup2 none "$1" && $2 -a -c "$1/b" -- \
		sh -c "echo \$\$ >\"$1/b/cgroup.procs\"; exec \"$3\" same $4"' \
	"$tmp/cgroup" "$trace" "$TASKS" $n)
is '--cgroup, in a cgroup namespace' "$? $(echo "$out" | of $words)" "0 $all"
out=$(sh -c 'echo $$ >"$1/a/cgroup.procs"; exec /usr/bin/unshare -C -m sh -c "$2" sh "$3" "$4" "$5" "$6"' sh \
	"$top" 'mount -t cgroup2 none "$1" && $2 -a -c "$1" -- "$3" same $4' \
	"$tmp/cgroup" "$trace" "$TASKS" $n)
is '--cgroup, and its root' "$? $(echo "$out" | of $words)" "0 $all"
mount -t cgroup2 none "$tmp/cgroup"
out=$($trace -a -c "$tmp/cgroup/${top##*/}/a" -- \
	sh -c "echo \$\$ >'$top/a/cgroup.procs'; exec '$TASKS' same $n")
is '--cgroup, mounted elsewhere' "$? $(echo "$out" | of $words)" "0 $all"
err=$($trace -c "$tmp/cgroup" -d 0.1 2>&1)
is '--cgroup: the root' $? 2
has 'and why' "$err" 'every task is below it'
err=$($trace -c "$tmp" -d 0.1 2>&1)
is '--cgroup: no group' $? 2
has 'and why' "$err" 'cgroup version 2'
err=$($trace -c "$tmp/go/nothing" -d 0.1 2>&1)
is '--cgroup: not there' $? 2
umount "$tmp/cgroup"
rmdir "$top/a/b" "$top/a" "$top"

# ---- inside a user namespace ---- [7]
err=$($unshare -U -r $trace -d 0.1 2>&1)
is 'in a user namespace: status' $? 4
has 'and why' "$err" 'user namespace.*do not count'
has 'as doctor says' "$($unshare -U -r "$KSTATS" doctor 2>&1)" 'privileges +no +.*user namespace'

# ---- a container ---- [7]
if [ "${ROOT-}" ]; then
	inside() { # OPTION... -- WORD...
		options=
		while [ "$1" != -- ]; do
			options="$options $1"
			shift
		done
		shift
		podman --storage-driver vfs --runtime "$runtime" run --rm --net none $options \
			--rootfs "$ROOT" "$@"
	}
	trace="kstats-bpf trace -q --max-loss 0 -f json $calls"
	for runtime in $RUNTIMES; do
		for grant in '--cap-add SYS_ADMIN' \
			'--cap-add BPF,PERFMON,CHECKPOINT_RESTORE --security-opt seccomp=unconfined' \
			${WHOLE:+--privileged}; do
			# Both in one: a container takes the guest longer than what runs in it.
			inside $grant -- sh -c "$trace -- tasks same $n; echo status \$?; kstats-bpf trace -q -f json \
				--start tp:raw_syscalls:sys_enter --end tp:raw_syscalls:sys_exit -d 1; echo status \$?" \
				>"$tmp/both"
			is "podman with $runtime $grant: the children of a command" \
				"$(sed -n 's/^status //p' "$tmp/both" | head -n 1) $(sed '/^status/,$d' "$tmp/both" | of $words)" "0 $all"
			is "podman with $runtime $grant: everybody, by tracepoints" \
				"$(sed -n 's/^status //p' "$tmp/both" | tail -n 1) $(sed '1,/^status/d' "$tmp/both" | of balance)" '0 0 '
		done
		err=$(inside -- $trace -d 0.1 2>&1)
		is "podman with $runtime and nothing granted: status" $? 4
		has 'and why' "$err" 'lacks CAP_BPF and CAP_PERFMON'
		err=$(inside --cap-add BPF,PERFMON -- $trace -d 0.1 2>&1)
		is "podman with $runtime and its own seccomp filter: status" $? 4
		has 'and why' "$err" 'a seccomp filter forbids it'
	done
fi

# ---- at the end ----
rm -r "$tmp"
plan
