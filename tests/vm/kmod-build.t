#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How the module is built, and how it is refused: warnings, sparse, headers that lack something;
# in `make test-long` also for 32 bits, and by DKMS. No guest but one for the selftest. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck disable=SC2034
prog=vm/kmod-build
# shellcheck source=tests/vm/lib.sh
. tests/vm/lib.sh
version=$(sed -n 's/^VERSION *:= *//p' Makefile)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh

# ---- the kernels it is for ----

for kernel in ${KSTATS_WHOLE:+6.12} 7; do
	out=$(tests/vm/build-kmod "$kernel" kmod W=1 KSTATS_VERSION="$version" 2>&1)
	is "$kernel: builds without a warning, with W=1" "$(grep -ci warning <<<"$out")" 0
	ko=$(tail -n 1 <<<"$out")
	has "$kernel: BTF" "$(readelf -SW "$ko")" ' \.BTF '
	is "$kernel: version" "$(modinfo -F version "$ko")" "$version"
	is "$kernel: licence" "$(modinfo -F license "$ko")" GPL
	for file in api array debugfs main node record; do
		[ -n "$(find "$(dirname "$ko")" -name log -exec grep -l "$file.o" {} +)" ] || echo "# no $file"
	done
	selftest=$(tests/vm/build-kmod "$kernel" kmod KSTATS_SELFTEST=y)
	out=$(tests/vm/run -f -k "$kernel" -a "$selftest" -- "insmod $selftest && dmesg" 2>&1)
	has "$kernel: the selftest passes" "$out" 'kstats: selftest: passed'
done

kdir=$(echo "$KSTATS_CACHE"/kernels/6.12/headers/usr/src/linux-headers-*-amd64)
kbuild=$(echo "$KSTATS_CACHE"/kernels/6.12/headers/usr/lib/linux-kbuild-*)

# ---- 32 bits: every file compiles and needs no division of the compiler's own ----

bits_32() {
	# The newest headers for i386 that Debian has are those of its 6.1.
	headers32=$KSTATS_CACHE/headers-i386
	apt_i386() { apt_in "$KSTATS_CACHE/apt/i386" "$@"; }
	get_headers32() { # FOLDER
		local release
		apt_sources "$KSTATS_CACHE/apt/i386" 6.1
		# The archive of the distribution itself is enough, and moves less.
		sed -i -e '/security/d' -e 's/^deb \[/deb [arch=i386 /' "$KSTATS_CACHE/apt/i386/sources.list"
		apt_i386 apt-get -o APT::Architectures::=i386 update &&
			release=$(apt_i386 apt-cache -o APT::Architectures::=i386 pkgnames linux-headers-6.1. |
				grep -E '^linux-headers-6\.1\.0-[0-9]+-686-pae$' | sort -V | tail -n 1) &&
			[ -n "$release" ] && mkdir -p "$1/.deb" && cd "$1/.deb" &&
			apt_i386 apt-get -o APT::Architectures::=i386 download "$release:i386" \
				"${release%-686-pae}-common" && for deb in ./*.deb; do dpkg -x "$deb" "$1" || return; done
	}
	if [ ! -d "$headers32" ]; then
		new=$(mktemp -d "$KSTATS_CACHE/.i386.XXXXXX")
		got=''
		for try in 1 2 3; do
			(get_headers32 "$new") >"$tmp/apt" 2>&1 && got=yes && break
			sleep $((10 * try))
			rm -rf "$new/.deb"
		done
		if [ "$got" ]; then
			rm -rf "$new/.deb"
			mv -T "$new" "$headers32"
		else
			tail -n 5 "$tmp/apt" | sed 's/^/# /'
			rm -rf "$new"
		fi
	fi
	k32=$(echo "$headers32"/usr/src/linux-headers-*-686-pae)
	common=$(echo "$headers32"/usr/src/linux-headers-*-common)
	has 'headers for 32 bits are there' "$(ls "$k32" 2>&1)" Makefile
	mkdir "$tmp/32" && cp kmod/*.[chS] "$tmp/32/"
	undefined='' compiled=0
	rm "$tmp"/32/{direct,dying,stub}.c # Kbuild leaves them out: the stubs are for 64 bits
	for file in "$tmp"/32/*.c; do
		# What Kbuild would pass, without the tools that the headers bring for 32 bits.
		gcc -m32 -march=i686 -O2 -nostdinc -ffreestanding -fno-pic -fcf-protection=none \
			-mregparm=3 -mno-sse -mno-mmx -mno-80387 -fno-strict-aliasing -fshort-wchar \
			-fno-stack-protector -std=gnu11 -Wsign-compare \
			-I"$common/arch/x86/include" -I"$k32/arch/x86/include/generated" \
			-I"$common/include" -I"$k32/include" -I"$common/arch/x86/include/uapi" \
			-I"$k32/arch/x86/include/generated/uapi" -I"$common/include/uapi" \
			-I"$k32/include/generated/uapi" -include "$common/include/linux/compiler-version.h" \
			-include "$common/include/linux/kconfig.h" -include "$common/include/linux/compiler_types.h" \
			-Iinclude -D__KERNEL__ -DMODULE -DCC_USING_FENTRY -DCONFIG_KSTATS=1 -DKSTATS_SELFTEST '-DKSTATS_VERSION="0"' \
			-DKBUILD_MODNAME='"kstats"' -DKBUILD_BASENAME='"kstats"' -D__KBUILD_MODNAME=kmod_kstats \
			-c -o "${file%.c}.o" "$file" 2>>"$tmp/32.log" && compiled=$((compiled + 1))
		undefined+=$(nm -u "${file%.c}.o" 2>/dev/null)
	done
	is 'all files compile for 32 bits' "$compiled" "$(find kmod -name '*.c' ! -name direct.c ! -name dying.c ! -name stub.c | wc -l)"
	grep -E ' error: ' "$tmp/32.log" | head -n 5 | sed 's/^/# /'
	# There long is as wide as u32, so a ?: of both gives a large number.
	is 'no errno loses its sign' "$(grep "^$tmp/32/.*changes signedness" "$tmp/32.log" | sed 's|.*/||')" ''
	is 'no 64-bit division of the compiler' "$(grep -oE '__(u?div|u?mod)[a-z]*[0-9]' <<<"$undefined" | sort -u)" ''
}
[ -z "${KSTATS_WHOLE-}" ] || bits_32

# ---- make kmod, and what it refuses ----

if [ "${KSTATS_WHOLE-}" ]; then
	out=$(make -s kmod KDIR="$kdir" OUT="$tmp/plain" 2>&1)
	is 'make kmod, as everybody runs it' "$(modinfo -F version "$tmp/plain/kmod/kstats.ko" 2>&1) $out" "$version "
fi
# One build for the module and for sparse. In the same folder, ccache has what was compiled before.
built=$PWD/.output/tests/kmod-build
compiler=$(command -v "${CCACHE-ccache}") || compiler=''
out=$(make -s kmod KDIR="$kdir" OUT="$built" \
	KMODVARS="KSTATS_VERSION=$version C=2 CF=-Wsparse-error CC='${compiler:+$compiler }gcc'" 2>&1)
is 'make kmod' "$(modinfo -F version "$built/kmod/kstats.ko" 2>&1)" "$version"
[ -z "$out" ] || echo "# $out"
is 'sparse runs over every file' "$(grep -c ' CHECK ' "$built/kmod/log")" \
	"$(find kmod -name '*.c' ! -name selftest.c | wc -l)"
is 'and has nothing to say' \
	"$(grep -E 'kmod/[a-z_]+\.[ch]:.*(warning|error):' "$built/kmod/log")" ''

# Without it, an indirect jump to the stub faults on a processor with indirect branch tracking.
if grep -q '^CONFIG_X86_KERNEL_IBT=y' "$kdir/.config"; then
	is 'each stub begins with endbr64' "$(objdump -d --no-show-raw-insn -j .kprobes.text \
		"$built/kmod/kstats.ko" | grep -A 1 '<direct_stub_[0-9]*>:' | grep -c endbr64)" 64
fi

refuses() { # NAME KDIR PATTERN
	if out=$(make -s kmod KDIR="$2" OUT="$tmp/refused" 2>&1); then
		result 'not ok' "$1: it was built"
	else
		has "$1" "$out" "$3"
	fi
}

# The same headers. What they link to are folders of their own; the Makefile looks where it really is.
copy=$tmp/without
mkdir "$copy"
cp -rs "$kdir/." "$copy/"
rm -rf "$copy/tools" "$copy/scripts"
mkdir "$copy/tools"
ln -s "$kbuild/scripts" "$copy/scripts"
cp -rs "$kbuild/tools/." "$copy/tools/"
rm "$copy/vmlinux"
refuses 'no headers' "$tmp/nothing" 'no kernel headers.*install linux-headers'
refuses 'no BTF of the kernel' "$copy" "lack the kernel's BTF.*map backend"
ln -s "$kdir/vmlinux" "$copy/"
rm -rf "$copy/tools/bpf"
refuses 'no resolve_btfids' "$copy" 'lack the tool resolve_btfids.*map backend'
PAHOLE=no-such-pahole refuses 'no pahole' "$kdir" 'pahole is not installed.*map backend'

# ---- DKMS ----

dkms_builds() {
	make -s install-dkms DESTDIR="$tmp/dkms" >/dev/null
	mkdir "$tmp/tree"
	release=$(make -s -C "$kdir" kernelrelease)
	out=$(dkms build -m kstats -v "$version" -k "$release" --kernelsourcedir "$kdir" \
		--sourcetree "$tmp/dkms/usr/src" --dkmstree "$tmp/tree" 2>&1)
	ko=$(find "$tmp/tree" -name 'kstats.ko*' -path '*/module/*' | head -n 1)
	[ -n "$ko" ] || tail -n 20 "$tmp"/tree/kstats/*/build/make.log 2>/dev/null | sed 's/^/# /'
	has 'dkms builds it' "$out$ko" 'kstats\.ko'
	is 'in that version' "$(modinfo -F version "$ko" 2>&1)" "$version"
}
[ -z "${KSTATS_WHOLE-}" ] || dkms_builds

plan
