#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The packages of the .spec: made, looked through by rpmlint, unpacked, and run here and in a guest. No
# distribution of rpm packages is at hand, so that nothing is installed. RPMS=FOLDER takes packages
# that are there. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
version=$(make -s version)

if [ -z "${RPMS-}" ]; then
	packaging/rpm "$version" "$tmp/rpms" >"$tmp/log" 2>&1
	is 'the packages are made, and rpmlint finds nothing' \
		"$? $(grep -oE '[0-9]+ errors, [0-9]+ warnings' "$tmp/log")" '0 0 errors, 0 warnings'
	RPMS=$tmp/rpms
fi
mkdir "$tmp/root"
for rpm in "$RPMS"/*.rpm; do
	rpm2cpio "$rpm" | (cd "$tmp/root" && cpio -idm --quiet)
done
is 'the program is in one, the headers are in the other' \
	"$(rpm -qlp "$RPMS/kstats-bpf-$version"-*.rpm 2>/dev/null | grep -cE '/sbin/kstats-bpf$|/include/|man[39]/') \
$(rpm -qlp "$RPMS/kstats-bpf-devel-$version"-*.rpm 2>/dev/null | grep -cE '/sbin/|/include/.*kstats_user.h$|man[39]/.*')" '1 3'
is 'a unit starts that program' "$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' \
	"$tmp/root/usr/lib/systemd/system/kstats-bpf.service")" "$(rpm --eval '%{_sbindir}')/kstats-bpf"
is 'it measures' "$("$tmp/root/usr/sbin/kstats-bpf" trace -q --start tp:sys_enter --end tp:sys_exit \
	-f json -- true | jq -c '.nodes[0] | [.samples > 0, .ledger.balance]')" '[true,0]'
out=$(tests/vm/run -k 6.12 -a "$tmp/root" -- "$tmp/root/usr/sbin/kstats-bpf trace -q \
	--start tp:sys_enter --end tp:sys_exit -f json -- true" 2>/dev/null)
is 'and in a guest' "$(jq -c '.nodes[0] | [.samples > 0, .ledger.balance]' <<<"$out")" '[true,0]'

plan
