# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the tests of this folder share: programs of others that are unpacked, not
# installed, since their packages start daemons. Sourced.

KSTATS_CACHE=${KSTATS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kstats-bpf}

# package NAME [SUITE]: its files in a folder of the cache, whose path is printed; of this Debian, or
# the newest of another suite, which is reached by a folder of its own.
package() {
	local dir=$KSTATS_CACHE/packages/$1${2:+-$2} try
	if [ ! -e "$dir/.done" ]; then
		rm -rf "$dir"
		mkdir -p "$dir/.deb"
		# A version that the archive has no more is in no newer list.
		for try in 1 2 3; do
			package_get "$dir/.deb" "$@" && break
			sleep $((10 * try))
			[ "${2-}" ] || apt-get -qq update >/dev/null
		done
		dpkg -x "$dir"/.deb/*.deb "$dir" || return 1
		rm -rf "$dir/.deb"
		touch "$dir/.done"
	fi
	echo "$dir"
}

package_get() { # FOLDER NAME [SUITE]
	if [ -z "${3-}" ]; then
		(cd "$1" && apt-get -qq download "$2" >/dev/null)
		return
	fi
	(
		# shellcheck disable=SC2034
		prog=view apt_arch=$(dpkg --print-architecture)
		# shellcheck source=tests/vm/lib.sh
		. tests/vm/lib.sh
		apt=$KSTATS_CACHE/apt/view-$3
		mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
		printf 'deb [signed-by=%s] %s %s main\n' "$KEYRING" "$(mirror Debian)" "$3" >"$apt/sources.list"
		apt_in "$apt" apt-get update >"$apt/log" 2>&1 &&
			cd "$1" && apt_in "$apt" apt-get download "$2" >>"$apt/log" 2>&1
	)
}
