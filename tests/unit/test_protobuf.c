// SPDX-License-Identifier: GPL-2.0-only
/* test_protobuf.c - bytes of Protocol Buffers, and native histograms, bucket by bucket. */
#include "fixture.h"

#include <math.h>

#include "format/format.h"
#include "util/protobuf.h"

/* ---- the encoding: bytes by its specification ---- */

static void is_bytes(struct protobuf *p, const char *hex)
{
	char got[256] = "";
	size_t i;

	for (i = 0; i < p->n; i++)
		sprintf(got + 2 * i, "%02x", p->at[i]);
	assert_string_equal(got, hex);
	assert_false(p->failed);
	p->n = 0;
}

static void test_encoding(void **state)
{
	struct protobuf p = {}, m = {};

	protobuf_u64(&p, 1, 150);
	is_bytes(&p, "089601");
	protobuf_u64(&p, 15, UINT64_MAX);
	is_bytes(&p, "78ffffffffffffffffff01");
	protobuf_u64(&p, 16, 0);
	is_bytes(&p, "800100");
	protobuf_s64(&p, 1, -1);
	is_bytes(&p, "0801");
	protobuf_s64(&p, 1, INT64_MIN);
	is_bytes(&p, "08ffffffffffffffffff01");
	protobuf_s64(&p, 1, 2147483647);
	is_bytes(&p, "08feffffff0f");
	protobuf_double(&p, 2, 1.5);
	is_bytes(&p, "11000000000000f83f");
	protobuf_text(&p, 2, "testing");
	is_bytes(&p, "120774657374696e67");
	protobuf_u64(&m, 1, 150);
	protobuf_message(&p, 3, &m);
	assert_int_equal(m.n, 0);
	is_bytes(&p, "1a03089601");
	protobuf_free(&p);
	protobuf_free(&m);
}

/* ---- native histograms ---- */

/* A reader of messages, as small as it can be. */
struct reader {
	const uint8_t *at, *end;
};

static uint64_t varint(struct reader *r)
{
	uint64_t v = 0;
	int shift = 0;

	do {
		assert_true(r->at < r->end && shift < 70);
		v |= (uint64_t)(*r->at & 0x7f) << shift;
		shift += 7;
	} while (*r->at++ & 0x80);
	return v;
}

static int64_t zigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* The next field, of which @in receives what is in it. Return: its number, or 0 at the end. */
static unsigned int field(struct reader *r, struct reader *in, uint64_t *v)
{
	uint64_t key, n;

	if (r->at == r->end)
		return 0;
	key = varint(r);
	*in = *r;
	if ((key & 7) == 0) {
		*v = varint(r);
	} else if ((key & 7) == 1) {
		memcpy(v, r->at, 8);
		r->at += 8;
	} else {
		assert_int_equal(key & 7, 2);
		n = varint(r);
		in->at = r->at;
		r->at += n;
		in->end = r->at;
	}
	assert_true(r->at <= r->end);
	return key >> 3;
}

struct native {
	uint64_t count, zeros, since_s, since_ns;
	int64_t schema;
	double sum;
	uint32_t n;
	int64_t bucket[64];
	uint64_t samples[64];
};

static void read_since(struct reader r, struct native *to)
{
	struct reader in;
	uint64_t v;
	unsigned int f;

	while ((f = field(&r, &in, &v)))
		*(f == 1 ? &to->since_s : &to->since_ns) = v;
}

static void read_histogram(struct reader r, struct native *to)
{
	struct reader in, span;
	uint32_t i = 0, left;
	int64_t next = 0, count = 0;
	uint64_t v;
	unsigned int f, g;

	*to = (struct native){};
	while ((f = field(&r, &in, &v))) {
		if (f == 1)
			to->count = v;
		else if (f == 2)
			memcpy(&to->sum, &v, 8);
		else if (f == 5)
			to->schema = zigzag(v);
		else if (f == 7)
			to->zeros = v;
		else if (f == 15)
			read_since(in, to);
		else if (f == 12) {
			left = 0;
			while ((g = field(&in, &span, &v)))
				if (g == 1)
					next += zigzag(v);
				else
					left = v;
			while (left--)
				to->bucket[to->n++] = next++;
		} else if (f == 13) {
			while (in.at < in.end) {
				count += zigzag(varint(&in));
				assert_true(count >= 0);
				to->samples[i++] = count;
			}
		}
	}
	assert_int_equal(i, to->n);
}

/* The first histogram of the first family. */
static void read_first(const char *text, size_t size, struct native *to)
{
	struct reader all = { (const uint8_t *)text, (const uint8_t *)text + size }, family, in,
		      part;
	uint64_t v, n = varint(&all);
	unsigned int f;

	family = (struct reader){ all.at, all.at + n };
	while ((f = field(&family, &in, &v)))
		if (f == 3)
			assert_int_equal(v, 4);
		else if (f == 4)
			while ((f = field(&in, &part, &v)))
				if (f == 7) {
					read_histogram(part, to);
					return;
				}
	fail();
}

static void native_of(struct snapshot *s, bool live, struct native *to)
{
	struct report_look o = { .unit = "auto", .width = 80, .live = live };
	struct recording *r = fixture_recording(s);
	const struct recording *rec = r;
	const struct report_set one = { 1, &rec };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(format_trace(format_find("protobuf", REPORT_TRACE), out, &one, &o), 0);
	fclose(out);
	recording_free(r);
	read_first(text, size, to);
	free(text);
}

/* Each slot is in the bucket of its middle, and no two are in one. */
static void test_buckets(void **state)
{
	static const uint64_t values[] = { 1,    2,    3,     31,        33,         1000,
					   1023, 1024, 65537, 500000000, 1000000000, 1ULL << 40 };
	const uint32_t n = sizeof(values) / sizeof(*values);
	struct dist_bounds slot;
	struct native h;
	uint32_t bits, i;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits += KSTATS_BITS_MAX) {
		struct snapshot *s = fixture_new(bits, 1, 1);

		for (i = 0; i < n; i++)
			fixture_record(s, 0, 0, values[i], i + 2);
		fixture_record(s, 0, 0, 0, 5);
		native_of(s, false, &h);
		assert_int_equal(h.schema, 8);
		assert_int_equal(h.zeros, 5);
		assert_int_equal(h.count, 5 + (n + 3) * n / 2);
		assert_int_equal(h.since_s, 0);
		for (i = 0; bits && i < n; i++) {
			uint32_t at = kstats_slot_index(values[i], bits);

			slot = (struct dist_bounds){ kstats_slot_first(at, bits),
						     kstats_slot_last(at, bits) };
			assert_true(exp2((h.bucket[i] - 1) / 256.0) * 1e9 <
				    (slot.lo + slot.hi) / 2.0 * (1 + 1e-12));
			assert_true(exp2(h.bucket[i] / 256.0) * 1e9 >=
				    (slot.lo + slot.hi) / 2.0 * (1 - 1e-12));
			assert_int_equal(h.samples[i], i + 2);
		}
		if (bits)
			assert_int_equal(h.n, n);
	}
}

/* A power of two is the upper bound of its bucket. */
static void test_bounds(void **state)
{
	struct snapshot *s = fixture_new(5, 1, 1);
	struct native h;

	strcpy(s->unit, "bytes");
	fixture_record(s, 0, 0, 1, 3);
	fixture_record(s, 0, 0, 2, 4);
	fixture_record(s, 0, 0, 4, 1);
	native_of(s, false, &h);
	assert_int_equal(h.n, 3);
	assert_int_equal(h.bucket[0], 0);
	assert_int_equal(h.bucket[1], 256);
	assert_int_equal(h.bucket[2], 512);
	assert_int_equal(h.samples[1], 4);
	assert_true(h.sum == 3 + 8 + 4);
}

static void test_empty_and_since(void **state)
{
	struct snapshot *s = fixture_new(3, 1, 1);
	struct native h;

	s->span.wall_ns = 1767225600000000123;
	native_of(s, true, &h);
	assert_int_equal(h.count, 0);
	assert_int_equal(h.n, 0);
	assert_int_equal(h.since_s, 1767225600);
	assert_int_equal(h.since_ns, 123);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encoding),
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_empty_and_since),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
