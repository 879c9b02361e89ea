#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Can the faults of mutants.toml that need a guest be tried? There the tests that look for them pass
# where there is no fault. TAP.

cd "$(dirname "$0")/../.." || exit 1
make -s build || exit 1
exec tests/mutants/mutants.py --right
