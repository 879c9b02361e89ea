# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the scripts of this folder share. Sourced.

# For guests that count instructions, so that a path takes the same at every boot.
# The clock source is chosen at once, and nothing that looks after it runs meanwhile;
# what lies where is the same.
# shellcheck disable=SC2034
quiet='tsc=reliable clocksource=tsc nowatchdog nokaslr'
