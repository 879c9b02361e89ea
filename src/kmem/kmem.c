// SPDX-License-Identifier: GPL-2.0-only
/* kmem.c - the life of the value. */
#include "kmem/kmem.h"

#include <stdlib.h>

void kmem_free(struct kmem *k)
{
	free(k);
}
