#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What others read from our expositions: the reference parser of OpenMetrics,
promtool, and a Prometheus that scrapes them. Called by openmetrics.t with the
folder of the Prometheus package; prints TAP."""

import glob
import json
import os
import subprocess
import sys
import tempfile

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from prometheus import ask, bounds_ns, bucket_ns, is_within, last, serve, start_prometheus
from tap import result, results

BIN = sys.argv[1] + "/usr/bin/"
FILES = sorted(glob.glob("tests/golden/*.recording.json"))
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}


def report(fmt, *files):
    return subprocess.run([".output/kstats-bpf", "report", "-f", fmt, *files], check=True,
                          stdout=subprocess.PIPE).stdout


def read(text):
    """All samples by name and labels; the parser refuses what is no exposition."""
    return {(s.name, tuple(sorted(s.labels.items()))): s.value
            for f in text_string_to_metric_families(text.decode()) for s in f.samples}


def check_text(path):
    text = report("openmetrics", path)
    try:
        read(text)
        fault = None
    except Exception as e:  # whatever it does not like
        fault = repr(e)
    result(f"the reference parser reads {os.path.basename(path)}", fault)
    done = subprocess.run([BIN + "promtool", "check", "metrics"], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.stdout.decode().strip()
    result(f"promtool finds nothing in {os.path.basename(path)}",
           said or (done.returncode and f"status {done.returncode}"))


NO_KEY = {"__name__", "instance", "job", "recording", "node", "kind", "event"}


def label(row):
    """Recording, distribution, and key."""
    m = row["metric"]
    return (m["recording"], m["node"], m["kind"],
            tuple(sorted((k, v) for k, v in m.items() if k not in NO_KEY)))


def check_quantiles(port, reports, bounds):
    for name, q in QUANTILES.items():
        theirs = {label(r): r["value"][1] for r in
                  ask(port, f"histogram_quantile({q}, {last('kstats_duration_seconds_bucket')})")}
        fault, n = None, 0
        for key, node in reports.items():
            got = theirs.get(key)
            if not node["samples"]:
                fault = fault if got == "NaN" else f"{key}: {got} of no samples"
                continue
            ours = node["quantiles_ns"][name]
            n += 1
            bucket, ns = bucket_ns(bounds, ours["lo"], ours["hi"]), float(got) * 1e9
            if not is_within(ns, bucket):
                fault = f"{key}: {ns} and not {bucket}"
        result(f"histogram_quantile of {name} lies in the bucket of our slot, {n} times",
               fault or (n < 20 and "too few"))


def differ(theirs, ours):
    """By more than the last digits, and the nanosecond that halving a sum may cost."""
    return abs(theirs - ours) > 1e-9 * (1 + abs(ours))


def check_figures(port, reports, ledgers):
    theirs = {label(r): float(r["value"][1]) for r in ask(port, last("kstats_duration_seconds_count"))}
    bad = [k for k, n in reports.items() if differ(theirs[k], n["samples"])]
    result("the count is ours", bad and repr(bad))
    theirs = {label(r): float(r["value"][1]) for r in ask(port, last("kstats_duration_seconds_sum"))}
    # A sum of more than 64 bits is cut in the JSON report.
    known = {k: n["sum_ns"] for k, n in reports.items()
             if n["samples"] and n["sum_ns"]["hi"] < 2 ** 64 - 1}
    bad = [k for k, s in known.items() if differ(theirs[k], (s["lo"] + s["hi"]) / 2e9)]
    result(f"the sum is ours, {len(known)} times", bad and repr(bad))
    for row in ask(port, last("kstats_events")):
        ledger = ledgers[label(row)]
        if float(row["value"][1]) != ledger[row["metric"]["event"]]:
            result("the ledger is ours", repr(row))
            return
    result("the ledger is ours")


def check_scrape():
    # A recording of why has a JSON report of its own kind.
    files = [f for f in FILES if "/why" not in f]
    text = report("openmetrics", *files)
    reports, ledgers = {}, {}
    for line in report("json", *files).splitlines():
        doc = json.loads(line)
        for node in doc["nodes"]:
            key = node.get("by") or {}
            named = doc["nodes"][node["owner"]] if node["kind"] in ("key", "other") else node
            name = named["name"]
            label_of = (doc["source"], name, node["kind"], tuple(sorted(key.items())))
            ledgers[label_of] = node.get("ledger")
            # Values that are no durations have histograms of their own.
            if not doc.get("unit"):
                reports[label_of] = node
    server = serve({"/metrics": text})
    with tempfile.TemporaryDirectory() as folder:
        p, port = start_prometheus(BIN + "prometheus", folder, server.server_address[1])
        try:
            check_quantiles(port, reports, bounds_ns(text.decode()))
            check_figures(port, reports, ledgers)
            twice = report("openmetrics", FILES[0], FILES[0])
            result("the same file twice is told apart",
                   len(read(twice)) != 2 * len(read(report("openmetrics", FILES[0])))
                   and "series are lost")
        finally:
            p.terminate()
            p.wait()
            server.shutdown()


for path in FILES + sorted(glob.glob("tests/golden/*.kmem.json")):
    check_text(path)
check_scrape()
print(f"1..{len(results)}")
