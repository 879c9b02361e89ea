#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""`serve` answers what `node export` writes, in the form that is asked for, without privileges; and a
Prometheus that scrapes it has the quantiles of `node show`. Comes in: a folder with a BPF file
system in it, and the Prometheus. Called by serve.t; prints TAP."""

import contextlib
import gzip
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from prometheus import PROTOBUF, TEXT, ask, free_port, is_within, start_prometheus
from tap import result, results

FOLDER, PROMETHEUS = sys.argv[1:]
ROOT, USER = f"{FOLDER}/bpf/n", f"{FOLDER}/bpf/u"
PROGRAM = ".output/kstats-bpf"
random.seed(31)


def run(*words, check=True, **more):
    return subprocess.run(words, check=check, stdout=subprocess.PIPE, **more).stdout.decode()


def node(verb, *words, **more):
    return run(PROGRAM, "node", verb, *words, "--pin-root", ROOT, **more)


def record(values):
    run(f"{FOLDER}/sample", input="\n".join(map(str, values)).encode(),
        env={**os.environ, "KSTATS_USER_FOLDER": USER})


def samples(n):
    return [int(random.lognormvariate(11, 1)) for _ in range(n)]


class Server:
    def __init__(self, *words):
        self.port = free_port()
        self.log = open(f"{FOLDER}/serve.log", "w+", encoding="utf-8")
        self.p = subprocess.Popen([PROGRAM, "serve", "--pin-root", ROOT, "--listen",
                                   f"127.0.0.1:{self.port}", *words], stderr=self.log)
        for _ in range(100):
            try:
                self.get(path="/")
                break
            except OSError:
                time.sleep(0.1)

    def get(self, accept=None, path="/metrics", method="GET", **headers):
        """Status, type, bytes."""
        if accept:
            headers["Accept"] = accept
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers,
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as e:
            return e.code, e.headers, b""

    def bytes(self, text):
        """All that comes back, until the end of the connection."""
        with socket.create_connection(("127.0.0.1", self.port), 30) as s:
            s.sendall(text.encode())
            return b"".join(iter(lambda: s.recv(65536), b""))

    def child(self):
        return int(run("pgrep", "-P", str(self.p.pid)))

    def end(self):
        self.p.terminate()
        return self.p.wait(20)


def steady(text):
    """Without what goes on meanwhile."""
    return re.sub(r"(?m)^kstats_measured_seconds.*\n", "", text)


def is_kind(kind):
    """Whether programs on tracepoints can be loaded here."""
    return subprocess.run([PROGRAM, "node", "add", *kind, "--pin-root", ROOT], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


# ---- what it answers ----

def check_forms(server):
    exported = node("export")
    status, headers, text = server.get()
    result("the older text format is that of node export",
           (status, headers["Content-Type"]) != (200, "text/plain; version=0.0.4; charset=utf-8")
           or (steady(text.decode()) != steady(exported) and text.decode()[:300]))
    status, headers, text = server.get("application/openmetrics-text;version=1.0.0,*/*;q=0.1")
    families = {f.name: f for f in text_string_to_metric_families(text.decode())}
    result("OpenMetrics is what the reference parser reads",
           headers["Content-Type"] != TEXT and headers["Content-Type"])
    result("where counters have their names without _total",
           families["kstats_events"].type != "counter" and "no counter")
    status, headers, binary = server.get(PROTOBUF + ",*/*;q=0.1")
    result("protobuf, for those who ask for it", headers["Content-Type"] != PROTOBUF and str(headers))
    result("with the names of both", [n for n in (b"kstats_duration_seconds", b"kstats_events_total")
                                     if n not in binary])
    status, headers, packed = server.get(**{"Accept-Encoding": "gzip"})
    result("compressed, for those who take it",
           headers["Content-Encoding"] != "gzip" or
           (steady(gzip.decompress(packed).decode()) != steady(exported) and "another text"))
    for method in ("HEAD", "POST", "OPTIONS"):
        for path in ("/metrics", "/", "/other"):
            answer = server.bytes(f"{method} {path} HTTP/1.1\r\nConnection: close\r\n\r\n")
            head, _, body = answer.partition(b"\r\n\r\n")
            result(f"{method} of {path} is not allowed, and has no body",
                   (b" 405 " not in head or b"Allow: GET" not in head or body) and repr(answer))
    result("other pages are not there", server.get(path="/../etc/passwd")[0] != 404 and "it is")
    result("the first one leads to /metrics", b'href="/metrics"' not in server.get(path="/")[2] and "no")
    result("nothing can be posted", server.get(method="POST")[0] < 400 and "it can")
    result("nor is a long request read", server.get(**{"X": "x" * 20000})[0] < 400 and "it is")


def files_of(pid):
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # closed since
            found.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
    return found


def check_privileges(server):
    with open(f"/proc/{server.child()}/status", encoding="utf-8") as f:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
    result("who has the connections is nobody",
           status["Uid"].split() != ["65534"] * 4 and status["Uid"])
    result("of no group", (status["Groups"].strip(), status["Gid"].split()) != ("", ["65534"] * 4)
           and status["Groups"])
    result("without capabilities", [k for k in ("CapEff", "CapPrm", "CapInh", "CapAmb")
                                    if int(status[k], 16)])
    result("that cannot come back", status["NoNewPrivs"] != "1" and "they can")
    files = files_of(server.child())
    bad = [f for f in files if not f.startswith(("/dev/null", "socket:", "pipe:", "anon_inode:"))
           and not f.endswith("serve.log")]
    result("and without files", bad and repr(bad))
    with open(f"/proc/{server.p.pid}/status", encoding="utf-8") as f:
        caps = int(re.search(r"CapEff:\s*(\w+)", f.read()).group(1), 16)
    result("who has the nodes keeps CAP_SYSLOG at most", caps & ~(1 << 34) and hex(caps))
    mine = set(files_of(server.p.pid))
    listening = {f"socket:[{line.split()[9]}]" for line in open("/proc/net/tcp", encoding="utf-8")
                 if line.split()[3] == "0A"}
    result("and no connections", mine & listening and "it listens")


def check_changes(server):
    """Nodes come, are reset, and go."""
    node("add", "--user", "later", "--user-folder", USER)
    time.sleep(1.1)
    result("a node that was added later is there", b'node="later"' not in server.get()[2] and "no")
    node("rm", "later")
    time.sleep(1.1)
    result("one that was removed is not", b'node="later"' in server.get()[2] and "it is")
    first = server.get(PROTOBUF)[2]
    node("reset", "work")
    time.sleep(1.1)
    page = server.get()[2].decode()
    result("a reset is seen", not re.search(
        r'kstats_duration_seconds_count\{node="work".*\} 0\n', page) and page[:300])
    result("and when it was", first == server.get(PROTOBUF)[2] and "the same bytes")


def check_leftover(server):
    """What a killed command left stays: to read is not to change."""
    left = f"{ROOT}/+add+1+left"
    os.mkdir(left)
    time.sleep(1.1)
    result("with a leftover, it answers", server.get()[0] != 200 and "no")
    result("which stays", not os.path.exists(left) and "it is gone")
    node("ls", stderr=subprocess.DEVNULL)
    result("until a node command removes it", os.path.exists(left) and "it is there")


def check_fault():
    """A page that cannot be made is asked for once a second."""
    server = Server("--pin-root", FOLDER)
    begin = time.monotonic()
    codes = [server.get()[0] for _ in range(20)]
    took = time.monotonic() - begin
    server.end()
    server.log.seek(0)
    lines = server.log.read().splitlines()
    result("nodes that cannot be read: 503", codes != [503] * 20 and str(codes))
    result("said once a second", not 1 <= len(lines) <= 1 + took and f"in {took} s: {lines}")


def check_load(server):
    """More connections than it can have, that say nothing."""
    idle = []
    for _ in range(400):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(("127.0.0.1", server.port))
        idle.append(s)
    time.sleep(1)
    busy = sum(map(float, open(f"/proc/{server.child()}/stat", encoding="utf-8").read()
                   .rsplit(")", 1)[1].split()[11:13]))
    time.sleep(2)
    busy = sum(map(float, open(f"/proc/{server.child()}/stat", encoding="utf-8").read()
                   .rsplit(")", 1)[1].split()[11:13])) - busy
    result("more connections than it can have do not keep it busy", busy > 50 and f"{busy} ticks")
    result("and it answers while they are there", server.get()[0] != 200 and "no")
    for s in idle:
        s.close()


def check_rude(server):
    """Clients that are gone before they are answered, and one that says more than it asked."""
    child = server.child()
    for _ in range(50):
        with socket.create_connection(("127.0.0.1", server.port), 30) as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            s.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
    answer = server.bytes("GET /metrics HTTP/1.1\r\n\r\n" * 2)
    result("clients that go away end nothing", server.child() != child and "another process")
    result("a connection has one answer", answer.count(b"HTTP/1.1 200 OK") != 1 and repr(answer[:200]))


# ---- what Prometheus makes of it ----

def value(port, query):
    rows = ask(port, query)
    return float(rows[0]["value"][1]) if rows else None


def good_value(port, query, is_good):
    """A value that is_good, or the last one after 30 s: after a late scrape there is none for a while."""
    got = None
    for _ in range(150):
        got = value(port, query)
        if got is not None and is_good(got):
            break
        time.sleep(0.2)
    return got


def until(port, query, want):
    got = good_value(port, query, lambda got: got == want)
    return None if got == want else f"{got}, not {want}"


def panel_fault(port, panel, variables):
    """What is wrong with what a panel of the dashboard shows, or None."""
    found = 0
    for target in panel["targets"]:
        query = target["expr"]
        for variable, text in variables.items():
            query = query.replace(variable, text)
        try:
            rows = ask(port, query)
        except urllib.error.HTTPError as e:
            return e.read().decode()
        bad = [r for r in rows if r.get("value", [0, 0])[1] == "NaN"]
        if bad:
            return repr(bad[0])
        found += len(rows)
    return None if found else "nothing"


def choice_fault(port, variable):
    """What there is in place of something to choose, or None."""
    label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]["query"])
    rows = ask(port, f"count by ({label.group(2)}) ({label.group(1)})")
    return None if any(label.group(2) in r["metric"] for r in rows) else repr(rows)


def last_fault(fault_of, *words):
    """None once there is no fault, or the last one after 10 s: see good_value()."""
    for _ in range(50):
        fault = fault_of(*words)
        if not fault:
            break
        time.sleep(0.2)
    return fault


def check_dashboard(port, name):
    """Each query of each panel, with what Grafana puts in place of its variables."""
    with open("examples/prometheus/grafana.json", encoding="utf-8") as f:
        dashboard = json.load(f)
    variables = {"$instance": ".*", "$node": "work", "$__rate_interval": "1m"}
    for panel in dashboard["panels"]:
        result(f"{name}: the panel '{panel['title']}' shows something",
               last_fault(panel_fault, port, panel, variables))
    for variable in dashboard["templating"]["list"][1:]:
        result(f"{name}: ${variable['name']} can be chosen", last_fault(choice_fault, port, variable))


def check_alerts(promtool):
    for words in (["check", "rules", "examples/prometheus/alerts.yml"],
                  ["test", "rules", "tests/view/alerts.yml"]):
        p = subprocess.run([promtool, *words], check=False, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
        result(f"promtool {words[0]} rules", p.returncode and p.stdout.decode()[-600:])


def check_prometheus(server, native):
    name = "native" if native else "classic"
    folder = f"{FOLDER}/{name}"
    os.makedirs(folder)
    record(samples(499))
    p, port = start_prometheus(PROMETHEUS, folder, server.port, words=(
        ["--enable-feature=native-histograms"] if native else []))
    count = ('histogram_count(kstats_duration_seconds{node="work",kind="duration"})' if native else
             'kstats_duration_seconds_count{node="work",kind="duration"}')
    series = "kstats_duration_seconds" if native else "kstats_duration_seconds_bucket"
    try:
        shown = json.loads(node("show", "work", "-f", "json"))["nodes"][0]
        result(f"{name}: Prometheus has all samples", until(port, count, shown["samples"]))
        for p_, q in (("p50", 0.5), ("p99", 0.99)):
            slot = shown["quantiles_ns"][p_]
            width = slot["hi"] - slot["lo"] + 1
            bucket = 0.0028 * slot["hi"] if native else 0.25 * slot["hi"]
            about = (slot["lo"] - width - bucket, slot["hi"] + width + bucket)
            got = good_value(port, f'1e9 * histogram_quantile({q}, {series}'
                             '{node="work",kind="duration"})', lambda got: is_within(got, about))
            result(f"{name}: its {p_} is ours, but for a slot and a bucket",
                   (got is None or not is_within(got, about)) and f"{got}: {slot}")
        result(f"{name}: one series for each distribution" if native else
               f"{name}: a series for each bound",
               until(port, f'count({series}{{node="work",kind="duration"}})', 1 if native else 109))
        record(samples(211))
        until(port, count, shown["samples"] + 211)
        check_dashboard(port, name)
        node("reset", "work")
        result(f"{name}: a reset is scraped", until(port, count, 0))
        record(samples(83))
        result(f"{name}: and what comes after it", until(port, count, 83))
        # resets() of this version knows no histograms, but increase() does.
        more = value(port, 'histogram_count(increase(kstats_duration_seconds'
                     '{node="work",kind="duration"}[5m]))' if native else f"resets({count}[5m])")
        result(f"{name}: it is taken for a reset",
               not (more and (more >= 83 if native else more == 1)) and f"{more}")
    finally:
        p.terminate()
        p.wait()


def check_kernel(server):
    """Of --by nodes: all keys are the total; of --gap: gaps of their own."""
    if not is_kind(["keyed", "tp:kmem:kmalloc", "--value", "bytes_alloc", "--by", "cpu"]):
        print(f"ok {len(results) + 1} - keys and gaps # SKIP this kernel loads no programs here")
        results.append(None)
        return
    is_kind(["gaps", "--start", "tp:sched:sched_switch", "--end", "tp:sched:sched_switch",
             "--gap"])
    time.sleep(0.3)
    node("stop", "keyed")
    node("stop", "gaps")
    time.sleep(1.1)
    families = {f.name: f for f in text_string_to_metric_families(server.get(TEXT)[2].decode())}
    counts = {}
    for s in families["kstats_value"].samples:
        if s.name == "kstats_value_count" and s.labels["node"] == "keyed":
            counts.setdefault(s.labels["kind"], []).append(s.value)
    keys, total = sum(counts.get("key", [0])), sum(counts.get("value", [-1]))
    result("the keys of a node together are its total",
           not (keys and keys + sum(counts.get("other", [0])) == total) and repr(counts))
    gaps = [s for s in families["kstats_duration_seconds"].samples
            if s.labels.get("kind") == "gap" and s.name.endswith("_count")]
    result("gaps have a distribution of their own",
           not (len(gaps) == 1 and gaps[0].value > 0 and gaps[0].labels["node"].endswith("gaps"))
           and repr(gaps))
    node("rm", "keyed", "gaps")


# ---- how it ends ----

def check_words():
    for words, said in ((["--listen", "localhost:80"], "it is an address and a port"),
                        (["name"], "all nodes are served"),
                        (["--listen", f"127.0.0.1:{BUSY.getsockname()[1]}"], "use another port")):
        p = subprocess.run([PROGRAM, "serve", *words], check=False, stderr=subprocess.PIPE,
                           timeout=20)
        result(f"{' '.join(words)}: said in words", said not in p.stderr.decode() and
               p.stderr.decode())


def check_systemd():
    """A socket that is handed over."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        words = (f"exec 3<&{s.fileno()} {s.fileno()}<&-; LISTEN_FDS=1 LISTEN_PID=$$ exec {PROGRAM} serve "
                 f"--pin-root {ROOT}")
        with subprocess.Popen(["bash", "-c", words], pass_fds=[s.fileno()]) as p:
            with urllib.request.urlopen(f"http://127.0.0.1:{s.getsockname()[1]}/metrics",
                                        timeout=30) as answer:
                result("a socket of systemd is taken", answer.status != 200 and "it is not")
            p.terminate()


def check_ends(server):
    child = server.child()
    os.kill(child, signal.SIGKILL)
    status = server.p.wait(20)
    server.log.seek(0)
    result("if one process ends, so does the other, in words",
           (status, "signal 9" in server.log.read()) != (4, True) and f"{status}")
    other = Server()
    child = other.child()
    os.kill(other.p.pid, signal.SIGKILL)
    other.p.wait(20)
    for _ in range(100):
        if not os.path.exists(f"/proc/{child}"):
            break
        time.sleep(0.1)
    result("also the other way round", os.path.exists(f"/proc/{child}") and "it goes on")
    result("SIGTERM is no failure", Server().end() != 0 and "it is")
    hung = Server()
    child = hung.child()
    os.kill(child, signal.SIGSTOP)
    result("nor is one process kept by the other", hung.end() != 0 and "it is")
    os.kill(child, signal.SIGKILL)


BUSY = socket.socket()
BUSY.bind(("127.0.0.1", 0))
BUSY.listen()
run("gcc", "-O2", "-Iinclude", "-o", f"{FOLDER}/sample", "tests/view/sample.c")
node("add", "--user", "work", "--bits", "3", "--user-folder", USER)
record(samples(1009))
SERVER = Server()
check_forms(SERVER)
check_privileges(SERVER)
check_kernel(SERVER)
check_prometheus(SERVER, True)
check_prometheus(SERVER, False)
check_alerts(os.path.dirname(PROMETHEUS) + "/promtool")
check_changes(SERVER)
check_leftover(SERVER)
check_load(SERVER)
check_rude(SERVER)
check_fault()
check_words()
check_systemd()
check_ends(SERVER)
print(f"1..{len(results)}")
sys.exit(any(results))
