#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The hot path has not become slower; see guard.sh. In `make test-long` all of it, and on 6.1. TAP.

cd "$(dirname "$0")/../.." || exit 1
[ "${KSTATS_WHOLE-}" ] || export GUARD_OLD='' GUARD_FEW=yes
exec make -s bench-guard
