#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A shell test exits with 0 only if all of its results are ok, also if it runs in a guest. TAP. Called by tests/run.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh

status() { # COMMANDS
	sh -c ". tests/tap.sh; $1; plan" >/dev/null
	echo $?
}
is 'all are ok' "$(status 'is one 1 1; has two two t')" 0
is 'one is not' "$(status 'is one 1 2')" 1
is 'one is not, and the last one is' "$(status 'has one 1 2; is two 2 2')" 1
is 'one is skipped' "$(status 'result ok "one # skip it is not here"')" 0
for script in tests/vm/*; do
	grep -q 'sed -u.*ok' "$script" 2>/dev/null || continue
	is "$script ends with the status of what it runs" "$(tail -n 1 "$script")" \
		"exit \"\${PIPESTATUS[0]}\""
done
plan
