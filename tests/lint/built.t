#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is what was built never built again? Else suites that call make at one time would write the program
# while others run it. And do the programs name no kfunc? See kstats_calls.h. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
# It checks for its tools at each call; all else that it does writes to .output.
is 'nothing of the program' "$(make -n --no-print-directory .output/kstats-bpf 2>&1 | grep '\.output/')" ''
for object in .output/{kmem,kstats,kstats_*}.bpf.o; do
	is "$object: kfuncs by name" "$(readelf -sW "$object" 2>/dev/null | awk '$7 == "UND" && $8 { print $8 }')" ''
done
plan
