# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Nodes in programs outlive their command and the program, count exactly over stop, start and
# reset, keep semaphores raised while they run, and tell when the file was replaced. Runs as root,
# in a guest or on this machine, with a BPF file system of its own; prints TAP. Needs kstats-bpf in
# PATH; FOLDER has the program and the library, METHODS are those that load, KILLS says how often.
# Called by uprobes-run.

# shellcheck source=tests/tap.sh
. "$TAP"
tmp=$(mktemp -d)
one=''
trap 'kill -9 $one 2>/dev/null; kstats-bpf node rm --all 2>/dev/null; rm -r "$tmp"' EXIT
cp "$FOLDER/uprobes" "$tmp/program"
program=$tmp/program library=$FOLDER/libup.so root=/sys/fs/bpf/kstats
mount -t bpf bpf /sys/fs/bpf 2>/dev/null

field() { # NODE KEY: of node ls
	kstats-bpf node ls --json 2>/dev/null | tr '{' '\n' | grep "\"name\":\"$1\"" |
		sed "s/.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/"
}
# What the ledger says in words, on one line.
ledger() { kstats-bpf node show "$1" 2>/dev/null | tr '\n' ' ' | sed 's/  */ /g' | grep -o 'ledger.*'; }
after() { "$program" after; } # 17 calls of up_after()
node() { kstats-bpf node "$@" 2>"$tmp/err"; }
now() { cut -d ' ' -f 1 /proc/uptime | tr -d .; } # in 10 ms
left() { find /sys/fs/bpf -mindepth 1 ! -name '*.debug' | wc -l; }
# Another process opens the links of the node "again", until nobody has descriptor 9 any more.
hold() {
	mkfifo "$tmp/hold" "$tmp/held"
	# shellcheck disable=SC2046
	"$program" hold $(find $root/again -name 'link-*') <"$tmp/hold" >"$tmp/held" &
	exec 9>"$tmp/hold"
	is "$method: another process opens its links" "$(head -n 1 "$tmp/held")" held
	rm "$tmp/hold" "$tmp/held"
}

node add lost --start "usdt:$program:guarded:begin" --end "usdt:$program:guarded:lost"
has 'a semaphore that cannot be raised' "$? $(cat "$tmp/err")" \
	"2 .*cannot trace 'guarded:lost' of .*its semaphore is not in the file"

session() { [ "$method" = uprobe-session ]; }

# ---- one function: no process of ours, the program ends and begins again ----
for method in $METHODS; do
	node add "u:$program:up_after" --throws -m "$method"
	is "$method: add" $? 0
	after
	after
	is "$method: two runs of the program" "$(field up_after count)" 34
	node stop up_after
	after
	is "$method: stopped" "$(field up_after count) $(field up_after state)" '34 stopped'
	has "$method: the account is final" "$(ledger up_after)" \
		'34 started = 34 recorded balanced, nothing lost'
	is "$method: nothing is attached" "$(find $root/up_after -name 'link-*' | wc -l)" 0
	node start up_after
	is "$method: start" $? 0
	after
	is "$method: started again" "$(field up_after count)" 51
	node reset up_after
	after
	is "$method: reset" "$(field up_after count) $(field up_after state)" '17 running'
	has "$method: export" "$(kstats-bpf node export | grep ^kstats_duration_seconds_count)" \
		'node="up_after".* 17$'
	has "$method: the words tell the program" "$(field up_after words)" "u:$program:up_after"
	has "$method: the description tells the file" "$(kstats-bpf node ls --json)" \
		"\"files\":\[\{\"path\":\"$program\",\"build_id\":\"[0-9a-f]*\"\}\]"
	node rm up_after
done

# ---- who listens, and a file that is replaced ---- [here]
for method in $METHODS; do
	programs=2
	! session || programs=1 # it sees entry and return
	node add "u:$program:up_after" --throws -m "$method"
	after
	# Of links for one place the kernel does not tell the file.
	heard=$(kstats-bpf list --markers --listened "u:$program" 2>&1)
	case $method in
	uprobe-*)
		has "$method: list tells who listens" "$heard" "attached: BPF program [0-9]+, 'kstats', pinned"
		is "$method: to the entry and the return of one function" "$(echo "$heard" |
			grep -c '^u:') $(echo "$heard" | grep -c 'attached:')" "1 $programs"
		;;
	*) has "$method: nobody who is known" "$heard" 'nothing is attached to what matches' ;;
	esac
	kstats-bpf trace -q --throws "u:$program:up_work" -m "$method" -d 60 >/dev/null 2>&1 &
	one=$! tries=0
	heard() { kstats-bpf list --markers --listened --json "u:$program:up_work" 2>/dev/null; }
	while [ ! "$(heard)" ] && [ $tries -lt 300 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	has "$method: and of which process" "$(heard)" "\"pid\":$one,\"comm\":\"kstats-bpf\""
	kill -INT $one
	wait $one
	one=

	cp "$program" "$tmp/new"
	touch "$program"
	is "$method: a file that was touched is the same" "$(field up_after state)" running
	mv "$tmp/new" "$program"
	after
	is "$method: a new file is not measured" "$(field up_after count) $(field up_after state)" \
		'17 lost'
	has "$method: ls tells it" "$(kstats-bpf node ls 2>&1)" \
		"'up_after' is lost: $program was replaced by another copy"
	has "$method: and show" "$(kstats-bpf node show up_after | tr '\n' ' ' | sed 's/  */ /g')" \
		"MISSING: $program was replaced by another copy of it: programs that use the new file"
	has "$method: and doctor" "$(kstats-bpf doctor)" \
		"^node up_after +no +$program was replaced .*; remove it, and add it again"
	node stop up_after
	is "$method: doctor says nothing of what is stopped" "$(kstats-bpf doctor | grep -c '^node')" 0
	node start up_after
	is "$method: it cannot be started" "$?: $(field up_after count)" '4: 17'
	has "$method: for that reason" "$(cat "$tmp/err")" 'was replaced .*remove it, and add it again'
	rm "$program"
	node rm up_after
	cp "$FOLDER/uprobes" "$program"
done

# ---- many functions at once, and what the ledger knows of them ---- [here]
for method in $METHODS; do
	never='6 started = 0 recorded \+ 6 task ended'
	! session || never='6 started = 0 recorded \+ 6 no end seen'
	node add all "u:$program:up_*" --throws -m "$method"
	node add lib "u:$library:lib_*" -m "$method"
	"$program" all "$library" >/dev/null
	node stop all
	node stop lib
	show=$(kstats-bpf node show all -f json)
	calls() { echo "$show" | tr '{' '\n' | grep -A 20 "\"name\":\"all:$1\"" | grep -o '"samples":[0-9]*' | head -n 1; }
	is "$method: calls that return" "$(calls up_thread) $(calls up_child) $(calls up_recursive)" \
		'"samples":1688 "samples":91 "samples":33'
	is "$method: calls that longjmp ends" "$(calls up_jump) $(calls up_after)" '"samples":16 "samples":17'
	has "$method: all accounts are closed" "$(ledger all)" 'started = .* balanced'
	is "$method: a library that is loaded five times" "$(field lib count)" 115
	node rm --all
	node add leave "u:$program:up_leave" --throws -m "$method"
	"$program" all "$library" >/dev/null
	node stop leave
	node start leave
	"$program" all "$library" >/dev/null
	show=$(ledger leave)
	node stop leave
	has "$method: calls that never end, also after a stop" "$show; $(ledger leave)" \
		"$never.*; .*$never"
	node rm leave
done

# ---- pairs and values ---- [here]
for method in $METHODS; do
	! session || continue
	# At several places.
	node add marks --start "usdt:$program:kstats:mark_begin" --end "usdt:$program:kstats:mark_end" \
		-m "$method"
	"$program" all "$library" >/dev/null
	is "$method: marks at two places each" "$(field marks count)" 20
	node stop marks
	"$program" all "$library" >/dev/null
	node start marks
	"$program" all "$library" >/dev/null
	has "$method: stopped and started" "$(ledger marks)" '40 started = 40 recorded'
	node rm marks

	# Joined by a key: 3,151 jobs are put, see uprobes.sh.
	node add jobs --start "usdt:$program:jobs:put[arg0]" --end "usdt:$program:jobs:take[arg1]" \
		-m "$method"
	"$program" jobs
	has "$method: jobs from one thread to another" "$(ledger jobs)" \
		'3,151 started = 2,910 recorded \+ 99 in flight \+ 142 started again'
	node rm jobs

	# Values, by the argument of a static probe.
	node add values "usdt:$program:spots:spot" --value arg1 -m "$method"
	"$program" args
	node stop values
	"$program" args
	node start values
	"$program" args
	is "$method: values" "$(field values count) $(kstats-bpf node show values -f json |
		grep -o '"sum":{"lo":[0-9]*' | head -n 1 | grep -o '[0-9]*$')" "2018 $((1008 * 1009))"
	node rm values
done

# ---- the kernel keeps the former links for some time: another process has them ---- [6.1]
for method in $METHODS; do
	! session || continue
	node add again "usdt:$program:spots:spot" --value arg1 -m "$method"
	hold
	sleep 3 >/dev/null &
	exec 9>&-
	node stop again && node start again
	is "$method: stopped and started at once" $? 0
	"$program" args
	is "$method: each call counts once" "$(field again count)" 1009
	if [ "$method" = uprobe ]; then
		hold
		node stop again
		has 'another process keeps the links' "$? $(cat "$tmp/err") $(field again state)" \
			"^4 .*'again' is stopped, but still attached: .*not freed its links.* stopped$"
		node start again
		has 'and it cannot be started' "$? $(cat "$tmp/err") $(field again state)" \
			"^4 .*cannot start 'again': the kernel has not freed its former links yet.* stopped$"
		exec 9>&-
	fi
	node rm again
done

# ---- semaphores, kills, and one process ---- [6.1]
for method in $METHODS; do
	! session || continue
	# Semaphores are raised as long as it runs.
	rm -f "$tmp/in" "$tmp/out"
	mkfifo "$tmp/in" "$tmp/out"
	"$program" guarded <"$tmp/in" >"$tmp/out" &
	one=$!
	exec 3>"$tmp/in" 4<"$tmp/out"
	# 107 calls, of which each listener sees one; prints the semaphores
	guarded() { printf x >&3 && read -r begin end <&4 && echo "$begin $end"; }
	# The kernel lets go of a link some time after its last name has gone.
	lowered() {
		tries=0
		while [ "$(guarded)" != '0 0' ] && [ $tries -lt 300 ]; do
			sleep 0.1
			tries=$((tries + 1))
		done
		guarded
	}
	pair="--start usdt:$program:guarded:begin --end usdt:$program:guarded:end"
	is "$method: nobody listens" "$(guarded)" '0 0'
	# shellcheck disable=SC2086
	node add guarded $pair -m "$method"
	is "$method: the node raises them in a program that runs" "$(guarded) $(field guarded count)" '1 1 107'
	is "$method: and in one that begins" "$(echo | "$program" guarded) $(field guarded count)" '1 1 214'
	node stop guarded
	is "$method: stopped, they are down" "$(lowered) $(field guarded count)" '0 0 214'
	node start guarded
	is "$method: started, they are up" "$(guarded) $(field guarded count)" '1 1 321'
	node rm guarded
	is "$method: removed, they are down" "$(lowered)" '0 0'

	# Whoever adds it is killed: it is there, or nothing is.
	begin=$(now)
	# shellcheck disable=SC2086
	node add guarded $pair -m "$method"
	took=$((($(now) - begin + 1) * 10000))
	node rm guarded
	i=0 torn=0 made=0
	while [ $i -le "$KILLS" ]; do
		us=$((took * i / KILLS))
		# shellcheck disable=SC2086
		kstats-bpf node add guarded $pair -m "$method" 2>/dev/null &
		adding=$!
		usleep $us 2>/dev/null || sleep "$(echo $us | awk '{ print $1 / 1e6 }')"
		kill -9 $adding 2>/dev/null
		wait $adding 2>/dev/null
		names=$(kstats-bpf node ls --json 2>/dev/null | grep -c '"name":"guarded"')
		if [ "$names" = 1 ]; then
			made=$((made + 1))
			[ "$(guarded) $(field guarded count)" = '1 1 107' ] || torn=$((torn + 1))
			node rm guarded
		fi
		[ "$(lowered) $(left)" = '0 0 1' ] || torn=$((torn + 1))
		i=$((i + 1))
	done
	is "$method: killed at $i moments, none is torn ($made were there)" "$torn $((made <= i))" '0 1'
	exec 3>&- 4<&-
	wait $one
	one=

	# One process.
	"$program" work <"$tmp/in" >"$tmp/out" &
	one=$!
	exec 3>"$tmp/in" 4<"$tmp/out"
	work() { printf x >&3 && dd bs=1 count=1 <&4 >/dev/null 2>&1; }
	node add "u:$program:up_work" --throws -p $one -m "$method"
	work
	echo | "$program" work >/dev/null
	is "$method: one process of two" "$(field up_work count)" 103
	exec 3>&- 4<&-
	wait $one
	has "$method: it has ended, which ls tells" "$(kstats-bpf node ls 2>&1)" \
		"'up_work' is lost: process $one, which alone is measured, has ended"
	# Another process gets its number, if nobody else is faster.
	for _ in 1 2 3 4 5 6 7 8 9; do
		echo $((one - 1)) >/proc/sys/kernel/ns_last_pid
		sleep 1000 &
		[ $! = "$one" ] && break
		kill $!
	done
	has "$method: and still does where its number is used again ($([ $! = "$one" ] && echo yes))" \
		"$(kstats-bpf node ls 2>&1)" "process $one, which alone is measured, has ended"
	node stop up_work
	node start up_work
	has "$method: nor is the other one measured from now on" "$? $(cat "$tmp/err")" \
		"4 .*cannot start 'up_work': process $one, which alone is measured, has ended"
	kill $!
	one=
	node rm --all
	is "$method: nothing is left" "$(left)" 0
done

# ---- files that are replaced while a node starts, in which no probe may be put ---- [here]
cp -r "$FOLDER/swap" "$tmp"
swap=$tmp/swap offset=$(cat "$FOLDER/offset")
for method in $METHODS; do
	node add swapped "u:$swap/own/program:up_after" --throws -m "$method"
	at=1
	: >"$tmp/all"
	while node stop swapped && rm -f "$swap/done"; do
		env LD_PRELOAD="$FOLDER/swap.so" SWAP="$swap" SWAP_AT=$at SWAP_OFFSET="$offset" \
			kstats-bpf node start swapped 2>"$tmp/err"
		[ -e "$swap/done" ] || break
		cat "$swap/done" "$tmp/err" >>"$tmp/all"
		at=$((at + 1))
	done
	is "$method: they were replaced, and no probe is in another file" \
		"$([ $at -gt 2 ] && echo yes) $(grep -cE '^probed|^cannot' "$tmp/all")" 'yes 0'
	has "$method: what start says" "$(cat "$tmp/all")" \
		"cannot start .*/own/program was (replaced|changed since it was read).*; remove it, and add it again"
	node rm swapped
done

# ---- the end ----
plan
