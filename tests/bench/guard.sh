#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# guard.sh [-u]: has the hot path become slower? Holds the instructions of a traced
# call, of one that a filter leaves out, and of a kmalloc() and kfree() that kmem follows, those that the kernel's verifier
# goes through, and the most states that it keeps at a time, against the kept figures of
# guard.txt: growth above 5 % fails, and more than 80 instructions for a stub. -u keeps new figures. The same kernel gives the same
# figures at every boot, to the instruction, whatever else the machine does; the 5 % are
# for the next kernel of the series, of which two clock reads tell how much of it is the
# kernel's own. TAP. Called by `make bench-guard` and guard.t.

set -eu
cd "$(dirname "$0")/../.."
kept=tests/bench/guard.txt
measured() { # SCRIPT KERNEL...
	REPETITIONS=1 "$1" -g "${@:2}" | awk -F '\t' -v OFS='\t' '
		$2 == "nothing attached" { base = $3; next }
		{ print $2 ($1 == "kernel 6.12" ? "" : ", " $1), $3 == "-" ? $3 : sprintf("%.0f", $3 - base), $4, $5 }' |
		sed 's/\t*$//'
}
# `make test` leaves out 6.1, and with GUARD_FEW what differs little from another row.
old=${GUARD_OLD-6.1}
# shellcheck disable=SC2086
figures=$(measured tests/bench/guest.sh 6.12 $old && measured tests/bench/kmem.sh 6.12)

if [ "${1-}" = -u ]; then
	{
		echo '# SPDX-License-Identifier: GPL-2.0-only'
		echo '# What tracing adds to a call on 6.12 and on 6.1, in instructions; the'
		echo '# instructions that the verifier goes through to load it, and the most states that'
		echo '# it keeps at a time. Written by: make bench-guard-update'
		echo "$figures"
	} >$kept
	exit
fi

# A kept figure that is not measured any more fails as well, but those that GUARD_FEW leaves out.
awk -F '\t' -v old="$old" -v few="${GUARD_FEW-}" '
	function judge(what, is, was, most, more) {
		ok = is != "" && is + 0 > 0 && is + 0 <= was * 1.05 + more && (!most || is + 0 <= most)
		bad += !ok
		printf "%s %d - %s: %s, kept: %s\n", ok ? "ok" : "not ok", ++n, what, is, was
	}
	/^#/ { next }
	!old && /, kernel 6\.1\t/ { next }
	FNR == NR { call[$1] = $2; load[$1] = $3; states[$1] = $4; next }
	/limit/ { scale = call[$1] > 0 ? $2 / call[$1] : 0 }
	few && call[$1] == "-" { next }
	$1 ~ /^kstats/ {
		judge($1 ", a call", sprintf("%.0f", call[$1] * scale), $2, $1 ~ /direct/ ? 80 : 0)
		if ($3 != "-")
			judge($1 ", verified", load[$1], $3)
		if ($4 != "" && $4 != "-")
			judge($1 ", states", states[$1], $4, 0, 5) # of few, one is more than 5 %
	}
	END { print "1.." n; exit bad || !n }' <(echo "$figures") $kept
