# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Options, by cases in which a small fault would show: CPUs of high numbers, threads,
# groups of the caller, merged functions, nodes. Runs inside a guest of 72 CPUs, most
# of which are off, as root. Comes in: names of sections (all of them); THREADS, the
# program of threads.c; WHOLE, if nothing is left out. Prints TAP. Called by options.t.

[ -d /.vm ] || exit 1 # a guest
dir=/sys/kernel/debug/kstats_target
# shellcheck source=tests/tap.sh
. "$TAP"

# Prints the numbers after a key of a JSON report.
of() { echo "$1" | grep -o "\"$2\":[0-9]*" | cut -d : -f 2 | tr '\n' ' '; }

recorded() { of "$(kstats-bpf trace -q -f json "$@")" recorded; }

# ---- CPUs of high numbers, and those that a mask of too few words or bits confuses ----
cpus() {
	# Among the others are those that they would be taken for: 1, 31 and 6.
	each='33 63 70'
	for cpu in $each; do echo 1 >/sys/devices/system/cpu/cpu"$cpu"/online; done
	call() { # CPU-LIST: the calls of these processors that are recorded, 101 on each
		recorded kt_empty -a -C "$1" -- sh -c "for cpu in $each; do
			taskset -c \$cpu sh -c 'echo 101 >$dir/empty'
		done"
	}
	is "on CPUs $each, measured there" "$(call 33,63,70)" '303 '
	for cpu in ${WHOLE:+$each}; do
		is "on CPU $cpu, measured there" "$(call "$cpu")" '101 '
	done
	is "on CPUs $each, measured elsewhere" "$(call 0-32,34-62,64-69,71)" '0 '
	for cpu in $each; do echo 0 >/sys/devices/system/cpu/cpu"$cpu"/online; done
}

# ---- a thread that is not the first of its process ----
thread() {
	for which in ${WHOLE:+'-t FIRST 2003' '-t SECOND 1009' '-p FIRST 3012' '-p SECOND 0'} \
		'-t 1,SECOND 1009' '-p 1,FIRST 3012' \
		'-p FIRST -t SECOND 1009' '-p SECOND -t SECOND 0'; do
		rm -f /tmp/in /tmp/out
		mkfifo /tmp/in /tmp/out
		"$THREADS" $dir/empty 2003 1009 </tmp/in >/tmp/out &
		exec 5>/tmp/in 6</tmp/out
		read -r first second <&6
		words=$(echo "${which% *}" | sed "s/FIRST/$first/g; s/SECOND/$second/g")
		# shellcheck disable=SC2086
		is "two threads: ${which% *}" \
			"$(recorded kt_empty -a $words -- sh -c 'echo go >&5; read -r done <&6')" \
			"${which##* } "
		exec 5>&- 6<&-
		wait
	done
	is 'two threads of the command' \
		"$(recorded kt_empty -- sh -c "echo | \"$THREADS\" $dir/empty 2003 1009 >/dev/null")" \
		'3012 '
}

# ---- the groups of the caller, under sudo ----
groups() {
	grep -q '^other:' /etc/group ||
		printf '%s\n' 'other:x:2000:user' 'more:x:2001:root' >>/etc/group
	as() { # UID: the groups of a command, when root is in one more
		su root -s /bin/sh -c "SUDO_UID=$1 SUDO_GID=$1 kstats-bpf trace -q kt_empty -o /tmp/r \
			-- id -G"
	}
	has 'root has groups of its own' "$(su root -s /bin/sh -c 'id -G')" '2001'
	is 'under sudo the command has all groups of the caller' \
		"$(as 1000 | tr ' ' '\n' | sort -n | xargs)" '1000 2000'
	is 'and one that has no name has none of root' "$(as 1234)" 1234
}

# ---- merged functions: calls that the kernel skips are reported for each of them ----
merged() {
	# The bpf call that reads a map of the CPUs keeps other programs away meanwhile.
	look='kstats-bpf trace -q kt_empty -a -- true >/dev/null'
	last='kt_empty bpf_percpu_array_cop[y]' first='bpf_percpu_array_cop[y] kt_empty'
	many='bpf_percpu_array_cop[y] kt_many_[0-3]?' # so many have one link
	for method in kprobe kprobe-session; do
		for functions in "$last" "$first" "$many"; do
			case $WHOLE,$method,$functions in
			",kprobe,$first" | ",kprobe,$many" | ",kprobe-session,$last") continue ;;
			esac
			# shellcheck disable=SC2086
			out=$(kstats-bpf trace -q -f json -m $method --merge $functions -a -- sh -c "$look")
			is "$method, merged, $functions: skipped calls are told" \
				"$(of "$out" samples | wc -w) $(($(of "$out" skipped) > 0)) $(of "$out" lost)" \
				"1 1 $(of "$out" skipped)"
		done
	done
}

# ---- nodes ----
figure() { # NODE NAME: of its exposition
	kstats-bpf node show "$1" -f openmetrics | sed -n "s/^$2 //p"
}

nodes() {
	root=/sys/fs/bpf/kstats
	# Who else may look into it or write is not trusted, in any way it can be.
	kstats-bpf node add mine kt_empty
	for mode in 770 750 707 705; do
		chmod $mode $root/mine
		has "a node of mode $mode" "$(kstats-bpf node show mine 2>&1)" \
			'others may write or look into it'
	done
	chmod 700 $root/mine
	for mode in 770 750; do
		chmod $mode $root
		has "a folder of mode $mode" "$(kstats-bpf node show mine 2>&1)" \
			'others may write or look into it'
	done
	chmod 700 $root
	is 'and mode 700 is right' "$(kstats-bpf node show mine >/dev/null 2>&1; echo $?)" 0
	kstats-bpf node rm mine

	# No gap reaches over a stop or a reset.
	kstats-bpf node add gaps kt_empty --gap
	gaps() { figure gaps 'kstats_duration_seconds_count{.*node="GAP-gaps".*}'; }
	five() { taskset 1 sh -c "echo 5 >$dir/empty"; }
	five
	is 'gaps between five calls' "$(gaps)" 4
	kstats-bpf node stop gaps
	kstats-bpf node start gaps
	five
	is 'and five more, after a stop' "$(gaps)" 8
	kstats-bpf node reset gaps
	five
	is 'and after a reset' "$(gaps)" 4
	kstats-bpf node rm gaps

	# A reset forgets how long it ran, and what was skipped.
	kstats-bpf node add skips bpf_percpu_array_copy --method kprobe
	kstats-bpf trace -q kt_empty -a -- true >/dev/null
	kstats-bpf node stop skips
	out=$(kstats-bpf node show skips -f json)
	is 'a node counts what was skipped' $(($(of "$out" skipped) > 0)) 1
	is 'and how long it ran' "$(figure skips kstats_measured_seconds | grep -c '[1-9]')" 1
	kstats-bpf node reset skips
	out=$(kstats-bpf node show skips -f json)
	is 'a reset forgets both' "$(of "$out" skipped)$(figure skips kstats_measured_seconds)" '0 0.0'
	kstats-bpf node start skips
	kstats-bpf node stop skips
	kstats-bpf node reset skips
	out=$(kstats-bpf node show skips -f json)
	is 'again' "$(of "$out" skipped)$(figure skips kstats_measured_seconds)" '0 0.0'
	kstats-bpf node rm skips
}

[ $# -gt 0 ] || set -- cpus thread groups merged nodes
for section; do
	$section
done
plan
