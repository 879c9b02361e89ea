/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * streams.h - the three standard streams. In: the descriptors that the caller left open. Out:
 * three descriptors that no other file can get. Called by main.
 */
#ifndef KSTATS_STREAMS_H
#define KSTATS_STREAMS_H

/**
 * streams_reserve() - open a placeholder for each standard stream that is closed
 *
 * Otherwise the next file that is opened would get its number, and messages for standard error
 * would go into a recording. The placeholders cannot be read or written, so using them is
 * still an error. A command that is started finds these streams closed, as they were.
 */
void streams_reserve(void);

#endif /* KSTATS_STREAMS_H */
