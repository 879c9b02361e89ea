#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The cases that `make test` chooses: every two values that can meet do, and no more runs than
# that takes; see tests/vm/pairs.py. TAP.

cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/vm/pairs_check.py
