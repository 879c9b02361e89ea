#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# kmod.sh [KERNEL...]: instructions that one record and one traced call take,
# slots in the module against slots in the map, in guests whose clock counts
# instructions; and one call with the marker of examples/kernel_marker: compiled without,
# off, on. Medians of interleaved repetitions. Called by `make bench-kmod`.

set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- 6.12 7
repetitions=7 calls=20000
bench=$PWD/.output/tests/bench/kmod program=$PWD/.output/kstats-bpf
calls_program=$PWD/.output/tests/bench/calls

# Runs in the guest; a row is: what, backend, instructions for each call.
guest() { # KMOD TARGET MARKER WITHOUT
	cat <<-EOT
	insmod $1 && insmod $2 || exit 1
	for i in \$(seq $repetitions); do
		echo bare x \$($bench bare x $calls)
		for backend in map kmod; do
			for what in around record; do
				echo \$what \$backend \$($bench \$backend \$what $calls)
			done
			for how in by-task per-cpu; do
				option=; [ \$how = by-task ] || option='--key cpu'
				echo \$how \$backend \$($program trace -q --backend \$backend \$option \
					-b 3 kt_empty -a -o /tmp/report -- $bench bare x $calls)
			done
		done
	done
	marker() { echo marker \$1 \$($calls_program none marker 40000 1); }
	for i in \$(seq $repetitions); do
		insmod $4 && marker without && rmmod kernel_marker || exit 1
		insmod $3 && marker off && echo Y >/sys/module/kernel_marker/parameters/measure &&
			marker on && rmmod kernel_marker || exit 1
	done
	EOT
}

table() { # KERNEL < rows
	sort -k1,2 -k3n | awk -v kernel="$1" -v n=$repetitions '
	function show(what, m, k) {
		printf "%-6s %-34s %8.1f %8.1f %8.2f\n", kernel, what, m, k, k / m
	}
	{ v[$1, $2, ++seen[$1, $2]] = $3 }
	function median(what, backend) {
		if (seen[what, backend] != n) {
			print "bench: no figures for " what " " backend > "/dev/stderr"
			exit bad = 1
		}
		return v[what, backend, (n + 1) / 2]
	}
	END {
		if (bad) exit 1
		bare = median("bare", "x")
		show("one record", median("record", "map") - median("around", "map"),
		     median("record", "kmod") - median("around", "kmod"))
		show("a traced call more, --key cpu", median("per-cpu", "map") - bare,
		     median("per-cpu", "kmod") - bare)
		show("a traced call more, by task", median("by-task", "map") - bare,
		     median("by-task", "kmod") - bare)
		printf "%-6s %-34s %8s %8.1f\n", kernel, "a marker of a module, off", "-",
		       median("marker", "off") - median("marker", "without")
		printf "%-6s %-34s %8s %8.1f\n", kernel, "a marker of a module, on", "-",
		       median("marker", "on") - median("marker", "without")
	}'
}

printf '%-6s %-34s %8s %8s %8s\n' kernel 'instructions' map kmod ratio
for kernel; do
	ko=$(tests/vm/build-kmod "$kernel" kmod)
	target=$(tests/vm/build-kmod "$kernel")
	marker=$(tests/vm/build-kmod "$kernel" examples/kernel_marker)
	without=$(tests/vm/build-kmod "$kernel" examples/kernel_marker MARKERS=0)
	tests/vm/run -k "$kernel" -i -e -c 1 -t 600 -a "$ko" -a "$target" -a "$marker" -a "$without" \
		-a "$bench" -a "$calls_program" -a "$program" -- \
		"$(guest "$ko" "$target" "$marker" "$without")" | table "$kernel"
done
