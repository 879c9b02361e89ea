#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What measuring takes on 6.1, against functions of known truth; see calibrate.py.
exec python3 "$(dirname "$0")/calibrate.py" 6.1
