// SPDX-License-Identifier: GPL-2.0-only
#include "hook/probe.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "facts/types.h"
#include "hook/hook.h"
#include "store/store.h"
#include "util/arch.h"
#include "util/file.h"
#include "util/refusal.h"

/* A function that nothing calls often and that no configuration leaves out. */
#define HARMLESS "bpf_fentry_test1"
#define HARMLESS_KPROBE "kernel_restart"
#define HARMLESS_TRACEPOINT "sched_process_exec"

#define CLOCKS "/sys/devices/system/clocksource/clocksource0/available_clocksource"

/* libbpf would index all types for each lookup. */
static int btf_id(const char *name, enum bpf_attach_type type)
{
	unsigned int kind = type == BPF_TRACE_RAW_TP ? BTF_KIND_TYPEDEF : BTF_KIND_FUNC;
	struct facts_types types;
	char full[128];
	int id;

	snprintf(full, sizeof(full), "%s%s",
		 type == BPF_TRACE_RAW_TP ? "btf_trace_"
		 : type == BPF_TRACE_ITER ? "bpf_iter_"
					  : "",
		 name);
	id = facts_types_read(&types, FACTS_KERNEL_BTF, NULL);
	if (id)
		return id;
	id = facts_types_find(&types, kind, full);
	facts_types_free(&types);
	return id ? id : -ENOENT;
}

static int probe_load(enum bpf_prog_type prog, enum bpf_attach_type attach, int id)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach, .attach_btf_id = id);

	return bpf_prog_load(prog, "kstats_probe", "GPL", insns, 2, &opts);
}

static int try_tracing(const char *name, enum bpf_attach_type type, bool attach, char *why,
		       size_t size)
{
	int id = btf_id(name, type), fd, link = 0;

	if (id < 0) {
		snprintf(why, size, "the kernel's BTF does not name it");
		return -ENOENT;
	}
	fd = probe_load(BPF_PROG_TYPE_TRACING, type, id);
	if (fd < 0) {
		refusal_blame(fd, why, size);
		return fd;
	}
	if (attach)
		link = bpf_raw_tracepoint_open(NULL, fd);
	if (link < 0)
		refusal_blame(link, why, size);
	if (link > 0)
		close(link);
	close(fd);
	return link < 0 ? link : 0;
}

static int try_fentry(char *why, size_t size)
{
	return try_tracing(HARMLESS, BPF_TRACE_FENTRY, true, why, size);
}

static int try_fsession(char *why, size_t size)
{
	int err = try_tracing(HARMLESS, HOOK_FSESSION, true, why, size);

	if (err == -EINVAL)
		snprintf(why, size, "this kernel has no fsession programs, which came with 7.0");
	return err;
}

static int try_tp_btf(char *why, size_t size)
{
	return try_tracing(HARMLESS_TRACEPOINT, BPF_TRACE_RAW_TP, true, why, size);
}

int probe_task_iter(char *why, size_t size)
{
	return try_tracing("task", BPF_TRACE_ITER, false, why, size);
}

static int try_kprobe(char *why, size_t size)
{
	struct plan_hook hook = { .type = PLAN_KPROBE,
				  .module = (char *)"",
				  .name = (char *)HARMLESS_KPROBE };
	int fd = probe_load(BPF_PROG_TYPE_KPROBE, 0, 0), perf;

	if (fd < 0) {
		refusal_blame(fd, why, size);
		return fd;
	}
	close(fd);
	perf = hook_perf_kprobe(&hook);
	if (perf == -ENOENT)
		snprintf(why, size, "the kernel was built without kprobe events");
	else if (perf < 0)
		refusal_blame(perf, why, size);
	else
		close(perf);
	return perf < 0 ? perf : 0;
}

static int try_trace_event(char *why, size_t size)
{
	const struct plan_hook plan = { .type = PLAN_TRACE_EVENT,
					.module = (char *)"",
					.name = (char *)HARMLESS_TRACEPOINT };
	int fd = probe_load(BPF_PROG_TYPE_TRACEPOINT, 0, 0), perf, link = 0;

	if (fd < 0) {
		refusal_blame(fd, why, size);
		return fd;
	}
	perf = hook_perf_event(&plan);
	if (perf >= 0)
		link = bpf_link_create(fd, perf, BPF_PERF_EVENT, NULL);
	if (perf == -ENOENT)
		snprintf(why, size, "tracefs is not mounted");
	else if (perf < 0 || link < 0)
		refusal_blame(perf < 0 ? perf : link, why, size);
	if (link > 0)
		close(link);
	if (perf >= 0)
		close(perf);
	close(fd);
	return perf < 0 ? perf : link < 0 ? link : 0;
}

static int try_kprobe_session(char *why, size_t size)
{
	const struct plan_hook hook = { .type = PLAN_KPROBE_SESSION,
					.module = (char *)"",
					.name = (char *)HARMLESS };
	const struct plan_hook *hooks = &hook;
	int fd = probe_load(BPF_PROG_TYPE_KPROBE, HOOK_KPROBE_SESSION, 0), link;

	if (fd < 0) {
		refusal_blame(fd, why, size);
		return fd;
	}
	link = hook_link_session(fd, &hooks, 1);
	if (link == -EINVAL || link == -EOPNOTSUPP)
		snprintf(
			why, size,
			"this kernel has no kprobe sessions, which came with 6.10 (CONFIG_FPROBE)");
	else if (link < 0)
		refusal_blame(link, why, size);
	else
		close(link);
	close(fd);
	return link < 0 ? link : 0;
}

/* A time stamp counter that is not stable is not offered to the kernel's clock either. */
static int try_direct(char *why, size_t size)
{
	const char *never = ARCH_NO_DIRECT;
	int err = never ? -EOPNOTSUPP : probe_kmod(why, size);
	char clocks[256];

	if (never)
		snprintf(why, size, "%s", never);
	if (err == -ENOENT)
		snprintf(why, size, "the module kstats is not loaded");
	if (err)
		return err;
	if (access("/sys/module/" KSTATS_MODULE "/parameters/direct", F_OK)) {
		snprintf(why, size, "the kernel has no direct calls of ftrace");
		return -EOPNOTSUPP;
	}
	if (file_first_line("", CLOCKS, clocks, sizeof(clocks)) || strstr(clocks, "tsc"))
		return 0;
	snprintf(why, size, "the time stamp counter is not stable");
	return -EOPNOTSUPP;
}

/* What a probe on a program can be tried on; nothing calls it. */
static __attribute__((noinline, used)) void harmless(void)
{
	asm volatile("");
}

/* Where that function is in the file of this program, or 0. */
static uint64_t harmless_offset(void)
{
	unsigned long begin, end, offset, at = (unsigned long)harmless;
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t found = 0;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 && at >= begin &&
		    at < end)
			found = at - begin + offset;
	if (f)
		fclose(f);
	return found;
}

static int try_user(enum plan_hook_type type, enum bpf_attach_type attach, char *why, size_t size)
{
	uint64_t offset = harmless_offset();
	const struct plan_hook hook = {
		.type = type,
		.places = { .path = (char *)"/proc/self/exe", .offsets = &offset, .n = 1 }
	};
	struct hook h = HOOK_NONE;
	int err;

	h.prog_fd = probe_load(BPF_PROG_TYPE_KPROBE, attach, 0);
	if (h.prog_fd < 0) {
		refusal_blame(h.prog_fd, why, size);
		return h.prog_fd;
	}
	err = hook_attach_user(&h, &hook, why, size);
	hook_close(&h);
	return err;
}

static int try_uprobe(char *why, size_t size)
{
	return try_user(PLAN_UPROBE, 0, why, size);
}

static int try_uprobe_multi(char *why, size_t size)
{
	int err = try_user(PLAN_UPROBE_MULTI, HOOK_UPROBE_MULTI, why, size);

	if (err == -EINVAL)
		snprintf(why, size,
			 "this kernel has no links for many uprobes, which came with 6.6");
	return err;
}

static int try_uprobe_session(char *why, size_t size)
{
	int err = try_user(PLAN_UPROBE_SESSION, HOOK_UPROBE_SESSION, why, size);

	if (err == -EINVAL)
		snprintf(why, size, "this kernel has no uprobe sessions, which came with 6.13");
	return err;
}

int probe_type(enum plan_hook_type type, char *why, size_t size)
{
	static int (*const probes[PLAN_HOOK_TYPES])(char *why, size_t size) = {
		[PLAN_FENTRY] = try_fentry,
		[PLAN_FEXIT] = try_fentry,
		[PLAN_KPROBE] = try_kprobe,
		[PLAN_KRETPROBE] = try_kprobe,
		[PLAN_TP_BTF] = try_tp_btf,
		[PLAN_FSESSION] = try_fsession,
		[PLAN_KPROBE_SESSION] = try_kprobe_session,
		[PLAN_TRACE_EVENT] = try_trace_event,
		[PLAN_DIRECT] = try_direct,
		[PLAN_UPROBE] = try_uprobe,
		[PLAN_URETPROBE] = try_uprobe,
		[PLAN_UPROBE_MULTI] = try_uprobe_multi,
		[PLAN_URETPROBE_MULTI] = try_uprobe_multi,
		[PLAN_UPROBE_SESSION] = try_uprobe_session,
	};

	return probes[type](why, size);
}

int probe_kmod(char *why, size_t size)
{
	int err;

	if (access("/sys/kernel/btf/" KSTATS_MODULE, F_OK)) {
		snprintf(why, size, "it is not loaded");
		return -ENOENT;
	}
	libbpf_set_print(NULL);
	*why = '\0';
	err = store_probe_kmod(why, size);
	if (err)
		refusal_blame_module(err, why, size);
	return err;
}
