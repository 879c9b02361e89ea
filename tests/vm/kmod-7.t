#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The module kstats on 7: exact, strict, nothing left behind; see kmod.sh.
exec "$(dirname "$0")/kmod-run" 7
