// SPDX-License-Identifier: GPL-2.0-only
/*
 * template.c - choose the programs of the skeleton that a plan needs: helpers, which are
 * loaded, and templates, whose instructions are copied for each hook. See priv.h.
 *
 * A template is relocated but not loaded: the verifier takes most of the time, and it
 * verifies each copy anyway. libbpf relocates a program, then calls the handler of its
 * section, then loads it. The handler here keeps the instructions and what BTF tells of
 * their functions, and replaces them by a program of two instructions, which libbpf loads.
 */
#include "session/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sections of templates. The sections of helpers are longer: they name the attach point. */
static const char *const sections[SESSION_HANDLERS] = { "fentry",    "fexit",  "kprobe",
							"kretprobe", "tp_btf", "tracepoint" };

/* Some programs exist only in the objects of some kernels, so the skeleton lacks them. */
static struct bpf_program *template_find(const struct session *s, const char *name)
{
	return bpf_object__find_program_by_name(s->skel->obj, name);
}

/* Of a pair of several points. */
static struct bpf_program *several_program(const struct session *s, enum plan_hook_type type,
					   enum plan_role role)
{
	static const char *const kinds[PLAN_HOOK_TYPES] = {
		[PLAN_FENTRY] = "fentry",       [PLAN_TP_BTF] = "tp",
		[PLAN_KPROBE] = "kprobe",       [PLAN_UPROBE] = "uprobe",
		[PLAN_UPROBE_MULTI] = "uprobe", [PLAN_FEXIT] = "fexit",
		[PLAN_KRETPROBE] = "kretprobe",
	};
	static const char *const roles[PLAN_ROLES] = { "start", "end", "cancel", "via" };
	char name[64];

	if (!kinds[type])
		return NULL;
	snprintf(name, sizeof(name), "%s_%s_several", kinds[type], roles[role]);
	return template_find(s, name);
}

/* NULL if there is none, or none is needed. Those of trace events see no arguments. */
static struct bpf_program *program_of(const struct session *s, enum plan_hook_type type,
				      enum plan_role role)
{
	static const char *const names[PLAN_HOOK_TYPES][2] = {
		[PLAN_FENTRY] = { "fentry_start", "fentry_end" },
		[PLAN_FEXIT] = { "fexit_end", "fexit_end" },
		[PLAN_KPROBE] = { "kprobe_start", "kprobe_end" },
		[PLAN_KRETPROBE] = { "kretprobe_end", "kretprobe_end" },
		[PLAN_TP_BTF] = { "tp_start", "tp_end" },
		[PLAN_FSESSION] = { "fsession_both", "fsession_both" },
		[PLAN_KPROBE_SESSION] = { "kprobe_session_both", "kprobe_session_both" },
		[PLAN_TRACE_EVENT] = { "trace_event_start", "trace_event_end" },
		[PLAN_UPROBE] = { "uprobe_start", "uprobe_end" },
		[PLAN_URETPROBE] = { "uretprobe_end", "uretprobe_end" },
		[PLAN_UPROBE_MULTI] = { "uprobe_start", "uprobe_end" },
		[PLAN_URETPROBE_MULTI] = { "uretprobe_end", "uretprobe_end" },
		[PLAN_UPROBE_SESSION] = { "uprobe_session_both", "uprobe_session_both" },
	};
	const struct spec *spec = s->plan->spec;
	bool asks = type != PLAN_TRACE_EVENT && (spec->condition || spec->keys[0] || spec->value ||
						 spec->n_by || spec->parts || spec->why);
	char name[64];

	if (s->plan->is_several)
		return several_program(s, type, role);
	if (!names[type][role])
		return NULL;
	snprintf(name, sizeof(name), "%s%s", names[type][role], asks ? "_asking" : "");
	return template_find(s, name);
}

/* ---- which programs ---- */

/* Kinds of hooks of all ways in a plan, as bits; @types: by role. */
static void types_of(const struct plan *plan, unsigned int types[PLAN_ROLES])
{
	const struct plan_way *way;
	uint32_t i, w;

	memset(types, 0, PLAN_ROLES * sizeof(*types));
	for (i = 0; i < plan->n_probes; i++) {
		for (w = 0; w < plan->probes[i].n_ways; w++) {
			way = &plan->probes[i].ways[w];
			types[PLAN_START] |= 1U << way->start.type;
			types[way->end.role ? way->end.role : PLAN_END] |= 1U << way->end.type;
		}
	}
}

static void want_helpers(struct session *s, unsigned int types)
{
	bool command = s->skel->rodata->who_by_command, stamps = false, kprobes = false;
	bool deep = plan_has(s->plan, FACTS_COUNTS_DEEP) && types & 1U << PLAN_KPROBE_SESSION;
	unsigned int type, needs, i;

	for (type = 0; type < PLAN_HOOK_TYPES; type++) {
		stamps |= types & 1U << type && !plan_keeps_start(type) && type != PLAN_NO_HOOK;
		kprobes |= types & 1U << type && plan_is_kprobe(type);
	}
	stamps &= s->plan->spec->pairing == KSTATS_BY_TASK;
	/* Not all that the kernel skips of kprobe programs is in their own counts. */
	bpf_program__set_autoload(s->skel->progs.link_hits, kprobes && s->plan->reads_hits);
	kprobes &= s->plan->watch_bpf_calls;
	needs = (stamps ? SESSION_STAMPS : 0) | (command ? SESSION_COMMAND : 0) |
		(kprobes ? SESSION_BPF_CALLS : 0) | (deep ? SESSION_DEEP : 0);
	for (i = 0; session_helpers[i].name; i++)
		bpf_program__set_autoload(session_helper(s, i), session_helpers[i].needs & needs);
	session_parts_want(s);
	session_why_want(s);
	session_callees_want(s);
	bpf_program__set_autoload(s->skel->progs.tell_task, spec_follows(s->plan->spec));
	bpf_program__set_autoload(s->skel->progs.task_depths, deep);
	if (!deep) /* Else the kernel would make, and go through, the buckets of an unused table. */
		bpf_map__set_max_entries(s->skel->maps.deep_before, 1);
	bpf_program__set_autoload(s->skel->progs.prog_counts, true);
	bpf_program__set_autoload(s->skel->progs.map_bases, true);
}

bool session_needs_calls(const struct plan *plan)
{
	unsigned int types[PLAN_ROLES];

	types_of(plan, types);
	return types[PLAN_START] &
	       (1U << PLAN_FSESSION | 1U << PLAN_KPROBE_SESSION | 1U << PLAN_UPROBE_SESSION);
}

void session_want(struct session *s)
{
	unsigned int types[PLAN_ROLES], type;
	struct bpf_program *prog;
	int role;

	bpf_object__for_each_program(prog, s->skel->obj) bpf_program__set_autoload(prog, false);
	types_of(s->plan, types);
	want_helpers(s, types[PLAN_START] | types[PLAN_END] | types[PLAN_CANCEL] | types[PLAN_VIA]);
	for (type = 0; type < PLAN_HOOK_TYPES; type++) {
		for (role = 0; role < PLAN_ROLES; role++) {
			prog = types[role] & 1U << type ? program_of(s, type, role) : NULL;
			if (prog)
				bpf_program__set_autoload(prog, true);
		}
	}
}

/* ---- their instructions ---- */

void session_code_free(struct session_code *code)
{
	free((void *)code->insns);
	free((void *)code->funcs.info);
	*code = (struct session_code){};
}

/* NULL if out of memory. */
static void *copy(const void *from, size_t size)
{
	void *to = malloc(size);

	return to && size ? memcpy(to, from, size) : to;
}

static int code_of(struct session_code *code, struct bpf_program *prog,
		   const struct bpf_prog_load_opts *opts)
{
	size_t n = bpf_program__insn_cnt(prog);

	*code = (struct session_code){ .prog = prog, .n = n };
	code->insns = copy(bpf_program__insns(prog), n * sizeof(*code->insns));
	code->funcs.n = opts->func_info_cnt;
	code->funcs.size = opts->func_info_rec_size;
	code->funcs.btf = opts->prog_btf_fd;
	code->funcs.info = copy(opts->func_info, (size_t)code->funcs.n * code->funcs.size);
	if (code->insns && code->funcs.info)
		return 0;
	session_code_free(code);
	return -ENOMEM;
}

static int template_keep(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct session *s = (struct session *)cookie;
	struct session_code *code;
	int err;

	if (s->n_codes == SESSION_TEMPLATES)
		return -E2BIG;
	err = code_of(&s->codes[s->n_codes], prog, opts);
	if (err)
		return err;
	code = &s->codes[s->n_codes++];
	err = session_calls(&s->calls, code->insns, code->n);
	if (err)
		return err;
	/* The debug information describes the instructions that were replaced. */
	opts->func_info = NULL;
	opts->func_info_cnt = 0;
	opts->line_info = NULL;
	opts->line_info_cnt = 0;
	return bpf_program__set_insns(prog, nothing, 2);
}

int session_handlers(void)
{
	static int handler;

	if (!handler)
		handler = libbpf_register_prog_handler("kstats_unused", BPF_PROG_TYPE_SOCKET_FILTER,
						       0, NULL);
	return handler < 0 ? handler : 0;
}

int session_keep_begin(struct session *s)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)s,
		    .prog_prepare_load_fn = template_keep);
	int i, err = session_handlers();

	for (i = 0; !err && i < SESSION_HANDLERS; i++) {
		s->handlers[i] = libbpf_register_prog_handler(
			sections[i], BPF_PROG_TYPE_SOCKET_FILTER, 0, &opts);
		err = s->handlers[i] < 0 ? s->handlers[i] : 0;
	}
	return err;
}

void session_keep_end(struct session *s)
{
	int i;

	for (i = 0; i < SESSION_HANDLERS; i++) {
		if (s->handlers[i] > 0)
			libbpf_unregister_prog_handler(s->handlers[i]);
		s->handlers[i] = 0;
	}
}

struct session_code session_code(const struct session *s, enum plan_hook_type type,
				 enum plan_role role)
{
	return session_code_of(s, program_of(s, type, role));
}

struct session_code session_code_of(const struct session *s, const struct bpf_program *prog)
{
	unsigned int i;

	for (i = 0; prog && i < s->n_codes; i++)
		if (s->codes[i].prog == prog)
			return s->codes[i];
	return (struct session_code){};
}
