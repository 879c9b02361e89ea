#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Help, list, doctor and completion, none of which needs privileges. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
export PATH="$PWD/.output:$PATH"
# shellcheck source=tests/tap.sh
. tests/tap.sh

for verb in '' trace kmem report diff check control list recipes calibrate doctor node 'node add' 'node ls' \
	'node show' 'node export' 'node start' 'node stop' 'node reset' 'node rm' completion; do
	# shellcheck disable=SC2086
	out=$(kstats-bpf $verb --help)
	is "help of '$verb'" "$?" 0
	is "help of '$verb' fits 80 columns" "$(awk 'length > 80' <<<"$out")" ''
	[ "$verb" = node ] ||
		is "help of '$verb' has an example" "$(grep -c '^Example' <<<"$out")" 1
done
is 'help of trace fits a screen of 50 lines' "$(kstats-bpf trace --help | awk 'END { print NR <= 50 }')" 1
is 'help says what needs privileges' "$(for verb in trace report diff check control list calibrate kmem \
	doctor 'node add' 'node ls' 'node show' 'node export' 'node start'; do
	# shellcheck disable=SC2086
	kstats-bpf $verb --help | grep -q '^It needs root' && echo "$verb"
done | xargs)" 'trace control calibrate kmem node add'
is 'help VERB' "$(kstats-bpf help list)" "$(kstats-bpf list --help)"
is 'VERB help' "$(kstats-bpf list help)" "$(kstats-bpf list --help)"
is 'node help' "$(kstats-bpf node help)" "$(kstats-bpf node --help)"
is 'the short word for version' "$(kstats-bpf -V)" "$(kstats-bpf --version)"
is 'other words for verbs of node' "$(for verb in list remove; do
	kstats-bpf node $verb --help
done)" "$(for verb in ls rm; do
	kstats-bpf node $verb --help
done)"
# What is said to somebody who types the name of another tool is a command that has a plan.
for tool in biolatency cpudist hardirqs runqlat softirqs syscount tcpconnlat tcprtt; do
	words=$(kstats-bpf $tool 2>&1 | sed "s/.*write 'kstats-bpf \(.*\)'$/\1/")
	eval "kstats-bpf $words --dry-run" >/dev/null
	is "in place of $tool: $words" $? 0
done
is 'version' "$(kstats-bpf --version | grep -cE '^kstats-bpf [0-9]+\.[0-9]+\.[0-9]+$')" 1

is 'list finds a function' "$(kstats-bpf list vfs_read | awk 'NR == 1 { print $1 }')" vfs_read
direct() { kstats-bpf list --json "$1" | jq -r '.direct, .why_not_direct' | xargs; }
is 'list says that a stub can measure a function' "$(direct vfs_read)" 'true null'
is 'and why not' "$(direct do_mmap)" 'false it takes arguments on the stack'
is 'and why never' "$(direct do_exit)" 'false it never returns'
is 'but not of a glob' "$(direct 'vfs_rea?')" 'null null'
is 'list -T finds a tracepoint' "$(kstats-bpf list -T sched_switch | awk '{ print $1, $2 }')" \
	'tp:sched_switch tp_btf'
is 'list takes a tracepoint as it prints it' "$(kstats-bpf list tp:sched_switch | awk '{ print $1 }')" \
	tp:sched_switch
is 'list takes a tracepoint as trace takes it' \
	"$(kstats-bpf list 'tp:sched:sched_swit*' | awk '{ print $1 }')" tp:sched_switch
is 'list of tracepoints has no function' "$(kstats-bpf list 'tp:vfs_read' 2>&1 | grep -c 'nothing matches')" 1
is 'list of the kernel itself' "$(kstats-bpf list 'vmlinux:vfs_rea?' | awk '{ print $1 }')" vfs_read
is 'list of a module that is not there' \
	"$(kstats-bpf list 'nosuch:vfs_read' 2>&1 | grep -c 'nothing matches')" 1
is 'list says why not' "$(kstats-bpf list do_exit | grep -c 'no: it never returns')" 1
is 'list -l shows the parameters of a function' "$(kstats-bpf list -l vfs_read | tail -n 1)" \
	'    ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)'
is 'list -l shows the arguments of a tracepoint' "$(kstats-bpf list -l tp:sched:sched_switch | tail -n 1)" \
	'    sched_switch(bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)'
is 'list -l --json has them' "$(kstats-bpf list -l --json fput | jq -r .prototype)" 'void fput(struct file *file)'
is 'list without -l does not' "$(kstats-bpf list --json fput | jq -r .prototype)" null
# What is listed for a function is what doctor finds to load, where anything may be loaded.
method=$(kstats-bpf list --json vfs_read | jq -r '.method // "none"')
kstats-bpf doctor --json | jq -es --arg method "$method" 'map({ (.what): .answer }) | add |
	if .privileges != "ok" then true
	elif $method == "none" then
		[.["fentry/fexit", "fsession", "kprobe session", "kprobe/kretprobe"]] | all(. != "ok")
	else .[$method] == "ok" end' >/dev/null
is "list names what loads: $method" $? 0
is 'list --json is JSON' "$(kstats-bpf list --json 'vfs_re*' | jq -r .name | head -n 1)" vfs_read
tries=3
[ "${KSTATS_QUICK-}" ] && tries=1
cpu() { # WORDS...: milliseconds of a processor, the least of some tries
	for _ in $(seq $tries); do
		{ TIMEFORMAT='%3U %3S'; time kstats-bpf "$@" >/dev/null 2>&1; } 2>&1
	done | awk '{ print int(1000 * ($1 + $2)) }' | sort -n | head -n 1
}
# It takes some 50 ms of a processor; who compares all with all takes many seconds.
took=$(cpu list)
is 'list of everything within a second of a processor' $((took < 1000)) 1
echo "# $took ms"
# The same three times over: again, who compares all with all takes far longer.
once=$(cpu trace '*' --if 'ret == 0') thrice=$(cpu trace 'vfs_*' '*' '*' --if 'ret == 0')
is 'globs that overlap take no longer than each alone' $((thrice < 10 * once + 100)) 1
echo "# $once ms, $thrice ms"
is 'what has any number of arguments is not offered by fentry' \
	"$(kstats-bpf list snprintf | grep -cE 'fentry|fsession')" 0
is 'list into a closed pipe' "$(kstats-bpf list 2>&1 | head -n 1 | wc -l)" 1
kstats-bpf doctor --json | jq -es 'map(.what) | contains(["BTF", "clock", "fentry/fexit", "tp_btf"])' >/dev/null
is 'doctor --json has the facts' $? 0
# The verdict is that of a trace which was loaded, and told on its own line.
kstats-bpf doctor --json | jq -es 'map({ (.what): .answer }) | add |
	if .privileges != "ok" then true else .measurement == "ok" and .verdict == "ok" end' >/dev/null
is 'doctor loads a real program before its verdict' $? 0
for words in 'completion bash' --version --help 'trace --help'; do
	# shellcheck disable=SC2086
	err=$(kstats-bpf $words 2>&1 >/dev/full)
	is "a full disk is told: $words" "$? $err" '2 kstats-bpf: cannot write the output: No space left'\
' on device; make room, or write elsewhere'
done
is 'a reader that had enough is no failure' "$(trap '' PIPE
	{ sleep 0.3; kstats-bpf --help; } 2>&1 | true; echo "${PIPESTATUS[0]}")" 0

is 'complete a verb' "$(kstats-bpf complete tr)" trace
is 'complete an option' "$(kstats-bpf complete trace --thr)" --throws
is 'complete a parameter' "$(kstats-bpf complete trace vfs_read --if cou)" count
is 'complete a member' "$(kstats-bpf complete trace vfs_read --if "count > 1 && file->f_fla")" \
	'count > 1 && file->f_flags'
is 'complete a member of a member' "$(kstats-bpf complete trace vfs_read --if 'file->f_path.den')" \
	'file->f_path.dentry'
is 'complete a member of what a tracepoint is given' \
	"$(kstats-bpf complete trace --start tp:sched:sched_switch --key 'prev->pi' | head -n 1)" 'prev->pid'
is 'complete a part of a key' "$(kstats-bpf complete trace vfs_read --by 'file->f_fla')" 'file->f_flags'
is 'complete no member of a number' "$(kstats-bpf complete trace vfs_read --if 'count->')" ''
is 'complete a format' "$(kstats-bpf complete trace -f cl)" classic
is 'complete a function' "$(kstats-bpf complete trace vfs_readl)" vfs_readlink
is 'complete a tracepoint' "$(kstats-bpf complete trace --start tp:sched_swi)" tp:sched_switch
is 'complete a tracepoint as the target' "$(kstats-bpf complete trace tp:sched_swi)" tp:sched_switch
is 'complete a tracepoint of a subsystem' "$(kstats-bpf complete trace --start tp:sched:sched_swi)" \
	tp:sched:sched_switch
is 'what an option takes is not offered for another of its name' "$(kstats-bpf complete check -m auto)" ''
is 'complete a format of check' "$(kstats-bpf complete check --format ju)" junit
is 'complete a format of diff' "$(kstats-bpf complete diff -f ma)" markdown
is 'complete a verb of node' "$(kstats-bpf complete node exp)" export
is 'complete an option of node add' "$(kstats-bpf complete node add --pin)" --pin-root
is 'complete an option of trace for node add' "$(kstats-bpf complete node add --thr)" --throws
is 'what shells call is not offered' "$(kstats-bpf complete complet)" completion
is 'complete what it counts as' "$(kstats-bpf complete check --inconclusive p)" pass
is 'the words of a command are its own' "$(kstats-bpf complete trace vfs_read -- ls --)" ''
# What bash says with this line up to the cursor.
bash_says() {
	# shellcheck disable=SC2016
	bash --norc -c 'eval "$(kstats-bpf completion bash)"; COMP_LINE=$1 COMP_POINT=${#1}
		_kstats_bpf; echo "${COMPREPLY[@]}"' - "$1"
}
is 'bash completes' "$(bash_says 'kstats-bpf trace vfs_readl')" vfs_readlink
is 'bash completes a word that has not begun' "$(bash_says 'kstats-bpf completion ')" 'bash zsh fish'
is 'bash completes what stands behind a colon' "$(bash_says 'kstats-bpf trace --end tp:sched:sched_swi')" \
	sched_switch
for shell in zsh fish; do
	is "a script for $shell" "$(kstats-bpf completion $shell | grep -c 'kstats-bpf complete')" 1
done

out=$(kstats-bpf trace --dry-run vfs_read)
is 'the plan names hook and method' "$(grep -cE 'fentry +vfs_read|with fentry/fexit' <<<"$out")" 2
out=$(kstats-bpf trace --dry-run S bits 4 start vfs_read end vfs_write)
is 'classic words make a pair and its gap' "$(grep -cE '^  (S|GAP-S)$' <<<"$out")" 2
plan
