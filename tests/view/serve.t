#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `serve`, asked by clients and by Debian's Prometheus; see serve.py. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/view/lib.sh
. tests/view/lib.sh
dir=$(package prometheus) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'mountpoint -q "$tmp/bpf" && umount "$tmp/bpf"; rm -rf "$tmp"' EXIT
mkdir "$tmp/bpf"
if [ "$(id -u)" != 0 ] || ! mount -t bpf none "$tmp/bpf" 2>/dev/null; then
	echo 'ok 1 - serve # SKIP root and a BPF file system are needed'
	echo 1..1
	exit
fi
/usr/bin/python3 tests/view/serve.py "$tmp" "$dir/usr/bin/prometheus"
