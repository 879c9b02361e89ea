# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Nodes with --by: each key has exactly its calls over start, stop and reset, also where keys
# come while others read, and where a reset comes in between. Runs inside a guest, as root; prints
# TAP. KILLS says how many, WHOLE that nothing is left out. Called by node-run with nothing, which is
# all sections, or with some.

# shellcheck source=tests/vm/nodes.sh
. "$NODES"

# Keys and their samples on one line, from CSV, and those of no key.
table() {
	awk -F , '$5 == "all" && $3 != "duration" && $3 != "value" { n[$3 == "key" ? $NF : "other"] += $9 }
		END { for (k in n) if (n[k]) print k "=" n[k] }' |
		tr -d "\"'\r" | sort | tr '\n' ' '
}
keys() { kstats-bpf node show "$1" -f csv | table; }

# What call i of kt_expr gives, as in exact_expr.py; the same for calls from FROM on.
rets() { # CALLS [FROM]
	awk -v n="$1" -v from="${2:-0}" 'BEGIN { split("-ESRCH,-ENOENT,-EPERM,0,1,2,3", names, ",")
		for (i = from; i < n; i++) c[names[i % 7 + 1]]++
		for (k in c) print k "=" c[k] }' | sort | tr '\n' ' '
}
names() { # CALLS: object->name; NULL and an address without memory are lost
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) if (i % 10 > 1) c["kt" i % 5]++
		for (k in c) print k "=" c[k] }' | sort | tr '\n' ' '
}
twice() { awk '{ for (i = 1; i <= NF; i++) { split($i, p, "="); printf "%s=%d ", p[1], 2 * p[2] } }'; }

[ -z "$KMOD" ] || insmod "$KMOD"
before=$(objects)

# ---- exact, each step by another process ----
exact() { # OPTION...
	kstats-bpf node add keys kt_expr --by ret --limit keys=16 "$@"
	is "$*: add" $? 0
	is 'no key has come' "$(field keys keys) of $(field keys max_keys), $(field keys distributions)" \
		"0 of 16, $((1 + doubted))"
	has 'CSV has a column for them already' "$(kstats-bpf node show keys -f csv | tr -d '\r')" ',by$'
	echo 10007 >$dir/expr
	is 'each key has its calls' "$(keys keys)" "$(rets 10007)"
	has 'the account' "$(ledger keys)" '10,007 started = 10,007 recorded still running'
	is 'a list counts keys and calls' "$(field keys keys) $(field keys count)" '7 10007'
	has 'in words, too' "$(kstats-bpf node ls)" ' 10,007 .* 7 of 16 keys: kt_expr --by ret '
	kstats-bpf node stop keys
	echo 1009 >$dir/expr
	is 'stopped: nothing is counted, and they stay' "$(keys keys)" "$(rets 10007)"
	has 'the account is final' "$(ledger keys)" \
		'10,007 started = 10,007 recorded balanced, nothing lost'
	kstats-bpf node start keys
	echo 10007 >$dir/expr
	is 'started again: the same keys go on' "$(keys keys)" "$(rets 10007 | twice)"
	kstats-bpf node reset keys
	is 'a reset forgets them' "$(keys keys) $(field keys keys)" ' 0'
	echo 3 >$dir/expr
	is 'those that come now have their own' "$(keys keys)" "$(rets 3)"
	kstats-bpf node stop keys
	kstats-bpf node reset keys
	echo 17 >$dir/expr
	is 'reset while it is stopped' "$(keys keys) $(field keys keys) $(field keys state)" \
		' 0 stopped'
	kstats-bpf node rm keys
	is 'nothing is left' "$(settled "$before") $(find $root -mindepth 1 | wc -l)" "$before 0"
}
by_exact() {
	# Where tasks are preempted in programs, there is a distribution for what cannot be verified.
	doubted=0
	case $(uname -r) in 7.*) doubted=1 ;; esac
	# Each way to keep keys on one of the kernels.
	old=$WHOLE new=$WHOLE
	if [ $doubted = 0 ]; then old=yes; else new=yes; fi
	if [ "$old" ]; then
		exact --method kprobe
		exact --method fentry --limit memory=200k
	fi
	[ ! "$new" ] || exact --value wide --unit none
	[ "$KMOD" ] || return
	[ ! "$new" ] || exact --method fentry --backend kmod
	[ ! "$old" ] || exact --method fentry --backend kmod --limit memory=200k
	kstats-bpf node add keys kt_expr --by ret --backend kmod --limit memory=200k
	out=$(rmmod kstats 2>&1)
	has 'the module stays while a node has keys in it' "$? $out" '^1 .*(temporarily unavailable|in use)'
	kstats-bpf node rm keys
}

labels() { sed -n 's/^kstats_[a-z_]*_count{.*kind="key",\(.*\)} \([0-9]*\)$/\1 \2/p' | sort; }

# ---- places that another CPU is filling at that moment: nobody waits ----
mark() { # NODE NUMBER: of every second place
	places=$(bpftool map show pinned $root/"$1"/by | sed -n 's/.*max_entries \([0-9]*\) .*/\1/p')
	awk -v n="$places" -v by="$root/$1/by" -v first="0$2" 'BEGIN {
		for (i = 0; i < n; i += 2)
			printf "map update pinned %s key hex %02x %02x 00 00 value hex %s%s\n", by, i % 256,
				int(i / 256), first, " 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
	}' >/tmp/places
	bpftool batch file /tmp/places >/dev/null
}
used() { # NODE: places with a key
	bpftool -j map dump pinned $root/"$1"/by | grep -o '"value":\["0x[0-9a-f]*"' | grep -vc '"0x00"'
}
by_filling() {
	kstats-bpf node add late kt_empty --by arg --limit keys=64
	mark late 1
	echo 31 >$dir/empty
	is 'keys go to the places behind' "$(keys late | tr ' ' '\n' | grep -c '=1$') $(field late keys)" '31 31'
	mark late 0
	echo 31 >$dir/empty
	is 'each has all its calls' "$(keys late | tr ' ' '\n' | grep -c '=2$')" 31
	has 'some have a second place, and count once' "$(used late) $(field late keys)" \
		'^(3[2-9]|[45][0-9]|6[0-2]) 31$'
	is 'and are shown once' "$(kstats-bpf node show late -f openmetrics | labels | grep -c ' 2$')" 31
	has 'the account' "$(ledger late)" '62 started = 62 recorded still running'
	kstats-bpf node rm late
}

# ---- keys of text, and through pointers ----
as() { (printf %s "$1" >/proc/self/comm && echo "$2" >$dir/"$3"); }
by_text() {
	kstats-bpf node add names kt_expr --by 'object->name'
	echo 10007 >$dir/expr
	is 'members of pointers' "$(keys names)" "$(names 10007)"
	has 'those that cannot be read are lost' "$(ledger names)" \
		'10,007 started = 8,005 recorded \+ 2,002 unreadable'
	kstats-bpf node rm names
	kstats-bpf node add signs kt_expr --by 'middle / 99'
	echo 10007 >$dir/expr
	is 'numbers below zero' "$(keys signs)" '-1=100 0=9907 '
	kstats-bpf node rm signs
	kstats-bpf node add at kt_expr --by object
	echo 10007 >$dir/expr
	has 'addresses' "$(keys at)" '^0x0=1001 0xdead000000000000=1001 0xffff[0-9a-f]{12}=8005 $'
	kstats-bpf node rm at
	kstats-bpf node add who kt_expr kt_ret --merge --by comm,ret
	as first 7 expr
	as 'a"b\{c' '1009 1009' ret
	is 'several functions in one distribution, and what a metric must escape' \
		"$(kstats-bpf node show who -f openmetrics | labels | tr '\n' ' ')" \
		'comm="a\"b\\{c",ret="-EIO" 1009 comm="first",ret="-ENOENT" 1 comm="first",ret="-EPERM" 1 comm="first",ret="-ESRCH" 1 comm="first",ret="0" 1 comm="first",ret="1" 1 comm="first",ret="2" 1 comm="first",ret="3" 1 '
	is 'export has the same labels' "$(kstats-bpf node export | labels)" \
		"$(kstats-bpf node show who -f openmetrics | labels)"
	for format in summary json html hist hgrm classic svg; do
		has "$format has the keys" "$(kstats-bpf node show who -f $format)" 'first'
	done
	kstats-bpf node rm who
	kstats-bpf node add two kt_expr kt_empty --by 'cpu*0+5'
	echo 1009 >$dir/expr
	echo 503 >$dir/empty
	is 'the same key of two functions' "$(kstats-bpf node show two -f csv |
		awk -F , '$3 == "key" && $5 == "all" { n[$2] += $9 } END { for (k in n) print k, n[k] }' |
		tr -d '"' | sort | tr '\n' ' ')" 'two:kt_empty{cpu_0_5=5} 503 two:kt_expr{cpu_0_5=5} 1009 '
	out=$(kstats-bpf node show two -f json)
	is 'and each is in its own account' "$(echo "$out" | grep -oE '"(started|recorded)":[0-9]*' | tr '\n' ' ')" \
		'"started":1009 "recorded":1009 "started":503 "recorded":503 '
	kstats-bpf node rm two
}

# ---- more keys than fit ----
by_few() {
	kstats-bpf node add few kt_empty --by arg --limit keys=101
	echo 10007 >$dir/empty
	is 'the first have a distribution, and the rest is exact' "$(keys few)" "$(
		awk 'BEGIN { print "other=9906"; for (i = 0; i < 101; i++) print i "=1" }' | sort | tr '\n' ' ')"
	has 'a list tells' "$(kstats-bpf node ls)" ' 101 of 101 keys: '
	kstats-bpf node reset few
	echo 2 >$dir/empty
	is 'after a reset there is room again' "$(keys few)" '0=1 1=1 '
	kstats-bpf node rm few
}

# ---- key 1 has fewer samples and greater ones than key 0 ----
first() { kstats-bpf node show order "$@" | awk '/^ *by /{ getline; print $1 }'; }
by_sorted() {
	kstats-bpf node add order kt_empty --value arg --unit none --by 'arg / 900'
	echo 1000 >$dir/empty
	is 'sorted by total, by count, by median' \
		"$(first) $(first --sort count) $(first --sort p50)" '0 0 1'
	out=$(kstats-bpf node show order --sort waste 2>&1)
	has 'not by what only memory events have' "$? $out" "^2 .*cannot sort by 'waste': no memory events are shown"
	kstats-bpf node add order2 kt_empty --by arg --sort count 2>/tmp/err
	has 'a node has no order' "$? $(cat /tmp/err)" '^2 .*cannot use --sort for a node'
	kstats-bpf node rm order
}

# ---- calls that are open at a stop or a reset ----
by_open() {
	kstats-bpf node add open kt_block --by comm
	as before 1 block
	kstats-bpf node reset open
	as after 1 block
	echo 1 >$dir/unblock
	is 'open at the reset: no sample, and the key of none' "$(kstats-bpf node show open -f csv |
		awk -F , '$3 == "key" && $5 == "all" { n += $9 } END { print n + 0 }') $(field open count)" '1 1'
	has 'its end has no start' "$(ledger open)" '1 started = 1 recorded and 1 end without a start'
	kstats-bpf node rm open
}

# ---- kept in a file ----
by_kept() {
	kstats-bpf node add kept kt_expr --by ret
	echo 1009 >$dir/expr
	kstats-bpf node show kept --record /tmp/a.json >/dev/null
	is 'a recording has the keys' "$(kstats-bpf report /tmp/a.json -f csv | table)" "$(keys kept)"
	kstats-bpf node reset kept
	echo 3 >$dir/expr
	kstats-bpf node show kept --record /tmp/b.json >/dev/null
	out=$(kstats-bpf diff /tmp/a.json -- /tmp/b.json)
	has 'compared by key' "$out" 'kept\{ret="-ENOENT"\}'
	has 'and those that are missing are told' "$out" 'ret="3"'
	out=$(kstats-bpf check /tmp/b.json --assert 'max<1ns')
	has 'and judged, each for itself' "$? $(echo "$out" | tr '\n' ' ')" \
		'^1 .*kept\{ret="-ENOENT"\}.*kept\{ret="-EPERM"\}'
	kstats-bpf node rm kept
}

# ---- watched ----
watch() { # in the background; its clock starts when it has read what came before
	kstats-bpf node show seen -i 1000 -f csv >/tmp/seen &
	pid=$!
	until grep -q '^it_interval: (1000,' /proc/$pid/fdinfo/* 2>/dev/null; do usleep 100000; done
}
next() { # PERIOD: ends it, and waits for its rows
	kill -USR1 "$pid"
	tries=0
	until grep -q "^$1," /tmp/seen || [ $tries -gt 3000 ]; do
		usleep 100000
		tries=$((tries + 1))
	done
}
by_watched() {
	# All in one slot of one CPU: a slot with fewer than before tells of a reset by itself.
	kstats-bpf node add seen kt_expr --by ret --value 7 --unit none
	taskset 1 sh -c "echo 503 >$dir/expr"
	watch
	taskset 1 sh -c "echo 1009 >$dir/expr"
	next 1
	kstats-bpf node reset seen
	taskset 1 sh -c "echo 10007 >$dir/expr"
	next 2
	kill -INT $pid
	wait $pid
	is 'watched: keys that came since' "$(grep '^1,' /tmp/seen | table)" "$(rets 1009)"
	is 'and all of them after a reset' "$(grep '^2,' /tmp/seen | table)" "$(rets 10007)"
	kstats-bpf node rm seen
}

# ---- keys from all CPUs at the same moment ----
by_moment() {
	kstats-bpf node add many kt_empty --by arg --limit keys=512
	echo empty 401 >$dir/par
	is 'all of them come, once' "$(keys many)" "$(
		awk -v cpus="$(nproc)" 'BEGIN { for (i = 0; i < 401; i++) print i "=" cpus }' | sort | tr '\n' ' ')"
	kstats-bpf node rm many
}

# ---- two readers, while processes on all CPUs come, each of which is a key ----
come() {
	for _ in $(seq 50); do
		(echo 101 >$dir/empty)
		usleep 20000
	done
}
line() { grep -o "\"$1\":[0-9]*" /tmp/many | head -n 1 | cut -d : -f 2; } # KEY: of the ledger
by_readers() {
	kstats-bpf node add many kt_empty --by pid
	rm -f /tmp/stop
	for reader in 1 2; do
		(
			bad=0
			reads=0
			last=0
			while [ ! -e /tmp/stop ]; do
				kstats-bpf node show many -f csv >/tmp/read.$reader || bad=$((bad + 1))
				# Each key once, with no more calls than it makes; none goes again.
				n=$(awk -F , -v last="$last" '
					$3 == "key" && $5 == "all" { n[$NF] += $9; name[$NF] = name[$NF] == "" ||
						name[$NF] == $2 ? $2 : "two" }
					$3 == "other" && $5 == "all" { other += $9 }
					END { for (k in n) { keys++; bad += (n[k] > 101 || name[k] == "two") }
						print (bad || other || keys < last ? "bad" : keys + 0) }' /tmp/read.$reader)
				case $n in
				'' | bad) bad=$((bad + 1)) ;;
				*)
					[ "$n" != "$last" ] && reads=$((reads + 1))
					last=$n
					;;
				esac
			done
			echo "$bad $((reads > 2))" >/tmp/bad.$reader
		) &
	done
	come &
	half=$!
	come
	wait $half
	: >/tmp/stop
	wait
	is 'two readers: no key is twice there, or goes' "$(cat /tmp/bad.1 /tmp/bad.2 | xargs)" '0 1 0 1'
	# The kernel skips programs of kprobes while the look-up of a reader runs.
	kstats-bpf node show many -f json >/tmp/many
	skipped=$(line skipped)
	is 'none is lost unsaid' "$(($(line started) + skipped))" 10100
	is 'keys hold all that is recorded' \
		"$(keys many | tr ' ' '\n' | awk -F = '{ n += $2 } END { print n }')" "$(line recorded)"
	[ "$skipped" != 0 ] || is 'each of them is exact' \
		"$(keys many | tr ' ' '\n' | sed 's/.*=//' | sort | uniq -c | xargs)" '100 101'
	kstats-bpf node rm many
}

# ---- the samples of a key are those of no other: each is its key, so their sum tells ----
mixed() { # rows of keys whose sum is not that of their samples
	kstats-bpf node show "$1" -f csv | awk -F , '$3 == "key" && $5 == "all" {
		gsub("[\"\r]", "", $NF); n[$NF] += $9; sum[$NF] += $10 }
		END { for (k in n) { keys++; bad += (sum[k] != k * n[k]) } print bad + 0, (keys > 0) }'
}
until_all() { # waits until all keys have come
	tries=0
	until [ "$(field mix keys)" = 211 ] || [ $tries = 600 ]; do
		usleep 100000
		tries=$((tries + 1))
	done
}
calls_forever() { while echo empty 211 >$dir/par; do usleep 5000; done; }
mix() { # OPTION...
	kstats-bpf node add mix kt_empty --value arg --unit none --by arg --limit keys=250 "$@"
	calls_forever &
	loader=$!
	i=0
	bad=0
	resets=${WHOLE:+12}
	while [ $i -lt "${resets:=6}" ]; do
		kstats-bpf node reset mix || bad=$((bad + 1))
		i=$((i + 1))
		usleep $((i % 4 * 20000))
	done
	until_all
	kill $loader
	wait $loader 2>/dev/null
	kstats-bpf node stop mix
	is "$* $resets resets beside calls: no key has the samples of another" "$bad $(mixed mix)" '0 0 1'
	is 'none is missing' "$(field mix keys)" 211
	has 'and all are accounted for' "$(ledger mix)" 'balanced(, nothing lost|; LOST)'
	kstats-bpf node rm mix
}
by_mixed() {
	mix --backend map
	[ -z "$KMOD" ] || mix --backend kmod --limit memory=2M
}

# ---- killed at any moment ----
# shellcheck disable=SC2034 # nodes.sh uses them
victim=mix others='--by arg'
check() { # NUMBER; what there is has all its parts
	right=0
	kstats-bpf node ls >/tmp/ls 2>/tmp/err || right=1
	sed 's/^/# /' /tmp/err
	kstats-bpf node show --all -f json >/dev/null 2>/tmp/err || right=1
	sed 's/^/# /' /tmp/err
	[ $(($1 % 6)) != 4 ] || kstats-bpf node start mix
	return $right
}
by_kills() {
	kstats-bpf node add mix kt_empty --value arg --unit none --by arg --limit keys=250
	calls_forever &
	loader=$!
	measure_runs
	kstats-bpf node start mix
	kill_runs
	is "$KILLS kills (-9): every node that is there can be listed and shown" $bad 0
	kstats-bpf node start mix
	until_all
	kill $loader
	wait $loader 2>/dev/null
	kstats-bpf node stop mix
	is 'the one they were about still has each sample at its key' "$(mixed mix)" '0 1'
	has 'and balances' "$(ledger mix)" 'balanced'
	kstats-bpf node rm --all
	is 'and all of them go' "$(settled "$before") $(ls -d $root 2>/dev/null)" "$before "
}

# ---- nodes that cannot be trusted ----
description() { # FILE
	bpftool -j map dump pinned "$1" | grep -o '"value":\[[^]]*\]' | head -n 1 |
		sed 's/"value":\[//; s/["],*]*//g; s/0x/\\x/g'
}
add_mine() { # and keeps its description
	kstats-bpf node add mine kt_expr --by comm,ret
	# shellcheck disable=SC2059
	printf "$(description $root/mine/meta)" | tr -d '\0' >/tmp/described
}
forge() { # SED: changes the description
	sed "$1" /tmp/described >/tmp/meta
	rm $root/mine/meta
	size=$(($(wc -c </tmp/meta) + 1))
	bpftool map create $root/mine/meta type array key 4 value $size entries 1 name x
	# shellcheck disable=SC2046
	bpftool map update pinned $root/mine/meta key 0 0 0 0 value $(od -An -tu1 -v /tmp/meta | tr '\n' ' ') 0
}
damaged() { # SED PATTERN
	forge "$1"
	out=$(kstats-bpf node show mine 2>&1)
	has "damaged: $1" "$? $out" "^2 .*cannot use the node 'mine': $2.*kstats-bpf node rm"
}
by_damaged() {
	add_mine
	forge 's/nothing/nothing/'
	has 'a node with keys has a version of its own' "$(cat /tmp/meta)" '"version":11,'
	echo 7 >$dir/expr
	is 'what is not changed can be read' "$(field mine keys) $(kstats-bpf node show mine >/dev/null; echo $?)" '7 0'
	rm $root/mine/by
	has 'without its keys' "$(kstats-bpf node show mine 2>&1)" "its table of keys cannot be used: No such"
	has 'also in a list' "$(kstats-bpf node ls 2>&1)" "its table of keys cannot be used: No such"
	bpftool map create $root/mine/by type array key 4 value 40 entries 1024 name x
	has 'with others' "$(kstats-bpf node show mine 2>&1)" "its table of keys cannot be used: Invalid"
	kstats-bpf node rm mine
	add_mine
	damaged 's/"words":2/"words":3/' 'its table of keys cannot be used'
	damaged 's/"words":2/"words":17/' "it is damaged: 'words'"
	damaged 's/"most":256/"most":255/' 'its cells cannot be used'
	damaged 's/"most":256/"most":16385/' "it is damaged: 'most'"
	damaged 's/"most":256/"most":0/' 'it is damaged: its keys cannot be read'
	damaged 's/"taken_at":[0-9]*/"taken_at":3/' 'it is damaged: its keys cannot be read'
	damaged 's/"taken_at":[0-9]*/"taken_at":999999/' "it is damaged: 'taken_at'"
	damaged 's/"label":"ret"/"label":"le"/' 'it is damaged: a part of its keys is not valid'
	damaged 's/"parts":\[.*\]},/"parts":[]},/' 'it is damaged'
	kstats-bpf node rm mine
	is 'nothing is left at all' "$(settled "$before")" "$before"
}

[ $# != 0 ] || set -- exact filling text few sorted open kept watched moment readers mixed kills damaged
for section in "$@"; do
	"by_$section"
done
plan
