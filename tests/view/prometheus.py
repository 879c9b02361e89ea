#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A Prometheus that scrapes one port, and what it answers. Imported by the tests of
this folder."""

import json
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def last(metric):
    """Its last value, also where the scrape after that one was late and failed."""
    return f"last_over_time({metric}[1h])"


def bounds_ns(text):
    """Of the histograms of an exposition, which are all the same, less +Inf."""
    found = [[]]
    for le in re.findall(r'_bucket\{.*,le="(.*)"\}', text):
        found[-1] += [round(float(le) * 1e9)] if le != "+Inf" else []
        found += [[]] if le == "+Inf" else []
    if any(b != found[0] for b in found[:-1]):
        sys.exit("the histograms have different bounds")
    return found[0]


def bucket_ns(bounds, lo, hi):
    """What histogram_quantile may say where it is known that a quantile is from lo to hi."""
    above = [b for b in bounds if b >= hi]
    if not above:
        return bounds[-1], bounds[-1]
    return ([0] + [b for b in bounds if b < lo])[-1], above[0]


def is_within(ns, bucket):
    """But for the last digits."""
    return bucket[0] * (1 - 1e-9) <= ns <= bucket[1] * (1 + 1e-9)


def ask(port, query):
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)["data"]["result"]


def start_prometheus(program, folder, target):
    """Whatever else runs here may take the port between its choice and its use."""
    for _ in range(5):
        started = try_prometheus(program, folder, target)
        if started:
            return started
    with open(folder + "/log", encoding="utf-8") as f:
        sys.exit("it does not scrape: " + f.read()[-2000:])


def try_prometheus(program, folder, target):
    port = free_port()
    with open(folder + "/config.yml", "w", encoding="utf-8") as f:
        f.write("global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: kstats\n"
                f"  static_configs: [{{targets: ['127.0.0.1:{target}']}}]\n")
    log = open(folder + "/log", "w", encoding="utf-8")
    p = subprocess.Popen([program, f"--config.file={folder}/config.yml",
                          f"--storage.tsdb.path={folder}/data",
                          f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)
    for _ in range(1200):
        if p.poll() is not None:
            return None
        time.sleep(0.25)
        try:
            up = ask(port, 'up{job="kstats"}')
        except OSError:
            continue
        if up and up[0]["value"][1] == "1":
            return p, port
    p.kill()
    p.wait()
    return None
