#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How often the verdicts of `check` are right; see check.c. TAP.

cd "$(dirname "$0")/../.." || exit 1
exec make -s bench-check
