#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The hot path has not become slower; see guard.sh. TAP.

cd "$(dirname "$0")/../.." || exit 1
exec make -s bench-guard
