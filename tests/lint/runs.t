#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tests/run count what suites say, in a tree whose suites say little? One whose guest hangs
# runs once more, and one that is killed fails. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/tests/vm" "$tmp/.output"
cp tests/run tests/nap.sh tests/longest.awk "$tmp/tests/"

# Each hangs as often as its word says, and then is well.
cat >"$tmp/tests/vm/fake" <<'EOF'
#!/bin/bash
echo "try of $1" >>"tries-$1"
if [ "$(wc -l <"tries-$1")" -le "$1" ]; then
	echo "a guest said nothing" >>"$KSTATS_HUNG"
	printf 'ok 1 - before\nnot ok 2 - never came\n1..2\n'
	exit 1
fi
printf 'ok 1 - well\n1..1\n'
EOF
chmod +x "$tmp/tests/vm/fake"
printf '%s\n' 'good-0 fake 0' 'once-1 fake 1' 'twice-2 fake 2' >"$tmp/tests/vm/suites"
# shellcheck disable=SC2016
echo 'echo "ok 1 - a"; kill -KILL $PPID' >"$tmp/tests/vm/killed.t"
# shellcheck disable=SC2016
echo 'kill -KILL $(ps -o ppid= $PPID)' >"$tmp/tests/vm/alone.t"
printf '%s\n' 'echo "ok 1 - a"' 'echo "ok 2 - b # skip no such thing"' 'echo 1..2' >"$tmp/tests/vm/skips.t"
printf '%s\n' 'echo "ok 1 - a"' 'echo 1..2' >"$tmp/tests/vm/short.t"
printf '%s\n' 'echo "not ok 1 - a"' 'echo "ok 2 - b"' 'echo "not ok 3"' 'printf 1..3' >"$tmp/tests/vm/fails.t"
printf '%s\n' 'seq -f "ok %g" 11' 'echo 1..11' >"$tmp/tests/vm/eleven.t"
printf '%s\n' 'perl -e "for (;;) { 1 for 1..100000; last if (times)[0] > 0.7 }"' 'echo "ok 1 - a"' 'echo 1..1' >"$tmp/tests/vm/works.t"
# shellcheck disable=SC2016
{
	echo '[ -e tries-works ] || { : >tries-works; echo "a guest worked" >>"$KSTATS_HUNG"'
	sed -n '/^perl/p' "$tmp/tests/vm/works.t"
	printf '%s\n' '}' 'echo "ok 1 - a"' 'echo 1..1'
} >"$tmp/tests/vm/once.t"

run() { # NAME...: prints the last line; all of it is in $tmp/out
	(cd "$tmp" && rm -f tries-* && tests/run suite "$@") >"$tmp/out" 2>&1
	tail -n 1 "$tmp/out"
}
is 'one that is well' "$(run vm/good-0)" '1 passed, 0 failed'
is 'one that hangs once is counted once' "$(run vm/once-1)" '1 passed, 0 failed'
has 'which is said' "$(tr '\n' ' ' <"$tmp/out")" \
	'vm/once-1 +1 passed, 0 failed .*# it hung, and runs once more: +# a guest said nothing +# before that: not ok 2'
is 'one that hangs twice fails' "$(run vm/twice-2)" '1 passed, 1 failed'
is 'after two tries' "$(wc -l <"$tmp/tries-2")" 2
is 'several at a time, each once' "$(run vm/good-0 vm/once-1 vm/twice-2 vm/skips vm/short)" \
	'5 passed, 2 failed, 1 skipped'
has 'one that tells too little has broken off' "$(cat "$tmp/out")" 'vm/short broke off: status 0, 1 of 2'
is 'one that says that it fails' "$(run vm/fails)" '1 passed, 2 failed'
has 'which is shown' "$(cat "$tmp/out")" '^    not ok 1 - a$'
is 'more than ten results' "$(run vm/eleven)" '11 passed, 0 failed'
if [ ! "${KSTATS_QUICK-}" ]; then
	run vm/works >/dev/null
	has 'the time of a processor is told' "$(cat "$tmp/out")" '^vm/works .*, processor 1 s[)]$'
	run vm/once >/dev/null
	has 'but not that of a try that hung' "$(cat "$tmp/out")" '^vm/once .*, processor 0 s[)]$'
fi
# shellcheck disable=SC2016
printf '%s\n' '[ -e tries-silent ] || { : >tries-silent; exec sleep 1000; }' 'echo "ok 1 - a"; echo 1..1' \
	>"$tmp/tests/vm/silent.t"
is 'one that says nothing for long is ended, and runs once more' \
	"$(KSTATS_LIMIT=2 run vm/silent)" '1 passed, 0 failed'
has 'which is said' "$(cat "$tmp/out")" '# it told nothing for 2 s, and was ended'
is 'one that is killed fails' "$(run vm/killed vm/good-0)" '2 passed, 1 failed'
is 'and one whose shell is killed' "$(run vm/alone vm/good-0)" '1 passed, 1 failed'
is 'and one that is not there' "$(run vm/nobody)" '0 passed, 1 failed'
is 'the shell knows all of its children' "$(grep -c 'not a child' "$tmp/out")" 0
plan
