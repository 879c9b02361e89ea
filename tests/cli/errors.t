#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Everything wrong that a user can type: exit status 2 (4 where the kernel is to
# blame), nothing on standard output, and one sentence that names what and says
# what next. None of these loads anything. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
prog=.output/kstats-bpf
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

wrong() { # STATUS PATTERN WORDS...
	local want=$1 pattern=$2 status why='' err
	shift 2
	n=$((n + 1))
	"$prog" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	IFS='' read -rd '' err <"$tmp/err"
	[ "$status" = "$want" ] || why="exit status $status, expected $want"
	[ -s "$tmp/out" ] && why="$why; something on standard output"
	[[ $err = *$'\n' && $err != *$'\n'*$'\n' ]] || why="$why; not one line of error"
	[[ $err = 'kstats-bpf: '* ]] || why="$why; not ours"
	[[ ${err%$'\n'} =~ $pattern ]] || why="$why; no '$pattern' in: $err"
	if [ -z "$why" ]; then
		echo "ok $n - $*"
	else
		echo "not ok $n - $*: $why"
	fi
}

wrong 2 "'trece'.*did you mean trace.*--help" trece
wrong 2 "'node lst'.*did you mean ls.*node --help" node lst
wrong 2 "'vfs_read'.*write 'kstats-bpf trace vfs_read'" vfs_read
wrong 2 "write 'kstats-bpf trace \"tcp_\*\"'" 'tcp_*'
wrong 2 "write 'kstats-bpf trace u:libc:malloc'" u:libc:malloc
wrong 2 'write .kstats-bpf trace tp:sched:sched_switch --value 1' tp:sched:sched_switch
wrong 2 "no such verb; see 'kstats-bpf --help'" 'x; y'
wrong 2 "write 'kstats-bpf trace @runqlat'" @runqlat
wrong 2 "write 'kstats-bpf trace usdt:./x:y --value 1' to count" usdt:./x:y
wrong 2 "write 'kstats-bpf trace @offcpu'" offcputime
wrong 2 'the verb comes first' -d 5 vfs_read
wrong 2 'cannot show a screen: standard (in|out)put is no terminal; use .kstats-bpf trace -i 1' top
wrong 2 "write 'kstats-bpf trace @runqlat'" runqlat
wrong 2 "write 'kstats-bpf node add'" add
wrong 2 "write 'kstats-bpf node rm'" node delete
wrong 2 "write 'kstats-bpf trace __(x64|arm64)_sys_read'" trace tp:syscalls:sys_enter_read
wrong 2 'did you mean __(x64|arm64)_sys_read, or' \
	trace --start tp:syscalls:sys_enter_read --end tp:syscalls:sys_exit_read
wrong 2 'nothing to trace.*vfs_read' trace
wrong 2 "option '--frobnicate'.*trace --help" trace --frobnicate
wrong 2 'value is missing' trace vfs_read -d
# Words that have become others.
old() { # WORDS NEXT: each of the words is answered by the same
	local option verb=trace
	[ $# = 2 ] || verb=$3
	for option in $1; do wrong 2 "wrong option '$option': there is none of that name; write $2" "$verb" "$option"; done
}
old --ret "--if 'ret < 0'"
old --min-duration "--if 'duration >= 10us'"
old --split-ret "--by 'ret < 0'"
wrong 2 'from 0 to 5' trace vfs_read -b 6
wrong 2 'from 0 to 5' trace vfs_read -b x
wrong 2 "'vfs_raed'.*did you mean vfs_read" trace vfs_raed
wrong 2 'mean __x64_sys_openat, or .*tp:sys_enter and tp:sys_exit' trace openat
wrong 2 'mean __x64_sys_openat, or ' list sys_openat
wrong 2 'module is not loaded' trace nosuchmodule:foo
wrong 2 'a tracepoint is tp:' trace --start sched:sched_wakeup --end tp:sched:sched_switch
wrong 2 "no function matches|no tracepoint" trace 'zzz_no_such_*'
wrong 2 'did you mean sched_switch' trace --start tp:sched:sched_swich --end tp:sched_wakeup
wrong 2 'add --end' trace --start vfs_read
wrong 2 'add --start' trace --end vfs_read
wrong 2 'from 1 to 1000' trace vfs_read --runs 0 -- true
wrong 2 'nothing to do with them.*--record' trace vfs_read --runs 3 -- true
for range in 40..6 6.. ..6 6..1001 6...40 6-40 99999999999999999..6; do
	wrong 2 "cannot use '$range' for --runs: it is a number from 1 to 1000, or two of them like 6..40" \
		trace vfs_read --runs "$range" --vs true --max-increase p99=5% -- true
done
wrong 2 'cannot use --runs 6..401: a range ends at 400 at most' \
	trace vfs_read --runs 6..401 --vs true --max-increase p99=5% -- true
wrong 2 'would not end.*--duration' trace vfs_read --runs 3 --assert 'count>0'
wrong 2 'would not end.*--duration' trace vfs_read --assert 'count>0'
wrong 2 'has no comparison' trace vfs_read --assert p99 -- true
wrong 2 'has no comparison' trace no_such_function --dry-run --assert p99 -- true
wrong 2 'nothing to compare with.*--vs' trace vfs_read --runs 3 --max-increase p99=5% -- true
wrong 2 'does not show how much runs differ.*--runs 6' trace vfs_read --vs true --max-increase p99=5% -- true
wrong 2 'no rule compares with it.*--max-increase' \
	trace vfs_read --runs 3 --vs true --assert 'count>0' -- true
wrong 2 'no command to compare' trace vfs_read --runs 3 --vs true --max-increase p99=5% -d 1
wrong 2 'there is no rule.*--assert' trace vfs_read --inconclusive=pass -- true
wrong 2 'has no such format.*junit' trace vfs_read --runs 3 --assert 'count>0' -f hgrm -- true
wrong 2 'pass or fail' trace vfs_read --assert 'count>0' --inconclusive=maybe -- true
wrong 2 'from 50 to 99.99' trace vfs_read --assert 'count>0' --confidence 7 -- true
wrong 2 'from 50 to 99.99' trace --confidence 100
wrong 2 'from 0 to 100' trace --max-loss 101%
wrong 2 'pass or fail' trace --inconclusive maybe
wrong 2 'folder in one that you may write to' \
	trace vfs_read --runs 3 --record /nonexistent/x -- true
wrong 2 "cannot use 'm:9x': markers have names like variables in C" trace m:9x
wrong 2 'cannot use --if with markers: programs record every sample, without its task' trace m:x --if 'pid == 1'
wrong 2 'cannot use filters of tasks with markers: it is not known which task a sample came from' trace m:x -p 1
wrong 2 'cannot combine m:NAME with a function: one run measures markers or' trace m:x vfs_read
wrong 2 'cannot use m:NAME as a point: programs tell the duration between' trace --start m:x --end m:y
wrong 2 'no duration of its own; measure between two points with --start and --end$' why tp:sched:sched_switch
wrong 2 "write 'kstats-bpf why __(x64|arm64)_sys_read'" why tp:syscalls:sys_enter_read
wrong 2 '--key: .*a number is needed; join start and end by a number, such as tid' \
	trace --start tp:sched_switch --end tp:sched_switch --key comm --dry-run
wrong 2 'cannot use m:NAME with why: programs record no single calls' why m:x
wrong 2 'no such format; it is one of summary json csv html perfetto$' why vfs_read -f none
wrong 2 'cannot combine --key cpu with values of the start: an interrupt may' \
	trace --key cpu --start tp:sys_enter --end tp:sys_exit --by start.id --dry-run
wrong 2 "cannot keep 'start.ret' of 'sched_kthread_stop_ret': its type is another" \
	trace --start tp:sys_exit --start tp:sched_kthread_stop_ret --end tp:sys_enter --value start.ret --dry-run
wrong 2 '--start and --end with a target' trace vfs_read --start a --end b
wrong 2 'it is the second point' trace tp:a tp:b --value 1
wrong 2 'no duration of its own.*--start' trace tp:sched:sched_switch
wrong 2 'not the name' trace 'vfs read'
wrong 2 'not the name' trace ''
wrong 2 'it is there twice' trace --start a --end b --key cpu --key arg0
wrong 2 '--key cpu with keys of points' trace --start 'a[x]' --end 'b[y]' --key cpu
wrong 2 'write --key cpu' trace vfs_read --per-cpu
wrong 2 'write --limit overhead=PERCENT' trace vfs_read --max-overhead 1
wrong 2 'write --max-increase' check a -m p50=5%
wrong 2 '--key with a target' trace vfs_read --key arg0
wrong 2 'arg0 to arg5' trace --start a --end b --key 0
wrong 2 '--merge with a pair' trace --start a --end b --merge
wrong 2 '--quiet with --verbose' trace vfs_read -q -v
wrong 2 'fewer arguments' trace --start vfs_read --end vfs_write --key arg5
wrong 2 'column 9: an operand is missing' trace vfs_read --if 'count &&'
wrong 2 'column 1: an operand is missing' trace vfs_read --if ''
wrong 2 'it is there twice' trace vfs_read --if 'count' --if 'pos'
wrong 2 'column 1: vfs_read has no parameter cuont, and there is no constant of that name; did you mean count' \
	trace vfs_read --if 'cuont > 1'
wrong 2 'column 7: struct file has no f_flag; did you mean f_flags' \
	trace vfs_read --if 'file->f_flag & 1'
wrong 2 'write -> in place of' trace vfs_read --if 'file.f_flags'
wrong 2 'is a pointer .struct file .., and a number is needed' \
	trace vfs_read --if 'file + 1'
wrong 2 'parameters cannot be read at this point' trace vfs_read --if 'ret < count'
wrong 2 'there is no return value at this point' trace --start vfs_read --end vfs_write --if 'ret'
wrong 2 'this is const struct path, and a number is needed' trace vfs_read --if 'file->f_path'
wrong 2 "wrong option '--if': its value is missing" trace vfs_read --if --dry-run
wrong 2 'for the tracepoint of that name write tp:sched_switch' trace sched_switch --value 1
wrong 2 "write 'kstats-bpf why FUNCTION -f perfetto'" trace vfs_read -f perfetto
wrong 2 "write 'kstats-bpf why FUNCTION --show EXPR'" trace vfs_read --show count
wrong 2 'the limits are functions, keys, memory and overhead' trace vfs_read --limit overheads=1
wrong 2 'this is a string, and a number is needed' trace vfs_read --if comm
wrong 2 'the kernel has no type struct nothing' trace vfs_read --if '((struct nothing *)file)->x'
wrong 2 'vfs_read has 4 parameters' trace vfs_read --if arg4
wrong 2 'fput returns nothing' trace fput --if 'ret == 0'
wrong 4 'parameters after the sixth are on the stack' trace do_mmap -m kprobe --if populate
wrong 2 'name the point without it' trace --at vfs_read
wrong 2 "combine 'b' with a function" trace vfs_read tp:b --value count
wrong 2 'with --start' trace --start a --end b tp:c --value 1
wrong 2 'with --key cpu' trace tp:a --key cpu --value count
wrong 2 '--value.*it is there twice' trace vfs_read --value ret --value count
wrong 2 'column 7: an operand is missing' trace vfs_read --value 'ret + '
wrong 2 '--value with --gap' trace vfs_read --value ret --gap
wrong 2 '--value with --floor' trace vfs_read --value ret --floor measure
wrong 2 '--value with --floor' trace vfs_read --value ret --floor subtract
wrong 2 '--value with --limit overhead' trace vfs_read --value ret --limit overhead=1
wrong 2 '--value with the classic words' trace vfs_read bits 3 --value ret
wrong 2 'this is a pointer .char .., and a number is needed' trace vfs_read --value buf
wrong 2 'vfs_read has no parameter size' trace vfs_read --value size
wrong 2 'there is no return value at this point' trace tp:kmem:kmalloc --value ret
wrong 2 'there is no duration at this point' trace tp:kmem:kmalloc --value duration
wrong 2 'did you mean bytes_alloc' trace tp:kmem:kmalloc --value bytes_aloc
wrong 4 'kprobes cannot read its parameters' trace vfs_read -m kprobe --value 'ret + count'
wrong 2 'do not see the arguments.*--method trace-event' \
	trace -m trace-event tp:kmem:kmalloc --value bytes_alloc
wrong 2 'not one point.*--method fsession' trace -m fsession tp:kmem:kmalloc --value bytes_alloc
wrong 2 'and no other value.*--method direct' trace -m direct vfs_read --value count
wrong 2 'record a value with --value' trace tp:kmem:kmalloc
wrong 2 'cannot use .bytes. for --unit: it is auto, ns, us, ms or s' trace vfs_read --unit bytes
wrong 2 'cannot use .us. for --unit.*only be in ns' trace vfs_read --value ret --unit us
wrong 2 'cannot use .a b. for --unit' trace vfs_read --value ret --unit 'a b'
sizes=tests/golden/sizes.recording.json pages=tests/golden/pages.recording.json
times=tests/golden/one.recording.json
wrong 2 'the unit' diff $sizes -- $pages
sed 's/"bytes_alloc at kmalloc"/"bytes_req at kmalloc"/' $sizes >"$tmp/other"
wrong 2 "the value is 'bytes_alloc at kmalloc' in one and 'bytes_req" diff $sizes -- "$tmp/other"
wrong 2 'some are in bytes and some in pages' diff $sizes -- $pages --force
wrong 2 'some are in bytes and some in ns' check $sizes --base $times --max-increase p99=5% --force
wrong 2 'their units differ' report --merge $sizes $pages
wrong 2 'its limit is in ns, and the unit of the runs is bytes' check $sizes --assert 'p99<1ms'
wrong 2 'its limit is in bytes, and the unit of the runs is ns' check $times --assert 'p99<4KiB'
wrong 2 'its limit cannot be read' check $sizes --assert 'p99<4 Ki B'

# Which points a value needs.
hooked() { # HOOKS WORDS...
	local want=$1 got
	shift
	n=$((n + 1))
	got=$("$prog" trace "$@" --dry-run | awk '$1 ~ /^(point|start|end)$/ && NF == 3 { print $1, $2 }
		/^    else/ { exit }' | xargs)
	[ "$got" = "$want" ] && echo "ok $n - hooks of $*" || echo "not ok $n - hooks of $*: $got"
}

hooked 'point fexit' -m fentry vfs_read --value ret
hooked 'point kretprobe' -m kprobe vfs_read --value ret --if 'ret < 0'
hooked 'point fentry' -m fentry vfs_read --value count --if 'count > 1'
hooked 'point kprobe' -m kprobe vfs_read --value cpu
hooked 'point tp_btf' tp:kmem:kmalloc --value bytes_alloc
hooked 'start fentry end fexit' -m fentry vfs_read --value ret --if 'count > 1'
hooked 'start fentry end fexit' -m fentry vfs_read --value 'ret + count'
hooked 'start kprobe end kretprobe' -m kprobe vfs_read --value duration
hooked 'start tp_btf end tp_btf' --start tp:irq:softirq_entry --end tp:irq:softirq_exit --value vec_nr
wrong 4 'one program for all functions' trace vfs_read vfs_write -m kprobe-session --if count
wrong 2 'column 1: an operand is missing' trace vfs_read --by 'count,'
wrong 2 'column 1: an operand is missing' trace vfs_read --by ''
wrong 2 'more than three parts' trace vfs_read --by 'cpu,pid,tid,uid'
wrong 2 'join both with a comma' trace vfs_read --by cpu --by pid
wrong 2 'did you mean count' trace vfs_read --by 'comm,cuont'
wrong 2 'const struct path, and a number is needed' trace vfs_read --by 'file->f_path'
wrong 2 'there is no return value at this point' trace --start vfs_read --end vfs_write --by 'ret'
wrong 2 'take more than 128 bytes' trace vfs_read \
	--by 'file->f_path.dentry->d_name.name,file->f_path.dentry->d_parent->d_name.name,comm'
wrong 2 'there is no --by' trace vfs_read --limit keys=3
wrong 2 'from 1 to 16384' trace vfs_read --by cpu --limit keys=0
wrong 2 'from 1 to 16384' trace vfs_read --by cpu --limit keys=16385
wrong 2 'does not show what keys are made of' trace --start tp:sched:sched_switch \
	--end tp:sched:sched_switch --by cpu -m trace-event
wrong 2 'it is total, count, p50, p99 or max' trace vfs_read --sort mean
wrong 2 'its type is another one' trace vfs_read vfs_open --by arg1
wrong 4 'parameters after the sixth are on the stack' trace do_mmap -m kprobe --by populate
wrong 4 'kprobes cannot read its parameters' trace vfs_read -m kprobe --by 'count,ret'
wrong 4 'kprobes cannot read its parameters' trace vfs_read -m kprobe --key cpu --by count
wrong 2 'only at the entry of a function' trace u:libc:malloc --by arg0,ret
wrong 4 'one program for all functions' trace vfs_read vfs_write -m kprobe-session --by count
wrong 2 'raise it, or lower --limit keys' trace vfs_read --by cpu --limit memory=10k
wrong 2 'vfs_read has 4 parameters' trace --start vfs_read --end vfs_write --key arg9
wrong 2 'the values have 16 bytes together, and a key has 8; cast a value' \
	trace --start vfs_read --end vfs_write --key 'pos,count'
wrong 2 'an operand is missing at the end' trace --start vfs_read --end vfs_write --key 'pos,'
wrong 2 "sched_wakeup has no parameter next.*where start and end name it differently, write --start 'X.A.' --end 'Y.B.'" \
	trace --start tp:sched_wakeup --end tp:sched_switch --key 'p->pid,next->pid'
wrong 2 'vfs_write has no parameter prev' trace --start 'vfs_read[pos]' --end 'vfs_write[prev]'
wrong 2 'the first has values of 4, 4 bytes, the second one value; .*equally many at both' \
	trace -d 0.1 --start 'tp:sched_wakeup[p->pid,p->tgid]' --end 'tp:sched_switch[next->pid]'
wrong 2 'values of 4, 2 bytes, the second values of 4, 4 bytes' trace -d 0.1 --start 'tp:sched_wakeup[p->pid,p->tgid]' \
	--end 'tp:sched_switch[next->pid,(u16)next->tgid]' --cancel 'tp:sched_process_exit[p->pid,p->tgid]'
wrong 2 'returns nothing' trace __fput --if 'ret == 0'
wrong 2 'returns nothing; leave out --by' trace __fput --by 'ret < 0'
wrong 2 'vfs_read has no parameter ENOSUCH' trace vfs_read --if 'ret == -ENOSUCH'
wrong 2 'like 10us' trace vfs_read -d 0
wrong 2 'like 10us' trace vfs_read -d -1
wrong 2 'like 10us' trace vfs_read -i soon
wrong 2 'too long' trace vfs_read -d 99999999999999h
wrong 2 'column 12: the time is too long, or finer' trace vfs_read --if 'duration > 0.1ns'
wrong 2 'column 14: .*GiB, ns, us, ms or s' trace vfs_read --if 'duration > 10m'
wrong 2 'list of numbers' trace vfs_read -p 1,x
wrong 2 'list of numbers' trace vfs_read -p ''
wrong 2 'up to 4194304' trace vfs_read -p 4194305
wrong 2 'no such task here' trace --start tp:sys_enter --end tp:sys_exit -p 4194304
wrong 2 'more than 16' trace vfs_read -t 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
wrong 2 'below 4096' trace vfs_read -C 3-1
wrong 2 'below 4096' trace vfs_read -C 4096
wrong 2 'none of those is there: .*are 0 to [0-9]+; name one' \
	trace --start tp:sys_enter --end tp:sys_exit -C 4090-4095
wrong 2 '1 to 15 bytes' trace vfs_read --comm a-name-that-is-too-long
wrong 2 'auto, ns, us, ms or s' trace vfs_read -u days
wrong 2 'no such format.*summary line hist' trace vfs_read -f yaml
wrong 2 'auto, fentry, kprobe, fsession, kprobe-session, tp_btf, trace-event, direct, uprobe-session, uprobe-multi, uprobe or fast' trace vfs_read -m ptrace
wrong 2 'auto, map or kmod' trace vfs_read --backend file
wrong 2 'name .* functions and the limit is 64.*--limit functions' trace -m kprobe 'vfs_*' 'tcp_*'
wrong 2 '1 to 65536' trace vfs_read --limit functions=0
wrong 2 '1 to 63 letters' trace --start a --end b -n 'a/b'
wrong 2 'neither \. nor \.\.' trace vfs_read -n ..
wrong 2 'neither \. nor \.\.' node add . vfs_read
wrong 2 'a node two names: the first word is its name; leave out --name' node add vfs_read -n X
wrong 2 'a node two names: the first word is its name; leave out --name' node add vfs_read --name=X
wrong 2 'no command follows' trace vfs_read --
wrong 2 'there is no command' trace vfs_read --all
wrong 2 'there is no command' trace vfs_read --as-root
wrong 4 'never returns' trace do_exit
wrong 4 'recording a sample uses it' trace migrate_disable
wrong 2 'Is a directory' trace --start tp:sched_switch --end tp:sched_switch -d 1 -o /tmp
wrong 2 'No such file' trace --start tp:sched_switch --end tp:sched_switch -d 1 -o /nonexistent/x
wrong 2 'not a regular file' trace --start tp:sched_switch --end tp:sched_switch -d 1 -o /dev/null
wrong 2 'not KEY=VALUE' trace vfs_read --record /tmp/x --tag commit
wrong 2 '1 to 63 letters, digits and _' trace vfs_read --record /tmp/x --tag 1a=b
wrong 2 'no --record' trace vfs_read --tag a=b
wrong 2 'the same file' trace vfs_read --record /tmp/x -o /tmp/x
wrong 2 'No such file' trace --start tp:sched_switch --end tp:sched_switch -d 1 --record /nonexistent/x
wrong 2 "from 0 to 5" trace S bits 9 start vfs_read
wrong 2 'value is missing' trace S bits 3 start
wrong 2 'the word is there twice' trace S bits 3 bits 4
wrong 2 'bits, start and end' trace S bits 3 stop x
wrong 2 'give an end' trace S start tp:sched:sched_switch
wrong 2 'one pattern is enough' list a b
wrong 2 'nothing matches.*did you mean' list vfs_raed
wrong 2 'no other words' doctor now
wrong 2 'no other words' calibrate now
for percent in 0 101 -1 1e1 1.5.2 1%% '' inf nan 0x1; do
	wrong 2 "percentage of the processors' time" trace vfs_read --limit overhead="$percent"
done
wrong 2 'a run that ends early cannot be compared' trace vfs_read --limit overhead=1 --runs 3 --assert 'p99<1s' -- true
wrong 2 "cannot use '3' for --buckets: a power of two has .* 32 bounds; it is like" \
	trace vfs_read -f openmetrics --buckets 3
wrong 2 'cannot use --buckets: only the formats openmetrics and vmrange have bounds; add -f openmetrics' trace vfs_read --buckets 8
wrong 2 'cannot use --buckets: only the formats openmetrics and vmrange have bounds; ' \
	trace vfs_read --buckets 8 --runs 3 --assert 'p99<1s' -- true
wrong 2 'rules judge samples as they were measured' trace vfs_read --floor subtract --runs 3 --assert 'p99<1s' -- true
wrong 2 'it shows all that is kept' calibrate --show -m fentry
wrong 2 'no such method' calibrate -m ftrace
wrong 2 'it is auto, map or kmod' calibrate --backend disk
wrong 2 "option '--xml'" list --xml
wrong 2 'only --markers finds out what is attached.*list --markers --listened' list --listened
wrong 2 'lists tracepoints, not functions' list --markers -F
wrong 2 "option '--xml'.*node show --help" node show --xml
wrong 2 "'node shew'.*node --help" node shew
wrong 2 'bash, zsh or fish' completion tcsh

# An interrupt that waits already: thousands of functions are not waited for.
cat >"$tmp/interrupted" <<EOF
#!/usr/bin/env python3
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
os.kill(os.getpid(), signal.SIGINT)
os.execv("$prog", sys.argv)
EOF
chmod +x "$tmp/interrupted"
if [ "$(id -u)" = 0 ]; then
	prog=$tmp/interrupted
	wrong 3 'not all functions were attached: it was interrupted' \
		trace 'vfs_*' 'tcp_*' --limit functions=5000 -d 1
else
	n=$((n + 1))
	echo "ok $n - an interrupt while attaching # SKIP root is needed"
fi
# What is read before an error is not taken for a whole line: here, before a terminal hangs up.
cat >"$tmp/half" <<EOF
#!/usr/bin/env python3
import os, sys, tty
here, there = os.openpty()
tty.setraw(there)
os.write(there, b"remove fo")
os.close(there)
os.dup2(here, 0)
os.execv("$PWD/.output/kstats-bpf", sys.argv)
EOF
chmod +x "$tmp/half"
if [ "$(id -u)" = 0 ]; then
	prog=$tmp/half
	wrong 2 'cannot read standard input: Input/output error' control - --keep-going
else
	n=$((n + 1))
	echo "ok $n - half a line # SKIP root is needed"
fi
echo "1..$n"
