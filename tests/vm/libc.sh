# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# libc.sh: functions of libc that can be traced change no program. FOLDER has a copy of libc.so.6
# of its own, which no other program uses. FUNCTIONS are tried, AT_ONCE of them in a run.
# Runs as root, in a guest or on this machine; prints TAP. Called by libc-run.

# shellcheck source=tests/tap.sh
. "$TAP"
library=$FOLDER/libc.so.6
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

kstats-bpf list --json "u:$library" 2>/dev/null >"$tmp/list"
echo "# $(wc -l <"$tmp/list") functions; refused, by reason:"
sed -n 's/.*"why_not": *"\([^"]*\)".*/\1/p' "$tmp/list" | sort | uniq -c | sort -rn | sed 's/^/# /'
places() { sed 's/.*"offset": *"\([^"]*\)".*/\1/' | sort -u; }
grep '"why_not": *null' "$tmp/list" | grep '"why_no_return": *null' >"$tmp/can"
# Those for vectors begin with other instructions. The others are spread over all.
grep -E '"name": *"[^"]*_(evex|avx)' "$tmp/can" | places >"$tmp/vector"
{ cat "$tmp/vector" "$tmp/vector" && places <"$tmp/can"; } | sort | uniq -u >"$tmp/scalar"
can=$(wc -l <"$tmp/scalar") vector=$(wc -l <"$tmp/vector")
echo "# $((can + vector)) different functions can be traced to their returns, $vector with vectors"
awk -v can="$can" -v want="$((FUNCTIONS - vector))" \
	'int(NR * want / can) > int((NR - 1) * want / can)' "$tmp/scalar" |
	cat "$tmp/vector" - >"$tmp/chosen"
is 'functions are found' "$([ "$(wc -l <"$tmp/chosen")" -gt 100 ] && echo yes)" yes

# A guest's own shell has programs inside, which libc does not reach.
shell="sh"
[ ! -x "$FOLDER/bin/sh" ] || shell=$FOLDER/bin/sh
work() { "$shell" "$FOLDER/libc_work.sh" "$FOLDER"; }
work >"$tmp/without" 2>&1
is 'the programs do what they do' "$(grep -c '^status' "$tmp/without")" 23
work >"$tmp/again" 2>&1
is 'they always do the same' "$(cmp "$tmp/without" "$tmp/again" 2>&1)" ''

split -l "$AT_ONCE" "$tmp/chosen" "$tmp/part."
calls=0
for part in "$tmp"/part.*; do
	# shellcheck disable=SC2046
	kstats-bpf trace -q -a -f json -o "$tmp/json" $(sed "s|^|u:$library:|" "$part") -- \
		"$shell" "$FOLDER/libc_work.sh" "$FOLDER" >"$tmp/with" 2>"$tmp/err"
	status=$?
	if [ $status != 0 ] || ! cmp -s "$tmp/without" "$tmp/with"; then
		is "functions $(tr '\n' ' ' <"$part")" \
			"$status $(head -n 2 "$tmp/err"; diff -a -U 9 "$tmp/without" "$tmp/with" | head -n 30)" '0 '
	fi
	n=$(grep -o '"recorded": *[0-9]*' "$tmp/json" | awk -F: '{ n += $2 } END { print n + 0 }')
	calls=$((calls + n))
done
echo "# $calls calls were recorded"
is 'all functions were tried, and many were called' "$([ "$calls" -gt 1000 ] && echo yes)" yes
plan
