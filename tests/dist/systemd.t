#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The Debian package under systemd, which runs Debian 12 in a guest: installed, switched on, asked,
# replaced by a newer version while nodes run, removed, purged; see systemd.sh. DEBS=FOLDER takes
# packages that are there. TAP.

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
full=$(full_root bookworm/systemd systemd libbpf1 libcapstone4 libdw1 libevent-core-2.1-7 libevent-extra-2.1-7 \
	libjson-c5 libncursesw6 r-mathlib) || exit 1
mkdir "$tmp/guest"
tar -C "$full" --exclude=./var/cache/apt/* --exclude=./var/lib/apt/lists/* --exclude=./usr/share/doc/* \
	--exclude=./usr/share/locale/* --exclude=./dev/* -cf "$tmp/guest/root.tar" .
cp "$DEBS"/kstats-bpf_*_amd64.deb "$tmp/guest/old.deb"

# The next version: another number. And one after that, whose program tells that it lays out nodes in
# another way.
next() { # VERSION FILE
	sed -i "s/^Version: .*/Version: $1/" "$tmp/newer/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$tmp/newer" "$tmp/guest/$2" >/dev/null
}
dpkg-deb -R "$tmp/guest/old.deb" "$tmp/newer"
newer=$(make -s version)+1
next "$newer" new.deb
sed -i 's/cell %zu, block %zu/CELL %zu, block %zu/' "$tmp/newer/usr/sbin/kstats-bpf"
next "$newer+1" other.deb
tests/vm/run -f -k 6.12 -m 3072 -a "$tmp/guest" -a tests/dist/systemd.sh -a tests/tap.sh -- \
	"FILES=$tmp/guest NEWER=$newer TAP=$PWD/tests/tap.sh sh $PWD/tests/dist/systemd.sh"
