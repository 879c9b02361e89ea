#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# expr.sh [KERNEL...]: instructions that a call takes while it is measured with --if, --by and
# --value, and while bpftrace answers the same question; in guests whose clock counts
# instructions. Interleaved repetitions; every count must be exact: 0 where the condition
# does not hold. What empty programs at the same points take is the least that either can.
# QUESTIONS=WORDS asks only those whose names contain them. Called by `make bench`.

set -eu
cd "$(dirname "$0")/../.."
# shellcheck source=tests/bench/lib.sh
. tests/bench/lib.sh
[ $# -gt 0 ] || set -- 6.12
repetitions=${REPETITIONS-3} questions=${QUESTIONS-} calls=40000
warm=$((calls / 10 + 1)) # calls that the program makes before it measures
calls_program=$PWD/.output/tests/bench/calls program=$PWD/.output/kstats-bpf
peers=$(tests/bench/peers)

# Runs in the guest; a row is: kernel, question, what, instructions for each call, calls counted,
# calls wanted. A question is asked of each tool in turn.
# shellcheck disable=SC2016
functions='
row() { printf "%s\t%s\t%s\t%s\t%s\t%s\n" "$kernel" "$question" "$@" "$wanted"; }
ask() { # QUESTION KIND EMPTY WANTED OPTION...
	question=$1 kind=$2 wanted=$4
	case $question in *"$only"*) ;; *) return 1 ;; esac
	row nothing "$($calls_program none $kind $calls 1)" -
	row empty "$($calls_program $3 $kind $calls 1)" -
	shift 4
	value=$($program trace -q -b 3 -a --backend map -f json -o /tmp/own "$@" -- \
		$calls_program none $kind $calls 1)
	row own "$value" "$(tr , "\n" < /tmp/own | sed -n "s/.*\"recorded\": *//p" |
		awk "{ n += \$1 } END { print n + 0 }")"
}
peer() { # SCRIPT
	value=$($peers/bpftrace -q -o /tmp/peer -e "$1" -c "$calls_program none $kind $calls 1")
	row peer "$value" "$(awk "sub(/^\\[[^])]*[])]/, \"\") { n += \$1 } /^@.*: [0-9]+\$/ { n += \$NF }
		END { print n + 0 }" /tmp/peer)"
}
# Durations: what is asked at the entry, and the key of the distribution.
durations() { # FILTER KEY
	peer "$entry:$f $1 { @start[tid] = nsecs; }
		$return:$f /@start[tid]/ { @ns$2 = hist(nsecs - @start[tid], 3); delete(@start[tid]); }
		END { clear(@start); }"
}
entry=fentry return=fexit'

# shellcheck disable=SC2016
questions_asked='
f=kstats_target:kt_empty
own="-m fentry kt_empty"
ask "durations" function empty $all $own && durations
ask "durations, --if that holds" function empty $all $own --if "arg < 1000G" &&
	durations "/args.arg < 1000000000000/"
ask "durations, --if of a parameter, false" function empty 0 $own --if "arg > 1000G" &&
	durations "/args.arg > 1000000000000/"
ask "durations, --if of the task, false" function empty 0 $own --if "tid == 1" &&
	durations "/tid == 1/"
ask "durations, --if of pid, false" function empty 0 $own --if "pid == 1" &&
	durations "/pid == 1/"
ask "durations, --by comm" function empty $all $own --by comm && durations "" "[comm]"
ask "durations, --by an integer" function empty $all $own --by "arg & 7" &&
	durations "" "[args.arg & 7]"
# Where the first choice is no trampoline, since that loses calls: bpftrace by both.
if [ "$kernel" = 7 ]; then
	ask "first choice" function empty $all kt_empty && durations
	ask "first choice, --by comm" function empty $all kt_empty --by comm && durations "" "[comm]"
	entry=kprobe return=kretprobe f=kt_empty
	ask "first choice, beside kprobes" function empty $all kt_empty && durations
	ask "first choice, --by comm, beside kprobes" function empty $all kt_empty --by comm &&
		durations "" "[comm]"
	entry=fentry return=fexit
fi
f=__x64_sys_getpgid
ask "durations, --if of memory, false" syscall empty 0 -m fentry $f --if "regs->di == 12345" &&
	durations "/args.regs->di == 12345/"
ask "durations, --by of memory" syscall empty $all -m fentry $f --by "regs->di" &&
	durations "" "[args.regs->di]"
ask "--value ret" syscall empty_fexit $all -m fentry $f --value ret &&
	peer "fexit:$f { @v = hist(retval, 3); }"
f=kstats_target:kt_empty
own="-m fentry kt_empty"
ask "--value of a parameter" function empty_fentry $all $own --value arg &&
	peer "fentry:$f { @v = hist(args.arg, 3); }"
ask "--value of a parameter, --if false" function empty_fentry 0 $own --value arg \
	--if "arg > 1000G" && peer "fentry:$f /args.arg > 1000000000000/ { @v = hist(args.arg, 3); }"
ask "a count" function empty_fentry $all $own --value 1 && peer "fentry:$f { @n = count(); }"
ask "a count, --by comm" function empty_fentry $all $own --value 1 --by comm &&
	peer "fentry:$f { @n[comm] = count(); }"
ask "a count, --by an integer" function empty_fentry $all $own --value 1 --by "arg & 7" &&
	peer "fentry:$f { @n[args.arg & 7] = count(); }"'

guest() { # TARGET KERNEL
	cat <<-EOT
	insmod $1 || exit 1
	kernel=$2 all=$((calls + warm))
	calls=$calls calls_program=$calls_program program=$program peers=$peers
	only='$questions'
	$functions
	$calls_program none function 200000 1 >/dev/null
	for i in \$(seq $repetitions); do
		$questions_asked
	done
	exit 0
	EOT
}

# What each adds to a call, as the least of the repetitions; refuses counts that are not exact.
table() {
	awk -F '\t' -v OFS='\t' '
	$5 != "-" && $5 != $6 {
		print "bench/expr: " $1 ", " $2 ": " $3 " counted " $5 " calls of " $6 > "/dev/stderr"
		exit bad = 1
	}
	$3 == "nothing" { base = $4; next }
	{
		key = $1 OFS $2
		if (!(key in seen))
			seen[order[++n] = key] = 1
		v = $4 - base
		if (!((key, $3) in least) || v < least[key, $3])
			least[key, $3] = v
	}
	END {
		if (bad)
			exit 1
		for (i = 1; i <= n; i++) {
			key = order[i]
			split(key, part, OFS)
			if (part[1] != kernel)
				printf "%s| kernel %s | empty programs | kstats-bpf | bpftrace | ratio |\n| --- | ---: | ---: | ---: | ---: |\n", kernel ? "\n" : "", kernel = part[1]
			printf "| %s | %.0f | %.0f | %.0f | %.2f |\n", part[2], least[key, "empty"],
				least[key, "own"], least[key, "peer"], least[key, "own"] / least[key, "peer"]
		}
		exit !n
	}'
}

mkdir -p .output/bench
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for kernel; do
	target=$(tests/vm/build-kmod "$kernel")
	tests/vm/run -k "$kernel" -i -e -c 1 -m 2048 -t 3000 -K "$quiet" -a "$target" \
		-a "$calls_program" -a "$program" -a "$peers" -- \
		"$(guest "$target" "$kernel")" >>"$tmp/rows"
done
echo "instructions added to a call; $repetitions interleaved repetitions"
echo
table <"$tmp/rows" | tee "$tmp/table"
awk -F ' *[|] *' '
	BEGIN { print "{" }
	/^[|] kernel/ { kernel = $2 }
	/^[|]/ && !/^[|] (kernel|---)/ {
		printf "%s  \"%s, %s\": {\"empty\": %s, \"own\": %s, \"peer\": %s}", sep, kernel, $2, $3, $4, $5
		sep = ",\n"
	}
	END { print "\n}" }' "$tmp/table" >.output/bench/expr.json
