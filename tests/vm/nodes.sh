# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What scripts about nodes share: where nodes are, what is read of them, and kills of commands
# at any moment of their run. Sourced in guests. TAP and OBJECTS are tap.sh and objects.sh. For
# kills, scripts set $victim, a node that stays, and $others, options of those that come and go;
# and define check NUMBER, which fails if what the kill left is wrong. KILLS says how many.

# shellcheck disable=SC2034 # the scripts use it
dir=/sys/kernel/debug/kstats_target root=/sys/fs/bpf/kstats
# shellcheck source=tests/tap.sh
. "$TAP"

# shellcheck source=tests/vm/objects.sh
. "$OBJECTS"

field() { # NODE KEY: of node ls
	kstats-bpf node ls --json | awk -v RS='{' -v node="\"name\":\"$1\"" -v key="\"$2\":" '
		index($0, node) && (at = index($0, key)) {
			value = substr($0, at + length(key))
			sub(/^"/, "", value)
			sub(/[,"}].*/, "", value)
			print value
		}'
}

# Prints what the ledger says in words, on one line.
ledger() {
	kstats-bpf node show "$1" | awk 'NF { $1 = $1; text = text $0 " " }
		END { if (at = index(text, "ledger")) print substr(text, at) }'
}

now() { # in units of 10 ms
	read -r up _ </proc/uptime
	echo "${up%.*}${up#*.}"
}

# shellcheck disable=SC2086,SC2154 # the scripts set them
run() { # NUMBER: what is killed
	case $(($1 % 6)) in
	0) exec kstats-bpf node add "k$1" kt_empty $others ;;
	1) exec kstats-bpf node reset "$victim" ;;
	2) exec kstats-bpf node show "$victim" ;;
	3) exec kstats-bpf node stop "$victim" ;;
	4) exec kstats-bpf node start "$victim" ;;
	5) exec kstats-bpf node rm "k$(($1 - 5))" ;;
	esac
}

# How long each command takes when it is not killed, so that kills come at every moment of it.
measure_runs() {
	i=0
	took=
	while [ $i -lt 6 ]; do
		begin=$(now)
		(run $i) >/dev/null 2>&1
		took="$took $(($(now) - begin))"
		i=$((i + 1))
	done
	echo "# they take$took times 10 ms"
}

kill_runs() { # in $bad: how often something was wrong
	i=0
	bad=0
	while [ $i -lt "$KILLS" ]; do
		run $i >/dev/null 2>&1 &
		pid=$!
		# shellcheck disable=SC2086
		set -- $took
		shift $((i % 6))
		usleep $(((i * 7919 % 97) * ($1 + 1) * 12000 / 97))
		kill -9 $pid 2>/dev/null
		wait $pid 2>/dev/null
		check $i || bad=$((bad + 1))
		i=$((i + 1))
	done
}
