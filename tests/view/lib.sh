# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the tests of this folder share: programs of others that are unpacked, not
# installed, since their packages start daemons. Sourced.

KSTATS_CACHE=${KSTATS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kstats-bpf}

# package NAME: its files in a folder of the cache, whose path is printed.
package() {
	local dir=$KSTATS_CACHE/packages/$1 try
	if [ ! -e "$dir/.done" ]; then
		rm -rf "$dir"
		mkdir -p "$dir/.deb"
		# A version that the archive has no more is in no newer list.
		for try in 1 2 3; do
			(cd "$dir/.deb" && apt-get -qq download "$1" >/dev/null) && break
			sleep $((10 * try))
			apt-get -qq update >/dev/null
		done
		dpkg -x "$dir"/.deb/*.deb "$dir" || return 1
		rm -rf "$dir/.deb"
		touch "$dir/.done"
	fi
	echo "$dir"
}
