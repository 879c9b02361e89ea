# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Stages add up, and each of them is of the calls that passed its point, and no shorter than what the
# module knows. Runs inside a guest, as root. Comes in: KO, the module kstats_target, AT, a
# folder with null_blk, CALLS, METHODS, those to be tried, and WHOLE, if nothing is left out. Prints TAP.
# Called by via-run, see sections.

[ -d /.vm ] || exit 1 # a guest
dir=/sys/kernel/debug/kstats_target
# shellcheck source=tests/tap.sh
. "$TAP"
insmod "$KO"
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

# "start 1009", a line for each distribution, that the stages and the durations have one sum, and what
# the ledger says. Times above 16 ms are summed without their lowest bits.
trace() { # OPTION... -- COMMAND
	kstats-bpf trace -q -n P -f csv -o "$tmp/csv" --record "$tmp/r" "$@" 2>"$tmp/err"
	cat "$tmp/err"
	awk '{ name = $0; sub(/^[0-9]*,"/, "", name); sub(/",[a-z]+,.*/, "", name)
			gsub(/"[^"]*"/, "-"); n = split($0, f, ",") }
		n > 9 && f[5] == "all" {
			if (!(name in k))
				names[++m] = name
			k[name] += f[9]
			sum[f[3]] += f[10]
			rounded += f[8] >= 16777216
		}
		END {
			for (i = 1; i <= m; i++)
				printf "%s %d, ", names[i], k[names[i]]
			apart = sum["stage"] - sum["duration"]
			if (apart < 0)
				apart = -apart
			if (apart > (rounded ? sum["duration"] / 500000 : 0))
				printf "the stages are %.0f and not %.0f", sum["stage"], sum["duration"]
			else
				printf "they add up"
		}' "$tmp/csv"
	kstats-bpf report "$tmp/r" -f json | sed -n 's/.*"balance":\([-0-9]*\).*/, balance \1/p' | head -n 1
}

# The least and the largest time of a distribution: bounds.
least() { # NAME
	kstats-bpf report "$tmp/r" -f csv | awk -F, -v n="\"$1\"" '$2 == n && $5 == "all" && $9 { print $7; exit }'
}

right() { # NAME LEAST: whether the shortest sample is no shorter
	[ "$(least "$1")" -ge "$2" ] && echo right || echo "$1: $(least "$1") and not $2"
}

# Nine of ten: a task may lose its processor before it comes to the first point.
most() { # NAME LEAST
	kstats-bpf report "$tmp/r" -f csv | awk -F, -v n="\"$1\"" -v least="$2" '
		$2 == n && $5 == "all" { all += $9; if ($7 + 0 >= least + 0) long += $9 }
		END { print(long >= 0.9 * all ? "right" : n " " long " of " all) }'
}

# ---- by each method ----

for method in $METHODS; do
	is "$method: a call passes two functions" \
		"$(trace -m "$method" kt_step --via kt_start,kt_end -- sh -c "echo $CALLS 200000 >$dir/step")" \
		"P $CALLS, P:to-kt_start $CALLS, P:to-kt_end $CALLS, P:to-return $CALLS, they add up, balance 0"
	is "$method: what it does between them is in that stage" "$(most P:to-kt_end 120000)" right
	is "$method: a function on its own way" \
		"$(trace -m "$method" kt_recurse --via kt_recurse -- sh -c "echo 97 3 0 >$dir/recurse")" \
		'P 291, P:to-kt_recurse 194, P:to-return 291, they add up, balance 0'
	# The rest is the same by each method.
	[ "$WHOLE" ] || [ "$method" = fentry ] || continue
	is "$method: a point that is not passed" \
		"$(trace -m "$method" kt_step --via kt_start,kt_busy,kt_end -- sh -c "echo 101 3000 >$dir/step")" \
		"P 101, P:to-kt_start 101, P:to-kt_busy 0, P:to-kt_end 101, P:to-return 101, they add up, balance 0"
	is "$method: points in another order" \
		"$(trace -m "$method" kt_step --via kt_end,kt_start -- sh -c "echo 101 3000 >$dir/step")" \
		"P 101, P:to-kt_end 101, P:to-kt_start 0, P:to-return 101, they add up, balance 0"
	is "$method: of a point that is passed three times, the last time counts" \
		"$(trace -m "$method" op_busy --via kt_busy -- sh -c "echo 3 500000 >$dir/busy")" \
		'P 1, P:to-kt_busy 1, P:to-return 1, P:again 1, they add up, balance 0'
	is "$method: so it is after two of them" "$(right P:to-kt_busy 950000)" right
	trace -m "$method" op_busy --first --via kt_busy -- sh -c "echo 3 500000 >$dir/busy" >/dev/null
	is "$method: with --first, three of them are after it" "$(right P:to-return 1400000)" right
done

# ---- pairs, conditions and values ---- [6.12]

is 'pairs by key on two processors' \
	"$(trace -a --start tp:kt_tp_start --end tp:kt_tp_end --key id --via 'kt_start[(long)req],kt_end[(long)req]' -- sh -c "echo step $CALLS 200000 >$dir/par")" \
	"P $((2 * CALLS)), P:to-kt_start $((2 * CALLS)), P:to-kt_end $((2 * CALLS)), P:to-kt_tp_end $((2 * CALLS)), they add up, balance 0"
is 'and what is between the points' "$(most P:to-kt_end 120000)" right
is 'a condition of a point' \
	"$(trace kt_step --via 'kt_busy,kt_end if req == 0' -- sh -c "echo 101 3000 >$dir/step")" \
	'P 101, P:to-kt_busy 0, P:to-kt_end 0, P:to-return 101, they add up, balance 0'
is 'only some calls, with a value of the start' \
	"$(trace kt_step --if 'odd == 1' --by 'start.ns' --via kt_end -- sh -c "echo 101 3000 >$dir/step" |
		sed -E 's/ [0-9]+/ N/g')" \
	'P N, P:to-kt_end N, P:to-return N, P:again N, P:unverified N, P{ns=""3000""} N, they add up, balance N'
# ---- tasks that move ---- [6.1]

is 'tasks that move' \
	"$(trace op_migrate --via kt_migrate -- sh -c "for i in 1 2 3 4 5; do echo 7 30000 >$dir/migrate; done")" \
	'P 5, P:to-kt_migrate 5, P:to-return 5, P:again 5, they add up, balance 0'
has 'the summary tells them' "$(kstats-bpf report "$tmp/r" | tr '\n' ' ')" 'to kt_migrate.* 5 calls passed a point again: the last time counts'

# ---- requests of a disk ---- [6.1]

# Of two that read at a time, one waits in the queue while the device serves the other, for 20 ms.
insmod "$AT/configfs.ko" 2>/dev/null
insmod "$AT/null_blk.ko" nr_devices=1 irqmode=2 completion_nsec=20000000 hw_queue_depth=1 queue_mode=2 submit_queues=1
echo mq-deadline >/sys/block/nullb0/queue/scheduler
# shellcheck disable=SC2016 # another shell expands it
is 'requests in their queue and in the device' \
	"$(trace -a --start tp:block_rq_insert --end tp:block_rq_complete --key rq --via tp:block_rq_issue -- \
		sh -c 'for at in 0 1000; do
			dd if=/dev/nullb0 of=/dev/null iflag=direct bs=4k count=29 skip=$at status=none &
		done; wait')" \
	'P 58, P:to-block_rq_issue 58, P:to-block_rq_complete 58, they add up, balance 0'
is 'the device takes 20 ms' "$(right P:to-block_rq_complete 19000000)" right
rmmod null_blk

# ---- the end ----
plan
