# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# `top` in a terminal, screen by screen, over a program whose functions are called as often as it is
# told: keys, sizes, signals, and the terminal as it was. Called by tests/run.

# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

says() { # NAME PATTERN WORDS...: refused with this sentence
	local name=$1 pattern=$2
	shift 2
	has "$name" "$(kstats-bpf "$@" 2>&1 </dev/null; echo "exit $?")" "$pattern"
}
says 'without a terminal it says what to do' "input is no terminal; use 'kstats-bpf trace -i 1'" top
says 'a command would write to the screen' "cannot run a command beside 'top'" top vfs_read -- true
says 'not too often' 'nobody could read it' top --frames 1 -i 10ms --nodes '*' vfs_read
for option in '--runs 3' '--warmup 3' '--require f'; do
	# shellcheck disable=SC2086 # two words
	says "options of other verbs are none of top: ${option% *}" "wrong option '${option% *}'" \
		top vfs_read $option
done
says 'no such nodes' "cannot show nodes 'none_here'" top --frames 1 --nodes none_here

# ---- frames of nodes ----

mkdir "$tmp/bpf"
if [ "$(id -u)" = 0 ] && mount -t bpf none "$tmp/bpf" 2>/dev/null; then
	for name in two_a two_b; do
		kstats-bpf node add --user $name --user-folder "$tmp/bpf/u" --pin-root "$tmp/bpf/n"
	done
	nodes=(--nodes 'two_*' --pin-root "$tmp/bpf/n")
	timeout 20 kstats-bpf top "${nodes[@]}" --frames 200 -i 200ms >/dev/full 2>"$tmp/err"
	is 'it ends if nobody takes its frames' $? 2
	kstats-bpf top "${nodes[@]}" --frames 8 -i 300ms --record "$tmp/two.json" >"$tmp/frames" \
		2>"$tmp/err" &
	top=$!
	for _ in $(seq 100); do
		grep -qs two_b "$tmp/frames" && break
		sleep 0.1
	done
	kstats-bpf node rm two_a --pin-root "$tmp/bpf/n"
	wait $top
	is 'a node that goes is recorded, too' "$(cd "$tmp" && echo two*.json)" \
		'two-1-two_a.json two-2-two_b.json'
	umount "$tmp/bpf"
else
	echo '# no BPF file system here: frames of nodes are not looked at'
fi

cat >"$tmp/prog.c" <<-'C'
	#include <stdio.h>
	__attribute__((noinline)) void work_seven(void) { asm volatile("" ::: "memory"); }
	__attribute__((noinline)) void work_twenty(void) { asm volatile("" ::: "memory"); }
	int main(void)
	{
		char line[64];

		while (fgets(line, sizeof(line), stdin)) {
			for (int i = 0; i < 7; i++)
				work_seven();
			for (int i = 0; i < 20; i++)
				work_twenty();
			puts("done");
			fflush(stdout);
		}
		return 0;
	}
C
gcc -O1 -o "$tmp/prog" "$tmp/prog.c" || exit 1
words="top 'u:$tmp/prog:work_*' -i 200ms"
if ! eval "kstats-bpf $words --frames 1" >"$tmp/first" 2>&1; then
	result ok "the screens # skip this machine or user cannot trace: $(head -n 1 "$tmp/first")"
	plan
	exit
fi
is 'a page is 24 lines of up to 80 columns' \
	"$(wc -l <"$tmp/first") $(LC_ALL=C.UTF-8 awk 'length > 80' "$tmp/first" | wc -l)" '24 0'
is 'COLUMNS and LINES tell another size' \
	"$(eval "COLUMNS=200 LINES=50 kstats-bpf $words --frames 2" | wc -l)" 100
if ! command -v tmux >/dev/null; then
	result ok 'the screens # skip there is no tmux'
	plan
	exit
fi

# ---- a terminal ----

coproc prog { "$tmp/prog"; }
calls() { # TIMES: each calls both functions
	local i
	for ((i = 0; i < $1; i++)); do
		echo >&"${prog[1]}"
		read -r <&"${prog[0]}"
	done
}
t() { tmux -L "kstats-$$" -f /dev/null "$@"; }
key() { t send-keys "$@"; }
screen() { t capture-pane -p; }
shows() { # NAME PATTERN: within a minute
	local i
	for ((i = 0; i < 600; i++)); do
		screen >"$tmp/screen"
		if grep -qE -- "$2" "$tmp/screen"; then
			result ok "$1"
			return
		fi
		sleep 0.1
	done
	result 'not ok' "$1: no '$2' in: $(tr '\n' '|' <"$tmp/screen" | head -c 1500)"
}
ordered() { # NAME NAMES: of the rows in their order, once all calls were read
	local i names
	for ((i = 0; i < 600; i++)); do
		names=$(screen | grep -oE '^work_[a-z]+' | xargs)
		[ "$names" = "$2" ] && break
		sleep 0.1
	done
	is "$1" "$names" "$2"
}
run() { # WORDS: in the shell of the terminal; it says when it is ready again
	key "clear; stty -a >$tmp/stty; $1; stty -a >$tmp/stty.after; echo en''ded" Enter
}
same() { # NAME: the terminal is as it was
	shows "$1: ended" '^ended$'
	is "$1: same settings, first screen, cursor" \
		"$(cmp "$tmp/stty" "$tmp/stty.after" 2>&1) $(t display -p '#{alternate_on} #{cursor_flag}')" ' 0 1'
}
top_pid() { pgrep -P "$(t display -p '#{pane_pid}')"; }

# shellcheck disable=SC2064
# shellcheck disable=SC2154 # coproc assigns it
trap "t kill-server 2>/dev/null; kill $prog_PID 2>/dev/null; rm -rf '$tmp'" EXIT
here=$PWD
t new-session -d -x 80 -y 24 "cd $tmp && PATH=$PATH LC_ALL=C.UTF-8 PS1='$ ' exec bash --norc"
run "kstats-bpf $words"
shows 'it starts with the rows' '^work_twenty +0/s'
calls 1
key a
shows 'the whole time' '2 rows: the whole time'
# Sorted by their numbers of calls, and not by time: a call may be preempted for long.
shows 'a row has its figures' '^work_seven +[0-9.]+/s( +[0-9.]+ [num]?s){3} +[<0-9.]+% '
shows 'sorted by time' '^NAME +RATE +P50<= +P99<= +MAX<= +vTIME'
key Right
shows 'sorted as given' '^NAME +RATE +P50<= +P99<= +MAX<= +TIME'
key Right
shows 'sorted by rate' 'vRATE'
ordered 'the rows with more calls come first' 'work_twenty work_seven'
key i
shows 'the other way round' '\^RATE'
ordered 'then those with fewer' 'work_seven work_twenty'
key i

# ---- one row ----

key / s e v
shows 'what is typed' '^/sev_'
shows 'a search' "1 row with 'sev'"
key Enter Enter
shows 'a row opens: exactly seven calls' '^7 samples'
shows 'its ledger' '7 started = 7 recorded'
calls 2
shows 'it goes on' '^21 samples'
key Space
shows 'a pause' 'PAUSED'
calls 1
sleep 1
shows 'in which nothing moves' '^21 samples'
key Space
shows 'and after which nothing is missing' '^28 samples'
key r
shows 'the view is reset' '^No call has ended since the view began'
calls 1
shows 'and counts from then on' '^7 samples'
shows 'in the ledger too' '7 started = 7 recorded'
key '?'
shows 'the help' '^q  Ctrl-C +quit'
key Escape
shows 'back to the row' '^7 samples'
key Escape
shows 'back to the rows' "1 row with 'sev'"
key Escape
shows 'the search ends' '2 rows'

# ---- recording ----

key R
shows 'it records' 'RECORDING'
calls 3
sleep 1
key R
shows 'into a file' 'recorded in kstats-top-[0-9]+-[0-9]+.json'
is 'which has what came in between' \
	"$(kstats-bpf report "$tmp"/kstats-top-*.json -f json | jq -c '[.nodes[].samples]')" '[21,60]'

# ---- sizes ----

t resize-window -x 200 -y 50
key a
shows 'a larger window: the last line' 'q quit$'
is 'has the foot on line 50' "$(screen | sed -n '50s/.*q quit.*/yes/p')" yes
t resize-window -x 30 -y 8
shows 'a tiny one says so' 'window is too small'
t resize-window -x 80 -y 24
shows 'and back' '^NAME +'

# ---- the end ----

key q
same 'q'
run "kstats-bpf $words"
shows 'again' '^work_twenty'
key C-c
same 'Ctrl-C'
run "kstats-bpf $words"
shows 'once more' '^work_twenty'
key C-z
shows 'Ctrl-Z gives the terminal back' 'Stopped'
key 'fg' Enter
shows 'and fg takes it over' '^work_twenty'
kill -TERM "$(top_pid)"
same 'SIGTERM'
run "kstats-bpf $words"
shows 'and again' '^work_twenty'
kill -SEGV "$(top_pid)"
same 'a crash'
run "NO_COLOR=1 kstats-bpf $words"
shows 'without colours' '^work_twenty'
is 'there are none' "$(t capture-pane -ep | grep -cE $'\033\\[[0-9;]*3[0-7]')" 0
key q
same 'NO_COLOR'
run "TERM=screen-unheard-of kstats-bpf $words"
shows 'a terminal that only the program knows' '^work_twenty'
key q
same 'that'
run 'TERM=unheard-of kstats-bpf top'
shows 'a terminal that nobody knows' "on 'unheard-of': this terminal is not known"

# ---- what it costs ----

cost() {
	for i in $(seq 64); do
		echo "__attribute__((noinline)) void many_$i(void) { asm volatile(\"\" ::: \"memory\"); }"
	done >"$tmp/many.c"
	{
		echo '#include <unistd.h>'
		cat "$tmp/many.c"
		echo 'int main(void) { for (;;) { usleep(10000);'
		seq 64 | sed 's/.*/many_&();/'
		echo '} }'
	} >"$tmp/many_main.c"
	gcc -O1 -o "$tmp/many" "$tmp/many_main.c" || exit 1
	"$tmp/many" &
	many=$!
	run "kstats-bpf top 'u:$tmp/many:many_*'"
	shows '64 rows' '^64 rows, 1-21'
	shows 'that move' '^many_[0-9]+ +[1-9][0-9.]*/s'
	pid=$(top_pid)
	spent() { awk '{ print int($1 / 1000) }' "/proc/$pid/schedstat"; } # us of a processor
	before=$(spent)
	sleep 10
	after=$(spent)
	kill $many
	echo "# 64 rows, each second: $(((after - before) / 100))/1000 % of a processor"
	is 'and take less than 2 % of a processor' "$((after - before < 200000))" 1
	key q
	same '64 rows'
}
[ "${KSTATS_QUICK-}" ] || cost # it takes long to measure

run "kstats-bpf $words -d 1 --record kept.json"
shows 'a file from the begin' 'recorded in kept.json'
run "kstats-bpf $words"
shows 'the last one' '^work_twenty'
pid=$(top_pid)
t kill-session
for _ in $(seq 100); do
	kill -0 "$pid" 2>/dev/null || break
	sleep 0.1
done
is 'the terminal is gone, and so is top' "$(kill -0 "$pid" 2>&1 | grep -o 'No such process')" 'No such process'
cd "$here" || exit 1
plan
