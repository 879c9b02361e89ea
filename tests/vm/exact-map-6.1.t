#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Exact counts and sums on 6.1, slots in the map; see exact.py.
exec python3 "$(dirname "$0")/exact.py" 6.1 map "$@"
