#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How often the verdicts of `check --history` are right, and the steps that it finds; see
# history.c. Of `make test-long`: test_history is its short form. TAP.

cd "$(dirname "$0")/../.." || exit 1
make -s .output/tests/bench/history || exit 1
exec .output/tests/bench/history
