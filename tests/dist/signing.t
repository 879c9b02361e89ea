#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# docs/signing.md: the module is signed by the commands of the page, as they are written, and a kernel
# that asks for signatures knows it from one without. Only in `make test-long`. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ko=$(tests/vm/build-kmod 6.12 kmod) || exit 1
sign=("$(tests/vm/fetch 6.12)"/headers/usr/lib/linux-kbuild-*/scripts/sign-file)
mkdir -p "$tmp/.output/kmod"
cp "$ko" "$tmp/.output/kmod/kstats.ko"
cp "$ko" "$tmp/unsigned.ko"
# Up to what needs a firmware.
sed -n '/sudo mokutil/q; s/^    //p' docs/signing.md >"$tmp/page.sh"
is 'the commands of the page sign it' "$(cd "$tmp" && SIGN_FILE=${sign[0]} PATH=$PATH:/usr/sbin:/sbin sh -e page.sh 2>err)" \
	'modules of this machine'
cp "$tmp/.output/kmod/kstats.ko" "$tmp/signed.ko"
# Without -f: the kernel has its own certificates then.
out=$(tests/vm/run -k 6.12 -K module.sig_enforce=1 -a "$tmp" -- "cd $tmp
	for m in unsigned signed; do insmod \$m.ko || echo \"\$m refused\"; done; dmesg | grep rejected
	grep -c kstats /proc/modules" 2>&1)
has 'a kernel that asks for signatures refuses a module without' "$out" '^unsigned refused$'
has 'by that' "$out" 'Loading of unsigned module is rejected'
has 'and one whose key it does not know' "$out" '^signed refused$'
has 'for its key' "$out" 'Loading of module with unavailable key is rejected'
is 'so that none is loaded' "$(tail -n 1 <<<"$out")" 0
out=$(tests/vm/run -f -k 6.12 -a "$tmp" -- "cd $tmp; insmod signed.ko; echo \"signed \$?\"" 2>&1)
has 'one that does not, loads it' "$out" '^signed 0$'
[ "$not_ok" = 0 ] || echo "# ${out//$'\n'/$'\n# '}"
plan
