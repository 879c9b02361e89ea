# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the shell tests say: TAP, one row for each thing that must hold. Sourced,
# also in guests, by any POSIX shell.

count=0 not_ok=0

result() { # ok|"not ok" NAME
	count=$((count + 1))
	[ "$1" = ok ] || not_ok=$((not_ok + 1))
	echo "$1 $count - $2"
}

is() { # NAME GOT WANTED
	if [ "$2" = "$3" ]; then
		result ok "$1"
	else
		result "not ok" "$1: got '$(echo "$2" | head -c 600 | tr '\n' '|')', expected '$3'"
	fi
}

has() { # NAME TEXT PATTERN
	if echo "$2" | grep -qE -- "$3"; then
		result ok "$1"
	else
		result "not ok" "$1: no '$3' in: $(echo "$2" | tail -n 5 | tr '\n' '|')"
	fi
}

# What a program found, in rows of ok and not ok that have no numbers yet; others are remarks.
results() { # FILE
	while read -r line; do
		case $line in
		'ok - '*) result ok "${line#ok - }" ;;
		'not ok - '*) result "not ok" "${line#not ok - }" ;;
		*) echo "# ${line#\# }" ;;
		esac
	done <"$1"
}

# Counters of the ledger of a node, by name, from a report in JSON.
counters() { # NODE KEY... <REPORT
	node=$1
	shift
	awk -v RS='"name":"' -v node="$node\"" -v keys="$*" '
		index($0, node) == 1 && (at = index($0, "\"ledger\":{")) {
			text = substr($0, at + 10)
			sub(/}.*/, "", text)
			gsub(/"/, "", text)
			n = split(text, part, /[:,]/)
			for (i = 1; i < n; i += 2) value[part[i]] = part[i + 1]
		}
		END {
			n = split(keys, key, " ")
			for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? " " : ""), value[key[i]]
		}'
}

# The last row: how many there were. Its status tells whether all are ok, and is the script's.
plan() {
	echo "1..$count"
	[ "$not_ok" = 0 ]
}
