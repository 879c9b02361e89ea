#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# keys.t [STARTS]: pairs joined by a key, with few keys and more threads than CPUs:
# the table alone and a trace, on this machine, and the table in a guest, with KSTATS_WHOLE=yes
# in one of each kernel. STARTS, or KSTATS_KEY_STARTS: of the table on this machine (a million);
# the guests, which are slower, make a tenth of them, the trace a hundredth. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
[ "${1-}" != --long ] || shift # KSTATS_KEY_STARTS says how long
starts=${1-${KSTATS_KEY_STARTS-1000000}}
make -s build .output/tests/vm/keys || exit 1
n=0

# Renumbers the results of one more program.
pass_on() { # WHERE
	local line
	while read -r line; do
		n=$((n + 1))
		echo "${line%%ok *}ok $n - $1: ${line#*- }"
	done
}

say() { # OK WHAT
	n=$((n + 1))
	[ "$1" = 1 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}

results() { # WHERE: of keys.c, all three of them
	local out
	out=$(grep -E '^(not )?ok [0-9]+ - ')
	[ "$(wc -l <<<"$out")" = 3 ] || out="not ok 0 - broke off: $out"
	pass_on "$1" <<<"$out"
}

results 'this machine' < <(.output/tests/vm/keys "$starts" 2>&1)

# read() is number 0 and write() number 1, and both return 1. So all ends have key 1,
# which six tasks share, and only some of the ends have a start before them.
calls=$((starts / 1200 + 1))
out=$(.output/kstats-bpf trace -q -f json -n P --start tp:raw_syscalls:sys_enter \
	--end tp:raw_syscalls:sys_exit --key arg1 -- sh -c "for i in 1 2 3 4 5 6; do
	dd bs=1 count=$calls if=/dev/zero of=/dev/null 2>/dev/null & done; wait")
say "$(jq '.nodes[0].ledger | if .started >= 12 * '$calls' and .recorded > 0 and .unmatched > 0
	and .again > 0 and .balance == 0 and .busy == 0 and .full == 0
	and .started == .recorded + .again + .in_flight then 1 else 0 end' <<<"$out")" \
	"a trace: $(jq -c '.nodes[0].ledger' <<<"$out")"

for kernel in ${KSTATS_WHOLE:+6.1 6.12} 7; do
	results "$kernel" < <(tests/vm/run -f -k "$kernel" -a .output/tests/vm/keys -- \
		"$PWD/.output/tests/vm/keys $((starts / 10))" 2>&1)
done
echo "1..$n"
