#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Made-up sets of recordings, a second of a function each. Comes in: a folder. Goes out:
steady/, 12 sets about one level; risen/, 24 sets with +12 % from the 15th on; and the new
sets same-1..3.json, slow-1..3.json. Called by history.t."""

import json
import os
import random
import sys

BITS = 5
DAY = 86400 * 10**9
FIRST = 1790000000 * 10**9
random.seed(20261122)


def slot(v):
    shift = max((v >> BITS | 1).bit_length() - 1, 0)
    return (shift << BITS) + (v >> shift)


def recording(factor, wall_ns):
    slots, sums = {}, {}
    for _ in range(2000):
        v = int(random.lognormvariate(8, 0.2) * factor)
        slots[slot(v)] = slots.get(slot(v), 0) + 1
        sums[slot(v)] = sums.get(slot(v), 0) + v
    order = sorted(slots)
    return {
        "format": "kstats-bpf recording", "version": 1, "program": "0.1.0",
        "kernel": "6.12.0", "backend": "map", "backend_reason": "", "pairing": "by task",
        "filters": "", "command": "make", "bits": BITS, "n_cpus": 1,
        "machine": {"cpu": "x", "cpus_online": 1, "clock": "tsc", "build_id": "00"},
        "tags": {}, "status": 0, "runs": 1,
        "nodes": [{"name": "vfs_read", "what": "entry to return of vfs_read",
                   "method": "fentry/fexit", "reason": "first choice", "kind": "duration",
                   "owner": 0}],
        "whole": {"wall_ns": wall_ns, "begin_ns": 1, "end_ns": 1000000001, "final": True,
                  "ledger": {"started": [2000]}, "node": [0], "cpu": [0],
                  "cells": [len(order)], "slot": order,
                  "samples": [slots[i] for i in order], "sum": [sums[i] for i in order]},
        "periods": [],
    }


def write_set(prefix, day, level):
    factor = level * random.gauss(1, 0.01)
    for n in range(1, 4):
        with open(f"{prefix}{n}.json", "w", encoding="utf-8") as f:
            json.dump(recording(factor * random.gauss(1, 0.005),
                                FIRST + day * DAY + n * 10**9), f)


os.chdir(sys.argv[1])
for name, days, step in ("steady", 12, 99), ("risen", 24, 14):
    for day in range(days):
        os.makedirs(f"{name}/set-{day:02}")
        write_set(f"{name}/set-{day:02}/run-", day, 1.12 if day >= step else 1)
write_set("same-", 40, 1)
write_set("slow-", 40, 1.12)
