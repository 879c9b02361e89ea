# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The parts of durations add up, and each of them is what parts.c knows of it. Runs as root, in a
# guest or on this machine; prints TAP. Needs kstats-bpf in PATH; PROGRAM is parts.c, METHODS those
# to be tried, CASES of parts.c with the number of runs and of calls in these. Called by parts-run.

# UNSPLIT is how many percent of the calls may have no parts, since a task is preempted inside the
# programs.
# shellcheck source=tests/tap.sh
. "$TAP"
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

# Sums and numbers of samples by kind: "running 4 1234", and "rounded" if slots of times above 16 ms
# are in use, which are summed without their lowest bits. What is in quotes may hold commas.
sums() { # FILE
	awk '{ gsub(/"[^"]*"/, "-"); n = split($0, f, ","); if (n > 9 && f[5] == "all") { k[f[3]] += f[9]; s[f[3]] += f[10]
			if (f[8] >= 16777216) s["rounded"] = k["rounded"] = 1 } }
		END { for (i in k) printf "%s %d %.0f\n", i, k[i], s[i] }' "$1"
}

# Each line of the truth, "PART LEAST MOST", and that parts add up and have a sample of each call.
judge() { # SUMS TRUTH CALLS
	awk -v calls="$3" -v may="$UNSPLIT" '
		FNR == NR { n[$1] = $2; s[$1] = $3; next }
		$1 != "unsplit" && (s[$1] + s["unsplit"] < $2 || s[$1] + 0 > $3) { printf "%s is %d and not %d to %d; ", $1, s[$1], $2, $3 }
		END {
			sum = s["running"] + s["runnable"] + s["sleeping"] + s["blocked"]
			apart = sum + s["unsplit"] - s["duration"]
			if (apart < 0)
				apart = -apart
			if (apart > (s["rounded"] ? s["duration"] / 500000 : 0))
				printf "the parts are %.0f and not %.0f; ", sum, s["duration"]
			known = calls - n["unsplit"]
			if (n["duration"] != calls || n["running"] != known || n["runnable"] != known ||
			    n["sleeping"] != known || n["blocked"] != known || n["interrupted"] != known)
				printf "%d, %d, %d, %d, %d, %d samples and not %d; ", n["duration"], n["running"],
					n["runnable"], n["sleeping"], n["blocked"], n["interrupted"], calls
			if (s["interrupted"] > s["running"])
				printf "interrupted %d of %d; ", s["interrupted"], s["running"]
			if (n["left"] > calls || n["unsplit"] > calls * may / 100)
				printf "%d left, %d without parts; ", n["left"], n["unsplit"]
			printf "judged"
		}' "$1" "$2"
}

# Where a machine below this one takes its processors away, the clocks that are the truth differ
# among themselves by more than is allowed for. So three times; a wrong part is wrong each time.
measure() { # METHOD CASE RUNS CALLS
	for try in 1 2 3; do
		kstats-bpf trace --parts -q -m "$1" -f csv -o "$tmp/csv" "u:$PROGRAM:call" -- \
			"$PROGRAM" "$2" "$3" >"$tmp/truth" 2>"$tmp/err"
		sums "$tmp/csv" >"$tmp/sums"
		judged="$(judge "$tmp/sums" "$tmp/truth" "$4") $(cat "$tmp/err")"
		[ "$judged" = 'judged ' ] && break
		echo "# $1: $2, try $try: $judged"
	done
	is "$1: $2, $4 calls" "$judged" 'judged '
}

for method in $METHODS; do
	for case in $CASES; do
		runs=${case#*:}
		measure "$method" "${case%%:*}" "${runs%:*}" "${runs#*:}"
	done
done

# A call that was open when the measurement began has no parts, and hinders no other call.
"$PROGRAM" sleeps 30000 >/dev/null &
pid=$!
kstats-bpf trace --parts -q -d 2 -p "$pid" -f csv -o "$tmp/csv" "u:$PROGRAM:call" 2>"$tmp/err"
kill "$pid"
sums "$tmp/csv" >"$tmp/sums"
n=$(awk '$1 == "duration" { print $2 }' "$tmp/sums")
has 'calls are measured in a process that runs already' "$n" '^[1-9]'
awk '{ print $1, $3, $3 }' "$tmp/sums" >"$tmp/truth"
is 'and their parts add up' "$(judge "$tmp/sums" "$tmp/truth" "$n") $(cat "$tmp/err")" 'judged '

# Functions of the kernel, by the methods that keep a start in different ways.
for method in ${KERNEL_METHODS-}; do
	kstats-bpf trace --parts -q -m "$method" -f csv -o "$tmp/csv" hrtimer_nanosleep -- \
		"$PROGRAM" sleeps 23 >/dev/null 2>"$tmp/err"
	sums "$tmp/csv" >"$tmp/sums"
	n=$(awk '$1 == "duration" { print $2 }' "$tmp/sums")
	s=$(awk '$1 == "sleeping" { print ($3 >= 46000000) }' "$tmp/sums")
	awk '{ print $1, $3, $3 }' "$tmp/sums" >"$tmp/truth"
	is "hrtimer_nanosleep by $method" "$n $s $(judge "$tmp/sums" "$tmp/truth" "$n") $(cat "$tmp/err")" '23 1 judged '
done
plan
