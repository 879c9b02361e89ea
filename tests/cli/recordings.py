#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Made-up recordings. Comes in: a folder. Goes out: base-1..6.json and
same-1..6.json alike, slow-1..6.json with times a tenth longer, coarse-1..6.json with
slots of a power of two, and some that differ in one thing. Called by check.t."""

import json
import random
import sys

sys.dont_write_bytecode = True
import made

folder = made.Folder(__file__, sys.argv[1])
random.seed(20261121)


def recording(factor, bits=5, **more):
    off = factor * random.gauss(1, 0.005)
    doc = made.recording([int(random.lognormvariate(8, 0.3) * off *
                              (8 if random.random() < 0.02 else 1)) for _ in range(5000)], bits)
    doc.update(more)
    return doc


def write(name, doc):
    with open(f"{folder.path}/{name}.json", "w", encoding="utf-8") as f:
        json.dump(doc, f)


for n in range(1, 7):
    write(f"base-{n}", recording(1))
    write(f"same-{n}", recording(1))
    write(f"slow-{n}", recording(1.1))
write("failed", recording(1, status=2))
write("filtered", recording(1, filters="pid 1"))
write("clock", recording(1, machine={"cpu": "x", "cpus_online": 1, "clock": "hpet",
                                     "build_id": "00"}))


def calibration(method, hot, cold):
    figures = [{"floor_ns": {"median": n, "min": n - 2, "max": n + 2},
                "added_ns": {"median": 3 * n, "min": 3 * n, "max": 3 * n}} for n in (hot, cold)]
    return {"method": method, "backend": "map", "pairing": "by task", "hot": figures[0],
            "cold": figures[1]}


def of_method(factor, method, hot, cold):
    made = recording(factor, calibration=[calibration(method, hot, cold)])
    made["nodes"][0]["method"] = method
    return made


state = random.getstate()
for n in range(1, 7):
    write(f"fentry-{n}", of_method(1, "fentry/fexit", 40, 120))
    write(f"fsession-{n}", of_method(1.1, "fsession", 140, 500))
    write(f"near-{n}", of_method(1.1, "fsession", 44, 122))
for n in range(1, 7):
    write(f"coarse-{n}", recording(1, bits=0))
random.setstate(state)
doc = recording(1)
doc["nodes"][0]["method"] = "kprobe/kretprobe"
write("method", doc)
doc = recording(1)
doc["nodes"][0]["name"] = "vfs_write"
write("other", doc)
doc["whole"].update(node=[], cpu=[], cells=[], slot=[], samples=[], sum=[], ledger={})
doc["nodes"][0]["name"] = "vfs_read"
write("empty", doc)


def numbers(values):
    made = recording(1)
    made.update(unit="items", version=2)
    counts = [(slot, values.count(slot)) for slot in sorted(set(values))]  # below 32 they are the values
    made["whole"].update(cells=[len(counts)], slot=[s for s, _ in counts],
                         samples=[n for _, n in counts], sum=[s * n for s, n in counts])
    return made


for n in range(1, 7):
    few = 100 + 3 * n
    write(f"few-{n}", numbers([1] * few + [0] * (5000 - few)))
    write(f"many-{n}", numbers([0] * few + [1] * (5000 - few)))
    write(f"twos-{n}", numbers([2] * (5000 - few) + [3] * few))
folder.end()
