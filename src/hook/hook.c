// SPDX-License-Identifier: GPL-2.0-only
#include "hook/hook.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hook/fold.h"
#include "hook/returns.h"
#include "hook/splice.h"
#include "hook/trim.h"
#include "util/refusal.h"
#include "util/safe_str.h"

#define KPROBES_ON "/sys/kernel/debug/kprobes/enabled"
#define KPROBE_PMU "/sys/bus/event_source/devices/kprobe/"
#define LOG_SIZE (1024 * 1024)

static bool is_kprobe(const struct plan_hook *plan)
{
	return plan->type == PLAN_KPROBE || plan->type == PLAN_KRETPROBE;
}

static bool has_btf(const struct plan_hook *plan)
{
	return !is_kprobe(plan) && plan->type != PLAN_KPROBE_SESSION &&
	       plan->type != PLAN_TRACE_EVENT && !plan_is_user(plan->type);
}

/* ---- the copy ---- */

/* A 64-bit immediate load is two instructions, one half of the value in each. */
static unsigned int patch_word(struct bpf_insn *insns, size_t n, uint64_t magic, uint64_t word)
{
	unsigned int patched = 0;
	size_t i;

	for (i = 0; i + 1 < n; i++) {
		if (insns[i].code != (BPF_LD | BPF_IMM | BPF_DW) || insns[i].src_reg)
			continue;
		if ((uint32_t)insns[i].imm == (uint32_t)magic &&
		    (uint32_t)insns[i + 1].imm == (uint32_t)(magic >> 32)) {
			insns[i].imm = (int32_t)word;
			insns[i + 1].imm = (int32_t)(word >> 32);
			patched++;
		}
		i++;
	}
	return patched;
}

/* Without this the programs work as well, but take longer. */
static void fold_settings(struct bpf_insn *insns, size_t n, struct bpf_map *settings)
{
	struct fold_constants c = { .fd = bpf_map__fd(settings) };

	c.values = bpf_map__initial_value(settings, &c.size);
	if (c.values)
		fold_constants(insns, n, &c);
}

int hook_module_btf(const char *module)
{
	struct bpf_btf_info info;
	char name[64];
	__u32 id = 0, len;
	int fd;

	while (!bpf_btf_get_next_id(id, &id)) {
		fd = bpf_btf_get_fd_by_id(id);
		if (fd < 0)
			return -errno;
		memset(&info, 0, sizeof(info));
		info.name = (uintptr_t)name;
		info.name_len = sizeof(name);
		len = sizeof(info);
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) && !strcmp(name, module))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

/* Lines of the log that are no complaint: statistics, instructions, states. */
static bool is_talk(const char *line)
{
	static const char *const talk[] = { "processed ",
					    "verification time ",
					    "stack depth ",
					    "subprog ",
					    "from ",
					    "caller:",
					    "callee:",
					    ";",
					    " ",
					    "mark_precise",
					    "func#" };
	size_t i, digits = strspn(line, "0123456789");

	for (i = 0; i < sizeof(talk) / sizeof(*talk); i++)
		if (!strncmp(line, talk[i], strlen(talk[i])))
			return true;
	return !line[0] || (digits && line[digits] == ':');
}

static void print_line(libbpf_print_fn_t print, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(LIBBPF_WARN, format, args);
	va_end(args);
}

void hook_verifier_words(char *log, char *why, size_t size, int err)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	char *line, *save = NULL, *last = NULL;
	char safe[256];
	bool any = log[0];

	libbpf_set_print(print);
	for (line = strtok_r(log, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (print)
			print_line(print, "verifier: %s\n", safe_str(safe, sizeof(safe), line));
		if (!is_talk(line))
			last = line;
	}
	if (refusal_is_by_limit(err))
		refusal_blame(err, why, size);
	else if (refusal_few_files(err, why, size))
		return;
	else if (last)
		snprintf(why, size, "the kernel's verifier says: %s",
			 safe_str(safe, sizeof(safe), last));
	else if (any)
		snprintf(why, size, "the kernel's verifier refused it and gave no reason (%s)",
			 strerror(-err));
	else
		refusal_blame(err, why, size);
}

/* The type of program for each kind of hook. */
static const struct kind {
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
} kinds[PLAN_HOOK_TYPES] = {
	[PLAN_FENTRY] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY },
	[PLAN_FEXIT] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT },
	[PLAN_FSESSION] = { BPF_PROG_TYPE_TRACING, HOOK_FSESSION },
	[PLAN_TP_BTF] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP },
	[PLAN_KPROBE] = { BPF_PROG_TYPE_KPROBE },
	[PLAN_KRETPROBE] = { BPF_PROG_TYPE_KPROBE },
	[PLAN_KPROBE_SESSION] = { BPF_PROG_TYPE_KPROBE, HOOK_KPROBE_SESSION },
	[PLAN_TRACE_EVENT] = { BPF_PROG_TYPE_TRACEPOINT },
	[PLAN_UPROBE] = { BPF_PROG_TYPE_KPROBE },
	[PLAN_URETPROBE] = { BPF_PROG_TYPE_KPROBE },
	[PLAN_UPROBE_MULTI] = { BPF_PROG_TYPE_KPROBE, HOOK_UPROBE_MULTI },
	[PLAN_URETPROBE_MULTI] = { BPF_PROG_TYPE_KPROBE, HOOK_UPROBE_MULTI },
	[PLAN_UPROBE_SESSION] = { BPF_PROG_TYPE_KPROBE, HOOK_UPROBE_SESSION },
};

static int copy_load(const struct plan_hook *plan, const struct hook_template *template,
		     const struct splice_program *p, char *why, size_t size)
{
	const struct kind *kind = &kinds[plan->type];
	/* A call of a kfunc has the index of its BTF in this array; 0 is the kernel's own. */
	const int btfs[] = { 0, template->module_btf };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = kind->attach,
		    .attach_btf_id = has_btf(plan) ? plan->btf_id : 0,
		    .prog_btf_fd = template->funcs.btf, .func_info = p->funcs,
		    .func_info_cnt = p->n_funcs, .func_info_rec_size = p->func_size,
		    .fd_array = template->module_btf ? btfs : NULL);
	char *log = calloc(1, LOG_SIZE);
	int fd, btf_fd = 0;

	if (plan->module[0] && opts.attach_btf_id) {
		btf_fd = hook_module_btf(plan->module);
		if (btf_fd < 0) {
			fd = btf_fd;
			snprintf(why, size, "the BTF of its module cannot be read: %s",
				 strerror(-fd));
			goto out;
		}
		opts.attach_btf_obj_fd = btf_fd;
	}
	fd = bpf_prog_load(kind->type, "kstats", "GPL", p->insns, p->n, &opts);
	if (fd < 0 && log) {
		/* Load it again with a log, for the reason. The first error is reported. */
		opts.log_buf = log;
		opts.log_size = LOG_SIZE;
		opts.log_level = HOOK_LOG_LEVEL;
		bpf_prog_load(kind->type, "kstats", "GPL", p->insns, p->n, &opts);
	}
	if (fd < 0)
		hook_verifier_words(log ? log : strdupa(""), why, size, fd);
out:
	if (btf_fd > 0)
		close(btf_fd);
	free(log);
	return fd;
}

int hook_empty(const struct plan_hook *plan, char *why, size_t size)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct splice_program p = { .insns = insns, .n = 2 };
	const struct hook_template none = {};
	struct plan_hook hook = *plan;

	hook.type = PLAN_FENTRY;
	return copy_load(&hook, &none, &p, why, size);
}

static int put_code(struct splice_program *p, uint64_t magic, const struct plan_code *code)
{
	return code->n ? splice_function(p, magic, code->insns, code->n) : 0;
}

/* Everything that differs between the copies of a template. False if a place for it is missing. */
static bool fill_in(const struct plan_hook *plan, const struct hook_template *template,
		    struct splice_program *p)
{
	fold_settings(p->insns, p->n, template->settings);
	patch_word(p->insns, p->n, KSTATS_GUARD_MAGIC, template->guard);
	patch_word(p->insns, p->n, KSTATS_GATE_MAGIC, plan->gate.n > 0);
	return patch_word(p->insns, p->n, KSTATS_HOOK_MAGIC, plan->word) &&
	       !put_code(p, KSTATS_EXPR_START_MAGIC, &plan->if_start) &&
	       !put_code(p, KSTATS_EXPR_END_MAGIC, &plan->if_end) &&
	       !put_code(p, KSTATS_EXPR_KEY_MAGIC, &plan->key) &&
	       !put_code(p, KSTATS_EXPR_BY_MAGIC, &plan->by) &&
	       !put_code(p, KSTATS_EXPR_SHOW_MAGIC, &plan->show) &&
	       !put_code(p, KSTATS_EXPR_POINT_MAGIC, &plan->own) &&
	       !put_code(p, KSTATS_EXPR_KEEP_MAGIC, &plan->keep) &&
	       (!plan->gate.n || !splice_first(p, plan->gate.insns, plan->gate.n));
}

/* False without memory. */
static bool copy_template(struct splice_program *p, const struct hook_template *template)
{
	size_t funcs = (size_t) template->funcs.n * template->funcs.size;

	*p = (struct splice_program){ .n = template->n,
				      .n_funcs = template->funcs.n,
				      .func_size = template->funcs.size };
	p->insns = malloc(p->n * sizeof(*p->insns));
	p->funcs = funcs ? malloc(funcs) : NULL;
	if (!p->insns || (funcs && !p->funcs))
		return false;
	memcpy(p->insns, template->insns, p->n * sizeof(*p->insns));
	if (funcs)
		memcpy(p->funcs, template->funcs.info, funcs);
	return true;
}

int hook_copy(const struct plan_hook *plan, const struct hook_template *template, char *why,
	      size_t size)
{
	struct splice_program p;
	int fd = -ENOMEM;

	if (!copy_template(&p, template)) {
		snprintf(why, size, "out of memory");
	} else if (fill_in(plan, template, &p)) {
		/* Without memory for that it takes longer, as it is. */
		if (template->trims)
			trim_program(&p);
		fd = copy_load(plan, template, &p, why, size);
	} else {
		fd = -EINVAL;
		snprintf(why, size, "the program has no place for its hook word or an expression");
	}
	free(p.insns);
	free(p.funcs);
	return fd;
}

/* ---- the link ---- */

int hook_read_number(const char *path, const char *format)
{
	FILE *f = fopen(path, "re");
	int n = -ENOENT;

	if (!f)
		return -errno;
	if (fscanf(f, format, &n) != 1)
		n = -EINVAL;
	fclose(f);
	return n;
}

int hook_perf_kprobe(const struct plan_hook *plan)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int type = hook_read_number(KPROBE_PMU "type", "%d"), bit, fd;
	char name[256];

	if (type < 0)
		return type;
	attr.type = type;
	if (plan->type == PLAN_KRETPROBE) {
		bit = hook_read_number(KPROBE_PMU "format/retprobe", "config:%d");
		if (bit < 0)
			return bit;
		attr.config = 1ULL << bit;
	}
	snprintf(name, sizeof(name), "%s%s%s", plan->module, plan->module[0] ? ":" : "",
		 plan->name);
	attr.kprobe_func = (uintptr_t)name;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The kernel attaches kprobes without an error while they are off, and never hits them. */
static bool kprobes_are_off(void)
{
	return !hook_read_number(KPROBES_ON, "%d");
}

int hook_perf_event(const struct plan_hook *plan)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT };
	int id = facts_event_id("/", plan->name), fd;

	if (id < 0)
		return id;
	attr.config = id;
	/* The program runs on every CPU, whichever is named here. */
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int attach_perf(struct hook *h, const struct plan_hook *plan)
{
	if (is_kprobe(plan) && kprobes_are_off())
		return -EOPNOTSUPP;
	if (plan->type == PLAN_KRETPROBE)
		h->perf_fd = returns_open(plan, h->event, sizeof(h->event));
	h->event_err = plan->type == PLAN_KRETPROBE && h->perf_fd < 0 ? h->perf_fd : 0;
	if (h->perf_fd < 0)
		h->perf_fd = is_kprobe(plan) ? hook_perf_kprobe(plan) : hook_perf_event(plan);
	if (h->perf_fd < 0)
		return h->perf_fd;
	h->link_fd = bpf_link_create(h->prog_fd, h->perf_fd, BPF_PERF_EVENT, NULL);
	return h->link_fd < 0 ? h->link_fd : 0;
}

static int hook_attach_one(struct hook *h, const struct plan_hook *plan)
{
	if (is_kprobe(plan) || plan->type == PLAN_TRACE_EVENT)
		return attach_perf(h, plan);
	h->link_fd = bpf_raw_tracepoint_open(NULL, h->prog_fd);
	return h->link_fd < 0 ? h->link_fd : 0;
}

static void hook_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int hook_attach(struct hook *h, const struct plan_hook *plan, char *why, size_t size)
{
	int err;

	if (plan_is_user(plan->type)) {
		err = hook_attach_user(h, plan, why, size);
		if (err)
			hook_detach(h);
		return err;
	}
	err = hook_attach_one(h, plan);
	if (!err)
		return 0;
	if (is_kprobe(plan) && kprobes_are_off())
		snprintf(why, size, "kprobes are off; echo 1 >" KPROBES_ON);
	else if (is_kprobe(plan) && access(KPROBE_PMU "type", F_OK))
		snprintf(why, size, "the kernel was built without kprobe events");
	else if (plan->type == PLAN_TRACE_EVENT && err == -ENOENT)
		snprintf(why, size, "tracefs does not show its trace event");
	else
		snprintf(why, size, "it loads but cannot be attached: %s", strerror(-err));
	hook_detach(h);
	return err;
}

int hook_open(struct hook *h, const struct plan_hook *plan, const struct hook_template *template,
	      char *why, size_t size)
{
	struct hook new = HOOK_NONE;
	int err;

	new.prog_fd = hook_copy(plan, template, why, size);
	if (new.prog_fd < 0)
		return new.prog_fd;
	err = hook_attach(&new, plan, why, size);
	if (err)
		hook_close(&new);
	else
		*h = new;
	return err;
}

void hook_detach(struct hook *h)
{
	unsigned int i;

	hook_close_fd(&h->link_fd);
	hook_close_fd(&h->perf_fd);
	hook_close_fd(&h->file_fd);
	for (i = 0; i < h->n_more; i++) {
		hook_close_fd(&h->more[i].link_fd);
		hook_close_fd(&h->more[i].perf_fd);
	}
	free(h->more);
	h->more = NULL;
	h->n_more = 0;
	returns_drop(h->event);
	h->event[0] = '\0';
}

void hook_close(struct hook *h)
{
	hook_detach(h);
	hook_close_fd(&h->prog_fd);
}
