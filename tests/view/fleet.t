#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Quantiles over the sum of many hosts, by a Prometheus; see fleet.py. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/view/lib.sh
. tests/view/lib.sh
dir=$(package prometheus) || exit 1
exec /usr/bin/python3 tests/view/fleet.py "$dir"
