# SPDX-License-Identifier: GPL-2.0-only
"""A made-up recording of one function, and a place for many of them. Imported by recordings.py,
histories.py and the tests of ../view."""

import hashlib
import os
import shutil
import sys
import tempfile

KEPT = os.path.realpath(f"{os.path.dirname(__file__)}/../../.output/made")


class Folder:
    """What a script writes into .path, to be copied into a folder. It is the same each time, so it
    is kept, and written once only until the script changes."""

    def __init__(self, script, to):
        code = [sys.version.encode()]
        for path in script, __file__:
            with open(path, "rb") as f:
                code.append(f.read())
        self.to = os.path.realpath(to)
        name = os.path.basename(script).removesuffix(".py")
        self.kept = f"{KEPT}/{name}-{hashlib.sha256(b''.join(code)).hexdigest()[:16]}"
        if os.path.isdir(self.kept):
            self.copy()
            sys.exit()
        os.makedirs(KEPT, exist_ok=True)
        self.path = tempfile.mkdtemp(dir=KEPT)

    def copy(self):
        for folder, _, names in os.walk(self.kept):
            at = os.path.join(self.to, os.path.relpath(folder, self.kept))
            os.makedirs(at, exist_ok=True)
            for name in names:
                shutil.copyfile(os.path.join(folder, name), os.path.join(at, name))

    def end(self):
        os.chmod(self.path, 0o755)
        try:
            os.rename(self.path, self.kept)
        except OSError:  # another one has made it meanwhile
            shutil.rmtree(self.path)
        self.copy()


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
