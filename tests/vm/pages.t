#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the commands of the pages in docs/ do what the pages say? Those that need functions and probes
# of programs, or tracepoints, run here; see pages.py. They see a copy of libc, a BPF file system and
# a /run of their own, since a probe is for all who run a file. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
skip() {
	echo "ok 1 - commands of the pages # skip $1"
	echo 1..1
	exit 0
}
[ "$(id -u)" = 0 ] || skip 'it needs root'
unshare -m true 2>/dev/null || skip 'no mount namespaces'
export PATH=$PWD/.output:$PATH
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
gcc -O1 -g -Iinclude -o "$tmp/prog" tests/vm/pages.c || exit 1
cp examples/tutorial/serve.c "$tmp" || exit 1
for name in server old new; do cp "$tmp/prog" "$tmp/$name" || exit 1; done
LIBC=$(realpath "$(ldd "$tmp/prog" | awk '$1 ~ /^libc/ { print $3 }')")
cp "$LIBC" "$tmp/libc.so.6" || exit 1
python3 tests/vm/pages.py script here >"$tmp/script" || exit 1
export LIBC tmp
export ANSWERS=$tmp/answers
mkfifo "$ANSWERS" || exit 1
# shellcheck disable=SC2016 # another shell expands it
unshare -m --propagation private bash -c '
	before=$(stat -c %i "$LIBC")
	mount --bind "$tmp/libc.so.6" "$LIBC" && [ "$(stat -c %i "$LIBC")" != "$before" ] || exit 1
	mount -t bpf none /sys/fs/bpf && mount -t tmpfs none /run || exit 1
	cd "$tmp" && exec bash ./script' | python3 tests/vm/pages.py judge here
status=${PIPESTATUS[1]}
echo "1..$(python3 tests/vm/pages.py script here | grep -c '^page ')"
exit "$status"
