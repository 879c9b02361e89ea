#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the tutorial and the page of stacks do what they say? Their commands are run here, in order, and
# what they print is compared with the page. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "$(id -u)" != 0 ]; then
	echo 'ok 1 - the tutorial # skip it needs root'
	echo 1..1
	exit 0
fi
export PATH=$PWD/.output:$PATH
exec python3 tests/vm/tutorial.py docs/tutorial.md examples/tutorial/words.c -- \
	docs/stacks.md examples/tutorial/paths.c
