/* SPDX-License-Identifier: GPL-2.0-only */
/* kstats_callees.h - what the BPF programs and user space share of callees (--callees). */
#ifndef KSTATS_CALLEES_H
#define KSTATS_CALLEES_H

#include "kstats_abi.h"

#define KSTATS_CALLEES_MAX 15 /* functions that are traced within a call */
#define KSTATS_CALLEES_DEPTH 4 /* calls of one task, nested, whose callees are kept */

/**
 * struct kstats_callees - the time that an open call has spent in its callees
 * @call_ns: when the call began; 0: none
 * @since_ns: when the callee began that is in progress
 * @ident: lower half of an address in the frame of that callee; 0: none is in progress. Of a call
 *	that has ended: in its own frame
 * @nth: its number
 * @is_lost: a start or an end of a callee was not seen
 * @called: a bit for each callee that was called
 * @ns: time in each callee; the last of them: of a call that has ended, in the call itself
 */
struct kstats_callees {
	__u64 call_ns;
	__u64 since_ns;
	__u32 ident;
	__u32 nth;
	__u32 is_lost;
	__u32 called;
	__u64 ns[KSTATS_CALLEES_MAX + 1];
};

#endif /* KSTATS_CALLEES_H */
