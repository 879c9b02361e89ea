#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Nothing left behind, every ending prints: on 7; see robust and robust.sh.
exec "$(dirname "$0")/robust" 7
