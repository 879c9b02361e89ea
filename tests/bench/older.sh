#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# older.sh: which figures of docs/performance.md are older than the code they are about? A figure
# names the commit that it was measured on ("commit 04555566"); what is measured is said by the
# target of its section ("make bench-guest"). Goes out: for each section the last commit that it
# names, and how many commits have changed that code since. Called by `make bench`.

set -eu
cd "$(dirname "$0")/../.."
git rev-parse -q --verify HEAD >/dev/null 2>&1 ||
	{ echo 'bench/older: this is no repository, so the age of figures is not known' && exit; }

# What the figures of a target are about.
code_of() { # TARGET
	case $1 in
	bench-kmem) echo bpf/kmem* bpf/filter.bpf.h src/heap ;;
	bench-user) echo include src/node ;;
	bench-own) echo src/result src/format src/report src/store ;;
	bench-life) echo src/session src/hook src/facts src/plan ;;
	bench-step) echo include kmod/record.c ;;
	*) echo bpf/[!k]* bpf/kstats.bpf.c kmod/record.c kmod/direct.c src/hook/fold.c src/session/settings.c ;;
	esac
}

# Rows: section, target, commit. A section without a target has that of the one above it.
sections() {
	awk '
	/^##/ { tell(); sub(/^#+ /, ""); section = $0; commit = "" }
	/^    make bench-/ { target = $2 }
	{
		line = $0
		while (match(line, /commit [0-9a-f]+/)) {
			commit = substr(line, RSTART + 7, RLENGTH - 7)
			line = substr(line, RSTART + RLENGTH)
		}
	}
	END { tell() }
	function tell() { if (section && commit) print section "\t" target "\t" commit }' \
		docs/performance.md
}

sections | while IFS=$'\t' read -r section target commit; do
	if ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
		echo "$section: commit $commit is not known here"
		continue
	fi
	# shellcheck disable=SC2046
	n=$(git rev-list --count "$commit..HEAD" -- $(code_of "$target"))
	if [ "$n" -gt 0 ]; then
		echo "$section: $n commits have changed its code since $commit"
	else
		echo "$section: of the code of now ($commit)"
	fi
done
