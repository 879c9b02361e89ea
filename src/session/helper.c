// SPDX-License-Identifier: GPL-2.0-only
/*
 * helper.c - programs whose point of attachment is named by their section. In: an object that is
 * about to be opened. Out: its programs with the BTF ids of these points. Called by load.c and
 * heap.
 *
 * For one program on a tracepoint, libbpf would read all types of the kernel again, by one system
 * call for each page. It does so if the program has a type that attaches by BTF; so that type is
 * set here, after the id has been looked up in the types that are already known.
 */
#include "session/priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/types.h"

static const struct {
	const char *section;
	unsigned int kind;
	const char *prefix; /* of the name in BTF */
	enum bpf_attach_type attach;
} points[SESSION_POINTS] = {
	{ "tp_btf/", BTF_KIND_TYPEDEF, "btf_trace_", BPF_TRACE_RAW_TP },
	{ "iter/", BTF_KIND_FUNC, "bpf_iter_", BPF_TRACE_ITER },
	{ "fentry/", BTF_KIND_FUNC, "", BPF_TRACE_FENTRY },
	{ "fexit/", BTF_KIND_FUNC, "", BPF_TRACE_FEXIT },
};

static int helper_calls(struct bpf_program *prog, const struct facts_types *types)
{
	struct session_calls calls = { .types = types };
	size_t n = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns = calloc(n, sizeof(*insns));
	int err;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(prog), n * sizeof(*insns));
	err = session_calls(&calls, insns, n);
	if (!err && memcmp(insns, bpf_program__insns(prog), n * sizeof(*insns)))
		err = bpf_program__set_insns(prog, insns, n);
	free(insns);
	return err;
}

static int resolve(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	const struct facts_types *types = (const struct facts_types *)cookie;
	const char *section = bpf_program__section_name(prog);
	char name[128];
	int i = 0, err;

	while (i < SESSION_POINTS - 1 &&
	       strncmp(section, points[i].section, strlen(points[i].section)))
		i++;
	snprintf(name, sizeof(name), "%s%s", points[i].prefix, strchr(section, '/') + 1);
	opts->attach_btf_id = facts_types_find(types, points[i].kind, name);
	if (!opts->attach_btf_id)
		return -ESRCH;
	opts->expected_attach_type = points[i].attach;
	err = bpf_program__set_expected_attach_type(prog, points[i].attach);
	if (!err)
		err = bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);
	return err ? err : helper_calls(prog, types);
}

int session_points_begin(const struct facts_types *types, int handlers[SESSION_POINTS])
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)types,
		    .prog_prepare_load_fn = resolve);
	int i, err = session_handlers();

	for (i = 0; !err && i < SESSION_POINTS; i++) {
		handlers[i] = libbpf_register_prog_handler(points[i].section,
							   BPF_PROG_TYPE_SOCKET_FILTER, 0, &opts);
		err = handlers[i] < 0 ? handlers[i] : 0;
	}
	return err;
}

void session_points_end(int handlers[SESSION_POINTS])
{
	int i;

	for (i = 0; i < SESSION_POINTS; i++) {
		if (handlers[i] > 0)
			libbpf_unregister_prog_handler(handlers[i]);
		handlers[i] = 0;
	}
}
