# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# A pause for loops that wait beside others. Sourced by tests/run and tests/vm/run.

# Sleeps without a process of its own: nothing ever comes from that pipe.
nap() { # SECONDS
	[ "${never-}" ] || exec {never}<> <(:)
	read -rt "$1" -u "$never" || true
}
