#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Read recordings of kstats-bpf: what 'trace --record', 'kmem --record' and
'node show --record' write. One file, standard library only (Python 3.8 or newer):
copy it to where your script is.

    import kstats_recording

    run = kstats_recording.read("run.json")
    reads = run["vfs_read"]
    print(reads.samples, reads.mean, reads.quantile(0.99))  # Bounds(lo=28672, hi=30719)
    print(reads.ledger["lost"])

    for key in reads.keys:                                  # of --by
        print(key.by["comm"], key.quantile(0.99).hi)
    for interval in run.intervals:                          # of --interval
        print(interval.begin_ns, interval["vfs_read"].samples)

Rows are dictionaries with the same members each, so pandas takes them:

    pandas.DataFrame(run.rows())                            # a row for each slot
    pandas.DataFrame(run.figures())                         # one for each distribution

As a program it writes the same rows as CSV, which DuckDB reads:

    python3 kstats_recording.py --figures run-*.json | duckdb -c \\
        "SELECT node, max(p99_hi) FROM read_csv('/dev/stdin') GROUP BY node"

All figures are those of 'kstats-bpf report', to the digit: a quantile is the slot that holds
it, from its smallest to its largest value, and not a guess inside. Durations are in
nanoseconds, other values in their unit. kstats-bpf-formats(5) describes the file.
"""

import argparse
import collections
import csv
import fractions
import functools
import gzip
import json
import math
import sys
import zlib

Bounds = collections.namedtuple("Bounds", "lo hi")
Slot = collections.namedtuple("Slot", "slot first last samples sum avg cumulative")

MOST = 2 ** 64 - 1
SUM_BUCKET = 20  # above it, samples are summed without their lowest bits

# The counters of the ledger: those where a started call ends, and among these and
# others those that are losses.
ENDS = ("short", "ret", "task_gone", "nested", "busy", "superseded", "full", "end_missed",
        "in_flight", "no_end", "unverified", "if", "unreadable", "division", "negative", "no_room")
LOSSES = ("nested", "busy", "superseded", "full", "end_missed", "skipped", "unverified",
          "unreadable", "division", "no_room")
RECORDED = ("duration", "value", "error", "key")


class RecordingError(ValueError):
    """The file is no recording, or one that this reader does not know."""


# ---- slots: the same arithmetic as kstats_slot.h ----

def n_slots(bits):
    return ((64 - bits + 1) << bits) + 1


def slot_bounds(i, bits):
    """Smallest and largest value that slot number i counts."""
    bucket = i >> bits
    if i >= n_slots(bits) - 1:
        return Bounds(MOST, MOST)
    if not bucket:
        return Bounds(i, i)
    first = ((1 << bits) | (i & ((1 << bits) - 1))) << (bucket - 1)
    return Bounds(first, first + (1 << (bucket - 1)) - 1)


def slot_shift(i, bits):
    """By how many bits the sum of a slot is scaled down."""
    return max((i >> bits) - SUM_BUCKET, 0)


class Distribution:
    """Counts of one distribution: on all CPUs, or on one of them.

    cells: {slot: (samples, sum as it is in the file)}
    """

    def __init__(self, cells, bits):
        self.bits = bits
        self.cells = dict(sorted(cells.items()))
        self.samples = sum(n for n, _ in cells.values())
        self.sum = Bounds(
            sum(s << slot_shift(i, bits) for i, (_, s) in cells.items()),
            sum((s << slot_shift(i, bits)) + n * ((1 << slot_shift(i, bits)) - 1)
                for i, (n, s) in cells.items()))

    @property
    def mean(self):
        """Arithmetic mean; None without samples."""
        if not self.samples:
            return None
        return float(self.sum.lo + (self.sum.hi - self.sum.lo) // 2) / self.samples

    @property
    def min(self):
        return self.quantile(0)

    @property
    def max(self):
        return self.quantile(1)

    def quantile(self, q):
        """The slot of sample number ceil(q * samples), as Bounds; None without samples.

        q: 0 to 1. 0.999 is 999/1000, and not the binary number next to it.
        """
        q = fractions.Fraction(str(q))
        if not 0 <= q <= 1:
            raise ValueError(f"a quantile is from 0 to 1, and not {q}")
        if not self.samples:
            return None
        rank, seen = max(math.ceil(q * self.samples), 1), 0
        for i, (n, _) in self.cells.items():
            seen += n
            if seen >= rank:
                return slot_bounds(i, self.bits)
        return None

    def slots(self):
        """The slots in use, ascending, as Slot."""
        cumulative = 0
        for i, (n, s) in self.cells.items():
            if n:
                first, last = slot_bounds(i, self.bits)
                avg = s // n << slot_shift(i, self.bits)
                cumulative += n
                yield Slot(i, first, last, n, s << slot_shift(i, self.bits),
                           min(max(avg, first), last), cumulative)

    def __add__(self, other):
        """Both together; they must have the same resolution."""
        if self.bits != other.bits:
            raise ValueError("distributions of different bits cannot be added")
        return Distribution(add_cells(self.cells, other.cells), self.bits)

    def __repr__(self):
        return f"<{type(self).__name__} of {self.samples} samples>"


def add_cells(a, b):
    both = dict(a)
    for i, (n, s) in b.items():
        had = both.get(i, (0, 0))
        both[i] = had[0] + n, had[1] + s
    return both


class Node(Distribution):
    """A distribution that has a name.

    name, what, method, reason, kind: as 'kstats-bpf report -f json' has them; kind is duration,
        value, error, gap, unverified, key, or other: what got no distribution of its own
    owner: the node in whose ledger its samples are
    by: {part: text} of its key; empty if it is of no key
    by_number: {part: number} of those whose text is the name of a number
    cpus: {CPU: Distribution}
    keys: of --by, a Node for each key; other: the node of what is in none, or None
    ledger: {counter: calls}, with recorded, lost and balance; None if it is not an owner
    """

    def __init__(self, about, cpus, bits):
        cells = functools.reduce(add_cells, cpus.values(), {})
        super().__init__(cells, bits)
        self.name, self.what = about["name"], about["what"]
        self.method, self.reason = about["method"], about["reason"]
        self.kind, self.by = about["kind"], dict(about.get("by") or {})
        self.by_number = dict(about.get("by_number") or {})
        self.cpus = {cpu: Distribution(c, bits) for cpu, c in sorted(cpus.items())}
        self.owner, self.keys, self.other, self.ledger = self, [], None, None


# ---- a measurement, or an interval of it ----

class Counts:
    """What was counted from begin_ns to end_ns: the whole measurement, or an interval.

    nodes: those with a name of their own, then those of keys, then what got no key
    begin_ns, end_ns: monotonic clock; wall_ns: nanoseconds since 1970 at the begin
    final: False if calls went on when it was copied
    """

    def __init__(self, doc, counts):
        self.wall_ns, self.begin_ns = counts["wall_ns"], counts["begin_ns"]
        self.end_ns, self.final = counts["end_ns"], counts["final"]
        bits, of = doc["bits"], [{} for _ in doc["nodes"]]
        columns = zip(counts["slot"], counts["samples"], counts["sum"])
        for node, cpu, cells in zip(counts["node"], counts["cpu"], counts["cells"]):
            of[node][cpu] = {slot: (n, s) for _, (slot, n, s) in zip(range(cells), columns)}
        self.nodes = self._make(doc, of, bits)
        self._ledgers(doc, counts)

    def _make(self, doc, of, bits):
        owners = [about["owner"] for about in doc["nodes"]]
        is_key = [about["kind"] == "key" for about in doc["nodes"]]
        # What an owner has itself is of keys without a distribution; it gets the others' too.
        others, total = {}, [dict(cpus) for cpus in of]
        for i, owner in enumerate(owners):
            if is_key[i]:
                others.setdefault(owner, dict(of[owner]))
                for cpu, cells in of[i].items():
                    total[owner][cpu] = add_cells(total[owner].get(cpu, {}), cells)
        made = [Node(about, total[i], bits) for i, about in enumerate(doc["nodes"])]
        rest = []
        for owner, cpus in others.items():
            about = dict(doc["nodes"][owner], kind="other", name=made[owner].name + "{other}")
            other = Node(about, cpus, bits)
            if other.samples:
                made[owner].other = other
                other.owner = made[owner]
                rest.append(other)
        for i, owner in enumerate(owners):
            made[i].owner = made[owner]
            if is_key[i]:
                made[owner].keys.append(made[i])
        self._by_index = made
        return ([n for n in made if n.kind != "key"] + [n for n in made if n.kind == "key"] +
                rest)

    def _ledgers(self, doc, counts):
        for i, node in enumerate(self._by_index):
            if node.kind not in ("duration", "value") or node.owner is not node:
                continue
            told = collections.Counter({key: column[i] for key, column in counts["ledger"].items()})
            # An owner's samples are in its keys' too, so keys do not count again.
            recorded = sum(n.samples for n in self._by_index
                           if n.owner is node and n.kind in RECORDED and n.kind != "key")
            balance = told["started"] - recorded - sum(told[key] for key in ENDS)
            self._tell_lost_ends(told)
            node.ledger = collections.Counter(
                told, recorded=recorded, lost=sum(told[key] for key in LOSSES))
            node.ledger["balance"] = (balance + 2 ** 63) % 2 ** 64 - 2 ** 63

    def _tell_lost_ends(self, told):
        """Calls whose end the kernel skipped look as if they were open, or their task had ended."""
        left = max(told["ends_lost"] - told["end_missed"], 0)
        for key in (("task_gone", "no_end", "in_flight") if self.final else
                    ("no_end", "in_flight", "task_gone")):
            moved = min(told[key], left)
            told[key] -= moved
            told["end_missed"] += moved
            left -= moved
        told["ends_lost"] = 0

    @property
    def seconds(self):
        return (self.end_ns - self.begin_ns) / 1e9

    def __iter__(self):
        return iter(self.nodes)

    def __getitem__(self, name):
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)


class Recording(Counts):
    """A recording of 'trace', or of a node.

    intervals: Counts of each; they add up to the whole
    about: the members of the file that describe it: kernel, command, tags, machine, bits ...
    unit: "ns", or the unit of values that are no durations
    """

    def __init__(self, doc, source=""):
        super().__init__(doc, doc["whole"])
        self.source, self.unit = source, doc.get("unit") or "ns"
        self.about = {k: v for k, v in doc.items() if k not in ("nodes", "whole", "periods")}
        self.intervals = [Counts(doc, counts) for counts in doc["periods"]]

    def _each(self):
        """With the number of the interval: 0 is the whole."""
        for period, counts in enumerate([self, *self.intervals]):
            for node in counts:
                yield node, {
                    "source": self.source, "period": period, "begin_ns": counts.begin_ns,
                    "end_ns": counts.end_ns, "node": node.owner.name if node.by else node.name,
                    "kind": node.kind, "unit": self.unit,
                    "by": ",".join(f"{k}={v}" for k, v in node.by.items())}

    def rows(self):
        """A dictionary for each slot in use, of the whole and of each interval."""
        return [{**row, **slot._asdict()} for node, row in self._each() for slot in node.slots()]

    def figures(self, quantiles=(0.5, 0.9, 0.99, 0.999)):
        """A dictionary for each distribution: samples, mean, bounds of quantiles, losses."""
        def made(node, row):
            row.update(samples=node.samples, mean=node.mean)
            for q in quantiles:
                name = "p" + f"{float(fractions.Fraction(str(q)) * 100):.10g}".replace(".", "_")
                row[name + "_lo"], row[name + "_hi"] = node.quantile(q) or (None, None)
            row["lost"] = node.ledger["lost"] if node.ledger else None
            return row
        return [made(node, row) for node, row in self._each()]


# ---- memory events ----

class KmemRecording:
    """A recording of 'kmem'.

    tables: sites, caches, rows, lifes, programs, and periods and parts if there were
        intervals: lists of dictionaries, whose members kstats-bpf-formats(5) describes
    counts: the counters of the account; a missing one is 0
    about: the other members
    """

    KINDS = {1: "kmalloc", 2: "cache", 3: "pages"}

    def __init__(self, doc, source=""):
        self.source = source
        self.tables = {name: [dict(zip(table, values)) for values in zip(*table.values())]
                       for name, table in doc.items() if name in (
                           "sites", "caches", "rows", "lifes", "programs", "periods", "parts")}
        self.counts = collections.Counter(doc["counts"])
        self.about = {k: v for k, v in doc.items() if k not in self.tables and k != "counts"}

    def rows(self):
        """The rows of the table with the names of their sites and caches."""
        return [{**row, "source": self.source, "kind": self.KINDS.get(row["kind"], row["kind"]),
                 "site": self.tables["sites"][row["site"]]["name"],
                 "line": self.tables["sites"][row["site"]]["line"],
                 "cache": self.tables["caches"][row["cache"]]["name"] if row["kind"] == 2 else ""}
                for row in self.tables["rows"]]

    figures = rows


# ---- files ----

KNOWN = {"kstats-bpf recording": (Recording, 2), "kstats-bpf kmem recording": (KmemRecording, 1)}


def load(text, source=""):
    """A recording from its text. Raises RecordingError."""
    try:
        doc = json.loads(text)
        what, version = doc["format"], doc["version"]
    except (ValueError, KeyError, TypeError, RecursionError) as e:
        raise RecordingError(f"{source or 'this'} is no recording of kstats-bpf") from e
    if not isinstance(what, str) or type(version) is not int:
        raise RecordingError(f"{source or 'this'} is no recording of kstats-bpf")
    if what not in KNOWN:
        raise RecordingError(f"{source or 'this'} is a '{what}', and no recording")
    make, newest = KNOWN[what]
    if version > newest:
        raise RecordingError(f"{source or 'this'} has version {version} of its format: "
                             f"this reader knows those up to {newest}")
    try:
        return make(doc, source)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError,
            RecursionError) as e:
        raise RecordingError(f"{source or 'this'} is damaged: {e!r}") from e


def read(path):
    """A recording from a file, which may be compressed by gzip; "-" is standard input."""
    if path == "-":
        return load(sys.stdin.buffer.read(), path)
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as e:
            raise RecordingError(f"{path} is damaged: {e}") from e
    return load(data, path)


def main():
    args = argparse.ArgumentParser(description="Write recordings of kstats-bpf as CSV.")
    args.add_argument("file", nargs="+", help="recording; - is standard input")
    args.add_argument("--figures", action="store_true",
                      help="a row for each distribution, not for each slot")
    args = args.parse_args()
    writer = None
    try:
        for path in args.file:
            recording = read(path)
            for row in recording.figures() if args.figures else recording.rows():
                if not writer:
                    writer = csv.DictWriter(sys.stdout, row, lineterminator="\n")
                    writer.writeheader()
                writer.writerow(row)
    except (OSError, ValueError) as e:
        sys.exit(f"kstats_recording: {e}")


if __name__ == "__main__":
    main()
