#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `node apply`: what is wrong in a file is said for each line, and no node is made or removed; what
# it makes is in tests/vm/units.sh. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
file=$tmp/nodes.conf

# In a folder for nodes that is none: whoever came so far would be refused for it.
said() { # LINE...: what apply says, without the name of the program
	printf '%s\n' "$@" >"$file"
	kstats-bpf node apply "$file" --pin-root "$tmp/none" 2>&1 | sed 's/^kstats-bpf: //'
}

has 'a quote that is open' "$(said 'a vfs_read --if "ret > 0')" 'cannot use the line: a quote is not closed'
has 'the line is named' "$(said '# one' '' "  b vfs_read -d '1 s'  # two")" "^line 3, 'b vfs_read -d '1 s'':"
has 'quotes hold words together' "$(said "b vfs_read -d '1 s'")" "cannot use '1 s' for --duration"
has 'so does a backslash' "$(said 'b vfs_read -d 1\ s')" "cannot use '1 s' for --duration"
has 'but not in single quotes' "$(said "b vfs_read -d '1\\s'")" "cannot use '1\\\\s' for --duration"
has 'quotes in a word' "$(said 'b vfs_read -d 1" s "x')" "cannot use '1 s x' for --duration"
has 'a # in quotes, and one in a word' "$(said "b vfs_read -d '1 #' --comm a#b")" "cannot use '1 #' for --duration"
has 'a command' "$(said 'b vfs_read -- true')" 'cannot use a command for a node'
has 'markers' "$(said '--user 1x')" "cannot use --user '1x'"
has 'memory events' "$(said '--kmem --kind x')" "cannot use .*'x'"
has 'the words of control' "$(said 'trace vfs_read bits 3')" "it is written for 'control'; 'trace vfs_read bits 3' is now"
has 'words without end' "$(said "a $(seq -s ' ' 200)")" 'it has more than 127 words'
is 'all lines are said' "$(said 'a -d x' 'b -d x' 'c -d x' | grep -c '^line')" 3
has 'another folder' "$(said 'a vfs_read --pin-root /x')" 'cannot use --pin-root in a line: all nodes of a file are in one folder'
printf 'a vfs_read\0b\n' >"$file"
has 'a NUL' "$(kstats-bpf node apply "$file" 2>&1)" 'it contains a NUL byte'
printf 'a vfs_read --limit functions=0\n' >"$file"
has 'a limit is named' "$(kstats-bpf node apply "$file" 2>&1)" "cannot use '0' for --limit functions"
has 'no file' "$(kstats-bpf node apply 2>&1)" 'it takes exactly one file'
has 'one that is not there' "$(kstats-bpf node apply "$tmp/x" 2>&1)" "cannot read '.*/x': .*; no node was changed"
has 'a folder' "$(kstats-bpf node apply "$tmp" 2>&1)" "cannot read '.*': Is a directory; no node was changed"

# ---- nodes of markers, which need no kernel programs ----

if [ "$(id -u)" != 0 ] || ! mkdir "$tmp/bpf" || ! mount -t bpf none "$tmp/bpf" 2>/dev/null; then
	result ok 'nodes of a file # SKIP root and a BPF file system are needed'
	plan
	exit
fi
trap 'umount "$tmp/bpf"; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
apply() { # LINE...
	printf '%s\n' "$@" >nodes.conf
	kstats-bpf node apply nodes.conf --pin-root "$tmp/bpf/n" 2>&1
}
user() { echo "--user $1 --user-folder $tmp/bpf/u"; }
names() { kstats-bpf node ls --json --pin-root "$tmp/bpf/n" | jq -r 'map("\(.name) \(.bits)") | join(", ")'; }
made() { kstats-bpf node ls --json --pin-root "$tmp/bpf/n" | jq -r ".[] | select(.name == \"$1\").created_ns"; }

is 'two nodes' "$(apply "$(user a)" "$(user b) # two"; echo $?) $(names)" '0 a 5, b 5'
# shellcheck disable=SC2046
kstats-bpf node add $(user hand) --pin-root "$tmp/bpf/n"
was=$(made a)
is 'one changes, one comes' "$(apply "$(user a)" "$(user b) -b 3" "$(user c)"; echo $?) $(names)" '0 a 5, b 3, c 5, hand 5'
is 'one goes on' "$(made a)" "$was"
has 'a line is wrong: none is removed' "$(apply "$(user a)" "$(user d)" '--user 1x')" 'no node was removed, because a line is wrong'
is 'but what is new is made' "$(names)" 'a 5, b 3, c 5, d 5, hand 5'
has 'a name that is taken' "$(apply "$(user a)" "$(user hand)")" "line 2, .*"
is 'the rest goes' "$(names)" 'a 5, hand 5'
ln -s nodes.conf link
is 'by a link it is another file' "$(kstats-bpf node apply --remove link --pin-root "$tmp/bpf/n" 2>&1)$(names)" 'a 5, hand 5'
rm nodes.conf
is 'removed, though the file has gone' "$(kstats-bpf node apply --remove ./nodes.conf --pin-root "$tmp/bpf/n" 2>&1)$(names)" 'hand 5'
kstats-bpf node rm --all --pin-root "$tmp/bpf/n"
is 'nothing stays' "$(ls "$tmp/bpf/n" 2>/dev/null)" ''
cd / || exit 1
plan
