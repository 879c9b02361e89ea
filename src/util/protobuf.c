// SPDX-License-Identifier: GPL-2.0-only
#include "util/protobuf.h"

#include <stdlib.h>
#include <string.h>

/* How a field is encoded. */
enum {
	VARINT = 0,
	FIXED64 = 1,
	BYTES = 2,
};

static void protobuf_bytes(struct protobuf *p, const void *bytes, size_t n)
{
	size_t size = 2 * p->size + n;
	uint8_t *grown;

	if (p->n + n > p->size) {
		grown = p->failed ? NULL : realloc(p->at, size);
		if (!grown) {
			p->failed = true;
			return;
		}
		p->at = grown;
		p->size = size;
	}
	if (n)
		memcpy(p->at + p->n, bytes, n);
	p->n += n;
}

void protobuf_varint(struct protobuf *p, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		bytes[n++] = v | 0x80;
	bytes[n++] = v;
	protobuf_bytes(p, bytes, n);
}

static void protobuf_field(struct protobuf *p, unsigned int field, unsigned int how)
{
	protobuf_varint(p, field << 3 | how);
}

void protobuf_u64(struct protobuf *p, unsigned int field, uint64_t v)
{
	protobuf_field(p, field, VARINT);
	protobuf_varint(p, v);
}

uint64_t protobuf_zigzag(int64_t v)
{
	return v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1;
}

void protobuf_s64(struct protobuf *p, unsigned int field, int64_t v)
{
	protobuf_u64(p, field, protobuf_zigzag(v));
}

void protobuf_double(struct protobuf *p, unsigned int field, double v)
{
	uint8_t bytes[8];
	uint64_t bits;
	int i;

	memcpy(&bits, &v, sizeof(bits));
	for (i = 0; i < 8; i++)
		bytes[i] = bits >> 8 * i;
	protobuf_field(p, field, FIXED64);
	protobuf_bytes(p, bytes, sizeof(bytes));
}

void protobuf_text(struct protobuf *p, unsigned int field, const char *text)
{
	size_t n = strlen(text);

	protobuf_field(p, field, BYTES);
	protobuf_varint(p, n);
	protobuf_bytes(p, text, n);
}

void protobuf_message(struct protobuf *p, unsigned int field, struct protobuf *m)
{
	protobuf_field(p, field, BYTES);
	protobuf_varint(p, m->n);
	protobuf_bytes(p, m->at, m->n);
	p->failed |= m->failed;
	m->n = 0;
}

void protobuf_free(struct protobuf *p)
{
	free(p->at);
	*p = (struct protobuf){};
}
