// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbols.bpf.c - the symbols of the kernel, as a stream of struct kstats_symbol. In: an iterator
 * over them. Out: what user space reads from it. Loaded by src/facts/iterator.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "kstats_symbol.h"

/* A read delivers 8 pages at most, and the last symbol begins within @BLOCK. */
#define BLOCK 31744
#define NAME_SIZE 512 /* KSYM_NAME_LEN of the kernel */
#define MODULE_SIZE 64 /* of a module's name, MODULE_NAME_LEN or more */
#define SYMBOL_SIZE (sizeof(struct kstats_symbol) + NAME_SIZE + MODULE_SIZE)
#define WORDS 6 /* that are copied of a name without a call; 1 % of the names are longer */

#define IN_WORDS(n) (((n) + 7) & ~7U)

/* Longer by a word: the verifier does not know that sizes are multiples of a word. */
char block[BLOCK + SYMBOL_SIZE + sizeof(__u64)] __attribute__((aligned(8)));
__u32 used; /* bytes of @block */
__u64 next; /* number of the next symbol */

static __always_inline bool has_nul(__u64 word)
{
	return (word - 0x0101010101010101) & ~word & 0x8080808080808080;
}

/* Returns the bytes that the name takes, or 0. The call for strings goes byte by byte. */
static __always_inline __u32 copy_name(char *to, const struct kallsym_iter *from)
{
	const char *name = (const char *)from + bpf_core_field_offset(from->name);
	__u32 at;
	long n;

#pragma unroll
	for (at = 0; at < WORDS * sizeof(__u64); at += sizeof(__u64)) {
		__u64 word = *(const __u64 *)(name + at);

		*(__u64 *)(to + at) = word;
		if (has_nul(word))
			return at + sizeof(__u64);
	}
	n = bpf_probe_read_kernel_str(to, NAME_SIZE, name);
	return n < 0 || n > NAME_SIZE ? 0 : IN_WORDS((__u32)n);
}

/* Of a module the letter tells whether it is exported, as in /proc/kallsyms. */
static __always_inline __u32 letter(__u32 type, bool is_exported)
{
	if (is_exported)
		return type >= 'a' && type <= 'z' ? type - 'a' + 'A' : type;
	return type >= 'A' && type <= 'Z' ? type - 'A' + 'a' : type;
}

/* Returns the bytes that the name of the module takes, or 0. */
static __always_inline __u32 put_module(struct kstats_symbol *symbol, __u32 at,
					const struct kallsym_iter *from)
{
	long n = bpf_probe_read_kernel_str(symbol->text + at, MODULE_SIZE, from->module_name);

	if (n < 0 || n > MODULE_SIZE)
		return 0;
	symbol->module = at;
	symbol->type = letter(symbol->type, from->exported);
	return IN_WORDS((__u32)n);
}

/* Returns the bytes of the symbol, or 0. Each look at @from costs as much as several at @symbol. */
static __always_inline __u32 put_symbol(struct kstats_symbol *symbol,
					const struct kallsym_iter *from)
{
	__u32 name = copy_name(symbol->text, from), size = sizeof(*symbol) + name;

	if (!name)
		return 0;
	symbol->address = from->show_value ? from->value : 0;
	symbol->type = (unsigned char)from->type;
	symbol->module = 0;
	if (from->module_name[0])
		size += put_module(symbol, name, from);
	symbol->size = size;
	return size;
}

/*
 * If what is read has no room for the block, the kernel shows the same symbol again in the next
 * read. After the last one it calls once more, with a number that was there before.
 */
SEC("symbols")
int tell_symbol(struct bpf_iter__ksym *ctx)
{
	const struct kallsym_iter *from = ctx->ksym;
	bool is_end = !from || ctx->meta->seq_num < next;
	struct kstats_symbol *symbol;
	__u32 at = used, size;

	if (is_end || at >= BLOCK) {
		if (at > sizeof(block) || bpf_seq_write(ctx->meta->seq, block, at))
			return 0;
		used = at = 0;
	}
	if (is_end)
		return 0;
	next = ctx->meta->seq_num + 1;
	symbol = (struct kstats_symbol *)(block + at);
	size = put_symbol(symbol, from);
	if (size && symbol->text[0])
		used = at + size;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
