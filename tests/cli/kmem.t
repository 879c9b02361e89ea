#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recordings of memory events from files: shown, compared, judged, or refused with one
# sentence. Needs no privileges. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

golden=tests/golden
lives=$golden/kmem-lives.kmem.json
one=$golden/kmem-one.kmem.json
trace=$golden/one.recording.json

wrong() { # PATTERN WORDS...: one line of error, exit status 2, no output
	local pattern=$1
	shift
	kstats-bpf "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	one_sentence "$*" $? "$pattern"
}

# ---- report ----

for f in summary json csv openmetrics html; do
	kstats-bpf report $lives -f $f >"$tmp/out"
	is "-f $f" "$? $(test -s "$tmp/out" && echo some)" '0 some'
done
is 'the file says what it is' "$(kstats-bpf report - <$one | grep -c '^allocated by call site')" 1
is 'a file says when and on what' "$(kstats-bpf report $lives | grep -cE '^recorded: 2026-01-01|^machine:  A processor')" 2
is 'the first rows' "$(kstats-bpf report $golden/kmem-many.kmem.json --top 3 | grep -c a_function)" 3
is 'and what is folded' "$(kstats-bpf report $golden/kmem-many.kmem.json --top 3 | grep -c '^and 97 more')" 1
is 'all rows are in JSON' "$(kstats-bpf report $golden/kmem-many.kmem.json --top 3 -f json | jq '.rows | length')" 100
is 'by cache, by bytes' "$(kstats-bpf report $one --by cache --sort bytes -f json | jq -r '.rows[0].name')" ext4_inode_cache
is 'the account is in JSON' "$(kstats-bpf report $lives -f json |
	jq -c '[.account.allocations, .account.freed, .account.live, .account.skipped, .account.closes]')" \
	'[6514,5402,1098,7,true]'
is 'several, each under its name' "$(kstats-bpf report $one $lives | grep '^== ')" \
	"$(printf '== %s ==\n' $one $lives)"
is 'in CSV with one header' "$(kstats-bpf report -f csv $one $lives | grep -c '^period')" 1
is 'every line of CSV has as many cells' "$(kstats-bpf report -f csv $one $lives $golden/kmem-hostile.kmem.json |
	python3 -c 'import csv, sys
print(*{len(r) for r in csv.reader(sys.stdin)})')" 30
is 'openmetrics of several is one document' "$(kstats-bpf report -f openmetrics $one $lives $one |
	grep -cE '^# EOF|^# TYPE kstats_kmem_allocations ')" 2
is 'and no series is there twice' "$(kstats-bpf report -f openmetrics $one $lives $one |
	grep -v '^#' | sed 's/ [^ ]*$//' | sort | uniq -d | wc -l)" 0
is 'the rows and the others are all' "$(kstats-bpf report -f openmetrics --top 7 $golden/kmem-many.kmem.json |
	awk '/^kstats_kmem_allocations\{/ { n += $NF } END { print n }')" \
	"$(kstats-bpf report -f json $golden/kmem-many.kmem.json | jq .totals.kmalloc.count)"
kstats-bpf report $lives -f html -o "$tmp/page.html"
is 'a page in a file' "$? $(grep -c '</html>' "$tmp/page.html")" '0 1'

for f in hist classic hgrm svg; do
	wrong 'memory events have no such format; it is one of summary json csv openmetrics vmrange protobuf html' report $one -f $f
done
wrong 'there is no such format' report $one -f nonsense
for o in --merge --floor=subtract; do
	wrong "cannot use ${o%%=*} for .* memory events" report $one $o
done
wrong 'cannot use --buckets for .* memory events' report $one --buckets 4 -f openmetrics
wrong 'cannot report .* with them: others are recordings of .trace' report $one $trace
wrong 'cannot use --top: these are recordings of .trace' report $trace --top 3
wrong "cannot use 'cache' for --by: these are recordings of .trace.*write --by cpu" report $trace --by cache
wrong "cannot group .* by 'comm': it has only site, cache, kind, size, order; use these" report $one --by comm
wrong "cannot group .* by 'site,uid': it has only .*, comm, gfp & __GFP_ZERO; " \
	report $golden/kmem-keys.kmem.json --by site,uid
is 'by one of two parts, in other words' "$(kstats-bpf report $golden/kmem-keys.kmem.json --by 'gfp&__GFP_ZERO' -f json |
	jq -c '[.by, .rows_by, (.rows[] | select(.kind == "pages") | .name)]')" \
	'[["comm","gfp & __GFP_ZERO"],"gfp&__GFP_ZERO","__GFP_ZERO"]'
has 'a difference by two parts' "$(kstats-bpf diff $golden/kmem-keys.kmem.json -- $golden/kmem-keys.kmem.json --by kind,comm)" \
	'kind,comm'
jq -c '.filters = "size > 100"' $one >"$tmp/filtered.json"
has 'a difference between filters is told' "$(kstats-bpf diff $one -- "$tmp/filtered.json")" \
	'the filters differ: none before, size > 100 after'
jq -c '.by = ["'"$(printf '%0500d' 1)"'"]' $golden/kmem-keys.kmem.json >"$tmp/long.json"
wrong "a part of 'by' is longer" report "$tmp/long.json"
jq -c '.values.text |= .[1:]' $golden/kmem-keys.kmem.json >"$tmp/values.json"
wrong "'values' has 9 rows and not 10" report "$tmp/values.json"
head -c 500 $one >"$tmp/cut.json"
wrong 'cannot read .*cut.json.: it ends too early' report "$tmp/cut.json"
sed 's/"version":1/"version":9/' $one >"$tmp/new.json"
wrong "'version' is 9 and this program knows 1" report "$tmp/new.json"
sed 's/"site":\[1,/"site":[99,/' $one >"$tmp/far.json"
wrong "'site' of a row holds 99 and at most 5 is possible" report "$tmp/far.json"

# ---- dry run ----

# Nobody may load anything, or read where symbols are.
cp .output/kstats-bpf "$tmp/kstats-bpf" && chmod 755 "$tmp"
dry() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups "$tmp/kstats-bpf" kmem --dry-run "$@"
	else
		kstats-bpf kmem --dry-run "$@"
	fi
}
out=$(dry) || echo "# exit status $?"
has 'a dry run names events and methods' "$out" '^  kmem_cache_alloc  *(raw )?tracepoint$'
has 'and functions' "$out" '^  kmem_cache_free_bulk  *fentry on kmem_cache_free_bulk, or else unseen$'
has 'what stays unseen' "$out" '^  krealloc  *unseen: what fits in place is known only with --lifetime'
has 'the tables' "$out" '^  rows  *16,384 places '
has 'and their memory' "$out" '^tables: .* of kernel memory$'
has 'of all' "$out" '^who: all tasks$'
is 'within 80 columns' "$(awk 'length > 80' <<<"$out")" ''
out=$(dry --lifetime --kind pages --comm me --gfp GFP_ATOMIC --limit sites=100,live=32 \
	-o "$tmp/none" --record "$tmp/none.json" -- touch "$tmp/none")
is 'a dry run makes no file and runs no command' "$? $(find "$tmp" -name 'none*')" '0 '
has 'filters' "$out" "^who: comm me; the command's processes; gfp GFP_ATOMIC$"
has 'a smaller table' "$out" '^  rows  *128 places '
has 'that of live objects' "$out" '^  live objects  *32 places  *1\.000 KiB'
is 'only events that are needed' "$(grep -c '^  mm_page' <<<"$out") $(grep -cE 'kfree|functions' <<<"$out")" '2 0'
wrong "cannot use 'nonsense' for --format" kmem --dry-run -f nonsense
out=$(dry --by 'site, gfp & __GFP_ZERO' --if 'size > 4096 && comm != "init"')
has 'a dry run names the key' "$out" ', by site, gfp & __GFP_ZERO$'
has 'and the condition' "$out" '^who: if size > 4096 && comm != "init"$'
wrong "cannot use 'site \\+ 1' for --by: column 1: an allocation has no parameter site.*takes site, cache and kind, each alone" \
	kmem --dry-run --by 'site + 1'
wrong 'the key of --by is too long: all parts together have 32 bytes' kmem --dry-run --by comm,comm,cpu
wrong "cannot use 'kstack' for --by: stacks of allocations are not kept" kmem --dry-run --by kstack
wrong 'cannot use .duration. for --if: .*no duration at this point; kmem knows size, given' kmem --dry-run --if duration

# ---- over time ----

time=$golden/kmem-time.kmem.json
has 'the summary has a row for each interval' "$(kstats-bpf report $time)" '^10.00 s .* 1.061 MiB  *0 B$'
is 'intervals are in JSON' "$(kstats-bpf report $time -f json |
	jq -c '[.periods[] | [.begin_ns, .end_ns, (.totals[] | select(.kind == "kmalloc") | .count)]]')" \
	'[[0,2000000000,515],[2000000000,4000000000,174],[4000000000,6000000000,687],[6000000000,10000000000,0]]'
is 'what they add is the whole' "$(kstats-bpf report $time -f json |
	jq '[.periods[].totals[] | select(.kind == "cache") | .allocated_bytes] | add == 5532144')" true
is 'CSV has them if asked' "$(kstats-bpf report $time -f csv --periods | grep -c '^[1-4],') $(
	kstats-bpf report $time -f csv | grep -c '^[1-4],')" "$(jq '.parts.site | length' $time) 0"
is 'with as many cells' "$(kstats-bpf report -f csv --periods $time |
	python3 -c 'import csv, sys
print(*{len(r) for r in csv.reader(sys.stdin)})')" 30
python3 - $time >"$tmp/long.json" <<'END'
import json, sys
doc = json.load(open(sys.argv[1]))
begin, end = doc["begin_ns"], doc["end_ns"]
doc["periods"]["end_ns"] = [begin + (end - begin) * (i + 1) // 41 for i in range(41)]
doc["parts"] = {key: [0, 40] for key in doc["parts"]}
doc["parts"]["period"], doc["parts"]["kind"] = [0, 40], [1, 1]
doc["parts"]["site"] = [4294967295] * 2
doc["parts"]["alloc"] = [1024, 2048]
json.dump(doc, sys.stdout)
END
is 'many are joined' "$(kstats-bpf report "$tmp/long.json" | sed -n '/allocated over time/,/^$/p' | grep -cE '^ *[0-9.]+ m?s  ')" 14
has 'which is told' "$(kstats-bpf report "$tmp/long.json")" 'each row is 3 intervals; --periods shows each'
is 'unless asked' "$(kstats-bpf report --periods "$tmp/long.json" | sed -n '/allocated over time/,/^$/p' | grep -cE '^ *[0-9.]+ m?s  ')" 41

# ---- diff ----

sed 's/"count":\[1000,313/"count":[1000,626/; s/"req":\[33000,7512/"req":[33000,15024/
	s/"alloc":\[64000,10016/"alloc":[64000,20032/' $one >"$tmp/more.json"
is 'diff: which site wastes more' "$(kstats-bpf diff $one -- "$tmp/more.json" -f json |
	jq -c '.rows[0] | [.name, .before.wasted_bytes, .after.wasted_bytes]')" '["seq_open+0x2b",2504,5008]'
is 'in text' "$(kstats-bpf diff $one -- "$tmp/more.json" | grep -c '+2.445 KiB .* seq_open+0x2b')" 1
is 'what did not change is counted' "$(kstats-bpf diff $one -- "$tmp/more.json" | grep -c '^3 without a change')" 1
is 'what was lost is told' "$(kstats-bpf diff $one -- "$tmp/more.json" | grep -c '^LOST 9 events before and 9 after')" 1
is 'by cache and count' "$(kstats-bpf diff $one -- "$tmp/more.json" --by cache --sort count -f json |
	jq -r '.rows[0].name')" 'kmalloc of 32'
sed 's/6.12.0-amd64/6.18.0-amd64/; s/seq_open+0x2b/seq_open+0x44/' "$tmp/more.json" >"$tmp/other.json"
is 'of two kernels by function' "$(kstats-bpf diff $one -- "$tmp/other.json" -f json |
	jq -c '[.matched_by_function, .rows[0].name]')" '[true,"seq_open"]'
for f in text markdown html json; do
	kstats-bpf diff $one $one -- "$tmp/more.json" -f $f -o "$tmp/diff"
	is "diff -f $f" "$? $(test -s "$tmp/diff" && echo some)" '0 some'
	rm -f "$tmp/diff"
done
wrong 'cannot read .*: it is not a recording of memory events' diff $one -- $trace
wrong 'cannot read .*: it is a recording of memory events' diff $trace -- $one
wrong 'cannot compare .* by live bytes: it does not tell what is live' diff $one -- $lives --sort live
wrong "cannot group .* by 'gfp': it has only" diff $one -- $lives --by gfp
wrong 'cannot use --force: these are recordings of memory events' diff $one --force -- $lives
wrong 'cannot use --sort: these are recordings of .trace' diff $trace -- $trace --sort count

# ---- check ----

status 'within bounds' 0 $lives --assert 'waste<10%' --assert 'loss<1%' --assert 'kmemdup*:live<1MiB' --assert 'seq_open:p99<10ms'
status 'too much waste' 1 $lives --assert 'waste<1%'
has 'it says how much' "$out" 'waste is 2\.36%$'
status 'what was not measured is inconclusive' 3 $one --assert 'live<1MiB'
has 'it says how to measure it' "$out" 'measure with --lifetime'
status 'inconclusive as a failure' 1 $one --assert 'live<1MiB' --inconclusive fail
status 'inconclusive as a pass' 0 $one --assert 'live<1MiB' --inconclusive=pass
is 'a share and bytes are two figures' "$(kstats-bpf check $lives --assert 'waste<60%' --assert 'waste<1MiB' -f json |
	jq -c '[.[] | .name[-10:], .unit]')" '["aste share","share","json waste","bytes"]'
status 'a failure stays one' 1 $one --assert 'live<1MiB' --assert 'waste<1%' --inconclusive pass
status 'the waste of nothing is 0' 0 $lives --assert 'nothing*:waste<1'
has 'which is told' "$out" 'waste is 0 B: nothing that it names was allocated'
status 'and not above 0' 1 $lives --assert 'nothing*:waste>0'
status 'a share of nothing fails' 1 $lives --assert 'nothing*:waste<1%'
status 'unless it is allowed' 0 $lives --assert 'nothing*:waste<1%' --allow-empty
status 'too much was lost' 3 $lives --assert 'waste<10%' --max-loss 0
status 'which no option hides' 3 $lives --assert 'waste<10%' --max-loss 0 --inconclusive=pass
status 'each of several is judged' 1 $golden/kmem-many.kmem.json $lives --assert 'waste<10%'
is 'by its name' "$(grep -c '^fail  *.*kmem-many.*waste' <<<"$out") $(grep -c '^pass  *.*kmem-lives.*waste' <<<"$out")" '1 1'
for f in junit tap github; do
	status "check -f $f" 1 $lives --assert 'waste<1%' -f $f
	has "$f names the rule" "$out" 'waste'
done
is 'check -f json has each figure with its unit' "$(kstats-bpf check $lives --assert 'waste<60%' \
	--assert 'waste<1KiB' --assert 'rate<1' --assert 'kmemdup*:waste<1KiB' -f json | jq -r '.[] | .name, .unit, .extra' |
	sed "s=$lives ==" | paste -sd' ')" 'waste share share pass: waste<60% waste bytes fail: waste<1KiB'\
' rate allocations/s fail: rate<1 kmemdup*:waste bytes fail: kmemdup*:waste<1KiB'
wrong "cannot use 'gobench' for --format: results of memory events" check $lives --assert 'waste<1%' -f gobench
wrong 'its limit cannot be read' check $lives --assert 'waste<ten'
wrong 'recordings of memory events have no such figure; write .*waste' check $lives --assert 'mean<10us'
wrong 'recordings of calls have no such figure; write count' check $trace --assert 'waste<10%'
for f in $lives $trace; do
	wrong 'does not begin with a known figure' check "$f" --assert 'p99.12345<1s'
done
wrong 'cannot use --max-increase for .*memory events' check $lives --max-increase p99=5% --base $lives
wrong 'cannot use --force for .*memory events' check $lives --assert 'waste<10%' --force
wrong 'cannot read .*: it is not a recording of memory events' check $lives $trace --assert 'waste<10%'

# ---- nodes ----

wrong 'memory events have no target' node add --kmem one two
wrong "cannot use 'one/two' for a node" node add --kmem one/two
wrong 'a node is of one kind; leave one out' node add --kmem --user one
wrong 'cannot use a command for a node' node add --kmem -- true
wrong "cannot use --top for a node: .*'kstats-bpf node show'" node add --kmem --top 3
is 'words of nodes are completed' "$(kstats-bpf complete node add --kmem --lif) \
$(kstats-bpf complete node add --kmem --by gf) $(kstats-bpf complete node add --lif)" \
	'--lifetime gfp '

plan
