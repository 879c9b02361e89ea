#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# builds.sh [RUNS]: the gate on two builds of one program, in C (lz4) and in C++ (tinyxml2). The
# sources are those of Debian's packages, each built at several levels of optimisation; only these
# programs are probed. Prints a row for each pair of builds, and fails if the same build does not
# pass, or -O0 does not fail. Takes root, a kernel with uprobes, and the network once. Called by
# `make bench-builds`.

set -eu
cd "$(dirname "$0")/../.."
runs=${1-6} program=$PWD/.output/kstats-bpf kept=$PWD/.output/bench/builds
mkdir -p "$kept"/apt/{lists,archives}/partial
cd "$kept"

fetch() { # PACKAGE...: their sources, by lists of our own
	local from lists
	compgen -G "$1-*/" >/dev/null && compgen -G "$2-*/" >/dev/null && return
	from=$(. /etc/os-release && echo "deb-src http://deb.debian.org/debian $VERSION_CODENAME main")
	echo "$from" >apt/sources.list
	lists=(-o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o "Dir::State::Lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt")
	apt-get "${lists[@]}" -qq update && apt-get "${lists[@]}" -qq source "$@" >/dev/null
}

fetch lz4 tinyxml2 2>apt/log || { cat apt/log; exit 1; }
lz4=$(echo lz4-*/lib) tinyxml2=$(echo tinyxml2-*/)

cat >lz4.c <<'C'
#include <lz4frame.h>
#include <stdio.h>

static char from[1 << 18], to[1 << 19];

int main(void)
{
	unsigned int i, random = 1;

	for (i = 0; i < sizeof(from); i++) {
		random = random * 1103515245 + 12345;
		from[i] = "the quick brown fox "[random >> 16 & 15];
	}
	for (i = 0; i < 100; i++)
		if (LZ4F_isError(LZ4F_compressFrame(to, sizeof(to), from, sizeof(from), NULL)))
			return 1;
	return 0;
}
C
cat >xml.cc <<'C'
#include <tinyxml2.h>
#include <string>

int main()
{
	std::string text = "<list>";

	for (int i = 0; i < 200; i++)
		text += "<item name='a" + std::to_string(i) + "'>a text &amp; more</item>";
	text += "</list>";
	for (int i = 0; i < 500; i++) {
		tinyxml2::XMLDocument document;
		if (document.Parse(text.c_str(), text.size()) != tinyxml2::XML_SUCCESS)
			return 1;
	}
	return 0;
}
C

build() { # LEVEL
	cc "$1" -I "$lz4" -DXXH_NAMESPACE=LZ4_ -o "lz4$1" lz4.c \
		"$lz4"/{lz4,lz4frame,lz4hc,xxhash}.c
	c++ "$1" -I "$tinyxml2" -o "xml$1" xml.cc "$tinyxml2/tinyxml2.cpp"
}
build -O2
build -O1
build -O0
cp lz4-O2 lz4-again && cp xml-O2 xml-again

failed=0
# The name of the linker tells apart the two Parse() of tinyxml2. It throws nothing, which nobody can
# know from outside.
gate() { # FUNCTION BASE NEW STATUS: its exit status matches; prints a row
	local out status=0
	out=$("$program" trace "u:%:$1" --throws --runs "$runs" --warmup 1 --vs "./$2" --max-increase p50=5% \
		-- "./$3" 2>&1) || status=$?
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" \
		"$(grep -oE 'p50 went from .*\)|^(pass|fail|inconclusive) ' <<<"$out" | xargs)"
	[[ $status =~ ^($4)$ ]] || { failed=1; echo "not ok: status $status: $out"; }
}
for names in 'LZ4F_compressFrame lz4' '_ZN8tinyxml211XMLDocument5ParseEPKcm xml'; do
	read -r function file <<<"$names"
	gate "$function" "$file-O2" "$file-again" '0|3'
	gate "$function" "$file-O2" "$file-O1" '0|1|3'
	gate "$function" "$file-O2" "$file-O0" 1
done
exit $failed
