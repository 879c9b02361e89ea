# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# --by kstack, ustack and caller: one function is called by two known paths, itself, and an
# interrupt, so often and no more. Runs inside a guest, as root. Comes in: KO, the module
# kstats_target, METHODS, PAGE, docs/stacks.md, and WHOLE, if nothing is left out. Prints TAP. Called
# by stacks-run.

[ -d /.vm ] || exit 1 # a guest
dir=/sys/kernel/debug/kstats_target
# shellcheck source=tests/tap.sh
. "$TAP"
insmod "$KO"

trace() { # OPTION... -- COMMAND: lines "NAMES COUNT", the innermost function last
	kstats-bpf trace -q -f json "$@" 2>/tmp/err | tr '\n' ' ' | sed 's/{"name":/\n&/g' |
		sed -nE 's/,"sum_ns":.*//; s/.*"by":\{"[a-z]+":"([^"]*)"\}.*"samples":([0-9]+)$/\1 \2/p' | sort
}

for method in $METHODS; do
	paths="echo 1009 >$dir/empty; echo 503 1000 >$dir/gap"
	is "$method: each caller has its calls" \
		"$(trace kt_empty -m "$method" --by caller -- sh -c "$paths" | sed 's/+0x[0-9a-f]*//')" \
		'op_empty [kstats_target] 1009
op_gap [kstats_target] 503'
	is "$method: a function that calls itself is once more in each stack" \
		"$(trace kt_recurse -m "$method" --by kstack -- sh -c "echo 97 3 0 >$dir/recurse" |
			sed -E 's/.*op_recurse \[kstats_target\]//; s/ \[kstats_target\]//g' | sort)" \
		' 97
;kt_recurse 97
;kt_recurse;kt_recurse 97'
	[ "$WHOLE" ] || [ "$method" = "${METHODS%% *}" ] || continue
	is "$method: each stack has its calls" \
		"$(trace kt_empty -m "$method" --by kstack -- sh -c "$paths" | sed -E 's/.*full_proxy_write;//')" \
		'op_write [kstats_target];op_empty [kstats_target] 1009
op_write [kstats_target];op_gap [kstats_target] 503'
done

kstats-bpf trace -q --record /tmp/r -f folded kt_empty --by comm,kstack -- sh -c "$paths" >/tmp/folded
is 'other parts of a key stand beside a stack' "$(sed -E 's/;.*(;op_)/\1/; s/[0-9]+$/N/' /tmp/folded | sort | tr '\n' ' ')" \
	'sh;op_empty [kstats_target];kt_empty N sh;op_gap [kstats_target];kt_empty N '
# Each line is a whole number of ns.
total=$(kstats-bpf report /tmp/r -f csv | sed 's/"[^"]*"/-/g' | awk -F, '$3 == "key" && $5 == "all" { n += $10 } END { print n }')
is 'folded lines add up to the total' "$(awk -v total="$total" '
	{ n += $NF }
	END { print NR, (n > 0 && n - total <= NR && total - n <= NR) }' /tmp/folded)" '2 1'
is 'a task of the kernel has no program' \
	"$(trace -a kt_block --by ustack -- sh -c "echo 3 >$dir/block; echo 0 >$dir/unblock")" '[no program] 3'
is 'a program that has ended is named' \
	"$(trace kt_empty --by ustack -- sh -c "echo 3 >$dir/empty" | grep -c '\[busybox+0x.* 3$')" 1
kstats-bpf trace -q -f json vfs_read --value 1 --by 'file->f_op,file' -- cat /proc/self/status >/tmp/named
is 'a pointer to a variable of the kernel has its name, another one has none' \
	"$(tr '{' '\n' </tmp/named | grep -c '"f_op":"proc_single_file_operations","file":"0xffff[0-9a-f]*"')" 1
is 'and its address as a number' \
	"$(grep -o '"by_number":{"f_op":"0x[0-9a-f]*"' /tmp/named | sed 's/.*0x\(.*\)"/\1/')" \
	"$(grep -m 1 ' proc_single_file_operations$' /proc/kallsyms | cut -d ' ' -f 1)"
# Reading the file has a work done on each processor, and waits for them.
is 'a pointer to a function has its name' \
	"$(kstats-bpf trace -q -f json -a --start tp:workqueue_execute_start --end tp:workqueue_execute_end \
		--key work --by function -- cat /proc/sys/vm/stat_refresh | tr '{' '\n' |
		sed -n 's/.*"by_function":"\(refresh_vm_stats\)".*/\1/p' | wc -l)" 1
is 'stacks beyond the limit are counted together' \
	"$(kstats-bpf trace -q kt_recurse --by kstack --limit keys=2 -- sh -c "echo 5 7 0 >$dir/recurse" |
		grep -oE 'other: [0-9]+ samples|35 started = 35 recorded|.*dropped.*|.*not kept.*' | tr '\n' ' ')" \
	'other: 25 samples 35 started = 35 recorded '
has 'a stack is no number' "$(kstats-bpf trace kt_empty --if 'kstack == 1' 2>&1)" \
	'it is no number: it can only be all of a part of --by'
has 'a tracepoint has no caller' "$(kstats-bpf trace tp:sched_switch --value 1 --by caller 2>&1)" \
	"'sched_switch' has no caller for --by"
has 'a node keeps no stacks' "$(kstats-bpf node add n kt_empty --by kstack 2>&1)" \
	'cannot add .n. with a stack or caller in --by'
rmmod kstats_target

# The lines of the page that need a kernel which allows them: by default those that leave files.
[ "$WHOLE" ] && lines=5 which=. || lines=2 which=' -o '
sed -n 's/^    sudo \(kstats-bpf .*\)/\1/p' "$PAGE" | grep -- "$which" | sed 's/-d [0-9]*/-d 0.4/' >/tmp/lines
cd /tmp || exit 1
n=0
while read -r line; do
	n=$((n + 1))
	eval "$line" >/tmp/out 2>/tmp/err </dev/null
	is "the page: ${line#kstats-bpf }" "$? $(grep -c '^kstats-bpf: cannot' /tmp/err)" '0 0'
done </tmp/lines
is 'the page has such lines, which leave files' "$n $(grep -c ';vfs_read ' reads.folded | sed 's/[1-9].*/some/') \
$(grep -c 'class="chart flames' reads.html)" "$lines some 1"
plan
