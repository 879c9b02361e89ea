#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Rows of figures to a table. Comes in: lines GROUP<tab>WHAT<tab>VALUE, a
repetition after the other; the first WHAT of a group is its base, against which
the others of the same repetition are held. Goes out: a table as Markdown, and
with --json FILE the same figures as JSON. --limit and --peer name rows that the
added cost of the others is divided by; of the rows whose names begin with one of
--peer A|B the cheapest counts. With --plain there is no base: the figures stand
for themselves, and it is they that are divided. Called by the scripts beside it."""

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


def divided(rows, key, peer):
    """Each row by the cheapest of the peers."""
    peers = [r[key] for w, r in rows.items() if peer and w.startswith(tuple(peer.split("|")))]
    for row in rows.values():
        row["to_peer"] = row[key] / min(peers) if peers and key in row else None


def summary(rows, a):
    base = next(iter(rows.values()))
    out = {}
    for what, values in rows.items():
        out[what] = {"median": statistics.median(values), "min": min(values), "max": max(values)}
        if not a.plain and values is not base:
            out[what]["added"] = statistics.median(v - b for v, b in zip(values, base))
    if a.limit in out:
        for row in out.values():
            row["to_limit"] = row["added"] / out[a.limit]["added"] if "added" in row else None
    divided(out, "median" if a.plain else "added", a.peer)
    return out


def cell(x, digits):
    return "" if x is None else f"{x:.{digits}f}"


def show(group, rows, a):
    columns = [("median", a.digits), ("min", a.digits), ("max", a.digits)]
    if not a.plain:
        columns.append(("added", a.digits))
    if a.limit:
        columns.append(("to_limit", 2))
    if a.peer:
        columns.append(("to_peer", 2))
    head = [{"to_limit": "to the limit", "to_peer": "to the peer"}.get(c, c) for c, _ in columns]
    print(f"| {group} | " + " | ".join(head) + " |")
    print("| --- |" + " ---: |" * len(head))
    for what, r in rows.items():
        print(f"| {what} | " + " | ".join(cell(r.get(c), d) for c, d in columns) + " |")
    print()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--limit", default="")
    p.add_argument("--peer", default="")
    p.add_argument("--plain", action="store_true")
    p.add_argument("--json")
    p.add_argument("--digits", type=int, default=0)
    p.add_argument("--least", type=int, default=7)
    a = p.parse_args()
    groups = {g: summary(r, a) for g, r in read(sys.stdin, a.least).items()}
    for group, rows in groups.items():
        show(group, rows, a)
    if a.json:
        with open(a.json, "w", encoding="utf-8") as f:
            json.dump(groups, f, indent=1)
            f.write("\n")


main()
