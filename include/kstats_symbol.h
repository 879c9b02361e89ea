/* SPDX-License-Identifier: GPL-2.0-only */
/* kstats_symbol.h - what the iterator over the kernel's symbols and user space share. */
#ifndef KSTATS_SYMBOL_H
#define KSTATS_SYMBOL_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/**
 * struct kstats_symbol - a symbol of the kernel, as the iterator over symbols reports it
 * @address: where it is; 0: the kernel hides it
 * @size: bytes of this structure with both names, a multiple of 8
 * @module: where in @text the name of its module begins; 0: it is of the kernel proper
 * @type: its letter, as in nm(1)
 * @text: its name, and that of its module; each ends with a NUL, and unused bytes may follow
 */
struct kstats_symbol {
	__u64 address;
	__u16 size;
	__u16 module;
	__u32 type;
	char text[];
};

#endif /* KSTATS_SYMBOL_H */
