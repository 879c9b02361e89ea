# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Recipes, each beside a load of which is known how often it does what the recipe measures, and for
# how long. Runs inside a guest, as root. Comes in: names of sections (all of them); AT, a folder
# with load, the program of recipes.c, and modules of the kernel; PAGE, docs/coming-from.md; WHOLE,
# which is not empty where nothing is left out. Prints TAP. Called by recipes.t, which runs the
# section "programs" on its own machine, with kstats-bpf in PATH and a folder OUT; then HERE is not
# empty in the guest, which leaves it out.

[ -d /.vm ] || [ "$*" = programs ] || exit 1 # a guest
out=${OUT:-/tmp}
# shellcheck source=tests/tap.sh
. "$TAP"
load=$AT/load
prog=kt-load # what it calls itself
libc=$(ldd "$load" 2>/dev/null | awk '$1 ~ /^libc/ { print $3 }')
[ "$libc" ] || libc=$(find / -xdev -name 'libc.so.6' | head -n 1)

# Runs trace, and leaves of its CSV a row for each slot, with tabs: distribution, kind, shortest
# duration in ns, samples, their sum, key.
trace() { # RECIPE WORD...
	kstats-bpf trace -q -f csv -o "$out/out" "$@" >"$out/said" 2>&1 || sed 's/^/# /' "$out/said"
	tr -d '\r' <"$out/out" | awk 'NR > 1 && match($0, /^[0-9]+,"([^"]|"")*",/) {
		name = substr($0, 4, RLENGTH - 5)
		rest = substr($0, RLENGTH + 1)
		gsub(/"([^"]|"")*",/, "-,", rest)
		split(rest, f, ",")
		by = $0
		sub(/.*,"/, "", by)
		if (f[3] == "all")
			printf "%s\t%s\t%s\t%s\t%s\t,%s,\n", name, f[1], f[5], f[7], f[8],
				substr(by, 1, length(by) - 1)
	}' >"$out/rows"
}

# How many samples of a key, or of all with "", took at least a time.
count() { # KEY NS
	awk -F '\t' -v key=",$1," -v least="$2" '
		$2 == (key == ",," ? "duration" : "key") && $3 >= least &&
			(key == ",," || index($6, key)) { n += $4 }
		END { print n + 0 }' "$out/rows"
}

# The same of the functions whose names end in a word.
calls() { # FUNCTION
	awk -F '\t' -v name="$1" '$2 == "duration" && $1 ~ name "$" { n += $4 } END { print n + 0 }' \
		"$out/rows"
}

sum_ms() { # KEY
	awk -F '\t' -v key=",$1," '$2 == "key" && index($6, key) { ns += $5 } END { printf "%d\n", ns / 1e6 }' \
		"$out/rows"
}

within() { # NAME LEAST NUMBER MOST
	if [ "$2" -le "$3" ] && [ "$3" -le "$4" ]; then
		result ok "$1"
	else
		result 'not ok' "$1: $3 is not from $2 to $4"
	fi
}

# ---- disks ----
disks() {
	insmod "$AT/modules/configfs.ko" 2>/dev/null
	insmod "$AT/modules/null_blk.ko" nr_devices=1 irqmode=2 completion_nsec=5000000 \
		hw_queue_depth=1 queue_mode=2 || return
	trace @biolat -- dd if=/dev/nullb0 of=/dev/null iflag=direct bs=4k count=97 status=none
	is '@biolat: reads' "$(count 'read,nullb0' 0)" 97
	is '@biolat: each takes 5 ms' "$(count 'read,nullb0' 4980000)" 97
	trace @biolat --all -- dd if=/dev/zero of=/dev/nullb0 oflag=direct bs=4k count=53 status=none
	is '@biolat: writes' "$(count 'write,nullb0' 0)" 53
	rmmod null_blk
	insmod "$AT/kstats_parts.ko" half_us=20000 || return
	first=$(awk '{ print $1 }' /sys/block/kt_parts/stat)
	trace @biolat --all -- dd if=/dev/kt_parts of=/dev/null iflag=direct bs=8k count=29 status=none
	is '@biolat: a request that completes in two parts is one' "$(count 'read,kt_parts' 0)" \
		$(($(awk '{ print $1 }' /sys/block/kt_parts/stat) - first))
	is '@biolat: until its last part' "$(count 'read,kt_parts' 38000000)" 29
	rmmod kstats_parts
}

# ---- disks that wait for each other ----
queues() {
	insmod "$AT/modules/configfs.ko" 2>/dev/null
	insmod "$AT/modules/null_blk.ko" nr_devices=1 irqmode=2 completion_nsec=20000000 \
		hw_queue_depth=1 queue_mode=2 submit_queues=1 || return
	echo mq-deadline >/sys/block/nullb0/queue/scheduler
	# shellcheck disable=SC2016 # another shell expands it
	trace @bioqueue --all -- sh -c 'for at in 0 1000; do
		dd if=/dev/nullb0 of=/dev/null iflag=direct bs=4k count=29 skip=$at status=none &
	done; wait'
	is '@bioqueue: each request was in the queue' "$(count read,nullb0 0)" 58
	# Of two that read at a time, one waits while the other is served.
	within '@bioqueue: most wait for as long as another one is served' 50 \
		"$(count read,nullb0 10000000)" 58
	# shellcheck disable=SC2016
	trace @biolat --all -- sh -c 'for at in 0 1000; do
		dd if=/dev/nullb0 of=/dev/null iflag=direct bs=4k count=29 skip=$at status=none &
	done; wait'
	is '@biolat: requests of both' "$(count read,nullb0 0)" 58
	within '@biolat: the time in the queue is not in it' 0 "$(count read,nullb0 38000000)" 20
	rmmod null_blk
}

# ---- tasks ----
tasks() {
	trace @runqlat --all -- "$load" preempt 7 50000
	is '@runqlat: a task that is preempted waits' "$(count kt-waits 45000000)" 7
	within '@runqlat: for as long as the other one runs' "$(cat /tmp/said)" "$(sum_ms kt-waits)" \
		$(($(cat /tmp/said) * 13 / 10 + 50))
	is '@runqlat: the idle task does not wait' "$(count swapper/0 0) $(count swapper/1 0)" '0 0'
	trace @syscalls getppid -- "$load" calls 97
	is '@syscalls NAME: calls' "$(count $prog 0)" 97
	trace @syscalls -- "$load" calls 97
	is '@syscalls: calls by name' "$(count getppid 0)" 97
	trace @offcpu --comm $prog --all -- "$load" sleep 11 100000
	is '@offcpu: sleeps' "$(count $prog 45000000)" 11
	trace @cpudist --comm kt-fifo --all -- "$load" preempt 7 20000
	# A thread of the soft lockup timer comes between each 24 s, so into one of the seven at most.
	# One of the two parts of that has 10 ms, unless it came just in the middle.
	is '@cpudist: each time that it runs' "$(count kt-fifo 10000000)" 7
	trace @futex -- "$load" futex 13 100000
	is '@futex: waits' "$(count $prog 0)" 13
	is '@futex: for as long as they wait' "$(count $prog 25000000)" 13
}

# ---- memory ----
memory() {
	echo 0 >/proc/sys/kernel/randomize_va_space
	# On one processor: a task that moves may come upon a page twice.
	trace @pagefault -- taskset 1 "$load" touch 97
	first=$(count $prog 0)
	trace @pagefault -- taskset 1 "$load" touch 1106
	is '@pagefault: first touches' "$(($(count $prog 0) - first))" 1009
	insmod "$AT/modules/configfs.ko" 2>/dev/null
	insmod "$AT/modules/null_blk.ko" nr_devices=1 gb=4 || return
	stalls() { awk '/^allocstall_/ { n += $2 } END { print n }' /proc/vmstat; }
	echo 300 >/proc/sys/vm/nr_hugepages # of 2 MiB: so that little has to be read until there is none
	first=$(stalls)
	echo 64 >/proc/sys/vm/min_free_kbytes # so that kswapd comes late
	echo 1 >/proc/sys/vm/watermark_scale_factor
	# shellcheck disable=SC2016
	trace @reclaim --all -- sh -c 'for at in 0 1 2 3; do
		dd if=/dev/nullb0 of=/dev/null bs=4M count=30 skip=$((at * 200)) status=none &
	done; wait'
	first=$(($(stalls) - first))
	# 7 skips a program while another task was preempted inside it.
	within '@reclaim: each stall of an allocation' $((first * 95 / 100)) "$(count '' 0)" "$first"
	within '@reclaim: there are some' 1 "$(count '' 0)" 1000000
	echo 0 >/proc/sys/vm/nr_hugepages
	rmmod null_blk
	zones=$(awk '$1 == "present" && $2 > 0 { n++ } END { print n }' /proc/zoneinfo)
	trace @compaction -- sh -c 'echo 1 >/proc/sys/vm/compact_memory'
	is '@compaction: zones' "$(count sh 0)" "$zones"
}

# ---- files ----
vfs() { # each function, and its calls
	for name in vfs_mkdir vfs_rename vfs_unlink vfs_rmdir vfs_read vfs_open iterate_dir; do
		echo "$name $(calls $name)"
	done
}

files() {
	mkdir /tmp/fs
	mount -t tmpfs none /tmp/fs
	trace @fs tmpfs -- dd if=/dev/zero of=/tmp/fs/x bs=4k count=97 conv=fsync status=none
	is '@fs: writes' "$(calls vfs_write)" 97
	trace @fsync -- "$load" fsync 17 /tmp/fs/y
	is '@fsync: calls' "$(count $prog 0)" 17
	trace @vfs -- sh -c "dd if=/tmp/fs/x of=/dev/null bs=4k count=0 status=none; $load tree 13 /tmp/fs"
	vfs >/tmp/first
	trace @vfs -- sh -c "dd if=/tmp/fs/x of=/dev/null bs=4k count=89 status=none; $load tree 110 /tmp/fs"
	is '@vfs: reads, opens, and operations of folders and names' \
		"$(vfs | paste /tmp/first - | awk '{ print $1, $4 - $2 }' | xargs)" \
		'vfs_mkdir 97 vfs_rename 97 vfs_unlink 97 vfs_rmdir 97 vfs_read 89 vfs_open 194 iterate_dir 194'
	umount /tmp/fs
}

# ---- interrupts ----
total() { # FILE ROW
	awk -v row="$2:" '$1 == row { for (i = 2; i <= 3; i++) n += $i } END { print n + 0 }' "$1"
}

interrupts() {
	ip link set lo up 2>/dev/null || ifconfig lo 127.0.0.1 up
	cat /proc/softirqs >/tmp/s1
	trace @softirq --all -- sh -c "cat /proc/softirqs >/tmp/s2; $load connect 53 0 4000; cat /proc/softirqs >/tmp/s3"
	cat /proc/softirqs >/tmp/s4
	within '@softirq: received packets' $(($(total /tmp/s3 NET_RX) - $(total /tmp/s2 NET_RX))) \
		"$(count net_rx 0)" $(($(total /tmp/s4 NET_RX) - $(total /tmp/s1 NET_RX)))
	within '@softirq: there are some' 53 "$(count net_rx 0)" 100000
	cat /proc/softirqs >/tmp/s1
	trace @softirqwait --all -- sh -c "cat /proc/softirqs >/tmp/s2; $load connect 53 0 4200; cat /proc/softirqs >/tmp/s3"
	cat /proc/softirqs >/tmp/s4
	within '@softirqwait: received packets' $(($(total /tmp/s3 NET_RX) - $(total /tmp/s2 NET_RX))) \
		"$(count net_rx 0)" $(($(total /tmp/s4 NET_RX) - $(total /tmp/s1 NET_RX)))
	irqs() { awk '$1 ~ /^[0-9]+:/ { n += $2 + $3 } END { print n }' "$1"; }
	cat /proc/interrupts >/tmp/s1
	trace @hardirq --all -- sh -c 'cat /proc/interrupts >/tmp/s2; for i in 1 2 3 4 5 6 7 8 9; do
		echo "# a line for the console"; sleep 0.01; done >/dev/console; cat /proc/interrupts >/tmp/s3'
	cat /proc/interrupts >/tmp/s4
	within '@hardirq: interrupts of devices' $(($(irqs /tmp/s3) - $(irqs /tmp/s2))) "$(count '' 0)" \
		$(($(irqs /tmp/s4) - $(irqs /tmp/s1)))
	within '@hardirq: there are some' 1 "$(count '' 0)" 100000
}

# ---- network ----
network() {
	ip link set lo up 2>/dev/null || ifconfig lo 127.0.0.1 up
	trace @tcprtt --all --if 'port(sk->__sk_common.skc_dport) == 4100' -- "$load" answers 97 4100
	within '@tcprtt: a segment for each answer' 97 "$(count '' 0)" "$(cat /tmp/said)"
	is '@tcprtt: none of more than ten seconds' "$(count '' 10000000000)" 0
	trace @tcpconnect --all -- "$load" connect 97 13 4300
	is '@tcpconnect: those that were accepted' "$(count 4300 0) $(count 4301 0)" '97 0'
	trace @tcpstates --all -- "$load" connect 53 0 4400
	is '@tcpstates: states of both ends' "$(for state in SYN-SENT SYN-RECV ESTAB FIN-WAIT-1 LAST-ACK LISTEN UNCONN; do
		count $state 0
	done | xargs)" '53 53 106 53 53 1 0'
}

# ---- files of other machines ----
modules() { # NAME...
	for name; do
		[ ! -e "$AT/modules/$name.ko" ] || insmod "$AT/modules/$name.ko" 2>/dev/null
	done
}

far() {
	ip link set lo up 2>/dev/null || ifconfig lo 127.0.0.1 up
	modules sunrpc grace lockd nfs_acl netfs fscache nfs nfsv3
	mkdir -p /tmp/nfs
	trace @nfs --all -- "$AT/nfs" 13 20000 4500 /tmp/nfs
	is '@nfs: reads' "$(count READ 0)" 13
	is '@nfs: each takes 20 ms' "$(count READ 19000000)" 13
	within '@nfs: other requests are told apart' 1 "$(count FSINFO 0)" 2
}

# ---- virtual machines ----
virtual() {
	modules irqbypass ccp kvm kvm-amd
	mount -t debugfs none /sys/kernel/debug 2>/dev/null
	trace @kvm --all -- "$AT/kvm" 97 13 60000
	is '@kvm: each stop that KVM counts, but the last one' "$(count 0 0)" $(($(cat /tmp/said) - 1))
	# A guest that is starved may make some of the others long.
	within '@kvm: for as long as the program takes' 13 "$(count 0 59000000)" 16
}

# ---- what is read ahead ----
ahead() {
	modules configfs
	insmod "$AT/modules/null_blk.ko" nr_devices=1 || return
	exec 9</dev/nullb0 # what is read stays in the cache until the last one closes it
	trace @readahead --all -- "$load" ahead 29 /dev/nullb0 50000
	is '@readahead: each page, once' "$(count $prog 0)" 29
	is '@readahead: for as long as they lie' "$(count $prog 49000000)" 29
	trace @readahead --all -- "$load" ahead 29 /dev/nullb0 50000
	is '@readahead: not those that were there before' "$(count $prog 0)" 0
	exec 9<&-
	rmmod null_blk
}

# ---- others ----
others() {
	trace @iouring --all -- "$load" uring 97
	case $(uname -r) in
	6.1.*) has '@iouring: what this kernel lacks' "$(cat /tmp/said)" \
		'cannot run @iouring: .*io_uring_submit_req.*; it needs Linux 6.4' ;;
	*) is '@iouring: requests' "$(count '' 0)" 97 ;;
	esac
	trace @mutex --comm $prog -- "$load" mutex 5 70000
	within '@mutex: waits of 70 ms' 5 "$(count $prog 60000000)" $((5 + $(cat /tmp/said)))
	address=$(grep -m 1 ' flush_to_ldisc$' /proc/kallsyms)
	trace @workqueue --all --if "(u64)work->func == 0x${address%% *}" -- "$load" tty 97
	is '@workqueue: works' "$(count '' 0)" 97
}

# ---- functions of programs ----
# shellcheck disable=SC2086 # $with is words
programs() {
	# A copy of the library: in the one of this machine all programs would meet the probes.
	mkdir -p "$out/lib"
	cp "$libc" "$out/lib/libc.so.6"
	own=$out/lib/libc.so.6
	with="env LD_LIBRARY_PATH=$out/lib"
	trace @malloc "$own" -- $with "$load" malloc 97
	first=$(count $prog 0)
	trace @malloc "$own" -- $with "$load" malloc 1106
	is '@malloc: calls' "$(($(count $prog 0) - first))" 1009
	trace @dns "$own" --comm getent --all -- $with sh -c 'for i in 1 2 3; do getent ahosts 127.0.0.1; done'
	is '@dns: lookups' "$(count getent 0)" 3
	# Of several functions, whose calls are taken together.
	has 'why @dns' "$(kstats-bpf why -q @dns "$own" --slower 1ns -- $with getent ahosts 127.0.0.1 2>&1)" \
		'^Slow calls of dns [(]entry to return of 3 functions[)]'
}

# ---- recipes in each verb that takes them ----
verbs() {
	for recipe in softirq ${WHOLE:+syscalls runqlat}; do
		kstats-bpf node add "@$recipe"
		"$load" fsync 17 /tmp/y
		is "node add @$recipe" "$(kstats-bpf node show "$recipe" -f json | grep -c '"samples":[1-9]')" 1
		kstats-bpf node rm "$recipe"
		kstats-bpf trace -q "@$recipe" --all --record "/tmp/$recipe.json" -- "$load" fsync 17 /tmp/y >/dev/null
		kstats-bpf check "/tmp/$recipe.json" --assert 'max<100s' >/tmp/said 2>&1
		is "check of a recording of @$recipe" "$? $(grep -c '^kstats-bpf: ' /tmp/said)" '0 0'
		has "why @$recipe" "$(kstats-bpf why -q "@$recipe" --slower 1ns --all -- "$load" fsync 17 /tmp/y 2>&1)" \
			"^Slow calls of $recipe "
		has "top @$recipe" "$(kstats-bpf top "@$recipe" --frames 2 -i 0.5 2>&1)" "^$recipe +[0-9]"
	done
	for recipe in ${WHOLE:+vfs futex}; do
		has "why @$recipe" "$(kstats-bpf why -q "@$recipe" --slower 1ns -- sh -c "$load fsync 17 /tmp/y; getent ahosts 127.0.0.1" 2>&1)" \
			"^Slow calls of $recipe [(]entry to return of [48] functions[)]"
	done
}

# ---- what the verifier has most to go through: keys that are read at the end ----
heavy() {
	[ ! "$WHOLE" ] || has 'why with a key of the end' "$(kstats-bpf why -q vfs_read --by comm --slower 1ns -- "$load" fsync 17 /tmp/y 2>&1)" \
		'^Slow calls of vfs_read '
	kstats-bpf why -q @fsync --slower 1ns --record /tmp/fsync.json -- "$load" fsync 17 /tmp/y >/tmp/said 2>&1
	is 'why @fsync: calls' "$(sed -n 's/.*"calls":\([0-9]*\),"slow".*/\1/p' /tmp/fsync.json)" 17
	has 'why @reclaim' "$(kstats-bpf why -q @reclaim --slower 1ns -- true 2>&1)" '^Slow calls of reclaim '
}

# ---- the page for those who know other tools: cli/recipes.t has it on the tester's machine ----
# The last words in quotes of each row are ours. What a shell would not take literally is in quotes.
words() {
	# shellcheck disable=SC2016
	sed -n 's/^| .*`\(kstats-bpf [^`]*\)` |$/\1/p' "$PAGE" >/tmp/words
	cp "$load" /tmp/prog && cd /tmp || return
	is 'rows of coming-from.md' "$(($(wc -l </tmp/words) > 25))" 1
	while read -r line; do
		eval "$line --dry-run" >/tmp/said 2>&1 </dev/null
		is "coming-from.md: ${line#kstats-bpf }" "$? $(grep -c '^kstats-bpf: ' /tmp/said)" '0 0'
	done </tmp/words
}

# ---- commands of the pages ----
# $AT/pages runs them: see pages.py. They find programs in /tmp, and in $PATH what makes a load.
pages() {
	[ -e "$AT/pages" ] || return 0
	mkdir -p /tmp/bin /tmp/own /tmp/m
	export AT PATH="/tmp/bin:$PATH"
	for name in prog slow old new benchmark; do cp "$AT/prog" /tmp/own/$name; done
	cp "$AT/prog" "$load" /tmp/bin
	printf '#!/bin/sh\ndd if=/dev/zero of=/dev/null bs=1 count=97\n' >/tmp/bin/make
	cat >/tmp/bin/disk <<-'EOF'
		#!/bin/sh
		# NANOSECONDS: a disk that takes them for a request, and has one at a time.
		rmmod null_blk
		insmod "$AT/modules/configfs.ko"
		insmod "$AT/modules/null_blk.ko" nr_devices=1 irqmode=2 completion_nsec=$1 \
			hw_queue_depth=1 queue_mode=2 submit_queues=1
		echo mq-deadline >/sys/block/nullb0/queue/scheduler
	EOF
	cat >/tmp/bin/lost <<-'EOF'
		#!/bin/sh
		# Connects to an address that never answers.
		insmod "$AT/modules/dummy.ko"
		ip link set dummy0 up
		ip addr add 10.9.9.1/24 dev dummy0
		while :; do
			for port in 443 80 443 8080; do nc -w 3 10.9.9.9 $port & done
			sleep 0.2
		done
	EOF
	chmod 755 /tmp/bin/*
	ip link set lo up 2>/dev/null || ifconfig lo 127.0.0.1 up
	cd /tmp/own || return
	# shellcheck source=/dev/null
	. "$AT/pages"
	kstats-bpf node rm --all >/dev/null 2>&1
}

programs=programs
[ -z "${HERE-}" ] || programs=
# shellcheck disable=SC2086 # it may be nothing
[ $# -gt 0 ] || set -- disks tasks memory files interrupts network others virtual ahead $programs verbs ${WHOLE:+queues far heavy words} pages
for section; do
	"$section"
done
plan
