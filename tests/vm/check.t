#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Verdicts on a function of known duration: 10 us against 10 us, 10.5 and 11, as few runs
# each as decide, in turn. They run in a guest whose clock counts instructions, so that
# other work of the machine does not matter, and are judged here. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
export PATH="$PWD/.output:$PATH"
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ko=$(tests/vm/build-kmod 6.12) || exit 1

# Prints recordings, each on a line after its name. Those of a series are of two commands in turn,
# whose calls take 10 us and NS; here it is to pass whatever they take.
script=$(cat <<'SCRIPT'
cd /tmp
load() { echo "echo 1009 $1 >/sys/kernel/debug/kstats_target/busy"; }
trace() { kstats-bpf trace kt_busy -q -o r "$@"; }
tell() { # FILE...
	for file; do
		echo "$file"
		cat "$file"
		echo
	done
}
series() { # NAME NS
	trace --runs 4 --vs "$(load 10000)" --max-increase p50=50% --inconclusive=pass --record "$1" \
		-- sh -c "$(load "$2")" || exit 1
	tell "$1"/*.json
}
series same 10000
series five 10500
series ten 11000
trace --record one.json -- sh -c "$(load 10000)" || exit 1
trace --record none.json -- true || exit 1
trace --record failed.json -- false
echo status $?
trace --record killed.json -- sh -c 'kill -9 $$'
echo status $?
tell one.json none.json failed.json killed.json
SCRIPT
)
clock='tsc=reliable clocksource=tsc' # from the beginning
out=$(tests/vm/run -f -k 6.12 -i -c 1 -K "$clock" -a "$ko" -- "insmod $ko; $script" 2>&1)
is 'the runs are made' $? 0
mkdir "$tmp"/{same,five,ten}
while read -r line; do
	case $line in
	'{'*) echo "$line" >"$tmp/$name" ;;
	*.json) name=$line ;;
	esac
done <<<"$out"
cd "$tmp" || exit 1
is 'all of them' "$(find same five ten -name 'base-[1-4].json' -o -name 'run-[1-4].json' | wc -l)" 24

judge() { # NAME WANTED ARG...
	local name=$1 wanted=$2 said
	shift 2
	said=$(kstats-bpf check "$@" 2>&1)
	is "$name" $? "$wanted"
	echo "# ${said//$'\n'/$'\n# '}"
}

judge 'the same against the same' 0 same/run-*.json --base same/base-*.json --max-increase p50=3%
judge '5 % more passes a limit of 8 %' 0 five/run-*.json --base five/base-*.json --max-increase p50=8%
judge '10 % more fails a limit of 3 %' 1 ten/run-*.json --base ten/base-*.json --max-increase p50=3%
judge '10 % more fails a limit of 5 %' 1 ten/run-*.json --base ten/base-*.json --max-increase p50=5%
judge 'an absolute bound' 0 same/base-*.json --assert 'p50<12us' --assert 'min>=9.5us' --assert 'loss==0'
judge 'of one run too' 0 one.json --assert 'p50<12us' --assert 'count==1009'
judge 'and one that is passed' 1 same/base-*.json --assert 'p50<9us'
judge 'the count is exact' 0 ten/run-*.json --assert 'count==4036'
judge 'nothing recorded' 1 none.json --assert 'p50<12us'
is 'the command failed, or was killed' "$(grep -c '^status 1$' <<<"$out") $(
	grep -c '^status 137$' <<<"$out")" '1 1'
judge 'by a run that failed' 2 failed.json --assert 'p50<12us'
judge 'by a run that was killed' 2 killed.json --assert 'p50<12us'
plan
