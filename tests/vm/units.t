#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The units work under systemd, with every restriction that they ask for; see
# units.sh. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
stage=$(mktemp -d) || exit 1
trap 'rm -rf "$stage"' EXIT
make -s install DESTDIR="$stage" PREFIX=/usr >/dev/null || exit 1
rm -rf "${stage:?}/usr/share"
add=()
for unit in basic exit local-fs local-fs-pre multi-user paths shutdown slices sockets swap \
	sysinit time-set time-sync timers umount; do
	add+=(-a "/lib/systemd/system/$unit.target")
done
tests/vm/run -f -k 6.12 -a "$stage" -a /lib/systemd/systemd -a /bin/systemctl "${add[@]}" \
	-a tests/vm/units.sh -a tests/tap.sh -- \
	"STAGE=$stage TAP=$PWD/tests/tap.sh sh $PWD/tests/vm/units.sh"
