# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What BPF left in the kernel. Sourced in guests; needs bpftool.

# Counts programs, maps, links and pins. They go only after a grace period.
objects() {
	printf '%s\n' 'prog show' 'map show' 'link show' | bpftool -j batch file - |
		awk -v RS='"command":' 'NR > 1 { printf "%d ", gsub(/[{]"id":/, "") }'
	find /sys/fs/bpf -type f | wc -l
}

settled() { # WANTED: waits for the kernel, at most some minutes
	tries=0
	while [ "$(objects)" != "$1" ] && [ $tries -lt 1000 ]; do
		sleep 0.5
		tries=$((tries + 1))
	done
	objects
}
