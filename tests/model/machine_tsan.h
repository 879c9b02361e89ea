/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine_tsan.h - what the compiler calls before each access to shared memory, for machine.c,
 * which alone includes this. Each is a point: see machine.h.
 */
#ifndef MODEL_MACHINE_TSAN_H
#define MODEL_MACHINE_TSAN_H

#include <string.h>

#include "machine.h"

void __tsan_init(void)
{
}

#define ACCESS(name)                 \
	void __tsan_##name(void *at) \
	{                            \
		machine_point();     \
	}

ACCESS(read1)
ACCESS(read2)
ACCESS(read4)
ACCESS(read8)
ACCESS(read16)
ACCESS(write1)
ACCESS(write2)
ACCESS(write4)
ACCESS(write16)
ACCESS(unaligned_read2)
ACCESS(unaligned_read4)
ACCESS(unaligned_read8)
ACCESS(unaligned_write2)
ACCESS(unaligned_write4)
ACCESS(unaligned_write8)

void __tsan_write8(void *at)
{
	machine_point();
	model_adds(at);
}

void *__tsan_memset(void *at, int byte, unsigned long n)
{
	return memset(at, byte, n);
}

void *__tsan_memcpy(void *to, const void *from, unsigned long n)
{
	return memcpy(to, from, n);
}

#define ATOMIC(bits, type)                                                                     \
	type __tsan_atomic##bits##_exchange(volatile type *at, type to, int order)             \
	{                                                                                      \
		type old;                                                                      \
                                                                                               \
		machine_point();                                                               \
		old = *at;                                                                     \
		*at = to;                                                                      \
		model_exchanged((void *)at, old);                                              \
		return old;                                                                    \
	}                                                                                      \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type from, type to, \
							int order, int other)                  \
	{                                                                                      \
		type old;                                                                      \
                                                                                               \
		machine_point();                                                               \
		old = *at;                                                                     \
		if (old == from) {                                                             \
			*at = to;                                                              \
			model_exchanged((void *)at, old);                                      \
		}                                                                              \
		return old;                                                                    \
	}                                                                                      \
	type __tsan_atomic##bits##_fetch_add(volatile type *at, type n, int order)             \
	{                                                                                      \
		machine_point();                                                               \
		model_adds((void *)at);                                                        \
		*at += n;                                                                      \
		return *at - n;                                                                \
	}                                                                                      \
	type __tsan_atomic##bits##_fetch_sub(volatile type *at, type n, int order)             \
	{                                                                                      \
		machine_point();                                                               \
		*at -= n;                                                                      \
		return *at + n;                                                                \
	}                                                                                      \
	type __tsan_atomic##bits##_fetch_or(volatile type *at, type n, int order)              \
	{                                                                                      \
		type old;                                                                      \
                                                                                               \
		machine_point();                                                               \
		old = *at;                                                                     \
		*at |= n;                                                                      \
		return old;                                                                    \
	}                                                                                      \
	type __tsan_atomic##bits##_load(const volatile type *at, int order)                    \
	{                                                                                      \
		machine_point();                                                               \
		return *at;                                                                    \
	}                                                                                      \
	void __tsan_atomic##bits##_store(volatile type *at, type to, int order)                \
	{                                                                                      \
		machine_point();                                                               \
		*at = to;                                                                      \
	}

ATOMIC(32, __u32)
ATOMIC(64, __u64)

void __tsan_atomic_signal_fence(int order)
{
}

#endif /* MODEL_MACHINE_TSAN_H */
