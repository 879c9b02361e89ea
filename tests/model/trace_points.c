// SPDX-License-Identifier: GPL-2.0-only
/* trace_points.c - the programs as they are, compiled for this machine: see machine.h. */
#include "kstats.bpf.c"
