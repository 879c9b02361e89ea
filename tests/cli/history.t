#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `check --history` on sets made up here: verdicts, what is accepted, steps, formats,
# refusals. No privileges. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
python3 tests/cli/histories.py "$tmp" || exit 1
cd "$tmp" || exit 1

# ---- verdicts ----

status 'one more set like those before passes' 0 same-*.json --history steady --max-increase p50=5%
has 'against all of them' "$out" 'p50 went from 2\.9.*; against 12 accepted sets$'
status 'one that is slower fails' 1 slow-*.json --history steady --max-increase p50=5%
status 'against the last of them' 1 slow-*.json --history steady --max-increase p50=3% --last 7
has 'so many' "$out" '; against 7 accepted sets$'
mkdir few
cp -r steady/set-0[0-2] few
status 'few accepted sets: less is found' 3 slow-*.json --history few --max-increase p50=6%
has 'how much is told' "$out" 'accepted sets differ by [01]\.[0-9]*%.*cannot show a change of less than about 1[0-9]%$'
status 'a set that is not slower passes' 0 same-*.json --history few --max-increase p50=9%
status 'a doubling fails' 1 twice-*.json --history few --max-increase p50=5%
status 'unless that passes' 0 slow-*.json --history few --max-increase p50=6% --inconclusive=pass
mkdir one
cp -r steady/set-00 one
status 'one cannot tell' 3 same-*.json --history one --max-increase p50=5%
has 'which is told in the singular' "$out" 'against 1 accepted set$'
has 'everywhere' "$out" '1 accepted set is too few to tell .*: accept 1 more'
mkdir none
status 'no set at all: cannot be told' 3 same-*.json --history none --max-increase p50=5%
has 'how many it takes' "$out" '0 accepted sets are too few to tell.*: accept 2 more'
status 'the newest set of the folder' 3 --history risen --max-increase p50=5%
has 'is the new one' "$out" 'against the oldest of all, before the last 20 accepted sets'
has 'and what it cannot show is told' "$out" 'accepted sets differ by 5.*cannot show a change of less'
cp -r steady mixed
mv mixed/set-05 mixed/a
status 'order is by time, not by name' 0 same-*.json --history mixed --max-increase p50=5% -f series
is 'all of it' "$(jq -r '[.sets[].name] | .[4:7] | join(" ")' <<<"$out")" 'set-04 a set-06'
status 'later sets do not count' 0 steady/set-08/run-*.json --history steady --max-increase p50=9% -f series
is 'nor the set itself' "$(jq '.sets | length' <<<"$out")" 9
mkdir single
for n in 0 1 2 3 4 5; do
	cp steady/set-0$n/run-1.json single/$n.json
done
status 'a recording is a set' 3 same-1.json --history single --max-increase p50=1%
has 'of one run' "$out" 'against 6 accepted sets'
cp steady/set-00/run-1.json steady/set-01/base-1.json
cp steady/set-00/run-1.json steady/.hidden.json
status 'what belongs to the base of a series is left out' 0 same-*.json --history steady --max-increase p50=5%

mkfifo steady/set-03/fifo.json
status 'a FIFO in a set is not waited for' 2 same-*.json --history steady --max-increase p50=5%
has 'but refused' "$out" "cannot read 'steady/set-03/fifo.json': it is not a regular file; take it out"
mv steady/set-03/fifo.json steady
status 'nor one beside the sets' 2 same-*.json --history steady --max-increase p50=5%
has 'with its name' "$out" "cannot read 'steady/fifo.json': it is not a regular file"
rm steady/fifo.json

# ---- those that differ ----

jq '.nodes[0].method = "fsession"' steady/set-02/run-1.json >x && mv x steady/set-02/run-1.json
status 'a set of another method, before those that are asked for' 0 same-*.json --history steady \
	--max-increase p50=6% --last 9
has 'is left out, and those before' "$out" '^3 earlier sets are left out: one was not recorded alike'

refused() { # PATTERN ARG...
	local pattern=$1
	shift
	status "refused: $pattern" 2 "$@"
	is 'in one sentence' "$(grep -c '^kstats-bpf: ' <<<"$out") $(wc -l <<<"$out")" '1 1'
	has 'that says it' "$out" "$pattern"
}

refused "compare 'same-1.json' with 'steady/set-02/run-1.json': the method" same-*.json \
	--history steady --max-increase p50=5% --last 10
cp -r steady twice
cp -r twice/set-09 twice/copy
refused "cannot count 'twice/.*' beside the set '.*': it is the same run" same-*.json --history twice \
	--max-increase p50=5% --last 8
status 'unless that is wanted' 0 same-*.json --history twice --max-increase p50=9% --last 8 --force
refused 'cannot use --history with --base' same-1.json --base slow-1.json --history steady --max-increase p50=5%
refused 'cannot use --across-methods: the sets of a history are of one method' same-1.json \
	--history steady --max-increase p50=5% --across-methods
refused 'cannot use --history: no rule compares' same-1.json --history steady --assert 'p50<1s'
refused 'cannot use --accept: there is no history' same-1.json --assert 'p50<1s' --accept
refused 'cannot use --last: there is no history' same-1.json --assert 'p50<1s' --last 7
refused 'cannot use --accept: the newest set' --history steady --max-increase p50=5% --accept
refused "cannot read the history 'nothing'" same-1.json --history nothing --max-increase p50=5%
refused "no set to judge in 'none': it holds no recording" --history none --max-increase p50=5%
refused "cannot make the history 'not/there'" same-1.json --history not/there --max-increase p50=5% --accept
refused 'number from 5 to 200' same-1.json --history steady --max-increase p50=5% --last 4
mkdir timeless
jq '.whole.wall_ns = 0' same-1.json >timeless/run.json
refused "cannot put 'timeless/run.json' in the order of time" --history timeless --max-increase p50=5%

# ---- without samples ----

mkdir idle
for n in 0 1 2; do
	jq -c '.whole |= (.node = [] | .cpu = [] | .cells = [] | .slot = [] | .samples = [] | .sum = []
		| .ledger = {})' single/$n.json >idle/$n.json
done
status 'sets without samples' 0 --history idle --max-increase p50=5% --allow-empty
is 'have no picture' "$out" "vfs_read p50: no set has samples

pass          vfs_read: p50=5%
              neither side has samples of it, which --allow-empty takes for a pass
pass: 1 passed, 0 failed, 0 inconclusive"

# ---- a function that is not measured any more ----

mkdir two
for n in 0 1 2 3 4 5; do
	jq -c '.whole as $w | .nodes += [.nodes[0] | .name = "gone" | .owner = 1] | .whole.node += [1]
		| .whole.cpu += [0] | .whole.cells += $w.cells | .whole.slot += $w.slot
		| .whole.samples += $w.samples | .whole.sum += $w.sum
		| .whole.ledger.started += [2000]' single/$n.json >two/$n.json
done
cp same-1.json now.json
jq -c '.whole.wall_ns += 86400000000000' now.json >later.json
status 'a function that one run lacks' 0 now.json --history two --max-increase p50=9%
has 'is told' "$out" 'only one side has gone \(1 of 1 runs of the base\)'
status 'which fails where it is required' 1 now.json --history two --max-increase p50=9% --accept --require gone
has 'and says why' "$out" 'the new side has no samples of gone'
status 'unless that is allowed' 0 now.json --history two --max-increase p50=9% --accept --allow-empty
status 'once such a set is accepted, it is gone' 0 later.json --history two --max-increase p50=9%
is 'and not mentioned' "$(grep -c gone <<<"$out")" 0

# ---- accepting ----

rmdir none
status 'the first sets cannot pass' 3 same-*.json --history none --max-increase p50=5% --accept
is 'but are accepted' "$(cd none && echo *)" '2026-10-31T141321Z'
is 'whole' "$(cd none/* && echo *)" 'run-1.json run-2.json run-3.json'
is 'as they were' "$(jq -cS .whole none/*/run-2.json)" "$(jq -cS .whole same-2.json)"
is 'and nothing else is left' "$(find none -name '.*' | wc -l)" 0
status 'a set is accepted once' 2 same-*.json --history none --max-increase p50=5% --accept
has 'which is told' "$out" "cannot accept the set into 'none': 'same-1.json' is in the set '2026-.*' already"
status 'in whatever order' 2 same-3.json same-1.json same-2.json --history none --max-increase p50=5% --accept
has 'too' "$out" "cannot accept the set into 'none': 'same-1.json' is in the set"
status 'nor is a part of it' 2 same-1.json --history none --max-increase p50=5% --accept
jq -c '.whole.end_ns += 1' same-1.json >other.json
status 'another set of the same second' 2 other.json --history none --max-increase p50=5% --accept
has 'is told too' "$out" "a set of that time is there"
mkdir turned
status 'a set is named by its first run' 3 same-3.json same-1.json --history turned --max-increase p50=5% --accept
is 'whichever is named first' "$(cd turned && echo *)" '2026-10-31T141321Z'
is 'and nothing of it is left' "$(find none -type d | wc -l)" 2
status 'a set that passes' 0 same-*.json --history mixed --max-increase p50=5% --accept
is 'is accepted' "$(find mixed -mindepth 1 -maxdepth 1 | wc -l)" 13
status 'a set that fails' 1 slow-*.json --history mixed --max-increase p50=5% --accept
is 'is not' "$(find mixed -mindepth 1 -maxdepth 1 | wc -l)" 13
status 'nor one that is inconclusive' 3 wide-*.json --history mixed --max-increase p50=5% --accept
is 'which is kept apart' "$(find mixed -mindepth 1 -maxdepth 1 | wc -l) $(cd mixed/undecided && echo *)" \
	'14 2026-10-31T141321Z'
status 'nor if that counts as a pass' 0 wide-*.json --history mixed --max-increase p50=5% --accept --inconclusive=pass
is 'and it is there once' "$(find mixed -name run-1.json | wc -l)" 14
status 'and no set is compared with it' 0 later-*.json --history mixed --max-increase p50=5%
has 'so many are accepted' "$out" 'against 13 accepted sets'
status 'a level that is accepted on purpose' 1 slow-*.json --history mixed --max-increase p50=5% --accept --rebase
is 'begins there' "$(cd mixed && echo *-rebase)" '2026-10-31T141321Z-rebase'
status 'the next set is compared with it' 3 later-*.json --history mixed --max-increase p50=5%
has 'alone' "$out" 'against 1 accepted set$'
refused 'cannot use --rebase: the new level begins with an accepted set; add --accept' same-1.json \
	--history mixed --max-increase p50=5% --rebase
status 'a bound that fails keeps a first set out' 1 slow-*.json --history few --max-increase p50=5% \
	--assert 'p50<1us' --accept
is 'as well' "$(find few -name '2026-*' | wc -l)" 0

out=$(ulimit -f 1 && kstats-bpf check same-*.json --history few --max-increase p50=5% --accept 2>&1)
is 'where there is no room: the status' "$?" 2
has 'it is said what to do' "$out" "cannot accept the set into 'few': File too large; the set was not \
added, and its recordings are unchanged: make room, and accept it again$"
is 'nothing of it is there' "$(find few -name '.*' -o -name '2026-*' | wc -l)" 0

# ---- steps ----

status 'a series with a step' 3 --history risen --max-increase p50=5%
series=$(sed '/^inconclusive/,$d' <<<"$out")
has 'says where' "$(tr -s ' \n' ' ' <<<"$series")" \
	"step of \+1[0-9.]+% .*between 'set-13' and 'set-14' \(at 95% between 'set-1[23]' and 'set-1[45]'\)"
has 'and how to go on' "$series" "^  if the step was made on purpose, rename 'set-14' to 'set-14-rebase'\$"
is 'fits 80 columns' "$(awk 'length > 80' <<<"$series")" ''
is 'and 23 lines, with the verdict' "$(wc -l <<<"$out")" 23
has 'the picture has the new set' "$series" '\|.*#$'
has 'and the step' "$series" '^ +\|.*:.*\|'
mv risen/set-14 risen/set-14-rebase
status 'which is right' 0 --history risen --max-increase p50=9%
has 'with those since then' "$out" 'against 9 accepted sets'
mv risen/set-14-rebase risen/set-14
status 'one without' 0 same-*.json --history mixed --max-increase p50=5%
has 'says so' "$out" '^  no step is shown'
out=$(kstats-bpf check --history risen --max-increase p50=5% -f series)
is 'JSON has the step' "$(jq -c '.series[0].steps[0].before, .sets[14].name' <<<"$out" | xargs)" \
	'14 set-14'
is 'and the roles' "$(jq -r '[.sets[].role] | group_by(.) | map("\(.[0]) \(length)") | join(" ")' \
	<<<"$out")" 'base 20 earlier 3 new 1'
out=$(kstats-bpf check --history risen --max-increase p50=5% -f html)
is 'the page draws each set' "$(grep -c '<circle class="dot" r="[36]\.' <<<"$out")" 24
is 'and the step' "$(grep -c 'class="mark"' <<<"$out") $(grep -c 'class="heat"' <<<"$out")" '1 1'
is 'the page is whole' "$(tail -n 1 <<<"$out" | grep -c '</html>')" 1
mv risen/set-20 risen/$'<b>\x1b[2J'
for format in text html series junit tap github json gobench; do
	out=$(kstats-bpf check --history risen --max-increase p50=5% -f $format)
	is "a name stays a name in $format" "$(grep -c $'\x1b' <<<"$out")" 0
done
is 'also on the page' "$(kstats-bpf check --history risen --max-increase p50=5% -f html | grep -c '<b>')" 0
is 'completes' "$(kstats-bpf complete check --hist | xargs) $(kstats-bpf complete check -f ser)" \
	'--history series'
plan
