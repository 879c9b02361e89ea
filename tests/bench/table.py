#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Rows of figures to a table. Comes in: lines GROUP<tab>WHAT<tab>VALUE, a
repetition after the other; the first WHAT of a group is its base, against which
the others of the same repetition are held. Goes out: a table as Markdown, and
with --json FILE the same figures as JSON. --limit and --peer name rows that the
added cost of the others is divided by; of the rows whose names begin with one of
--peer A|B the cheapest counts. Called by the scripts beside it."""

import argparse
import json
import statistics
import sys


def read(lines, least):
    """The groups: each a dict of what -> list of values, in order."""
    groups = {}
    for line in lines:
        group, what, value = line.rstrip("\n").split("\t")
        groups.setdefault(group, {}).setdefault(what, []).append(float(value))
    if not groups:
        sys.exit("bench: no figures")
    for group, rows in groups.items():
        for what, values in rows.items():
            if len(values) < least or len(values) != len(next(iter(rows.values()))):
                sys.exit(f"bench: {group}, {what}: {len(values)} figures, fewer than wanted")
    return groups


def summary(rows, limit, peer):
    base = next(iter(rows.values()))
    out = {}
    for what, values in rows.items():
        added = [v - b for v, b in zip(values, base)]
        out[what] = {"median": statistics.median(values), "min": min(values),
                     "max": max(values), "added": statistics.median(added)}
    peers = [r["added"] for w, r in out.items() if peer and w.startswith(tuple(peer.split("|")))]
    for what, row in list(out.items())[1:]:
        row["to_limit"] = row["added"] / out[limit]["added"] if limit in out else None
        row["to_peer"] = row["added"] / min(peers) if peers else None
    return out


def cell(x, digits):
    return "" if x is None else f"{x:.{digits}f}"


def show(group, rows, digits):
    head = ["median", "min", "max", "added", "to the limit", "to the peer"]
    print(f"| {group} | " + " | ".join(head) + " |")
    print("| --- |" + " ---: |" * len(head))
    for what, r in rows.items():
        first = "to_limit" not in r
        cells = [cell(r[k], digits) for k in ("median", "min", "max")]
        cells.append("" if first else cell(r["added"], digits))
        cells += [cell(r.get(k), 2) for k in ("to_limit", "to_peer")]
        print(f"| {what} | " + " | ".join(cells) + " |")
    print()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--limit", default="")
    p.add_argument("--peer", default="")
    p.add_argument("--json")
    p.add_argument("--digits", type=int, default=0)
    p.add_argument("--least", type=int, default=7)
    a = p.parse_args()
    groups = {g: summary(r, a.limit, a.peer) for g, r in read(sys.stdin, a.least).items()}
    for group, rows in groups.items():
        show(group, rows, a.digits)
    if a.json:
        with open(a.json, "w", encoding="utf-8") as f:
            json.dump(groups, f, indent=1)
            f.write("\n")


main()
