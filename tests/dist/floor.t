#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Below the floor, on Linux 5.10: the small programs of `doctor` load there, and no trace does. The
# verdict is that of a trace. Only in `make test-long`, which fetches that kernel. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
out=$(tests/vm/run -f -k 5.10 -- 'kstats-bpf doctor; echo "status $?"
	kstats-bpf trace kernel_restart -d 1; echo "trace $?"' 2>&1)
is 'the guest ran' $? 0
has 'a program of two instructions loads' "$out" '^tp_btf +ok'
has 'a real one does not' "$out" '^measurement +no +.*use Linux 6.1 or later'
has 'and that is the verdict' "$out" '^verdict +no +nothing can be measured here'
has 'its status says so' "$out" '^status 4$'
has 'a trace is refused' "$out" '^trace 4$'
plan
