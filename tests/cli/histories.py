#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Made-up sets of recordings, a second of a function each. Comes in: a folder. Goes out:
steady/, 12 sets about one level; risen/, 24 sets with +12 % from the 15th on; and the new
sets same-1..3.json, slow-1..3.json and others. Called by history.t."""

import json
import os
import random
import sys

sys.dont_write_bytecode = True
import made

DAY = 86400 * 10**9
FIRST = 1790000000 * 10**9
folder = made.Folder(__file__, sys.argv[1])
random.seed(20261122)


def recording(factor, wall_ns):
    return made.recording([int(random.lognormvariate(8, 0.2) * factor) for _ in range(2000)],
                          wall_ns=wall_ns)


def write_set(prefix, day, level):
    factor = level * random.gauss(1, 0.01)
    for n in range(1, 4):
        with open(f"{prefix}{n}.json", "w", encoding="utf-8") as f:
            json.dump(recording(factor * random.gauss(1, 0.005),
                                FIRST + day * DAY + n * 10**9), f)


os.chdir(folder.path)
for name, days, step in ("steady", 12, 99), ("risen", 24, 14):
    for day in range(days):
        os.makedirs(f"{name}/set-{day:02}")
        write_set(f"{name}/set-{day:02}/run-", day, 1.12 if day >= step else 1)
write_set("same-", 40, 1)
write_set("slow-", 40, 1.12)
write_set("twice-", 40, 2)
write_set("wide-", 40, 1.05)
write_set("later-", 41, 1)
folder.end()
