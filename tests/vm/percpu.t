#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# percpu.t: starts and ends of --key cpu that come in between of each other, as where tasks
# are preempted inside programs, on this machine. TAP.

cd "$(dirname "$0")/../.." || exit 1
make -s build .output/tests/vm/percpu || exit 1
.output/tests/vm/percpu
