#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The reader of recordings in Python against the program; see reader.py. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/cli/reader.py
