#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# robust.sh in guests. KILLS (default 100) are all made on 6.12, a fifth of them
# on the others. TAP; KERNELS="7" chooses kernels.

set -u
cd "$(dirname "$0")/../.." || exit 1
count=0
for kernel in ${KERNELS:-6.12 6.1 7}; do
	kills=${KILLS:-100}
	[ "$kernel" = 6.12 ] || kills=$((kills / 5))
	ko=$(tests/vm/build-kmod "$kernel") || exit 1
	out=$(tests/vm/run -k "$kernel" -t 900 -a "$ko" -a "$(command -v bpftool || echo /usr/sbin/bpftool)" \
		-a tests/vm/robust.sh -- \
		"insmod $ko && KILLS=$kills sh $PWD/tests/vm/robust.sh" 2>&1)
	status=$?
	while IFS= read -r line; do
		case $line in
		'ok '* | 'not ok '*)
			count=$((count + 1))
			echo "${line%%ok *}ok $count - $kernel: ${line#*- }"
			;;
		1..*) ;;
		*) echo "# $line" ;;
		esac
	done <<<"$out"
	count=$((count + 1))
	[ $status = 0 ] || printf 'not '
	echo "ok $count - $kernel: the guest ends well ($status)"
done
echo "1..$count"
