# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Nodes outlive their command: they count exactly over start, stop and reset, exist as a
# whole or not at all, and leave nothing behind. Runs inside a guest, as root; prints
# TAP. KMOD is the module kstats, or empty; TARGET the module with the functions, TWIN
# another module with functions of the same names; SLOW a library that makes bpf(2)
# slow; TASKS is made of tasks.c; KILLS, MANY and CALLS say how many, WHOLE that nothing is left
# out. Called by node-run.

# shellcheck source=tests/vm/nodes.sh
. "$NODES"

pin=
calls() { $pin sh -c "echo $1 >$dir/empty"; }

mkdir -p /sys/fs/bpf
# ---- without a BPF file system ---- [7]
umount /sys/fs/bpf 2>/dev/null
out=$(kstats-bpf node add kt_empty 2>&1)
is 'without a BPF file system: status' $? 4
has 'and what to do' "$out" 'mount -t bpf bpf /sys/fs/bpf'
is 'a list is empty then' "$(kstats-bpf node ls 2>&1)" ''

# ---- what is there before ----
mount | grep -q ' on /sys/fs/bpf ' || mount -t bpf bpf /sys/fs/bpf
before=$(objects)
left() { find /sys/fs/bpf -mindepth 1 | wc -l; }

# ---- words are checked before anything is opened ---- [7]
kstats-bpf node add kt_empty -d 3 2>/tmp/err
is 'an option that no node has leaves no folder' "$? $(left)" '2 0'
has 'and is told' "$(cat /tmp/err)" 'cannot use --duration for a node'
kstats-bpf node add no_such_function 2>/dev/null
is 'nor does a function that is not there' "$? $(left)" '2 0'
out=$(kstats-bpf node add kt_empty --dry-run)
is 'nor a plan' "$? $(left) $(echo "$out" | grep -c '^nodes:')" '0 0 1'
kstats-bpf control list 'trace kt_empty bits 9' 2>/dev/null
is 'nor a line that is wrong' "$? $(left)" '2 0'
kstats-bpf control 'remove kt_empty' 2>/tmp/err
is 'nor one about a node' "$? $(left)" '2 0'
has 'that is not there' "$(cat /tmp/err)" 'there is no node of that name'


# ---- refused at load, here for want of descriptors ---- [6.1]
# shellcheck disable=SC3045 # the shells that run this know it
refused() { (ulimit -n 12 && kstats-bpf node add "$1" kt_empty 2>/tmp/err); }
refused none
is 'a node that cannot be loaded leaves no folder' "$? $(left)" '4 0'
has 'for that reason' "$(cat /tmp/err)" 'may open .* files: .*ulimit -n'
printf '%s\n' 'trace none start no_such_function' 'trace kt_empty' | kstats-bpf control - -k 2>/dev/null
refused none
is 'nor does it take along that of another node' "$? $(kstats-bpf control list)" '4 kt_empty'
kstats-bpf node rm --all
mkdir -m 700 $root
refused none
is 'nor one that was there' "$? $(left)" '4 1'
rmdir $root

# ---- exact, each step by another process ----
exact() { # BACKEND OPTION...
	backend=$1
	shift
	kstats-bpf node add reads kt_empty --backend "$backend" "$@"
	is "$backend $*: add" $? 0
	calls 10007
	is 'show from another process' "$(field reads count)" 10007
	has 'its ledger' "$(ledger reads)" '10,007 started = 10,007 recorded still running'
	kstats-bpf node stop reads
	is 'stopped' "$(field reads state)" stopped
	calls 1009
	is 'nothing is counted' "$(field reads count)" 10007
	has 'the account is final' "$(ledger reads)" '10,007 started = 10,007 recorded balanced, nothing lost'
	is 'nothing is attached' "$(find $root/reads -name 'link-*' | wc -l)" 0
	kstats-bpf node start reads
	calls 10007
	is 'started again' "$(field reads count)" 20014
	kstats-bpf node reset reads
	calls 5003
	is 'reset' "$(field reads count)" 5003
	has 'with its ledger' "$(ledger reads)" '5,003 started = 5,003 recorded'
	kstats-bpf node stop reads
	kstats-bpf node reset reads
	calls 17
	is 'reset while it is stopped: it stays stopped' "$(field reads count) $(field reads state)" \
		'0 stopped'
	kstats-bpf node rm reads
	is 'rm' $? 0
	is 'nothing is left' "$(settled "$before") $(find $root -mindepth 1 | wc -l)" "$before 0"
}
# ---- exact, by default ---- [7]
exact map
# membarrier(2) waits for a preempted program only where there are several CPUs.
kstats-bpf node add reads kt_empty
echo 0 >/sys/devices/system/cpu/cpu1/online
out=$(kstats-bpf trace -q -f json __x64_sys_clock_nanosleep -- kstats-bpf node reset reads)
echo 1 >/sys/devices/system/cpu/cpu1/online
is 'on one CPU, a reset waits for programs by itself' "$(echo "$out" | grep -o '"samples":[0-9]*' |
	head -n 1)" '"samples":2'
kstats-bpf node rm reads

# ---- exact, per CPU ---- [6.1]
# On one: a call that is moved inside has its end on another.
pin='taskset 1'
exact map --key cpu
pin=

# ---- exact, by kprobes ---- [6.1]
exact map --method kprobe

# ---- exact, in blocks ---- [6.12]
exact map --limit memory=48k

# ---- values at one point ---- [6.1 7]
# Of each seven returns of kt_expr three are negative.
values() { # WORDS...
	kstats-bpf node add reads kt_expr --value ret --unit pages "$@"
	echo 10007 >$dir/expr
	has "values $*" "$(ledger reads)" '10,007 started = 5,717 recorded \+ 4,290 negative'
	kstats-bpf node stop reads
	echo 1009 >$dir/expr
	has 'the account is final' "$(ledger reads)" \
		'= 5,717 recorded \+ 4,290 negative balanced, nothing lost'
	kstats-bpf node start reads
	echo 10007 >$dir/expr
	has 'started again' "$(ledger reads)" '20,014 started = 11,434 recorded \+ 8,580 negative'
	has 'with its unit' "$(kstats-bpf node show reads)" 'max +3 pages'
	kstats-bpf node rm reads
	is 'nothing is left' "$(settled "$before") $(find $root -mindepth 1 | wc -l)" "$before 0"
}
# ---- values by fentry ---- [6.1]
values

# ---- values by kprobes ---- [7]
values --method kprobe

# ---- slots in blocks, and too few of them ---- [6.12]
counter() { # KEY: summed over the functions
	kstats-bpf node show few -f json | sed 's|[{,]|\n|g' |
		awk -F : "/^ *\"$1\"/ { n += \$2 } END { print n + 0 }"
}
# The least that it takes: eight blocks on each CPU. It is told in hundredths of a KiB.
least=$(kstats-bpf node add few 'kt_many_0?' -m fentry --limit memory=1 2>&1 |
	sed -n 's/.*take at least \([0-9.]*\) KiB.*/\1/p')
kstats-bpf node add few 'kt_many_0?' -m fentry \
	--limit memory="$(awk "BEGIN { print int(${least:-0} * 1024) + 16 }")"
taskset 1 sh -c "echo 1009 >$dir/many"
is 'without room: nothing is lost unseen' \
	"$(counter started) $(($(counter recorded) + $(counter no_room))) $(counter balance)" \
	'10090 10090 0'
is 'three of the ten functions have no room' "$(($(counter no_room) >= 3 * 1009))" 1
has 'what to do is told' "$(ledger few)" 'no room for slots'
kstats-bpf node reset few
is 'a reset gives all blocks back' "$(counter recorded) $(counter no_room)" '0 0'
taskset 1 sh -c "echo 101 >$dir/many"
is 'to be taken again' "$(counter started) $(($(counter recorded) >= 7)) \
$(($(counter recorded) + $(counter no_room)))" '1010 1 1010'
has 'and is exported' "$(kstats-bpf node export)" 'kstats_.*no_room'
rm $root/few/blocks
out=$(kstats-bpf node show few 2>&1)
is 'a node without its blocks: status' $? 2
has 'and what to do' "$out" "its cells cannot be used.*kstats-bpf node rm"
kstats-bpf node rm few
is 'it is removed' "$(settled "$before") $(find $root -mindepth 1 | wc -l)" "$before 0"

# ---- in the module ---- [6.12]
if [ "$KMOD" ]; then
	insmod "$KMOD"
	exact kmod
	kstats-bpf node add reads kt_empty -b 3
	calls 1009
	is 'the module is taken by itself, and has the node' \
		"$(field reads backend) $(tail -n 1 /sys/kernel/debug/kstats/reads)" \
		"kmod $(kstats-bpf node show reads -f classic | tail -n 1)"
	has 'the module counts what the program counts' \
		"$(tail -n 1 /sys/kernel/debug/kstats/reads)" 'p 1\.000000'
	rmmod kstats 2>/dev/null
	is 'it cannot be unloaded now' $? 1
	out=$(kstats-bpf node add reads2 kt_empty --name reads 2>&1)
	kstats-bpf node rm --all
	i=0
	while ! rmmod kstats 2>/dev/null && [ $i -lt 1000 ]; do
		sleep 0.2
		i=$((i + 1))
	done
	is 'and afterwards it can' "$(grep -c '^kstats ' /proc/modules)" 0
fi

# ---- calls that are open at a stop or a reset give no sample ---- [7]
kstats-bpf node add open kt_block
echo 1 >$dir/block
kstats-bpf node stop open
has 'open at the stop: in flight' "$(ledger open)" '1 started = 0 recorded \+ 1 in flight balanced'
echo 1 >$dir/unblock
kstats-bpf node start open
echo 1 >$dir/block
echo 1 >$dir/unblock
has 'and in flight for good' "$(ledger open)" '2 started = 1 recorded \+ 1 in flight'
echo 1 >$dir/block
kstats-bpf node reset open
echo 1 >$dir/unblock
has 'open at the reset: an end without a start' "$(ledger open)" \
	'0 started = 0 recorded and 1 end without a start'
kstats-bpf node rm open

# ---- tasks that end while a stop or a reset goes on ---- [6.1]
kstats-bpf node add ends --start tp:sys_enter --end tp:sys_exit
bad=0
for verb in stop reset; do
	i=0
	while [ $i -lt 60 ]; do
		usleep $((300000 + i * 20000)) &
		i=$((i + 1))
	done
	LD_PRELOAD=$SLOW kstats-bpf node $verb ends
	kstats-bpf node stop ends
	ledger ends | grep -q ' balanced[,;]' || { # what the kernel skipped is lost, and told
		bad=$((bad + 1))
		echo "# $verb: $(ledger ends)"
	}
	kstats-bpf node start ends
	wait
done
is 'tasks that end while a stop or a reset goes on are counted once' $bad 0
kstats-bpf node rm ends

# ---- ftrace switched off: nothing would be counted ---- [6.1]
kstats-bpf node add off kt_empty
kstats-bpf node stop off
if (echo 0 >/proc/sys/kernel/ftrace_enabled) 2>/dev/null; then
	why=$(kstats-bpf node add off2 kt_empty 2>&1)
	out=$(kstats-bpf node start off 2>&1)
	is 'without ftrace none is started, for the reason that none is added' "$? $out" "4 $why"
	is 'and it stays stopped' "$(field off state)" stopped
	echo 1 >/proc/sys/kernel/ftrace_enabled
else
	is 'ftrace cannot be switched off' "$(cat /proc/sys/kernel/ftrace_enabled)" 1
fi
kstats-bpf node start off
calls 13
is 'with ftrace it is' "$(field off count)" 13
kstats-bpf node rm off

# ---- the classic words ---- [6.12]
kstats-bpf control 'trace kt_empty bits 2'
is 'trace S bits B' "$?" 0
calls 1009
has 'as in 2020' "$(kstats-bpf node show kt_empty -f classic | grep CPUS | tail -n 1)" 'p 1\.000000'
is 'with its gaps' "$(kstats-bpf node show kt_empty -f json | grep -o '"name":"GAP-kt_empty"' | wc -l)" 1
gaps=$(kstats-bpf node show kt_empty -f json | grep -o '"name":"GAP-kt_empty".*' | grep -o '"samples":[0-9]*' | head -n 1)
out=$(kstats-bpf node show GAP-kt_empty -f json)
is 'GAP-S is shown by itself' "$(echo "$out" | grep -o '"name":"[^"]*"') $(echo "$out" | grep -o '"samples":[0-9]*' | head -n 1)" \
	"\"name\":\"GAP-kt_empty\" $gaps"
has 'in words' "$(kstats-bpf node show GAP-kt_empty)" 'GAP-kt_empty: from an end of kt_empty to its next start'
is 'ls tells of it' "$(kstats-bpf node ls | grep -o '^GAP-kt_empty \|gaps of kt_empty$' | tr '\n' ' ')" 'GAP-kt_empty  gaps of kt_empty '
is 'and counts it' "\"samples\":$(field GAP-kt_empty count) $(field kt_empty count)" "$gaps 1009"
kstats-bpf node show GAP-kt_empty --record /tmp/gaps 2>/tmp/err
has 'no recording is of gaps alone' "$? $(cat /tmp/err)" '^2 .*cannot use --record: a recording is of a whole node'
kstats-bpf node add plain kt_empty
out=$(kstats-bpf node show GAP-plain 2>&1)
has 'a node without gaps has no GAP-S' "$? $out" "^2 .*cannot show 'GAP-plain': the node keeps no gaps"
is 'nor has ls' "$(kstats-bpf node ls | grep -c GAP-plain)" 0
kstats-bpf node rm plain
out=$(kstats-bpf node show GAP-nothing 2>&1)
has 'nor has a node that is not there' "$? $out" "^2 .*the node 'GAP-nothing': there is no node of that name"
printf '%s\n' '# nodes' '' 'trace a start kt_empty' 'trace b bits 9' 'trace c start kt_busy' |
	kstats-bpf control - 2>/tmp/err
is 'lines: it stops at the one that is wrong' "$? $(kstats-bpf node ls --json | grep -o '"name":"."' | tr '\n' ' ')" \
	'2 "name":"a" '
has 'and names it' "$(cat /tmp/err)" "line 4, 'trace b bits 9'"
printf '%s\n' 'trace b bits 9' 'trace c start kt_busy' | kstats-bpf control - --keep-going 2>/dev/null
is 'lines: it goes on' "$? $(kstats-bpf node ls --json | grep -o '"name":"."' | tr '\n' ' ')" \
	'2 "name":"a" "name":"c" '
is 'list' "$(kstats-bpf control list | tr '\n' ' ')" 'a c kt_empty '
kstats-bpf control 'remove c' 'REMOVE a' 'remove kt_empty'
is 'remove' "$? $(kstats-bpf node ls)" '0 '
kstats-bpf control 'remove a' 2>/tmp/err
is 'what is not there' $? 2
has 'is told' "$(cat /tmp/err)" 'there is no node of that name'
kstats-bpf control - </tmp 2>/tmp/err
is 'lines that cannot be read are no success' "$? $(cat /tmp/err)" "2 kstats-bpf: cannot read \
standard input: Is a directory; give it the lines, as in 'control - < FILE'"
printf 'list\0s\n\033[1mtrace\n' | kstats-bpf control - -k 2>/tmp/err
has 'a line with a NUL is refused' "$?$(head -n 2 /tmp/err | tr '\n' ' ')" "^2.*line 1, 'list':.*a NUL in it"
has 'and what a line says cannot steer the terminal' "$(cat /tmp/err)" "line 2, '.x1b\[1mtrace'"

# ---- names ---- [7]
kstats-bpf node add a.b-c_d:e kt_empty
is 'a name with everything' "$(kstats-bpf node ls --json | grep -o '"name":"a.b-c_d:e"')" '"name":"a.b-c_d:e"'
kstats-bpf node rm a,b-c_d:e 2>/dev/null
is 'and no other is the same' $? 2
long=a-name-of-63-bytes-is-told-as-a-whole-and-never-cut-so-it-isok
kstats-bpf node add ${long}1 kt_empty
kstats-bpf node add ${long}2 kt_empty
is 'long names are told apart' "$(kstats-bpf node ls | grep -c "^${long}[12] ")" 2
for option in '--unit ms' '--sort max' '--buckets 8' '--max-loss 0' '-f json' '-d 1'; do
	# shellcheck disable=SC2086
	kstats-bpf node add x kt_empty $option 2>/dev/null
	is "$option is not of a node" $? 2
done
out=$(kstats-bpf node add x kt_empty --tag a=b 2>&1)
has '--tag neither, for a reason of nodes' "$out" 'cannot use --tag for a node: .*tags are of recordings'
out=$(kstats-bpf node ls x 2>&1)
has 'ls takes no name' "$out" "cannot use 'x' here: it lists every node"
for name in a/b '' a+b a,b ${long}23; do
	kstats-bpf node add "$name" kt_empty 2>/dev/null
	is "a name like '$name' is refused" $? 2
done
kstats-bpf node add twice kt_empty 2>/tmp/err.1 &
kstats-bpf node add twice kt_empty 2>/tmp/err.2
wait $!
is 'two adds of one name: one wins, the other is told' \
	"$(kstats-bpf node ls --json | grep -o '"name":"twice"' | wc -l) $(cat /tmp/err.? | grep -c 'there is a node of that name')" '1 1'
kstats-bpf node rm --all

# ---- nodes that cannot be trusted ---- [6.12]
kstats-bpf node add mine kt_empty
chmod 777 $root/mine
has 'open to others' "$(kstats-bpf node show mine 2>&1)" 'others may write or look into it'
chmod 700 $root/mine
chown 1000 $root/mine
has "another user's" "$(kstats-bpf node show mine 2>&1)" 'belongs to another user'
chown 0 $root/mine
rm $root/mine/meta
has 'damaged: no meta' "$(kstats-bpf node show mine 2>&1)" "cannot use the node 'mine': its description cannot be read"
bpftool map create $root/mine/meta type array key 4 value 64 entries 1 name x
has 'damaged: another meta' "$(kstats-bpf node show mine 2>&1)" "cannot use the node 'mine': its description cannot be read"
# shellcheck disable=SC2046
bpftool map update pinned $root/mine/meta key 0 0 0 0 value $(printf '{"format":"kstats-bpf node","version":99,"program":"9.9.9"}     ' |
	head -c 64 | od -An -tu1 -v | tr '\n' ' ')
has 'of another version' "$(kstats-bpf node show mine 2>&1)" 'kstats-bpf 9.9.9 made it, in version 99'
is 'ls tells it and goes on' "$(kstats-bpf node ls 2>&1 >/dev/null | grep -c 'version 99')" 1
kstats-bpf node rm mine
is 'and it can be removed' "$? $(settled "$before")" "0 $before"
kstats-bpf node add mine kt_empty
chmod 777 $root/mine
mkdir $root/mine/more
kstats-bpf node rm mine
is 'so can one that others may write into' "$? $(settled "$before") $(find $root -mindepth 1 | wc -l)" "0 $before 0"
kstats-bpf node add mine kt_empty
mkdir -p $root/mine/more/still
out=$(kstats-bpf node rm mine 2>&1)
is 'what is of nobody stays, and is told' "$? ${out#*node}" "2  'mine': its folder holds objects of no node; remove them by hand"
rm -r $root/+del+*/more
kstats-bpf node ls 2>/dev/null
is 'and goes with the next command' "$(find $root -mindepth 1 | wc -l)" 0
ln -s /tmp $root/link
mkdir -m 700 "$root/$(printf 'x\033[31m')"
out=$(kstats-bpf node ls 2>&1)
is 'what is no folder is no node, and a name is made safe' "$(echo "$out" | wc -l) $(echo "$out" | grep -c "$(printf '\033')")" '1 0'
rm -r $root
mkdir /tmp/notbpf /tmp/notbpf/there
has 'a folder elsewhere' "$(kstats-bpf node add x kt_empty --pin-root /tmp/notbpf/kstats 2>&1)" 'not in a BPF file system'
kstats-bpf node add x kt_empty --pin-root /tmp/notbpf/there 2>/dev/null
is 'is not made, and none that is there goes' "$(ls /tmp/notbpf)" there

# ---- watched, and recorded ---- [6.1]
kstats-bpf node add seen kt_empty -b 3
calls 503
watch() { # INTERVAL: in the background; what came before is not of it
	kstats-bpf node show seen -i "$1" -f csv >/tmp/seen &
	pid=$!
	until grep -q '^SigBlk:.*[1-9a-f]' /proc/$pid/status; do usleep 100000; done
}
until_period() { # NUMBER: waits for its rows
	tries=0
	until grep -q "^$1," /tmp/seen || [ $tries -gt 3000 ]; do
		usleep 100000
		tries=$((tries + 1))
	done
}
watch 1000
kill -USR1 $pid
until_period 1
calls 1009
kill -USR1 $pid
until_period 2
kill -INT $pid
wait $pid
is 'watched: what came since, in one period' "$(cut -d , -f 6,7,9 /tmp/seen | head -n 1) $(
	awk -F , '$5 == "all" { n[$1] += $9 } END { for (p in n) if (n[p]) print n[p] }' /tmp/seen)" \
	'slot,first_ns,samples 1009'
watch 0.2
until_period 3
kill -INT $pid
wait $pid
is 'every so often, by itself' "$? $(grep -c '^[123],' /tmp/seen)" '0 3'
kstats-bpf node show seen -i 0.2 -d 1 >/dev/null
is 'for so long' $? 0
kstats-bpf node reset seen
calls 1009
kstats-bpf node show seen --record /tmp/seen.json
has 'recorded' "$(kstats-bpf report /tmp/seen.json)" '1,009 started = 1,009 recorded'
out=$(kstats-bpf node add several 'kt_e*' 2>&1)
has 'several functions in one' "$(kstats-bpf node show several -f json)" '"name":"several:kt_empty"'
kstats-bpf node rm --all
is 'the last one takes the folder along' "$(ls -d $root 2>/dev/null)" ''
kstats-bpf node add first kt_empty
kstats-bpf node add second kt_empty
exec 9<$root/first
flock -x 9
kstats-bpf node show --all -f json >/tmp/all.show 2>&1 9<&- &
kstats-bpf node ls --json >/tmp/all.ls 2>&1 9<&- &
kstats-bpf node export >/tmp/all.export 2>&1 9<&- &
i=0
while [ "$(grep -c -- '-> FLOCK' /proc/locks)" != 3 ] && [ $i -lt 3000 ]; do
	usleep 100000
	i=$((i + 1))
done
kstats-bpf node rm second 9<&-
exec 9<&-
wait
is 'what goes while all are looked through is left out, quietly' \
	"$(grep -lE '"first"' /tmp/all.* | wc -l) $(grep -l '"second"' /tmp/all.* | wc -l)" '3 0'
out=$(kstats-bpf node show first second 2>&1)
is 'and what is named and not there is told' "$? $out" \
	"2 kstats-bpf: cannot use the node 'second': there is no node of that name; see 'kstats-bpf node ls'"
kstats-bpf node rm --all
mkdir -m 700 $root "$root/+add+1+ghost"
has 'what a killed add has left is removed, and told' "$(kstats-bpf node ls 2>&1)" \
	"removed what a killed command had left of the node 'ghost'"
is 'indeed' "$(find $root -mindepth 1 | wc -l)" 0
rmdir $root

# ---- for a node exporter ---- [7]
kstats-bpf node add exported kt_empty -b 3
calls 1009
umask 077
kstats-bpf node export -o /tmp/kstats.prom
is 'export' "$? $(stat -c %a /tmp/kstats.prom)" '0 644'
has 'with its samples' "$(cat /tmp/kstats.prom)" 'kstats_duration_seconds_count\{.*node="exported".*\} 1009'
bounds() { sed -n 's/.*_bucket{.*,le="\([0-9.]*\)"}.*/\1/p'; }
is 'whose bounds depend on nothing' "$(bounds </tmp/kstats.prom | wc -l)" 108
is 'unless others are asked for' "$(kstats-bpf node export --buckets 1us..4us/1 | bounds | xargs)" \
	'0.000000511 0.000001023 0.000002047 0.000004095'
is 'as they can be to show a node' \
	"$(kstats-bpf node show exported -f openmetrics --buckets 1us..4us/1 | bounds | xargs)" \
	'0.000000511 0.000001023 0.000002047 0.000004095'
umask 022
kstats-bpf node rm --all
kstats-bpf node export -o /tmp/kstats.prom
is 'none: the old figures go' "$? $(grep -vc '^#' /tmp/kstats.prom) $(tail -n 1 /tmp/kstats.prom)" '0 0 # EOF'

# ---- from here on with the module, where there is one ----
where=map
[ "$KMOD" ] && insmod "$KMOD" && where=kmod

# ---- killed at any moment ---- [6.12]
calls_forever() { while echo 500 >$dir/empty; do usleep 20000; done; }
calls_forever &
loader=$!
kstats-bpf node add victim kt_empty
is 'where the samples are' "$(field victim backend)" $where
# shellcheck disable=SC2034 # nodes.sh uses them
victim=victim others=''
check() { # NUMBER
	right=0
	kstats-bpf node ls >/tmp/ls 2>/tmp/err || right=1
	sed 's/^/# /' /tmp/err
	if [ $(($1 % 6)) = 4 ]; then
		[ "$(field victim state)" = running ] || [ ! "$(find $root/victim -name 'link-*')" ] ||
			right=1
		kstats-bpf node start victim
	fi
	return $right
}
measure_runs
kstats-bpf node start victim
kill_runs
is "$KILLS kills (-9): the list works after each, and what is stopped is not attached" $bad 0
kill $loader
wait $loader 2>/dev/null
kstats-bpf node stop victim
has 'the one they were about still balances' "$(ledger victim)" 'balanced'
kstats-bpf node rm --all
is 'and all of them go' "$(settled "$before") $(ls -d $root 2>/dev/null)" "$before "

# ---- the stacks of tasks that have no task slot, of which there are 128 ---- [6.1]
stacks() { bpftool -j map dump pinned $root/crowd/stacks | grep -o '"key"' | wc -l; }
mkfifo /tmp/alive
crowd() { # brings its tasks to life, one after the other
	: >/tmp/called
	"$TASKS" keep 200 $dir/empty 1 >/tmp/called </tmp/alive &
	alive=$!
	exec 8>/tmp/alive
	until [ -s /tmp/called ]; do usleep 100000; done
}
disband() {
	exec 8>&-
	wait $alive
}
freed=/sys/kernel/tracing/events/sched/sched_process_free
frees() { bpftool -j prog show pinned $root/crowd/prog-task_free | grep -o '"run_cnt":[0-9]*'; }
sees_ends() { # Does the program run when the kernel frees a task?
	runs=$(frees)
	sleep 0 &
	ended=$!
	wait $ended
	waited=0
	until grep -q "sched_process_free: .*pid=$ended " /sys/kernel/tracing/trace || [ $waited = 600 ]; do
		usleep 100000
		waited=$((waited + 1))
	done
	[ "$runs" != "$(frees)" ]
}

kstats-bpf node add crowd kt_empty -m fentry --backend map
crowd
is 'some tasks have no task slot' $(($(stacks) >= 72)) 1
disband
tries=0
while [ "$(stacks)" != 0 ] && [ $tries -lt 600 ]; do
	usleep 100000
	tries=$((tries + 1))
done
is 'their stacks go with them' "$(stacks)" 0
crowd
echo 1 >/proc/sys/kernel/bpf_stats_enabled
echo 1 >$freed/enable
kstats-bpf node stop crowd
# The kernel detaches a program some moments after the link's file was removed, and after
# the link left its list.
tries=0
while sees_ends && [ $tries -lt 600 ]; do
	usleep 100000
	tries=$((tries + 1))
done
echo 0 >$freed/enable
echo 0 >/proc/sys/kernel/bpf_stats_enabled
disband
is 'but not where nothing is attached' $(($(stacks) >= 72)) 1
kstats-bpf node start crowd
is 'then by the next start' "$(stacks)" 0
kstats-bpf node rm crowd

# ---- the module of the function ---- [6.1 7]
kstats-bpf node add held kt_empty --backend map --method fentry
rmmod kstats_target 2>/dev/null
is 'hooked by fentry: its module stays' $? 1
kstats-bpf node stop held
has 'memory as the manual says' "$(bpftool map show pinned $root/held/cells)" 'value 30912B'
case $(uname -r) in
6.1.*)
	# The kernel lets go of it some moments after the programs are gone.
	tries=0
	until rmmod kstats_target 2>/dev/null || [ $tries -ge 600 ]; do
		usleep 100000
		tries=$((tries + 1))
	done
	is 'stopped: it goes' "$(grep -c '^kstats_target ' /proc/modules)" 0
	out=$(kstats-bpf node start held 2>&1)
	is 'what is not there is not started' "$? $(field held state)" '4 stopped'
	has 'and told' "$out" "on 'kt_empty': its module 'kstats_target' is not loaded"
	insmod "$TARGET"
	out=$(kstats-bpf node start held 2>&1)
	is 'nor what came in its place' "$? $(field held state)" '4 stopped'
	has 'which is told too' "$out" "'kstats_target' was reloaded since; remove it, and add it"
	;;
*)
	rmmod kstats_target 2>/dev/null
	is 'also stopped' $? 1
	;;
esac
kstats-bpf node rm held
settled "$before" >/dev/null

# ---- another module has a function of that name ---- [6.1 7]
kstats-bpf node add own kstats_target:kt_empty --method fentry
kstats-bpf node stop own
insmod "$TWIN"
out=$(kstats-bpf node start own 2>&1)
case $(uname -r) in
6.1.*)
	is 'a name that is not its own any more is not started' "$? $(field own state)" '4 stopped'
	has 'since the kernel may take another' "$out" 'another module now has a function of this name'
	;;
*) is 'a module of the same functions does not matter' "$? $(field own state)" '0 running' ;;
esac
kstats-bpf node add twin kstats_target:kt_empty
kstats-bpf node add other kstats_other_:kt_empty
calls 1009
echo 13 >/sys/kernel/debug/kstats_other_/empty
is 'each is of its own module' "$(field twin count) $(field other count)" '1009 13'
kstats-bpf node rm own twin other
settled "$before" >/dev/null
i=0
while ! rmmod kstats_other_ 2>/dev/null && [ $i -lt 1000 ]; do
	sleep 0.2
	i=$((i + 1))
done

# ---- a function goes with its module, and comes back ---- [6.1]
kstats-bpf node add gone kt_empty --method kprobe
calls 1009
rmmod kstats_target
is 'hooked by a kprobe: its module goes' $? 0
is 'the counts stay' "$(field gone count)" 1009
insmod "$TARGET"
kstats-bpf node stop gone
rmmod kstats_target
out=$(kstats-bpf node start gone 2>&1)
is 'stopped, it is not started without it' "$? $(field gone state)" '4 stopped'
has 'and tells' "$out" "its module 'kstats_target' is not loaded"
# The second line comes as soon as the first is done, and after what it is about.
{
	echo 'trace first start noop_llseek'
	i=0
	while [ ! -d $root/first ] && [ $i -lt 3000 ]; do
		sleep 0.2
		i=$((i + 1))
	done
	insmod "$TARGET"
	echo 'trace second start kt_empty'
} | kstats-bpf control -
status=$?
calls 1009
is 'a module that is loaded between two lines is seen by the second' "$status $(field second count)" '0 1009'
kstats-bpf node rm first second
kstats-bpf node start gone
calls 1009
is 'loaded again, stopped and started: it counts again' "$(field gone count)" 2018
kstats-bpf node rm gone

# ---- a name is used again at once ---- [7]
if [ "$KMOD" ]; then
	bad=0
	for i in 1 2 ${WHOLE:+3 4 5}; do
		kstats-bpf node add again kt_empty --backend kmod || bad=$((bad + 1))
		kstats-bpf node rm again
	done
	is 'a name is free in the module as soon as it is removed' $bad 0
fi

# ---- many, and many readers ---- [7]
all=$((MANY + 3))
{
	# shellcheck disable=SC2046
	printf 'trace n%d start kt_empty bits 5\n' $(seq "$MANY")
	printf 'trace m%d start kt_busy bits 5\n' 1 2 3
} | kstats-bpf control -
# A function has room for 38 programs of the kind that is tried first, and a node has two.
is "$all nodes, by another method where there is no room for more" \
	"$? $(kstats-bpf node ls | grep -cE '^[nm][0-9]+ +(fentry|kprobe).* running')" "0 $all"
echo "# by another method: $(kstats-bpf node ls | grep -cE '^n[0-9]+ +kprobe')"
echo "# ls of $all nodes: $( (time -p kstats-bpf node ls >/dev/null) 2>&1 | grep real) s"
is 'in the module where it is there' "$(kstats-bpf node ls --json | grep -o "\"backend\":\"$where\"" | wc -l)" $all
calls 1009
is 'each of them is exact' "$(kstats-bpf node ls --json | grep -o '"count":1009' | wc -l)" "$MANY"
kstats-bpf node rm --all
kstats-bpf node add shared kt_empty -b 3
for reader in 1 2 3 4; do
	(
		bad=0
		while [ ! -e /tmp/stop ]; do
			kstats-bpf node show shared -f classic >/tmp/read.$reader || bad=1
			[ ! -s /tmp/read.$reader ] || tail -n 1 /tmp/read.$reader | grep -q 'p 1\.000000$' ||
				bad=1
		done
		echo $bad >/tmp/bad.$reader
	) &
done
(
	while [ ! -e /tmp/stop ]; do
		for verb in stop start reset; do kstats-bpf node $verb shared; done
	done
) &
calls "$CALLS"
touch /tmp/stop
wait
is 'four readers beside stop, start and reset: no torn row' "$(cat /tmp/bad.?)" '0
0
0
0'
kstats-bpf node reset shared
rm /tmp/stop
for reader in 1 2 3 4; do
	while [ ! -e /tmp/stop ]; do
		kstats-bpf node show shared -f classic >/dev/null
		sleep 0.2
	done &
done
calls "$CALLS"
touch /tmp/stop
wait
# The kernel skips programs of kprobes while the look-up of a reader runs.
kstats-bpf node show shared -f json >/tmp/shared
told() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" /tmp/shared; }
is "four readers beside $CALLS calls: none is lost unsaid" $(($(told started) + $(told skipped))) \
	"$CALLS"
case $(field shared method) in
fentry*) is 'and none is lost' "$(field shared count)" "$CALLS" ;;
esac
kstats-bpf node reset shared
calls 10007
kstats-bpf node stop shared
has 'and exact afterwards' "$(ledger shared)" '10,007 started = 10,007 recorded balanced, nothing lost'
kstats-bpf node rm shared

# ---- at the end ----
is 'nothing is left at all' "$(settled "$before")" "$before"
plan
