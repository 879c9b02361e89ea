// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_glob.c - any bytes as a glob, matched against the functions of a kernel
 * that is made up here: the walk ends, and finds what fnmatch() finds.
 */
#include <bpf/btf.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "facts/facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = { "tcp_sendmsg", "tcp_recvmsg", "vfs_read", "x", "a_b_c_d_e" };

#define N_NAMES (sizeof(names) / sizeof(*names))

static void write_btf(const char *path)
{
	struct btf *btf = btf__new_empty();
	const void *raw;
	uint32_t size;
	size_t i;
	FILE *f;
	int proto;

	proto = btf__add_func_proto(btf, 0);
	for (i = 0; i < N_NAMES; i++)
		btf__add_func(btf, names[i], BTF_FUNC_STATIC, proto);
	raw = btf__raw_data(btf, &size);
	f = fopen(path, "w");
	if (!f || fwrite(raw, 1, size, f) != size || fclose(f))
		abort();
	btf__free(btf);
}

static struct facts *make_facts(void)
{
	static const char *const folders[] = { "/sys", "/sys/kernel", "/sys/kernel/btf" };
	char root[] = "/tmp/fuzz-glob-XXXXXX", path[128];
	struct facts_function *fns;
	struct facts *f;
	size_t i, n;

	if (!mkdtemp(root))
		abort();
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		mkdir(path, 0700);
	}
	snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", root);
	write_btf(path);
	f = facts_open(root, NULL);
	if (!f)
		abort();
	/* All of it is read by the first question. */
	if (facts_match_functions(f, NULL, "x", &fns, &n, &n))
		abort();
	free(fns);
	unlink(path);
	for (i = 3; i-- > 0;) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		rmdir(path);
	}
	rmdir(root);
	return f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct facts *facts;
	struct facts_function *fns = NULL;
	size_t n = 0, skipped = 0, want = 0, i;
	char glob[65] = "";

	if (!facts)
		facts = make_facts();
	memcpy(glob, data, size < 64 ? size : 64);
	for (i = 0; i < N_NAMES; i++)
		want += !fnmatch(glob, names[i], 0);
	if (facts_match_functions(facts, NULL, glob, &fns, &n, &skipped) || n + skipped != want)
		abort();
	free(fns);
	return 0;
}
