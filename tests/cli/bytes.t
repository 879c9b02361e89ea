#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The same sources give the same bytes in whatever folder they are built, and the version stands in
# one place. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

paths() { # FILE: strings in which the path of this folder is
	grep -aoE "${PWD}[ -~]*" "$1" | head -n 3
}

is 'no path of the folder is in the program' "$(paths .output/kstats-bpf)" ''
for object in .output/*.bpf.o; do
	is "none is in $object" "$(paths "$object")" ''
done

# What a compiler writes of paths is the same for each file: one of each language is enough.
parts=(.output/node.bpf.o .output/src/util/tags.o)
for folder in a some/other; do
	mkdir -p "$tmp/$folder"
	cp -r Makefile bpf include src vmlinux.h "$tmp/$folder/"
	CCACHE_DISABLE=1 make -s -C "$tmp/$folder" SKELS= "${parts[@]}" >"$tmp/log" 2>&1
	is "builds in another folder, $folder" $? 0
done
for part in "${parts[@]}"; do
	is "the same bytes in two folders: $part" \
		"$(cmp "$tmp/a/$part" "$tmp/some/other/$part" 2>&1)" ''
done
is 'with debug information' "$(readelf -SW "$tmp/a/.output/src/util/tags.o" | grep -c ' \.debug_line ')" 1

# ---- the version ----
version=$(make -s version)
is 'the version of the Debian packages is that of the Makefile' \
	"$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" "$version"
is 'and of the rpm' "$(sed -n 's/^Version: *//p' packaging/kstats-bpf.spec)" "$version"
is 'the program says it' "$(.output/kstats-bpf --version)" "kstats-bpf $version"

plan
