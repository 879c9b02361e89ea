#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is the truth of tests/kmod/kstats_target true? It builds without a warning, has BTF, every
# operation makes exactly the calls it was told, and it unloads. In `make test-long` on each
# kernel. TAP; KERNELS="6.1 7" chooses kernels.

set -u
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh
# kt_many_00 to kt_many_99, and every other kt_* but the notrace one
traceable=$((100 + $(cat tests/kmod/kstats_target/*.c | grep -E '^[a-z].*__traced kt_[a-z0-9_]+\(' |
	grep -vc notrace)))

# operation | row=calls or row>=ns (its shortest call), in order, all that is not 0
cases='
empty 7919 | kt_empty=7919
empty_inl 101 | kt_empty_inl=101
static 103 | kt_static_fn=103
notrace 107 | kt_notrace=107
many 13 | kt_many=1300
busy 31 70000 | kt_busy=31 kt_busy>=70000
sleep 11 3000 | kt_sleep=11 kt_sleep>=3000000
recurse 7 5 20000 | kt_recurse=35 kt_recurse>=20000
migrate 13 50000 | kt_migrate=13 kt_migrate>=100000 migrated=13
irq 17 100000 | kt_outer=17 kt_outer>=150000 kt_irq_work=17 kt_irq_work>=100000
nest 19 100000 | kt_nest=38 kt_nest>=100000 nest_in_irq=19 nest_in_irq>=100000
ret 1009 97 | kt_ret=1009 kt_ret_ptr=1009 kt_ret_bool=1009 kt_ret_u32=1009 kt_void=1009 errors=97
ret_range 53 | kt_ret=371 kt_ret_u32=371 kt_ret_u64=371
gap 17 60000 | kt_empty=17 kt_empty_inl=34 gap=16 gap>=60000
key 61 | kt_key_start=61 kt_key_end=61 kt_narrow_start=61 kt_narrow_end=61
ret 5 5 | kt_ret=5 kt_ret_ptr=5 kt_ret_bool=5 kt_ret_u32=5 kt_void=5 errors=5
noreturn 23 | kt_never_returns=23
pair 29 40000 | kt_start=29 kt_end=29 pair=29 pair>=40000
pair_nest 3 7 | kt_start=21 kt_end=21 pair=21
pair_cross 997 | kt_start=997 kt_end=997 pair=997
pair_twice 23 1000 | kt_start=46 kt_end=23 pair=23
pair_lost 211 | kt_start=211
tp 37 30000 | kt_tp=37 kt_tp>=30000
step 41 20000 | kt_step=41 kt_step>=20000 step_outer=41 step_outer>=20000 step_odd=20
step_every 43 500 300 | kt_step=43 kt_step>=300000 step_outer=43 step_outer>=300000 step_odd=18
args 109 | kt_args8=109 kt_small=109 kt_struct_arg=109 kt_varargs=109
par empty 2003 | kt_empty=4006
par busy 17 50000 | kt_busy=34 kt_busy>=50000
par nest 5 100000 | kt_nest=20 nest_in_irq=10
par pair_cross 101 | kt_start=202 kt_end=202 pair=202
par noreturn 3 | kt_never_returns=6
empty 0 |
'

# Rows `calls min` of what the guest's module counted after one operation.
row_is() { # FILE WANTED
	local row=${2%%[>=]*}
	case $2 in
	*'>='*) awk -v n="$row" -v ns="${2#*>=}" '$1 == n && $4 >= ns && $5 >= $4 &&
		$3 >= $2 * $4 && $3 <= $2 * $5 { print "yes" }' "$1" ;;
	*) awk -v n="$row" -v c="${2#*=}" '$1 == n && $2 == c { print "yes" }' "$1" ;;
	esac
}

check_case() { # KERNEL INDEX LINE
	local file=$tmp/case.$2 want rows
	sed -n "s/^$2 //p" "$tmp/out" >"$file"
	is "$1: ${3%% |*}: accepted" "$(sed -n 's/^written //p' "$file")" 0
	rows=$(awk 'NF == 5 && $2 { print $1 }' "$file" | paste -sd ' ')
	want=$(tr ' ' '\n' <<<"${3#*|}" | sed -n 's/^\([a-z0-9_]*\)=.*/\1/p' | sort | paste -sd ' ')
	is "$1: ${3%% |*}: no other row" "$(tr ' ' '\n' <<<"$rows" | sort | paste -sd ' ')" "$want"
	for want in ${3#*|}; do
		is "$1: ${3%% |*}: $want" "$(row_is "$file" "$want")" yes
	done
}

guest_script() { # everything the guest does, as one script
	cat <<-'EOF'
	cd /sys/kernel/debug/kstats_target || exit 1
	try() { # INDEX OP LINE
		echo 0 >truth
		echo "$3" >"$2" 2>/dev/null
		echo "$1 written $?"
		sed "s/^/$1 /" truth
	}
	refused() { # OP LINE
		if echo "$2" 2>/dev/null >"$1"; then echo "accepted: $1 $2"; fi
	}
	EOF
	local index=0 line
	while read -r line; do
		[ -n "$line" ] || continue
		index=$((index + 1))
		line=${line%%|*}
		echo "try $index ${line%% *} '${line#* }'"
	done <<<"$cases"
	cat <<-'EOF'
	for bad in '' x '1 2' -1 1.5 99999999999 18446744073709551616; do refused empty "$bad"; done
	for bad in 1 '1 2 3' '1 1000000001'; do refused busy "$bad"; done
	for bad in '1 0 5' '1 129 5'; do refused recurse "$bad"; done
	for bad in '' 'none 3' 'block 3' 'par empty 3' 'empty' 'empty 3 3'; do refused par "$bad"; done
	refused ret '3 4'
	refused empty "$(printf '%0200d' 1)"
	echo 0 >truth
	echo 5 >block; echo 2 >block
	ps | grep -c '\[kstats_target\]' | sed 's/^/inside /'
	echo 1 >unblock
	grep '^kt_block ' truth
	echo 3 >block # the module lets them go itself
	# The kernel takes long to write these lists.
	grep '\[kstats_target' /proc/kallsyms >/tmp/symbols
	grep '^kt_' /sys/kernel/tracing/available_filter_functions >/tmp/list
	for n in 00 37 99; do grep -q " kt_many_$n[[:space:]]" /tmp/symbols || echo "no kt_many_$n"; done
	grep -q ' kt_static_fn[[:space:]]' /tmp/symbols || echo 'no kt_static_fn'
	grep -q ' kt_inlined[[:space:]]' /tmp/symbols && echo 'kt_inlined is a symbol'
	grep -c 'kstats_target' /tmp/list | sed 's/^/traceable /'
	grep '^kt_notrace' /tmp/list
	ls -d /sys/kernel/btf/kstats_target /sys/kernel/tracing/events/kstats_target/kt_tp_start
	cd /
	rmmod kstats_target && echo unloaded
	EOF
}

for kernel in ${KERNELS:-${KSTATS_WHOLE:+6.1 6.12} 7}; do
	ko=$(tests/vm/build-kmod "$kernel" 2>"$tmp/log")
	is "$kernel: builds" "$?" 0
	is "$kernel: without a warning" "$(grep -ci warning "$tmp/log" "$(dirname "$ko")/log" |
		cut -d : -f 2 | paste -sd +)" 0+0
	guest_script >"$tmp/script"
	tests/vm/run -f -k "$kernel" -a "$ko" -a "$tmp/script" \
		"insmod $ko && sh $tmp/script" >"$tmp/out" 2>"$tmp/err"
	is "$kernel: loads and runs, without a complaint" "$? $(cat "$tmp/err")" '0 '
	index=0
	while read -r line; do
		[ -n "$line" ] || continue
		index=$((index + 1))
		check_case "$kernel" "$index" "$line"
	done <<<"$cases"
	rest=$(grep -vE '^[0-9]+ ' "$tmp/out" | sed 's/^\(kt_block [0-9]*\) .*/\1/')
	is "$kernel: refusals, block, symbols, BTF, tracepoints, unloading" "$rest" \
"inside 7
kt_block 7
traceable $traceable
/sys/kernel/btf/kstats_target
/sys/kernel/tracing/events/kstats_target/kt_tp_start
unloaded"
done
plan
