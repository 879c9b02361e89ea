# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Runs commands of the pages in docs/; see pages.py, which writes a line behind this for each.

# What a command prints, between two lines of ours. LOAD is a shell's words, and runs meanwhile.
once() { # NUMBER COMMAND LOAD
	beside=
	if [ "$3" ]; then
		setsid sh -c "$3" >/dev/null 2>&1 </dev/null &
		beside=$!
	fi
	export beside
	echo "@page $1"
	sh -c "$2" 2>&1 </dev/null
	status=$?
	echo # behind a line without an end
	echo "@status $status"
	[ -z "$beside" ] || kill -- "-$beside" 2>/dev/null
}

# ANSWERS, a pipe, tells whether the command is to be run again; see pages.py.
[ -z "${ANSWERS-}" ] || exec 5<"$ANSWERS"
page() { # NUMBER COMMAND LOAD
	answer=again
	while [ "$answer" = again ]; do
		once "$@"
		answer=
		[ -z "${ANSWERS-}" ] || read -r answer <&5
	done
}
