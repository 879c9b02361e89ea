// SPDX-License-Identifier: GPL-2.0-only
/* node_user.c - `node add --user`: a node in which programs with markers count. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "kstats_user_abi.h"
#include "node/user.h"
#include "spec/spec.h"
#include "ui/nodes.h"
#include "util/units.h"
#include "util/users.h"

struct add_user {
	const char *path; /* of the nodes, or NULL */
	bool kmem; /* see add_kmem() in node.c */
	struct node_user what;
};

static int set_mode(void *to, const char *value, struct error *e)
{
	struct pin_access *a = to;
	char *end;
	unsigned long mode = strtoul(value, &end, 8);

	if (!isdigit((unsigned char)*value) || *end || mode & ~0666UL || (mode & 0600) != 0600)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "it is three digits of 0, 4 or 6, of which the first is 6",
				 "like 0660 for a group, 0666 for everybody",
				 "cannot use --mode '%s'", value);
	a->mode = mode;
	return 0;
}

static int set_node_group(void *to, const char *value, struct error *e)
{
	struct pin_access *a = to;
	unsigned long id;
	gid_t known;
	char *end;
	int err = users_group(value, &known);

	id = strtoul(value, &end, 10);
	if (err && (!isdigit((unsigned char)*value) || *end || id >= UINT32_MAX))
		return error_set(e, EXIT_USAGE, -ENOENT,
				 users_only_files() ? "there is no group of that name in /etc/group"
						    : "there is no group of that name",
				 "see 'getent group', or use a number", "cannot use --group '%s'",
				 value);
	a->group = err ? id : known;
	return 0;
}

static int node_user_set_name(void *to, const char *value, struct error *e)
{
	const char **name = to;

	if (!spec_is_marker(value))
		return error_set(e, EXIT_USAGE, -EINVAL, SPEC_MARKER_NAME, "see kstats_user(3)",
				 "cannot use --user '%s'", value);
	*name = value;
	return 0;
}

static int set_unit(void *to, const char *value, struct error *e)
{
	const char **unit = to;

	*unit = strcmp(value, "ns") ? value : NULL;
	if (!*unit || units_is_word(value))
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL,
			 "it is ns, bytes, none, or a word of up to 15 letters, digits, _ and -",
			 "samples are ns if they are durations", "cannot use --unit '%s'", value);
}

#define OPTIONS_OF struct add_user
#define MARKERS "Markers of programs"

/* clang-format off */
#define ADD_ROWS \
	NODES_PIN_ROOT("Where", path), \
	{ "kmem", 0, NULL, "Memory events", "count allocations, with options of kmem", \
	  OPTION_FLAG(kmem) }, \
	{ "user", 0, "NAME", MARKERS, "a node for markers of that name", \
	  OPTION_BY(what.name, node_user_set_name) }, \
	{ "mode", 0, "MODE", MARKERS, "who may count in it (0600; 0660 with --group)", \
	  OPTION_BY(what.access, set_mode) }, \
	{ "group", 0, "GROUP", MARKERS, "group that may count, too", \
	  OPTION_BY(what.access, set_node_group) }, \
	{ "user-folder", 0, "FOLDER", MARKERS, "where programs look (" KSTATS_USER_FOLDER ")", \
	  OPTION_FILLED(what.folder) }
/* clang-format on */

const struct option_row node_add_options[] = { ADD_ROWS, {} };

static const struct option_row user_options[] = {
	ADD_ROWS,
	{ "bits", 'b', "N", MARKERS, "2^N slots for each power of two, 0..5 (5)",
	  OPTION_NUMBER(what.bits, 0, KSTATS_BITS_MAX), .why = "bits are a number from 0 to 5" },
	{ "unit", 'u', "UNIT", MARKERS, "of samples: ns (default), bytes, none or a word",
	  OPTION_BY(what.unit, set_unit) },
	{},
};

int cmd_add_user(struct nodes *n, int argc, char **argv, struct error *e)
{
	struct add_user a = {
		.path = n->path,
		.what = { .folder = KSTATS_USER_FOLDER,
			  .bits = KSTATS_BITS_MAX,
			  .access = { .owner = -1, .group = -1 } },
	};
	char *words = nodes_join(argc - 1, argv + 1);
	int first, err = words ? options_parse(user_options, &a, argc, argv, &first, e) : -ENOMEM;

	if (!err && first < argc)
		err = error_set(e, EXIT_USAGE, -EINVAL, "programs tell what is measured",
				"leave it out", "cannot use '%s' with --user", argv[first]);
	if (!err && a.kmem)
		err = error_set(e, EXIT_USAGE, -EINVAL, "a node is of one kind", "leave one out",
				"cannot combine --user with --kmem");
	if (!a.what.access.mode)
		a.what.access.mode = a.what.access.group == (gid_t)-1 ? 0600 : 0660;
	n->path = a.path;
	if (!err)
		err = nodes_add_user(n, &a.what, words, e);
	free(words);
	return err;
}
