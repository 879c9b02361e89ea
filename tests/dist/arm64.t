#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The Debian package for arm64, in a root of Debian 12 in a guest of arm64: installed, replaced by a newer
# version while a node runs, removed, purged; see arm64.sh. DEBS=FOLDER takes packages that are there. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/dist/lib.sh
. tests/dist/lib.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
if [ -z "${DEBS-}" ]; then
	packaging/deb "$tmp/debs" >"$tmp/log" 2>&1 || { cat "$tmp/log" && exit 1; }
	DEBS=$tmp/debs
fi
# What it depends on, but for what it names itself.
full=$(arm64_root libbpf1 libdw1 libelf1 libevent-core-2.1-7 libevent-extra-2.1-7 libjson-c5 libncursesw6 \
	libtinfo6 libzstd1 r-mathlib zlib1g) || exit 1
mkdir "$tmp/guest"
tar -C "$full" -cf "$tmp/guest/root.tar" .
cp "$DEBS"/kstats-bpf_*_arm64.deb "$tmp/guest/old.deb"
dpkg-deb -R "$tmp/guest/old.deb" "$tmp/newer"
newer=$(make -s version)+1
sed -i "s/^Version: .*/Version: $newer/" "$tmp/newer/DEBIAN/control"
dpkg-deb --root-owner-group -b "$tmp/newer" "$tmp/guest/new.deb" >/dev/null
tests/vm/run -f -k 6.12-arm64 -m 3072 -a "$tmp/guest" -a tests/dist/arm64.sh -a tests/tap.sh -- \
	"FILES=$tmp/guest NEWER=$newer TAP=$PWD/tests/tap.sh sh $PWD/tests/dist/arm64.sh"
