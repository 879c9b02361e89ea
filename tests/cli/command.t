#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Whose the command is, and what it may: the user who called sudo, by number, groups
# and names; nothing of what was granted for measuring. Measures system calls by
# their tracepoints; needs root. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
export PATH="$PWD/.output:$PATH"
# shellcheck source=tests/tap.sh
. tests/tap.sh
if [ "$(id -u)" != 0 ]; then
	echo '1..1'
	echo 'ok 1 - the command # SKIP root is needed'
	exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
unset SUDO_UID SUDO_GID SUDO_USER
pair=(trace -q --start tp:sys_enter --end tp:sys_exit -o "$tmp/report")

# ---- its end ----
kstats-bpf "${pair[@]}" -- sh -c 'exit 7'
is "the command's exit status is ours" $? 7
# shellcheck disable=SC2016
kstats-bpf "${pair[@]}" -- sh -c 'kill -9 $$'
is 'a killed command is 128 and the signal' $? 137
kstats-bpf "${pair[@]}" -- /nonexistent 2>"$tmp/err"
is 'a command that is not there' "$? $(grep -c "cannot run '/nonexistent': No such file" "$tmp/err")" '2 1'
# shellcheck disable=SC2016
kstats-bpf "${pair[@]}" -d 1 -- sh -c 'echo $$ >"$1"; exec sleep 1000' sh "$tmp/sleeps"
is 'the end of -d ends the command too' "$?/$(wc -l <"$tmp/sleeps")/$(ps -o args= -p "$(cat "$tmp/sleeps")")" 0/1/

nobody=$(getent passwd nobody)
IFS=: read -r name _ uid gid _ home shell <<<"$nobody"

# ---- by sudo ----
under_sudo() { SUDO_UID=$1 SUDO_GID=$2 kstats-bpf "${pair[@]}" "${@:3}"; }

is 'the command has the numbers and groups of the caller' \
	"$(under_sudo "$uid" "$gid" -- sh -c 'id -u; id -g; id -G' | tr '\n' '/')" \
	"$uid/$gid/$(id -G nobody)/"
# shellcheck disable=SC2016
said='echo "$HOME $USER $LOGNAME $SHELL"'
is 'and the names' "$(HOME=/root USER=root LOGNAME=root SHELL=/bin/wrong under_sudo "$uid" "$gid" -- sh -c "$said")" \
	"$home $name $name $shell"
is 'one without a name has none of root' \
	"$(HOME=/root USER=root LOGNAME=root SHELL=/bin/wrong under_sudo 4242424 4242424 -- sh -c "$said; id -G")" \
	"$(printf '/   /bin/sh\n4242424')"
for id in 4294967295 4294967296 18446744073709551617 abc '1000 ' ' 1000' -1 +1 1e3 ''; do
	for ids in "$id:1000:SUDO_UID is '$id', which is not the number of a user" \
		"1000:$id:SUDO_GID is '$id', which is not the number of a group"; do
		IFS=: read -r u g why <<<"$ids"
		under_sudo "$u" "$g" -- touch "$tmp/ran" >"$tmp/out" 2>"$tmp/err"
		is "refused: $why" "$? $(wc -l <"$tmp/err") $(grep -cF "$why" "$tmp/err") $([ -e "$tmp/ran" ]; echo $?)" \
			'2 1 1 1'
	done
done
(unset SUDO_GID; SUDO_UID=1000 kstats-bpf "${pair[@]}" -- touch "$tmp/ran") 2>"$tmp/err"
is 'refused: a user without a group' "$? $(grep -c 'SUDO_GID is not set' "$tmp/err") $([ -e "$tmp/ran" ]; echo $?)" '2 1 1'
is 'with --as-root nobody asks' "$(under_sudo abc '1000 ' --as-root -- id -u)" 0

# ---- what was granted for measuring ----
is 'the largest number is a user' "$(under_sudo 4294967294 4294967294 -- id -u)" 4294967294
granted=(setpriv --reuid "$uid" --regid "$gid" --clear-groups
	--inh-caps '+bpf,+perfmon' --ambient-caps '+bpf,+perfmon')
chmod 777 "$tmp"
caps() { awk '/^Cap(Prm|Eff|Amb)/ { print $2 }' "$1" | sort -u | tr '\n' ' '; }
install -m 755 .output/kstats-bpf "$tmp/kstats-bpf"
is 'granted, a program has it' "$("${granted[@]}" cat /proc/self/status >"$tmp/had"; caps "$tmp/had")" \
	'000000c000000000 '
"${granted[@]}" "$tmp/kstats-bpf" "${pair[@]}" -- cat /proc/self/status >"$tmp/has" 2>"$tmp/err"
is 'and measures' "$? $(cat "$tmp/err")" '0 '
is 'and its command has none of it' "$(caps "$tmp/has")" '0000000000000000 '
# Nothing was granted: the file, which it may not write either, is not looked at.
setpriv --reuid "$uid" --regid "$gid" --clear-groups "$tmp/kstats-bpf" "${pair[@]}" -o /nosuch/file \
	-- touch "$tmp/granted" 2>"$tmp/err"
is 'not granted, it says so and opens nothing' "$? $(cat "$tmp/err") $([ -e "$tmp/granted" ]; echo $?)" \
	"4 kstats-bpf: cannot trace: the user lacks CAP_BPF and CAP_PERFMON; see 'kstats-bpf doctor' 1"
setpriv --reuid "$uid" --regid "$gid" --clear-groups "$tmp/kstats-bpf" kmem -o /nosuch/file \
	-- touch "$tmp/granted" 2>"$tmp/err"
is 'nor does kmem' "$? $(cat "$tmp/err") $([ -e "$tmp/granted" ]; echo $?)" \
	"4 kstats-bpf: cannot watch allocations: the user lacks CAP_BPF and CAP_PERFMON; see 'kstats-bpf doctor' 1"
setpriv --reuid "$uid" --regid "$gid" --clear-groups "$tmp/kstats-bpf" list tp:sched_switch >"$tmp/out" 2>"$tmp/err"
is 'a list without privileges says that methods are not verified' "$? $(cat "$tmp/out" "$tmp/err" | xargs)" \
	'0 tp:sched_switch tp_btf kstats-bpf: the methods are not verified: this user may not load programs to try them; use sudo'
"${granted[@]}" "$tmp/kstats-bpf" list tp:sched_switch 2>"$tmp/err" >"$tmp/out"
is 'and with them it does not' "$? $(cat "$tmp/err")" '0 '
is 'doctor without privileges names one next step' "$(setpriv --reuid "$uid" --regid "$gid" --clear-groups \
	"$tmp/kstats-bpf" doctor --json | jq -r 'select(.what == "trace event" or .what == "fentry/fexit") | .next' | xargs)" \
	'null null'

is 'an exposition has the bounds asked for' "$(kstats-bpf trace -q --start tp:sys_enter --end tp:sys_exit \
	-f openmetrics --buckets 1us..4us/1 -- true | sed -n 's/.*le="\(.*\)".*/\1/p' | sort -u | xargs)" \
	'+Inf 0.000000511 0.000001023 0.000002047 0.000004095'

# ---- a series ----
# shellcheck disable=SC2016
look='grep -h "Cap[PE]" /proc/$PPID/status; id -u; grep -h -E "Cap[PE]|NoNew" /proc/self/status'
want="CapPrm: 0000000000000022 CapEff: 0000000000000022 $uid CapPrm: 0000000000000000 CapEff: 0000000000000000 NoNewPrivs: 0 "
gate=(trace -q --start tp:sys_enter --end tp:sys_exit --runs 3 --assert 'count>0')
SUDO_UID=$uid SUDO_GID=$gid kstats-bpf "${gate[@]}" --record "$tmp/runs" -- sh -c "$look" >"$tmp/out" 2>"$tmp/err"
is 'a series ends' $? 0
is 'its privileges are given up before the first command, and no command notices' \
	"$(tr '\n\t' '  ' <"$tmp/err" | tr -s ' ')" "$want$want$want"
is 'each run is one' "$(for f in "$tmp"/runs/*.json; do kstats-bpf report "$f" -f json; done |
	jq -c '.nodes[0] | [.samples > 0, .ledger.started < 5000, .ledger.balance]' | sort | uniq -c | xargs)" \
	'3 [true,true,0]'
is 'with --as-root its commands are root' \
	"$(SUDO_UID=$uid SUDO_GID=$gid kstats-bpf "${gate[@]}" --as-root -- id -u 2>&1 >/dev/null | xargs)" '0 0 0'
kstats-bpf "${gate[@]}" --vs 'echo base >&2' --max-increase p50=5% --inconclusive=pass -- \
	sh -c 'echo run >&2' >"$tmp/out" 2>"$tmp/err"
is 'two commands take turns, and turns at being first' "$(xargs <"$tmp/err")" \
	'run base base run run base'
kstats-bpf "${gate[@]}" -- sh -c 'exit 7' >"$tmp/out" 2>"$tmp/err"
is 'a command that fails is told' "$? $(grep -c 'failed in run 1 of 3: its status is 7' "$tmp/err")" '2 1'
kstats-bpf "${gate[@]}" -- /nonexistent >"$tmp/out" 2>"$tmp/err"
is 'one that is not there, too' "$? $(grep -c "cannot run '/nonexistent'" "$tmp/err")" '2 1'
# The first run leaves one behind that goes on in the others: nobody counts it.
cat >"$tmp/leave" <<'SCRIPT'
[ -e "$1/left" ] && exec sleep 0.2
touch "$1/left"
(while [ -e "$1/left" ]; do :; done) &
SCRIPT
kstats-bpf "${gate[@]}" --record "$tmp/left-runs" -- sh "$tmp/leave" "$tmp" >"$tmp/out" 2>"$tmp/err"
is 'what a command leaves behind is not measured with the next' \
	"$(for f in "$tmp"/left-runs/run-[23].json; do kstats-bpf report "$f" -f json; done |
		jq '.nodes[0].samples < 1000' | xargs)" 'true true'
rm -f "$tmp/left"
plan
