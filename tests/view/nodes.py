#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a node exporter and a Prometheus make of two exports with load between:
counts, rates and quantiles against those of `node show`. Comes in: the folders of
both programs, and one with 1.prom, 1.json, 2.prom, 2.json. Called by export.t;
prints TAP."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from prometheus import ask, bounds_ns, bucket_ns, free_port, is_within, last, start_prometheus
from tap import result, results

PROMETHEUS, EXPORTER, DATA = sys.argv[1:4]
NODE = '{node="busy",function="kt_busy",backend="map",kind="duration"}'


def shown(i):
    with open(f"{DATA}/{i}.json", encoding="utf-8") as f:
        return json.load(f)["nodes"][0]


def publish(folder, i):
    """As the program does: a new file takes the place of the old one."""
    shutil.copy(f"{DATA}/{i}.prom", folder + "/.new")
    os.rename(folder + "/.new", folder + "/kstats.prom")


def exported(i):
    with open(f"{DATA}/{i}.prom", encoding="utf-8") as f:
        return f.read()


def value(port, query):
    rows = ask(port, query)
    return float(rows[0]["value"][1]) if len(rows) == 1 else None


def wait_for(port, query, wanted):
    for _ in range(1200):
        got = value(port, query)
        if got == wanted:
            return None
        time.sleep(0.25)
    return f"{got} and not {wanted}"


def scraped_again(port, metric):
    """A rate needs several scrapes of each."""
    query = f"count_over_time({metric}[1h])"
    wanted = value(port, query) + 3
    for _ in range(1200):
        if value(port, query) >= wanted:
            return
        time.sleep(0.25)


def slots_of(node):
    return {s["slot"]: s for s in node["slots"]}


def quantile_slot(before, after, q):
    """The slot that holds a quantile of what came between."""
    old, total = slots_of(before), after["samples"] - before["samples"]
    seen = 0
    for slot in sorted(after["slots"], key=lambda s: s["slot"]):
        seen += slot["samples"] - old.get(slot["slot"], {"samples": 0})["samples"]
        if seen >= q * total:
            return slot["first_ns"], slot["last_ns"]
    return None


def check(port, folder):
    before, after, bounds = shown(1), shown(2), bounds_ns(exported(1))
    result("the bounds stay as they are", bounds_ns(exported(2)) != bounds and "they do not")
    more = after["samples"] - before["samples"]
    count = "kstats_duration_seconds_count" + NODE
    result("the first export is read", wait_for(port, last(count), before["samples"]))
    scraped_again(port, count)
    publish(folder, 2)
    result("so is the second", wait_for(port, last(count), after["samples"]))
    scraped_again(port, count)
    grown = value(port, f"max_over_time({count}[1h]) - min_over_time({count}[1h])")
    result("the count has grown by what was called", grown != more and f"{grown}, not {more}")
    rate = value(port, f"rate({count}[1h])") * 3600
    # Over the scrapes there are, and half of what is between two of them on either side.
    result("a rate is of the same size", not 0.999 * more < rate < 1.5 * more
           and f"{rate} an hour of {more}")
    for q in (0.1, 0.5, 0.9, 0.99):
        got = value(port, f"histogram_quantile({q}, "
                          f"rate(kstats_duration_seconds_bucket{NODE}[1h]))")
        bucket = bucket_ns(bounds, *quantile_slot(before, after, q))
        result(f"p{100 * q:g} of what came between is in the bucket of our slot",
               not (got and is_within(got * 1e9, bucket)) and f"{got} and not {bucket} ns")
    started = value(port, last('kstats_events_total{node="busy",event="started"}'))
    result("the ledger is there", started != after["samples"] and repr(started))
    events = {row["metric"]["event"]
              for row in ask(port, last('kstats_events_total{node="busy"}'))}
    result("and no level among its counters",
           events & {"in_flight", "no_end"} and f"{events}")
    result("which are told apart", value(port, last('kstats_open_calls{node="busy"}')) != 0 and "not")
    result("a node without samples too",
           value(port, last('kstats_duration_seconds_count{node="idle"}')) != 0 and "it is not")
    errors = value(port, last("node_textfile_scrape_error"))
    result("the exporter finds no fault", errors != 0 and repr(errors))


def start_exporter(folder):
    """Once it answers; whatever else runs here may take the port before it does."""
    for _ in range(5):
        at = free_port()
        with open(folder + "/exporter.log", "w", encoding="utf-8") as log:
            p = subprocess.Popen(
                [EXPORTER + "prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{at}",
                 "--collector.disable-defaults", "--collector.textfile",
                 f"--collector.textfile.directory={folder}/textfile"], stdout=log, stderr=log)
        for _ in range(1200):
            if p.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", at), timeout=60).close()
                return p, at
            except OSError:
                time.sleep(0.25)
        p.kill()
        p.wait()
    with open(folder + "/exporter.log", encoding="utf-8") as f:
        sys.exit("it does not answer: " + f.read()[-2000:])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/textfile")
        publish(folder + "/textfile", 1)
        exporter, at = start_exporter(folder)
        try:
            p, port = start_prometheus(PROMETHEUS + "prometheus", folder, at)
            try:
                check(port, folder + "/textfile")
            finally:
                p.terminate()
                p.wait()
        finally:
            exporter.terminate()
            exporter.wait()
    print(f"1..{len(results)}")
    return any(results)


if __name__ == "__main__":
    sys.exit(main())
