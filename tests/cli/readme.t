#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The lines of README.md, of EXAMPLES in the manual pages, and of the workflow in examples/ci, as
# they are written there: those that read recordings give a result, and the others get as far as the
# user may. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
chmod 755 "$tmp"
top=$PWD
here=(env)
[ "$(id -u)" = 0 ] && here=(setpriv --reuid=65534 --regid=65534 --clear-groups)

python3 tests/cli/recordings.py "$tmp" || exit 1
cd "$tmp" || exit 1
mkdir memory accepted change base recordings
cp "$top/tests/golden/kmem-lives.kmem.json" memory/k.json
cp "$top/tests/golden/kmem-lives.kmem.json" memory/old.json
cp "$top/tests/golden/kmem-many.kmem.json" memory/new.json
for n in 1 2 3 4 5 6; do
	cp base-$n.json old-$n.json && mv base-$n.json recordings/ || exit 1
	cp same-$n.json new-$n.json && cp same-$n.json recordings/run-$n.json || exit 1
done
cp new-1.json run-1.json
printf 'vfs_read --bits 3\n' >nodes.conf
cat >parse.c <<-'C'
	int done;
	__attribute__((noinline)) void parse(void) { done++; }
	int main(void) { parse(); return 0; }
C
cc -o old parse.c && cp old new && cp old change/benchmark && cp old base/benchmark || exit 1
chown -R 65534 . 2>/dev/null
"${here[@]}" sleep 300 &
sleeper=$!
trap 'kill $sleeper; rm -rf "$tmp"' EXIT

lines() { # prints the commands of README.md, one a line, without comments
	sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' "$top/README.md" |
		sed -nE 's/^    (sudo )?(kstats-bpf .*)/\2/p' | sed -E 's/ +#.*//'
}

run() { # NAME WANTED COMMAND: a status that WANTED matches
	local status
	out=$(timeout 60 "${here[@]}" bash -c "$3" 2>&1 </dev/null)
	status=$?
	[[ $status =~ ^($2)$ ]] || out="status $status: $out"
	is "$1" "$([[ $status =~ ^($2)$ ]] && echo fine || echo "$out")" fine
}

n=0
while IFS= read -r line; do
	n=$((n + 1))
	wanted='0|4'
	[[ $line =~ ^kstats-bpf\ (report|diff)\  ]] && wanted=0
	# A limit of 5 % is near what these runs show, and the first set has no other before it.
	[[ $line =~ ^kstats-bpf\ check\  ]] && wanted='0|3'
	[[ $line =~ --assert ]] && wanted=0
	# No node is there that could be shown.
	[[ $line =~ node\ (show|stop|reset) ]] && wanted='2|4'
	[[ $line =~ ^kstats-bpf\ top ]] && wanted=2 # there is no terminal
	in=.
	[[ $line =~ (k|old|new)\.json ]] && in=memory
	[[ $line =~ \ (kmem|node)\  ]] && in=memory && cp nodes.conf memory
	run "$line" "$wanted" "cd $in && ${line//1234/$sleeper}"
	[[ $wanted = '2|4' ]] && has 'the words are right' "$out" 'no node of that name|lacks CAP'
done < <(lines)
is 'README.md has such lines' "$((n > 35))" 1

# ---- EXAMPLES of the manual pages ----

examples() { # prints their commands, one a line, without what other programs do with the output
	awk '/^\.Sh/ { on = $2 == "EXAMPLES" } on && sub(/^\.Dl (sudo )?kstats-bpf /, "kstats-bpf ")' \
		"$top"/man/*.8 | sed -E 's/\\-/-/g; s/\\\(dq/"/g; s/ \| jq .*//; s/ < lines$/ <\/dev\/null/'
}

mkdir examples && cd examples && cp ../{base,same}-*.json ../memory/* . 2>/dev/null
for n in 1 2 3 4 5 6; do
	cp ../recordings/base-$n.json . && cp base-$n.json old-$n.json && cp ../new-$n.json . || exit 1
	cp base-$n.json run-$n.json
done
cp base-1.json before.json && cp base-1.json slow.json && cp ../new ../old . && cp new server || exit 1
chown -R 65534 . 2>/dev/null
n=0
while IFS= read -r line; do
	n=$((n + 1))
	wanted='0|4'
	# A file of a daemon, a function of a program, nodes that nobody made, probes that only some
	# libraries have, and what needs a terminal.
	[[ $line =~ apply|server:handle|node\ (show|rm)|usdt:|^kstats-bpf\ top ]] && wanted='0|2|4'
	[[ $line =~ ^kstats-bpf\ check\  ]] && wanted='0|1|3'
	[[ $line =~ calibrate\ --show|^kstats-bpf\ doctor ]] && wanted='0|1|2|4'
	[[ $line =~ ^kstats-bpf\ serve$ ]] && line="timeout 1 $line" wanted=124
	run "example: $line" "$wanted" "${line//1234/$sleeper}"
	[[ $out =~ ^kstats-bpf:\ wrong ]] && is "its words: $line" "$out" ''
done < <(examples)
is 'the manual pages have such lines' "$((n > 50))" 1
cd ..

# ---- the workflow ----

export FUNCTION=vfs_read BENCHMARK=./benchmark LIMIT=p99=5% RUNS=6 GITHUB_SHA=1a2b3c
export GITHUB_STEP_SUMMARY=$tmp/summary
steps() { # prints the commands of the workflow, one a line
	sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' "$top/examples/ci/latency.yml" |
		sed -nE 's/^ +(sudo )?(kstats-bpf .*)/\2/p'
}
n=0
while IFS= read -r line; do
	n=$((n + 1))
	wanted=4
	[[ $line =~ ^kstats-bpf\ trace\  ]] && line=${line/--record recordings/--record kept} || wanted=0
	run "the workflow: ${line:0:60}" "$wanted" "$line"
done < <(steps)
is 'the workflow has such lines' "$((n > 2))" 1
has 'it shows what changed' "$(cat summary)" 'vfs_read'
is 'and draws it' "$(grep -c '<svg' latency.html | sed "s/[1-9].*/some/")" some
plan
