#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Exact counts and sums on 6.12, slots in the module; see exact.py.
exec python3 "$(dirname "$0")/exact.py" 6.12 kmod "$@"
