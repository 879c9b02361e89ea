#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""examples/kstats_recording.py says of each kind of recording what `report -f json` says. Called
by reader.t; prints TAP."""

import csv
import glob
import gzip
import io
import json
import random
import subprocess
import sys
import tempfile

sys.path[:0] = ["examples", "tests/cli", "tests/view"]
import kstats_recording as reader
import made
from tap import result, results

PROGRAM = ".output/kstats-bpf"
QUANTILES = {"p50": "0.5", "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}


def ask(*words):
    out = subprocess.run([PROGRAM, "report", *words], check=True, stdout=subprocess.PIPE).stdout
    return out.decode()


def bounds(b):
    """A sum of more than 64 bits is cut in JSON."""
    return {"lo": min(b.lo, reader.MOST), "hi": min(b.hi, reader.MOST)}


def figures(d, unit):
    """As JSON has them."""
    ns = "_ns" if unit == "ns" else ""
    if not d.samples:
        return {"samples": 0}
    return {"samples": d.samples, "sum" + ns: bounds(d.sum), "mean" + ns: f"{d.mean:.3f}",
            "min" + ns: bounds(d.min), "max" + ns: bounds(d.max),
            "quantiles" + ns: {p: bounds(d.quantile(q)) for p, q in QUANTILES.items()}}


def of_node(n, unit):
    ns = "_ns" if unit == "ns" else ""
    told = figures(n, unit)
    told.update(kind=n.kind, slots=[
        {"slot": s.slot, "first" + ns: s.first, "last" + ns: s.last, "samples": s.samples,
         "sum" + ns: min(s.sum, reader.MOST), "avg" + ns: s.avg, "cumulative": s.cumulative}
        for s in n.slots()])
    told["cpus"] = [{"cpu": cpu, **figures(d, unit)} for cpu, d in n.cpus.items() if d.samples]
    if n.by:
        told["by"] = n.by
    if n.by_number:
        told["by_number"] = n.by_number
    return told


def theirs(node):
    keep = {k: v for k, v in node.items() if k not in ("name", "what", "method", "reason", "owner",
                                                       "ledger")}
    for d in (keep, *keep["cpus"]):
        for mean in ("mean", "mean_ns"):
            if mean in d:
                d[mean] = f"{d[mean]:.3f}"
    return keep


def differ(counts, doc, unit):
    """The first thing in which they differ."""
    # Reports leave out what is unverified where nothing is.
    nodes = [n for n in counts.nodes if n.kind != "unverified" or n.samples]
    told = [n for n in doc["nodes"] if n["kind"] != "unverified" or n["samples"]]
    if len(nodes) != len(told):
        return f"{len(nodes)} nodes, not {len(told)}"
    for ours, node in zip(nodes, told):
        want, got = theirs(node), of_node(ours, unit)
        for key in want.keys() | got.keys():
            if want.get(key) != got.get(key) and not (key == "by" and "hostile" in doc["source"]):
                return f"{node['name']}: {key} is {got.get(key)}, not {want.get(key)}"
        ledger = node.get("ledger")
        if (ledger is None) != (ours.ledger is None):
            return f"{node['name']}: one has a ledger"
        bad = [f"{k} is {ours.ledger[k]}, not {ledger[k]}" for k in ledger or ()
               if ours.ledger[k] != ledger[k]]
        if bad:
            return f"{node['name']}: {bad[0]}"
    return None


def check(path, name=None):
    ours = reader.read(path)
    docs = [json.loads(line) for line in ask("-f", "json", "--periods", path).splitlines()]
    whole, periods = docs[-1], docs[:-1]
    fault = differ(ours, whole, ours.unit)
    if not fault and len(periods) != len(ours.intervals):
        fault = f"{len(ours.intervals)} intervals, not {len(periods)}"
    for counts, doc in zip(ours.intervals, periods):
        if (counts.begin_ns, counts.end_ns) != (doc["begin_ns"], doc["end_ns"]):
            fault = fault or f"interval from {counts.begin_ns}, not {doc['begin_ns']}"
        fault = fault or differ(counts, doc, ours.unit)
    result(f"all figures of {name or path} are the program's", fault)
    return ours


# ---- recordings of every kind ----

kinds, keyed, intervals, ledgers = set(), 0, 0, set()
for path in sorted([f for f in glob.glob("tests/golden/*.recording.json") if "/why" not in f]):
    run = check(path)
    kinds |= {n.kind for n in run}
    keyed += sum(len(n.keys) for n in run)
    intervals += len(run.intervals)
    ledgers |= {k for n in run if n.ledger for k in n.ledger if n.ledger[k]}
wanted = {"duration", "value", "error", "gap", "unverified", "key", "other"}
result("they were of each kind", wanted - kinds and f"but for {wanted - kinds}")
result("with keys, intervals and losses",
       not (keyed > 10 and intervals > 10 and "skipped" in ledgers) and f"{keyed} {intervals} {ledgers}")

random.seed(4711)
with tempfile.TemporaryDirectory() as folder:
    for bits in range(6):
        values = [random.getrandbits(random.randrange(65)) for _ in range(2003)] + [0, 1, 2 ** 64 - 1]
        doc = made.recording(values, bits)
        # What a call without an end may be, and a sum that does not fit a double.
        for ends, final in ((7, True), (19, False)):
            doc["whole"].update(final=final, ledger={
                "started": [3001], "task_gone": [5], "no_end": [3], "in_flight": [17],
                "ends_lost": [ends], "end_missed": [2], "skipped": [11]})
            with open(f"{folder}/{bits}.json", "w", encoding="utf-8") as f:
                json.dump(doc, f)
            run = check(f"{folder}/{bits}.json", f"any values with {bits} bits, {ends} ends lost")
    exact = sorted(values)
    bad = [q for q in (0, 0.25, 0.5, 0.9, 0.999, 1)
           if not (lambda b, v: b.lo <= v <= b.hi)(
               run["vfs_read"].quantile(q), exact[max(-int(-q * 2006 // 1), 1) - 1])]
    result("a quantile is the slot of the sample", bad and repr(bad))

    # ---- added up ----
    two = [f"{folder}/4.json", f"{folder}/4b.json"]
    with open(two[1], "w", encoding="utf-8") as f:
        json.dump(made.recording([v >> 1 for v in values], 4), f)
    both = reader.read(two[0])["vfs_read"] + reader.read(two[1])["vfs_read"]
    merged = json.loads(ask("--merge", "-f", "json", *two))["nodes"][0]
    result("two added are those of --merge",
           [figures(both, "ns")[k] for k in ("samples", "sum_ns", "quantiles_ns")] !=
           [merged[k] for k in ("samples", "sum_ns", "quantiles_ns")] and repr(both))
    with open(two[0], "rb") as f, gzip.open(f"{folder}/4.json.gz", "wb") as to:
        to.write(f.read())
    result("a compressed file is read, too",
           [r["samples"] for r in reader.read(f"{folder}/4.json.gz").rows()] !=
           [r["samples"] for r in reader.read(two[0]).rows()] and "other rows")

# ---- rows ----

def as_csv(*words):
    text = subprocess.run([sys.executable, "examples/kstats_recording.py", *words], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    return list(csv.DictReader(io.StringIO(text)))


path = "tests/golden/watched.recording.json"
rows = as_csv(path)
whole = list(csv.DictReader(io.StringIO(ask("-f", "csv", path))))
same = [("slot", "slot"), ("first", "first_ns"), ("last", "last_ns"), ("samples", "samples"),
        ("sum", "sum_ns"), ("avg", "avg_ns"), ("cumulative", "cumulative"), ("node", "node")]
result("its CSV has the rows of the program's",
       [[r[a] for a, _ in same] for r in rows if r["period"] == "0"] !=
       [[r[b] for _, b in same] for r in whole if r["cpu"] == "all"] and f"{len(rows)} rows")
run = reader.read("tests/golden/keys.recording.json")
for what in (run.rows(), run.figures()):
    result("all rows have the same members", len({tuple(r) for r in what}) != 1 and repr(what[0]))
result("a row names the part of its key",
       "comm=nginx,cpu=0" not in {r["by"] for r in run.rows()} and repr(run.rows()[-1]))
result("figures have the quantile",
       run.figures()[0]["p99_hi"] != run["vfs_read"].quantile(0.99).hi and repr(run.figures()[0]))

# ---- memory events ----

for path in sorted(glob.glob("tests/golden/*.kmem.json")):
    ours, total = reader.read(path), json.loads(ask("-f", "json", path))["totals"]
    # What found no row in the table is in the account only.
    mine = {kind: [ours.counts[f"no_row_{kind}{what}"] for what in ("", "_requested", "_allocated")]
            for kind in reader.KmemRecording.KINDS.values()}
    for row in ours.rows():
        for i, key in enumerate(("count", "req", "alloc")):
            mine[row["kind"]][i] += row[key]
    want = {kind: [t["count"], t["requested_bytes"], t["allocated_bytes"]]
            for kind, t in total.items()}
    result(f"the totals of {path} are the program's",
           any(t != mine[kind] for kind, t in want.items()) and f"{mine}, not {want}")

# ---- what is no recording ----

for text, words in (("{", "no recording"), ("[]", "no recording"),
                    ('{"format": "kstats-bpf calibration", "version": 1}', "calibration"),
                    ('{"format": "kstats-bpf recording", "version": 99}', "knows those up to 2"),
                    ('{"format": "kstats-bpf recording", "version": 1}', "damaged"),
                    ('{"format": "kstats-bpf recording", "version": "1"}', "no recording"),
                    ('{"format": ["kstats-bpf recording"], "version": 1}', "no recording"),
                    ('{"format": "kstats-bpf kmem recording", "version": 1, "sites": []}',
                     "damaged"),
                    ("[" * 100000, "no recording")):
    try:
        reader.load(text, "x")
        result(f"{text[:60]} is refused", "it is read")
    except Exception as e:  # pylint: disable=broad-except
        result(f"{text[:60]} is refused in words",
               (not isinstance(e, reader.RecordingError) or words not in str(e)) and repr(e))

with open(sorted([f for f in glob.glob("tests/golden/*.recording.json") if "/why" not in f])[0], "rb") as f:
    packed = gzip.compress(f.read(), mtime=0)
half = len(packed) // 2
for what, data in (("cut", packed[:half]), ("without its end", packed[:-4]),
                   ("of other bytes", packed[:half] + b"\xff" * 64 + packed[half + 64:]),
                   ("with another head", packed[:2] + b"\xff" + packed[3:])):
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        try:
            reader.read(f.name)
            result(f"a compressed file {what} is refused", "it is read")
        except Exception as e:  # pylint: disable=broad-except
            result(f"a compressed file {what} is refused in words",
                   (not isinstance(e, reader.RecordingError) or "damaged" not in str(e)) and
                   repr(e))
print(f"1..{len(results)}")
sys.exit(any(results))
