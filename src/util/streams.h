/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * streams.h - the three standard streams. In: what whoever started the program
 * left open. Out: three descriptors that nothing else gets. Called by main.
 */
#ifndef KSTATS_STREAMS_H
#define KSTATS_STREAMS_H

/**
 * streams_reserve() - fill the standard streams that are closed
 *
 * Else the next file that is opened gets their number, and what is said on
 * standard error lands in a recording. What fills them cannot be read or
 * written, so that it is still an error to want it, and a command that is
 * started finds them closed as they were.
 */
void streams_reserve(void);

#endif /* KSTATS_STREAMS_H */
