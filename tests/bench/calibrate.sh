#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# calibrate.sh: tracepoint pairs calibrated on this very machine. What is kept goes
# into a /run of its own. TAP. Called by calibrate.t.

mount -t tmpfs -o mode=755 tmpfs /run || exit 1
. tests/tap.sh
tmp=/run/test
mkdir $tmp
pair='--start tp:raw_syscalls:sys_enter --end tp:raw_syscalls:sys_exit'
reads() { dd if=/dev/zero of=/dev/null bs=1 count="$1" 2>/dev/null; }

# shellcheck disable=SC2086
hint=$(kstats-bpf trace $pair -- dd if=/dev/zero of=/dev/null bs=1 count=9973 2>&1)
has 'nothing is known: a hint' "$hint" "'kstats-bpf calibrate' measures it"
has 'doctor says so' "$(kstats-bpf doctor)" '^calibration +- +floor and overhead are not known'

# The other ways: tests/vm/calibrate.py, with "here".
kstats-bpf calibrate --json -m tp_btf >$tmp/all 2>/dev/null
is 'calibrate' $? 0
is 'every pairing of a tracepoint pair' "$(jq -c '[.calibration[] |
	select(.method == "tracepoint pair (tp_btf)" and .backend == "map") | .pairing] | sort' $tmp/all)" \
	'["by key","by task","per CPU"]'
is 'kept' "$(jq -cS . /run/kstats-bpf/calibration.json)" "$(jq -cS . $tmp/all)"
is 'shown' "$(kstats-bpf calibrate --show --json | jq -cS .)" "$(jq -cS . $tmp/all)"
is 'shown to people' "$(kstats-bpf calibrate --show | grep -c '^tracepoint pair (tp_btf)  *map ')" 3
has 'doctor knows' "$(kstats-bpf doctor)" '^calibration +ok +known for [0-9]+ combinations'

echo '{"format"' >$tmp/broken
mount --bind $tmp/broken /run/kstats-bpf/calibration.json
is 'nothing to show in a broken file' "$(kstats-bpf calibrate --show 2>&1 >/dev/null; echo $?)" \
	"kstats-bpf: the calibration in '/run/kstats-bpf/calibration.json' is not used: it ends too early;\
 'kstats-bpf calibrate' makes a new one
2"
umount /run/kstats-bpf/calibration.json

cp /run/kstats-bpf/calibration.json $tmp/good
unused() { # WHAT WHY
	# shellcheck disable=SC2086
	out=$(kstats-bpf trace $pair -f json -- dd if=/dev/zero of=/dev/null bs=1 count=9973 2>&1)
	has "$1: a measurement tells why it does not use it" "$out" "$2"
	is "$1: and has no floor" "$(echo "$out" | grep '^{' | jq '.calibration, .nodes[0].ledger.recorded > 9973' |
		xargs)" 'null true'
}
sed -i 's/"boot_id":"./"boot_id":"x/' /run/kstats-bpf/calibration.json
unused 'of another boot' 'it is of an earlier boot'
cp $tmp/good /run/kstats-bpf/calibration.json
chmod 666 /run/kstats-bpf/calibration.json
unused 'others may write to it' 'others may write'
rm /run/kstats-bpf/calibration.json
ln -s $tmp/good /run/kstats-bpf/calibration.json
unused 'a link' 'is a link'
rm /run/kstats-bpf/calibration.json
cp $tmp/good /run/kstats-bpf/calibration.json

for words in '' '--key cpu' '--key arg0'; do
	# shellcheck disable=SC2086
	kstats-bpf trace -q $pair $words --record $tmp/rec -- dd if=/dev/zero of=/dev/null bs=1 \
		count=9973 >$tmp/out 2>&1
	is "the summary tells it: ${words:-by task}" "$(grep -cE '^  floor   [0-9.]+ .s hot, [0-9.]+ .s cold;' $tmp/out)" 1
	is "and the recording: ${words:-by task}" "$(kstats-bpf report $tmp/rec -f json | jq -c .calibration)" \
		"$(jq -c --arg w "${words:-by task}" '[.calibration[] | select(.backend == "map" and
			.method == "tracepoint pair (tp_btf)" and .pairing == ({"--key cpu": "per CPU", "--key arg0": "by key"}[$w] // $w))]' $tmp/all)"
done
is 'subtracted' "$(kstats-bpf report $tmp/rec -f json --floor subtract |
	jq '.nodes[0].floor_subtracted_ns == .calibration[0].hot.floor_ns.median')" true

mkdir $tmp/bpf && mount -t bpf bpf $tmp/bpf
# shellcheck disable=SC2086
kstats-bpf node add reads $pair --backend map --pin-root $tmp/bpf/kstats
reads 9973
is 'a node tells it' "$(kstats-bpf node show reads --pin-root $tmp/bpf/kstats |
	grep -cE '^  floor   [0-9.]+ .s hot, [0-9.]+ .s cold;')" 1
is 'in every format' "$(kstats-bpf node show reads --pin-root $tmp/bpf/kstats -f json |
	jq -c .calibration)" "$(jq -c '[.calibration[] | select(.backend == "map" and .pairing == "by task" and
	.method == "tracepoint pair (tp_btf)")]' $tmp/all)"
kstats-bpf node rm --all --pin-root $tmp/bpf/kstats
umount $tmp/bpf

# ---- what cannot be calibrated ----
kept=$(cat /run/kstats-bpf/calibration.json)
# Here at all, where the kernel lets some methods in and others not.
is 'a method is refused once, not for each function' "$(kstats-bpf trace -d 0.1 --floor measure \
	vfs_read vfs_write vfs_open 2>&1 | grep 'not calibrated:' | sort | uniq -d)" ''
cp "$(command -v kstats-bpf)" $tmp/program
err=$(setpriv --reuid=65534 --regid=65534 --clear-groups $tmp/program trace -d 1 --floor measure \
	vfs_read 2>&1)
is 'what cannot be calibrated is not measured' $? 4
is 'also where something is kept' "$(echo "$err" | grep -v 'not calibrated:' |
	sed 's/^kstats-bpf: \([a-z ]*\):.*/\1/')" 'cannot calibrate'
# shellcheck disable=SC2086
err=$(unshare -fp --mount-proc kstats-bpf trace $pair --key arg0 --floor subtract -d 1 2>&1 \
	--backend map | grep -c floor:)
is 'in a container what is kept is used' "$err" 1
rm /run/kstats-bpf/calibration.json
# shellcheck disable=SC2086
out=$(unshare -fp --mount-proc kstats-bpf trace $pair --floor subtract -d 1 2>/dev/null)
is 'and what is not is measured there' $? 0
has 'with a floor' "$out" '^  floor   [0-9.]+ .s hot'
mkdir $tmp/elsewhere
mount --bind -o ro $tmp/elsewhere /run/kstats-bpf && mount -o remount,bind,ro /run/kstats-bpf
# shellcheck disable=SC2086
err=$(kstats-bpf trace -q $pair --floor measure -d 0.2 -f json 2>&1)
is 'what cannot be kept is used' "$? $(echo "$err" | grep -c 'Read-only file') $(echo "$err" |
	grep '^{' | jq '.calibration | length')" '0 1 1'
umount /run/kstats-bpf
echo "$kept" | jq -c '.calibration |= map(select(.pairing == "by task"))' \
	>/run/kstats-bpf/calibration.json
for words in '' '--key cpu'; do
	rm -f /run/kstats-bpf/told
	# shellcheck disable=SC2086
	is "a hint where something else is known: ${words:-by task}" "$(kstats-bpf trace $pair $words -- \
		dd if=/dev/zero of=/dev/null bs=1 count=9973 2>&1 | grep -c 'the floor on this machine is not known')" \
		"$([ -z "$words" ]; echo $?)"
done
echo "$kept" >/run/kstats-bpf/calibration.json

# shellcheck disable=SC2086
kstats-bpf trace $pair --limit overhead=0.001 -f json -- sh -c \
	"for i in \$(seq 30000); do dd if=/dev/zero of=/dev/null bs=1 count=9973 2>/dev/null
	grep -q 'overhead passed the limit' $tmp/err && break; done; echo ended >$tmp/ended" >$tmp/out 2>$tmp/err
is 'more than is allowed' $? 5
has 'is told' "$(cat $tmp/err)" 'measurement ended: the overhead was about [0-9.]+% of [0-9]+ CPUs?, more than the 0.001% allowed'
is 'the command goes on' "$(cat $tmp/ended)" ended
is 'what was measured is shown, and balances' "$(jq '.nodes[0].ledger.balance' $tmp/out)" 0
is 'until the first look' "$(jq '.end_ns - .begin_ns | . > 900000000 and . < 10000000000' $tmp/out)" true
# shellcheck disable=SC2086
kstats-bpf trace $pair --limit overhead=100 -p 1 -d 2 >$tmp/out 2>$tmp/err
is 'less than is allowed' $? 0
has 'the largest share is told' "$(cat $tmp/err)" 'largest overhead: about [0-9.]+% of [0-9]+ CPUs?'
(while [ ! -e $tmp/stop ]; do
	reads 20000
	sleep 0.05
done) &
# shellcheck disable=SC2086
kstats-bpf trace -q $pair --limit overhead=0.1 -p 1 -d 20 >/dev/null 2>&1
is 'calls that a filter leaves out are counted too' $? 5
ends='--start tp:sched:sched_process_exec --end tp:raw_syscalls:sys_enter'
for words in '' '-p 1'; do
	# shellcheck disable=SC2086
	kstats-bpf trace -q $ends --limit overhead=0.1 $words -d 20 >/dev/null 2>&1
	is "and a pair of which only the ends are many: ${words:-all}" $? 5
done
: >$tmp/stop
wait

# ---- somebody else calibrates ----
exec 9>/run/kstats-bpf/lock
flock 9
# shellcheck disable=SC2086
kstats-bpf trace $pair --floor measure -d 0.1 >/dev/null 2>$tmp/waits 9>&- &
other=$!
i=0
while [ ! -s $tmp/waits ] && [ $i -lt 600 ]; do
	sleep 0.1
	i=$((i + 1))
done
is 'two do not calibrate at once' "$(cat $tmp/waits)" 	'kstats-bpf: another process is calibrating; waiting until it has finished'
exec 9>&-
wait $other
is 'but one after the other' $? 0
plan
