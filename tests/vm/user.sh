# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Programs with markers count exactly, find nodes and leave them at run time, and can
# spoil nothing but the counts of their node. Runs as root, in a guest or in a mount
# namespace of its own; prints TAP. Needs kstats-bpf in PATH; USER_PROGRAM is user.c,
# LIBRARY the library of examples/; NOBODY a program that runs a command as user 1000, or nothing;
# CALLS, KILLS, ROUNDS and THREADS say how many; with HOTPLUG, CPU 1 is taken away. Called by user-run.

# shellcheck source=tests/tap.sh
. "$TAP"
folder=/run/kstats-user
program=$USER_PROGRAM

umount /sys/fs/bpf 2>/dev/null
mount -t bpf -o mode=700 bpf /sys/fs/bpf
mount -t tmpfs -o mode=755 run /run
tmp=$(mktemp -d) spin=
trap 'kill -9 $lines $spin 2>/dev/null' EXIT
# Used as the first words of a command. That of busybox knows less.
nobody=${NOBODY:-/usr/bin/setpriv --reuid 1000 --regid 1000 --clear-groups}

# Prints "SAMPLES SUM" of a node.
counted() { kstats-bpf node show "$1" -f csv | awk -F, '$5 == "all" { n += $9; sum += $10 } END { printf "%d %d\n", n, sum }'; }
# Prints counters of its ledger, by name.
ledger() { kstats-bpf node show "$1" -f json | counters "$@"; } # NODE KEY...
unseen() { kstats-bpf node show "$1" -f json | grep -o 'inconsistent[^"]*'; }

# A program that takes commands.
mkfifo "$tmp/in" "$tmp/out"
"$program" lines <"$tmp/in" >"$tmp/out" &
lines=$!
exec 3>"$tmp/in" 4<"$tmp/out"
say() { # COMMAND...: prints the answer
	echo "$*" >&3
	while read -r answer <&4 && [ "$answer" != "done" ]; do echo "$answer"; done
}
reset() { kstats-bpf node reset --all; }

# ---- finding nodes ----
say sample 3 1
is 'no folder: nothing happens, and a program is told why' "$(say state)" \
	'there is no folder of nodes, or it is not visible here'
kstats-bpf node add --user batch
kstats-bpf node add --user req --bits 3
is 'the first node: a program finds it when told to look again' "$(say look; say state)" 'it records'
say sample 5 3
is 'samples and their sum' "$(counted batch)" '5 15'
say pair 7
is 'pairs' "$(counted req | cut -d' ' -f1) $(ledger req started no_end)" '7 7 0'
kstats-bpf node stop batch
say sample 11 3
is 'a stopped node records nothing' "$(counted batch) $(say state)" '5 15 the node is stopped'
kstats-bpf node start batch
say sample 2 3
is 'it goes on after a start' "$(counted batch) $(say state)" '7 21 it records'
kstats-bpf node reset batch
say sample 3 3
is 'a reset begins anew' "$(counted batch)" '3 9'
kstats-bpf node rm batch
say sample 3 3
is 'a node that was removed is left' "$(say state)" 'there is no node of that name'
has 'and its maps are freed' "$(grep -c 'bpf-map' "/proc/$lines/maps")" '^[23]$'
kstats-bpf node add --user batch --bits 0
say sample 4 3
is 'another one of that name is found' "$(counted batch)" '4 12'
say sample 1 18446744073709551615
is 'the largest value' "$(counted batch | cut -d' ' -f1)" 5
kstats-bpf node rm batch
kstats-bpf node add --user batch --bits 0
say cancel
say sample 4 3
is 'a thread that is cancelled finds it before it ends' "$(counted batch)" '5 15'
kstats-bpf node rm batch
kstats-bpf node add --user batch --bits 0
say amid 50
say sample 5 3
is 'threads that are cancelled amid a look do not end all looks' "$(counted batch)" '5 15'
say library 6 0 "$LIBRARY"
say library 6 0 "$LIBRARY"
is 'a library that is loaded and unloaded, twice' "$(counted batch | cut -d' ' -f1)" 17
kstats-bpf node ls >"$tmp/ls"
has 'ls' "$(cat "$tmp/ls")" '^batch +markers +user +running .* 17 .*--user batch --bits 0$'
out=$(kstats-bpf node export)
has 'export' "$out" 'kstats_duration_seconds_count\{node="batch".* 17$'

# ---- begin and end ---- [7]
try() { # NAME "RECORDED STARTED NESTED END_MISSED UNMATCHED NO_END" COMMAND...
	name=$1 wanted=$2
	shift 2
	kstats-bpf node reset req
	say "$@"
	is "$name" "$(ledger req recorded started nested end_missed unmatched no_end)" "$wanted"
}
kstats-bpf node reset req
say begin
is 'a begin that is open' "$(ledger req recorded started no_end)" '0 1 1'
say end
is 'ends in another function' "$(ledger req recorded started no_end)" '1 1 0'
try 'recursion' '13 13 0 0 0 0' nest 13
try 'deeper than begins are kept: told' '32 40 8 0 8 0' nest 40
try 'longjmp: the outer end takes the outer begin' '1 2 0 1 0 0' jump
try 'an end of a callee leaves the begin of its caller' '1 1 0 0 1 0' skip
try 'markers that overlap' '1 1 0 0 0 0' overlap
try 'a begin and an end in methods of equal names' '1 1 0 0 0 0' names
try 'an end without a begin' '0 0 0 0 1 0' end
try 'a thread that ends inside' '0 1 0 0 0 1' leave
try 'many begins without an end delay nobody' '32 40 8 0 9 0' forget
try 'a fork: the child counts its own, not what the parent began' '3 3 0 0 1 0' fork
say begin
kstats-bpf node reset req
say end
is 'a begin before a reset gives no sample' "$(ledger req recorded started unmatched)" '0 0 1'
kstats-bpf node reset req
say begin
kstats-bpf node stop req
kstats-bpf node start req
say end
is 'nor one before a stop: it is open' "$(ledger req recorded started no_end unmatched)" '0 1 1 1'
kstats-bpf node reset req
handled=$(say signals 300007)
is 'signal handlers with markers, at any moment' "$(ledger req recorded started unmatched no_end)" \
	"$((handled + 300007)) $((handled + 300007)) 0 0"
try 'deeper than begins are kept, again' '32 40 8 0 8 0' nest 40
has 'and there were some' "$handled" '^[1-9][0-9]'

# ---- many ---- [7]
n=$((CALLS / 8))
reset
"$program" threads 8 $n
is '8 threads: samples and their sum' "$(counted batch)" "$((8 * n)) $((24 * n))"
is '8 threads: pairs' "$(ledger req recorded started nested end_missed unmatched no_end)" \
	"$((8 * n)) $((8 * n)) 0 0 0 0"
reset
"$program" threads 4 $n &
other=$!
"$program" threads 4 $n
wait $other
is 'two programs on one node' "$(counted batch) $(ledger req recorded no_end)" \
	"$((8 * n)) $((24 * n)) $((8 * n)) 0"
reset
GLIBC_TUNABLES=glibc.pthread.rseq=0 "$program" threads 4 $n &
other=$!
"$program" threads 4 $n
wait $other
is 'one of them without restartable sequences' \
	"$(counted batch) $(ledger req recorded started no_end)$(unseen req)" \
	"$((8 * n)) $((24 * n)) $((8 * n)) $((8 * n)) 0"

# ---- forks, programs that replace each other, cancelled threads, other users ---- [here]
seed=0 bad=
while [ $seed -lt "$ROUNDS" ]; do
	seed=$((seed + 1))
	reset
	wanted=$("$program" storm $seed 60 | awk '{ print $1, 3 * $1, $2, $2 + $3, 0, 0, 0, $3 }')
	got="$(counted batch) $(ledger req recorded started nested end_missed unmatched no_end)"
	[ "$got" = "$wanted" ] || bad="$bad; $seed: $got, expected $wanted"
done
is 'random forks, execs, cancelled threads and changes of user' "$bad" ''
has 'with some of each' "$wanted" '^[1-9][0-9]* .* [1-9][0-9]*$'
reset

# ---- a processor that leaves and comes back ---- [7]
if [ "${HOTPLUG-}" ]; then
	online=/sys/devices/system/cpu/cpu1/online
	reset
	echo 0 >$online
	"$program" threads 4 $((10 * CALLS)) &
	other=$! times=0
	while kill -0 $other 2>/dev/null; do
		echo 1 >$online
		times=$((times + 1))
		echo 0 >$online
	done
	wait $other
	wanted="$((40 * CALLS)) $((120 * CALLS)) $((40 * CALLS)) $((40 * CALLS)) 0 0 0 0"
	many() { echo "$(counted batch) $(ledger req recorded started nested end_missed unmatched no_end)"; }
	is 'a processor that leaves while it records: all counts, while it is away' "$(many)" "$wanted"
	echo 1 >$online
	is 'and when it is back' "$(many)" "$wanted"
	has 'it left often' "$times" '^([5-9]|[1-9][0-9]+)$'
	reset
	taskset -p 2 $lines >/dev/null
	say begin
	say sample 5 3
	echo 0 >$online
	say sample 6 3
	say end
	echo 1 >$online
	say sample 2 3
	is 'a program that is bound to it' "$(counted batch) $(ledger req recorded started no_end unmatched)" \
		'13 39 1 1 0 0'
fi

# ---- start, stop and reset beside threads that record ---- [here]
"$program" spin "$THREADS" &
spin=$!
bad='' round=0
check() { # each value is 3, each end has its begin, and what is open is one for each thread
	# shellcheck disable=SC2046
	set -- $(counted batch) $(ledger req recorded started no_end nested end_missed balance)
	[ "$2" = $((3 * $1)) ] && [ "$4" = $(($3 + $5)) ] && [ "$5" -le "$THREADS" ] &&
		[ "$6 $7 $8" = '0 0 0' ] && [ ! "$(unseen req)$(unseen batch)" ] ||
		bad="$bad round $round: $*;"
}
while [ $round -lt "$ROUNDS" ]; do
	round=$((round + 1))
	kstats-bpf node stop req batch
	check
	first=$(counted req; counted batch)
	kstats-bpf node show req >/dev/null
	[ "$first" = "$(counted req; counted batch)" ] || bad="$bad round $round: it went on;"
	reset
	[ "$(counted req; counted batch)" = "0 0
0 0" ] || bad="$bad round $round: not reset;"
	kstats-bpf node start req batch
	kstats-bpf node reset req
	[ ! "$(unseen req)" ] || bad="$bad round $round: $(unseen req);"
done
is 'start, stop and reset beside' "$bad" ''
kstats-bpf node rm req
kstats-bpf node add --user req
kill -0 $spin 2>/dev/null
is 'remove and add beside: the program lives' $? 0
tries=0
while [ "$(counted req)" = '0 0' ] && [ $tries -lt 1000 ]; do tries=$((tries + 1)); done
is 'and counts in the new node' "$([ "$(counted req)" != '0 0' ]; echo $?)" 0
kill -9 $spin
wait $spin 2>/dev/null
spin=

# ---- kills ---- [here]
reset
kill=0 bad=
while [ $kill -lt "$KILLS" ]; do
	kill=$((kill + 1))
	"$program" spin "$THREADS" &
	spin=$!
	before=$(counted batch) tries=0
	while [ "$(counted batch)" = "$before" ] && [ $tries -lt 1000 ]; do tries=$((tries + 1)); done
	kill -9 $spin
	wait $spin 2>/dev/null
	spin=
	# shellcheck disable=SC2046
	set -- $(counted batch) $(ledger req recorded started no_end nested end_missed balance)
	[ "$2" = $((3 * $1)) ] && [ "$4" = $(($3 + $5)) ] && [ "$5" -le $((THREADS * kill)) ] &&
		[ ! "$(unseen req)$(unseen batch)" ] || bad="$bad kill $kill: $*;"
done
is "$KILLS kills: no slot is half written, at most one begin is open for each thread" "$bad" ''

# ---- who may ---- [here]
run_as_nobody() { echo "$1" | $nobody "$program" lines | head -n 1; }
is 'another user may not' "$(run_as_nobody state)" 'it is not permitted to use the node'
kstats-bpf node rm batch
kstats-bpf node add --user batch --group 1000
is 'one of the group may' "$(run_as_nobody state)" 'it records'
kstats-bpf node rm batch
kstats-bpf node add --user batch --mode 0666
is 'all may' "$(run_as_nobody state)" 'it records'
is 'a filter that kills who calls bpf(2) kills nobody' "$($nobody "$program" filtered)" \
	'it is not permitted to use the node'
out=$(KSTATS_USER_BPF=1 $nobody "$program" filtered 2>&1)
is 'unless the user says that it is allowed' $? 159
mkfifo "$tmp/go"
$nobody "$program" sealed <"$tmp/go" >"$tmp/sealed" &
spin=$!
exec 5>"$tmp/go"
while [ ! -s "$tmp/sealed" ]; do sleep 0.1; done
kstats-bpf node reset batch
echo go >&5
wait $spin
is 'under a filter that a program has put on itself, it counts in the nodes that it found' \
	"$? $(tail -n 1 "$tmp/sealed") $(counted batch)" '0 it records 2 6'
exec 5>&-
spin=
mkdir "$folder.other"
is 'a folder of the environment' \
	"$(KSTATS_USER_FOLDER=$folder.other run_as_nobody state)" \
	'there is no folder of nodes, or it is not visible here'
before=$(kstats-bpf node show req -f csv)
is 'who writes nonsense cannot write the control' "$($nobody "$program" hostile $folder batch)" \
	'control closed closed'
kstats-bpf node show batch >"$tmp/show" 2>&1
is 'nonsense is shown all the same' $? 0
has 'and called inconsistent' "$(tr -s '\n ' ' ' <"$tmp/show")$(unseen batch)" 'inconsistent: programs wrote'
for format in json hist hdr svg html openmetrics csv; do
	timeout 60 kstats-bpf node show batch -f $format >"$tmp/show" 2>"$tmp/err" || [ $? = 2 ] ||
		is "nonsense as $format" "$(cat "$tmp/err")" ''
done
kstats-bpf node export >"$tmp/show" 2>"$tmp/err"
is 'export does, and ends with 3' "$? $(grep -c 'node="req"' "$tmp/show" | grep -cv '^0$')" '3 1'
has 'which it gives the reason for' "$(cat "$tmp/err")" \
	"the figures of 'batch' are not exact: inconsistent: programs wrote"
$nobody "$program" hostile $folder batch on &
spin=$!
bad=
for format in json summary openmetrics csv json summary openmetrics csv; do
	timeout 60 kstats-bpf node show batch -f $format >/dev/null 2>"$tmp/err" || bad="$bad $(cat "$tmp/err")"
done
kstats-bpf node reset batch || bad="$bad reset"
is 'nonsense that changes while it is read' "$bad" ''
kill -9 $spin
wait $spin 2>/dev/null
spin=
kstats-bpf node reset batch
$nobody "$program" hostile $folder batch lies
is 'more ends than begins: told' "$(unseen batch) $(ledger batch recorded started balance)" \
	'inconsistent: programs wrote 0 impossible counts, which are left out, and 10 more ends than begins 10 10 0'
kstats-bpf node reset batch
$nobody "$program" hostile $folder batch long
is 'large sums are not inconsistent' "$(ledger batch recorded)$(unseen batch)" 549755813888
is 'other nodes keep their counts' "$(kstats-bpf node show req -f csv)" "$before"
kstats-bpf node reset batch
$nobody "$program" threads 1 100
is 'a reset repairs it' "$(counted batch)$(unseen batch)" '100 300'
kstats-bpf node add --user cold
"$program" freeze $folder cold
is 'counts that a program froze are shown' "$? $(counted cold) $(kstats-bpf node show cold -f json |
	grep -o '"unseen":"[^"]*"')" \
	'0 0 0 "unseen":"a program froze its counts, so that nobody can change them"'
kstats-bpf node ls >"$tmp/ls"
is 'and listed' "$? $(grep -c '^cold ' "$tmp/ls")" '0 1'
has 'but not reset' "$(kstats-bpf node reset cold 2>&1)" 'froze its counts.*remove it and add it'
kstats-bpf node rm cold
is 'and removed' $? 0
$nobody "$program" lock $folder >"$tmp/held" &
spin=$!
while [ ! -s "$tmp/held" ]; do sleep 0.1; done
timeout 60 kstats-bpf node reset batch
is 'who locks what all users can open delays nobody' $? 0
kill -9 $spin
wait $spin 2>/dev/null
spin=
rm "$folder/batch" "$folder/batch+cells"
say sample 1 3
kstats-bpf node stop batch
kstats-bpf node start batch
is 'names that were removed are made again by a start' "$(run_as_nobody state)" 'it records'

kstats-bpf node rm batch
kstats-bpf node add --user batch --unit bytes
"$program" threads 1 3
has 'values have the unit of their node' "$(kstats-bpf node show batch -f json | tr -d ' \n')" '"unit":"bytes"'
has 'which exports name' "$(kstats-bpf node export)" 'kstats_value_count\{node="batch".*unit="bytes".* 3$'

# ---- trace m:NAME ---- [here]
kstats-bpf node rm --all 2>/dev/null
trace() { # WORD...: a run, whose report is in $tmp/json
	timeout 60 kstats-bpf trace -q -f json -o "$tmp/json" "$@" 2>"$tmp/err"
}
traced() { counters "$@" <"$tmp/json"; } # NAME KEY...: what the ledger says
trace m:req m:batch -- "$program" threads 4 997
is 'trace: exactly the markers of a command' \
	"$? $(traced req started recorded balance) $(traced batch recorded)" '0 3988 3988 0 3988'
is 'trace: nothing is left' "$(find $folder -name '*req*' -o -name '*batch*')" ''
kstats-bpf trace -q m:req &
left=$!
until [ -e $folder/req ]; do sleep 0.1; done
trace m:req -d 1
has 'trace: one at a time' "$? $(cat "$tmp/err")" '^2 .*another process measures them now'
kill -9 $left
wait $left 2>/dev/null
is 'trace: a killed one leaves its names' "$(find $folder -name '*req*' | sort | xargs -n 1 basename | tr '\n' ' ')" '+of-req req req+cells '
trace m:req -- "$program" threads 1 11
is 'trace: the next one takes them over' "$? $(traced req recorded)" '0 11'
kstats-bpf trace -q m:batch &
left=$!
until [ -e $folder/batch ]; do sleep 0.1; done
say look
say sample 3 1
kill -9 $left
wait $left 2>/dev/null
kstats-bpf trace m:batch -f json -o "$tmp/json" 2>"$tmp/err" &
left=$!
until grep -q measuring "$tmp/err"; do sleep 0.1; done
say sample 7 1
kill -INT $left
wait $left
is 'trace: a program that lives on leaves them' "$(traced batch recorded)" 7
kstats-bpf trace -q m:req &
left=$!
until [ -e $folder/req ]; do sleep 0.1; done
kill -9 $left
wait $left 2>/dev/null
is 'trace: and so does a node' "$(kstats-bpf node add --user req 2>&1; "$program" threads 1 7; counted req | cut -d' ' -f1)" 7
trace m:req -- true
has 'trace: a node has them' "$? $(cat "$tmp/err")" '^2 .*a node has them'
"$program" threads 1 5
is 'trace: and keeps them' "$(counted req | cut -d' ' -f1)" 12
trace m:req m:req
has 'trace: a name twice' "$? $(cat "$tmp/err")" '^2 .*it is there twice'
kstats-bpf node rm req
SUDO_UID=1000 SUDO_GID=1000 trace m:req -- sh -c "$program threads 1 13; id -u >&2"
is 'trace: the user who called sudo may count' "$(cat "$tmp/err") $(traced req recorded)" '1000 13'
# shellcheck disable=SC2086
is 'trace: and nobody else may' "$(trace m:req -- $nobody "$program" threads 1 17; traced req recorded)" 0
# shellcheck disable=SC2086
is 'trace --all: everybody may' "$(trace -a m:req -- $nobody "$program" threads 1 17; traced req recorded)" 17
kstats-bpf trace -q m:req --runs 3 --assert 'count==57' --assert 'p50<1s' -- "$program" threads 1 19 >"$tmp/verdict" 2>&1
is 'trace: runs begin from nothing' "$? $(tail -n 1 "$tmp/verdict")" '0 pass: 2 passed, 0 failed, 0 inconclusive'
trace m:batch --unit bytes -i 300ms -d 1 --record "$tmp/rec.json"
is 'trace: a unit, intervals and a recording' "$? $(kstats-bpf report "$tmp/rec.json" -f line | grep -c ' B \|unit: bytes')" '0 1'
kstats-bpf node add --user batch --unit bytes

# ---- words ---- [here]
refuse() { # NAME PATTERN WORD...
	name=$1 pattern=$2
	shift 2
	out=$(kstats-bpf node add "$@" 2>&1)
	has "$name" "$? $out" "^2 .*$pattern"
}
refuse 'a name that is no identifier' 'like variables in C' --user 9lives
refuse 'a name that is taken' 'there is a node of that name' --user batch
refuse 'a mode' 'three digits' --user x --mode 777
refuse 'a group' 'no group of that name' --user x --group nosuch
refuse 'a unit' 'ns, bytes, none, or a word' --user x --unit ms
refuse 'a target' 'programs tell what is measured' --user x vfs_read
refuse 'a folder elsewhere' 'not in a BPF file system' --user x --user-folder "$tmp"
kstats-bpf node add --user x --pin-root /sys/fs/bpf/second
refuse 'what programs find is taken' 'programs find another node' --user batch --pin-root /sys/fs/bpf/second
is 'and leaves nothing' "$(kstats-bpf node ls --json --pin-root /sys/fs/bpf/second | grep -c batch)" 0
kstats-bpf node rm x --pin-root /sys/fs/bpf/second

# ---- at the end ----
kstats-bpf node rm --all
is 'nothing is left but the version' "$(find $folder/ -type f ! -name '*.debug' -exec basename {} \;)" \
	'+version'
exec 3>&- 4<&-
wait $lines
status=$? lines=
is 'the program ends as usual' $status 0
umount $folder
rm -r "$tmp"
plan
