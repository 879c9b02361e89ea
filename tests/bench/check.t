#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How often the verdicts of `check` are right; see check.c. A tenth of the sets, or
# all with --long. TAP.

cd "$(dirname "$0")/../.." || exit 1
make -s .output/tests/bench/check || exit 1
[ "${1-}" = --long ] && exec .output/tests/bench/check
exec .output/tests/bench/check -s
