#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Namespaces and containers, on this machine; see containers-run and containers.sh.
exec "$(dirname "$0")/containers-run" here
