#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# blocks.t: slots in blocks, taken from pools that are large enough or too small, with
# interrupts in between, on this machine. TAP.

cd "$(dirname "$0")/../.." || exit 1
make -s build .output/tests/vm/blocks || exit 1
.output/tests/vm/blocks
