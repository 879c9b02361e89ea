# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the tests of this folder share: small roots of distributions, and commands in them. Sourced.

# shellcheck disable=SC2034
prog=dist
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh

# small_root SUITE: print a root of Debian with a shell, coreutils and libnss-systemd, made once.
small_root() {
	local root=$KSTATS_CACHE/small/$1 apt=$KSTATS_CACHE/apt/$1-small new
	local packages=(libc6 libc-bin coreutils dash libnss-systemd libcap2 libselinux1 libgcc-s1 libpcre2-8-0
		libacl1 libattr1 libgmp10)
	if [ ! -d "$root" ]; then
		[ "$1" != trixie ] || packages+=(libssl3t64 libsystemd0 zlib1g)
		mkdir -p "$KSTATS_CACHE/small" "$apt/lists/partial" "$apt/cache/archives/partial"
		echo "deb [signed-by=$KEYRING] $(mirror Debian) $1 main" >"$apt/sources.list"
		apt_in "$apt" apt-get -qq update >&2 || return 1
		new=$(mktemp -d "$KSTATS_CACHE/.small.XXXXXX") || return 1
		mkdir -p "$new/usr/bin" "$new/usr/sbin" "$new/usr/lib" "$new/usr/lib64"
		# From Debian 13 on packages have nothing outside of /usr.
		[ "$1" != trixie ] || ln -s usr/bin usr/sbin usr/lib usr/lib64 "$new/"
		# The versions of that suite, not those that are installed here.
		unpack "$apt" "$new" -o Dir::State::status=/dev/null "${packages[@]}" || return 1
		complete_root "$new"
		mv -T "$new" "$root" 2>/dev/null || rm -rf "$new"
	fi
	[ -d "$root" ] && echo "$root"
}

# busybox_root FOLDER: a root of busybox alone.
busybox_root() {
	local busybox
	busybox=$(command -v busybox) || die 'busybox is not installed'
	mkdir -p "$1/bin"
	cp "$busybox" "$1/bin/busybox"
	for name in sh id env true; do ln -sf busybox "$1/bin/$name"; done
	complete_root "$1"
}

# Users, and where libc looks for them: libnss-systemd answers for those who are in no file.
complete_root() { # FOLDER
	mkdir -p "$1/proc" "$1/sys" "$1/dev" "$1/etc" "$1/tmp" "$1/home/tester"
	printf 'root:x:0:0:root:/root:/bin/sh\ntester:x:1234:1234::/home/tester:/bin/sh\n' >"$1/etc/passwd"
	printf 'root:x:0:\ntester:x:1234:\nscope:x:77:root,tester\nother:x:78:root\n' >"$1/etc/group"
	printf 'passwd: files systemd\ngroup: files systemd\n' >"$1/etc/nsswitch.conf"
}

# inside ROOT COMMAND...: run it in a root, in a mount namespace of its own, which ends with it.
inside() {
	local root=$1
	shift
	# shellcheck disable=SC2016
	unshare --mount --propagation private sh -ec '
		mount -t proc proc "$1/proc"
		mount --rbind /sys "$1/sys"
		mount --rbind /dev "$1/dev"
		root=$1
		shift
		exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C \
			DEBUGINFOD_URLS=http://127.0.0.1:1 "$@"' sh "$root" "$@"
}

# full_root SUITE[/NAME] PACKAGE...: print a root of Debian with these packages, made once.
full_root() {
	local suite=${1%%/*} root=$KSTATS_CACHE/full/${1//\//-} new
	shift
	root+=-$(echo "$@" | sha256sum | cut -c 1-8)
	if [ ! -d "$root" ]; then
		need debootstrap
		mkdir -p "$KSTATS_CACHE/full"
		new=$(mktemp -d "$KSTATS_CACHE/.full.XXXXXX") || return 1
		say "making a root of $suite, once"
		debootstrap --variant=minbase --keyring="$KEYRING" "$suite" "$new" "$(mirror Debian)" \
			>"$root.log" 2>&1 || return 1
		cp /etc/resolv.conf "$new/etc/"
		inside "$new" DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@" \
			>>"$root.log" 2>&1 || return 1
		chmod 755 "$new"
		mv -T "$new" "$root" 2>/dev/null || rm -rf "$new"
	fi
	[ -d "$root" ] && echo "$root"
}

# arm64_root PACKAGE...: print a root of Debian 12 for arm64 with these packages and what they depend on,
# made once. They are unpacked, and dpkg is told that they are installed: none of their programs has run.
arm64_root() {
	local apt=$KSTATS_CACHE/apt/root-arm64 root new apt_arch=arm64 names deb list
	root=$KSTATS_CACHE/full/arm64-$(echo "$@" | sha256sum | cut -c 1-8)
	if [ ! -d "$root" ]; then
		apt_sources "$apt" 6.1 # those of Debian 12
		apt_in "$apt" apt-get -qq update >&2 || return 1
		mapfile -t names < <(apt_in "$apt" apt-get -s --no-install-recommends -o Dir::State::status=/dev/null \
			install dpkg dash coreutils diffutils findutils grep libc-bin perl-base sed tar init-system-helpers "$@" | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
		mkdir -p "$KSTATS_CACHE/full"
		new=$(mktemp -d "$KSTATS_CACHE/.full.XXXXXX") || return 1
		mkdir -p "$new"/usr/{bin,sbin,lib} "$new"/var/lib/dpkg/{info,updates,triggers} "$new/.deb"
		ln -s usr/bin usr/sbin usr/lib "$new/"
		(cd "$new/.deb" && apt_in "$apt" apt-get -qq -o Dir::State::status=/dev/null download "${names[@]}" >&2) || return 1
		for deb in "$new"/.deb/*.deb; do
			dpkg-deb --fsys-tarfile "$deb" | tar -C "$new" --keep-directory-symlink -xf - || return 1
			dpkg-deb -f "$deb" | sed '1a Status: install ok installed' >>"$new/var/lib/dpkg/status"
			echo >>"$new/var/lib/dpkg/status"
			list=$(dpkg-deb -f "$deb" Package)
			[ "$(dpkg-deb -f "$deb" Multi-Arch)" != same ] || list+=:arm64
			dpkg-deb --fsys-tarfile "$deb" | tar -tf - | sed 's#^\./#/#; s#/$##; s#^$#/.#' >"$new/var/lib/dpkg/info/$list.list"
		done
		rm -r "$new/.deb" "$new"/usr/share/{doc,locale,man,info}
		echo 1 >"$new/var/lib/dpkg/info/format"
		echo arm64 >"$new/var/lib/dpkg/arch"
		echo 'root:x:0:0:root:/root:/bin/sh' >"$new/etc/passwd"
		echo 'root:x:0:' >"$new/etc/group"
		mkdir -p "$new"/{proc,sys,dev,run,tmp,root,var/log}
		chmod 755 "$new"
		mv -T "$new" "$root" 2>/dev/null || rm -rf "$new"
	fi
	[ -d "$root" ] && echo "$root"
}
