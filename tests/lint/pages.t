#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is each command of the pages in docs/ run by a test, or is it told why not? TAP.
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/vm/pages.py lint
