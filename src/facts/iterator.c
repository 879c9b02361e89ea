// SPDX-License-Identifier: GPL-2.0-only
/*
 * iterator.c - the kernel's symbols by a BPF iterator, from 6.0 on. The kernel takes longer to
 * print /proc/kallsyms than to find what it prints. Called by symbols.c.
 */
#include "facts/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kstats_symbol.h"
#include "symbols.skel.h"
#include "util/refusal.h"

/* Not by the section's name: for that, libbpf would read all types of the kernel. */
static int iterator_prepare(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long id)
{
	int err = bpf_program__set_expected_attach_type(prog, BPF_TRACE_ITER);

	opts->attach_btf_id = id;
	opts->expected_attach_type = BPF_TRACE_ITER;
	return err ? err : bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);
}

/* The descriptor that is read keeps the program. */
static int iterator_create(const char *btf)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf);
	struct symbols_bpf *skel = symbols_bpf__open_opts(&opts);
	int fd = skel ? symbols_bpf__load(skel) : -errno, link = -1;

	if (!fd)
		fd = link = bpf_link_create(bpf_program__fd(skel->progs.tell_symbol), 0,
					    BPF_TRACE_ITER, NULL);
	if (link >= 0) {
		fd = bpf_iter_create(link);
		close(link);
	}
	symbols_bpf__destroy(skel);
	return fd;
}

/* The handler stays: libbpf frees its table twice if the last one goes and another one comes. */
static int iterator_handle(uint32_t id)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = id,
		    .prog_prepare_load_fn = iterator_prepare);
	static int handler;

	if (!handler)
		handler = libbpf_register_prog_handler("symbols", BPF_PROG_TYPE_SOCKET_FILTER, 0,
						       &opts);
	return handler < 0 ? handler : 0;
}

static int iterator_load(const struct facts_types *types)
{
	uint32_t id = facts_types_find(types, BTF_KIND_FUNC, "bpf_iter_ksym");
	int err = id ? iterator_handle(id) : -ENOENT, slice;
	const void *bytes;
	char path[32];
	size_t size;

	if (err)
		return err;
	bytes = symbols_bpf__elf_bytes(&size);
	slice = facts_slice_object(types, bytes, path, sizeof(path));
	if (slice < 0)
		return slice;
	err = iterator_create(path);
	close(slice);
	return err;
}

/* @types: read here, which takes longer than the rest, if it is NULL */
static int iterator_open(const struct facts_types *types)
{
	libbpf_print_fn_t print;
	struct facts_types own = {};
	int fd = refusal_may_load() ? 0 : -EPERM;

	if (!fd && !types)
		fd = facts_types_read(&own, FACTS_KERNEL_BTF, NULL);
	if (fd)
		return fd;
	print = libbpf_set_print(NULL);
	fd = iterator_load(types ? types : &own);
	libbpf_set_print(print);
	facts_types_free(&own);
	return fd;
}

/* The iterator's own program is there only while it is read. */
static bool iterator_is_own(const struct kstats_symbol *s)
{
	static const char name[] = "_tell_symbol";
	size_t n = s->module && !strcmp(s->text + s->module, "bpf") ? strlen(s->text) : 0;

	return n >= sizeof(name) && !strcmp(s->text + n + 1 - sizeof(name), name);
}

static size_t iterator_visit(struct facts_visitor *v, char *block, size_t size)
{
	struct facts_symbol symbol;
	struct kstats_symbol *s;
	size_t at = 0;

	while (!v->end && size - at >= sizeof(*s)) {
		s = (struct kstats_symbol *)(block + at);
		if (s->size > size - at)
			break;
		symbol = (struct facts_symbol){
			.address = s->address,
			.type = s->type,
			.name = s->text,
			.module = s->module ? s->text + s->module : (char *)"",
		};
		if (!iterator_is_own(s))
			v->end = v->each(v->ctx, &symbol);
		at += s->size;
	}
	memmove(block, block + at, size - at);
	return size - at;
}

int facts_iterate(const struct facts_types *types, struct facts_visitor *v)
{
	int fd = iterator_open(types);

	return fd < 0 ? fd : facts_visit(fd, v, iterator_visit);
}
