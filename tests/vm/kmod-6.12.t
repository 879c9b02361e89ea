#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The module kstats on 6.12: exact, strict, nothing left behind; see kmod.sh.
exec "$(dirname "$0")/kmod-run" 6.12 slub_debug=FZPU
