#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tests/changed choose the tests of a file, and those that leave something to the long run as a
# whole? TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh

# Of each file: its suites, with a star where they run as a whole. Last: names in the rules that are none.
rows=$(python3 - include/kstats_parts.h src/{why/places,node/add,calibrate/loop,stacks/follow,session/parts}.c bpf/via.bpf.h \
	kmod/direct.c tests/vm/{why,direct,node,node_by,kmod,user,uprobes,uprobe_nodes,robust}.sh \
	tests/vm/{target,kmod-build,slot,check}.t tests/vm/calibrate.py tests/cli/words.t tests/view/servers.t <<'PYTHON'
import importlib.machinery
import importlib.util
import sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("changed", "tests/changed")
changed = importlib.util.module_from_spec(importlib.util.spec_from_loader("changed", loader))
loader.exec_module(changed)
for path in sys.argv[1:]:
    found = changed.commands(changed.tests_of(path, {}))
    print(path, *(name + "*" * ("KSTATS_WHOLE=yes" in command) for name, command in found.items()))
names = {name for _, names in changed.RULES for name in names if "{" not in name}
print("none", *(name for name in names if not changed.commands({name})))
PYTHON
)
chosen() { sed -n "s|^$1 *||p" <<<"$rows"; } # FILE
every() { # SUITE: of a script of tests/vm
	is "a script: $1" "$(chosen "tests/vm/$1")" "$2"
}

has 'a header of programs and user space' "$(chosen include/kstats_parts.h)" 'model.*vm/parts-6[.]12[*]'
has 'a room: why' "$(chosen src/why/places.c)" 'vm/why-6[.]12[*]'
has 'a room: node' "$(chosen src/node/add.c)" 'vm/node-6[.]12[*]'
has 'a room: calibrate, in a guest and here' "$(chosen src/calibrate/loop.c)" 'vm/calibrate-here.* vm/calibrate-7'
has 'a room: stacks' "$(chosen src/stacks/follow.c)" 'vm/stacks-6[.]12[*]'
has 'a file of a room: parts' "$(chosen src/session/parts.c)" 'vm/parts-6[.]12[*]'
has 'a program of BPF: via' "$(chosen bpf/via.bpf.h)" 'vm/via-6[.]12[*]'
has 'the module' "$(chosen kmod/direct.c)" 'vm/kmod-6[.]12[*].*vm/direct-6[.]12[*]'
every why.sh 'lint/sections vm/why-6.12*'
every direct.sh 'lint/sections vm/direct-6.12*'
every node.sh 'lint/sections vm/node-6.12*'
every node_by.sh 'lint/sections vm/node-by-6.12*'
every kmod.sh 'lint/sections vm/kmod-6.12*'
every user.sh 'lint/sections vm/user-7* vm/user-here*'
every uprobes.sh 'lint/sections vm/uprobes-6.12* vm/uprobes-here*'
every uprobe_nodes.sh 'lint/sections vm/uprobe-nodes-here*'
every robust.sh 'lint/sections vm/robust-7*'
every target.t 'vm/target*'
every kmod-build.t 'vm/kmod-build*'
every slot.t 'vm/slot*'
every check.t vm/check
every calibrate.py 'vm/calibrate-7*'
is 'a test that leaves nothing out' "$(chosen tests/cli/words.t)" cli/words
is 'one whose whole takes too long' "$(chosen tests/view/servers.t)" view/servers
is 'each rule names tests that there are' "$(chosen none)" ''
plan
