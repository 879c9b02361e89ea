#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A Prometheus or a VictoriaMetrics that scrapes one port, and what it answers. Imported by
the tests of this folder."""

import http.server
import json
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request


PATIENCE = 600  # seconds that a query may take: processors are shared


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def last(metric):
    """Its last value, also where the scrape after that one was late and failed."""
    return f"last_over_time({metric}[1h])"


def bounds_ns(text):
    """Of the durations in an exposition, whose histograms all have the same, less +Inf."""
    found = [[]]
    for le in re.findall(r'kstats_duration_seconds_bucket\{.*,le="(.*)"\}', text):
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
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return json.load(answer)["data"]["result"]


TEXT = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PROTOBUF = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"


def serve(pages, kind=lambda path: TEXT):
    """Expositions by their path, at a port of its own; kind tells the type of one."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            page = pages.get(self.path)
            self.send_response(200 if page is not None else 404)
            self.send_header("Content-Type", kind(self.path))
            self.end_headers()
            try:
                self.wfile.write(page or b"")
            except OSError:
                pass  # the reader has ended

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def start_prometheus(program, folder, target, targets=({},), converted=(), interval="1s", words=()):
    """Whatever else runs here may take the port between its choice and its use. converted: targets
    whose classic histograms it makes native ones with the same bounds."""
    jobs = {"kstats": ([], targets),
            "converted": (["convert_classic_histograms_to_nhcb: true"], converted)}
    for _ in range(5):
        port = free_port()
        config = scrape_config(folder, target, jobs, interval)
        started = try_server([program, f"--config.file={config}",
                              f"--storage.tsdb.path={folder}/data",
                              f"--query.timeout={PATIENCE}s",
                              f"--web.listen-address=127.0.0.1:{port}", *words],
                             folder, port, len(targets) + len(converted))
        if started:
            return started
    sys.exit("it does not scrape: " + read_log(folder))


def start_victoria(program, folder, target, targets=({},), interval="1s"):
    """VictoriaMetrics; it listens at this one port, of this machine."""
    for _ in range(5):
        port = free_port()
        config = scrape_config(folder, target, {"kstats": ([], targets)}, interval)
        started = try_server([program, f"-promscrape.config={config}", "-retentionPeriod=1d",
                              f"-storageDataPath={folder}/data", "-search.latencyOffset=0s",
                              "-search.disableCache", f"-search.maxQueryDuration={PATIENCE}s",
                              f"-httpListenAddr=127.0.0.1:{port}"],
                             folder, port, len(targets))
        if started:
            return started
    sys.exit("it does not scrape: " + read_log(folder))


def read_log(folder):
    with open(folder + "/log", encoding="utf-8") as f:
        return f.read()[-2000:]


def scrape_config(folder, target, jobs, interval):
    """jobs: by name, lines of their own, and targets"""
    name = folder + "/config.yml"
    with open(name, "w", encoding="utf-8") as f:
        f.write(f"global: {{scrape_interval: {interval}}}\nscrape_configs:\n")
        for job, (lines, targets) in jobs.items():
            if not targets:
                continue
            f.write(f"- job_name: {job}\n" + "".join(f"  {line}\n" for line in lines))
            f.write("  static_configs:\n")
            for labels in targets:
                f.write(f"  - {{targets: ['127.0.0.1:{target}'], labels: {json.dumps(labels)}}}\n")
    return name


def try_server(words, folder, port, targets):
    with open(folder + "/log", "w", encoding="utf-8") as log:
        p = subprocess.Popen(words, stdout=log, stderr=log)
    for _ in range(1200):
        if p.poll() is not None:
            return None
        time.sleep(0.25)
        try:
            up = ask(port, "sum(up)")
        except OSError:
            continue
        if up and int(up[0]["value"][1]) == targets:
            return p, port
    p.kill()
    p.wait()
    return None
