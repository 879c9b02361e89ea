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
has 'nothing is removed then' "$(said 'a -d x')" 'no node was removed, because a line is wrong'
printf 'a vfs_read\0b\n' >"$file"
has 'a NUL' "$(kstats-bpf node apply "$file" 2>&1)" 'it contains a NUL byte'
has 'no file' "$(kstats-bpf node apply 2>&1)" 'it takes exactly one file'
has 'one that is not there' "$(kstats-bpf node apply "$tmp/x" 2>&1)" "cannot read '.*/x': .*; no node was changed"
has 'a folder' "$(kstats-bpf node apply "$tmp" 2>&1)" "cannot read '.*': Is a directory; no node was changed"
plan
