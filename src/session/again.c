// SPDX-License-Identifier: GPL-2.0-only
/*
 * again.c - prepares a session that stays attached for its next run: all counts are
 * zero, as after a reset.
 */
#include "session/priv.h"

#include <errno.h>
#include <string.h>

#include "store/flight.h"

/*
 * Tasks that the last command left behind are not measured with the next one. Homes are cleared
 * first, so that no child is taken for one of the command any more, and again, since a program may
 * have been about to set one.
 */
static void forget_command(const struct session *s)
{
	int fd = bpf_map__fd(s->skel->maps.command_tasks);
	__u64 key;

	memset(s->skel->bss->command_homes, 0, sizeof(s->skel->bss->command_homes));
	session_wait_programs();
	while (!bpf_map_get_next_key(fd, NULL, &key))
		if (bpf_map_delete_elem(fd, &key) && errno != ENOENT)
			break;
	memset(s->skel->bss->command_homes, 0, sizeof(s->skel->bss->command_homes));
}

int session_again(struct session *s, const struct plan *plan, struct error *e)
{
	const struct flight f = {
		.pairing = plan->spec->pairing,
		.keys_fd = bpf_map__fd(s->skel->maps.keys),
	};
	int keys = bpf_map__fd(s->skel->maps.by_keys), err;

	s->plan = plan;
	/* Stamps from before this moment are ignored, also those of tasks that end later. */
	__atomic_store_n(&s->skel->bss->epoch_ns, clock_ns(CLOCK_MONOTONIC), __ATOMIC_SEQ_CST);
	session_wait_programs();
	err = store_reset(&s->store, e);
	if (!err && session_by_forget(&plan->by, keys, &s->skel->bss->by_taken))
		err = error_set(e, EXIT_KERNEL, -EIO, NULL, NULL, "cannot forget the keys of --by");
	if (err)
		return err;
	session_frames_forget(s->frames);
	flight_forget(&f);
	if (s->skel->rodata->who_by_command)
		forget_command(s);
	else if (spec_follows(plan->spec))
		err = session_direct_follow(s, 0);
	if (err)
		return error_set(e, EXIT_KERNEL, err, NULL, NULL,
				 "cannot forget the tasks of the last command");
	s->skel->bss->untracked_forks = 0;
	s->stopped = false;
	return 0;
}
