// SPDX-License-Identifier: GPL-2.0-only
/* kmem_points.c - the programs as they are, compiled for this machine: see machine.h. */
#include "kmem.bpf.c"
