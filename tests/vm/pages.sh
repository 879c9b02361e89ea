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

# RIGHT, a command, tells whether what is printed is right. A starved machine may make it another,
# so three times there; what is wrong is wrong each time.
page() { # NUMBER COMMAND LOAD
	if [ -z "${RIGHT-}" ]; then
		once "$@"
		return
	fi
	for try in 1 2 3; do
		said=$(once "$@")
		echo "$said" | $RIGHT "$1" && break
		echo "# try $try of $2 differs"
	done
	echo "$said"
}
