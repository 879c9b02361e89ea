// SPDX-License-Identifier: GPL-2.0-only
/* control.c - start, stop and reset a node. */
#include "node/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "result/ledger.h"

void node_set_phase(struct node *n, enum node_phase phase)
{
	__atomic_store_n(&n->state->phase, phase, __ATOMIC_SEQ_CST);
}

static void set_on(struct node *n, bool on)
{
	__atomic_store_n(n->variables.on, on, __ATOMIC_SEQ_CST);
}

/* Stubs of the module, which do not read the variable. */
static int switch_stubs(struct node *n, enum kstats_op op)
{
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < n->meta.n_probes; i++)
		if (node_in_stub(&n->meta.probes[i]))
			err = store_control(&n->store, n->meta.probes[i].node, op);
	return err;
}

/* Stop recording. Afterwards no program runs any more that saw the node recording. */
static void control_halt(struct node *n)
{
	set_on(n, false);
	switch_stubs(n, KSTATS_OP_STOP);
	session_wait_programs();
}

/*
 * Make all open stamps invalid. Those that end with their task are not counted later either:
 * the programs that follow tasks keep running while the node is stopped.
 */
static void outdate(struct node *n)
{
	__atomic_store_n(n->variables.epoch_ns, clock_ns(CLOCK_MONOTONIC), __ATOMIC_SEQ_CST);
	session_wait_programs();
}

/* ---- links ---- */

/*
 * Whether the module is still the one that the program was loaded for. The types of a module
 * that was unloaded have another id.
 */
static int check_types(int prog, const struct plan_hook *plan, int btf, char *why, size_t size)
{
	struct bpf_prog_info info = {};
	struct bpf_btf_info now = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(prog, &info, &len))
		return -errno;
	len = sizeof(now);
	if (bpf_obj_get_info_by_fd(btf, &now, &len))
		return -errno;
	if (info.attach_btf_obj_id == now.id)
		return 0;
	snprintf(why, size, "its module '%s' was reloaded since", plan->module);
	return -ESTALE;
}

static int check_twin(const struct plan_hook *plan, char *why, size_t size)
{
	struct facts *facts = facts_open("/", NULL);
	struct facts_function fn = {};

	if (facts)
		facts_find_function(facts, plan->module, plan->name, &fn, NULL);
	facts_close(facts);
	if (!fn.twin)
		return 0;
	snprintf(why, size,
		 "another module now has a function of this name, which fentry might hook instead");
	return -ENOTUNIQ;
}

/* A loaded program does not keep the module of its function loaded. */
static int check_module(int prog, const struct plan_hook *plan, char *why, size_t size)
{
	int btf, err = 0;

	if (!plan->module[0])
		return 0;
	btf = hook_module_btf(plan->module);
	if (btf < 0) {
		snprintf(why, size, "its module '%s' is not loaded", plan->module);
		return btf;
	}
	/* A perf event finds its function by name each time. */
	if (plan->type != PLAN_KPROBE && plan->type != PLAN_KRETPROBE &&
	    plan->type != PLAN_TRACE_EVENT)
		err = check_types(prog, plan, btf, why, size);
	if (!err && (plan->type == PLAN_FENTRY || plan->type == PLAN_FEXIT))
		err = check_twin(plan, why, size);
	close(btf);
	return err;
}

/* As many calls as a session would have room for. */
static void choose_returns(struct node *n)
{
	uint32_t i, returns = 0, calls;

	for (i = 0; i < n->meta.n_probes; i++)
		returns += n->meta.probes[i].end.type == PLAN_KRETPROBE;
	calls = plan_return_calls(returns, libbpf_num_possible_cpus());
	for (i = 0; i < n->meta.n_probes; i++)
		n->meta.probes[i].end.calls = calls;
}

static int attach_hook(struct node *n, uint32_t i, const char *which, const struct plan_hook *plan,
		       struct error *e)
{
	struct hook h = HOOK_NONE;
	char name[SESSION_PIN_NAME], why[256] = "";
	int err;

	snprintf(name, sizeof(name), SESSION_PIN_HOOK_PROG, i, which);
	h.prog_fd = pin_get(&n->folder, name);
	err = h.prog_fd < 0 ? h.prog_fd : 0;
	if (!err && !plan_is_user(plan->type))
		err = check_module(h.prog_fd, plan, why, sizeof(why));
	if (!err)
		err = hook_attach(&h, plan, why, sizeof(why));
	if (!err)
		err = session_pin_links(&n->folder, i, which, &h);
	hook_close(&h);
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, *why ? why : NULL,
			 err == -ESTALE ? "remove it, and add it again"
					: "see 'kstats-bpf doctor', or remove it",
			 "cannot start '%s' on '%s'", n->name, plan->name);
}

static int attach_stub(struct node *n, const struct node_probe *p, struct error *e)
{
	char why[256] = "";
	int err = store_direct_attach(&n->store, p->node, 0, 0, why, sizeof(why));

	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, why,
			 err == -ESTALE ? "remove it, and add it again"
					: "see 'kstats-bpf doctor', or remove it",
			 "cannot start '%s' on '%s'", n->name, p->start.name);
}

static int control_attach_helper(struct node *n, const char *helper, struct error *e)
{
	char name[SESSION_PIN_NAME];
	int prog, link, err;

	snprintf(name, sizeof(name), SESSION_PIN_PROG, helper);
	prog = pin_get(&n->folder, name);
	if (prog == -ENOENT)
		return 0;
	link = prog < 0 ? prog : bpf_raw_tracepoint_open(NULL, prog);
	snprintf(name, sizeof(name), SESSION_PIN_LINK, helper);
	err = link < 0 ? link : pin_put(&n->folder, name, link);
	if (link >= 0)
		close(link);
	if (prog >= 0)
		close(prog);
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, NULL, "see 'kstats-bpf doctor'", "cannot start '%s'",
			 n->name);
}

/* Tracepoints and probes in programs work without it. */
static bool needs_ftrace(enum plan_hook_type type)
{
	return type != PLAN_NO_HOOK && !plan_is_tracepoint(type) && !plan_is_user(type);
}

static bool on_functions(const struct node *n)
{
	const struct node_probe *p;
	uint32_t i;

	for (i = 0; i < n->meta.n_probes; i++) {
		p = &n->meta.probes[i];
		if (p->hooked && (needs_ftrace(p->start.type) || needs_ftrace(p->end.type)))
			return true;
	}
	return false;
}

/* The places are those of the file that was there when the node was added. */
static int control_check_files(const struct node *n, struct error *e)
{
	char why[384];

	if (!node_files_moved(n, why, sizeof(why)))
		return 0;
	return error_set(e, EXIT_KERNEL, -ESTALE, why, "remove it, and add it again",
			 "cannot start '%s'", n->name);
}

/* Attach the end first, so that the end of every recorded start is seen. */
static int control_attach(struct node *n, struct error *e)
{
	const struct node_probe *p;
	uint32_t i;
	int err = on_functions(n) ? plan_need_ftrace(NULL, e) : 0;

	if (!err)
		err = control_check_files(n, e);
	choose_returns(n);
	for (i = 0; !err && session_helpers[i].name; i++)
		err = control_attach_helper(n, session_helpers[i].name, e);
	for (i = 0; !err && i < n->meta.n_probes; i++) {
		p = &n->meta.probes[i];
		if (!p->hooked)
			continue;
		if (node_in_stub(p)) {
			err = attach_stub(n, p, e);
			continue;
		}
		if (n->meta.pairing != KSTATS_BY_POINT && !plan_is_session(p->start.type) &&
		    p->end.type != PLAN_NO_HOOK)
			err = attach_hook(n, i, "end", &p->end, e);
		if (!err && p->start.type != PLAN_NO_HOOK)
			err = attach_hook(n, i, "start", &p->start, e);
	}
	if (err)
		node_detach(n);
	return err;
}

/* ---- start and stop ---- */

int node_begin(struct node *n, struct error *e)
{
	int err = node_hits_read(n, false, e);
	uint64_t now;
	uint32_t i;

	if (err)
		return err;
	for (i = 0; i < node_marks(n->meta.n_probes); i++)
		node_mark_begin(&n->state->marks[i], node_skipped(n, i));
	now = clock_ns(CLOCK_MONOTONIC);
	node_time_begin(n->state, now);
	*n->variables.epoch_ns = now;
	err = switch_stubs(n, KSTATS_OP_START);
	if (err) {
		switch_stubs(n, KSTATS_OP_STOP);
		return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot start '%s'", n->name);
	}
	set_on(n, true);
	node_set_phase(n, NODE_RUNNING);
	return 0;
}

/*
 * A process was killed while starting the node. If the node records, only the phase was not
 * written yet; otherwise nothing was counted.
 */
static int control_end_start(struct node *n, struct error *e)
{
	bool on = __atomic_load_n(n->variables.on, __ATOMIC_SEQ_CST);

	if (!on)
		node_detach(n);
	node_set_phase(n, on ? NODE_RUNNING : NODE_STOPPED);
	return 0;
}

int node_start(struct node *n, struct error *e)
{
	int err;

	if (n->state->phase == NODE_RUNNING)
		return 0;
	if (n->kind)
		return n->kind->start(n, e);
	node_set_phase(n, NODE_STARTING);
	err = node_detach(n);
	if (err) {
		node_set_phase(n, NODE_STOPPED);
		return error_set(e, EXIT_KERNEL, err,
				 "the kernel has not freed its former links yet",
				 "try again in some seconds", "cannot start '%s'", n->name);
	}
	session_wait_programs();
	err = node_clear_task_slots(n, e);
	if (!err)
		err = control_attach(n, e);
	if (!err)
		err = node_begin(n, e);
	if (err) {
		node_detach(n);
		node_set_phase(n, NODE_STOPPED);
	}
	return err;
}

static int keep_totals(struct node *n, struct error *e)
{
	int err = node_hits_read(n, true, e);
	uint32_t i;

	if (err)
		return err;
	for (i = 0; i < node_marks(n->meta.n_probes); i++)
		node_mark_keep(&n->state->marks[i], node_skipped(n, i));
	node_time_keep(n->state, clock_ns(CLOCK_MONOTONIC));
	return 0;
}

/*
 * Keep the calls in flight: what is left of the starts, since open stamps can no longer end.
 * @odd is by how much the ledgers did not balance before; this difference is kept.
 */
static int control_keep_in_flight(struct node *n, struct snapshot *s, const int64_t *odd,
				  struct error *e)
{
	int err = node_count(n, s, false, e);
	uint64_t *in_flight;
	uint32_t i;

	for (i = 0; !err && i < s->n_nodes; i++) {
		in_flight = &s->nodes[i].ledger[KSTATS_IN_FLIGHT];
		/* No stamp tells of these: they have no end, also when the node runs again. */
		if (n->in_cookies && n->in_cookies[i])
			*in_flight = 0;
		else if (odd[i] <= (int64_t)*in_flight)
			*in_flight -= odd[i];
	}
	return err ? err : store_close_stamps(&n->store, s, e);
}

/* @cut_short: a process was killed in between, so it is unknown whether the ledgers balanced. */
static int control_end_stop(struct node *n, bool cut_short, struct error *e)
{
	struct snapshot *s = snapshot_like(n->meta.about->whole, n->store.n_cpus);
	int64_t *odd = s ? calloc(s->n_nodes, sizeof(*odd)) : NULL;
	int err = odd ? 0 : -ENOMEM;
	uint32_t i;

	if (!err && !cut_short)
		err = node_count(n, s, true, e);
	for (i = 0; !err && !cut_short && i < s->n_nodes; i++)
		odd[i] = ledger_is_owner(s, i) ? ledger_balance(s, i) : 0;
	if (!err)
		outdate(n);
	if (!err)
		err = control_keep_in_flight(n, s, odd, e);
	snapshot_free(s);
	free(odd);
	if (err == -ENOMEM)
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot stop '%s'", n->name);
	if (err)
		return err;
	flight_forget(&n->flight);
	err = node_detach(n);
	node_set_phase(n, NODE_STOPPED);
	if (err)
		return error_set(e, EXIT_KERNEL, err, "the kernel has not freed its links yet",
				 "wait some seconds before you start it again",
				 "'%s' is stopped, but still attached", n->name);
	return 0;
}

int node_stop(struct node *n, struct error *e)
{
	int err;

	if (n->state->phase == NODE_STOPPED)
		return 0;
	if (n->kind)
		return n->kind->stop(n, e);
	err = keep_totals(n, e);
	if (err)
		return err;
	node_set_phase(n, NODE_STOPPING);
	control_halt(n);
	return control_end_stop(n, false, e);
}

/* ---- reset ---- */

void node_forget_counts(struct node *n)
{
	n->state->active_ns = 0;
	n->state->wall_ns = clock_ns(CLOCK_REALTIME);
	n->state->look_ns = clock_ns(CLOCK_MONOTONIC);
	n->state->look_samples = 0;
	n->state->look_gaps = 0;
}

static int control_end_reset(struct node *n, bool running, struct error *e)
{
	uint32_t i;
	int err;

	control_halt(n);
	outdate(n);
	err = store_reset(&n->store, e);
	if (err)
		return err;
	if (n->meta.by.most && session_by_forget(&n->meta.by, n->by_fd, n->variables.taken))
		return node_damaged(n, "table of keys", -EINVAL, e);
	flight_forget(&n->flight);
	for (i = 0; i < node_marks(n->meta.n_probes); i++)
		n->state->marks[i].total = 0;
	node_forget_counts(n);
	if (running)
		return node_begin(n, e);
	node_set_phase(n, NODE_STOPPED);
	return 0;
}

int node_reset(struct node *n, struct error *e)
{
	bool running = n->state->phase == NODE_RUNNING;

	if (n->kind)
		return n->kind->reset(n, e);
	node_set_phase(n, running ? NODE_RESETTING_RUNNING : NODE_RESETTING);
	return control_end_reset(n, running, e);
}

/* ---- what a killed process began ---- */

static int end_cut_stop(struct node *n, struct error *e)
{
	control_halt(n);
	return control_end_stop(n, true, e);
}

static const struct node_kind functions = {
	.end_start = control_end_start,
	.end_stop = end_cut_stop,
	.end_reset = control_end_reset,
};

int node_settle(struct node *n, struct error *e)
{
	const struct node_kind *kind = n->kind ? n->kind : &functions;

	switch (n->state->phase) {
	case NODE_RUNNING:
	case NODE_STOPPED:
		return 0;
	case NODE_STOPPING:
		return kind->end_stop(n, e);
	case NODE_RESETTING:
	case NODE_RESETTING_RUNNING:
		return kind->end_reset(n, n->state->phase == NODE_RESETTING_RUNNING, e);
	case NODE_STARTING:
		return kind->end_start(n, e);
	}
	return error_set(e, EXIT_USAGE, -EINVAL, "its state is not known to this program",
			 "remove it with 'kstats-bpf node rm'", "cannot use the node '%s'",
			 n->name);
}
