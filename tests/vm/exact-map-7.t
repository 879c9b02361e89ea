#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Exact counts and sums on 7, slots in the map; see exact.py.
exec python3 "$(dirname "$0")/exact.py" 7 map "$@"
