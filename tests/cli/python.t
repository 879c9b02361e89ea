#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Markers in Python: kstats_user.py and its library as they are installed; see python.py. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "$(uname -m)" != x86_64 ]; then
	echo 'ok 1 - markers in Python # SKIP they are for x86-64'
	echo 1..1
	exit
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
python=$(PATH=/usr/bin:$PATH command -v python3) # not one in a folder that others cannot read
chmod 755 "$tmp"
make -s install-python DESTDIR="$tmp" PYDIR=/at || exit 1
export PATH=$PWD/.output:$PATH PYTHONPATH=$tmp/at PYTHONDONTWRITEBYTECODE=yes
if unshare -m mount -t bpf bpf /sys/fs/bpf 2>/dev/null; then
	export NODES=yes
fi
unshare -m "$python" tests/cli/python.py "$tmp"
