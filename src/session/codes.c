// SPDX-License-Identifier: GPL-2.0-only
/*
 * codes.c - the instructions of the templates, relocated and not loaded. In:
 * a session whose object is about to be loaded. Out: codes, which hooks are copied
 * from. Called by load.c and hooks.c.
 *
 * libbpf has relocated a program when it asks the handler of its section for the
 * last word. This one takes the instructions away and leaves a program of two.
 */
#include "session/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sections of templates; those of the helpers' programs name what they attach to. */
static const char *const sections[SESSION_HANDLERS] = { "fentry",    "fexit",  "kprobe",
							"kretprobe", "tp_btf", "tracepoint" };

static int keep(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct session *s = (struct session *)cookie;
	size_t n = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns;

	if (s->n_codes == SESSION_TEMPLATES)
		return -E2BIG;
	insns = malloc(n * sizeof(*insns));
	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(prog), n * sizeof(*insns));
	s->codes[s->n_codes++] = (struct session_code){ prog, insns, n };
	/* What describes the instructions goes with them. */
	opts->func_info = NULL;
	opts->func_info_cnt = 0;
	opts->line_info = NULL;
	opts->line_info_cnt = 0;
	return bpf_program__set_insns(prog, nothing, 2);
}

/*
 * libbpf frees its list with the last handler and keeps the pointer (seen in 1.1), so
 * one that no program asks for stays for good.
 */
static int keep_list(void)
{
	static int handler;

	if (!handler)
		handler = libbpf_register_prog_handler("kstats_unused", BPF_PROG_TYPE_SOCKET_FILTER,
						       0, NULL);
	return handler < 0 ? handler : 0;
}

int session_keep_codes(struct session *s)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)s,
		    .prog_prepare_load_fn = keep);
	int i, err;

	for (i = 0; i < SESSION_HANDLERS; i++)
		s->handlers[i] = -1;
	err = keep_list();
	if (err)
		return err;
	for (i = 0; i < SESSION_HANDLERS; i++) {
		s->handlers[i] = libbpf_register_prog_handler(
			sections[i], BPF_PROG_TYPE_SOCKET_FILTER, 0, &opts);
		if (s->handlers[i] < 0)
			return s->handlers[i];
	}
	return 0;
}

void session_keep_end(struct session *s)
{
	int i;

	for (i = 0; i < SESSION_HANDLERS; i++)
		if (s->handlers[i] >= 0)
			libbpf_unregister_prog_handler(s->handlers[i]);
}

struct session_code session_code(const struct session *s, enum plan_hook_type type, bool end)
{
	const struct bpf_program *prog = session_template(s, type, end);
	unsigned int i;

	if (!prog)
		return (struct session_code){};
	if (!s->untried)
		return (struct session_code){
			.prog = prog,
			.insns = bpf_program__insns(prog),
			.n = bpf_program__insn_cnt(prog),
		};
	for (i = 0; i < s->n_codes; i++)
		if (s->codes[i].prog == prog)
			return s->codes[i];
	return (struct session_code){};
}
