#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# symbols.t: symbols.c on this machine; direct.sh runs it on other kernels. TAP.

cd "$(dirname "$0")/../.." || exit 1
make -s build .output/tests/vm/symbols || exit 1
.output/tests/vm/symbols
