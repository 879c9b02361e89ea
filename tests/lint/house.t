#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The rules of the house; see lint.py.
exec python3 "$(dirname "$0")/lint.py"
