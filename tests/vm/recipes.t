#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# recipes.sh in a guest, and on 6.1 what its verifier has most to go through; with KSTATS_WHOLE=yes,
# as in `make test-long`, all sections on each kernel, or on KSTATS_RECIPES_ON, as in
# `make test-changed`. Comes in: perhaps names of its sections. Goes out: TAP.
# On 6.12 its section "pages" runs commands of docs/, see pages.py. The section "programs" runs on
# this machine by default, if its kernel lets it: there it takes a tenth of the time.

set -u
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
kernels='6.1 6.12' short=yes here=''
places=(guest)
[ -z "${KSTATS_WHOLE-}" ] || kernels='6.1 6.12 7' short='' places+=(guest-long)
[ -z "${KSTATS_RECIPES_ON-}" ] || kernels=$KSTATS_RECIPES_ON short=''

# Measures a function of a program on this machine.
here_can() {
	.output/kstats-bpf trace -q u:.output/kstats-bpf:main -- true >/dev/null 2>&1
}

here() {
	[ -e "$tmp/load" ] || tests/vm/recipes-build 6.12 "$tmp" || return
	mkdir "$tmp/here"
	PATH=$PWD/.output:$PATH TAP=$PWD/tests/tap.sh AT=$tmp OUT=$tmp/here sh tests/vm/recipes.sh programs 2>&1 |
		sed -u -E 's/^(ok|not ok) ([0-9]+) - /\1 \2 - here: /'
	return "${PIPESTATUS[0]}"
}

guest() { # KERNEL SECTION...
	local kernel=$1
	shift
	[ "$kernel" != here ] || { here; return; }
	[ $# -gt 0 ] || [ -z "$short" ] || [ "$kernel" != 6.1 ] || set -- heavy
	tests/vm/recipes-build "$kernel" "$tmp" || return
	rm -f "$tmp/pages"
	[ "$kernel" != 6.12 ] || python3 tests/vm/pages.py script "${places[@]}" >"$tmp/pages" || return
	tests/vm/run -f -k "$kernel" -a "$tmp" -a tests/vm/recipes.sh -a tests/tap.sh \
		-a "$(command -v getent)" -a "$(command -v dd)" -a docs/coming-from.md \
		-- "WHOLE=${KSTATS_WHOLE-} HERE=$here TAP=$PWD/tests/tap.sh AT=$tmp PAGE=$PWD/docs/coming-from.md sh $PWD/tests/vm/recipes.sh $*" 2>&1 |
		judge "$kernel" "$@" |
		sed -u -E "s/^(ok|not ok) ([0-9]+) - /\1 \2 - $kernel: /"
	return $((PIPESTATUS[0] | PIPESTATUS[1]))
}

# Passes lines on, and says of what commands of the pages print whether it is what they show.
judge() { # KERNEL SECTION...
	[[ $1 = 6.12 && ($# = 1 || " $* " = *' pages '*) ]] || exec cat
	python3 tests/vm/pages.py judge "${places[@]}"
}

# Numbers go on from kernel to kernel.
kernels_all() {
	local status=0 count=0 kernel
	for kernel in $kernels; do
		guest "$kernel" "$@" >"$tmp/out" || status=1
		sed -E '/^1\.\.[0-9]+$/d; /^(ok|not ok)/!s/^/# /' "$tmp/out" |
			awk -v n=$count '/^ok / { sub(/^ok [0-9]+/, "ok " ++n) }
				/^not ok / { sub(/^not ok [0-9]+/, "not ok " ++n) } { print }'
		count=$((count + $(grep -cE '^(ok|not ok) ' "$tmp/out")))
	done
	echo "1..$count"
	return $status
}

[ -z "$short" ] || [ $# -gt 0 ] || ! here_can || kernels+=' here' here=yes
kernels_all "$@" 2>&1 | cat
exit "${PIPESTATUS[0]}"
