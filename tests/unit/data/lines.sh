#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# lines.sh ROOT: compile a small program in place of a kernel, and a module, with debug
# information in several forms, into ROOT/made; and the notes in ROOT/sys that tell their builds.
# Called by test_lines.

set -eu
cd "$1"
mkdir -p made linux-9.9/{mm,fs,include} usr/lib/debug/boot lib/modules/9.9/kernel/fs \
	sys/kernel sys/module/some_fs/notes usr/lib/debug/lib/modules/9.9/kernel/fs

cat >linux-9.9/include/helper.h <<'END'
extern int seen;
static inline __attribute__((always_inline)) int helper(int n)
{
	return n * seen;
}
END

# functions N: functions of several lines, with others inlined into them.
functions() {
	local i
	for ((i = 0; i < $1; i++)); do
		cat <<-END
		static inline __attribute__((always_inline)) int inner_$i(int n)
		{
			return helper(n + $i) + 7;
		}
		int outer_$i(int n)
		{
			if (n > seen)
				seen = inner_$i(n) ^ $i;
			for (int i = 0; i < n; i++)
				seen += i % 13;
			return helper(seen);
		}
		END
	done
}

{
	echo '#include "../include/helper.h"'
	echo 'int seen;'
	echo 'int _stext(void) { return 1; }'
	functions 40
} >linux-9.9/mm/first.c
{
	echo '#include "../include/helper.h"'
	functions 40 | sed 's/outer_/other_/'
} >linux-9.9/mm/second.c
{
	echo '#include "../include/helper.h"'
	echo '__attribute__((section(".init.text"))) int begin(int n) { return helper(n) + 3; }'
	echo 'static __attribute__((noinline)) int twice(int n) { return helper(n) + 9; }'
	functions 4
	echo 'int one(int n) { return twice(n); }'
} >linux-9.9/fs/module.c
{
	echo '#include "../include/helper.h"'
	echo 'static __attribute__((noinline)) int twice(int n) { return helper(n) - 9; }'
	echo 'int two(int n) { return twice(n); }'
} >linux-9.9/fs/module_two.c

compile=(gcc -Os -fno-pie -fno-align-functions -fno-asynchronous-unwind-tables)
program() { # NAME OPTION...: of the same sources
	local name=$1
	shift
	"${compile[@]}" "$@" -no-pie -nostdlib -static -Wl,--build-id=sha1,-e,_stext,-Ttext=0x81000000 \
		-o "made/$name" "$PWD/linux-9.9/mm/first.c" linux-9.9/mm/second.c
}
program vmlinux -g
program vmlinux.dwarf4 -gdwarf-4
program vmlinux.compressed -g -gz
program vmlinux.other -g -DOTHER -O1
objcopy -R .debug_aranges made/vmlinux made/vmlinux.units
objcopy --only-keep-debug made/vmlinux made/vmlinux.kept
objcopy -g made/vmlinux made/vmlinux.stripped

for part in module module_two; do
	"${compile[@]}" -g -c -o "made/$part.o" "linux-9.9/fs/$part.c"
done
ld -r --build-id=sha1 -o made/some_fs.ko made/module.o made/module_two.o
objcopy --only-keep-debug made/some_fs.ko made/some_fs.ko.kept
xz -k --check=crc32 made/some_fs.ko

notes() { # FILE TO: as sysfs shows them
	objcopy --dump-section ".note.gnu.build-id=$2" "$1" made/copy
}
for file in made/vmlinux*; do
	notes "$file" "$file.notes"
done
cp made/vmlinux.notes sys/kernel/notes
notes made/some_fs.ko sys/module/some_fs/notes/.note.gnu.build-id

# What addr2line tells of a thousand addresses, without those between functions.
nm -S --defined-only made/vmlinux | awk '$3 ~ /[Tt]/ { print $1, $2 }' | while read -r at size; do
	for ((i = 0; i < 16#$size; i++)); do
		printf '%x\n' $((16#$at + i))
	done
done | sort -u | head -n 1000 >made/addresses
addr2line -f -i -a -e made/vmlinux <made/addresses >made/answers
