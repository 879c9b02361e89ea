#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# docs/ci.md: the steps of examples/ci/kernel.yml and the commands for a program, as they are written, by
# a user without privileges. The kernels are Debian's; the change is the same kernel, or one whose
# allocator checks itself. PROGRAM=FILE takes a static program that is there. Only in `make test-long`:
# 36 guests, 10 s of a processor each. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
if [ -z "${PROGRAM-}" ]; then
	make --no-print-directory -s -j2 static >"$tmp/log" 2>&1 || { cat "$tmp/log" && exit 1; }
	PROGRAM=.output/static/kstats-bpf
fi
kernel=$(tests/vm/fetch 6.12)/vmlinuz || exit 1
mkdir "$tmp/bin" "$tmp/steps" "$tmp/release" "$tmp/release/kstats" "$tmp/release/kstats/sbin"
/usr/bin/python3 tests/vm/steps.py examples/ci/kernel.yml "$tmp/steps" || exit 1
strip -s -w -K 'calibrate_on_*' -o "$tmp/release/kstats/sbin/kstats-bpf" "$PROGRAM"
tar -C "$tmp/release" -cJf "$tmp/release.tar.xz" kstats

# What a runner has: packages are installed, the release is fetched, and the kernels are built.
printf '#!/bin/sh\necho "sudo $*"\n' >"$tmp/bin/sudo"
# shellcheck disable=SC2016
printf '#!/bin/sh\ncp "%s" "$3"\n' "$tmp/release.tar.xz" >"$tmp/bin/curl"
printf '#!/bin/sh\necho "make $*"\n' >"$tmp/bin/make"
chmod 755 "$tmp" "$tmp/bin"/*
chown -R 65534:65534 "$tmp"

job() { # NAME: a job of that name; as nobody
	mkdir -p "$tmp/$1/base/arch/x86/boot" "$tmp/$1/base/scripts" "$tmp/$1/temp"
	cp "$kernel" "$tmp/$1/base/arch/x86/boot/bzImage"
	printf '#!/bin/sh\n' >"$tmp/$1/base/scripts/config" && chmod +x "$tmp/$1/base/scripts/config"
	cp -R "$tmp/$1/base" "$tmp/$1/change"
	mkdir "$tmp/$1/change/.github" && cp examples/ci/boot-kernels "$tmp/$1/change/.github/"
	chown -R 65534:65534 "$tmp/$1"
}
as_nobody() { # FOLDER COMMAND...
	local folder=$1
	shift
	(cd "$folder" && setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all \
		env -i HOME="$folder/temp" TMPDIR="$folder/temp" LC_ALL=C "$@")
}
workflow() { # NAME VARIABLE=VALUE...: prints the status of each step; what it says is in NAME/out.*
	local name=$1 n=0 status=none step
	shift
	job "$name"
	: >"$tmp/$name/path" && chown 65534 "$tmp/$name/path"
	while read -r step; do
		n=$((n + 1))
		as_nobody "$tmp/$name" PATH="$tmp/bin:/usr/local/bin:/usr/bin:/bin" GITHUB_PATH="$tmp/$name/path" \
			GITHUB_STEP_SUMMARY="$tmp/$name/summary" RUNNER_TEMP="$tmp/$name/temp" \
			SHA="$(sha256sum "$tmp/release.tar.xz")" bash -ec ". $tmp/steps/env.sh
				KSTATS_SHA256=\${SHA%% *}; PATH=\$(tr '\n' : <\$GITHUB_PATH)\$PATH; 
				export \"\$@\" KSTATS_SHA256; . $tmp/steps/$n.sh" job "$@" \
			>"$tmp/$name/out.$n" 2>&1 </dev/null
		status=$?
		echo "$step: $status"
	done <"$tmp/steps/names"
}

chown 65534 "$tmp/steps"/*
# What is opened takes memory of the caches, which one of the kernels checks.
# shellcheck disable=SC2016
opens=(FUNCTION=do_filp_open BENCHMARK='i=0; while [ $i -lt 1009 ]; do i=$((i + 1)); : </init; done')
same=$(workflow same "${opens[@]}" | xargs)
is 'the same kernel passes' "$same" 'Install: 0 Build both: 0 Measure and judge: 0 Show what changed: 0'
slower=$(workflow slower "${opens[@]}" APPEND_CHANGE=slub_debug=FZPU | xargs)
is 'a slower one fails' "$slower" 'Install: 0 Build both: 0 Measure and judge: 1 Show what changed: 0'
has 'with an annotation' "$(cat "$tmp/slower/out.3")" '^::error title=do_filp_open%3A p50=5%25::fail'
has 'and for the pull request' "$(cat "$tmp/slower/summary")" '^\| p50 \|'

# ---- a program ----
job program
mkdir -p "$tmp/program/build/base" "$tmp/program/build/change"
cat >"$tmp/parse.c" <<'C'
volatile unsigned sum;
__attribute__((noinline)) void parse(void)
{
	for (unsigned i = 0; i < STEPS; i++)
		sum += i;
}
int main(void)
{
	for (int i = 0; i < 1009; i++)
		parse();
}
C
for side in base:1000 change:1500; do
	gcc -O1 -static -DSTEPS="${side#*:}" -o "$tmp/program/build/${side%:*}/benchmark" "$tmp/parse.c"
done
cp examples/ci/boot-kernels "$tmp/program/"
chown -R 65534:65534 "$tmp/program"
# The lines of the page, for a program.
sed -n '/^## A change of a program/,$s/^    //p' docs/ci.md |
	sed -e 's#examples/ci/#./#' -e "s#KERNEL#$tmp/program/base/arch/x86/boot/bzImage#g" >"$tmp/page.sh"
as_nobody "$tmp/program" PATH=/usr/local/bin:/usr/bin:/bin KSTATS_BPF="$tmp/release/kstats/sbin/kstats-bpf" \
	sh -e "$tmp/page.sh" >"$tmp/out" 2>&1
is 'a slower program fails' $? 1
has 'and the page tells how much slower' "$(cat "$tmp/out")" 'p50 went from .* \(\+[2-4][0-9]'
[ "$not_ok" = 0 ] || tail -n 20 "$tmp"/*/out.* "$tmp/out" | sed 's/^/# /'
plan
