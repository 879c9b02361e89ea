# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The module kstats in a guest: it counts exactly, refuses what is wrong, and leaves nothing
# behind. Comes in: the .ko files KMOD, RECORDS_KO, MARKER_KO, STRIPPED, FOREIGN and NO_KPROBES;
# the programs TOOL and EXAMPLE_PROGRAM; CYCLES, KILLS, CALLS, DELETES, WRITERS, WRITES and READS, which
# say how often; RECORDS, how many in each of four contexts. Prints TAP. Called by kmod-run, outside.

dir=/sys/kernel/debug/kstats
records=/sys/kernel/debug/kstats_records
param=/sys/module/kstats/parameters
# shellcheck source=tests/tap.sh
. "$TAP"

# What the tool found, in rows of ok and not ok; an early end is a failure.
tool() { # NAME VERB ARG...
	name=$1
	shift
	"$TOOL" "$@" >/tmp/tool 2>&1
	status=$?
	results /tmp/tool
	is "$name: the tool ends well" $status 0
}

# Nodes and modules go a moment after their owner.
unload() { # MODULE
	waited=0
	while ! rmmod "$1" 2>/dev/null && [ $waited -lt 1000 ]; do
		usleep 100000
		waited=$((waited + 1))
	done
	[ ! -d "/sys/module/$1" ]
}

settled() { # prints nodes and bytes once both are 0, or after some minutes
	waited=0
	while [ "$(cat $param/nodes $param/bytes | xargs)" != "0 0" ] && [ $waited -lt 2000 ]; do
		usleep 50000
		waited=$((waited + 1))
	done
	cat $param/nodes $param/bytes | xargs
}

# ---- loading and unloading ----

start=$(date +%s)
i=0 failed=0
while [ $i -lt "$CYCLES" ]; do
	insmod "$KMOD" && insmod "$RECORDS_KO" && echo 101 0 0 0 >$records/run &&
		[ "$(awk '/CPUS/ { n += $6 } END { print n }' $dir/records)" = 101 ] &&
		unload kstats_records && unload kstats || failed=$((failed + 1))
	i=$((i + 1))
done
is "$CYCLES cycles of load, create, record, remove, unload" $failed 0
echo "# in $(($(date +%s) - start)) s"
i=0 failed=0
while [ $i -lt $((CYCLES / 3)) ]; do
	insmod "$KMOD" && "$TOOL" once >/dev/null && unload kstats || failed=$((failed + 1))
	i=$((i + 1))
done
is "$((CYCLES / 3)) cycles with a node of a BPF program" $failed 0

insmod "$KMOD" max_nodes=16
tool limits limits 16
is "nothing is left" "$(settled)" "0 0"
tool sets sets
is "nothing is left" "$(settled)" "0 0"
unload kstats
insmod "$KMOD" max_mib=0
"$TOOL" once >/tmp/tool 2>&1
is "no room with max_mib=0" "$(cat /tmp/tool)" "tool: create: No space left on device"
unload kstats
insmod "$KMOD" max_nodes=65536 2>/dev/null
is "max_nodes above 65535 is refused" "$(ls -d /sys/module/kstats 2>/dev/null)" ""
tool early early "$KMOD"
insmod "$STRIPPED" 2>/dev/null
is "a module without BTF does not load" "$(ls -d /sys/module/kstats 2>/dev/null)" ""
is "and says why" "$(dmesg | grep -o 'kstats: built without BTF, so no BPF program' | head -n 1)" \
	"kstats: built without BTF, so no BPF program"
# Some kernels refuse it, some take it without its BTF: then it refuses by itself.
insmod "$FOREIGN" 2>/dev/null
is "nor one whose BTF the kernel does not understand" "$(ls -d /sys/module/kstats 2>/dev/null)" ""
is "and its reason is told" "$(dmesg | grep -oE 'kstats: the kernel does not take its BTF|validate module \[kstats\] BTF' |
	sort -u | wc -l)" 1

# ---- kprobes that may not call the module; those of 6.1 are in robust.sh ---- [long]

insmod "$NO_KPROBES" || exit 1
flat() { tr -s '\n ' ' '; }
trace="kstats-bpf trace -d 0.1"
out=$($trace -q -m kprobe vfs_read 2>&1 | flat)
has "kprobes that may not call the module are measured by the map" "$out" \
	'map backend \(the module kstats: kretprobe refused: the kernel.s verifier says: calling kernel function kstats_record is not allowed\).*by kprobe/kretprobe'
has "-v shows the verifier's log" "$($trace -v -m kprobe vfs_read 2>&1 >/dev/null)" \
	'^verifier: calling kernel function kstats_record is not allowed'
$trace -q -m kprobe --backend kmod vfs_read >/dev/null 2>/tmp/err
is "with --backend kmod they are refused" "$? $(grep -c 'function kstats_record is not allowed' /tmp/err)" "4 1"
has "programs of other kinds call it" "$($trace -q -m fentry vfs_read)" 'kmod backend;'
unload kstats

# ---- counts ----

insmod "$KMOD" || exit 1
insmod "$RECORDS_KO" || exit 1
# shellcheck disable=SC2153 # kmod-run sets it
echo "$RECORDS" >$records/run
all=$(echo "$RECORDS" | awk '{ print $1 + $2 + $3 + $4 }')
"$TOOL" read 65537 >/tmp/kfunc
grep '^[0-9]' $records/truth | sort >/tmp/truth
sort /tmp/kfunc >/tmp/sorted
is "$all records from four contexts at once: every slot, CPU and sum" \
	"$(cmp /tmp/truth /tmp/sorted 2>&1)" ""
is "that many they were" "$(awk '{ n += $3 } END { print n }' /tmp/kfunc)" "$all"
is "and in the text of the node" "$(awk '/CPUS/ { n += $6 } END { print n }' $dir/records)" "$all"
is "every row is as the format says" "$(grep -cvE \
	'^slot [0-9 ]{3} CPU[ S] [0-9 ]{4} count [ 0-9]{7}[0-9] avg [ 0-9]{7}[0-9]+ p [01]\.[0-9]{6}$' \
	$dir/records)" 0
is "each context made its own" "$(awk '/^[a-z]/ { print $1, $2 }' $records/truth | xargs)" \
	"$(echo "$RECORDS" | awk '{ print "task", $1, "softirq", $2, "hardirq", $3, "nmi", $4 }')"
for context in hardirq nmi; do
	inside=$(awk -v c=$context '$1 == c { print $3 }' $records/truth)
	is "$context came inside of records ($inside times)" $((inside > 10)) 1
done
rmmod kstats 2>/dev/null
is "no unloading while a module uses it" "$(ls -d /sys/module/kstats)" /sys/module/kstats
echo stop >$dir/records
echo 1009 0 0 0 >$records/run
is "a stopped node keeps its counts" \
	"$(awk '/CPUS/ { n += $6 } END { print n }' $dir/records)" "$all"
echo Reset >$dir/records
is "a reset node has none" "$(cat $dir/records)" ""
echo START >$dir/records
echo 10007 0 0 0 >$records/run
is "a started node counts again" \
	"$(awk '/CPUS/ { n += $6 } END { print n }' $dir/records)" 10007

# ---- who may not have it ---- [7]

without() { # CAPABILITIES ARG...: kstats-bpf trace, its output and status
	caps=$1
	shift
	capsh --drop="$caps" --shell=/bin/sh -- -c "kstats-bpf trace vfs_read -d 0.5 $* 2>&1
		echo status \$?" | tr -s '\n ' ' '
}

has "without CAP_SYS_ADMIN the map does it, and it says why" "$(without cap_sys_admin)" \
	'map backend \(the module kstats: the user lacks CAP_SYS_ADMIN.*status 0'
has "with --backend kmod it is refused" "$(without cap_sys_admin --backend kmod)" \
	'lacks CAP_SYS_ADMIN.*status 4'
has "with all, the module does it" "$(without cap_sys_boot)" 'kmod backend;.*status 0'
# Its BTF, which fentry needs on 6.12, is only for CAP_SYS_ADMIN.
has "without CAP_SYS_ADMIN a function of a module is measured by another method" \
	"$(without cap_sys_admin kstats_records:task_main)" \
	'of task_main by kprobe( session|/kretprobe) \((fexit refused: the BTF of its module cannot be read|it loses no call).*status 0'

# ---- nodes of programs ---- [6.12]

tool owners owners 65537
tool direct direct
tool filter filter
tool array array
tool stuck stuck
tool waits waits

# ---- the example ---- [7]

"$EXAMPLE_PROGRAM" >/tmp/example &
example=$!
while ! grep -q Ctrl-C /tmp/example; do usleep 20000; done
echo reset >$dir/read_sizes
dd if=/dev/zero of=/dev/null bs=3001 count=1009 2>/dev/null
is "the example: 1009 reads of 3001 bytes" \
	"$(grep -E 'slot 75 +CPUS' $dir/read_sizes | awk '{ print $6, $8 }')" "1009 3001"
kill $example
wait $example 2>/dev/null

# ---- the example of a marker in a module ---- [6.12]

marker=/sys/module/kernel_marker/parameters
requests() { awk '/CPUS/ { n += $6 } END { print n + 0 }' $dir/kernel_marker; }
insmod "$MARKER_KO"
echo 1009 >$marker/run
is "a marker that is off records nothing" "$(cat $marker/measure) $(requests)" "N 0"
echo Y >$marker/measure
echo 1013 >$marker/run
is "one that is on records each call" "$(cat $marker/measure) $(requests)" "Y 1013"
echo N >$marker/measure
echo 1019 >$marker/run
is "switched off, it keeps what it has" "$(requests)" 1013
is "the nodes of modules are among the markers" \
	"$(kstats-bpf list --markers 'kernel_mark*' | tr -s ' ')" "node:kernel_marker records"
is "and in JSON" "$(kstats-bpf list --markers --json kernel_marker | grep -o '"kind":"[a-z]*"')" '"kind":"node"'
rmmod kernel_marker

# ---- CPUs that go and come ---- [7]

cpu1=/sys/devices/system/cpu/cpu1/online
echo reset >$dir/records
echo 500009 10007 0 0 >$records/run
before=$(grep -c 'CPU  1' $dir/records)
sum=$(awk '/CPU  1/ { n += $6 } END { print n }' $dir/records)
echo 0 >$cpu1
is "slots of a CPU that went stay" "$(awk '/CPU  1/ { n += $6 } END { print n }' $dir/records)" "$sum"
is "it had some" $((before > 0)) 1
echo 20011 0 0 0 >$records/run
echo 1 >$cpu1
(for i in 1 2 3 4 5; do echo 0 >$cpu1; usleep 200000; echo 1 >$cpu1; usleep 200000; done) &
"$TOOL" writers 10000000 >/tmp/tool 2>&1
wait $!
is "totals are conserved while a CPU goes and comes" "$(grep -c '^ok' /tmp/tool)" 7
grep -v '^ok' /tmp/tool | sed 's/^/# /'
is "all records are there" "$(awk '/CPUS/ { n += $6 } END { print n }' $dir/records)" 530027

# ---- nothing is left of a module ----

unload kstats_records
is "nothing is left" "$(settled)" "0 0"

# ---- many at once ---- [6.12]

tool writers writers "$WRITERS"
tool deletes deletes "$DELETES"
tool hashed hashed 100
tool hostile hostile "$CALLS"
tool refused refused
tool types types "$(uname -r)"
tool files files "$WRITES"
is "nothing is left" "$(settled)" "0 0"

"$TOOL" own watched >/dev/null &
owner=$!
# The file is there before the first record.
while ! grep -q CPUS $dir/watched 2>/dev/null; do usleep 20000; done
rmmod kstats 2>/dev/null
is "no unloading while a program uses it" "$(ls -d /sys/module/kstats)" /sys/module/kstats
i=0 wrong=0
while [ $i -lt "$READS" ]; do
	cat $dir/watched >/tmp/text
	# The last row of each CPU, and of all, must be exactly 1.
	awk '{ k = $3 " " ($3 == "CPU" ? $4 : ""); last[k] = $NF }
		END { for (k in last) if (last[k] != "1.000000") bad = 1; exit bad || !NR }' \
		/tmp/text || { wrong=$((wrong + 1)) && sed 's/^/# /' /tmp/text; }
	i=$((i + 1))
done
is "the p column ends at 1.000000 while it is written" $wrong 0
kill -9 $owner
wait $owner 2>/dev/null
is "nothing is left" "$(settled)" "0 0"

# ---- kill -9 of owners ---- [7]

figures() { awk '/^(Percpu|SUnreclaim):/ { printf "%d ", $2 }' /proc/meminfo; }
"$TOOL" kills 8 >/dev/null
settled >/dev/null
sleep 1
before=$(figures)
tool kills kills "$KILLS"
is "nothing is left of $KILLS killed owners" "$(settled)" "0 0"
# A node that leaks is 16 KiB of Percpu, and 512 bytes of slab: 20 of them are noticed.
flat() {
	after=$(figures)
	echo "$before $after" | awk -v k="$KILLS" '
		{ print ($3 - $1 > 512 + k * 2 || $4 - $2 > 128 + k * 2) ? $0 : "flat" }'
}
waited=0 # what tasks had goes some time after them
while [ "$(flat)" != flat ] && [ $waited -lt 120 ]; do
	sleep 1
	waited=$((waited + 1))
done
echo "# SUnreclaim and Percpu, KiB, before $before after $(figures)"
is "memory is flat" "$(flat)" flat

# ---- at the end ----

unload kstats
is "the module goes" "$(ls -d /sys/module/kstats 2>/dev/null)" ""
plan
