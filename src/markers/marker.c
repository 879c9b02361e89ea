// SPDX-License-Identifier: GPL-2.0-only
/* marker.c - one name under which programs count. */
#include "markers/markers.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "kstats_user_abi.h"

/* Tell programs that a node changed, or is about to record, by a new version. */
static int marker_tell(int folder, bool changing)
{
	const struct pin_access all = { .mode = 0666, .owner = -1, .group = -1 };
	int fd = pin_user_get(folder, KSTATS_USER_VERSION, ""), err = fd < 0 ? fd : 0;

	if (fd == -ENOENT) {
		fd = user_version_make();
		err = fd < 0 ? fd : pin_user_put(folder, KSTATS_USER_VERSION, "", fd, &all);
	}
	if (!err)
		err = user_version_next(fd, changing);
	if (fd >= 0)
		close(fd);
	return err;
}

int marker_announce(int folder)
{
	return marker_tell(folder, false);
}

int marker_end(const struct marker *m)
{
	int err = user_set_session(m->maps, 0);

	return err ? err : user_set_gone(m->maps);
}

/* Programs that have found it leave it; else they would count in it until they end. */
static void marker_end_left(void *folder, const char *name)
{
	struct user_maps maps = USER_NO_MAPS;
	struct marker m = { .name = name, .maps = &maps };

	maps.control_fd = pin_user_get(*(int *)folder, name, "");
	if (maps.control_fd >= 0 && !marker_end(&m))
		marker_tell(*(int *)folder, false);
	user_maps_close(&maps);
}

void marker_sweep(int folder)
{
	pin_user_each_left(folder, marker_end_left, &folder);
}

bool marker_is_published(const struct marker *m, int folder)
{
	int fd = pin_user_get(folder, m->name, "");
	bool same = user_same_map(fd, m->maps->control_fd);

	if (fd >= 0)
		close(fd);
	return same;
}

/* The cells first: programs look for them as soon as they find the control. */
int marker_publish(const struct marker *m, int folder)
{
	int fd = pin_user_get(folder, m->name, ""), err = fd < 0 ? 0 : -EEXIST;

	if (fd >= 0)
		close(fd);
	else /* a killed process may have left cells without a control */
		pin_user_drop(folder, m->name, KSTATS_USER_CELLS);
	if (!err)
		err = pin_user_put(folder, m->name, KSTATS_USER_CELLS, m->maps->cells_fd,
				   &m->access);
	return err ? err : pin_user_put(folder, m->name, "", m->maps->control_fd, &m->access);
}

int marker_withdraw(const struct marker *m)
{
	int err = marker_end(m), folder;

	if (err)
		return err;
	folder = pin_user_open(m->folder, false, NULL);
	if (folder < 0)
		return 0;
	if (marker_is_published(m, folder)) {
		pin_user_drop(folder, m->name, "");
		pin_user_drop(folder, m->name, KSTATS_USER_CELLS);
	}
	err = marker_tell(folder, false);
	close(folder);
	return err;
}

int marker_record(const struct marker *m, int folder, uint64_t now_ns)
{
	int err = folder < 0 ? 0 : marker_tell(folder, true);

	if (!err)
		err = user_set_session(m->maps, now_ns);
	if (!err && folder >= 0)
		err = marker_tell(folder, false);
	return err;
}

int marker_halt(const struct marker *m)
{
	int folder, err = user_set_session(m->maps, 0);

	if (err)
		return err;
	user_wait();
	/* Without the folder, programs still see the stop each time they want to count. */
	folder = pin_user_open(m->folder, false, NULL);
	if (folder < 0)
		return 0;
	err = marker_tell(folder, false);
	close(folder);
	return err;
}

/* Of several only the first is told. */
static int marker_tell_unseen(struct snapshot *s, const struct user_odd *odd)
{
	if (s->unseen || (odd && !odd->slots && !odd->recorded))
		return 0;
	if (!odd) {
		s->unseen = strdup(MARKER_FROZEN);
		return s->unseen ? 0 : -ENOMEM;
	}
	if (asprintf(&s->unseen,
		     "inconsistent: programs wrote %" PRIu64 " impossible counts, which are left "
		     "out, and %" PRIu64 " more ends than begins",
		     odd->slots, odd->recorded) >= 0)
		return 0;
	s->unseen = NULL;
	return -ENOMEM;
}

int marker_read(const struct marker *m, struct snapshot *s, struct snapshot_node *node)
{
	struct user_odd odd;
	int err = user_read(m->maps, node, &odd);

	return err ? err : marker_tell_unseen(s, user_is_frozen(m->maps) ? NULL : &odd);
}
