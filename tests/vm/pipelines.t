#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The shell of the examples for pipelines, as it is written: two jobs one after another in a
# workspace that stays, as a user with sudo. In a guest whose clock counts instructions, with a
# function of known duration. `make test` has the action of GitHub alone; workflow.t has the
# workflow. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
files=(action/action.yml)
[ "${KSTATS_WHOLE-}" != yes ] || files+=(gitlab-ci.yml Jenkinsfile)
ko=$(tests/vm/build-kmod 6.12) || exit 1
mkdir "$tmp/bin"
for file in "${files[@]}"; do
	mkdir "$tmp/${file##*/}"
	/usr/bin/python3 tests/vm/pipeline_steps.py "examples/ci/$file" "$tmp/${file##*/}" || exit 1
done
${CC:-cc} -o "$tmp/bin/sudo" tests/vm/sudo.c || exit 1

# What a runner has and the guest has not: git makes the folder of the base, make nothing.
cat >"$tmp/bin/git" <<'GIT'
#!/bin/sh
[ "$1 $2" = 'worktree prune' ] && exit
[ "$1 $2 $3 $4 $5" = 'worktree add --force --detach base' ] && [ "$6" = "$WANTED" ] || exit 1
mkdir base && cp /home/user/base-benchmark base/benchmark
GIT
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ $# = 0 ] || [ "$1 $2" = "-C base" ]\n' >"$tmp/bin/make"

cat >"$tmp/runner" <<'RUNNER'
# One job: $1 the folder of its steps, $2 its name, $3 and $4 the benchmark of each side.
cd "/home/user/$(basename "$1")" || exit 1
export GITHUB_SHA=1a2b3c CI_COMMIT_SHA=1a2b3c GIT_COMMIT=1a2b3c CI_MERGE_REQUEST_DIFF_BASE_SHA=base-commit
export CHANGE_TARGET=main GITHUB_PATH=/home/user/path GITHUB_STEP_SUMMARY=/home/user/summary
export GITHUB_OUTPUT=/home/user/output RUNNER_TEMP=/home/user WANTED=base-commit
: >$GITHUB_PATH >$GITHUB_STEP_SUMMARY >$GITHUB_OUTPUT
echo "$3" >/home/user/base-benchmark && echo "$4" >benchmark && chmod +x /home/user/base-benchmark benchmark
case $1 in
*.yml) ;;
*) WANTED=origin/main ;;
esac
# As actions/checkout leaves them, for the action.
case $1 in
*action.yml) rm -rf base change && mkdir base change && cp benchmark change/ && cp /home/user/base-benchmark base/benchmark ;;
esac
. $1/env.sh
bash -eo pipefail $1/main.sh >/home/user/out 2>&1 </dev/null
echo "$2: status $?"
sed "s/^/$2: said /" /home/user/out
bash -eo pipefail $1/last.sh >/home/user/out 2>&1 </dev/null
echo "$2: at the end: status $?"
sed "s/^/$2: at the end: said /" /home/user/out
ls *.html recordings/* 2>&1 | sed "s/^/$2: file /"
grep -c '<failure' latency.xml 2>/dev/null | sed "s/^/$2: failures /"
sed "s/^/$2: summary /" $GITHUB_STEP_SUMMARY
sed "s/^/$2: output /" $GITHUB_OUTPUT
RUNNER

{
	cat <<-SCRIPT
	insmod $ko
	chmod 755 /sys/kernel/debug
	chmod 666 /sys/kernel/debug/kstats_target/busy
	chmod -R a+rX $tmp
	cp $tmp/bin/* /usr/local/bin/
	chmod 755 /usr/local/bin/*
	chmod u+s /usr/local/bin/sudo
	load() { echo "echo 1009 \$1 > /sys/kernel/debug/kstats_target/busy"; }
	job() { # STEPS NAME BASE CHANGE: how long a call takes, ns
		su user -s /bin/bash -c 'PATH=/usr/local/bin:/usr/bin:/bin bash $tmp/runner "\$@"' \
			runner \$1 \$2 "\$(load \$3)" "\$(load \$4)"
	}
	SCRIPT
	for file in "${files[@]##*/}"; do
		echo "mkdir -p /home/user/$file && chown -R user:user /home/user"
		echo "job $tmp/$file $file-slower 10000 12000"
		echo "job $tmp/$file $file-same 10000 10000"
	done
} >"$tmp/script"
clock='tsc=reliable clocksource=tsc' # from the beginning
out=$(tests/vm/run -f -k 6.12 -i -c 1 -K "$clock" -a "$ko" -a /bin/bash -a "$tmp" -- "sh $tmp/script" 2>&1)
is 'the guest ran' $? 0

of() { grep "^$1" <<<"$out" | sed "s/^$1//"; }
recordings=$(echo recordings/{base,run}-{1..6}.json)
for file in "${files[@]##*/}"; do
	page=latency.html
	[ "$file" != action.yml ] || page=recordings.html
	is "$file: a change that is slower fails" "$(of "$file-slower: status ")" 1
	is "$file: and shows what changed" "$(of "$file-slower: at the end: status ") $(of "$file-slower: file " | xargs)" \
		"0 $page $recordings"
	is "$file: the next job in this workspace passes" "$(of "$file-same: status ")" 0
	is "$file: with files of its own" "$(of "$file-same: at the end: status ") $(of "$file-same: file " | xargs)" \
		"0 $page $recordings"
	if [ "$file" = action.yml ]; then
		has "$file: with an annotation" "$(of "$file-slower: said ")" '^::error title=kt_busy%3A p50=5%25::fail'
		has "$file: for the pull request" "$(of "$file-slower: summary ")" '^\| p50 \|.*\| \+(1[5-9]|2[0-2])\.[0-9]% \|'
		is "$file: and tells of the page" "$(of "$file-slower: output ")" page=recordings.html
	else
		is "$file: JUnit has the failure" "$(of "$file-slower: failures ") $(of "$file-same: failures ")" '1 0'
	fi
done
echo "# ${out//$'\n'/$'\n# '}" | grep -E '^# .*-(slower|same): ' | head -80
plan
