#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The Debian packages, in a root of Debian 12: installed, replaced by a newer version while a node
# runs, removed, purged. DEBS=FOLDER takes packages that are there. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/dist/lib.sh
. tests/dist/lib.sh
need unshare jq dpkg-deb
# Nodes of its own, which nobody else sees.
if [ -z "${OWN_NODES-}" ]; then
	OWN_NODES=yes exec unshare --mount --propagation private bash "$0"
fi
mount -t bpf bpf /sys/fs/bpf || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
version=$(make -s version)

if [ -z "${DEBS-}" ]; then
	packaging/deb "$tmp/debs" >"$tmp/log" 2>&1
	is 'the packages are made, and lintian finds nothing' "$? $(grep -E '^[EW]: ' "$tmp/log")" '0 '
	DEBS=$tmp/debs
fi
# What they depend on stays; the rest is to go again.
full=$(full_root bookworm libbpf1 libcapstone4 libdw1 libevent-core-2.1-7 libevent-extra-2.1-7 libjson-c5 libncursesw6 r-mathlib dkms dwarves linux-libc-dev) || exit 1
root=$tmp/root
cp -a "$full" "$root"
mkdir "$root/debs" "$root/newer"
for name in kstats-bpf kstats-dkms libkstats-dev; do
	cp "$DEBS/$name"_*_a[lm]*.deb "$root/debs/$name.deb"
done

# The same package by a later number.
newer() { # PACKAGE
	dpkg-deb -R "$root/debs/$1.deb" "$tmp/newer"
	sed -i "s/^Version: .*/Version: $version+1/" "$tmp/newer/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$tmp/newer" "$root/newer/$1.deb" >/dev/null
}
newer kstats-bpf

in_root() { inside "$root" DEBIAN_FRONTEND=noninteractive "$@"; }
apt() { in_root apt-get -qq -y --no-install-recommends "$@" >"$tmp/apt" 2>&1; }
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./var \
	-o -path ./debs -o -path ./newer -o -path ./tmp \) -prune -o -print | sort); }
of() { grep -c "$1" "$tmp/files"; }

files >"$tmp/before"

apt install /debs/kstats-bpf.deb /debs/kstats-dkms.deb /debs/libkstats-dev.deb
is 'the packages are installed' "$? $(tail -n 1 "$tmp/apt" | grep '^E:')" '0 '
files | comm -13 "$tmp/before" - >"$tmp/files"
is 'program, manual, units, completions' "$(of '^./usr/sbin/kstats-bpf$') $(of 'man8/.*\.8\.gz$') \
$(of '/systemd/system/kstats-bpf.*\.service$') $(of 'vendor-completions/_kstats-bpf$')" "1 $(find man -name '*.8' | wc -l) 3 1"
is 'the manual of the headers is theirs' "$(in_root dpkg -S /usr/share/man/man3/kstats_user.3.gz \
	/usr/share/man/man9/kstats.9.gz /usr/include/kstats/kstats_user.h | cut -d : -f 1 | sort -u)" libkstats-dev
is 'DKMS knows the module' "$(in_root dkms status | tr -d ' ')" "kstats/$version:added"
# A service whose export nobody asked for does not run.
is 'the nodes are made at boot, the export is not' "$(of 'wants/kstats-bpf.service$') $(of 'wants/kstats-bpf-export')" '1 0'
is 'it measures' "$(in_root kstats-bpf trace -q --start tp:sys_enter --end tp:sys_exit -f json -- true |
	jq -c '.nodes[0] | [.samples > 0, .ledger.balance]')" '[true,0]'

# ---- a newer version ----
in_root kstats-bpf node add packages --start tp:sched:sched_process_exec --end tp:sched:sched_process_exit
is 'a node is made' $? 0
apt install /newer/kstats-bpf.deb
# shellcheck disable=SC2016
is 'a newer version is installed' "$? $(in_root dpkg-query -W -f '${Version}' kstats-bpf)" "0 $version+1"
is 'and the node goes on' "$(in_root kstats-bpf node show packages -f json |
	jq -c '.nodes[0] | [.samples > 3, .ledger.balance]')" '[true,0]'

# ---- gone ----
apt remove kstats-bpf kstats-dkms libkstats-dev
is 'they are removed' "$? $(in_root dpkg -l | grep -c '^ii .*kstats')" '0 0'
is 'and the nodes with the program' "$(find /sys/fs/bpf/kstats -mindepth 1 2>/dev/null | wc -l)" 0
is 'and what DKMS knew' "$(in_root dkms status)" ''
in_root dpkg --purge kstats-bpf kstats-dkms libkstats-dev >"$tmp/apt" 2>&1
is 'they are purged' $? 0
is 'nothing is left' "$(files | comm -13 "$tmp/before" -)" ''
is 'nor among the variable data' "$(find "$root/var/lib" "$root/run" -name '*kstats*' | grep -v /var/lib/apt/)" ''

# ---- the module from source ----
mkdir "$root/tree" && cp -r Makefile include kmod "$root/tree/"
in_root sh -c "cd /tree && make -s install-dkms && dkms add kstats/$version && dkms status" >"$tmp/out" 2>&1
has 'the module is installed from source' "$(cat "$tmp/out")" "^kstats/$version: added"
in_root make -s -C /tree uninstall-dkms >"$tmp/out" 2>&1
is 'and removed' "$? $(in_root dkms status) $(find "$root/usr/src" -name 'kstats*')" '0  '

plan
