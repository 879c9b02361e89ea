#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The units for systemd: they are understood, and confined. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
make -s install DESTDIR="$tmp" PREFIX=/usr >/dev/null || exit 1
units=$tmp/usr/lib/systemd/system
is 'five are installed' "$(cd "$units" && echo *) " "kstats-bpf-export.service kstats-bpf-export.timer \
kstats-bpf-serve.service kstats-bpf-serve.socket kstats-bpf.service "
for unit in kstats-bpf.service kstats-bpf-export.service kstats-bpf-serve.service; do
	has "$unit runs what is installed" "$(cat "$units/$unit")" 'ExecStart=/usr/sbin/kstats-bpf '
	# With a /dev of its own it would not find the module's device.
	is "$unit may use the kernel module" "$(grep -E '^(DeviceAllow|PrivateDevices)=' "$units/$unit")" \
		'DeviceAllow=/dev/kstats rw'
	# It tries what it can do without, such as to mount tracefs.
	is "$unit is not killed for a call that it may not make" \
		"$(grep '^SystemCallErrorNumber=' "$units/$unit")" 'SystemCallErrorNumber=EPERM'
	said=$(systemd-analyze security --offline=true --no-pager --threshold=25 "$units/$unit" 2>&1)
	is "$unit: exposure at most 2.5" $? 0
	echo "# $(tail -n 1 <<<"$said")"
done
# What it runs is not installed here, nor its manual.
for unit in "$units"/*; do
	is "${unit##*/} is understood" "$(systemd-analyze verify "$unit" 2>&1 |
		grep -vE 'is not executable|Command .man |Unit .* not found' | grep -F kstats-bpf)" ''
done
plan
