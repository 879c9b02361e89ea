# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the scripts of this folder share: cache folder, messages, and a private
# apt that reaches the suites of the test kernels without touching the
# machine's own lists. Sourced; callers set `prog`.

prog=${prog:-vm}
KSTATS_CACHE=${KSTATS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kstats-bpf}
apt_arch=${apt_arch:-amd64}
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
PATH=$PATH:/usr/sbin:/sbin

say() { echo "$prog: $*" >&2; }
die() { say "$1"; exit "${2:-123}"; }

need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || die "$tool is not installed"
	done
}

kernel_known() {
	case $1 in
	5.10 | 6.1 | 6.12 | 7 | 6.1-rt | 6.12-rt | 6.1-cloud | 6.12-cloud | 6.12-full | 6.12-debug) ;;
	6.1-arm64 | 6.12-arm64 | 7-arm64 | 7-arm64-16k) ;;
	*) die "no kernel '$1' (5.10, 6.1, 6.12, 7, 6.1-rt, 6.12-rt, 6.1-cloud, 6.12-cloud, 6.12-full, 6.12-debug, 6.1-arm64, 6.12-arm64, 7-arm64 and 7-arm64-16k are known)" 2 ;;
	esac
}

# The name of a kernel is its series, and perhaps how it preempts: -rt is another
# package, -full is the ordinary kernel booted with preempt=full, -arm64 is for
# another processor, -16k has larger pages, -cloud is the package for virtual machines.
kernel_series() { echo "${1%%-*}"; }
kernel_package() { echo "${1%-full}"; }
kernel_flavour() { # as Debian names it
	case $1 in
	*-rt) echo rt-amd64 ;;
	*-cloud) echo cloud-amd64 ;;
	*-16k) echo arm64-16k ;;
	*) kernel_arch "$1" ;;
	esac
}
kernel_arch() { # as Debian names it
	case $1 in
	*-arm64*) echo arm64 ;;
	*) echo amd64 ;;
	esac
}
kernel_cmdline() { case $1 in *-full) echo preempt=full ;; esac; }

# The mirror of the label given ("Debian" or "Debian-Security") that this
# machine itself uses, else the default.
mirror() {
	local found
	# shellcheck disable=SC2016
	found=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' \
		'Created-By: Packages' 2>/dev/null |
		sed -n "s/^Debian|$1|//p" | sort -u | head -n 1)
	case $1 in
	Debian) echo "${found:-http://deb.debian.org/debian}" ;;
	*) echo "${found:-http://deb.debian.org/debian-security}" ;;
	esac
}

# apt_sources DIR KERNEL: where the packages of that kernel come from.
apt_sources() {
	local opt='' main security
	main=$(mirror Debian)
	security=$(mirror Debian-Security)
	[ -r "$KEYRING" ] && opt="[signed-by=$KEYRING] "
	mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
	case $(kernel_series "$2") in
	5.10) printf 'deb %s%s main\n' "$opt" "$main bullseye" ;;
	6.1) printf 'deb %s%s main\n' \
		"$opt" "$main bookworm" "$opt" "$security bookworm-security" ;;
	6.12) printf 'deb %s%s main\n' \
		"$opt" "$main bookworm-backports" "$opt" "$security bookworm-security" ;;
	7) printf 'deb %s%s main\n' "$opt" "$main trixie-backports" ;;
	esac >"$1/sources.list"
}

# apt_in DIR TOOL ARG...: an apt tool that knows only DIR, and the architecture apt_arch.
apt_in() {
	local dir=$1 tool=$2
	shift 2
	"$tool" -q -o Dir::Etc::SourceList="$dir/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null \
		-o Dir::Etc::PreferencesParts=/dev/null \
		-o Dir::State::Lists="$dir/lists" -o Dir::Cache="$dir/cache" \
		-o APT::Sandbox::User=root -o APT::Architecture="$apt_arch" -o APT::Architectures="$apt_arch" \
		-o Acquire::Retries=2 -o Acquire::http::Timeout=20 "$@"
}

# apt_version DIR PACKAGE KERNEL: the newest version of PACKAGE in that series.
apt_version() {
	apt_in "$1" apt-cache madison "$2" | awk -F ' *[|] *' -v k="$(kernel_series "$3")." \
		'index($2, k) == 1 { print $2 }' | sort -uV | tail -n 1
}

# apt_depends DIR PACKAGE VERSION PATTERN: what it depends on, one a line.
apt_depends() {
	apt_in "$1" apt-cache show "$2=$3" | sed -n 's/^Depends: //p' | head -n 1 |
		tr ',' '\n' | sed -E 's/^ *//; s/ *\(= ([^)]*)\)/=\1/; s/ .*//' | grep -E "$4"
}

# unpack DIR TARGET PACKAGE[=VERSION]...: download and unpack, nothing installed. With unpack_list set
# to a file's name, TARGET has it, with a line for each file: path, package, source and its version.
unpack() {
	local dir=$1 target=$2 deb
	shift 2
	mkdir -p "$target/.deb"
	(cd "$target/.deb" && apt_in "$dir" apt-get download "$@" >&2) || return 1
	for deb in "$target"/.deb/*.deb; do
		dpkg -x "$deb" "$target" || return 1
		[ -z "${unpack_list-}" ] || list_files "$deb" >>"$target/$unpack_list" || return 1
	done
	rm -rf "$target/.deb"
}

list_files() { # DEB
	local fields
	# shellcheck disable=SC2016
	fields=$(dpkg-deb -W --showformat='${Package}\t${source:Package}\t${source:Version}' "$1") || return 1
	dpkg-deb --fsys-tarfile "$1" | tar -tf - | sed -n "s#^\.\(/.*[^/]\)\$#\1\t$fields#p"
}

# debian_13 DIR PACKAGE,...: a root of Debian 13 with these packages, made once.
# Its log is DIR.log.
debian_13() {
	local new
	[ -d "$1" ] && return
	need debootstrap
	new=$(mktemp -d "$KSTATS_CACHE/.chroot.XXXXXX") || return 1
	say "making a root of Debian 13 with $2, once"
	if debootstrap --variant=minbase --include="$2" --keyring="$KEYRING" \
		trixie "$new" "$(mirror Debian)" >"$1.log" 2>&1; then
		chmod 755 "$new"
		mv -T "$new" "$1"
	else
		rm -rf "$new"
		return 1
	fi
}

# root_13: prints a root of Debian 13 that builds modules for 7.x, and the program.
root_13() {
	local packages=gcc,make,pahole,libelf1t64,libbpf-dev,libelf-dev,libjson-c-dev root
	packages+=,libncurses-dev,ncurses-bin,r-mathlib,zlib1g-dev
	root=$KSTATS_CACHE/root-13-$(echo "$packages" | sha256sum | cut -c 1-8)
	debian_13 "$root" "$packages" >&2 && mkdir -p "$root/kstats/headers" "$root/kstats/build" "$root/tree" &&
		echo "$root"
}
