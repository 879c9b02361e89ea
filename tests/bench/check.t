#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How often the verdicts of `check` are right; see check.c. A tenth of the sets, or
# all with --long, through the program. TAP.

cd "$(dirname "$0")/../.." || exit 1
make -s build .output/tests/bench/check || exit 1
[ "${1-}" = --long ] && exec .output/tests/bench/check -p .output/kstats-bpf
exec .output/tests/bench/check -s
