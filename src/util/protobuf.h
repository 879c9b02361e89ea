/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * protobuf.h - messages of Protocol Buffers: the few kinds of fields that are written here. In:
 * numbers, texts and messages. Out: bytes. Pure. Called by format.
 */
#ifndef KSTATS_PROTOBUF_H
#define KSTATS_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct protobuf - a message that is being written; zero-filled at first */
struct protobuf {
	uint8_t *at; /* owned */
	size_t n; /* bytes of the message */
	size_t size; /* bytes of memory at @at */
	bool failed; /* memory was short */
};

/** protobuf_varint() - a number without a field: what stands before a message in a stream */
void protobuf_varint(struct protobuf *p, uint64_t v);

/** protobuf_u64() - a field of a type like uint64, int64 (of numbers above 0), bool or enum */
void protobuf_u64(struct protobuf *p, unsigned int field, uint64_t v);

/** protobuf_s64() - a field of type sint32 or sint64 */
void protobuf_s64(struct protobuf *p, unsigned int field, int64_t v);

/** protobuf_double() - a field of type double */
void protobuf_double(struct protobuf *p, unsigned int field, double v);

/** protobuf_text() - a field of type string */
void protobuf_text(struct protobuf *p, unsigned int field, const char *text);

/** protobuf_message() - a field that is a message, or packed numbers; @m: is empty afterwards */
void protobuf_message(struct protobuf *p, unsigned int field, struct protobuf *m);

/** protobuf_zigzag() - a signed number as an unsigned one, for packed fields */
uint64_t protobuf_zigzag(int64_t v);

/** protobuf_free() - release; @p may be zero-filled */
void protobuf_free(struct protobuf *p);

#endif /* KSTATS_PROTOBUF_H */
