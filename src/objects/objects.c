// SPDX-License-Identifier: GPL-2.0-only
#include "objects/objects.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

/* A frame of zstd, which tells the size of what is in it. */
#define OBJECT(symbol, file)                                           \
	__asm__(".pushsection .rodata." #symbol ", \"a\"\n" #symbol    \
		":\n.incbin \"" KSTATS_OBJECTS file ".zst\"\n" #symbol \
		"_end:\n.byte 0\n.popsection\n");                      \
	extern const unsigned char symbol[], symbol##_end[]

OBJECT(objects_map, "kstats.bpf.o");
OBJECT(objects_blocks, "kstats_blocks.bpf.o");
OBJECT(objects_kmod, "kstats_kmod.bpf.o");
OBJECT(objects_session_map, "kstats_session.bpf.o");
OBJECT(objects_session_blocks, "kstats_session_blocks.bpf.o");
OBJECT(objects_session_kmod, "kstats_session_kmod.bpf.o");
OBJECT(objects_session_void_map, "kstats_session_void.bpf.o");
OBJECT(objects_session_void_blocks, "kstats_session_void_blocks.bpf.o");
OBJECT(objects_session_void_kmod, "kstats_session_void_kmod.bpf.o");
OBJECT(objects_kmem, "kmem.bpf.o");

static const struct {
	const unsigned char *begin;
	const unsigned char *end;
} objects[OBJECTS] = {
	[OBJECTS_MAP] = { objects_map, objects_map_end },
	[OBJECTS_BLOCKS] = { objects_blocks, objects_blocks_end },
	[OBJECTS_KMOD] = { objects_kmod, objects_kmod_end },
	[OBJECTS_SESSION_MAP] = { objects_session_map, objects_session_map_end },
	[OBJECTS_SESSION_BLOCKS] = { objects_session_blocks, objects_session_blocks_end },
	[OBJECTS_SESSION_KMOD] = { objects_session_kmod, objects_session_kmod_end },
	[OBJECTS_SESSION_VOID_MAP] = { objects_session_void_map, objects_session_void_map_end },
	[OBJECTS_SESSION_VOID_BLOCKS] = { objects_session_void_blocks,
					  objects_session_void_blocks_end },
	[OBJECTS_SESSION_VOID_KMOD] = { objects_session_void_kmod, objects_session_void_kmod_end },
	[OBJECTS_KMEM] = { objects_kmem, objects_kmem_end },
};

/* The object of which the others tell only how they differ. */
#define OBJECTS_BASE OBJECTS_SESSION_MAP

/* @base: what the object differs from, of @base_size bytes, or NULL. */
static void *objects_decompress(enum objects_name name, const void *base, size_t base_size,
				size_t *size)
{
	const unsigned char *begin = objects[name].begin, *end = objects[name].end;
	unsigned long long n = ZSTD_getFrameContentSize(begin, end - begin);
	ZSTD_DCtx *ctx = ZSTD_createDCtx();
	void *bytes = n < ZSTD_CONTENTSIZE_ERROR ? malloc(n) : NULL;
	int err = ENOMEM;

	if (ctx && bytes) {
		ZSTD_DCtx_refPrefix(ctx, base, base_size);
		*size = ZSTD_decompressDCtx(ctx, bytes, n, begin, end - begin);
		err = *size == n ? 0 : EILSEQ;
	}
	ZSTD_freeDCtx(ctx);
	if (!err)
		return bytes;
	free(bytes);
	errno = err;
	return NULL;
}

void *objects_unpack(enum objects_name name, size_t *size)
{
	size_t base_size = 0;
	void *base = objects_decompress(OBJECTS_BASE, NULL, 0, &base_size);
	void *bytes;

	if (!base || name == OBJECTS_BASE) {
		*size = base_size;
		return base;
	}
	bytes = objects_decompress(name, base, base_size, size);
	free(base);
	return bytes;
}

int objects_open(struct bpf_object_skeleton *skel, void *bytes, size_t size, const char *btf)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf);

	skel->data = bytes;
	skel->data_sz = size;
	return bpf_object__open_skeleton(skel, &opts);
}
