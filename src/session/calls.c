// SPDX-License-Identifier: GPL-2.0-only
/* calls.c - the numbers of the kfuncs that programs call; see kstats_calls.h and priv.h. */
#include "session/priv.h"

#include <errno.h>

#include "facts/types.h"
#include "kstats_calls.h"

static const char *const calls_names[KSTATS_CALLS] = {
	[KSTATS_CALL_IS_RETURN] = "bpf_session_is_return",
	[KSTATS_CALL_COOKIE] = "bpf_session_cookie",
	[KSTATS_CALL_TASK_NEW] = "bpf_iter_task_new",
	[KSTATS_CALL_TASK_NEXT] = "bpf_iter_task_next",
	[KSTATS_CALL_TASK_DESTROY] = "bpf_iter_task_destroy",
	[KSTATS_CALL_RECORD] = "kstats_record",
	[KSTATS_CALL_ARRAY_RECORD] = "kstats_array_record",
};

static int calls_of_module(struct session_calls *calls)
{
	struct facts_types types = {};
	int i, err;

	err = facts_types_read(&types, FACTS_BTF_DIR "/" KSTATS_MODULE, calls->types);
	if (err)
		return err;
	for (i = KSTATS_CALL_MODULE; i < KSTATS_CALLS; i++)
		calls->ids[i] = facts_types_find(&types, BTF_KIND_FUNC, calls_names[i]);
	facts_types_free(&types);
	calls->has_module = true;
	return 0;
}

static int calls_find(struct session_calls *calls, uint32_t call)
{
	if (calls->ids[call])
		return 0;
	if (call >= KSTATS_CALL_MODULE)
		return calls->has_module ? 0 : calls_of_module(calls);
	calls->ids[call] = facts_types_find(calls->types, BTF_KIND_FUNC, calls_names[call]);
	return 0;
}

/* One that the kernel lacks stays as it is: the verifier refuses it unless the code is dead. */
int session_calls(struct session_calls *calls, struct bpf_insn *insns, size_t n)
{
	struct bpf_insn *i;
	uint32_t call;
	int err;

	for (i = insns; i < insns + n; i++) {
		call = i->imm - KSTATS_CALL_MAGIC;
		if (i->code != (BPF_JMP | BPF_CALL) || i->src_reg || call >= KSTATS_CALLS)
			continue;
		err = calls_find(calls, call);
		if (err)
			return err;
		if (!calls->ids[call])
			continue;
		i->src_reg = BPF_PSEUDO_KFUNC_CALL;
		i->imm = (int32_t)calls->ids[call];
		i->off = call >= KSTATS_CALL_MODULE; /* in the descriptors of hook.c */
	}
	return 0;
}
