# SPDX-License-Identifier: GPL-2.0-only
# Puts suites into the order in which tests/run begins them: those that take longest by the clock
# first, so that all places are busy until the end. Comes in: tests/budget, where it is there, and
# names; `new`, the seconds that one without a row is thought to take. Those that take the same keep
# their order. A name that comes twice counts once. Goes out: "SECONDS NAME" each.

FILENAME ~ /budget$/ { clock[$1] = $3; next }
!seen[$1]++ { print ($1 in clock ? clock[$1] : new), $1 }
