#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The verbs `check` and `diff` on recordings made up here: verdicts, exit codes,
# formats, refusals. No privileges. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
python3 tests/cli/recordings.py "$tmp" || exit 1
for n in 1 2; do
	python3 tests/cli/many_keys.py 32768 ${n}000000000 >"$tmp/many-$n"
done
cd "$tmp" || exit 1

# ---- the gate ----

status 'nothing changed: passes' 0 same-*.json --base base-*.json --max-increase p50=5%
status 'a tenth slower: fails' 1 slow-*.json --base base-*.json --max-increase p50=5% --max-increase p99=0%
has 'it says by how much' "$out" 'p50 went from .* to .* \(\+(9|10)\.[0-9]+%, between \+'
two=$(kstats-bpf check slow-*.json --base base-*.json --max-increase p50=5% --max-increase p50.0=5% | grep between)
is 'a rule said twice is one comparison' "$(sort -u <<<"${two//p50.0/p50}")" \
	"$(kstats-bpf check slow-*.json --base base-*.json --max-increase p50=5% | grep between)"
status 'two runs: cannot be told' 3 same-1.json same-2.json --base base-1.json base-2.json --max-increase p99=1%
has 'it says what would settle it' "$out" 'runs on each side|too near the limit'
lines=$(sed '/^inconclusive: /q' <<<"$out" | tr -s ' \n' ' ')
tty=$(python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' kstats-bpf check same-1.json same-2.json \
	--base base-1.json base-2.json --max-increase p99=1% </dev/null | tr -d '\r')
is 'on a terminal its lines fit' "$(awk 'length > 80' <<<"$tty")" ''
is 'and say the same' "$(tr -s ' \n' ' ' <<<"$tty")" "$lines"
is 'elsewhere they are not broken' "$(wc -l <<<"$out") $(($(wc -l <<<"$tty") > 5))" '4 1'
status 'slots of a power of two: cannot be told' 3 coarse-[1-3].json --base coarse-[4-6].json --max-increase p99=1%
has 'by any number of runs' "$out" 'its slots are too wide to tell so near the limit'
status 'one run: cannot be told' 3 slow-1.json --base base-1.json --max-increase p50=5%
has 'it asks for two' "$out" 'at least 2 runs on each side \(now 1 and 1\)'
status 'inconclusive as a pass' 0 slow-1.json --base base-1.json --max-increase p50=5% --inconclusive=pass
status 'inconclusive as a failure' 1 slow-1.json --base base-1.json --max-increase p50=5% --inconclusive=fail
status 'a failure stays one' 1 slow-*.json --base base-*.json --max-increase p50=5% --inconclusive=pass
status 'base before the files' 1 --base base-*.json --max-increase p50=5% --inconclusive=fail -f text slow-1.json
status 'the base from standard input' 3 same-1.json --base - --max-increase p50=5% <base-1.json
has 'is the base' "$out" '\(now 1 and 1\)'
status 'bounds that hold' 0 base-1.json --assert 'p50<10us' --assert 'count==5000' --assert 'loss==0' --assert 'rate>=5000'
status 'a bound that does not' 1 base-1.json --assert 'p50<10us' --assert 'p99.9<1us'
status 'no samples, no pass' 1 empty.json --assert 'p50<10us' --inconclusive=pass
has 'in a sentence of its own' "$out" 'it has no samples, so the rule is not shown to hold'
status 'nor of a share of nothing' 1 empty.json --assert 'loss<0.1%' --inconclusive=pass
status 'nor of a rate' 1 empty.json --assert 'rate<10'
status 'but where that is wanted' 0 empty.json --assert 'p50<10us' --assert 'loss==0' --allow-empty
has 'told as well' "$out" 'it has no samples, which --allow-empty takes for a pass'
status 'a count may be meant to be 0' 0 empty.json --assert 'count==0'
status 'no samples on one side' 1 empty.json --base base-*.json --max-increase p50=5% --inconclusive=pass
has 'which one' "$out" 'it has no samples, but the base has, so the rule is not shown'
status 'nor on the other' 1 same-*.json --base empty.json --max-increase p50=5% --inconclusive=pass
has 'which that is' "$out" 'the base has no samples of it, so the rule is not shown'
status 'no samples in one of many are left out' 0 same-*.json empty.json \
	--base base-*.json --max-increase p50=5%
has 'told' "$out" 'left out, without samples: 0 runs of the base, 1 judged run\b'
status 'another function in one of two runs' 3 other.json same-1.json --base base-1.json base-2.json \
	--max-increase p50=5%
has 'may be chance, which is told' "$out" 'only one side has vfs_write \(1 of 2 runs of the new side\)'
status 'which --require does not accept' 1 other.json same-1.json --base base-1.json base-2.json \
	--max-increase p50=5% --require 'vfs_w*'
has 'and says why' "$out" '^fail +vfs_w\*: require'
has 'of which side' "$out" 'the base has no samples of vfs_write'
status 'what both sides have may be required' 0 same-*.json --base base-*.json --max-increase p50=5% \
	--require vfs_read
status 'what none has may not' 1 same-*.json --base base-*.json --max-increase p50=5% --require vfs_open
status 'nor for a rule without a base' 1 same-*.json --assert 'p50<1s' --require vfs_open
status 'a rule for one function' 0 same-*.json --base base-*.json --max-increase vfs_read:p50=5% --assert 'vfs_*:p50<1s'
has 'has its name' "$out" '^pass +vfs_read: vfs_read:p50=5%'
status 'a rule for none' 1 same-*.json --base base-*.json --max-increase vfs_open:p50=5% --assert 'vfs_read:p50<1s'
has 'shows nothing' "$out" 'nothing of that name is compared or measured'
status 'a function that is gone' 1 other.json --base base-1.json --max-increase p50=5% --assert 'count>0'
has 'is not passed over' "$out" '^fail +vfs_read: p50=5%'
has 'and has no other rules' "$out" '^fail: 1 passed, 2 failed, 0 inconclusive'
status 'unless that is allowed' 0 other.json --base base-1.json --max-increase p50=5% --assert 'count>0' --allow-empty

# ---- how sure it is ----

has 'each interval with its level' \
	"$(kstats-bpf check same-*.json --base base-*.json --max-increase p50=5% --confidence 98)" \
	'between [^ ]+ and [^ ]+, each end at 98%\)'
has 'that of a failure for all rules together' \
	"$(kstats-bpf check slow-*.json --base base-*.json --max-increase p50=5% --max-increase mean=3%)" 'at 99\.5%\)'
has 'that of a pass by itself' \
	"$(kstats-bpf check same-*.json --base base-*.json --max-increase p50=5% --max-increase mean=90%)" 'at 99%\)'
status 'too few samples beyond a quantile' 3 slow-*.json --base base-*.json --max-increase p99.9=5%
has 'how many' "$out" '12 of 12 runs have fewer than 10 samples beyond it'
has 'and how long a run must be' "$out" 'record runs of at least 10,000 samples each'
status 'a bound beyond the samples' 3 base-1.json --assert 'p99.99<1s'
has 'how many it takes' "$out" '5,000 samples are too few to tell: take at least 52,981'
for n in 1 2 3 4 5 6; do
	jq ".whole.wall_ns = $n" base-$n.json >early-$n.json
	jq ".whole.wall_ns = $n + 6" slow-$n.json >late-$n.json
	jq ".whole.wall_ns = 2 * $n" base-$n.json >turn-$n.json
	jq ".whole.wall_ns = 2 * $n + 1" slow-$n.json >about-$n.json
done
status 'one side after the other: drift is not ruled out' 3 late-*.json --base early-*.json --max-increase p50=8%
has 'what to do' "$out" "record the sides in turn, as 'trace --runs --vs' does"
has 'diff says so' "$(kstats-bpf diff early-*.json -- late-*.json)" 'not recorded in turn'
status 'in turn it is' 1 about-*.json --base turn-*.json --max-increase p50=8%

# ---- refusals ----

refused() { # PATTERN ARG...
	local pattern=$1
	shift
	status "refused: $pattern" 2 "$@"
	is 'in one sentence' "$(grep -c '^kstats-bpf: ' <<<"$out") $(wc -l <<<"$out")" '1 1'
	has 'that says it' "$out" "$pattern"
}

refused 'nothing to check: no recording' --assert 'p50<1us'
refused 'nothing to check: there is no rule' base-1.json
refused 'nothing to compare with; add --base' base-1.json --max-increase p50=5%
refused 'no rule compares with it' same-1.json --base base-1.json --assert 'p50<1us'
refused 'does not begin with a known figure' base-1.json --assert 'q50<1us'
refused 'its limit cannot be read' base-1.json --assert 'p50<fast'
refused 'write a percentage' same-1.json --base base-1.json --max-increase p50=5
refused 'has no such format; it is one of text junit' base-1.json --assert 'p50<1us' -f xml
refused 'percentage from 50 to 99.99' base-1.json --assert 'p50<1us' --confidence 101
refused 'it is pass or fail' base-1.json --assert 'p50<1us' --inconclusive=maybe
refused "cannot read 'nothing.json'" nothing.json --assert 'p50<1us'
refused "cannot judge by 'failed.json'.*status 2.*--force" failed.json --assert 'p50<1us'
refused "the method is 'fentry/fexit' in one" base-1.json method.json --assert 'p50<1us'
refused "the clock source is 'tsc' in one and 'hpet'" base-1.json --base clock.json --max-increase p50=5%
refused "the filter is '' in one and 'pid 1'" base-1.json filtered.json --assert 'p50<1us'
refused "cannot count 'base-1.json' beside 'base-1.json': they are the same run" \
	base-1.json same-1.json --base base-1.json base-1.json --max-increase p50=5%
refused "cannot compare 'base-2.json' with 'base-2.json': they are the same run" \
	base-1.json base-2.json --base base-2.json base-3.json --max-increase p50=5%
status 'by force too' 0 base-1.json base-2.json --base base-1.json base-2.json --max-increase p50=50% --force
status 'by force' 1 failed.json --assert 'p50<1us' --force
echo '{"format":' >cut.json
refused "cannot read 'cut.json'" cut.json --assert 'p50<1us'

# ---- methods that differ ----

across() { # RULE FILES... : the verdict on files of fsession against those of fentry
	kstats-bpf check "${@:2}" --base fentry-*.json --across-methods --max-increase "$1" -f "${format-text}"
}

refused "the method is 'fsession' in one.*--across-methods" fsession-*.json \
	--base fentry-*.json --max-increase p50=5%
refused "the method is 'fsession' in one" fsession-1.json fentry-2.json --base fentry-1.json \
	--max-increase p50=5% --across-methods
refused "cannot use --across-methods: there is nothing to compare with" base-1.json --assert 'p50<1us' \
	--across-methods
status 'the floors may explain it: inconclusive' 3 fsession-*.json --base fentry-*.json \
	--max-increase p50=5% --across-methods
has 'it says so' "$out" 'floors of the methods may explain it: record both sides with the same'
status 'more than the floors make fails' 1 near-*.json --base fentry-*.json --max-increase p50=5% \
	--across-methods
has 'the base and its floor are told' "$out" \
	'base by fentry/fexit, floor 40 ns hot, 120 ns cold; added per call 120 ns hot, 360 ns cold;'
has 'and what is judged' "$out" 'judged by fsession, floor 44 ns hot, 122 ns cold; added per call 132'
# 44 + 2 less 40 - 2 ns hot; 122 - 2 less 120 + 2 ns cold
has 'and what the floors make' "$out" 'the floors alone may cause -2 ns to \+8 ns'
status 'the same methods need no floor' 1 slow-*.json --base base-*.json --max-increase p50=5% --across-methods
is 'and tell none' "$(grep -c floor <<<"$out")" 0
sed -i 's/"calibration"/"x"/' near-6.json
status 'nor one that a single run lacks' 3 near-*.json --base fentry-*.json --max-increase p50=5% \
	--across-methods
has 'which asks for it' "$out" "a floor is not known: run 'kstats-bpf calibrate', and record again"
for format in text junit tap github json gobench; do
	has "$format tells the methods" "$(across p50=5% fsession-*.json)" \
		'base by fentry/fexit, floor .* judged by fsession, floor .* the floors alone may cause'
done
unset format
for format in text markdown html json; do
	has "diff in $format tells the methods" "$(kstats-bpf diff fentry-*.json -- fsession-*.json \
		--across-methods -f "$format" | tr -d '\n')" 'fentry.*fsession.*floors'
done
unset format
out=$(kstats-bpf diff fentry-*.json -- fsession-*.json --across-methods)
is 'that fits 80 columns' "$(awk 'length > 80' <<<"$out")" ''
has 'no change is shown that the floors may make' "$out" '^  p50 +\+9\.2% +-[0-9.]+% \.\. +\+'
has 'without a floor diff tells nothing' \
	"$(kstats-bpf diff fentry-*.json -- near-*.json --across-methods)" \
	'^  the methods differ and a floor is not known'

# ---- formats ----

judge() {
	kstats-bpf check slow-*.json --base base-*.json --max-increase p50=5% --assert 'p50<1s' --assert 'p99<16us' -f "$1"
}

is 'junit is XML' "$(judge junit | python3 -c 'import sys, xml.etree.ElementTree as e
s = e.fromstring(sys.stdin.read()).find("testsuite"); print(s.get("tests"), s.get("failures"))')" '3 2'
is 'tap counts' "$(judge tap | grep -cE '^(not )?ok [123] - vfs_read: ')" 3
is 'github annotates' "$(judge github | grep -cE '^::(notice|warning|error) title=vfs_read%3A ')" 3
is 'json has figures' "$(judge json | jq -r '.[0] | .name, .unit, (.value > 3000)' | xargs)" \
	'vfs_read p50 ns true'
is 'and none twice' "$(kstats-bpf check slow-*.json --base base-*.json --max-increase p50=5% --assert 'p50<1s' \
	-f json | jq -r 'length, .[0].extra' | xargs)" '1 fail: p50=5%; pass: p50<1s'
is 'inconclusive that stops a build is a failure there' "$(kstats-bpf check slow-1.json \
	--base base-1.json --max-increase p50=5% --inconclusive=fail -f junit | grep -c '<failure message="inconcl')" 1
has 'a full disk is told' "$(kstats-bpf check base-1.json --assert 'p50<1s' 2>&1 >/dev/full)" \
	'cannot write the results: No space left on device'
is 'gobench has a line for each run' "$(judge gobench |
	grep -cE '^BenchmarkKstats/vfs_read 5000( [0-9.]+ [a-z0-9.]+-ns){5}$')" 6
kstats-bpf check base-1.json --assert 'p50<10us' -f junit -o out.xml
is 'into a file' "$? $(grep -c '</testsuites>' out.xml)" '0 1'

# ---- diff ----

has 'a single run is told so' "$(kstats-bpf diff base-1.json -- slow-*.json)" \
	'5,000 in 1 run before, 30,000 in 6 runs after'
out=$(kstats-bpf diff base-*.json -- slow-*.json)
is 'diff ends well' $? 0
has 'diff says it plainly' "$out" '^  slower: (mean|p[0-9.]+) by (9|10)\.[0-9]%'
is 'with the slots of both sides' "$(awk '$1 == "p50" && NF > 10 { print $4, $5, $11, $12 }' \
	<<<"$out")" '2.944 us 3.264 us'
is 'without blanks at the ends that nobody sees' "$(awk '/^  p/ && NF > 10 && / $/' <<<"$out")" ''
is 'it fits 80 columns' "$(awk 'length > 80' <<<"$out")" ''
has 'and when nothing changed' "$(kstats-bpf diff base-*.json -- same-*.json)" \
	'no change is shown'
has 'and when there is one run' "$(kstats-bpf diff base-1.json -- slow-1.json)" \
	'one run on a side'
has 'only on one side' "$(kstats-bpf diff base-1.json -- other.json)" \
	'only on one side: vfs_read'
is 'diff in markdown' "$(kstats-bpf diff base-*.json -- slow-*.json -f markdown |
	grep -cE '^\| (mean|p[0-9.]+) \|')" 5
is 'diff in JSON' "$(kstats-bpf diff -f json base-*.json -- slow-*.json |
	jq -r '.rows | length')" 5
has 'diff of one side' "$(kstats-bpf diff base-1.json 2>&1)" 'two sets of recordings'
has 'diff of what differs' "$(kstats-bpf diff base-1.json -- method.json 2>&1)" \
	"cannot compare 'base-1.json' with 'method.json'.*--method.*--force"
for n in 1 2 3; do # each has 2^61 calls or more
	jq -c --arg n $n '.whole.wall_ns += ($n | tonumber) | .periods = [] | .whole |= (.samples[0] = 6917529027641081856 |
		.sum[0] = 0 | .slot[0] = 0 | .ledger.started[0] = 6917529027641081856)' base-1.json >most-$n.json
done
status 'more calls than can be counted' 2 most-*.json --assert 'count>0' --force
has 'are said to be too many' "$out" 'together they have 2\^64 samples or more; judge fewer runs'
is 'completes formats' "$(kstats-bpf complete check -f gi) $(kstats-bpf complete diff -f ma)" \
	'github markdown'
# ---- many keys ----

# Looking at each name for each name takes ten times the limit, on a machine three times faster.
(ulimit -t 20 && exec kstats-bpf check "$tmp/many-1" --base "$tmp/many-2" --max-increase p50=5% >"$tmp/out" 2>&1)
is 'all of 32768 keys and their total are judged, in seconds' \
	"$? $(grep -c '^inconclusive ' "$tmp/out")" '3 32769'
(ulimit -t 20 && exec kstats-bpf diff "$tmp/many-1" -- "$tmp/many-2" -f json >"$tmp/out" 2>&1)
is 'and compared' "$? $(jq '.rows | length' "$tmp/out")" "0 $((5 * 32769))"

# ---- a function with keys ----

# Most of its samples have a key and are slower; the others are as they were.
for n in 1 2 3 4 5 6; do
	jq -sc '.[1].whole as $k | .[0] | .nodes += [.nodes[0] + {name: "vfs_read{comm=\"x\"}", kind: "key",
		by: {comm: "x"}}] | .whole |= (.ledger.started = [10000, 0] | .node = [0, 1] | .cpu = [0, 0] |
		.cells += $k.cells | .slot += $k.slot | .samples += $k.samples | .sum += $k.sum)' \
		same-$n.json slow-$n.json >keyed-$n.json
done
status 'a function with keys has the samples of all keys' 1 keyed-*.json --base base-*.json --allow-empty \
	--max-increase p50=2% --assert 'count>0'
is 'as in a report' "$(grep -oE 'count is [0-9,]+' <<<"$out" | tr -dc '0-9\n' | xargs)" \
	"$(kstats-bpf report -f json --merge keyed-*.json | jq '.nodes[] | select(.kind != "other").samples' | xargs)"
has 'and is compared with one without keys' "$out" 'p50 went from .* to .* \(\+[4-6]\.'

# ---- names of a file ----

name=$'a\u0085b\ufeffc\u202ed'
jq -c --arg name "$name" '.nodes[0].name = $name' same-1.json >strange.json
out=$(kstats-bpf diff strange.json -- same-2.json -f json)
is 'a name on one side is made safe in JSON too' "$(jq -c .only_on_one_side <<<"$out")" \
	'["a\\xc2\\x85b\\xef\\xbb\\xbfc\\xe2\\x80\\xaed","vfs_read"]'

# ---- a function that one side lacks, and other machines ----

jq -c '.nodes[0].name = "gone"' same-1.json >gone.json
out=$(kstats-bpf check gone.json --base base-1.json --max-increase p50=5% --assert 'count>0' -f json)
is 'what one side lacks has no value on a dashboard' "$(jq -r '[.[].name] | join(",")' <<<"$out")" 'gone count'
is 'nor has a bound without samples' "$(kstats-bpf check empty.json --assert 'p50<1s' -f json)" '[]'
jq -c '.machine.cpu = "Other" | .kernel = "6.1.0"' base-2.json >other.json
status 'another machine is no reason to refuse' 0 same-*.json --base base-1.json other.json base-[3-6].json --max-increase p50=5%
has 'but both are named' "$(tr -s ' \n' ' ' <<<"$out")" \
	'other machines or kernels, which may explain a change: base 1 x Other, Linux 6.1.0; new 1 x x, Linux 6.12.0'
status 'the same machine' 0 same-*.json --base base-*.json --max-increase p50=5%
is 'is not mentioned' "$(grep -c machines <<<"$out")" 0

# ---- integers, and means below 1 ----

status 'a mean of 2 % ones and one of 98 %' 1 many-*.json --base few-*.json --max-increase mean=5%
has 'are not the same' "$out" 'mean went from 0\.022 items to 0\.978 items'
status 'a median of 1 and one of 2' 1 twos-*.json --base many-*.json --max-increase p50=90%
has 'are integers' "$out" 'p50 went from 1 items to 2 items \(\+100\.00%, between \+100\.00% and \+100\.00%'
status 'a median of 0' 0 few-[1-3].json --base few-[4-6].json --max-increase p50=50%
has 'is shown as 0' "$out" 'p50 went from 0 items to 0 items \([^;]*$'
status 'a median of 0 and one of 2' 1 twos-*.json --base few-*.json --max-increase p50=90%
has 'have no ratio, so it tells which is taken' "$out" \
	'p50 went from 0 items to 2 items \(\+300\.00%, .*\); 0 counts as 0\.5$'
status 'and the other way' 0 few-*.json --base twos-*.json --max-increase p50=90%
has 'too' "$out" 'p50 went from 2 items to 0 items \(-75\.00%, .*\); 0 counts as 0\.5$'
is 'also by diff' "$(kstats-bpf diff few-[1-3].json -- few-[4-6].json -f json |
	jq -c '[.rows[] | select(.metric == "p50") | .before.value, .after.value]')" '[0,0]'
plan
