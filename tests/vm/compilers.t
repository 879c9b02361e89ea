#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the programs load on every kernel when another clang has compiled them, and when
# another libbpf loads them? All other suites load what clang 16 has compiled, the oldest
# one, with the libbpf of Debian 12. Here the newest clang of this machine's archive
# compiles them. With --long the libbpf of Debian 13 loads those of clang 16 as well, and all
# three load all combinations of options. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
export KSTATS_KERNELS=kept
newest=$(for v in 16 17 18 19 20 21 22 23; do command -v "clang-$v"; done | tail -n 1)
is 'there is a newer clang than 16' "$([ "${newest##*-}" -gt 16 ] && echo yes)" yes
out=.output/compilers
# Objects that hold no program are the same: they need not be made again.
mkdir -p $out && cp -a .output/src $out/ && grep -rlF .skel.h $out/src --include='*.d' |
	while read -r d; do rm -f "$d" "${d%.d}.o"; done
find $out/src -name '*.d' -exec sed -i "s|^\.output/|$out/|" {} +
make --no-print-directory -s -j2 OUT=$out CLANG="$newest" >"$out.log" 2>&1
is "the program builds by ${newest##*/}" "$? $(grep -c 'error:' "$out.log")" '0 0'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
long=${1-}
folders=("$PWD/$out")
if [ "$long" ]; then
	tests/vm/build-13 "$tmp" >&2
	is 'the program builds on Debian 13' "$?" 0
	has 'and loads the libbpf from there' \
		"$("$tmp/ld-linux-x86-64.so.2" --library-path "$tmp" --list "$tmp/program")" \
		"libbpf.so.1 => $tmp/libbpf.so.1"
	is 'which is newer' "$(grep -c LIBBPF_1.5.0 "$tmp/libbpf.so.1")" 1
	folders+=("$tmp" "$PWD/.output")
fi

# Runs in the guest. It reports refusals; a plan of which nothing loads ends with 4.
# shellcheck disable=SC2016
load='
load() {
	"$program" trace -q -d 1ms -f json "$@" > /tmp/out 2> /tmp/err
	status=$?
	[ $status -lt 4 ] && grep -q "\"method\":\"[^n]" /tmp/out && return
	echo "REFUSED $program $*: $(tail -n 1 /tmp/err | cut -c 1-200)"
}
memory() {
	"$program" kmem -q -d 1ms -o /tmp/out "$@" 2> /tmp/err
	[ $? -lt 4 ] || echo "REFUSED $program kmem $*: $(tail -n 1 /tmp/err | cut -c 1-200)"
}
pair="--start kt_start --end kt_end"
tp="--start tp:kstats_target:kt_tp_start --end tp:kstats_target:kt_tp_end"
'
# shellcheck disable=SC2016
few='
load -m fentry kt_ret "--by=ret<0" --gap --comm sh -p 1
load -m fentry kt_ret --if "ret < 0"
load -m fentry kt_ret --key cpu --gap "--by=ret<0"
load -m kprobe kt_ret --gap "--by=ret<0"
load -m fentry $pair --key arg0 --gap
load -m kprobe $pair -C 0
load $tp --key arg0
load $tp --gap
load -m fentry kt_ret "--by=ret<0" --gap --comm sh -p 1 --limit memory=32k
load -m kprobe kt_ret --if "ret < 0" --key cpu --gap --limit memory=32k
load -m kprobe $pair --key arg0 --gap --limit memory=32k
load $tp --gap --limit memory=32k
memory --by comm
memory --lifetime --gfp GFP_KERNEL --comm sh
case $kernel in
6.12 | 7)
	load -m kprobe-session kt_ret --gap "--by=ret<0"
	load -m kprobe-session kt_ret --gap "--by=ret<0" --limit memory=32k
	;;
esac
case $kernel in
7)
	load -m fsession kt_ret --gap "--by=ret<0"
	load -m fsession kt_ret --gap "--by=ret<0" --limit memory=32k
	;;
esac
'
# shellcheck disable=SC2016
all='
group=/sys/fs/cgroup/one
mkdir -p $group
methods="fentry kprobe"
case $kernel in
6.12) methods="$methods kprobe-session" ;;
7) methods="$methods kprobe-session fsession" ;;
esac
for m in $methods; do
	for o in "" --gap "--by=ret<0" "--if=ret==0" "--comm sh" "-p 1 -t 1" "--if=duration>=1us" \
		"-c $group" "--limit overhead=5%" "-- true" \
		"--gap --by=ret<0 --comm sh -C 0 -p 1 -t 1 -c $group --if=duration>=1us -- true"; do
		load -m $m kt_ret $o
	done
	case $m in *session) continue ;; esac
	load -m $m kt_ret --key cpu
	load -m $m kt_ret --key cpu --gap "--by=ret<0"
	for o in "" "--key cpu" "--key arg0" --gap "--key arg0 --gap" "--key arg0 --comm sh -C 0"; do
		load -m $m $pair $o
	done
	load -m $m kt_many_0\* --merge
	load -m $m kt_ret\* --merge --gap "--by=ret<0"
done
for m in tp_btf trace-event; do
	for o in "" "--key cpu" --gap "--comm sh -C 0 -c $group" "-- true"; do load -m $m $tp $o; done
done
load $tp --key arg0
load $tp --key arg0 --gap --comm sh -C 0 -c $group
'

loads() { # KERNEL
	local target
	target=$(tests/vm/build-kmod "$1") || return
	tests/vm/run -f -k "$1" -a "$target" -a "$PWD/$out/kstats-bpf" -a "$tmp" \
		${long:+-a "$PWD/.output/kstats-bpf"} -- "insmod $target
		kernel=$1
		for program in ${folders[*]/%//kstats-bpf}; do
			$load
			$few
			${long:+$all}
		done
		echo loaded"
}

for kernel in 6.1 6.12 7; do
	is "$kernel: every combination loads" "$(loads $kernel 2>&1)" loaded
done
plan
