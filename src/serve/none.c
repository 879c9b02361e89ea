// SPDX-License-Identifier: GPL-2.0-only
/* none.c - in place of http.c where the program is built without libevent. */
#include "serve/priv.h"

bool http_is_built(void)
{
	return false;
}

int http_serve(int listen, int ask)
{
	return EXIT_KERNEL;
}
