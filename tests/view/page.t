#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Pages and drawings as a browser shows them; see page.py. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
exec /usr/bin/python3 tests/view/page.py
