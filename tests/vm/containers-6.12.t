#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Namespaces and containers, in a guest with 6.12; see containers-run and containers.sh.
exec "$(dirname "$0")/containers-run" 6.12
