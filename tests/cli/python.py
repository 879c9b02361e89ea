# SPDX-License-Identifier: GPL-2.0-only
"""Markers in Python count exactly. Comes in: a folder; NODES, if nodes can be made in a mount
namespace of its own, where this runs as root. Prints TAP. Called by python.t."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
import time

sys.path.append("tests/view")
from tap import result, results  # noqa: E402

import kstats_user  # noqa: E402

TMP = sys.argv[1]


def is_(name, found, wanted):
    result(name, found != wanted and f"{found!r}, not {wanted!r}")


def raises(name, wanted, what, *args):
    try:
        what(*args)
        found = None
    except (TypeError, ValueError) as e:
        found = str(e)
    result(name, wanted not in (found or "") and f"{found!r} lacks {wanted!r}")


def tool(*words):
    return subprocess.run(["kstats-bpf", *words], check=True, text=True, stdout=subprocess.PIPE).stdout


def counted(name):
    """Samples, their sum in ns, starts, those without an end, ends without a start."""
    node = json.loads(tool("node", "show", name, "-f", "json"))["nodes"][0]
    ledger = node["ledger"]
    total = sum(slot["sum_ns"] for slot in node["slots"])
    return node["samples"], total, ledger["started"], ledger["no_end"], ledger["unmatched"]


def python(text, **env):
    return subprocess.run([sys.executable, "-c", text], text=True, stdout=subprocess.PIPE,
                          env={**os.environ, **env}).stdout.strip()


def without_nodes():
    raises("a name that is none", "cannot be the name of a marker", kstats_user.marker, "a-b")
    raises("a name that is too long", "at most 63", kstats_user.marker, "a" * 64)
    is_("the longest one", kstats_user.marker("a" * 63).name, "a" * 63)
    is_("one marker for each name", kstats_user.marker("req") is kstats_user.marker("req"), True)
    os.mkdir(f"{TMP}/alone")
    shutil.copy(f"{TMP}/at/kstats_user.py", f"{TMP}/alone")
    text = ("import kstats_user as k\nm = k.marker('req')\nwith m.span(): m.sample(1)\n"
            "k.look()\nprint(m.state())")
    is_("without the library nothing happens, and it is told",
        python(text, PYTHONPATH=f"{TMP}/alone"),
        "libkstats_user.so is not beside kstats_user.py, nor where libraries are; install it with 'sudo make install-python'")
    is_("without a folder of nodes neither", python(text, KSTATS_USER_FOLDER=TMP),
        "there is no folder of nodes, or it is not visible here")

    raises("a sample that is no number", "int()", kstats_user.marker("req").sample, None)

    def generator():
        yield

    raises("a generator is refused", "makes a generator", kstats_user.marker("req").timed, generator)


def mounted():
    subprocess.run(["mount", "-t", "bpf", "-o", "mode=700", "bpf", "/sys/fs/bpf"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "run", "/run"], check=True)


def finds():
    m = kstats_user.marker("req")
    tool("node", "add", "--user", "req")
    m.sample(1)
    is_("a folder that came after the first marker: not looked for", m.state(),
        "there is no folder of nodes, or it is not visible here")
    kstats_user.look()
    is_("but when told to", m.state(), "it records")
    m.sample(40)
    m.sample(2.9)
    m.sample(2**64 + 3)
    is_("samples and their sum", counted("req")[:2], (3, 45))
    tool("node", "stop", "req")
    m.sample(7)
    is_("a stopped node", (counted("req")[0], m.state()), (3, "the node is stopped"))
    tool("node", "start", "req")
    m.sample(7)
    is_("goes on", counted("req")[0], 4)


def spans():
    m = kstats_user.marker("req")
    tool("node", "reset", "req")
    for _ in range(97):
        with m.span():
            pass
    is_("spans", (counted("req")[0], *counted("req")[2:]), (97, 97, 0, 0))

    @m.timed
    def down(n):
        """Its text."""
        return down(n - 1) if n else "end"

    tool("node", "reset", "req")
    is_("a decorated function is as before", (down(0), down.__name__, down.__doc__),
        ("end", "down", "Its text."))
    tool("node", "reset", "req")
    down(52)
    is_("recursion", (counted("req")[0], *counted("req")[2:]), (53, 53, 0, 0))
    tool("node", "reset", "req")
    try:
        with m.span():
            raise KeyError
    except KeyError:
        pass
    is_("an exception ends a span", (counted("req")[0], *counted("req")[2:]), (1, 1, 0, 0))


def tasks():
    """As many at a time as there are, each as long as it sleeps."""
    m = kstats_user.marker("req")

    inside, outside = [], []

    async def takes(work, times):
        begin = time.monotonic_ns()
        await work
        times.append(time.monotonic_ns() - begin)

    @m.timed
    async def sleeps(ms):
        await takes(asyncio.sleep(ms / 1000), inside)

    async def both():
        await asyncio.gather(*(takes(sleeps(ms), outside) for ms in [20] * 31 + [60] * 7))

    tool("node", "reset", "req")
    asyncio.run(both())
    samples, total, started, no_end, unmatched = counted("req")
    is_("tasks of an event loop, all open at once", (samples, started, no_end, unmatched), (38, 38, 0, 0))
    result("each as long as it takes", not (31 * 20 + 7 * 60) * 1e6 <= sum(inside) <= total <= sum(outside)
           and f"{total} ns, not {sum(inside)} to {sum(outside)}")


def threads():
    m = kstats_user.marker("req")

    def some(n):
        for _ in range(n):
            with m.span():
                m.sample(5)

    tool("node", "reset", "req")
    all_ = [threading.Thread(target=some, args=(1009,)) for _ in range(7)]
    for t in all_:
        t.start()
    for t in all_:
        t.join()
    # The durations of the spans and the numbers of sample() are in the same node.
    is_("threads", (counted("req")[0], *counted("req")[2:]), (2 * 7063, 2 * 7063, 0, 0))
    tool("node", "reset", "req")
    span = m.span().begin()
    other = threading.Thread(target=span.end)
    other.start()
    other.join()
    is_("a span that ends in another thread", (counted("req")[0], *counted("req")[2:]), (1, 1, 0, 0))


def doubtful():
    m = kstats_user.marker("req")
    tool("node", "reset", "req")
    span = m.span().begin()
    tool("node", "reset", "req")
    span.end()
    is_("a span from before a reset gives no sample", (counted("req")[0], *counted("req")[2:]), (0, 0, 0, 1))
    tool("node", "reset", "req")
    span = m.span().begin()
    span.end()
    span.end()
    is_("nor does a second end", (counted("req")[0], *counted("req")[2:]), (1, 1, 0, 1))
    tool("node", "reset", "req")
    m.span().begin()
    is_("one that never ends", (counted("req")[0], *counted("req")[2:]), (0, 1, 1, 0))
    tool("node", "reset", "req")
    span = m.span().begin()
    child = os.fork()
    if not child:
        span.end()
        with m.span():
            pass
        os._exit(0)
    os.waitpid(child, 0)
    span.end()
    is_("a fork: the child ends its own only", (counted("req")[0], *counted("req")[2:]), (2, 2, 0, 1))
    off = m.span
    tool("node", "rm", "req")
    is_("a node that is gone", (m.state(), type(off()).__name__), ("there is no node of that name", "_NoSpan"))
    tool("node", "add", "--user", "req", "--bits", "0")
    with m.span():
        pass
    is_("another one is found", counted("req")[0], 1)


def example():
    tool("node", "add", "--user", "request")
    out = subprocess.run([sys.executable, "examples/user_markers.py"], text=True, stdout=subprocess.PIPE).stdout
    is_("the example", (out, counted("request")[2:]), ("request: it records\n", (1000, 0, 0)))


if os.environ.get("NODES"):
    mounted()
without_nodes()
if os.environ.get("NODES"):
    for part in finds, spans, tasks, threads, doubtful, example:
        part()
else:
    print(f"ok {len(results) + 1} - nodes of Python # SKIP this user cannot mount a BPF file system here")
    results.append(None)
print(f"1..{len(results)}")
sys.exit(any(results))
