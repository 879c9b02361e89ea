#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How soon and how rightly a series with a look after each pair decides; see
# sequential.c. A tenth of the series of most rows, or all with --long, through the
# program. TAP.

cd "$(dirname "$0")/../.." || exit 1
make -s .output/tests/bench/{sequential,measured} || exit 1
[ "${1-}" = --long ] && exec .output/tests/bench/sequential -p .output/tests/bench/measured
exec .output/tests/bench/sequential -s noise drift memory outliers rough ticks
