#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The static program of a release, in roots of Debian 11, 12 and 13 and of busybox, where libc would
# load libnss-systemd and DEBUGINFOD_URLS is set. The release is made in two folders. PROGRAM=FILE
# tries another program; RELEASE=FOLDER looks at a release that is there, made once. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/dist/lib.sh
. tests/dist/lib.sh
need unshare jq
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
version=$(make -s version)
name=kstats-bpf-$version-linux-amd64

make_release() {
	git clone -q . "$tmp/other/folder" || exit 1
	packaging/dist "$version" "$tmp/here" >"$tmp/log" 2>&1
	is 'a release is made' "$? $(tail -n 1 "$tmp/log" | grep -v '[0-9] [^ ]*$')" '0 '
	CCACHE_DISABLE=1 make -s -C "$tmp/other/folder" dist >"$tmp/log" 2>&1
	is 'and in a clone in another folder' $? 0
	is 'with the same bytes' "$(cat "$tmp/other/folder/.output/dist/SHA256SUMS")" \
		"$(cat "$tmp/here/SHA256SUMS")"
	RELEASE=$tmp/here
}

# of LIST QUERY: what is linked into a program
of() { jq -r "$2" "$RELEASE/kstats-bpf-$version-linux-$1.spdx.json"; }

release() {
	[ "${RELEASE-}" ] || make_release
	is 'there are three tarballs and two lists' "$(sed 's/.*  //' "$RELEASE/SHA256SUMS" | xargs)" \
		"$(echo kstats-bpf-"$version"-linux-{amd64,arm64}.{spdx.json,tar.xz} kstats-bpf-"$version".tar.xz)"
	for arch in amd64 arm64; do
		is "$arch: packed, it takes 5 MB at most" \
			"$(($(stat -c %s "$RELEASE/kstats-bpf-$version-linux-$arch.tar.xz") <= 5000000))" 1
		is "$arch: what is linked in has versions, licences and sources" "$(of $arch '.packages | length > 9 and
			all(.[1:][]; (.versionInfo | length > 0) and (.licenseConcluded | length > 0)
				and (.downloadLocation | test("^https://snapshot.debian.org/package/.*/.*/$")))')" true
		is "$arch: no licence that does not go with GPL-2.0-only" \
			"$(of $arch '.packages[].licenseConcluded' | tr -d '()' |
				sed 's/ AND /\n/g' | grep -cE '^(GPL-3.0-(only|or-later)|Apache-2.0|AGPL.*|LGPL-3.*)$')" 0
	done
	is 'the same is linked into both' "$(of arm64 '.packages[].name')" "$(of amd64 '.packages[].name')"
	tar -C "$tmp" -xf "$RELEASE/kstats-bpf-$version-linux-arm64.tar.xz"
	has 'one is for arm64' "$(readelf -hW "$tmp/kstats-bpf-$version-linux-arm64/sbin/kstats-bpf")" 'Machine: +AArch64'
	tar -C "$tmp" -xf "$RELEASE/$name.tar.xz"
	program=$tmp/$name/sbin/kstats-bpf
	is 'neither needs a library' "$(readelf -dW "$program" "${program//amd64/arm64}" 2>/dev/null | grep -c NEEDED)" 0
}

pair=(kstats-bpf trace -q --start tp:sys_enter --end tp:sys_exit -o /tmp/result)

look() { # WHAT ROOT
	local what=$1 root=$2
	cp "$program" "$root/bin/kstats-bpf"
	inside "$root" kstats-bpf trace --start tp:sys_enter --end tp:sys_exit -f json -- true \
		>"$tmp/json" 2>"$tmp/err"
	is "$what: a first result" "$? $(jq -c '.nodes[0] | [.samples > 0, .ledger.balance]' "$tmp/json")" \
		'0 [true,0]'
	is "$what: the command of a caller of sudo has his number and his groups" \
		"$(inside "$root" SUDO_UID=1234 SUDO_GID=1234 "${pair[@]}" -- \
			sh -c 'id -un; id -gn; id -G' 2>&1 | xargs -n 1 | sort | xargs)" '1234 77 tester tester'
	# shellcheck disable=SC2016
	is "$what: and his names" \
		"$(inside "$root" SUDO_UID=1234 SUDO_GID=1234 "${pair[@]}" -- \
			sh -c 'echo $HOME $USER $LOGNAME $SHELL' 2>&1)" '/home/tester tester tester /bin/sh'
	out=$(inside "$root" SUDO_UID=61234 SUDO_GID=61234 "${pair[@]}" -- id 2>&1)
	is "$what: one who is in no file is refused" "$?" 2
	is "$what: in words" "$out" "kstats-bpf: cannot tell whose command it is: user 61234 is not in /etc/passwd, \
and a program that is linked statically reads nothing else; use --as-root for the command to run as root, or the \
program of a package"
	is "$what: but not with --as-root" \
		"$(inside "$root" SUDO_UID=61234 SUDO_GID=61234 "${pair[@]}" --as-root -- id -u 2>&1)" 0
	has "$what: a group is found" "$(inside "$root" kstats-bpf node add --user x --group scope --mode 9 2>&1)" \
		"cannot use --mode '9'"
	has "$what: or told not to be there" "$(inside "$root" kstats-bpf node add --user x --group nobodys 2>&1)" \
		"no group of that name in /etc/group"
	has "$what: the program finds its own functions" \
		"$(inside "$root" kstats-bpf list 'u:/bin/kstats-bpf:calibrate_on_*' 2>&1)" calibrate_on_step
}

if [ "${PROGRAM-}" ]; then program=$PROGRAM; else release; fi
busybox_root "$tmp/busybox"
look busybox "$tmp/busybox"
for suite in bullseye bookworm trixie; do
	if root=$(small_root $suite); then
		cp -a "$root" "$tmp/$suite"
		look $suite "$tmp/$suite"
	else
		result 'not ok' "there is a root of $suite"
	fi
done

plan
