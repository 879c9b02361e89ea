// SPDX-License-Identifier: GPL-2.0-only
/* backend.c - choose where the slots are. */
#include "plan/priv.h"

#include <errno.h>
#include <string.h>

#include "util/arch.h"

int plan_choose_backend(struct plan *plan, const struct facts *facts, struct error *e)
{
	enum spec_backend backend = plan->spec->backend;
	bool loaded = facts_has_module(facts, KSTATS_MODULE);
	const char *reason = "";

	if (ARCH_NO_DIRECT && plan->spec->method == SPEC_METHOD_DIRECT)
		return error_set(e, EXIT_KERNEL, -EOPNOTSUPP, ARCH_NO_DIRECT,
				 "use another one, or leave the option out",
				 "cannot use the method 'direct'");
	if (backend == SPEC_BACKEND_KMOD && !loaded)
		return error_set(e, EXIT_KERNEL, -ENOENT, "the kernel module kstats is not loaded",
				 "load it with 'modprobe kstats', or leave --backend away",
				 "cannot use the backend 'kmod'");
	if (plan->spec->method == SPEC_METHOD_DIRECT && !loaded)
		return error_set(e, EXIT_KERNEL, -ENOENT, "the kernel module kstats is not loaded",
				 "load it with 'modprobe kstats', or use another method",
				 "cannot use the method 'direct'");
	if (backend == SPEC_BACKEND_AUTO && !loaded)
		reason = "the module kstats is not loaded";
	if (backend == SPEC_BACKEND_AUTO && loaded && plan->spec->n_by)
		reason = "with --by the module is not faster";
	plan->kmod = loaded && (backend == SPEC_BACKEND_KMOD ||
				(backend == SPEC_BACKEND_AUTO && !plan->spec->n_by));
	plan->map = backend != SPEC_BACKEND_KMOD && plan->spec->method != SPEC_METHOD_DIRECT;
	plan->backend_reason = strdup(reason);
	return plan->backend_reason ? 0 : -ENOMEM;
}
