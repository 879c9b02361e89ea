#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The verb recipes, and @NAME among the words of trace; what needs no guest. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
export PATH="$PWD/.output:$PATH"
# shellcheck source=tests/tap.sh
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export XDG_CONFIG_HOME=$tmp/config
own=$XDG_CONFIG_HOME/kstats-bpf/recipes
mkdir -p "$own"
chmod 755 "$own"

list=$(kstats-bpf recipes)
is 'each file is listed' "$(awk '{ print $1 }' <<<"$list" | xargs)" \
	"$(find recipes -name '*.recipe' -printf '%f\n' | sed 's/\.recipe//' | LC_ALL=C sort | xargs)"
is 'the list fits 80 columns' "$(awk 'length > 80' <<<"$list")" ''
is 'and each has a row in the docs' "$(for r in recipes/*.recipe; do
	r=${r##*/}
	grep -q "^| \`@${r%.recipe}[ \`]" docs/recipes.md || echo "${r%.recipe}"
done)" ''
is 'what is told of one fits 80 columns' "$(while read -r name _; do
	kstats-bpf recipes "$name" | awk 'length > 80'
done <<<"$list" | grep -v "'")" ''

# The command that is shown does what the name does.
same() { # WORD...
	eval "$(kstats-bpf recipes --show "$@") --dry-run" >"$tmp/shown" 2>&1
	kstats-bpf trace "@$1" "${@:2}" --dry-run >"$tmp/named" 2>&1
	is "--show $*" "$(cmp "$tmp/shown" "$tmp/named" 2>&1; head -c 4 "$tmp/shown")" plan
}
for recipe in biolat bioqueue cpudist hardirq offcpu runqlat softirq softirqwait tcpconnect \
	tcprtt tcpstates workqueue 'syscalls read'; do
	# shellcheck disable=SC2086
	same $recipe
done
why=$(kstats-bpf why @vfs --dry-run 2>&1)
has 'why takes the functions of a recipe together, and says so' "$why" \
	'^kstats-bpf: @vfs measures 8 functions: their calls are compared together, as with --merge$'
has 'and has one distribution' "$why" 'entry to return of 8 functions'
is 'without that line if it is to be quiet' "$(kstats-bpf why -q @vfs --dry-run 2>&1 | grep -c '^kstats-bpf:')" 0
has 'functions that the user names are not taken together' "$(kstats-bpf why vfs_read vfs_write --dry-run 2>&1)" \
	'^kstats-bpf: cannot look at 2 functions: .*name one, or add --merge$'
is 'completion of trace' "$(kstats-bpf complete trace @bio | xargs)" '@biolat @bioqueue'
is 'completion of node add' "$(kstats-bpf complete node add @biol)" @biolat
is 'completion of the formats of why' "$(kstats-bpf complete why @biolat -f '' | xargs)" \
	'summary json csv html perfetto'
is 'completion of recipes' "$(kstats-bpf complete recipes biol)" biolat
# The lines of the cookbook are planned; the command of one stands behind "--".
n=0
while read -r line; do
	n=$((n + 1))
	eval "${line/ -- / --dry-run -- }$([[ $line == *' -- '* ]] || echo ' --dry-run')" >"$tmp/out" 2>&1 </dev/null
	is "cookbook.md: ${line#kstats-bpf }" "$? $(head -c 4 "$tmp/out")" '0 plan'
done < <(sed -n 's/^    sudo \(kstats-bpf .*\)/\1/p' docs/cookbook.md)
is 'the cookbook has such lines' "$((n > 10))" 1
# So are those for who knows other tools: the last words in quotes of each row. What a shell would not
# take literally is in quotes.
# shellcheck disable=SC2016
rows() { sed -n 's/^| .*`\(kstats-bpf [^`]*\)` |$/\1/p' docs/coming-from.md; }
ln -s "$PWD/.output/kstats-bpf" "$tmp/prog"
is 'coming-from.md has such rows' "$(($(rows | wc -l) > 25))" 1
[ "${KSTATS_QUICK-}" ] || while read -r line; do
	(cd "$tmp" && eval "$line --dry-run") >"$tmp/out" 2>&1 </dev/null
	is "coming-from.md: ${line#kstats-bpf }" "$? $(grep -c '^kstats-bpf: ' "$tmp/out")" '0 0'
done < <(rows)
# shellcheck disable=SC2016 # bash expands it
is 'completion in bash, where @ parts words' "$(bash --norc -c '
	eval "$(kstats-bpf completion bash)"
	COMP_LINE="kstats-bpf trace @biol" COMP_POINT=22 COMP_WORDBREAKS="@:="
	_kstats_bpf 2>/dev/null; echo "${COMPREPLY[@]}"')" biolat

wrong() { # PATTERN WORD...
	has "${*:2}: one sentence" "$(kstats-bpf "${@:2}" 2>&1)" "$1"
	is "${*:2}: and no more" "$(kstats-bpf "${@:2}" 2>&1 | wc -l)" 1
}
wrong "@biolatt: there is none of that name; did you mean biolat" trace @biolatt
wrong 'it needs TYPE, of file systems' trace @fs
wrong 'belongs to no task' trace @softirq -- true
wrong 'happen while another task runs' trace @offcpu -- true
wrong "'Answers'?|does not say what it answers|none of that name" recipes nosuch
printf 'Answers: a\nTrace: vfs_read\nFoo: b\n' >"$own/bad.recipe"
wrong "bad.recipe', line 3: it begins with no field" trace @bad
printf 'Answers: a\nTrace: --start tp:nosuch_point --end tp:sched_switch --key cpu\nNeeds: the module nosuch\n' >"$own/bad.recipe"
wrong 'cannot run @bad: .*nosuch_point.*; it needs the module nosuch' trace @bad --dry-run
chmod 777 "$own"
wrong 'others may write to it or to its folder' trace @bad
chmod 755 "$own"
printf 'Answers: How long?\nTrace: --start tp:sched_switch --end tp:sched_switch --key cpu\n' >"$own/biolat.recipe"
chmod 644 "$own/biolat.recipe"
is 'an own one takes the place of one of the program' \
	"$(kstats-bpf recipes biolat | awk '/ from / { print $2 }')" "$own/biolat.recipe"
rm -r "$own"

# ---- Python's collections: a copy, since a probe is for all who run the file ----
python=$(realpath /usr/bin/python3)
if [ "$(id -u)" = 0 ] && readelf -n "$python" 2>/dev/null | grep -q gc__start; then
	cp "$python" "$tmp/python"
	collections() { # N: collect N times; some come by themselves before that
		kstats-bpf trace -q @gc "$tmp/python" -f csv -o "$tmp/out" -- "$tmp/python" -c \
			"import gc, os; gc.disable(); [gc.collect() for i in range($1)]; os._exit(0)"
		awk -F, 'NR > 1 && $5 == "all" { n += $9 } END { print n + 0 }' "$tmp/out"
	}
	is '@gc: collections' $(($(collections 197) - $(collections 100))) 97
else
	result ok '@gc # skip python3 has no static probes, or this is not root'
fi
plan
