#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How often `why` names what makes calls slow; see why.c. A tenth of the sets, and none of
# 1,000 slow calls, or all with --long. TAP.

cd "$(dirname "$0")/../.." || exit 1
make -s .output/tests/bench/why || exit 1
[ "${1-}" = --long ] && exec .output/tests/bench/why
exec .output/tests/bench/why -s chance stalls bursts meet ' 20 ' ' 100 '
