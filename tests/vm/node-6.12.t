#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Nodes that outlive their command, on 6.12; see node-run and node.sh.
exec "$(dirname "$0")/node-run" 6.12 kmod
