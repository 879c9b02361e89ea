#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Is anything recorded wrongly, or lost silently, where the kernel skips programs? In each
workload something interrupts traced calls: tasks that share a CPU, a task with a priority, a
timer's interrupt, bpf() calls. The workload knows how many calls there were, and how long.
Each workload is traced by each method, in one guest whose clock counts instructions.
Comes in: a kernel, perhaps parts of the names of cells (METHOD, WORKLOAD); --long for
all cells and twenty times the calls; --table for a table in Markdown. Goes out: TAP, or the
table. Called by tests/run, see suites, `make test-long` and `make bench-exactness`."""

import argparse
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
CALLS = f"{TOP}/.output/tests/vm/skip_calls"
DIR = "/sys/kernel/debug/kstats_target"
ALL = ("6.1", "6.12", "6.12-full", "7", "6.1-rt", "6.12-rt")
SESSION = ("6.12", "6.12-full", "7", "6.12-rt")
PREEMPT = ("6.12-full", "7", "6.1-rt", "6.12-rt")  # also inside of programs

NOTHING = "nothing was skipped: this shows nothing"
TRIES = 3  # of a cell in which nothing was skipped

FUNCTION = "kt_step"
PAIR = "--start kt_start --end kt_end"
FROM_KPROBE = "--start kt_start --end tp:kstats_target:kt_tp_end"
EVENTS = "--start tp:kstats_target:kt_tp_start --end tp:kstats_target:kt_tp_end"

# Name: words, kernels.
METHODS = {
    "default": ("FUNCTION", ALL),
    "fentry": ("-m fentry FUNCTION", ALL),
    "fsession": ("-m fsession FUNCTION", ("7",)),
    "kprobe session": ("-m kprobe-session FUNCTION", SESSION),
    "kprobe": ("-m kprobe FUNCTION", ALL),
    "direct": ("-m direct FUNCTION", ALL),
    "direct by process": ("-m direct FUNCTION", ALL),
    "direct by CPU": ("-m direct -C 0 FUNCTION", ALL),
    "fentry per CPU": ("-m fentry FUNCTION --key cpu", ALL),
    "function pair": (PAIR, ALL),
    "function pair by fentry": (f"-m fentry {PAIR}", ALL),
    "function pair by kprobe": (f"-m kprobe {PAIR}", ALL),
    "function pair by key": (f"{PAIR} --key arg0", ALL),
    "kprobe to tracepoint": (f"-m kprobe {FROM_KPROBE}", ALL),
    "tracepoint pair": (EVENTS, ALL),
    "tracepoint pair by tp_btf": (f"-m tp_btf {EVENTS}", ALL),
    "tracepoint pair by trace event": (f"-m trace-event {EVENTS}", ALL),
    "tracepoint pair per CPU": (f"{EVENTS} --key cpu", ALL),
    "tracepoint pair by key": (f"{EVENTS} --key arg0", ALL),
    "node": ("FUNCTION", ALL),
    "fentry gap": ("-m fentry FUNCTION --gap", ALL),
    "fsession gap": ("-m fsession FUNCTION --gap", ("7",)),
    "fsession value": ("-m fsession FUNCTION --value odd", ("7",)),
    # A call may be left out inside one that is measured, and the other way round: a condition that
    # both programs ask, and ones that only the entry can ask.
    "fentry if": ("-m fentry FUNCTION --if odd", ALL),
    "fentry if at the entry": ("-m fentry FUNCTION --if 'odd && cpu < 4096'", ALL),
    "fentry per CPU if": ("-m fentry FUNCTION --if odd --key cpu", ALL),
    "fsession if": ("-m fsession FUNCTION --if odd", ("7",)),
    "kprobe if": ("-m kprobe FUNCTION --if odd", ALL),
}


def write(op, numbers, how=""):
    return f"{how} sh -c {shlex.quote(f'echo {numbers} > {DIR}/{op}')}"


def at_once(*commands):
    return " ".join(f"{c} &" for c in commands) + " wait"


def together(*commands):
    """They begin when all are there: one that is started takes a CPU for some milliseconds."""
    waiting = " ".join(f"(read x < /tmp/go; {c}) &" for c in commands)
    return f"rm -f /tmp/go; mkfifo /tmp/go; {waiting} usleep 500000; : > /tmp/go; wait"


# Name: what runs, its number of calls times n.
WORKLOADS = {
    "alone": lambda n: write("step", f"{n * 10007} 0"),
    "six tasks": lambda n: at_once(*[write("step", f"{n * 5003} 0")] * 6),
    "one CPU": lambda n: ("taskset -p 1 $$ > /dev/null; "
                          + together(*[f"echo {n * 10007} 0 > {DIR}/step"] * 3)),
    "threads": lambda n: f"{CALLS} getpgid 8 {n * 5003}",
    "interrupts": lambda n: write("step_irq", f"{n * 25013} 20000", "taskset 1"),
    "interrupts apart": lambda n: write("step_apart", f"{n * 25013} 20000", "taskset 1"),
    "FIFO": lambda n: at_once(write("step_every", f"{n * 53} 1000 0", f"taskset 1 {CALLS} fifo"),
                              write("step", f"{n * 30011} 0", "taskset 1")),
    "FIFO asleep": lambda n: (f"{CALLS} lookups 0 & load=$!; "
                              + write("step_every", f"{n * 151} 1000 300", f"taskset 1 {CALLS} fifo")
                              + "; kill $load"),
    "asleep": lambda n: "; ".join(f'{write("block", k)}; {write("unblock", 0)}'
                                  for k in (10, 11, 60, 1000)),
    "sleepers": lambda n: f"{CALLS} sleep 60 {n * 10}",
}
# Kernels before 6.7 do not count what they skip of these: they are in tables only.
UNCOUNTED = ("tracepoint pair by trace event", ("6.1", "6.1-rt"))
GAP_NS = 1000000  # no gap in "one CPU" is as long: one of its tasks always runs
IF = tuple(m for m in METHODS if " if" in m)
PER_CPU = tuple(m for m in METHODS if "--key cpu" in METHODS[m][0])
DIRECT = ("direct", "direct by process", "direct by CPU")
APART = ("function pair by fentry", "function pair by kprobe", "kprobe to tracepoint")
MINE = ("direct by process", "interrupts")  # the timer of the command interrupts any task
BY_ITSELF = ("default", "node", "function pair", "tracepoint pair")  # no -m
PINNED = ("one CPU", "interrupts", "FIFO", "FIFO asleep")  # to CPU 0
EXACT = ("alone", "six tasks", "one CPU", "threads", "FIFO", "asleep", "sleepers")  # by default
OTHERS = {"threads": "__x64_sys_getpgid", "asleep": "kt_block",  # what is traced in place of kt_step
          "sleepers": "__x64_sys_clock_nanosleep"}
CALLERS = {"threads": "getpgid", "sleepers": "sleep"}  # whose truth is their own
PROVOKES = ("six tasks", "one CPU", "threads", "FIFO")  # where tasks are preempted in programs
PREEMPTED = ("fentry", "fentry gap", "fsession", "fsession gap", "fsession value", "function pair by fentry")
PREEMPTED_AT_TRACEPOINTS = ("7",)  # up to 6.12 preemption is off there

# What `make test` has time for: a method, workloads, kernels. Each workload meets each kernel that
# can show something by it, and each method one that preempts programs.
SHORT = (
    ("default", ("six tasks", "one CPU", "threads", "FIFO"), ("7", "6.1-rt")),
    ("default", ("six tasks", "FIFO"), ("6.12-full",)),
    ("default", ("interrupts",), ("6.1", "6.12", "7", "6.1-rt")),
    ("default", ("FIFO asleep",), ("6.1", "6.12-full", "7")),
    ("default", ("asleep",), ("6.1", "6.12")),
    ("kprobe", ("asleep",), ("6.1-rt", "6.12-full")),
    ("node", ("asleep",), ("6.1-rt", "7")),
    ("default", ("sleepers",), ("6.12-full", "7")),
    ("node", ("sleepers",), ("6.12-full",)),
    ("fentry", ("sleepers",), ("6.12-full", "6.1-rt")),
    ("kprobe session", ("sleepers",), ("6.12",)),
    ("fentry", ("one CPU",), ("7", "6.1-rt")),
    ("fentry", ("interrupts",), ("6.1", "6.12")),
    ("fentry", ("FIFO",), ("6.12-full",)),
    ("fsession", ("one CPU", "interrupts"), ("7",)),
    ("kprobe session", ("interrupts",), ("6.12",)),
    ("kprobe session", ("FIFO asleep",), ("6.12-full",)),
    ("kprobe", ("interrupts",), ("6.1",)),
    ("function pair", ("one CPU",), ("6.1-rt", "7")),
    ("function pair by fentry", ("interrupts",), ("6.12",)),
    ("function pair by key", ("interrupts",), ("6.12",)),
    ("kprobe to tracepoint", ("interrupts apart",), ("6.12",)),
    ("tracepoint pair", ("FIFO",), ("7",)),
    ("tracepoint pair", ("one CPU",), ("6.1-rt", "7")),
    ("tracepoint pair", ("interrupts",), ("6.12",)),
    ("tracepoint pair by tp_btf", ("one CPU",), ("7",)),
    ("tracepoint pair by trace event", ("interrupts",), ("6.12",)),
    ("direct", ("interrupts",), ("6.1", "6.12", "7")),
    ("direct", ("FIFO asleep",), ("6.12-full",)),
    ("direct by process", ("six tasks",), ("7",)),
    ("direct by process", ("FIFO", "threads"), ("6.12-full",)),
    ("direct by process", ("interrupts",), ("6.1", "6.12-full")),
    ("direct by CPU", ("one CPU",), ("6.12-full",)),
    ("direct by CPU", ("FIFO",), ("6.1-rt",)),
    ("direct by CPU", ("interrupts",), ("6.12-full",)),
    ("node", ("threads",), ("6.12-full",)),
    ("node", ("FIFO asleep",), ("6.1-rt",)),
    ("fentry gap", ("one CPU",), ("6.12-full",)),
    ("fsession gap", ("one CPU",), ("7",)),
    ("fsession value", ("one CPU",), ("7",)),
    ("fentry if", ("interrupts",), ("6.12",)),
    ("fentry if", ("one CPU",), ("7",)),
    ("fentry if at the entry", ("interrupts",), ("6.12",)),
    ("fentry if at the entry", ("one CPU",), ("7",)),
    ("fsession if", ("one CPU",), ("7",)),
)


def possible(method, workload, kernel):
    if kernel not in METHODS[method][1]:
        return False
    if method == "direct by CPU" and workload not in PINNED:
        return False
    if (method, workload) == ("direct by process", "asleep"):  # threads of the kernel
        return False
    if workload == "interrupts apart":
        return method in APART
    # Other functions have no such parameter.
    words = METHODS[method][0]
    return workload not in OTHERS or ("FUNCTION" in words and "odd" not in words)


def cells(kernel, parts, all_of_them, table):
    chosen = [(m, w) for m in METHODS for w in WORKLOADS if possible(m, w, kernel)
              and (table or m != UNCOUNTED[0] or kernel not in UNCOUNTED[1])
              and (all_of_them or any(m == s[0] and w in s[1] and kernel in s[2] for s in SHORT))]
    return [c for c in chosen if all(part in ", ".join(c) for part in parts)]


# ---- in the guest -----------------------------------------------------------------


def shell(i, cell, times):
    method, workload = cell
    run = WORKLOADS[workload](times)
    function = OTHERS.get(workload, FUNCTION)
    words = METHODS[method][0].replace("FUNCTION", function)
    if method == "node":
        trace = [f"kstats-bpf node add {words}", f"sh -c {shlex.quote(run)} > /tmp/calls",
                 f"kstats-bpf node show -f json {function} > /tmp/report; echo @@rc $?",
                 "kstats-bpf node rm --all"]
    else:
        everybody = "" if method == "direct by process" else "-a"
        trace = [f"kstats-bpf trace -q {everybody} -f json -o /tmp/report {words} -- "
                 f"sh -c {shlex.quote(run)} > /tmp/calls; echo @@rc $?"]
    if (method, workload) == MINE:  # the timer interrupts this one as well
        trace.insert(0, "taskset 1 sh -c 'while :; do :; done' & other=$!")
        trace.append("kill $other")
    truth = ["cat /tmp/calls"] if workload in CALLERS else [f"cat {DIR}/truth {DIR}/steps"]
    return "\n".join([f"echo @@ {i}", "rm -f /tmp/report", f"echo 1 > {DIR}/truth", *trace,
                      "cat /tmp/report", "echo", *truth])


def parse(text):
    out, at = {}, None
    for line in text.splitlines():
        words = line.split()
        if line.startswith("@@ "):
            at = out.setdefault(int(words[1]), {"rows": {}, "steps": {}, "report": None, "rc": None})
        elif at is None or not words:
            continue
        elif line.startswith("@@rc"):
            at["rc"] = int(words[1])
        elif line.startswith("{"):
            at["report"] = json.loads(line)
        elif len(words) == 5:
            at["rows"][words[0]] = tuple(int(w) for w in words[1:])
        elif len(words) == 2:
            at["steps"][int(words[0])] = int(words[1])
    return out


def shells(chosen, times, kmod):
    """Those that need the module come last, together: the others are measured without it, and with
    each change of the modules the program reads the kernel's list of functions again."""
    direct = [i for i, (method, _) in enumerate(chosen) if method in DIRECT]
    yield from (shell(i, c, times) for i, c in enumerate(chosen) if i not in direct)
    if direct:
        yield f"insmod {kmod}"
        yield from (shell(i, chosen[i], times) for i in direct)
        yield "until rmmod kstats 2>/dev/null; do usleep 100000; done"


def run_guest(kernel, chosen, times):
    target = subprocess.run([f"{HERE}/build-kmod", kernel], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.strip()
    adds, kmod = ["-a", target], ""
    if any(method in DIRECT for method, _ in chosen):
        kmod = subprocess.run([f"{HERE}/build-kmod", kernel, f"{TOP}/kmod"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()
        adds += ["-a", kmod]
    script = "\n".join([f"insmod {target} || exit 99"]
                       + [*shells(chosen, times, kmod)]
                       # The kernel lets go of a module some moments after the last program.
                       + ["for i in $(seq 100); do rmmod kstats_target 2>/dev/null && exit 0",
                          "usleep 100000; done; exit 1"])
    cpus = "1" if kernel.startswith("6.1-") or kernel == "6.1" else "2"
    return subprocess.run([f"{HERE}/run", "-f", "-k", kernel, "-i", "-c", cpus, "-t", "10000",
                           *adds, "-a", CALLS, "--", script],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


# ---- what it means ------------------------------------------------------------------


class Wrong(Exception):
    pass


class Result:
    """What was seen of one cell, and what was true."""

    def __init__(self, cell, got):
        self.method, self.workload = cell
        if not got or not got["report"]:
            raise Wrong("no report")
        if got["rc"]:
            raise Wrong(f"exit status {got['rc']}")
        truth = CALLERS.get(self.workload, "step_odd" if self.method in IF else "step_outer")
        # Calls of the one are timed inside, and values of the other are no times.
        self.within = self.workload == "asleep" or "value" in self.method
        if self.workload == "asleep":
            truth = "kt_block"
        if cell == MINE:
            truth = "step_mine"
        self.calls, self.sum_ns, _, self.most = got["rows"][truth]
        self.body_ns = got["rows"]["kt_step"][1] if truth == "step_outer" else 0
        self.steps = got["steps"]
        self.nodes = got["report"]["nodes"]
        self.node = self.nodes[0]
        self.ledger = self.node["ledger"]
        self.recorded = self.ledger["recorded"]
        # Every call ends in time: whatever else the ledger says of it is wrong.
        self.told = self.ledger["lost"] + self.ledger.get("if", 0)
        # A pair whose end was skipped is open until its next start, which tells it.
        self.told += self.ledger.get("again", 0)
        # A call that sleeps may end on another CPU, where no end finds it.
        if self.method in PER_CPU and self.workload in ("asleep", "sleepers"):
            self.told += self.ledger["in_flight"]
        # Interrupts leave starts to the task.
        if self.workload == "interrupts apart":
            self.told += self.ledger.get("task_gone", 0) + self.ledger["in_flight"]

    def unsaid(self):
        """Calls that are not in the ledger. Of a call whose program was skipped nobody knows
        whether the condition holds: its end may be any call's that is told to have none."""
        missing = self.calls - self.recorded - self.told
        if self.method not in IF or missing < 0:
            return missing
        led = self.ledger
        ends = max(0, led.get("skipped_ends", 0) - led.get("end_missed", 0))
        no_end = led.get("no_end", 0) + led["in_flight"] + led.get("task_gone", 0)
        return max(0, missing - led.get("skipped_anyone", 0) - min(ends, no_end))

    def wrong(self):
        """At least so many samples are longer than their call was: of those above any
        bound there cannot be more than there are calls above it."""
        worst = 0
        if self.within:
            return worst
        for first in sorted({*self.steps, self.most + 1}):
            calls = sum(n for at, n in self.steps.items() if at >= first)
            samples = sum(s["samples"] for s in self.node["slots"] if s["first_ns"] >= first)
            worst = max(worst, samples - calls)
        return worst

    def problems(self, kernel):
        """What does not hold, in words."""
        led = ", ".join(f"{name} {n}" for name, n in self.ledger.items() if n)
        if self.unsaid():
            yield f"{self.calls} calls: {self.recorded} recorded, {self.told} told to be lost ({led})"
        if self.ledger["balance"]:
            yield f"the ledger does not balance ({led})"
        if self.wrong():
            yield (f"at least {self.wrong()} of {self.recorded} samples longer than their call"
                   f" (longest {self.node['max_ns']['lo']} ns, the longest call {self.most})")
        if self.recorded and not self.within and self.node["sum_ns"]["lo"] > self.sum_ns:
            yield f"sum {self.node['sum_ns']['lo']} ns, all calls together took {self.sum_ns}"
        if (self.recorded == self.calls and not self.within and "pair" not in self.method
                and self.node["sum_ns"]["hi"] < self.body_ns):
            yield f"sum {self.node['sum_ns']['hi']} ns, the calls' bodies took {self.body_ns}"
        gaps = [n for n in self.nodes if n["name"].startswith("GAP-")]
        if self.workload == "one CPU" and gaps and gaps[0]["max_ns"]["hi"] > GAP_NS:
            yield f"a gap of {gaps[0]['max_ns']['hi']} ns"
        exact = self.method in DIRECT or self.method in BY_ITSELF and self.workload in EXACT
        if exact and self.recorded != self.calls:
            yield f"{self.recorded} of {self.calls} calls are recorded ({led})"
        preempted = PREEMPT if self.method in PREEMPTED else (
            PREEMPTED_AT_TRACEPOINTS if self.method == "tracepoint pair by tp_btf" else ())
        if kernel in preempted and self.workload in PROVOKES and self.recorded == self.calls:
            yield NOTHING


def tap(kernel, chosen, got, done):
    print(f"1..{len(chosen) + 1}")
    bad = 0
    for i, cell in enumerate(chosen):
        try:
            result = Result(cell, got.get(i))
            problems = list(result.problems(kernel))
        except Wrong as e:
            problems = [str(e)]
        bad += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {i + 1} - {kernel}: {', '.join(cell)}"
              + "".join(f": {p}" for p in problems))
    ok = done.returncode == 0
    print(f"{'ok' if ok else 'not ok'} {len(chosen) + 1} - {kernel}: the guest ends well"
          f" ({done.returncode})")
    if bad or not ok:
        print("# " + done.stderr[-3000:].replace("\n", "\n# "))
    return bool(bad or not ok)


def in_words(result):
    """All recorded, or: recorded + told to be lost, and what is not right."""
    text = f"{result.recorded:,}" + (f" + {result.told:,}" if result.told else "")
    if result.unsaid():
        text += f", **{result.unsaid():+,} unsaid**"
    if result.wrong():
        text += f", **{result.wrong():,} wrong**"
    return text


def table(kernel, chosen, got):
    """A row for each method, a column for each workload."""
    rows, hooks = {}, {}
    for i, (method, workload) in enumerate(chosen):
        try:
            result = Result((method, workload), got.get(i))
            text, hooks[method] = in_words(result), result.node["method"]
        except Wrong as e:
            text = str(e)
        rows.setdefault(method, {})[workload] = text
    columns = [w for w in WORKLOADS if any(w in row for row in rows.values())]
    print(f"| {kernel} | {' | '.join(columns)} |")
    print("| --- |" + " ---: |" * len(columns))
    for method, row in rows.items():
        name = f"{method}: {hooks[method]}" if method in BY_ITSELF and method in hooks else method
        print(f"| {name} | {' | '.join(row.get(c, '') for c in columns)} |")
    print(flush=True)


def shows_nothing(kernel, cell, got):
    """Whether all is right, but its tasks did not meet."""
    try:
        return list(Result(cell, got).problems(kernel)) == [NOTHING]
    except Wrong:
        return False


def run_again(kernel, chosen, got, times):
    """Runs the cells that show nothing. Returns the status of the guest, 0 if there is none."""
    again = [i for i, cell in enumerate(chosen) if shows_nothing(kernel, cell, got.get(i))]
    if not again:
        return 0
    for i in again:
        print(f"# {kernel}: {', '.join(chosen[i])}: {NOTHING}; it runs again")
    done = run_guest(kernel, [chosen[i] for i in again], times)
    more = parse(done.stdout)
    got.update({i: more.get(k) for k, i in enumerate(again)})
    return done.returncode


def run_kernel(kernel, asked):
    chosen = cells(kernel, asked.part, asked.long or asked.all or bool(asked.part), asked.table)
    times = 20 if asked.long else 2 if asked.table else 1
    done = run_guest(kernel, chosen, times)
    if asked.keep:
        with open(asked.keep, "w", encoding="utf-8") as f:
            f.write(done.stdout + "\n@@@ stderr\n" + done.stderr)
    got = parse(done.stdout)
    for _ in range(TRIES - 1):
        done.returncode |= run_again(kernel, chosen, got, times)
    if not asked.table:
        return tap(kernel, chosen, got, done)
    table(kernel, chosen, got)
    return done.returncode


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("kernel", choices=(*ALL, "all"))
    words.add_argument("part", nargs="*", help="of the name of a cell")
    words.add_argument("--long", action="store_true", help="all cells, twenty times the calls")
    words.add_argument("--all", action="store_true", help="all cells")
    words.add_argument("--table", action="store_true", help="a table in place of TAP")
    words.add_argument("--keep", help="write what the guest said to this file")
    asked = words.parse_args()
    subprocess.run(["make", "-s", "-C", TOP, CALLS.removeprefix(f"{TOP}/")], check=True)
    kernels = ALL if asked.kernel == "all" else (asked.kernel,)
    return max(int(run_kernel(kernel, asked)) for kernel in kernels)


sys.exit(main())
