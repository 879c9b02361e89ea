#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tests/budget.awk find a suite above its share, and only that one? TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
over() { # SPENT...: the names that are above
	awk -f tests/budget.awk <(printf '# kept\na 100\nb 60\nc 40\n') <(printf '%s\n' "$@") |
		cut -d ' ' -f 1 | sort | xargs
}
is 'as they were' "$(over '100 1 a' '60 1 b' '40 1 c')" ''
is 'a machine that is half as fast' "$(over '200 1 a' '120 1 b' '80 1 c')" ''
is 'one takes twice as long' "$(over '100 1 a' '120 1 b' '40 1 c')" ''
is 'and three times' "$(over '100 1 a' '180 1 b' '40 1 c')" b
is 'three times on a slow machine too' "$(over '200 1 a' '360 1 b' '80 1 c')" b
is 'a new one of 40 s' "$(over '100 1 a' '60 1 b' '40 1 c' '40 1 d')" ''
is 'and one of 60 s' "$(over '100 1 a' '60 1 b' '40 1 c' '60 1 d')" d
is 'which a slow machine excuses' "$(over '200 1 a' '120 1 b' '80 1 c' '60 1 d')" ''
is 'several runs of one are added' "$(over '100 1 a' '60 1 b' '40 1 c' '30 1 d' '30 1 d')" d
is 'a suite that was tried twice' "$(over '100 1 a 1' '260 1 b 2' '40 1 c 1')" ''
is 'and took too long each time' "$(over '100 1 a 1' '300 1 b 2' '40 1 c 1')" b
is 'a few seconds are chance' "$(over '1 1 a' '12 1 c')" ''
plan
