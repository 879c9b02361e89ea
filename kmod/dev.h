/* SPDX-License-Identifier: GPL-2.0-only */
/* dev.h - the file by which nodes are made. Included by dev.c and main.c. */
#ifndef KSTATS_KMOD_DEV_H
#define KSTATS_KMOD_DEV_H

/**
 * dev_init() - make the file, which cannot be opened yet
 *
 * Return: 0, or -errno with the reason in the kernel's log.
 */
int dev_init(void);

/** dev_ready() - let it be opened; loading can fail no more */
void dev_ready(void);

/** dev_exit() - remove it; nobody has it open */
void dev_exit(void);

#endif /* KSTATS_KMOD_DEV_H */
