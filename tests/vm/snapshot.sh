# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154
# A guest takes some seconds of a processor to boot, and then waits for its files (see init). Its
# state at that moment is kept beside the kernel, once the same kernel, machine and command line
# are asked for a second time; from then on guests begin there. Sourced by run, which sets image,
# base, work, emulator and machine; state is the file of the state.

# What must be the same, as the name of a file.
snapshot_name() {
	{
		printf '%s\n' "$base" "${machine[@]}" "$image"
		stat -Lc '%n %Y %s' "$emulator" "$vmlinux"
	} | sha256sum | cut -c 1-16
}

# The port for the files is never at its end: the guest waits.
snapshot_boot() {
	mkfifo "$work"/{monitor,files}.{in,out} || return 1
	emulate -initrd "$base" -chardev "pipe,id=monitor,path=$work/monitor" \
		-mon chardev=monitor,mode=readline \
		-chardev "pipe,id=files,path=$work/files" -device virtserialport,nr=4,chardev=files
	cat "$work/monitor.out" >"$work/monitor" &
	readers+=($!)
	exec 7<>"$work/monitor.in"
	until grep -qs waiting "$work/control"; do
		kill -0 "$guest" 2>/dev/null || return 1
		sleep 0.1
	done
	printf '%s\n' "migrate \"exec:cat >'$1'\"" quit >&7
	wait "$guest"
}

# Keeps a state, or the reason why there is none, so that nobody tries again.
snapshot_make() {
	local new
	new=$(mktemp "$image/.state.XXXXXX") || return 1
	if snapshot_boot "$new" && [ -s "$new" ] && ! console_text | grep -qE "$splat"; then
		mv "$new" "$state"
	else
		rm -f "$new"
		[ -z "$guest" ] || kill "$guest" 2>/dev/null
		{ cat "$work/qemu" "$work/monitor"; console_text | tail -n 3; } >"$state.none" 2>/dev/null
		say "no snapshot of this guest can be made (see $state.none): it boots"
	fi
	exec 7>&-
	guest=''
	rm -f "$work"/{monitor,files}.{in,out} "$work/monitor"
	for port in stdout stderr control console; do : >"$work/$port"; done
}

# Is there a state to begin from? It is made by the second one who asks; others wait for it.
snapshot_ready() {
	state=$image/state-$(snapshot_name)
	find "$image" -maxdepth 1 \( -name 'state-*' -o -name '.state.*' \) -mtime +1 -delete 2>/dev/null
	[ ! -e "$state.none" ] || return 1
	if [ ! -e "$state" ] && [ -e "$state.asked" ]; then
		exec 8>"$state.lock"
		flock 8
		[ -e "$state" ] || [ -e "$state.none" ] || snapshot_make
		exec 8>&-
	fi
	touch "$state.asked"
	[ -e "$state" ] && touch "$state"
}

# The state was not taken: the emulator ended before the guest said anything.
snapshot_refused() {
	[ ! -s "$work/control" ] && grep -q 'load of migration failed\|migration' "$work/qemu"
}
