# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Functions and static probes of programs and libraries are found, whatever the file is like.
# Called by tests/run.

# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
cat >"$tmp/prog.c" <<-'C'
	#include <stdlib.h>
	#include "kstats_user.h"
	int net_send(int n);
	__attribute__((noinline)) int net_send(int n)
	{
		KSTATS_SAMPLE(packet, n);
		return n + 1;
	}
	__attribute__((noinline)) static int net_hidden(int n)
	{
		KSTATS_SAMPLE(packet, 2 * n);
		return n - 1;
	}
	asm(".globl net_nop, net_push, net_r12, net_jump, net_step\n"
	    ".globl net_nop2, net_nop5, net_nop8, net_nop9, net_nopx\n.text\n"
	    ".type net_nop, @function\nnet_nop: nop\nret\n"
	    ".type net_push, @function\nnet_push: push %rbx\npop %rbx\nret\n"
	    ".type net_r12, @function\nnet_r12: push %r12\npop %r12\nret\n"
	    ".type net_jump, @function\nnet_jump: jmp 1f\n1: ret\n"
	    ".type net_nop2, @function\nnet_nop2: .byte 0x66, 0x90\nret\n"
	    ".type net_nop5, @function\nnet_nop5: .byte 0x0f, 0x1f, 0x44, 0, 0\nret\n"
	    ".type net_nop8, @function\nnet_nop8: .byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\nret\n"
	    ".type net_nopx, @function\nnet_nopx: .byte 0x0f, 0x1f, 4, 0\nret\n"
	    ".type net_nop9, @function\nnet_nop9: .byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\nret\n"
	    ".type net_step, @function\nnet_step: endbr64\nret\n");
	static int chosen(int n) { return n; }
	static int (*choose(void))(int) { return chosen; }
	int net_choice(int n) __attribute__((ifunc("choose")));
	void net_no_end(void);
	int main(int argc, char **argv)
	{
		if (argc > 9)
			exit(net_choice(net_hidden(argc)));
		return net_send(argc) == 9;
	}
C
cat >"$tmp/names.cc" <<-'C'
	namespace net {
	struct socket { int send(int n); int send(long n); };
	__attribute__((noinline)) int socket::send(int n) { return n + 1; }
	__attribute__((noinline)) int socket::send(long n) { return n + 2; }
	}
	int main(int argc, char **) { return net::socket().send(argc) + net::socket().send(9L) == 0; }
C
cat >"$tmp/lib.c" <<-'C'
	int net_old(void); int net_new(void);
	int net_old(void) { return 1; }
	int net_new(void) { return 2; }
	__asm__(".symver net_old, net_call@V1\n.symver net_new, net_call@@V2");
C
printf 'V1 { };\nV2 { } V1;\n' >"$tmp/versions"
gcc -O2 -Iinclude -o "$tmp/prog" "$tmp/prog.c"
g++ -O1 -o "$tmp/names" "$tmp/names.cc"
gcc -O2 -shared -fPIC -Wl,--version-script="$tmp/versions" -o "$tmp/libnet.so" "$tmp/lib.c"

list() { timeout 60 kstats-bpf list "$@" 2>&1; }
listed() { timeout 60 kstats-bpf list --json "$@" 2>/dev/null; }
first() { list "u:$tmp/prog:$1" | sed 's/^[^ ]* *//'; }
is 'a nop' "$(first net_nop)" 'nop, emulated'
is 'a push' "$(first net_push)$(first net_r12)" 'push, emulatedpush, emulated'
is 'a jump' "$(first net_jump)" 'jump, emulated'
is 'a nop with a prefix' "$(first net_nop2)" 'nop, emulated'
is 'longer nops' "$(first net_nop5)$(first net_nop8)" \
	'long nop, emulated by new kernelslong nop, emulated by new kernels'
is 'nops that no kernel emulates' "$(first net_nop9)$(first net_nopx)" 'single-steppedsingle-stepped'
is 'another instruction' "$(first net_step)" 'single-stepped'
is 'a function of the file alone' "$(listed "u:$tmp/prog:net_hidden" | jq -r .name)" net_hidden
has 'one that is chosen at run time' "$(first net_choice)" '^no: it chooses among several'
has 'one of a library' "$(first exit)" '^no: it is in another file, and is called through a PLT'
has 'the begin of a program' "$(first _start)" 'only in pairs: it was not called'

# The place in the file is that of the bytes, whether the program can be moved or not.
cp "$tmp/prog" "$tmp/pie"
gcc -O2 -no-pie -Iinclude -o "$tmp/fixed" "$tmp/prog.c"
for prog in pie fixed; do
	at=$(listed "u:$tmp/$prog:net_push" | jq -r .offset)
	is "$prog: the bytes of the function are there" \
		"$(od -An -tx1 -j $((at)) -N 3 "$tmp/$prog" | tr -d ' ')" 535bc3
done
is 'marks: one name, two places' "$(listed "usdt:$tmp/prog" | jq -r '.name + " " + (.places|tostring)')" \
	'kstats:packet 2'
has 'marks: their arguments' "$(list "usdt:$tmp/prog:packet")" 'nop, emulated, 2 places; 8@'
at=$(listed "usdt:$tmp/prog" | jq -r .offset)
is 'marks: a nop is there' "$(od -An -tx1 -j $((at)) -N 1 "$tmp/prog" | tr -d ' ')" 90

is 'versions' "$(listed "u:$tmp/libnet.so:net_call" | jq -r .name | sort | tr '\n' ' ')" \
	'net_call net_call@V1 '
if list "u:$tmp/names:*send*" | grep -q '::'; then
	is 'names in the words of C++' \
		"$(listed "u:$tmp/names:net::*" | jq -r .name | tr '\n' ';')" \
		'net::socket::send(int);net::socket::send(long);'
else
	result ok 'names in the words of C++ # skip built without libiberty'
fi

# Stripped, and with the symbols in another file.
cp "$tmp/prog" "$tmp/stripped"
strip "$tmp/stripped"
has 'stripped: what would help' "$(list "u:$tmp/stripped:net_hidden")" 'stripped: .*debug symbols'
is 'stripped: marks are there' "$(listed "usdt:$tmp/stripped" | jq -r .places)" 2
nm -f posix --defined-only "$tmp/prog" | awk '$2 ~ /[tT]/ { print $1 }' >"$tmp/keep"
objcopy -S --remove-section .comment --keep-symbols="$tmp/keep" "$tmp/prog" "$tmp/mini"
xz -k "$tmp/mini"
objcopy --add-section .gnu_debugdata="$tmp/mini.xz" "$tmp/stripped" "$tmp/minied"
if ldd .output/kstats-bpf | grep -q lzma; then
	is 'the small table in a stripped file' \
		"$(listed "u:$tmp/minied:net_hidden" | jq -r .name)" net_hidden
else
	result ok 'the small table in a stripped file # skip built without liblzma'
fi

objcopy --only-keep-debug "$tmp/prog" "$tmp/debug"
id=$(readelf -n "$tmp/stripped" | sed -n 's/.*Build ID: \([0-9a-f]*\).*/\1/p')
named=$(unshare -m sh -c "mount -t tmpfs none /usr/lib/debug 2>/dev/null || exit 9
	mkdir -p /usr/lib/debug/.build-id/${id%"${id#??}"}
	cp '$tmp/debug' /usr/lib/debug/.build-id/${id%"${id#??}"}/${id#??}.debug
	kstats-bpf list --json 'u:$tmp/stripped:net_hidden' 2>/dev/null" 2>/dev/null)
if [ $? = 9 ] || [ "$(id -u)" != 0 ]; then
	result ok 'symbols in another file, by build id # skip this user cannot mount'
else
	is 'symbols in another file, by build id' "$(echo "$named" | jq -r .name)" net_hidden
fi

# Words that begin with u: and usdt: are completed.
is 'complete a file' "$(cd "$tmp" && kstats-bpf complete trace u:./prog)" 'u:./prog:'
is 'complete a folder' "$(kstats-bpf complete trace "u:${tmp%/*}/${tmp##*/}")" "u:$tmp/"
is 'no other files' "$(kstats-bpf complete trace "u:$tmp/prog.")" ''
is 'complete a function' "$(kstats-bpf complete trace "u:$tmp/prog:net_s" | tr '\n' ' ')" \
	"u:$tmp/prog:net_send u:$tmp/prog:net_step "
is 'complete a static probe' "$(kstats-bpf complete trace --start "usdt:$tmp/prog:ks")" \
	"usdt:$tmp/prog:kstats:packet"

# Without libdw, parameters have no names. Only the files that use libdw are compiled again.
less=.output/no-libdw
mkdir -p $less && cp -a .output/src .output/*.skel.h .output/*.bpf.o .output/*.d $less/
find $less -name '*.d' -exec sed -i "s|^\.output/|$less/|" {} +
rm -f $less/src/user/params.o $less/src/user/alternate.o $less/src/lines/*.o
make --no-print-directory -s OUT=$less LIBDW=0 >"$tmp/log" 2>&1
is 'it builds without libdw' "$? $(grep -i warning "$tmp/log")" '0 '
is 'and does not load it' "$(ldd $less/kstats-bpf | grep -c libdw)" 0
has 'names of parameters are then refused' \
	"$($less/kstats-bpf trace "u:$tmp/prog:net_send" --by size --dry-run 2>&1; echo $?)" \
	'the names of the parameters of net_send are not known: kstats-bpf was built without libdw;'
gcc -O2 -g -Iinclude -o "$tmp/told" "$tmp/prog.c"
if ldd .output/kstats-bpf | grep -q libdw; then
	has 'with it they are known' \
		"$(kstats-bpf trace "u:$tmp/told:net_send" --by n --dry-run 2>&1)" 'key of --by'
else
	result ok 'with it they are known # skip built without libdw'
fi

# Where files are found.
lib=$(ldd "$(command -v bash)" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')
is 'a library by its name' "$(listed u:libc:getpid | jq -r .offset)" \
	"$(listed "u:$lib:getpid" | jq -r .offset)"
sleep 600 &
pid=$!
until grep -qx sleep "/proc/$pid/comm" && grep -q 'libc\.so' "/proc/$pid/maps"; do sleep 0.01; done
is 'a library of a process' "$(listed u:libc:getpid -p $pid | jq -r .offset)" \
	"$(listed "u:$lib:getpid" | jq -r .offset)"
kill $pid
has 'no such library' "$(list u:libnone)" "cannot find 'libnone': it is not in the loader's cache"
has 'no program' "$(list u:/etc/passwd)" 'it is not an ELF program or library|cannot be read as ELF'
head -c 3000 "$tmp/prog" >"$tmp/cut"
list "u:$tmp/cut" >"$tmp/out"
is 'a file that is cut off ends without a crash' "$(($? < 5))" 1
# A symbol may hold any bytes but NUL.
name=$'f\xc2\x85g\xef\xbb\xbfh\xff'
printf '.globl "%s"\n.type "%s", @function\n.text\n"%s": nop\nret\n.size "%s", 2\n' \
	"$name" "$name" "$name" "$name" >"$tmp/strange.s"
gcc -shared -nostdlib -o "$tmp/strange.so" "$tmp/strange.s" 2>"$tmp/err"
is 'a name of strange bytes is safe in JSON' \
	"$(list --json "u:$tmp/strange.so" | jq -r 'select(.name | startswith("f")).name')" \
	'f\xc2\x85g\xef\xbb\xbfh\xff'

# Functions of which the compiler moved a part away, made several, or changed the parameters.
cat >"$tmp/clones.cc" <<-'C'
	extern "C" void fail(int) __attribute__((cold, noinline));
	void fail(int n) { if (n == 77) throw n; }
	__attribute__((noinline)) int price(int n) { if (n > 1000) { fail(n); fail(n + 1); return 3; } return n * 3; }
	template <class T> __attribute__((noinline)) T cost(T n) { return n * 5; }
	int main(int c, char **) { return price(c) + cost<int>(c) + cost<long>(c); }
C
g++ -O2 -g -o "$tmp/clones" "$tmp/clones.cc"
has 'the part is there' "$(nm "$tmp/clones")" 'price.*\.cold'
dry() { kstats-bpf trace --throws --dry-run "$@" 2>&1; }
has 'a part is not a second function' "$(dry "u:$tmp/clones:price")" 'entry to return of price'
if [ "$(ldd .output/kstats-bpf | grep -c libdw)" = 0 ]; then
	result ok 'parameters of a function in parts # skip built without libdw'
else
	known=$(dry "u:$tmp/clones:price" --by n)
	is 'parameters of a function in parts' "$(echo "$known" | grep -c 'are not known\|no parameter')" 0
fi
has 'copies of a template are suggested' "$(dry "u:$tmp/clones:cost")" \
	"it has 'int cost<int>\(int\)' or 'long cost<long>\(long\)'"
has 'so is one of them' "$(dry "u:$tmp/clones:cost<int>")" "it has 'int cost<int>\(int\)'"
is 'exceptions: refused without --throws' "$(kstats-bpf trace --dry-run "u:$tmp/clones:price" 2>&1 |
	grep -c 'would end the program.*add --throws')" 1
has 'list takes the names that trace takes' "$(kstats-bpf list "u:$tmp/clones:price" 2>/dev/null)" ':price\('
has 'list says so' "$(kstats-bpf list "u:$tmp/clones" 2>&1)" 'only with --throws'

has 'IFUNC: what to trace in its place' "$(dry u:libc:memchr)" \
	"if the program uses it: __memchr_|list u:BINARY' shows"

# All names of a function are judged alike.
cat >"$tmp/names.s" <<-'S'
	.globl setjmp, other_name, plain
	.type setjmp, @function
	.type other_name, @function
	.type plain, @function
	setjmp: other_name: nop
	ret
	plain: vpor %xmm1, %xmm2, %xmm3
	ret
S
gcc -shared -nostdlib -o "$tmp/names.so" "$tmp/names.s"
has 'a second name of setjmp' "$(list "u:$tmp/names.so:other_name")" 'only in pairs: it returns twice'
gcc -nostdlib -static -Wl,-N,-e,setjmp -o "$tmp/written" "$tmp/names.s"
has 'code that is writable in memory' "$(list "u:$tmp/written:other_name")" 'no: its code is writable'
has 'an instruction that would be left out' "$(list "u:$tmp/names.so:plain")" 'no: .*leave it out'

# Files that shrink a lot, or have many of something: in a few seconds and little memory.
limited() { (ulimit -t 4 && ulimit -v 400000 && kstats-bpf list --json "$@" 2>/dev/null | wc -l); }
python3 - "$tmp" <<-'P'
	import lzma, struct, sys
	with open(sys.argv[1] + '/notes.s', 'w') as f:
	    f.write('.globl f\n.type f,@function\nf: nop\nret\n.section .note.stapsdt,"","note"\n')
	    for i in range(40000):
	        f.write('.balign 4\n.4byte 8,%d,3\n.asciz "stapsdt"\n.8byte f,0,0\n.asciz "p"\n.asciz "m%d"\n'
	                '.byte 0\n' % (29 + len(str(i)), i))
	symbols = struct.pack('<IBBHQQ', 1, 0x12, 0, 1, 0x1000, 4) * 2000000
	strings = b'\0f\0\0.symtab\0.strtab\0'
	at = 64 + len(symbols)
	section = lambda *a: struct.pack('<IIQQQQIIQQ', *a)
	data = struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1' + bytes(9), 3, 62, 1, 0, 0,
	                   at + len(strings), 0, 64, 0, 0, 64, 3, 2) + symbols + strings + bytes(64)
	data += section(4, 2, 0, 0, 64, len(symbols), 2, 1, 8, 24)
	data += section(12, 3, 0, 0, at, len(strings), 0, 0, 1, 0)
	open(sys.argv[1] + '/many.xz', 'wb').write(lzma.compress(data, preset=0))
P
gcc -shared -nostdlib -o "$tmp/notes.so" "$tmp/notes.s"
is 'a file of 40,000 static probes' "$(limited "usdt:$tmp/notes.so")" 39999
objcopy --add-section .gnu_debugdata="$tmp/many.xz" "$tmp/stripped" "$tmp/shrunk"
is 'a small table that shrinks too much is not read' "$(limited "u:$tmp/shrunk")" \
	"$(limited "u:$tmp/stripped")"

# Debug information that is compressed, and a section of 2 MB that claims to be of 2 GB.
if ldd .output/kstats-bpf | grep -q libdw; then
	printf 'int named(int thing) { return thing * 3; }\nint main(int c) { return named(c); }\n' >"$tmp/named.c"
	gcc -g -O1 -gz=zlib -o "$tmp/packed" "$tmp/named.c"
	gcc -g -O1 -gz=zlib-gnu -o "$tmp/zdebug" "$tmp/named.c"
	gcc -g -O1 -o "$tmp/plain" "$tmp/named.c"
	# Without zstd in binutils it is as the first one.
	objcopy --compress-debug-sections=zstd "$tmp/plain" "$tmp/zstd" 2>/dev/null || cp "$tmp/packed" "$tmp/zstd"
	python3 - "$tmp" <<-'P'
		import struct, sys
		for name in 'packed', 'zdebug', 'zstd':
		    data = bytearray(open(f'{sys.argv[1]}/{name}', 'rb').read())
		    table, = struct.unpack_from('<Q', data, 0x28)
		    n, = struct.unpack_from('<H', data, 0x3c)
		    for at in range(table, table + 64 * n, 64):
		        flags, offset = struct.unpack_from('<Q8xQ', data, at + 8)
		        if flags & 0x800:
		            struct.pack_into('<Q', data, offset + 8, 1 << 31)
		        elif data[offset:offset + 4] == b'ZLIB':
		            struct.pack_into('>Q', data, offset + 4, 1 << 31)
		    open(f'{sys.argv[1]}/{name}-far', 'wb').write(data)
	P
	named() { # FILE: whether the parameter is known, in little memory
		(ulimit -t 4 && ulimit -v 400000 && timeout 10 kstats-bpf trace --throws --dry-run \
			"u:$tmp/$1:named" --if 'thing > 2' 2>&1 |
			grep -oE 'condition of|parameters of named are not known' | head -n 1)
	}
	printf 'ZLIB\xff\xff\xff\xff\xff\xff\xff\xff' >"$tmp/zlib"
	objcopy --add-section .other="$tmp/zlib" "$tmp/packed" "$tmp/other"
	is 'another section that begins as one that is compressed' "$(named other)" 'condition of'
	truncate -s 200M "$tmp/zeros"
	objcopy --add-section .debug_other="$tmp/zeros" "$tmp/packed" "$tmp/large"
	is 'large sections that are not needed are not read' "$(python3 - "$tmp/large" <<-'P'
		import resource, subprocess, sys
		subprocess.run(('kstats-bpf', 'trace', '--dry-run', f'u:{sys.argv[1]}:named', '--if', 'thing > 2'),
		               check=True, stdout=subprocess.DEVNULL)
		print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 100000)
	P
	)" True
	for file in packed zdebug; do
		is "debug information that is compressed: $file" "$(named $file)" 'condition of'
		is 'and that unpacks to far too much' "$(named $file-far)" 'parameters of named are not known'
	done
	# Old libraries do not know it, and new ones take the memory that it claims.
	is 'the same with zstd' "$(named zstd-far)" 'parameters of named are not known'

	# The type of each parameter is in another file, which the program names (dwz).
	gcc -g -O1 -S -dA -o "$tmp/named.s" "$tmp/named.c"
	elsewhere() { # FILE OTHER
		{
			sed '/(TAG: DW_TAG_formal_parameter)/,/DW_AT_location/s/\.uleb128 0x13\b/.uleb128 0x1f20/' "$tmp/named.s"
			printf '\t.section .gnu_debugaltlink,"",@progbits\n\t.asciz "%s"\n\t.zero 20,7\n' "$2"
		} >"$tmp/elsewhere.s"
		gcc -o "$tmp/$1" "$tmp/elsewhere.s"
		named "$1"
	}
	mkfifo "$tmp/pipe"
	is 'debug information in another file' "$(elsewhere beside plain)" 'condition of'
	is 'which is a pipe' "$(elsewhere by-pipe "$tmp/pipe")" 'parameters of named are not known'
	is 'which unpacks to far too much' "$(elsewhere by-far packed-far)" 'parameters of named are not known'
	is 'which leads to a third file' "$(elsewhere by-third beside)" 'parameters of named are not known'
	is 'which is not there' "$(elsewhere by-none nowhere)" 'parameters of named are not known'
else
	result ok 'compressed debug information # skip built without libdw'
fi
plan
