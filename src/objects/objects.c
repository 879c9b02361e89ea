// SPDX-License-Identifier: GPL-2.0-only
#include "objects/objects.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A file of gzip: its last four bytes are the size of what is in it. */
#define OBJECT(symbol, file)                                          \
	__asm__(".pushsection .rodata." #symbol ", \"a\"\n" #symbol   \
		":\n.incbin \"" KSTATS_OBJECTS file ".gz\"\n" #symbol \
		"_end:\n.byte 0\n.popsection\n");                     \
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

static int inflate_all(z_stream *z)
{
	int err;

	/* The format of gzip, with the largest window. */
	if (inflateInit2(z, 16 + MAX_WBITS) != Z_OK)
		return -ENOMEM;
	err = inflate(z, Z_FINISH);
	inflateEnd(z);
	return err == Z_STREAM_END && !z->avail_out ? 0 : -EILSEQ;
}

void *objects_unpack(enum objects_name name, size_t *size)
{
	const unsigned char *begin = objects[name].begin, *end = objects[name].end;
	z_stream z = { .next_in = (unsigned char *)begin, .avail_in = end - begin };
	void *bytes;
	uint32_t n;
	int err;

	memcpy(&n, end - sizeof(n), sizeof(n));
	bytes = malloc(n);
	z.next_out = bytes;
	z.avail_out = n;
	*size = n;
	err = bytes ? inflate_all(&z) : -ENOMEM;
	if (!err)
		return bytes;
	free(bytes);
	errno = -err;
	return NULL;
}

int objects_open(struct bpf_object_skeleton *skel, void *bytes, size_t size, const char *btf)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf);

	skel->data = bytes;
	skel->data_sz = size;
	return bpf_object__open_skeleton(skel, &opts);
}
