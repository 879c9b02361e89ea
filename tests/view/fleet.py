#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Fleets of 20 made-up hosts: histogram_quantile over the sum of their expositions
against `report --merge` of their recordings, or against the samples themselves where
recordings differ in bits and cannot be merged. Comes in: the folder of the Prometheus
package. Called by fleet.t; prints TAP."""

import json
import math
import random
import subprocess
import sys
import tempfile

sys.path.append(__file__.rsplit("/", 2)[0] + "/cli")
import made
from prometheus import ask, bounds_ns, bucket_ns, is_within, last, serve, start_prometheus
from tap import result, results

PROMETHEUS = sys.argv[1] + "/usr/bin/prometheus"
HOSTS = 20
QUANTILES = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}


# ---- the fleets: the samples of a host, in ns, and its bits ----

def disjoint(i):
    """Each host has an octave of its own, up to half a second."""
    return [int(2 ** (9.5 + i + random.random())) for _ in range(997)], 5


def overlapping(i):
    """All hosts are alike but for their load, and some calls wait for a disk."""
    near, n = 11 + 0.05 * i, 503 + 101 * i
    return [int(random.lognormvariate(near, 0.8) * (300 if random.random() < 0.004 else 1))
            for _ in range(n)], 5


def one_slow(i):
    """All hosts but one are fast, so that the tail is of one host alone."""
    return [int(random.lognormvariate(16 if i == 7 else 7, 0.4))
            for _ in range(211 if i == 7 else 3001)], 3


def coarse(i):
    return [int(random.lognormvariate(9 + 0.3 * i, 1)) for _ in range(1009)], i % 2


def mixed(i):
    return [int(random.lognormvariate(9 + 0.3 * i, 1)) for _ in range(1009)], 2 + i % 4


def beyond(i):
    """Below the first bound, or above the last."""
    return [random.randrange(1, 90) if n % 3 else 20_000_000_000 + n for n in range(301)], 5


FLEETS = [disjoint, overlapping, one_slow, coarse, mixed, beyond]


# ---- what they write ----

def report(*words):
    return subprocess.run([".output/kstats-bpf", "report", *words], check=True,
                          stdout=subprocess.PIPE).stdout


class Fleet:
    def __init__(self, make, folder):
        self.name, self.files, self.samples, self.bits = make.__name__, [], [], set()
        for i in range(HOSTS):
            samples, bits = make(i)
            self.files.append(f"{folder}/{self.name}-{i}.json")
            with open(self.files[-1], "w", encoding="utf-8") as f:
                json.dump(made.recording(samples, bits), f)
            self.samples += samples
            self.bits.add(bits)
        self.samples.sort()

    def pages(self):
        return {(self.name, i): report("-f", "openmetrics", f) for i, f in enumerate(self.files)}

    def quantiles(self):
        """Between which values each lies."""
        if len(self.bits) == 1:
            (node,) = json.loads(report("--merge", "-f", "json", *self.files))["nodes"]
            return {p: (node["quantiles_ns"][p]["lo"], node["quantiles_ns"][p]["hi"])
                    for p in QUANTILES}
        exact = {p: self.samples[math.ceil(q * len(self.samples)) - 1]
                 for p, q in QUANTILES.items()}
        return {p: self.widest(v) for p, v in exact.items()}

    def widest(self, v):
        """The slot of a value on the host of the fewest bits."""
        width = max(1 << (v.bit_length() - 1) >> min(self.bits), 1)
        return v // width * width, v // width * width + width - 1


# ---- what Prometheus makes of it ----

def check(port, fleets, bounds):
    for name, q in QUANTILES.items():
        rows = ask(port, f"histogram_quantile({q}, sum by (fleet, le) "
                         f"({last('kstats_duration_seconds_bucket')}))")
        got = {r["metric"]["fleet"]: float(r["value"][1]) * 1e9 for r in rows}
        for fleet in fleets:
            bucket = bucket_ns(bounds, *fleet.quantiles()[name])
            result(f"{fleet.name}: {name} of all hosts is within one bucket",
                   not is_within(got[fleet.name], bucket)
                   and f"{got[fleet.name]} and not {bucket} ns")
    counts = {r["metric"]["fleet"]: int(r["value"][1]) for r in
              ask(port, f"sum by (fleet) ({last('kstats_duration_seconds_count')})")}
    result("every sample is counted",
           counts != {f.name: len(f.samples) for f in fleets} and repr(counts))


def main():
    random.seed(20261122)
    with tempfile.TemporaryDirectory() as folder:
        fleets = [Fleet(make, folder) for make in FLEETS]
        pages = {}
        for fleet in fleets:
            pages.update(fleet.pages())
        all_bounds = {tuple(bounds_ns(text.decode())) for text in pages.values()}
        result("all hosts have the same bounds", len(all_bounds) != 1 and f"{len(all_bounds)}")
        server = serve({f"/{fleet}/{i}": text for (fleet, i), text in pages.items()})
        targets = [{"__metrics_path__": f"/{fleet}/{i}", "fleet": fleet, "host": f"host-{i}"}
                   for fleet, i in pages]
        p, port = start_prometheus(PROMETHEUS, folder, server.server_address[1], targets)
        try:
            check(port, fleets, list(all_bounds.pop()))
        finally:
            p.terminate()
            p.wait()
            server.shutdown()
    print(f"1..{len(results)}")
    return any(results)


if __name__ == "__main__":
    sys.exit(main())
