#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The programs of bpf/ on a machine of our own: see machine.h. Comes in: ROUNDS, how often as
# long as usual. TAP of all models behind each other.

cd "$(dirname "$0")/../.." || exit 1
make -s models || exit 1
for t in tests/model/test_*.c; do
	t=${t#tests/model/test_}
	.output/model/"${t%.c}" "${ROUNDS:-1}" || echo "# ${t%.c} ended with status $?"
done | awk '
	/^1\.\./ { ends++; next }
	/^(not )?ok / { n++; sub(/ok [0-9]+/, "ok " n) }
	/^not ok / || /ended with status/ { bad++ }
	{ print }
	END { print "1.." n; exit bad || !n || !ends }'
