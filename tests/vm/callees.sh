# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The time of a call in its callees: each has the calls and no less than the time that the module
# knows, and all of them and the call itself add up. Runs inside a guest, as root. Comes in: KO, the
# module kstats_target, CALLS, METHODS, those to be tried, and WHOLE, if nothing is left out. Prints TAP.
# Called by callees-run.

[ -d /.vm ] || exit 1 # a guest
dir=/sys/kernel/debug/kstats_target
# shellcheck source=tests/tap.sh
. "$TAP"
insmod "$KO"
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

# "P 211, P:self 211, ...", whether self and callees are the durations, and the ledger.
trace() { # OPTION... -- COMMAND
	echo 1 >$dir/truth
	kstats-bpf trace -q -n P -f csv -o "$tmp/csv" --record "$tmp/r" "$@" 2>"$tmp/err"
	cat "$tmp/err"
	awk '{ name = $0; sub(/^[0-9]*,"/, "", name); sub(/",[a-z]+,.*/, "", name)
			gsub(/"[^"]*"/, "-"); n = split($0, f, ",") }
		n > 9 && f[5] == "all" && f[3] ~ /^(duration|self|callee|undivided)$/ {
			if (!(name in k))
				names[++m] = name
			k[name] += f[9]
			sum[f[3]] += f[10]
			rounded += f[8] >= 16777216
		}
		END {
			for (i = 1; i <= m; i++)
				if (k[names[i]])
					printf "%s %d, ", names[i], k[names[i]]
			apart = sum["self"] + sum["callee"] + sum["undivided"] - sum["duration"]
			if (apart < 0)
				apart = -apart
			if (apart > (rounded ? sum["duration"] / 500000 : 0))
				printf "%.0f ns apart", apart
			else
				printf "they add up"
		}' "$tmp/csv"
	kstats-bpf report "$tmp/r" -f json | sed -n 's/.*"balance":\([-0-9]*\).*/, balance \1/p' | head -n 1
}

# The sum of a distribution; above 16 ms a sample is known without its lowest bits.
sum() { # NAME
	awk -v n=",\"$1\"," '{ is = index($0, n); gsub(/"[^"]*"/, "-"); split($0, f, ",") }
		is && f[5] == "all" { sum += f[10] }
		END { printf "%.0f", sum }' "$tmp/csv"
}

least() { # NAME: its shortest sample
	awk -v n=",\"$1\"," '{ is = index($0, n); gsub(/"[^"]*"/, "-"); split($0, f, ",") }
		is && f[5] == "all" && f[9] && (!found++ || f[7] < least) { least = f[7] }
		END { printf "%.0f", least }' "$tmp/csv"
}

truth() { # FUNCTION: the sum of its times
	awk -v n="$1" '$1 == n { print $3 }' $dir/truth
}

# A callee has no less time than the module knows. As all of them add up, none has much more.
right() { # NAME TRUTH
	[ "$(sum "$1")" -ge $(($2 - $2 / 500000)) ] && echo right || echo "$1: $(sum "$1") and not $2"
}

# ---- by each method ----

for method in $METHODS; do
	is "$method: those that are found" \
		"$(trace -m "$method" kt_caller --callees -- sh -c "echo $CALLS 30000 0 >$dir/callees")" \
		"P $CALLS, P:self $CALLS, P:in-kt_callee_once $CALLS, P:in-kt_callee_often $CALLS, P:in-kt_callee_sleep $CALLS, P:in-kt_callee_deep $CALLS, P:in-kt_callee_static $CALLS, P:in-kt_callee_inner $CALLS, P:in-kt_callee_last $CALLS, they add up, balance 0"
	for callee in once often sleep deep static last; do
		is "$method: the time in kt_callee_$callee" "$(right "P:in-kt_callee_$callee" "$(truth kt_callee_$callee)")" right
	done
	is "$method: what another callee calls is not counted twice" \
		"$(right P:in-kt_callee_inner $((CALLS * 30000))), $(($(least P:in-kt_callee_inner) < 55000))" 'right, 1'
	has "$method: those that are not traced are named" "$(kstats-bpf report "$tmp/r" | tr -s ' \n' ' ')" \
		'Not traced, and so counted as self: (kt_callee_hidden, calls of itself|calls of itself, kt_callee_hidden), (an )?indirect call'
	is "$method: they are part of the call itself" \
		"$(right P:self $(($(truth kt_callee_hidden) + $(truth kt_callee_pointed))))" right
	# Those that are nested deeper do so, too.
	[ "$WHOLE" ] || [ "$method" = fentry ] || continue
	is "$method: a call inside a call has callees of its own" \
		"$(trace -m "$method" kt_caller --callees=kt_callee_often,kt_callee_inner -- sh -c "echo 53 3000 2 >$dir/callees")" \
		'P 159, P:self 159, P:in-kt_callee_often 159, P:in-kt_callee_inner 159, they add up, balance 0'
done

# ---- those that are named ---- [6.12]

is 'those that are named, one with its module' \
	"$(trace kt_caller --callees=kt_callee_pointed,kstats_target:kt_callee_inner -- sh -c "echo 101 3000 0 >$dir/callees")" \
	'P 101, P:self 101, P:in-kt_callee_pointed 101, P:in-kt_callee_inner 101, they add up, balance 0'
is 'a call within is one of its callees' "$(right P:in-kt_callee_inner "$(truth kt_callee_inner)")" right
is 'calls of callees outside of the target do not count' \
	"$(trace kt_step --callees=kt_start,kt_callee_inner -- sh -c "echo 101 3000 >$dir/step; echo 7 3000 0 >$dir/callees")" \
	'P 101, P:self 101, P:in-kt_start 101, they add up, balance 0'

# ---- nested and preempted ---- [7]

for method in $METHODS; do
	is "$method: nested deeper than is kept" \
		"$(trace -m "$method" kt_caller --callees=kt_callee_inner -- sh -c "echo 11 1000 6 >$dir/callees" | sed 's/P:in-[^,]*, //g')" \
		'P 77, P:self 44, P:undivided 33, they add up, balance 0'
	has "$method: the summary tells of them" "$(kstats-bpf report "$tmp/r" | tr -s ' \n' ' ')" '33 calls are not divided'
	is "$method: on all processors, asleep and preempted" \
		"$(trace -m "$method" -a kt_caller --callees=kt_callee_once,kt_callee_sleep,kt_callee_inner -- sh -c "echo callees 53 30000 1 >$dir/par" | sed -E 's/P:in-[^,]*, //g; s/[0-9]+/N/g')" \
		'P N, P:self N, they add up, balance N'
done

# ---- others ---- [6.12]

# A library of its name that is none.
capstone=$(find / -xdev -name 'libcapstone.so.[0-9]*' | head -n 1)
mkdir /tmp/lib && : >"/tmp/lib/${capstone##*/}"
is 'without the library that decodes' \
	"$(LD_LIBRARY_PATH=/tmp/lib kstats-bpf trace kt_caller --callees -d 1 2>&1)" \
	"kstats-bpf: cannot find what 'kt_caller' calls: ${capstone##*/}, which decodes instructions, cannot be loaded; install the library capstone, or name callees: --callees=NAME"
is 'of a function that calls nothing' "$(kstats-bpf trace kt_empty --callees -d 1 2>&1)" \
	"kstats-bpf: cannot divide the time of 'kt_empty': it calls no other function directly; leave out --callees"
refused='the kernel.s verifier says: The function kt_callee_wide has 13 arguments'
has 'no callee can be traced' "$( (kstats-bpf trace kt_caller_wide --callees -d 1 2>&1; echo "exit $?") | tr '\n' ' ')" \
	"^kstats-bpf: cannot trace any callee of 'kt_caller_wide', for example 'kt_callee_wide': $refused.*exit 4"
has 'one that was named cannot be traced' \
	"$( (kstats-bpf trace kt_caller --callees=kt_callee_often,kstats_target:kt_callee_wide -d 1 2>&1; echo "exit $?") | tr '\n' ' ')" \
	"^kstats-bpf: cannot trace the callee 'kt_callee_wide': $refused.*leave it out.*exit 4"
has 'a module without such a function' "$(kstats-bpf trace kt_caller --callees=kstats_target:vfs_read -d 1 2>&1)" \
	"cannot trace 'kstats_target:vfs_read': the module has no function of that name"
plan=$(kstats-bpf trace kt_caller --callees --dry-run | tr -s ' \n' ' ')
has 'the plan has those that are traced' "$plan" 'callees, traced: 7 kstats_target:kt_callee_once kstats_target:kt_callee_often .* kstats_target:kt_callee_last callees, not traced:'
has 'and why others are not, in counts' "$plan" '1, as the kernel marks it as not to be traced [(]notrace[)]'
# shellcheck disable=SC2016 # another shell expands it
is 'of many calls' \
	"$(trace vfs_read --callees=rw_verify_area -- sh -c 'i=0; while [ $i -lt 100 ]; do i=$((i + 1)); read -r x </proc/self/stat; done' | sed -E 's/P[^,]*, //g')" \
	'they add up, balance 0'

# ---- the end ----

plan
