# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Kills commands at any moment of their run. Sourced in guests, by scripts that define
# run NUMBER, which executes one of six commands by NUMBER % 6, and
# check NUMBER, which fails if what the kill left is wrong. KILLS says how many.

now() { # in units of 10 ms
	read -r up _ </proc/uptime
	echo "${up%.*}${up#*.}"
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
