#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What root writes into the folder of another user, who puts links into the way: at each
# moment, once by each of two tricks, and then in a loop. Nothing outside of the folder may
# change. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
if [ "$(id -u)" != 0 ]; then
	result ok "the folder of another user # SKIP root is needed"
	plan
	exit
fi
python3 tests/cli/histories.py "$tmp" || exit 1
cc -shared -fPIC -o "$tmp/swap.so" tests/cli/swap.c -ldl || exit 1
cd "$tmp" || exit 1
chmod 711 .
folder=$tmp/theirs/folder secret=$tmp/private/secret swaps=$OLDPWD/tests/cli/swaps.py

# Swaps after each call of root in turn, until there are no more calls.
at_each() { # NAME HOW TO COMMAND...
	local name=$1 got
	got=$(python3 "$swaps" at-each "${@:2}" 2>&1)
	is "$name, $2 of the folder lead to ${3#"$tmp/"}" "${got%moments: *}" ''
	is 'at several moments' "$([ "${got##*: }" -gt 4 ] && echo several)" several
}

each_way() { # NAME COMMAND...
	at_each "$1" entries "$tmp/private" "${@:2}"
	at_each "$1" folder "$tmp/private" "${@:2}"
}

accept=(kstats-bpf check same-{1,2,3}.json --history "$folder" --max-increase p50=5% --accept)
each_way 'a set is accepted' "${accept[@]}"
at_each 'a set is accepted' entries "$secret" "${accept[@]}"
each_way 'a new history' kstats-bpf check same-1.json --history "$folder/new" --max-increase p50=5% --accept
each_way 'a report' kstats-bpf report same-1.json -f json -o "$folder/file"
each_way 'a series' kstats-bpf trace -q --start tp:sys_enter --end tp:sys_exit --runs 2 \
	--record "$folder/series" -- true

# ---- in a loop ----

python3 "$swaps" begin
python3 - "$folder" private >/dev/null <<'END' &
import os, sys
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
folder, to = sys.argv[1], os.path.abspath(sys.argv[2])
n = 0
while True:
    for name in os.listdir(folder):
        if name.startswith((".accept", "file.kstats-tmp")):
            n += 1
            try:
                os.rename(f"{folder}/{name}", f"{folder}/.was-{n}")
                os.symlink(to, f"{folder}/{name}")
            except OSError:
                pass
END
swapping=$!
slow() { # COMMAND...: leaves nobody the time to act between any two steps
	LD_PRELOAD=$tmp/swap.so SWAP_PAUSE_US=2000 timeout 60 "$@" >out 2>&1
}
met() {
	find "$folder" -name '.was-*' | wc -l
}
for n in {1..600}; do
	jq -c ".whole.wall_ns += $n * 1000000000000" same-1.json >now.json
	slow kstats-bpf check now.json --history "$folder" --max-increase p50=5% --accept
	slow kstats-bpf report now.json -f json -o "$folder/file"
	[ "$n" -lt 30 ] || [ "$(met)" -lt 5 ] || break
done
is 'swapped in a loop by nobody' "$(python3 "$swaps" changed)" ''
is 'who met root' "$([ "$(met)" -ge 5 ] && echo met)" met
kill $swapping
wait $swapping 2>/dev/null

# ---- locks of others ----

mkdir -m 1777 public
echo mine >public/result
setpriv --reuid=nobody --regid=nogroup --clear-groups sh -c \
	'exec 9>public/result.kstats-tmp; flock 9; echo locked; exec sleep 1000' >lock &
holder=$!
until [ -s lock ]; do sleep 0.1; done
timeout 60 kstats-bpf report same-1.json -f json -o public/result >out 2>&1
is "another user's lock is not waited for" "$? $(cat out)" '0 '
is 'the result is there' "$(jq -r .nodes[0].name public/result)" vfs_read
is 'his file as well' "$(stat -c %U public/result.kstats-tmp)" nobody
is 'and nothing else' "$(find public -type f | wc -l)" 2
kill $holder
wait $holder 2>/dev/null

# ---- links ----

mkdir mine
ln -s "$tmp/mine" "$tmp/link"
timeout 60 kstats-bpf report same-1.json -f json -o link/result >out 2>&1
is 'a link of root is followed' "$? $(ls mine)" '0 result'
chown -h nobody link
timeout 60 kstats-bpf report same-1.json -f json -o link/other >out 2>&1
is "another user's is not" "$? $(ls mine)" '2 result'
has 'which is told' "$(cat out)" "cannot write 'link/other': a symbolic link of another user is on the way; "
ln -s /proc/self/fd/1 stream
timeout 60 kstats-bpf report same-1.json -f json -o stream >out 2>&1
is 'a link to a stream is not replaced' "$? $(stat -c %F stream)" '2 symbolic link'
plan
