#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The whole gate in one command, with a function of known duration: 10 us against 10
# and 12; commands that fail; and the progress on a terminal. In a guest whose clock
# counts instructions. workflow.t has the example of a workflow. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ko=$(tests/vm/build-kmod 6.12) || exit 1
cat >"$tmp/script" <<SCRIPT
insmod $ko
busy=/sys/kernel/debug/kstats_target/busy
mkdir /tmp/w && cd /tmp/w
gate() { # NAME ARG...: its status, and what it wrote
	name=\$1
	shift
	kstats-bpf trace kt_busy "\$@" >out 2>err </dev/null
	echo "\$name status \$?"
	sed "s/^/\$name out /" out
	sed "s/^/\$name err /" err
}
load() { echo "echo 1009 \$1 > \$busy"; }
gate same --runs 4 --vs "\$(load 10000)" --max-increase p50=3% --assert count==4036 \\
	--record same -- sh -c "\$(load 10000)"
ls same | sed 's/^/same file /'
gate slow --runs 4 --vs "\$(load 10000)" --max-increase p50=5% -f junit -o slow.xml \\
	-- sh -c "\$(load 12000); echo said"
sed 's/^/slow xml /' slow.xml
gate looks --runs 6..40 --vs "\$(load 10000)" --max-increase p50=3% --assert 'count>=6054' \\
	--record looks -- sh -c "\$(load 10000)"
ls looks | sed 's/^/looks file /'
gate look_slow --runs 3..40 --vs "\$(load 10000)" --max-increase p50=5% \\
	-f json -- sh -c "\$(load 12000)"
echo 0 >turns
gate look_failed --runs 3..12 --vs true --max-increase p50=5% -- sh -c 'read n <turns; echo \$((n + 1)) >turns; [ \$n = 0 ]'
gate look_short --runs 3..12 --vs "\$(load 10000)" --max-increase p99.9=5% -- sh -c "\$(load 10000)"
gate look_none --runs 3..12 --vs true --max-increase p50=5% -- true
echo 0 >turns
gate look_stopped --runs 3..12 --vs "read n <turns; echo \\\$((n + 1)) >turns; [ \\\$n = 1 ] && kill -INT \\\$PPID; true" \\
	--max-increase p50=0% --record look_stopped -- sh -c "\$(load 10000)"
ls look_stopped | sed 's/^/look_stopped file /'
gate failed --runs 3 --assert 'count>0' --record failed -- sh -c "\$(load 10000); exit 7"
ls failed | sed 's/^/failed file /'
gate killed --runs 3 --assert 'count>0' -- sh -c 'kill -9 \$\$'
gate none --runs 2 --assert 'p99<1ms' -- true
gate empty --runs 2 --assert 'p99<1ms' --allow-empty -- true
gate none_vs --runs 2 --vs true --max-increase p50=5% -- true
gate missing --runs 2 --assert 'count>0' --record missing -- /nonexistent
[ -e missing ] && echo missing file
gate again --runs 2 --assert 'count>0' --record same -- true
gate bare --assert 'count==1009' -- sh -c "\$(load 10000)"
(sleep 4; kill -INT \$(pidof kstats-bpf)) &
gate stopped --runs 1000 -d 1 --assert 'count>=0' --record stopped
wait
ls stopped | sed 's/^/stopped file /'
export TERM=xterm
mkdir -p /dev/pts && mount -t devpts devpts /dev/pts
script -q -c "kstats-bpf trace kt_busy -d 3" typescript >/dev/null </dev/null
tr '\\r\\033' '\\n^' <typescript | sed 's/^/terminal /'
script -q -c "kstats-bpf trace kt_busy --runs 2..9 --vs '\$(load 10000)' --max-increase p50=3% -- sh -c '\$(load 10000)'" \\
	typescript >/dev/null </dev/null
tr '\\r\\033' '\\n^' <typescript | sed 's/^/look /'
script -q -c "kstats-bpf trace kt_busy --runs 2 -d 1 --assert 'count>=0'" typescript \\
	>/dev/null </dev/null
tr '\\r\\033' '\\n^' <typescript | sed 's/^/series /'
SCRIPT
clock='tsc=reliable clocksource=tsc' # from the beginning
out=$(tests/vm/run -f -k 6.12 -i -c 1 -K "$clock" -a "$ko" -a /usr/bin/script -a "$tmp" -- "sh $tmp/script" 2>&1)
is 'the guest ran' $? 0

of() { grep "^$1 " <<<"$out" | sed "s/^$1 //"; }
status() { # NAME WANTED WHAT
	is "$3" "$(of "$1 status")" "$2"
}

status same 0 'the same against the same passes'
has 'it says what it found' "$(of 'same out')" '^pass +kt_busy: p50=3%'
is 'all its runs are kept' "$(of 'same file' | tr '\n' ' ')" \
	"$(echo base-{1..4}.json run-{1..4}.json) "
status slow 1 '20 % more fails a limit of 5 %'
has 'as JUnit, in a file' "$(of 'slow xml')" '<failure message="p50 went from .*\+[0-9]'
is 'standard output is free for the answer' "$(of 'slow out')" ''
is 'what the command says goes to standard error' "$(of 'slow err' | sort -u)" said
status looks 0 'the same passes at the first look'
has 'with the level of all looks' "$(of 'looks out')" \
	'at 99%\); decided after pair 6 of at most 40, the confidence holds for all looks from pair 6 on'
has 'a rule about all runs beside it' "$(of 'looks out')" '^pass +kt_busy: count>=6054'
has 'the looks are told' "$(of 'looks out')" '^looks: after each pair from 6 to 40, 99% together; pairs: 6'
is 'so many runs are kept' "$(of 'looks file' | tr '\n' ' ')" \
	"$(echo base-0{1..6}.json run-0{1..6}.json) "
status look_slow 1 '20 % more fails at one of the first looks'
has 'which the figure tells' "$(of 'look_slow out')" \
	'"pairs":[3-9],"first_look":3,"last_look":40,"confidence":99}'
status look_failed 2 'a command that fails before the first look'
has 'is told' "$(of 'look_failed err')" \
	'no verdict: the command failed in run 2 of at most 12: its status is 1'
status look_short 3 'runs too short for the quantile'
has 'end it after the first pair' "$(of 'look_short out')" '; pairs: 1$'
has 'with how long they must be' "$(of 'look_short out')" 'runs of at least 10,000 samples each'
status look_none 1 'nothing recorded fails'
has 'at the first look' "$(of 'look_none out')" '; pairs: 3$'
status look_stopped 3 'an interrupt between two runs'
has 'ends the series' "$(of 'look_stopped err')" \
	'no verdict after (base|run) [23] of at most 12: it was interrupted; the runs so far are kept'
has 'with what was recorded' "$(of 'look_stopped file' | tr '\n' ' ')" 'base-01.json .*run-01.json'
has 'a terminal shows each look' "$(of look)" '^kstats-bpf: after 2 pairs: (0|1) of 1 decided'
status failed 2 'a command that fails'
has 'is told' "$(of 'failed err')" 'no verdict: the command failed in run 1 of 3: its status is 7'
is 'and its run is kept' "$(of 'failed file')" run-1.json
status killed 2 'a command that is killed'
has 'is told by its signal' "$(of 'killed err')" 'killed by signal 9'
status none 1 'nothing recorded does not pass'
has 'and is told' "$(of 'none out')" '^fail: 0 passed, 1 failed, 0 inconclusive'
status none_vs 1 'nothing recorded on either side does not pass'
status empty 0 'unless it is allowed'
has 'which is told too' "$(of 'empty out')" 'it has no samples, which --allow-empty takes for a pass'
status missing 2 'a command that does not exist'
is 'leaves no folder' "$(of 'missing file')" ''
status again 2 'a folder of another series'
has 'is refused' "$(of 'again err')" "cannot record in 'same': '(run|base)-[1-6].json' of an earlier"
status bare 0 'rules alone are one run'
status stopped 3 'an interrupt'
has 'ends all runs' "$(of 'stopped err')" 'no verdict after run [0-9]+ of 1000: it was interrupted'
has 'and what was recorded is kept' "$(of 'stopped file')" 'run-000[1-9].json'
has 'a terminal shows how far it is' "$(of terminal)" 'kstats-bpf: 1 s, 0 samples'
has 'and nothing of it stays' "$(of terminal | grep -A1 '2 s, 0 samples')" '^\^\[K'
has 'of a series too' "$(of series)" 'kstats-bpf: run 2 of 2: 1 s, 0 samples'
is 'a pipe does not' "$(of '[a-z_]+ err' | grep -c ' samples')" 0
echo "# ${out//$'\n'/$'\n# '}" | grep -E '^# (same|slow) out' | head -40
plan
