#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The hot path has not become slower; see guard.sh. In `make test-long` on 6.1 as well. TAP.

cd "$(dirname "$0")/../.." || exit 1
[ "${KSTATS_WHOLE-}" ] || export GUARD_OLD=
exec make -s bench-guard
