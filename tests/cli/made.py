# SPDX-License-Identifier: GPL-2.0-only
"""A made-up recording of one function. Imported by recordings.py, histories.py and the
tests of ../view."""


def slot_of(v, bits):
    shift = max((v >> bits | 1).bit_length() - 1, 0)
    return (shift << bits) + (v >> shift)


def recording(values, bits=5, wall_ns=1):
    """values: durations in ns; wall_ns: when it began"""
    slots = {}
    for v in values:
        i = slot_of(v, bits)
        n, total = slots.get(i, (0, 0))
        slots[i] = n + 1, total + (v >> max((i >> bits) - 20, 0))
    order = sorted(slots)
    return {
        "format": "kstats-bpf recording", "version": 1, "program": "0.1.0",
        "kernel": "6.12.0", "backend": "map", "backend_reason": "", "pairing": "by task",
        "filters": "", "command": "make", "bits": bits, "n_cpus": 1,
        "machine": {"cpu": "x", "cpus_online": 1, "clock": "tsc", "build_id": "00"},
        "tags": {}, "status": 0, "runs": 1,
        "nodes": [{"name": "vfs_read", "what": "entry to return of vfs_read",
                   "method": "fentry/fexit", "reason": "first choice", "kind": "duration",
                   "owner": 0}],
        "whole": {"wall_ns": wall_ns, "begin_ns": 1, "end_ns": 1000000001, "final": True,
                  "ledger": {"started": [len(values)]}, "node": [0], "cpu": [0],
                  "cells": [len(order)], "slot": order,
                  "samples": [slots[i][0] for i in order], "sum": [slots[i][1] for i in order]},
        "periods": [],
    }
