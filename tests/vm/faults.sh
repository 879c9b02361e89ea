# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Each allocation of the module fails once, in a guest whose kernel checks itself. Comes in: KMOD,
# FAULTS. Prints TAP. Called by faults-run, outside.

# shellcheck source=tests/tap.sh
. "$TAP"
debug=/sys/kernel/debug

# Wherever modules may be: no other is loaded.
for kind in failslab fail_page_alloc; do
	echo 0xffffffffa0000000 >$debug/$kind/require-start
	echo 0xffffffffff000000 >$debug/$kind/require-end
	echo 32 >$debug/$kind/stacktrace-depth
	echo N >$debug/$kind/ignore-gfp-wait
	echo 0 >$debug/$kind/verbose
done
echo N >$debug/fail_page_alloc/ignore-gfp-highmem
echo 0 >$debug/fail_page_alloc/min-order

"$FAULTS" "$KMOD" >/tmp/faults 2>&1
status=$?
results /tmp/faults
is 'the tool ends well' $status 0
has 'why it is not loaded is told' "$(dmesg)" 'kstats: (no memory for its files in debugfs|cannot (see tasks that end|make /dev/kstats)).*not loaded'
plan
