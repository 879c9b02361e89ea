#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `serve` in a guest: without privileges it reads nodes of functions, with keys and gaps, of kprobes
# and of memory events, and says what `node export` says. On 6.1, where BPF asks for most. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck disable=SC2016
out=$(tests/vm/run -f -k 6.1 -- 'kstats-bpf node add reads vfs_read --by comm --gap
	kstats-bpf node add writes vfs_write -m kprobe
	kstats-bpf node add --kmem
	ip link set lo up
	kstats-bpf serve --listen 127.0.0.1:9937 & p=$!
	sleep 1
	kstats-bpf node stop --all
	for i in 1 2 3 4 5 6 7 8 9; do
		sleep 1
		wget -q -O /tmp/served http://127.0.0.1:9937/metrics && break
	done
	kstats-bpf node export -o /tmp/exported
	# The time that a node ran is counted on while it is read.
	for f in served exported; do grep -v ^kstats_measured_seconds /tmp/$f >/tmp/$f.same; done
	cmp /tmp/served.same /tmp/exported.same && echo same
	sed "s/^/served /" /tmp/served
	grep ^CapEff /proc/$p/status
	kill $p; wait $p; echo "ended $?"' 2>&1)
is 'the guest ran' $? 0
is 'it says what node export says' "$(grep -c '^same$' <<<"$out")" 1
count() { # LABELS: of the distribution
	sed -n "s/^served kstats_duration_seconds_count{\(.*\)} \(.*\)/\1 \2/p" <<<"$out" |
		awk -v labels="$1" 'index($0, labels) { n += $NF } END { print n + 0 }'
}
is 'kprobes count' "$(($(count 'node="writes"') > 0))" 1
is 'the keys together are the total' \
	"$(($(count 'kind="key"') + $(count 'kind="other"'))) $(($(count 'kind="key"') > 0))" \
	"$(count 'node="reads",function="vfs_read",backend="map",kind="duration"') 1"
is 'gaps are there' "$(($(count 'kind="gap"') > 0))" 1
has 'and memory events' "$out" '^served kstats_kmem_allocations\{'
has 'with names of call sites' "$out" '^served kstats_kmem_allocations\{.*name="[a-z_0-9.]+\+0x'
is 'by CAP_SYSLOG alone' "$(sed -n 's/^CapEff:[[:space:]]*//p' <<<"$out")" 0000000400000000
is 'and ends by SIGTERM' "$(grep -c '^ended 0$' <<<"$out")" 1
[ "$not_ok" = 0 ] || echo "# ${out//$'\n'/$'\n# '}" | head -60
plan
