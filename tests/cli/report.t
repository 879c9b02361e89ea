#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recordings from files: shown, merged, or refused with one sentence. Needs no
# privileges. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

wrong() { # PATTERN WORDS...: one line of error, exit status 2, no output
	local pattern=$1
	shift
	kstats-bpf report "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	one_sentence "report $*" $? "$pattern"
}

golden=tests/golden
for f in summary line hist classic json csv folded hgrm openmetrics vmrange protobuf; do
	kstats-bpf report $golden/tail.recording.json -f $f >"$tmp/out"
	is "-f $f" "$? $(test -s "$tmp/out" && echo some)" '0 some'
done
is 'a recording says when and on what' "$(kstats-bpf report $golden/bimodal.recording.json |
	grep -cE '^recorded: 2026-01-01|^machine:  Example CPU.*clock tsc|^tags: .*commit=1a2b3c')" 3
is 'a command that failed is told' "$(kstats-bpf report $golden/bimodal.recording.json |
	grep -c 'its exit status was 3')" 1
sed 's/entry to return of do_mount/from a to b/; s/"started":\[1\],/"started":[1],"unmatched":[30],/' \
	$golden/one.recording.json >"$tmp/pair.json"
is 'a pair whose ends have no start gives a hint' "$(kstats-bpf report "$tmp/pair.json" |
	sed -n '/^  Hint: 97% of the ends have no start/,$p' | grep -c "recipes'")" 1
is 'and a function does not' "$(sed 's/from a to b/entry to return of do_mount/' "$tmp/pair.json" |
	kstats-bpf report - | grep -cE 'Hint|30 ends without a start')" 1
# Slow calls that have nothing in common: the field arg0 of all calls is 0, and no wait is known.
sed -E 's/("values":\["[^"]*",)"[0-9]+"/\1"0"/g; s/\[1,300,[0-9]+,"[1-9]"\],?//g; s/\[1,300,0,"0"\],?/[1,3000,30,"0"]/
	s/,"wait":\{[^}]*\}//g' $golden/why.recording.json >"$tmp/alike.json"
words() {
	kstats-bpf report "$1" | tr -s ' \n' ' '
}
has 'nothing sets few slow calls apart' "$(words "$tmp/alike.json")" 'Nothing .* With only 30 bursts of slow calls, a cause may be missed'
is 'where a row does, it is not said' "$(words $golden/why.recording.json | grep -c 'may be missed')" 0
is 'of arguments that are read nothing is said' "$(words "$tmp/alike.json" | grep -c 'Arguments')" 0
sed 's/fentry.fexit/kprobe\/kretprobe/' "$tmp/alike.json" >"$tmp/kprobe.json"
has 'of those that are not it is' "$(words "$tmp/kprobe.json")" ' Arguments were not compared, but those of --by: '
is 'standard input' "$(kstats-bpf report - -f json <$golden/one.recording.json | jq .nodes[0].samples)" 1
is 'several, each under its name' "$(kstats-bpf report $golden/one.recording.json $golden/tail.recording.json |
	grep '^== ')" "$(printf '== %s ==\n' $golden/one.recording.json $golden/tail.recording.json)"
is 'in CSV with one header' "$(kstats-bpf report -f csv $golden/one.recording.json $golden/tail.recording.json |
	grep -c '^period')" 1
is 'a merge has the samples of all' "$(kstats-bpf report --merge -f json $golden/tail.recording.json \
	$golden/tail.recording.json | jq '[.nodes[0].samples, .runs, .end_ns - .begin_ns]' -c)" \
	"$(kstats-bpf report -f json $golden/tail.recording.json | jq '[.nodes[0].samples * 2, 2, 2 * (.end_ns - .begin_ns)]' -c)"
is 'the floor is taken off what is shown' "$(kstats-bpf report --floor subtract -f json $golden/floor.recording.json |
	jq -c '[.nodes[] | [.floor_subtracted_ns, .max_ns.hi]]')" '[[98,7069],[98,13],[0,103],[0,159]]'
is 'and off every interval' "$(kstats-bpf report --floor subtract --periods -f json $golden/floor.recording.json |
	jq -c '.nodes[0] | [.floor_subtracted_ns, .max_ns.hi]')" '[98,7069]
[98,null]
[98,7069]'
is 'and not where it is not asked for' "$(kstats-bpf report -f json $golden/floor.recording.json |
	jq -c '.nodes[0] | [.floor_subtracted_ns, .max_ns.hi]')" '[null,7167]'
for f in summary line hist classic csv hgrm openmetrics vmrange html svg; do
	is "$f says that the floor is off" "$(kstats-bpf report --floor subtract -f $f $golden/floor.recording.json |
		grep -cE '^(# )?floor: .*98 ns taken off|,98.$|_subtracted_seconds.* 0.000000098|less a floor of 98 ns:|<dt>floor<.*98 ns' |
		sed 's/^[1-9][0-9]*/told/')" told
done
wrong "the floor is not in it.*calibrate" --floor subtract $golden/one.recording.json
sed 's/"median":98/"median":99/' $golden/floor.recording.json >"$tmp/recalibrated"
wrong 'the recordings have different floors; leave --merge out' --floor subtract --merge \
	$golden/floor.recording.json "$tmp/recalibrated"
is 'intervals and the whole' "$(kstats-bpf report --periods -f json tests/malformed/base.json |
	jq -c '[.period, .nodes[0].samples]' | tr '\n' ' ')" '[1,120] [2,20] [0,140] '
is 'the bounds of an exposition are of its own range and number' "$(kstats-bpf report -f openmetrics \
	--buckets 1us..1ms/2 $golden/tail.recording.json | sed -n 's/.*le="\(.*\)".*/\1/p' | sed -n '1p; 2p; 22p; 23p' |
	xargs)" '0.000000767 0.000001023 0.001048575 +Inf'
is 'and the same of any two recordings' "$(for f in bimodal tail; do
	kstats-bpf report -f openmetrics $golden/$f.recording.json | sed -n 's/.*le="\(.*\)".*/\1/p'
done | sort | uniq -c | awk '{ print $1 }' | sort | uniq -c | xargs)" '109 2'
# By the upper bound, how many samples are not above it: in lines of each slot or bucket, and in classic ones.
ranges() { # WORD...
	kstats-bpf report -f vmrange "$@" $golden/tail.recording.json |
		sed -n 's/.*vmrange="\(.*\)\.\.\.\(.*\)"} /\1 \2 /p'
}
for buckets in 4 1us..1ms/2 32; do
	is "ranges for VictoriaMetrics have the bounds and counts of the buckets, $buckets" \
		"$(ranges --buckets $buckets | awk '{ n += $3; print $2, n }')" \
		"$(kstats-bpf report -f openmetrics --buckets $buckets $golden/tail.recording.json |
			sed -n 's/.*le="\(.*\)"} /\1 /p' | awk '$2 != last; { last = $2 }')"
done
is 'or those of the slots' "$(ranges | awk '{ printf "%.9f %.9f %d\n", $1, $2, $3 }')" "$(kstats-bpf report -f csv $golden/tail.recording.json |
	awk -F , '$5 == "all" { printf "%.9f %.9f %d\n", ($7 - 1) / 1e9, $8 / 1e9, $9 }')"
sed 's/"slow":false/"slow":true/g' $golden/why.recording.json >"$tmp/slow"
has 'slow calls without ordinary ones' "$(kstats-bpf report "$tmp/slow" | tr -s ' \n' ' ')" \
	'There are too few ordinary calls to compare them with [(]0[)]. Measure longer, or with a higher --slower'
kstats-bpf report $golden/one.recording.json -o "$tmp/file"
is 'into a file' "$? $(grep -c do_mount "$tmp/file")" '0 1'
kstats-bpf report $golden/cpus.recording.json -f hist 2>"$tmp/err" | head -n 1 >/dev/null
is 'a reader that had enough is no failure' "${PIPESTATUS[0]} $(wc -c <"$tmp/err")" '0 0'

# By each figure: the begin of a name, the last part of the key, and the length of the bar.
for word in total count p50 p99 max; do
	is "keys sorted by $word" "$(kstats-bpf report $golden/keys.recording.json --sort $word |
		sed -n 's/^  //; /^by comm, cpu/,/^p50, p99/{/^by\|^p50/d;p}' |
		sed -E 's/^(...)(.*, ([0-9]) )?.*s *(#*)$/\1 \3 \4/')" \
		"$(kstats-bpf report $golden/keys.recording.json -f json | jq -r --arg word $word '
			def figure: {total: .sum_ns.lo, count: .samples, p50: .quantiles_ns.p50.hi,
				p99: .quantiles_ns.p99.hi, max: .max_ns.hi}[$word];
			[.nodes[] | select(.samples > 0 and .kind != "duration")] | sort_by(-figure) | (.[0] | figure) as $most |
			.[:20][] | (.by.comm // .name // "")[:3] + " " + (.by.cpu // "") + " " +
				"######"[:(6 * figure / $most + 0.5 | floor)]' | sed 's/^vfs/oth/')"
done
# The slots of one distribution take 30 KiB, and those of all are never there together.
if [ ! "${KSTATS_QUICK-}" ]; then
	python3 tests/cli/many_keys.py >"$tmp/many"
	for f in summary hist; do
		is "16384 keys as $f in 300 MB" "$(ulimit -v 300000 && kstats-bpf report -f $f "$tmp/many" |
			grep -c '^vfs_read')" "$([ $f = hist ] && echo 16385 || echo 1)"
	done
	is 'and as JSON' "$(ulimit -v 300000 && kstats-bpf report -f json "$tmp/many" | jq '.nodes | length')" 16385
fi
wrong "cannot sort by 'waste': .*; sort by total, count, p50, p99 or max" --sort waste $golden/keys.recording.json
wrong "cannot sort by 'p99': .*; sort by waste, bytes, count, live or rate" --sort p99 $golden/kmem-one.kmem.json
wrong "cannot use 'mean' for --sort" --sort mean $golden/keys.recording.json

# Values were called durations before they had a kind of their own.
sed 's/"kind":"value"/"kind":"duration"/' $golden/pages.recording.json >"$tmp/before.json"
for f in json csv openmetrics; do
	is "a recording of values that calls them durations, as $f" \
		"$(grep -c '"kind":"duration"' "$tmp/before.json") $(kstats-bpf report -f $f - <"$tmp/before.json" | sha1sum)" \
		"1 $(kstats-bpf report -f $f - <$golden/pages.recording.json | sha1sum)"
done

wrong "nothing to report: no file is named.*--record"
wrong "cannot use '1s..1us' for --buckets: the first time of the range is not below the second" \
	-f openmetrics --buckets 1s..1us $golden/one.recording.json
wrong 'cannot use --buckets: only the formats openmetrics' -f json --buckets 8 $golden/one.recording.json
wrong "cannot read '/nonexistent': No such file.*--record" /nonexistent
wrong "cannot read '/tmp': Is a directory.*the files in it" /tmp
wrong "cannot read 'README.md': it is not JSON.*that kstats-bpf has saved" README.md
wrong "cannot read '/dev/null': it is empty" /dev/null
wrong "cannot read 'standard input': it is empty" -
wrong "cannot read '$golden/one.json': 'format' is 'kstats-bpf report'" $golden/one.json
wrong 'no such format.*summary line hist' $golden/one.recording.json -f yaml
wrong 'auto, ns, us, ms or s' $golden/one.recording.json -u days
wrong "option '--frobnicate'.*report --help" --frobnicate
wrong "cannot merge '$golden/period.*' with '$golden/one.*': their bits differ: 5 there and 4 here" \
	--merge $golden/one.recording.json $golden/period.recording.json
wrong "'tcp_sendmsg' is only in '$golden/many" --merge $golden/one.recording.json $golden/many.recording.json
wrong 'Is a directory' $golden/one.recording.json -o /tmp
kstats-bpf report $golden/one.recording.json >/dev/full 2>"$tmp/err"
is 'a full standard output is an error' "$? $(grep -c 'cannot write the report' "$tmp/err")" '2 1'

# What is kept of malformed files gives the same sentences here, and never more; a quick run tries
# some of them.
python3 - "$tmp" <<-'EOF'
	import os, re, subprocess, sys
	each = 10 if os.environ.get("KSTATS_QUICK") else 1
	base = open("tests/malformed/base.json", "rb").read()
	def raw(text):
	    text = text.encode()
	    text = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m.group(1), 16)]), text)
	    return text.replace(b"\\n", b"\n")
	bad, n = [], 0
	for line in open("tests/malformed/cases.tsv"):
	    if line.startswith("#"):
	        continue
	    n += 1
	    if n % each:
	        continue
	    was, to, why = line.rstrip("\n").split("\t")
	    done = subprocess.run(["kstats-bpf", "report", "-"], capture_output=True,
	                          input=base.replace(raw(was), b"" if to == "-" else raw(to), 1))
	    err = done.stderr.decode()
	    if done.returncode != 2 or done.stdout or err.count("\n") != 1 or why not in err:
	        bad.append(f"{was} -> {to}: {done.returncode} {err}")
	open(sys.argv[1] + "/malformed", "w").write(f"{n >= 200} {''.join(bad[:3])}")
EOF
is 'every malformed file is refused with one sentence' "$(cat "$tmp/malformed")" 'True '
# A flame graph has the unit of what is recorded.
jq -c '. + {unit: "calls", version: 2}' $golden/stacks.recording.json >"$tmp/calls.json"
for file in $golden/stacks.recording.json "$tmp/calls.json"; do
	kstats-bpf report "$file" -f html | grep -oE '(time|total) of all [a-z]+|<title>entry: [0-9.]+ [a-z]+' | xargs
done >"$tmp/flames"
has 'a flame graph of durations' "$(head -n 1 "$tmp/flames")" '^time of all calls .*<title>entry: [0-9.]+ us$'
has 'one of values' "$(tail -n 1 "$tmp/flames")" '^total of all samples .*<title>entry: [0-9.]+ calls$'
jq -c '.nodes |= map(if .by then .by = {blockop: .by.comm, disk_name: .by.cpu} | del(.by_number) else . end)' \
	$golden/keys.recording.json >"$tmp/titles.json"
has 'titles of several keys are cut alike' "$(kstats-bpf report "$tmp/titles.json")" '^  by blo~, dis~  count'
coloured() { # TERM: lines with escapes on a terminal
	TERM=$1 python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' kstats-bpf report \
		$golden/tail.recording.json </dev/null | grep -c $'\x1b'
}
is 'a terminal without a name has no colours' "$(coloured '')" 0
is 'one with a name has' "$([ "$(coloured xterm)" -gt 0 ] && echo some)" some
plan
