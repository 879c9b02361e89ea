#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The gate with a function of known duration: 10 us against 10 us, 10.5 and 11, as
# few runs each as decide, interleaved. They run in a guest whose clock counts instructions, so that
# other work of the machine does not matter, and are judged here. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
export PATH="$PWD/.output:$PATH"
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ko=$(tests/vm/build-kmod 6.12) || exit 1

busy() { # NAME CALLS NS: a recording, on a line of its own
	echo "kstats-bpf trace kt_busy -q -o /tmp/r --record /tmp/$1.json --" \
		"sh -c 'echo $2 $3 > /sys/kernel/debug/kstats_target/busy' || exit 1;" \
		"echo $1; cat /tmp/$1.json; echo"
}

script="insmod $ko
$(for i in 1 2 3 4; do
	busy "base-$i" 1009 10000
	busy "same-$i" 1009 10000
	busy "five-$i" 1009 10500
	busy "ten-$i" 1009 11000
done)
kstats-bpf trace kt_busy -q -o /tmp/r --record /tmp/none.json -- true || exit 1
echo none; cat /tmp/none.json; echo
kstats-bpf trace kt_busy -q -o /tmp/r --record /tmp/failed.json -- false
echo status \$?; echo failed; cat /tmp/failed.json; echo
kstats-bpf trace kt_busy -q -o /tmp/r --record /tmp/killed.json -- sh -c 'kill -9 \$\$'
echo status \$?; echo killed; cat /tmp/killed.json; echo"
clock='tsc=reliable clocksource=tsc' # from the beginning
out=$(tests/vm/run -f -k 6.12 -i -c 1 -K "$clock" -a "$ko" -- "$script" 2>&1)
is 'the runs are made' $? 0
while read -r line; do
	case $line in
	'{'*) echo "$line" >"$tmp/$name.json" ;;
	*) name=$line ;;
	esac
done <<<"$out"
cd "$tmp" || exit 1
is 'all of them' "$(find . -name '*-[1-4].json' | wc -l)" 16

judge() { # NAME WANTED ARG...
	local name=$1 wanted=$2 said
	shift 2
	said=$(kstats-bpf check "$@" 2>&1)
	is "$name" $? "$wanted"
	echo "# ${said//$'\n'/$'\n# '}"
}

judge 'the same against the same' 0 same-*.json --base base-*.json --max-increase p50=3%
judge '5 % more passes a limit of 8 %' 0 five-*.json --base base-*.json --max-increase p50=8%
judge '10 % more fails a limit of 3 %' 1 ten-*.json --base base-*.json --max-increase p50=3%
judge '10 % more fails a limit of 5 %' 1 ten-*.json --base base-*.json --max-increase p50=5%
judge 'an absolute bound' 0 base-*.json --assert 'p50<12us' --assert 'min>=9.5us' --assert 'loss==0'
judge 'and one that is passed' 1 base-*.json --assert 'p50<9us'
judge 'the count is exact' 0 ten-*.json --assert 'count==4036'
judge 'nothing recorded' 1 none.json --assert 'p50<12us'
is 'the command failed, or was killed' "$(grep -c '^status 1$' <<<"$out") $(
	grep -c '^status 137$' <<<"$out")" '1 1'
judge 'by a run that failed' 2 failed.json --assert 'p50<12us'
judge 'by a run that was killed' 2 killed.json --assert 'p50<12us'
plan
