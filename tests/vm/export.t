#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs `node export` twice in a guest, with load in between. A node exporter and a
# Prometheus then read the output here; see nodes.py. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/view/lib.sh
. tests/view/lib.sh
prometheus=$(package prometheus) && exporter=$(package prometheus-node-exporter) || exit 1
ko=$(tests/vm/build-kmod 6.12) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
tests/vm/run -f -k 6.12 -a "$ko" -- "insmod $ko; mount -t bpf bpf /sys/fs/bpf
	busy() { echo \$1 \$2 >/sys/kernel/debug/kstats_target/busy; }
	kstats-bpf node add busy kt_busy && kstats-bpf node add idle kt_empty && busy 1009 10000
	for i in 1 2; do
		kstats-bpf node stop --all
		kstats-bpf node export | sed \"s/^/prom-\$i /\"
		kstats-bpf node show busy -f json | sed \"s/^/json-\$i /\"
		kstats-bpf node start --all
		busy 503 20000
		busy 1511 40000
	done" >"$tmp/out" || exit 1
for i in 1 2; do
	sed -n "s/^prom-$i //p" "$tmp/out" >"$tmp/$i.prom"
	sed -n "s/^json-$i //p" "$tmp/out" >"$tmp/$i.json"
done
exec /usr/bin/python3 tests/view/nodes.py "$prometheus/usr/bin/" "$exporter/usr/bin/" "$tmp"
