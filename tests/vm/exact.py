#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Is each call of functions whose calls are known recorded exactly? All cases run in one
guest; they are in exact_cases.py, exact_blocks.py, exact_by.py, exact_expr.py and
exact_options.py. Comes in: a kernel (6.1, 6.12, 7), a backend (map, kmod), perhaps a
part of the names of cases. Goes out: TAP. Called by tests/run, see suites."""

import json
import os
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import exact_blocks  # noqa: F401, adds its cases
import exact_by  # noqa: F401
import exact_expr  # noqa: F401
import exact_options  # noqa: F401
from exact_cases import DIR, Wrong, cases, expect

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
TASKS = f"{TOP}/.output/tests/vm/tasks"


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
    return subprocess.run([f"{HERE}/run", "-f", "-k", kernel, "-K", "tsc=reliable", "-t", "3600",
                           *adds, "--", script],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def judge(c, backend, got):
    if not got or got["report"] is None:
        raise Wrong("no report")
    expect("exit status", got["rc"], 0)
    expect("backend", got["report"]["backend"], backend)
    c[3](got["report"], got["truth"])


def main():
    kernel, backend = sys.argv[1:3]
    part = "".join(sys.argv[3:])
    where = {kernel, f"{kernel} {backend}"}
    chosen = [c for c in cases if where & set(c[6]) and part in c[0]]
    with tempfile.TemporaryDirectory() as folder:
        done = run_guest(kernel, backend, chosen, folder)
    results = parse(done.stdout)
    print(f"1..{len(chosen) + 1}")
    bad = 0
    for i, c in enumerate(chosen):
        try:
            judge(c, backend, results.get(i))
            print(f"ok {i + 1} - {kernel}, {backend}: {c[0]}")
        except Wrong as e:
            bad += 1
            print(f"not ok {i + 1} - {kernel}, {backend}: {c[0]}: {e}")
    ok = done.returncode == 0
    print(f"{'ok' if ok else 'not ok'} {len(chosen) + 1} - {kernel}: the guest ends well"
          f" ({done.returncode})")
    if bad or not ok:
        print("# " + done.stderr[-6000:].replace("\n", "\n# "))
    return bool(bad or not ok)


if __name__ == "__main__":
    sys.exit(main())
