// SPDX-License-Identifier: GPL-2.0-only
/* types.c - what is known of each way to observe a point: a row for each type of hook. */
#include "plan/plan.h"

/* clang-format off */
const struct plan_type plan_types[PLAN_HOOK_TYPES] = {
	[PLAN_FENTRY] = { "fentry", EXPR_CTX_TRACE, PLAN_SKIPS_PREEMPTED },
	[PLAN_FEXIT] = { "fexit", EXPR_CTX_TRACE, PLAN_SKIPS_PREEMPTED, .is_return = true },
	[PLAN_KPROBE] = { "kprobe", EXPR_CTX_REGS, PLAN_SKIPS_NONE, .is_kprobe = true },
	[PLAN_KRETPROBE] = { "kretprobe", EXPR_CTX_REGS, PLAN_SKIPS_NONE, .is_kprobe = true,
			     .is_return = true, .loses_params = true },
	[PLAN_TP_BTF] = { "tp_btf", EXPR_CTX_TP, PLAN_SKIPS_AT_TRACEPOINTS, .is_tracepoint = true },
	[PLAN_FSESSION] = { "fsession", EXPR_CTX_TRACE, PLAN_SKIPS_PREEMPTED, .is_session = true },
	[PLAN_KPROBE_SESSION] = { "kprobe session", EXPR_CTX_REGS, PLAN_SKIPS_AS_SESSION,
				  .is_session = true, .is_kprobe = true, .loses_params = true },
	[PLAN_TRACE_EVENT] = { "trace event", EXPR_CTX_TRACE, PLAN_SKIPS_NONE, .is_kprobe = true,
			       .is_tracepoint = true },
	[PLAN_DIRECT] = { "direct", EXPR_CTX_TRACE, PLAN_SKIPS_NONE },
	[PLAN_UPROBE] = { "uprobe", EXPR_CTX_REGS, PLAN_SKIPS_NONE, .is_user = true,
			  .loses_params = true },
	[PLAN_URETPROBE] = { "uretprobe", EXPR_CTX_REGS, PLAN_SKIPS_NONE, .is_user = true,
			     .is_return = true, .loses_params = true },
	[PLAN_UPROBE_MULTI] = { "uprobe multi", EXPR_CTX_REGS, PLAN_SKIPS_NONE, .is_user = true,
				.loses_params = true },
	[PLAN_URETPROBE_MULTI] = { "uretprobe multi", EXPR_CTX_REGS, PLAN_SKIPS_NONE,
				   .is_user = true, .is_return = true, .loses_params = true },
	[PLAN_UPROBE_SESSION] = { "uprobe session", EXPR_CTX_REGS, PLAN_SKIPS_NONE,
				  .is_session = true, .is_user = true, .loses_params = true },
	[PLAN_NO_HOOK] = { "none", EXPR_CTX_TRACE, PLAN_SKIPS_NONE },
};
/* clang-format on */
