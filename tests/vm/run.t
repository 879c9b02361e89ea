#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the guest runner carry status, output and files, and does it notice a
# kernel that complains or hangs? TAP; KERNELS="6.1 7" chooses kernels.

set -u
cd "$(dirname "$0")/../.." || exit 1
run=tests/vm/run
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh

guest() { # ARG...: sets out, err, status
	"$run" -f "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	out=$(tr -d '\000' <"$tmp/out")
	err=$(cat "$tmp/err")
}

for kernel in ${KERNELS:-${KSTATS_WHOLE:+6.1 6.12} 7}; do
	SECONDS=0
	# shellcheck disable=SC2016
	guest -k "$kernel" 'uname -r; echo talk >&2; cat
		for fs in /proc /sys /dev /tmp /sys/fs/bpf /sys/fs/cgroup \
		/sys/kernel/debug /sys/kernel/tracing; do
		grep -q " $fs " /proc/mounts || echo "no $fs"; done
		ping -c 1 -W 2 127.0.0.1 >/dev/null || echo no lo
		[ "$(su user -c "id -u")" = 1000 ] || echo no user
		[ "$(nproc)" = 2 ] || echo not 2 processors
		exit 7'
	boot=$SECONDS
	is "$kernel: the status is carried" "$status" 7
	is "$kernel: stdout is that kernel's" "$(head -n 1 <<<"$out")" \
		"$(cat "$(tests/vm/fetch "$kernel")/release")"
	is "$kernel: and stderr apart" "$err" talk
	is "$kernel: the guest is complete" "$(tail -n +2 <<<"$out")" ''
	guest -k "$kernel" 'echo before; sleep 2; echo c >/proc/sysrq-trigger; sleep 60'
	is "$kernel: a panic is 125" "$status" 125
	is "$kernel: and what came before it is not lost" "$out" before
	has "$kernel: and its text is shown" "$err" 'Kernel panic.*sysrq'
	has "$kernel: and when it was is told" "$err" 'while the command ran'
done

for kernel in ${KSTATS_WHOLE:+6.1-rt 6.12-rt}; do
	guest -k "$kernel" 'uname -r; uname -v | grep -o PREEMPT_RT'
	is "$kernel: that kernel is PREEMPT_RT" "$status $out" \
		"0 $(cat "$(tests/vm/fetch "$kernel")/release")"$'\nPREEMPT_RT'
done
if [ "${KSTATS_WHOLE-}" ]; then
	guest -k 6.12-full -K kstats.word=1 \
		'grep -o "(.*)" /sys/kernel/debug/sched/preempt; grep -o kstats.word=1 /proc/cmdline'
	is '6.12-full: that kernel preempts fully, and -K arrives as well' "$status $out" \
		$'0 (full)\nkstats.word=1'
fi

printf 'int printf(const char *, ...);\nint main(void) { printf("linked\\n"); return 3; }\n' |
	gcc -x c -o "$tmp/dynamic" -
mkdir "$tmp/folder" && echo inside >"$tmp/folder/a file"
head -c 3000000 /dev/urandom >"$tmp/random"
guest -a "$tmp/dynamic" -a "$tmp/folder" -a "$tmp/random" "cat '$tmp/folder/a file'; $tmp/dynamic >&2
	status=\$?; cat $tmp/random; exit \$status"
is '-a: an executable runs, with its libraries' "$status $err" '3 linked'
is '-a: a folder is there' "$(head -n 1 "$tmp/out")" inside
is 'binary output: not a byte is changed' "$(tail -n +2 "$tmp/out" | sha256sum)" "$(sha256sum <"$tmp/random")"
guest 'cat /tmp/.. 2>/dev/null; echo a >/dev/stdout; echo b >/dev/stderr
	echo "<6>a remark" >/dev/kmsg; dmesg | grep -c "a remark"; (sleep 60) &'
is 'a process left behind does not hold the guest' "$status" 0
is '/dev/stdout and /dev/stderr work' "$(head -n 1 <<<"$out")$err" ab
is 'a remark of the kernel is no complaint' "$status$(tail -n +2 <<<"$out")" 01

guest 'echo "<4>BUG: a test of the runner" >/dev/kmsg; echo well; exit 0'
is 'a complaint is 125 even where the command succeeds' "$status" 125
is 'and its output is kept' "$out" well

limit=10
KSTATS_HUNG=$tmp/hung guest -t $limit 'echo on time; sleep 10000'
is 'a guest that hangs is 124' "$status" 124
is 'its output until then is kept' "$out" 'on time'
has 'with one sentence' "$err" "^vm/run: .* $limit s, and took [0-9]+ s of a processor\$"
is 'and one line' "$(wc -l <<<"$err")" 1
has 'who wants to know it is told' "$(tr '\n' ' ' <"$tmp/hung")" "kernel 7 .*; it ended with: on time .*command starts"

"$run" -f 'sleep 10000' & pid=$!
emulator=
while kill -0 "$pid" && [ -z "$emulator" ]; do
	sleep 0.1
	emulator=$(pgrep -P "$pid" -f '^[^ ]*qemu-system' | head -n 1)
done
sleep "$boot"
SECONDS=0
kill -TERM "$pid"
wait "$pid"
is 'ended from outside: 143' $? 143
is 'at once' "$((SECONDS < 300))" 1
is 'and no guest is left' "$([ -d "/proc/${emulator:-self}" ] && echo one)" ''

guest -K rdinit=/none true
is 'a panic before the command is 125' "$status" 125
has 'and says so' "$err" 'before the command started'
if [ "${KSTATS_WHOLE-}" ]; then
	guest -i 'echo counted'
	is '-i: instructions counted' "$status$out" 0counted
fi
guest -c 1 -m 256 -K kstats.word=1 'nproc; grep -o kstats.word=1 /proc/cmdline
	cat /sys/devices/system/cpu/vulnerabilities/spectre_v2'
is '-c, -m and -K arrive' "$(head -n 2 <"$tmp/out")" $'1\nkstats.word=1'
has '-f: without mitigations' "$out" 'Vulnerable'

"$run" -f -k 7 'exit 3' & one=$!
guest -k 7 'kstats-bpf --version >/dev/null && sha256sum </usr/bin/kstats-bpf'
wait "$one"
is 'two guests at once' "$? $status" '3 0'
strip -g -o "$tmp/kstats-bpf" .output/kstats-bpf
is 'the program is the one of now, without the lines of its source' "$out" "$(sha256sum <"$tmp/kstats-bpf")"

# ---- states of guests that are kept, in a cache of its own; in `make test-long` ----

kernel=$(tests/vm/fetch 7)
kept_states() {
	cache=$tmp/cache
	mkdir -p "$cache/kernels/7" && ln -s "$(dirname "$(dirname "$kernel")")/qemu" "$cache/qemu" &&
		ln -s "$kernel"/{release,package,vmlinuz,vmlinux,lib} "$cache/kernels/7/"
	kept() { # [ARG...]: a small guest; prints when it booted, before this test or not
		KSTATS_CACHE=$cache KSTATS_KERNELS=kept guest -c 1 -m 256 "$@" "cat '$tmp/folder/a file'
			[ \$((\$(date +%s) - $begin)) -lt 3600 ] || date
			[ \$(stat -c %Z /dev/pts) -gt $now ] && echo booted || echo kept"
	}
	begin=$(date +%s) now=$begin
	kept -a "$tmp/folder"
	is 'the first guest of its kind boots' "$status $out" $'0 inside\nbooted'
	is 'and nothing is kept for it' "$(find "$cache" -name 'state-*' -size +0)" ''
	kept -a "$tmp/folder"
	state=$(find "$cache" -name 'state-*' -size +0)
	is 'the second one leaves a state' "$status $(wc -w <<<"$state") $err" '0 1 '
	now=$(date +%s)
	sleep 1
	kept -a "$tmp/folder"
	is 'with which others begin, at the right time and with their files' "$status $out" $'0 inside\nkept'
	kept -a "$tmp/folder" -b
	is 'unless they are to boot' "$status $out" $'0 inside\nbooted'
	kept -a "$tmp/folder" -K kstats.word=1
	is 'or have another command line' "$status $out" $'0 inside\nbooted'
	truncate -s 1000000 "$state"
	kept -a "$tmp/folder"
	is 'a state that is damaged: the guest boots' "$status $out" $'0 inside\nbooted'
	has 'and says so' "$err" '^vm/run: the emulator refuses the snapshot .*: the guest boots$'
	is 'and the state is gone' "$(find "$cache" -name 'state-*' -size +0)" ''
	# This one panics before it waits for its files.
	for _ in 1 2; do KSTATS_CACHE=$cache KSTATS_KERNELS=kept guest -c 1 -m 256 -K rdinit=/none true; done
	is 'a guest that does not come so far boots' "$status $(find "$cache" -name 'state-*' -size +1000k)" '125 '
	has 'and says so' "$err" 'no snapshot of this guest can be made'
}
[ -z "${KSTATS_WHOLE-}" ] || kept_states

is 'without the archive the cache serves' \
	"$(http_proxy=http://127.0.0.1:9 tests/vm/fetch -u 7 2>"$tmp/err")" "$kernel"
has 'and says so' "$(cat "$tmp/err")" 'did not answer: using the cached kernel'
is 'an empty cache without the archive is 123' \
	"$(KSTATS_CACHE=$tmp/none http_proxy=http://127.0.0.1:9 "$run" true 2>"$tmp/err"; echo $?)" 123

PATH=$tmp/bin:$PATH
mkdir "$tmp/bin" && printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/qemu-system-x86_64"
chmod +x "$tmp/bin/qemu-system-x86_64"
guest true
is 'a guest that cannot start is 123' "$status" 123
has 'and says so' "$err" 'did not start'

for args in '' '-k 5 true' '-k 6.1-rt -i true' '-k 7-arm64 -e true' '-m none true' '-t 0 true' '-c 0 true' '-a /no/such true' '-z true' '-k'; do
	# shellcheck disable=SC2086
	guest $args
	is "bad usage ($args) is 2" "$status" 2
	is "bad usage ($args): one sentence" "$(wc -l <"$tmp/err")" 1
done
if [ "$(PATH=/usr/sbin:/usr/bin:/sbin:/bin sh tests/vm/init >/dev/null 2>&1; echo $?)" = 1 ]; then
	is 'the init script refuses to run on this machine' 1 1
else
	is 'the init script refuses to run on this machine' 0 1
fi
plan
