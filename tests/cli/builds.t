#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Two builds of one program: the same function of each, in turn, recorded, with a base. Takes
# root, and a kernel with uprobes; only programs made here are probed. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
chmod 755 "$tmp"
cat >"$tmp/work.c" <<-'C'
	volatile long sum;
	__attribute__((noinline)) void work(long n) { while (n--) sum += n; }
	__attribute__((noinline)) void rest(long n) { sum += n; }
	int main(void)
	{
		for (int i = 0; i < CALLS; i++) {
			work(LOOPS);
			rest(1);
		}
		return 0;
	}
C
sed 's/work(long/fresh(long/; s/work(LOOPS/fresh(LOOPS/' "$tmp/work.c" >"$tmp/fresh.c"
build() { "${CC:-cc}" -O1 -DCALLS=103 -DLOOPS="$2" -o "$tmp/$1" "${@:4}" "$tmp/$3"; }
build old 5000 work.c && build new 400000 work.c && build fresh 5000 fresh.c || exit 1
build other 5000 work.c -fcf-protection=none -falign-functions=64 -fno-omit-frame-pointer || exit 1
cd "$tmp" || exit 1
if ! kstats-bpf trace -q u:./old:work -- ./old >/dev/null 2>&1; then
	echo 'ok 1 - two builds # SKIP this kernel or user has no probes in programs'
	echo '1..1'
	exit 0
fi

gate() { # NAME WANTED ARG...: the exit status of a series; leaves the output in $out
	local name=$1 wanted=$2
	shift 2
	out=$(timeout 120 kstats-bpf trace --runs 2 --confidence 80 "$@" 2>&1)
	is "$name" "$?" "$wanted"
}

for target in 'u:%:work' u:./new:work "u:$tmp/new:work"; do
	gate "$target: a program that became slower fails" 1 "$target" --vs ./old --max-increase p50=99% \
		--assert count==206 -- ./new
	has 'by its own function' "$out" '^fail +work: p50=99%$'
	has 'and that of the base' "$out" '^ +p50 went from [0-9.]+ us to [0-9.]+ [mu]s \('
	has 'of all calls' "$out" '^pass +work: count==206$'
done
gate 'one that became faster passes' 0 'u:%:work' --vs 'exec ./new >/dev/null' --max-increase p50=99% \
	--record runs -- ./old
is 'both sides give the function one name' "$(jq -r '.nodes[0].name' runs/*.json | sort -u)" work
is 'and each has its calls' "$(jq '.whole.samples | add' runs/*.json | xargs)" '103 103 103 103'
is 'of its own file' "$(jq -r .command runs/*.json | xargs)" \
	'/bin/sh -c exec ./new >/dev/null /bin/sh -c exec ./new >/dev/null ./old ./old'
out=$(kstats-bpf check runs/base-*.json --base runs/run-*.json --max-increase p50=99% --confidence 80)
has 'recordings of two builds are compared' "$out" '^fail +work: p50=99%$'
kstats-bpf trace -q 'u:%:work' --record one.json -- sh -c './old' >out
is 'one run' "$(jq -r '.nodes[0].name, (.whole.samples | add)' one.json | xargs)" 'work 103'
gate 'a pair of points' 1 --start 'u:%:work' --end 'u:%:rest' --vs ./old --max-increase p50=99% -- ./new
gate 'a build whose function begins otherwise is not refused' 0 'u:%:work' --vs ./other --assert 'count==206' \
	--max-increase p50=400% --inconclusive=pass --allow-empty -- ./old

mkdir base && cp old base/program && mkdir change && cp new change/program
gate 'programs of two folders, as a workflow has them' 1 'u:%:work' --vs 'cd base && ./program' \
	--max-increase p50=99% -- sh -c 'cd change && ./program'
has 'are both found' "$out" '^ +p50 went from [0-9.]+ us to [0-9.]+ [mu]s \('

gate 'runs before those that count' 0 'u:%:work' --warmup 2 --record warm --assert 'count==206' \
	-- ./old
is 'are not kept' "$(cd warm && echo *)" 'run-1.json run-2.json'
gate 'one of them that fails ends the series' 2 'u:%:work' --warmup 1 --record cold --assert 'count>0' \
	-- sh -c './old; exit 3'
is 'and is not kept either' "$(find cold -name "*.json" 2>/dev/null | wc -l)" 0

# ---- what cannot be ----

gate 'a base without the function' 1 u:./new:work --vs ./fresh --max-increase p50=5% -- ./new
has 'is told why' "$(tr -s ' \n' ' ' <<<"$out")" \
	'the base has no samples of it: only one file was traced, and the base may run another one'
has 'and what to write' "$out" 'write u:%:FUNCTION to trace each side.s own program'
gate 'which is told at once' 2 'u:%:work' --vs ./fresh --max-increase p50=5% -- ./new
has 'with the file' "$out" "/fresh'"
gate 'a base of several programs' 2 'u:%:work' --vs 'cd /; ./old' --max-increase p50=5% -- ./new
has 'has no program' "$out" "cannot tell which program u:% is in 'cd /; ./old': a shell may start several from it; "
gate 'which a path does not need' 1 u:./new:work --vs 'cd .; ./old' --max-increase p50=5% -- ./new
gate 'a program that is not there' 2 'u:%:work' --vs nothing-here --max-increase p50=5% -- ./new
has 'is told' "$out" "cannot find the program 'nothing-here': it is not in PATH"
out=$(kstats-bpf trace 'u:%:work' -d 1 2>&1)
is 'no command: a status of 2' "$?" 2
has 'and a sentence' "$out" 'cannot tell which program u:% is: there is no command after --; '
plan
