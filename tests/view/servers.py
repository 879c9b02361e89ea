#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Made-up hosts, each with some nodes, as real servers see them: Prometheus with classic and
with native histograms, and with native ones that it makes of the classic ones and that have their
bounds (NHCB); and VictoriaMetrics with vmrange.
Quantiles of the fleet against `report --merge`; what a reset, a node that is removed and a host
that is gone do. Comes in: how many hosts and nodes; prometheus, nhcb (a Prometheus that can convert) or
victoria; its program; and "costs" to be told what it costs. Called by servers.t; prints TAP."""

import gzip
import json
import math
import random
import subprocess
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 2)[0] + "/cli")
import made
from prometheus import (PROTOBUF, TEXT, ask, bounds_ns, bucket_ns, is_within, serve,
                        start_prometheus, start_victoria)
from tap import result, results

QUANTILES = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
BITS = 3
SCHEMA = 8
# What is served; "nhcb" is what Prometheus makes of classic histograms.
FORMATS = {"classic": "openmetrics", "native": "protobuf", "vmrange": "vmrange",
           "nhcb": "openmetrics"}
NATIVE = "kstats_duration_seconds"
HOSTS, NODES = int(sys.argv[1]), int(sys.argv[2])
KIND, PROGRAM, COSTS = sys.argv[3], sys.argv[4], sys.argv[5:] == ["costs"]
INTERVAL = 1 if HOSTS < 20 else 10


# ---- the hosts ----

def samples_of(host, node):
    """Of every second node each host has a range of its own; of the others all are alike, and some
    calls wait for a disk. Counts are odd, so that no quantile lies between two samples."""
    n = 151 + 2 * ((7 * host + node) % 50)
    if node % 2:
        return [int(2 ** (9.5 + 20 * (host + random.random()) / HOSTS)) for _ in range(n)]
    near = 9 + 0.3 * node + 0.01 * host
    return [int(random.lognormvariate(near, 0.8) * (300 if random.random() < 0.004 else 1))
            for _ in range(n)]


def recording(nodes):
    """One of several functions: nodes has the samples of each."""
    parts = [made.recording(values, BITS) for values in nodes]
    doc = parts[0]
    doc["nodes"] = [dict(doc["nodes"][0], name=f"call_{i}", owner=i) for i in range(len(nodes))]
    whole = doc["whole"]
    whole["ledger"]["started"] = [len(values) for values in nodes]
    for i, part in enumerate(parts[1:], 1):
        whole["node"].append(i)
        for column in ("cpu", "cells", "slot", "samples", "sum"):
            whole[column] += part["whole"][column]
    return doc


def report(*words):
    return subprocess.run([".output/kstats-bpf", "report", *words], check=True,
                          stdout=subprocess.PIPE).stdout


class State:
    """What all hosts have counted at a time."""

    def __init__(self, folder, name, hosts):
        self.files = [f"{folder}/{name}-{i}.json" for i in range(len(hosts))]
        for path, nodes in zip(self.files, hosts):
            with open(path, "w", encoding="utf-8") as f:
                json.dump(recording(nodes), f)

    def pages(self, *formats):
        return {f"/{fmt}/{i}": report("-f", FORMATS[fmt], path)
                for i, path in enumerate(self.files) for fmt in formats}

    def quantiles(self, *hosts):
        """By node, between which values each lies: of these hosts, or of all."""
        files = [self.files[i] for i in hosts] or self.files
        doc = json.loads(report("--merge", "-f", "json", *files) if len(files) > 1 else
                         report("-f", "json", *files))
        return {(n["name"], p): (n["quantiles_ns"][p]["lo"], n["quantiles_ns"][p]["hi"])
                for n in doc["nodes"] for p in QUANTILES}

    def counts(self):
        doc = json.loads(report("--merge", "-f", "json", *self.files))
        return {n["name"]: n["samples"] for n in doc["nodes"]}


# ---- what each way of histograms may say ----

def native_bucket(lo, hi):
    """The bucket that has the middle of the slot."""
    top = math.ceil(math.log2((lo + hi) / 2e9) * 2 ** SCHEMA)
    return 2 ** ((top - 1) / 2 ** SCHEMA) * 1e9, 2 ** (top / 2 ** SCHEMA) * 1e9


def allowed(way, bounds, lo, hi):
    if way == "native":
        return native_bucket(lo, hi)
    if way == "vmrange":
        return lo - 1, hi
    return bucket_ns(bounds, lo, hi)


def about(way, bounds, lo, hi):
    """The same of increase(): it reaches to the ends of its window, and of each classic bucket as if
    it were alone, so that a quantile can move to the next one."""
    low, high = allowed(way, bounds, lo, hi)
    if way == "native":
        return low, high
    return (([0] + [b for b in bounds if b < low])[-1],
            ([b for b in bounds if b > high] + [bounds[-1]])[0])


def over_all(way, q):
    if way in ("native", "nhcb"):
        return f'histogram_quantile({q}, sum by (node) ({NATIVE}{{as="{way}"}}))'
    label = "vmrange" if way == "vmrange" else "le"
    return f'histogram_quantile({q}, sum by (node, {label}) ({NATIVE}_bucket{{as="{way}"}}))'


def check_quantiles(port, way, bounds, want):
    for name, q in QUANTILES.items():
        for _ in range(50):  # where a scrape was late, a host is missing for a while
            got = {r["metric"]["node"]: float(r["value"][1]) * 1e9
                   for r in ask(port, over_all(way, q))}
            bad = [f"{node}: {got.get(node)}, not {allowed(way, bounds, *want[node, p])}"
                   for node, p in want if p == name and not
                   is_within(got.get(node, -1), allowed(way, bounds, *want[node, p]))]
            if not bad:
                break
            time.sleep(0.2)
        result(f"{way}: {name} of all hosts lies where that of the merged recordings does, "
               f"{NODES} times", bad and bad[0])


def name_of(way):
    """The series whose quantiles are asked for."""
    return NATIVE if way in ("native", "nhcb") else NATIVE + "_bucket"


def until(port, query, want):
    """Wait until the sum has been scraped."""
    got = None
    for _ in range(600):
        rows = ask(port, query)
        got = {r["metric"].get("as"): float(r["value"][1]) for r in rows}
        if got == want:
            return None
        time.sleep(0.2)
    return f"{got}, not {want}"


def count_query(way):
    """All samples, by way."""
    if way in ("native", "nhcb"):
        return f'sum by (as) (histogram_count({NATIVE}{{as="{way}"}}))'
    # New series of VictoriaMetrics are found a little later than their samples are there.
    return f'sum by (as) ({NATIVE}_{"bucket" if way == "vmrange" else "count"}{{as="{way}"}})'


def tell_costs(port, ways, pages):
    for way in ways:
        own = [page for path, page in pages.items() if path.startswith(f"/{way}/")]
        rows = ask(port, f'count({{__name__=~"{NATIVE}.*",as="{way}"}})')
        took = []
        for _ in range(5):
            begin = time.monotonic()
            ask(port, over_all(way, 0.99))
            took.append(time.monotonic() - begin)
        size = sum(map(len, own)) / HOSTS
        packed = sum(len(gzip.compress(page)) for page in own) / HOSTS
        print(f"# {KIND} {way}: {int(rows[0]['value'][1])} series of distributions, "
              f"{size:.0f} bytes a scrape of a host ({packed:.0f} by gzip), "
              f"{1000 * sorted(took)[2]:.0f} ms a quantile of all nodes", flush=True)


# ---- the course ----

def course(folder, ways, start):
    hosts = [[samples_of(h, n) for n in range(NODES)] for h in range(HOSTS)]
    half = State(folder, "half", [[v[:len(v) // 2] for v in nodes] for nodes in hosts])
    whole = State(folder, "whole", hosts)
    more = State(folder, "more", [[v[len(v) // 2:] for v in nodes] for nodes in hosts])
    pages = half.pages(*ways)
    bounds = bounds_ns(pages["/classic/0"].decode()) if "classic" in ways else None
    server = serve(pages, lambda path: PROTOBUF if path.startswith("/native/") else TEXT)
    targets = [{"__metrics_path__": f"/{way}/{i}", "as": way, "host": f"host-{i}"}
               for way in ways for i in range(HOSTS)]
    p, port = start(server.server_address[1], targets)
    try:
        totals = {state: float(sum(state.counts().values())) for state in (half, whole)}
        for way in ways:
            result(f"{way}: every sample is counted",
                   until(port, count_query(way), {way: totals[half]}))
        pages.update(whole.pages(*ways))
        for way in ways:
            result(f"{way}: and those that come", until(port, count_query(way), {way: totals[whole]}))
            check_quantiles(port, way, bounds, whole.quantiles())
        if COSTS:
            tell_costs(port, ways, pages)
        for way in ways:
            check_change(port, way, bounds, more)
        check_reset(port, ways, bounds, pages, State(folder, "new", [[v[:7] for v in nodes]
                                                                     for nodes in hosts[:1]]),
                    hosts[0], folder)
        if "vmrange" not in ways:
            check_gone(port, ways, pages)
    finally:
        p.terminate()
        p.wait()
        server.shutdown()


def check_change(port, way, bounds, more):
    """What came since the first scrapes. VictoriaMetrics takes what is there at the first one for an
    increase, too."""
    if way == "vmrange":
        return
    want, bad = more.quantiles(HOSTS - 1), []
    query = f'histogram_quantile(%s, increase({name_of(way)}{{as="{way}",host="host-{HOSTS - 1}"}}[10m]))'
    for name, q in QUANTILES.items():
        got = {r["metric"]["node"]: float(r["value"][1]) * 1e9 for r in ask(port, query % q)}
        bad += [f"{name} of {node}: {got.get(node)}, not {about(way, bounds, *b)}"
                for (node, p), b in want.items() if p == name and
                not is_within(got.get(node, -1), about(way, bounds, *b))]
    result(f"{way}: quantiles of what a host added since are those of that", bad and bad[0])


def check_reset(port, ways, bounds, pages, new, host, folder):
    """Host 0 begins anew, as after `node reset`."""
    pages.update(new.pages(*ways))
    added = State(folder, "added", [[v[len(v) // 2:] + v[:7] for v in host]])
    want, n = added.quantiles(), float(7 * NODES)
    for way in ways:
        series = f'{{as="{way}",host="host-0"}}'
        count = (f"histogram_count({NATIVE}{series})" if way in ("native", "nhcb")
                 else f"{NATIVE}_count{series}")
        result(f"{way}: a reset is scraped", until(port, f"sum by (as) ({count})", {way: n}))
        if way == "vmrange":
            continue
        rows = ask(port, f"histogram_quantile(0.5, increase({name_of(way)}{series}[10m]))")
        bad = [r for r in rows if not is_within(float(r["value"][1]) * 1e9, about(
            way, bounds, *want[r["metric"]["node"], "p50"]))]
        result(f"{way}: after it, increase() has what came before and since",
               (bad and repr(bad[0])) or (len(rows) != NODES and f"{len(rows)} rows"))


def check_gone(port, ways, pages):
    """A node that is removed is in the next page no more; and a host is gone."""
    for way in ways:
        path = f"/{way}/1"
        pages[path] = report("-f", FORMATS[way], "tests/golden/one.recording.json")
        series = NATIVE if way in ("native", "nhcb") else NATIVE + "_count"
        query = f'count by (as) ({series}{{as="{way}",host="host-1",node=~"call_.*"}})'
        result(f"{way}: series of a node that was removed are stale at once", until(port, query, {}))
        pages.pop(path)
        query = f'count by (as) ({series}{{as="{way}",host="host-1"}})'
        result(f"{way}: those of a host that does not answer, too", until(port, query, {}))
        result(f"{way}: and up tells of it", until(
            port, f'sum by (as) (up{{as="{way}",host="host-1"}})', {way: 0.0}))


def main():
    random.seed(31)
    with tempfile.TemporaryDirectory() as folder:
        if KIND == "victoria":
            course(folder, ["vmrange"], lambda port, targets: start_victoria(
                PROGRAM, folder, port, targets, f"{INTERVAL}s"))
        else:
            ways = ["classic", "native"] + (["nhcb"] if KIND == "nhcb" else [])
            course(folder, ways, lambda port, targets: start_prometheus(
                PROGRAM, folder, port, [t for t in targets if t["as"] != "nhcb"],
                [t for t in targets if t["as"] == "nhcb"], f"{INTERVAL}s",
                ["--enable-feature=native-histograms"]))
    print(f"1..{len(results)}")
    return any(results)


if __name__ == "__main__":
    sys.exit(main())
