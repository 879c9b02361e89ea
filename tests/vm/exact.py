#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Is each call of functions whose calls are known recorded exactly? All cases run in one
guest; they are in exact_cases.py, exact_blocks.py, exact_by.py, exact_expr.py and
exact_options.py. Comes in: a kernel (6.1, 6.12, 7), a backend (map, kmod), perhaps
parts of the names of cases, or --long: all cases that this place can run. With neither, they are
those that pairs.py chooses for it. Goes out: TAP. Called by tests/run, see suites."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib

sys.dont_write_bytecode = True
import exact_blocks  # noqa: F401, adds its cases
import exact_by  # noqa: F401
import exact_expr  # noqa: F401
import exact_options  # noqa: F401
import pairs
from exact_cases import DIR, Wrong, cases, expect

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
TASKS = f"{TOP}/.output/tests/vm/tasks"
# A kernel and a backend; the suites have one row for each.
PLACES = ("7 kmod", "7 map", "6.12 kmod", "6.12 map", "6.1 kmod", "6.1 map")
MUTANTS = "6.12 map"  # where tests/mutants runs cases
SILENCE_S = 900  # of the guest; a case takes some seconds


def op_shell(op):
    words = op.split()
    if words[0] == "shell":
        return op[6:]
    if words[0] == "taskset":
        return f"taskset {words[1]} sh -c \"echo {' '.join(words[3:])} > {DIR}/{words[2]}\""
    if words[0] == "hotplug":
        cpu = "/sys/devices/system/cpu/cpu1/online"
        return (f"(for i in 1 2 3 4 5; do echo 0 > {cpu}; sleep 0.2; echo 1 > {cpu}; sleep 0.2; "
                f"done) & echo {' '.join(words[2:])} > {DIR}/{words[1]}; wait")
    return f"echo {' '.join(words[1:])} > {DIR}/{words[0]}"


def shell(i, backend, c):
    name, words, ops, _, before, after, _ = c
    run = "; ".join(op_shell(op) for op in ops)
    words = "kt_empty bits 4 start kt_empty -a" if words == "trace-classic" else words
    lines = [f"echo @@ {i}", f"echo 1 > {DIR}/truth"]
    if before:
        lines.append(op_shell(before))
    lines.append(f"kstats-bpf trace -q --backend {backend} -f json {words} -- sh -c {shlex.quote(run)}; echo @@rc $?")
    if after:
        lines.append(op_shell(after))
    lines.append(f"cat {DIR}/truth")
    return "\n".join(lines)


def parse(text):
    out, at = {}, None
    for line in text.splitlines():
        words = line.split()
        if line.startswith("@@ "):
            at = out.setdefault(int(words[1]), {"truth": {}, "report": None, "rc": None})
        elif at is None or not words:
            continue
        elif line.startswith("@@rc"):
            at["rc"] = int(words[1])
        elif line.startswith("{"):
            at["report"] = json.loads(line)
        elif len(words) == 5:
            at["truth"][words[0]] = tuple(int(w) for w in words[1:])
    return out


def build(kernel, *source):
    return subprocess.run([f"{HERE}/build-kmod", kernel, *source], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


# Nodes are removed a moment after the process that made them has ended.
NOTHING_LEFT = """
for try in $(seq 600); do
    left=$(cat /sys/module/kstats/parameters/nodes /sys/module/kstats/parameters/bytes | xargs)
    [ "$left" = "0 0" ] && rmmod kstats && break
    usleep 200000
done
[ ! -d /sys/module/kstats ] || { echo "left in the module: $left" >&2; exit 98; }
"""


def possible(c, place):
    # On 6.1 programs cannot call the module, but its stubs can be attached.
    return {place, place.split()[0]} & set(c[6]) and (place != "6.1 kmod" or "-m direct" in c[1])


def features(c):
    """The options of a case, and what its module does."""
    yield from re.findall(r"(?<!\S)(--?[a-z][\w-]*)", c[1])
    for words in map(str.split, c[2]):
        yield words[2] if words[0] == "taskset" else words[0]


# How a method finds the start of a call, and where its programs find arguments.
KINDS = {
    "fentry": ("by task", "of the function"),
    "kprobe": ("by task", "in registers"),
    "fsession": ("by call", "of the function"),
    "kprobe-session": ("by call", "in registers"),
}


def words(c):
    """The names and operators of the expressions of a case."""
    for text in re.findall(r"--(?:if|by|value) ('(?:[^']|'\\'')*'|\S+)", c[1]):
        yield from re.findall(r"[A-Za-z_]\w*|[^\w\s'\"()]+", text)


def meetings(c, place):
    """What a run adds. What a case tries, its name without the method, runs once. Each feature, an
    option or what the module does, meets every method that has it, every kernel and backend. Each
    word of an expression meets each kind of method; two of the four methods have all kinds."""
    method = re.search(r"-m (\S+)|$", c[1]).group(1) or "by itself"
    tried = re.sub(rf"(?<![\w-]){re.escape(method)}(?![\w-])", "METHOD", c[0])
    where = place.split()
    met = {(tried,)}
    if "expr" in features(c):
        met |= {(word, kind) for word in words(c) for kind in KINDS.get(method, (method,))}
    return met | {(method, at) for at in where} | {
        (feature, at) for feature in features(c) for at in (method, *where)}


def chosen_for(place):
    """Cases that tests/mutants names run where it runs them, so that a full run finds its faults
    as well."""
    with open(f"{TOP}/tests/mutants/mutants.toml", "rb") as f:
        named = {m["test"].removeprefix("exact: ") for m in tomllib.load(f)["mutant"]}
    runs = [(c, p) for c in cases for p in PLACES if possible(c, p)]
    first = [i for i, (c, p) in enumerate(runs) if p == MUTANTS and c[0] in named]
    taken = pairs.choose([(p, meetings(c, p)) for c, p in runs], first)
    return [runs[i][0] for i in taken if runs[i][1] == place]


def run_guest(kernel, backend, chosen, folder):
    target = build(kernel)
    kos = [target] + ([build(kernel, f"{TOP}/kmod")] if backend == "kmod" else [])
    subprocess.run(["make", "-s", "-C", TOP, TASKS.removeprefix(f"{TOP}/")], check=True)
    script = "\n".join([f"export TASKS={TASKS}", *(f"insmod {ko} || exit 99" for ko in kos)] +
                       [shell(i, backend, c) for i, c in enumerate(chosen)] +
                       ["rmmod kstats_target"] + ([NOTHING_LEFT] if backend == "kmod" else []))
    # Another module with the same functions.
    twin = f"{folder}/kstats_other_.ko"
    with open(target, "rb") as old, open(twin, "wb") as new:
        new.write(old.read().replace(b"kstats_target", b"kstats_other_"))
    script = script.replace("TWIN_KO", twin)
    adds = [word for path in (*kos, twin, TASKS) for word in ("-a", path)]
    # Else a busy machine makes the kernel distrust the counter that stubs read.
    return subprocess.Popen([f"{HERE}/run", "-f", "-k", kernel, "-K", "tsc=reliable", "-t",
                             str(SILENCE_S), *adds, "--", script],
                            text=True, stdout=subprocess.PIPE, stderr=open(f"{folder}/err", "w"))


def judge(c, backend, got):
    if not got or got["report"] is None:
        raise Wrong("no report")
    expect("exit status", got["rc"], 0)
    expect("backend", got["report"]["backend"], backend)
    c[3](got["report"], got["truth"])


def as_they_end(lines):
    """What the guest says of each case, as soon as the next one begins."""
    text = ""
    for line in lines:
        if line.startswith("@@ ") and text:
            yield from parse(text).items()
            text = ""
        text += line
    yield from parse(text).items()


def tap(kernel, backend, chosen, lines):
    """A line for each case; those that the guest did not come to fail."""
    told, bad = set(), 0

    def tell(i, got):
        try:
            judge(chosen[i], backend, got)
            print(f"ok {i + 1} - {kernel}, {backend}: {chosen[i][0]}", flush=True)
        except Wrong as e:
            print(f"not ok {i + 1} - {kernel}, {backend}: {chosen[i][0]}: {e}", flush=True)
            return 1
        return 0

    for i, got in as_they_end(lines):
        told.add(i)
        bad += tell(i, got)
    return bad + sum(tell(i, None) for i in range(len(chosen)) if i not in told)


def main():
    kernel, backend, *words = sys.argv[1:]
    # A kernel for clouds can do what that of its series can.
    place = f"{kernel.removesuffix('-cloud')} {backend}"
    parts = [w for w in words if w != "--long"] or [""]
    chosen = [c for c in cases if possible(c, place) and any(part in c[0] for part in parts)] \
        if words else chosen_for(place)
    if not chosen:
        sys.exit(f"vm/exact.py: there is no case for {kernel} {backend} {' '.join(words)}")
    print(f"1..{len(chosen) + 1}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        with run_guest(kernel, backend, chosen, folder) as guest:
            bad = tap(kernel, backend, chosen, guest.stdout)
        with open(f"{folder}/err", encoding="utf-8", errors="replace") as f:
            said = f.read()
    ok = guest.returncode == 0
    print(f"{'ok' if ok else 'not ok'} {len(chosen) + 1} - {kernel}: the guest ends well"
          f" ({guest.returncode})")
    if bad or not ok:
        print("# " + said[-6000:].replace("\n", "\n# "))
    return bool(bad or not ok)


if __name__ == "__main__":
    sys.exit(main())
