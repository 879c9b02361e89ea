# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Exact counts on arm64: functions of the kernel by each method, pairs, expressions, functions and
# static probes of a program, memory events, markers, and the kernel module. Runs inside a guest, as root.
# Comes in: PROGRAM, of arm64.c; USER_PROGRAM, of user.c; KERNEL, 6.1, 6.12, 7 or 7-16k; KMOD, the module,
# or nothing. Prints TAP. Called by arm64-run.

[ -d /.vm ] || exit 1 # a guest
# shellcheck source=tests/tap.sh
. "$TAP"
tmp=$(mktemp -d)

number() { # KEY: the first number of that name in a JSON report
	grep -o "\"$1\":-*[0-9]*" "$tmp/json" | head -n 1 | cut -d : -f 2
}

# A run, whose report is in $tmp/json, and what it says in $tmp/err.
trace() { # WORD...
	rm -f "$tmp/json"
	timeout 120 kstats-bpf trace -q --max-loss 0 -f json -o "$tmp/json" "$@" 2>"$tmp/err"
}

sum() { # of all samples: its bounds, which are the same where it is exact
	sed 's/.*"sum":{"lo":\([0-9]*\),"hi":\([0-9]*\).*/\1 \2/' "$tmp/json"
}

exact() { # NAME COUNT WORD...: each call gives a sample, and no start is left
	name=$1 n=$2
	shift 2
	trace "$@"
	status=$?
	is "$name" "$status $(number started) $(number recorded) $(number lost) $(number balance)$(cat "$tmp/err")" \
		"0 $n $n 0 0"
}

refused() { # NAME STATUS PATTERN WORD...
	name=$1 status=$2 pattern=$3
	shift 3
	trace "$@"
	has "$name" "$? $(cat "$tmp/err")" "^$status .*$pattern"
}

case $KERNEL in
6.1) methods='kprobe' auto=kprobe/kretprobe programs='uprobe' ;;
6.12) methods='fentry kprobe' auto=fentry/fexit programs='uprobe uprobe-multi' ;;
7*) methods='fentry fsession kprobe kprobe-session' auto='kprobe session'
	programs='uprobe uprobe-multi uprobe-session' ;;
esac

# ---- functions of the kernel ----
of=shmem_file_llseek
has 'list tells the method' "$(kstats-bpf list $of)" "$auto\$"
has 'list tells that there is no direct' "$(kstats-bpf list $of)" 'direct: no: .* for arm64'
exact 'by itself' 1009 $of -- "$PROGRAM" seek 1009
refused 'direct is refused' '[24]' 'no stubs for arm64' -m direct $of -- "$PROGRAM" seek 1
[ "$KERNEL" != 6.1 ] ||
	refused 'fentry is refused' 4 'no direct calls of functions on arm64' -m fentry $of -- "$PROGRAM" seek 1
for m in $methods; do
	exact "$m: each call" 1009 -m "$m" $of -- "$PROGRAM" seek 1009
	exact "$m: two processes" 2018 -m "$m" $of -- sh -c "$PROGRAM seek 1009 & $PROGRAM seek 1009; wait"
	exact "$m: if of a parameter" 504 -m "$m" --if 'offset % 2' $of -- "$PROGRAM" seek 1009
	trace -m "$m" --if 'ret >= 1000' $of -- "$PROGRAM" seek 1009
	is "$m: if of the returned number" "$(number started) $(number recorded) $(number balance)" '1009 9 0'
	exact "$m: value of the returned number" 101 -m "$m" --value ret $of -- "$PROGRAM" seek 101
	is "$m: their sum" "$(sum)" '5050 5050'
	case $m in
	fentry | fsession)
		exact "$m: value of both" 101 -m "$m" --value 'ret + 2 * offset' $of -- "$PROGRAM" seek 101
		is "$m: their sum, of both" "$(sum)" '15150 15150'
		;;
	esac
done
trace --by 'offset % 4' $of -- "$PROGRAM" seek 1009
is 'a distribution for each value' \
	"$(grep -o '"by":{[^}]*},*[^{]*"samples":[0-9]*' "$tmp/json" | sed 's/.*:\(.\)"*}.*:/\1 /; s/.*:"\(.\).*:/\1 /' | sort | xargs)" \
	'0 253 1 252 2 252 3 252'

# ---- pairs ----
exact 'functions, by key' 1009 --start $of --end generic_file_llseek_size --key offset -n pair -- \
	"$PROGRAM" seek 1009
exact 'functions, by task' 1009 --start $of --end generic_file_llseek_size -n pair -- "$PROGRAM" seek 1009
exact 'tracepoints, by key' 1009 --if 'sig == 10' --key sig --start tp:signal:signal_generate \
	--end tp:signal:signal_deliver -n pair -- "$PROGRAM" signal 1009
# Without a condition, that of the end of the command may be among them, which another process gets.
trace -m trace-event --start tp:signal:signal_generate --end tp:signal:signal_deliver -n pair -- \
	"$PROGRAM" signal 1009
is 'trace events' "$(number recorded) $(number lost) $(number balance)" '1009 0 0'
exact 'tracepoints of one system call' 1009 --if 'id == 62' --start tp:sys_enter --end tp:sys_exit -n pair -- \
	"$PROGRAM" seek 1009

# ---- functions of a program ----
ups='up_nop up_bti up_pac up_frame up_adr up_adrp up_branch up_cbz up_tbz'
for m in $programs; do
	# Two others jump there.
	exact "$m: up_add" 303 -m "$m" --throws "u:$PROGRAM:up_add" -- "$PROGRAM" user 101
	for up in $ups; do
		exact "$m: $up" 101 -m "$m" --throws "u:$PROGRAM:$up" -- "$PROGRAM" user 101
	done
	exact "$m: a function in itself" 70 -m "$m" --throws "u:$PROGRAM:up_recurse" -- "$PROGRAM" user 101
done
exact 'value of a returned number' 101 --throws "u:$PROGRAM:up_pac" --value arg0 -- "$PROGRAM" user 101
is 'its sum' "$(sum)" '5050 5050'
exact 'if of a returned number' 101 --throws --value ret "u:$PROGRAM:up_pac" -- "$PROGRAM" user 101
is 'the sum of those' "$(sum)" '10100 10100'
refused 'a load near the instruction' '[24]' 'loads from an address near it' \
	--throws "u:$PROGRAM:up_literal" -- "$PROGRAM" user 1

# ---- static probes ----
spot=usdt:$PROGRAM:spots:spot
exact 'a parameter in a register' 101 "$spot" --value arg1 -- "$PROGRAM" user 101
is 'its sum, in a register' "$(sum)" '5050 5050'
exact 'with a sign' 101 "$spot" --value '0 - arg0' -- "$PROGRAM" user 101
is 'its sum, with a sign' "$(sum)" '496 496'
exact 'in memory' 101 "$spot" --value '0 - arg2' -- "$PROGRAM" user 101
is 'its sum, in memory' "$(sum)" '496 496'
exact 'a number' 101 "$spot" --value '5 + arg3' -- "$PROGRAM" user 101
is 'its sum, a number' "$(sum)" '404 404'
refused 'a register of floating point' 2 'not an integer' "$spot" --value arg5 -- "$PROGRAM" user 1
refused 'an index' 2 'not an integer' "$spot" --value arg6 -- "$PROGRAM" user 1

# ---- memory ----
kmem() { # WORD...
	timeout 120 kstats-bpf kmem -q -f csv -o "$tmp/csv" --kind kmalloc "$@" -- "$PROGRAM" file 1009 2>"$tmp/err"
}
site() { # COLUMN...: of the call site in eventfd(2)
	row=$(grep -E '^0,site,kmalloc,"(do_eventfd|__arm64_sys_eventfd2)\+' "$tmp/csv")
	for column; do echo "$row" | cut -d , -f "$column"; done | xargs
}
if [ "$KERNEL" = 7-16k ]; then
	kmem
	has 'kmem refuses large pages' "$? $(cat "$tmp/err")" '^4 .*its pages are 16 KiB, and at most 4 KiB are supported'
else
	kmem
	is 'memory of a call site of the kernel, by its name: how much' "$(site 11 12)" '1009 48432'
	kmem --lifetime
	is 'how much of it lives on, and was freed' "$(site 11 15 20)" '1009 0 1009'
fi

# ---- a node ----
kstats-bpf node add seeks $of 2>"$tmp/err"
is 'a node is made' "$? $(cat "$tmp/err")" '0 '
"$PROGRAM" seek 1009
kstats-bpf node show seeks -f json >"$tmp/json"
is 'it counted each call' "$(number recorded) $(number lost) $(number balance)" '1009 0 0'
kstats-bpf node rm seeks
is 'it is gone' "$? $(kstats-bpf node ls 2>&1 | grep -c seeks)" '0 0'

# ---- markers ----
threads() { # NAME WORD...: 4 threads count, in a program that is started so
	name=$1
	shift
	kstats-bpf node reset --all
	env "$@" "$USER_PROGRAM" threads 4 5003
	status=$?
	kstats-bpf node show batch -f csv >"$tmp/csv"
	kstats-bpf node show req -f json >"$tmp/json"
	is "$name: samples, their sum, and pairs" "$status $(
		awk -F, '$5 == "all" { n += $9; sum += $10 } END { print n, sum }' "$tmp/csv") $(
		number started) $(number recorded) $(number balance)" '0 20012 60036 20012 20012 0'
}
kstats-bpf node add --user batch
kstats-bpf node add --user req
threads 'markers'
threads 'markers, without restartable sequences' GLIBC_TUNABLES=glibc.pthread.rseq=0
exact 'markers as static probes' 1009 --start "usdt:$USER_PROGRAM:kstats:req_begin" \
	--end "usdt:$USER_PROGRAM:kstats:req_end" -n pair -- "$USER_PROGRAM" threads 1 1009
kstats-bpf node rm batch req

# ---- the kernel module ----
if [ "$KMOD" ]; then
	insmod "$KMOD"
	is 'the module loads' $? 0
	has 'doctor sees it' "$(kstats-bpf doctor)" '^module kstats +ok'
	for m in $methods; do
		exact "the module, $m: each call" 1009 --backend kmod -m "$m" $of -- "$PROGRAM" seek 1009
		exact "the module, $m: their sum" 101 --backend kmod -m "$m" --value ret $of -- "$PROGRAM" seek 101
		is "the module, $m: which is" "$(sum)" '5050 5050'
	done
	exact 'the module, pairs by key' 1009 --backend kmod --start $of --end generic_file_llseek_size \
		--key offset -n pair -- "$PROGRAM" seek 1009
	refused 'direct is refused beside it' '[24]' 'no stubs for arm64' -m direct $of -- "$PROGRAM" seek 1
	kstats-bpf node add seeks --backend kmod $of
	"$PROGRAM" seek 1009
	kstats-bpf node show seeks -f json >"$tmp/json"
	is 'a node in it counted each call' "$(number recorded) $(number lost) $(number balance)" '1009 0 0'
	rmmod kstats 2>/dev/null
	is 'the node keeps it loaded' $? 1
	has 'as doctor says' "$(kstats-bpf doctor)" 'seeks'
	kstats-bpf node rm seeks
	# The kernel frees programs and maps a little later.
	tries=0
	until rmmod kstats 2>/dev/null || [ $tries = 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	is 'then it goes' "$(grep -c '^kstats ' /proc/modules)" 0
fi
rm -r "$tmp"
plan
