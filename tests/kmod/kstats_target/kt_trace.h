/* SPDX-License-Identifier: GPL-2.0-only */
/* kt_trace.h - the module's own pair of tracepoints, joined by their id. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kstats_target

#if !defined(KT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KT_TRACE_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(kt_tp,
	TP_PROTO(u64 id),
	TP_ARGS(id),
	TP_STRUCT__entry(__field(u64, id)),
	TP_fast_assign(__entry->id = id;),
	TP_printk("id=%llu", __entry->id)
);

DEFINE_EVENT(kt_tp, kt_tp_start, TP_PROTO(u64 id), TP_ARGS(id));
DEFINE_EVENT(kt_tp, kt_tp_end, TP_PROTO(u64 id), TP_ARGS(id));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE kt_trace
#include <trace/define_trace.h>
