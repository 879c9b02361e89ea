#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Do the runs that exact.py chooses have every meeting that any run has? Goes out: TAP. Called
by tests/lint/pairs.t."""

import sys

sys.dont_write_bytecode = True
import exact
import pairs


def main():
    every = {(id(c), p): exact.meetings(c, p) for c in exact.cases for p in exact.PLACES
             if exact.possible(c, p)}
    chosen = [(id(c), p) for p in exact.PLACES for c in exact.chosen_for(p)]
    missing = set().union(*every.values()) - set().union(*(every[run] for run in chosen))
    spare = pairs.choose([("", pairs.of(a=a, b=b, c=c)) for a in "123" for b in "123" for c in "123"])
    results = {
        f"exact.py: {len(chosen)} of {len(every)} runs have all their meetings": not missing,
        "each of them once": len(chosen) == len(set(chosen)),
        "and they are half of all at most": 2 * len(chosen) <= len(every),
        # No two of three values with three others takes fewer than 9.
        f"three factors of three values: {len(spare)} runs, 9 to 12": 9 <= len(spare) <= 12,
    }
    for n, (what, ok) in enumerate(results.items(), 1):
        print(f"{'ok' if ok else 'not ok'} {n} - {what}")
    print(f"1..{len(results)}")
    return not all(results.values())


if __name__ == "__main__":
    sys.exit(main())
