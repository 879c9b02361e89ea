#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Memory of a large machine, made up and smaller than one: 100 functions on 256 CPUs,
# 100 slots in use on each. Resident bytes for each slot in use: 15.6 are 400 MB with
# 1,000 functions. A plain array of all slots takes 307. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh

make --no-print-directory -s .output/tests/bench/machine >/dev/null || exit 1

# within MOST WHAT: the step of that name took no more bytes for each slot in use.
within() {
	is "$2: at most $1 bytes for each slot in use" "$(awk -F'\t' -v most="$1" -v what="$2" '
		$1 == what && !seen++ { print ($4 > 0 && $4 <= most ? "yes" : "no: " $4) }' <<<"$steps")" yes
}

steps=$(.output/tests/bench/machine 100 10000)
is 'every step' "$? $(echo "$steps" | wc -l)" '0 5'
within 15.6 'a snapshot'
within 15.6 'its summary'
within 20 'an interval'
within 26 'a merge of both'
steps=$(.output/tests/bench/machine 100 1000000000)
is 'every step, with many samples' "$? $(echo "$steps" | wc -l)" '0 5'
within 15.6 'a snapshot'
plan
