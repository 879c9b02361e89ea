# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# The header of markers compiles as C and C++, with each form of linking, and leaves notes that
# other tracers read. Called by tests/run.

# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
warn=(-Wall -Wextra -Wpedantic -Wmissing-prototypes -Werror)
cat >"$tmp/one.c" <<-'C'
	#include "kstats_user.h"
	int two(long value);
	static int three(long value)
	{
		KSTATS_BEGIN(request);
		KSTATS_SAMPLE(batch, value);
		KSTATS_END(request);
		return value < 9 ? three(value + 1) : 0;
	}
	int main(void)
	{
		return two(7) + three(1) + (KSTATS_USER_STATE(batch) == KSTATS_USER_RECORDS);
	}
C
cat >"$tmp/two.c" <<-'C'
	#include "kstats_user.h"
	int two(long value);
	int two(long value)
	{
		KSTATS_SAMPLE(batch, value);
		return 0;
	}
C
cat >"$tmp/lambda.cc" <<-'C'
	#include "kstats_user.h"
	#include <vector>
	namespace inner {
	template <typename T> struct timed {
		timed() { KSTATS_BEGIN(in_template); }
		~timed() { KSTATS_END(in_template); }
		T value() const { auto f = [](T v) { KSTATS_SAMPLE(in_lambda, v); return v; }; return f(T(1)); }
	};
	}
	int main()
	{
		inner::timed<int> a;
		inner::timed<long> b;
		return std::vector<long>{a.value() - 1, b.value() - 1}[0];
	}
C

builds() { # NAME COMMAND...
	local name=$1 out
	shift
	out=$("$@" -Iinclude -o "$tmp/program" 2>&1 && KSTATS_USER_FOLDER=$tmp "$tmp/program" 2>&1)
	is "$name" "$?$out" 0
}

two=("$tmp/one.c" "$tmp/two.c")
for std in gnu99 gnu11 gnu17; do
	builds "$std" gcc -std=$std -O2 "${warn[@]}" "${two[@]}"
done
builds 'without optimization' gcc -O0 -g "${two[@]}"
builds 'link-time optimization' gcc -O2 -flto "${two[@]}"
builds 'unused sections dropped' gcc -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections "${two[@]}"
builds 'static' gcc -O2 -static "${two[@]}"
builds 'no position-independent code' gcc -O2 -fno-pie -no-pie "${two[@]}"
clang=$(command -v clang-16 clang | head -n 1)
builds 'clang' "$clang" -O2 "${warn[@]}" -Wmissing-variable-declarations -Wno-gnu-statement-expression \
	"${two[@]}"
for std in c++11 c++20; do
	builds "$std" g++ -x c++ -std=$std -O2 -Wall -Wextra -Werror "${two[@]}"
	builds "$std: templates, lambdas, namespaces" g++ -std=$std -O2 -Wall -Wextra -Werror \
		"$tmp/lambda.cc"
done


gcc -O2 -Iinclude -o "$tmp/program" "${two[@]}"
notes=$(readelf -n "$tmp/program" | sed -n 's/^ *Provider: //p; s/^ *Name: //p' | sort -u | tr '\n' ' ')
is 'notes of static probes' "$notes" 'batch kstats request_begin request_end '
has 'with the value as argument' "$(readelf -n "$tmp/program")" 'Arguments: 8@(%r|\$|-?[0-9]*\()'
is 'one marker for each name in a program' \
	"$(nm "$tmp/program" | awk '/kstats_user_marker_/ { print $3 }' | sort | tr '\n' ' ')" \
	'kstats_user_marker_batch kstats_user_marker_request '
address=$(readelf -n "$tmp/program" | sed -n 's/^ *Location: 0x0*\([0-9a-f]*\),.*/\1/p' | head -n 1)
has 'at a nop' "$(objdump -d "$tmp/program" | grep "^ *$address:")" '\snop$'
plan
