#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The steps of the example of a workflow, as they are written, on a runner whose workspace
# stays: three jobs one after another, as a user with sudo. In a guest whose clock counts
# instructions, with a function of known duration. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ko=$(tests/vm/build-kmod 6.12) || exit 1
mkdir "$tmp/bin" "$tmp/steps"
/usr/bin/python3 tests/vm/steps.py examples/ci/latency.yml "$tmp/steps" || exit 1
${CC:-cc} -o "$tmp/bin/sudo" tests/vm/sudo.c || exit 1

# What a runner has and the guest has not. Here, curl copies and make builds nothing.
cat >"$tmp/bin/curl" <<'CURL'
#!/bin/sh
echo "curl $*"
cp "$STEPS/../release.tar.xz" "$3"
CURL
mkdir -p "$tmp/release/kstats-bpf/sbin"
strip -o "$tmp/release/kstats-bpf/sbin/kstats-bpf" .output/kstats-bpf || exit 1
tar -C "$tmp/release" --owner=12345 -cJf "$tmp/release.tar.xz" kstats-bpf && rm -r "$tmp/release" || exit 1
cat >"$tmp/bin/make" <<'MAKE'
#!/bin/sh
echo "make $(basename "$2") ${3-} by $(id -u)"
case $3 in
'') [ ! -e "$2/broken" ] || exit 2 ;;
esac
MAKE

cat >"$tmp/runner" <<'RUNNER'
# One job, by the user: $1 its name, $2 and $3 the benchmark of each side.
name=$1 failed='' n=0
cd /home/user/w || exit 1
export GITHUB_SHA=1a2b3c GITHUB_PATH=/home/user/path GITHUB_STEP_SUMMARY=/home/user/summary
export RUNNER_TEMP=/home/user/temp
rm -rf $RUNNER_TEMP && mkdir $RUNNER_TEMP
: >$GITHUB_PATH >$GITHUB_STEP_SUMMARY
# As actions/checkout leaves them.
rm -rf base change && mkdir base change
echo "$2" >base/benchmark && echo "$3" >change/benchmark && chmod +x */benchmark
[ "$name" = broken ] && touch change/broken
. $STEPS/env.sh
export FUNCTION=kt_busy LIMIT=p50=5% RUNS=4 # the example has 6
KSTATS_SHA256=$(sha256sum $STEPS/../release.tar.xz | cut -d ' ' -f 1)
while read -r step; do
	n=$((n + 1))
	if ! eval "$(cat $STEPS/$n.if)"; then
		echo "$name: $step: left out"
		continue
	fi
	PATH=$(tr '\n' : <$GITHUB_PATH)$PATH bash -e $STEPS/$n.sh >/home/user/out 2>&1 </dev/null
	status=$?
	[ $status = 0 ] || failed=yes
	echo "$name: $step: status $status"
	sed "s/^/$name: $step: said /" /home/user/out
done <$STEPS/names
ls recordings latency.html 2>&1 | sed "s/^/$name: file /"
if [ -e recordings/run-1.json ] && ! cat recordings/* latency.html >/dev/null 2>&1; then
	echo "$name: file that cannot be read"
fi
sed "s/^/$name: summary /" $GITHUB_STEP_SUMMARY
RUNNER

cat >"$tmp/script" <<SCRIPT
insmod $ko
chmod 755 /sys/kernel/debug
chmod 666 /sys/kernel/debug/kstats_target/busy
chmod 755 $tmp $tmp/steps
cp $tmp/bin/* /usr/local/bin/
chmod 755 /usr/local/bin/*
chmod u+s /usr/local/bin/sudo
mkdir -p /home/user/w
rm /usr/bin/kstats-bpf
chown -R user:user /home/user
load() { echo "echo 1009 \$1 > /sys/kernel/debug/kstats_target/busy"; }
job() { # NAME BASE CHANGE: how long a call takes, ns
	su user -s /bin/bash -c 'PATH=/usr/local/bin:/usr/bin:/bin STEPS=$tmp/steps \
		bash $tmp/runner "\$@"' runner \$1 "\$(load \$2)" "\$(load \$3)"
}
# A job of this workflow as it was left the first two to root.
cd /home/user/w && mkdir recordings && touch recordings/base-1.json latency.html
job slower 10000 12000
job same 10000 10000
job broken 10000 12000
su user -s /bin/bash -c 'cd /home/user/w && rm -rf recordings latency.html && echo "the runner removed it"'
SCRIPT
clock='tsc=reliable clocksource=tsc' # from the beginning
out=$(tests/vm/run -f -k 6.12 -i -c 1 -K "$clock" -a "$ko" -a /bin/bash -a /usr/bin/tar -a /usr/bin/xz -a "$tmp" -- "sh $tmp/script" 2>&1)
is 'the guest ran' $? 0

of() { grep "^$1" <<<"$out" | sed "s/^$1//"; }
status() { # JOB STEP WANTED WHAT
	is "$4" "$(of "$1: $2: status ")" "$3"
}
change() { of "$1: summary " | sed -n 's/^| p50 |[^|]*|[^|]*| \([-+]*[0-9.]*\)% |.*/\1/p'; }

is 'pull requests from forks do not run on the machine' "$(cat "$tmp/steps/job.if")" \
	'github.event.pull_request.head.repo.full_name == github.repository'
status slower 'Begin anew' 0 'what root left in the workspace is removed'
status slower 'Install kstats-bpf, if it is missing' 0 'the program is installed'
archive=/home/user/temp/kstats-bpf.tar.xz
is 'once its sum is right' \
	"$(of 'slower: Install kstats-bpf, if it is missing: said ' | xargs)" \
	"curl -fsSL -o $archive https://example.org/kstats-bpf-VERSION-linux-amd64.tar.xz $archive: OK"
status slower 'Build both' 0 'both sides are built'
status slower 'Measure and judge' 1 'the job fails when the change is slower'
has 'with an annotation' "$(of 'slower: Measure and judge: said ')" \
	'^::error title=kt_busy%3A p50=5%25::fail'
status slower 'Show what changed' 0 'it shows what changed'
has 'for the pull request' "$(of 'slower: summary ')" '^\| p50 \|.*\| \+(1[5-9]|2[0-2])\.[0-9]% \|'
is 'and has files to upload' "$(of 'slower: file ' | xargs)" \
	"latency.html recordings: $(echo base-{1..4}.json run-{1..4}.json)"
status same 'Begin anew' 0 'the next job in this workspace begins anew'
is 'what is installed stays' "$(of 'same: Install kstats-bpf, if it is missing: said ')" \
	/usr/local/sbin/kstats-bpf
status same 'Measure and judge' 0 'and passes, since it is not slower'
is 'it shows its own figures' "$(awk -v c="$(change same)" 'BEGIN { print (c != "" && c > -2 && c < 2) }')" 1
is 'and has files of its own' "$(of 'same: file ' | xargs)" \
	"latency.html recordings: $(echo base-{1..4}.json run-{1..4}.json)"
status broken 'Build both' 2 'a job that does not come to measuring'
is 'measures nothing' "$(of 'broken: Measure and judge: ')" 'left out'
is 'and shows nothing of an earlier one' \
	"$(of 'broken: Show what changed: ') $(of 'broken: summary ')$(of 'broken: file ' | xargs)" \
	'left out ls: latency.html: No such file or directory recordings:'
is 'what root wrote is the runner'"'"'s to remove' "$(of 'the runner removed it' | wc -l)" 1
echo "# ${out//$'\n'/$'\n# '}" | grep -E '^# (slower|same|broken): ' | head -60
plan
