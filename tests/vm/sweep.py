#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Attaches each function that `list` offers, once by each method, under a mixed load: does the
kernel complain, do the figures agree? Comes in: KERNEL/METHOD (6.12/fentry; "default" is what
the program takes by itself), none for all of them; --most N functions of each. Functions that
the load calls come first, as ftrace saw them once on each kernel. The order is a shuffled one,
always the same, and what was tried is kept in the cache, so that a sweep goes on where it was
ended. Goes out: a line for all that is wrong; --table: what is kept, as rows of a table. Called
by `make test-sweep`.

Functions are attached 32 at a time, while sweep_load.c runs once, and one more, which it calls a
known number of times and nothing else calls. A function that is refused leaves its group; where a
guest ends or hangs, those of its last group are tried one by one."""

import argparse
import collections
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
CACHE = os.environ.get("KSTATS_CACHE") or f"{os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')}/kstats-bpf"
METHODS = {"default": ("6.1", "6.12", "7"), "fentry": ("6.1", "6.12", "7"),
           "fsession": ("7",), "kprobe-session": ("6.12", "7"), "kprobe": ("6.1", "6.12", "7"),
           "direct": ("6.1", "6.12", "7")}
CELLS = [f"{k}/{m}" for m in METHODS for k in METHODS[m]]
GROUP = 32
IN_A_GUEST = 512
SILENCE_S = 300  # of a guest: a group takes some seconds
PROGRAM = f"{TOP}/.output/tests/vm/sweep_load"
KNOWN, KNOWN_CALLS = "__x64_sys_getpgid", 7

# Beside the command that is measured. A little at a time: an emulated processor measures as well.
LOAD = """
[ "$$" -lt 2000 ] || exit 1
load() {
    while :; do
        ls -lR /sys/module/kernel /proc/self >/dev/null 2>&1
        dd if=/dev/zero of=/tmp/load bs=4k count=50 2>/dev/null; cp /tmp/load /tmp/load2; rm /tmp/load2
        yes | head -c 20000 | wc -c >/dev/null
        ping -c 1 -W 1 127.0.0.1 >/dev/null
        echo hello | nc -w 1 127.0.0.1 9 2>/dev/null
        sleep 100 & kill $!; wait $! 2>/dev/null
        $program 0 $module
        usleep 1000000
    done
}
load &
"""

# Reads groups, one a line; says "@@ GROUP", then of each function what became of it.
TRY = r"""
complaints() { dmesg | grep -cE 'cut here|BUG: |Oops|WARNING: |Call Trace:'; }
now() { cut -d ' ' -f 1 /proc/uptime; }
one() { # FUNCTION...: all of them, and the known one
    begin=$(now)
    kstats-bpf trace -q $words -a -b 0 -f json -o /tmp/report "$@" $known -- \
        $program $calls $module </dev/null >/dev/null 2>/tmp/err
    rc=$?
    [ $rc = 0 ] || return
    echo "@@report $begin $(now) $(tr -d '\n' </tmp/report)"
}
left() { # what is still hooked, though nothing measures any more
    cut -d ' ' -f 1 /sys/kernel/tracing/enabled_functions
    cat /sys/kernel/debug/kprobes/list
}
stubs() { cat /sys/module/kstats/parameters/direct_free 2>/dev/null || echo 64; }
dmesg -n 1
was=$(complaints)
while read -r group; do
    # Stubs in which a task sleeps stay taken: then another guest goes on.
    tries=0
    while [ $(stubs) -lt 33 ] && [ $tries -lt 100 ]; do tries=$((tries + 1)); usleep 100000; done
    [ $tries -lt 100 ] || break
    echo "@@ $group"
    set -- $group
    while [ $# -gt 0 ]; do
        one "$@" && break
        name=$(sed -n "s/.*cannot trace '\([^']*\)'.*/\1/p" /tmp/err | head -n 1)
        [ $# -gt 1 ] || name=$1
        rest=''
        for f; do [ "$f" = "$name" ] || [ "${f#*:}" = "$name" ] && refused=$f || rest="$rest $f"; done
        if [ "$rest" = " $*" ]; then
            for f; do
                one "$f" || echo "@@refused $f $rc $(grep -v '^note' /tmp/err | tail -n 1)"
            done
            break
        fi
        echo "@@refused $refused $rc $(grep -v '^note' /tmp/err | tail -n 1)"
        set -- $rest
    done
    tries=0
    while [ "$(left)" ] && [ $tries -lt 50 ]; do tries=$((tries + 1)); usleep 100000; done
    [ $tries -lt 50 ] || echo "@@left $(left | tr '\n' ' ')"
    now=$(complaints)
    [ "$now" = "$was" ] || { echo "@@complaint $group"; dmesg | tail -n 60 | sed 's/^/@@dmesg /'; }
    was=$now
done </tmp/groups
echo @@end
"""

# The names of all functions that are called, one a line. A second holds more calls than the buffer:
# those that were seen are left out of the next round, so that in the last ones nothing is lost.
CALLED = r"""
cd /sys/kernel/tracing || exit
echo 0 >tracing_on
awk '{ print NR, $1 }' available_filter_functions >/tmp/all
echo 8192 >buffer_size_kb
: >/tmp/seen
echo function >current_tracer || exit
for seconds in 1 2 5 20; do
    echo >trace
    echo 1 >tracing_on
    sleep $seconds
    echo 0 >tracing_on
    sed -n 's/.*: \([^ ]*\).* <-.*/\1/p' trace | sort -u >/tmp/new
    awk 'NR == FNR { new[$1]; next } $2 in new { print $1 }' /tmp/new /tmp/all >/tmp/numbers
    cat /tmp/numbers >>set_ftrace_notrace
    cat /tmp/new >>/tmp/seen
    echo "@@round $seconds $(wc -l </tmp/new) $(cat per_cpu/*/stats | grep overrun | tr '\n' ' ')"
done
echo nop >current_tracer
sed 's/^/@@called /' /tmp/seen
"""


def path(name):
    os.makedirs(f"{CACHE}/sweep", exist_ok=True)
    return f"{CACHE}/sweep/{name.replace('/', '-')}"


def build(kernel, folder):
    return subprocess.run([f"{HERE}/build-kmod", kernel, f"{TOP}/{folder}"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def load(kernel):
    """What its guest needs, and the script that starts it."""
    module = build(kernel, "tests/kmod/kstats_target")
    return [PROGRAM, module], f"program={PROGRAM} module={module} calls={KNOWN_CALLS}\n{LOAD}"


def guest(kernel, adds, script, **more):
    words = [w for a in adds for w in ("-a", a)]
    return subprocess.Popen([f"{HERE}/run", "-f", "-m", "2048", "-k", kernel, "-t", str(SILENCE_S),
                             "-K", "tsc=reliable", *words, "--", script],
                            text=True, errors="replace", stdout=subprocess.PIPE, **more)


def listed(kernel):
    """MODULE:NAME of each function that can be measured."""
    with guest(kernel, [], "kstats-bpf list -F --json") as done:
        rows = [json.loads(line) for line in done.stdout if line.startswith("{")]
    if done.returncode or not rows:
        sys.exit(f"sweep: {kernel} lists nothing")
    return {f"{r['module']}:{r['name']}" if r["module"] else r["name"]
            for r in rows if r.get("method")}


def traced(kernel):
    """The names of the functions that are called under the load."""
    adds, script = load(kernel)
    called = set()
    with guest(kernel, adds, script + CALLED) as done:
        for line in done.stdout:
            kind, _, name = line.rstrip("\n").partition(" ")
            if kind == "@@called":
                called.add(name)
            else:
                print(f"# {kernel}: {line}", end="", flush=True)
    if done.returncode or not called:
        sys.exit(f"sweep: ftrace sees no calls on {kernel}")
    return called


def kept_names(kernel, kind, find):
    """Names that are found once, shuffled."""
    kept = path(f"{kernel}.{kind}")
    if not os.path.exists(kept):
        names = sorted(find(kernel), key=lambda n: hashlib.sha256(n.encode()).digest())
        with open(kept + ".new", "w", encoding="utf-8") as f:
            f.writelines(f"{n}\n" for n in names)
        os.rename(kept + ".new", kept)
    with open(kept, encoding="utf-8") as f:
        return f.read().split()


def offered(kernel):
    """The functions that are tried: those that the load calls, and the others."""
    names = [n for n in kept_names(kernel, "list", listed) if n != KNOWN]
    seen = set(kept_names(kernel, "called", traced))
    called = [n for n in names if n.rpartition(":")[2] in seen]
    return called, [n for n in names if n.rpartition(":")[2] not in seen]


def wrong(node, window_s, method):
    """What cannot be right in the figures of a function."""
    ledger = node["ledger"]
    longest = max((s["avg_ns"] for s in node["slots"]), default=0)
    if ledger["balance"]:
        return f"balance {ledger['balance']}"
    if sum(s["samples"] for s in node["slots"]) != node["samples"]:
        return f"{node['samples']} samples are not those of the slots"
    if longest > (window_s + 0.02) * 1e9:
        return f"calls of {longest} ns in a measurement of {window_s:.2f} s"
    if method == "direct" and ledger["lost"]:
        return f"direct lost {ledger['lost']}"
    most = ledger["started"] + ledger["skipped"] + ledger["skipped_shared"]
    if node["name"] == KNOWN and not ledger["started"] <= KNOWN_CALLS <= most:
        return f"started {ledger['started']}, or {most} with all skipped, not {KNOWN_CALLS}"
    return None


def became(node):
    """What is kept of a function. Of several, one that the kernel refuses is left out."""
    ledger = node["ledger"]
    if node["method"] == "none":
        return f"refused 0 {node['reason']}"
    return f"ok {ledger['started']} {ledger['recorded']} {node['method']} lost {ledger['lost']}"


class Cell:
    """A kernel and a method: what became of each function that was tried."""

    def __init__(self, name):
        self.name, self.kept = name, {}
        self.kernel, self.method = name.split("/")
        if os.path.exists(path(name)):
            with open(path(name), encoding="utf-8") as f:
                for line in f:
                    function, _, what = line.rstrip("\n").partition("\t")
                    self.kept[function] = what

    def keep(self, function, what):
        self.kept[function] = what
        with open(path(self.name), "a", encoding="utf-8") as f:
            f.write(f"{function}\t{what}\n")
        if what.startswith("WRONG"):
            print(f"{self.name}: {function}: {what}", flush=True)

    def took(self, what, seconds):
        with open(path(f"{self.name}.{what}"), "a", encoding="utf-8") as f:
            f.write(f"{seconds:.2f}\n")

    def took_mostly(self, what):
        if not os.path.exists(path(f"{self.name}.{what}")):
            return "?"
        with open(path(f"{self.name}.{what}"), encoding="utf-8") as f:
            return f"{statistics.median(map(float, f)):.1f}"

    def take(self, line, group):
        """A line of the guest."""
        kind, _, rest = line.partition(" ")
        if kind == "@@report":
            begin, end, report = rest.split(" ", 2)
            for node in json.loads(report)["nodes"]:
                bad = wrong(node, float(end) - float(begin), self.method)
                if node["name"] != KNOWN:
                    self.keep(full(node["name"], group), f"WRONG {bad}" if bad else became(node))
                elif bad:
                    self.keep(f"{KNOWN} beside {' '.join(group)}", f"WRONG {bad}")
        elif kind == "@@refused":
            function, status, *why = rest.split(" ")
            self.keep(function, f"refused {status} {' '.join(why)}")
        elif kind == "@@complaint":
            self.keep(" ".join(group), "WRONG the kernel complained")
        elif kind == "@@left":
            self.keep(" ".join(group), f"WRONG still hooked: {rest}")
        elif kind == "@@dmesg":
            print(line, flush=True)

    def sweep(self, most):
        names = [n for part in offered(self.kernel) for n in part][:most]
        single = set()  # of a group in which a guest ended
        while left := [n for n in names if n not in self.kept]:
            print(f"{self.name}: {len(left)} left", flush=True)
            now = left[:IN_A_GUEST]
            groups = [[n] for n in now if n in single]
            many = [n for n in now if n not in single]
            groups += [many[i:i + GROUP] for i in range(0, len(many), GROUP)]
            last, ended = self.run(groups)
            for n in last if not ended else ():
                if len(last) == 1:
                    self.keep(n, "WRONG the guest ended or hung")
                elif n not in self.kept:
                    single.add(n)
            if not ended and not last:
                sys.exit(f"sweep: no guest with kernel {self.kernel} begins")

    def run(self, groups):
        """The group that was tried last, and whether the guest came to its end."""
        adds, first = load(self.kernel)
        if self.method == "direct":
            module = build(self.kernel, "kmod")
            adds, first = [*adds, module], f"insmod {module} || exit 99\n{first}"
        words = "" if self.method == "default" else f"-m {self.method}"
        text = "\n".join(" ".join(g) for g in groups)
        script = (f"{first}\nknown={KNOWN} words='{words}'\n"
                  f"cat >/tmp/groups <<'EOF'\n{text}\nEOF\n{TRY}")
        last, ended, since, tried, worked = [], False, 0.0, 0, os.times()
        with tempfile.TemporaryFile() as err:
            with guest(self.kernel, adds, script, stderr=err) as done:
                for line in done.stdout:
                    line = line.rstrip("\n")
                    if line.startswith("@@ ") or line == "@@end":
                        if len(last) == GROUP:
                            self.took("seconds", time.monotonic() - since)
                        since, ended = time.monotonic(), line == "@@end"
                        last = last if ended else line[3:].split()
                        tried += 0 if ended else len(last)
                    else:
                        self.take(line, last)
            err.seek(0)
            if done.returncode:
                print(f"# {self.name}: the guest ended with {done.returncode}:",
                      err.read().decode(errors="replace")[-3000:], flush=True)
        now = os.times()
        if ended and tried >= GROUP:
            spent = sum(now[2:4]) - sum(worked[2:4])  # of the children
            self.took("processor", spent / tried * GROUP)
        for n in last if ended else ():
            self.kept.setdefault(n, "lost")
        return last, ended

    def row(self):
        """What is kept, as a row of the table."""
        called, others = offered(self.kernel)
        tried = [n for n in self.kept if " " not in n]
        values = [self.kept[n] for n in tried]
        seen = sum(1 for n in called if n in self.kept)
        counted = sum(v.startswith("ok ") and not v.startswith("ok 0 ") for v in values)
        calls = sum(int(v.split()[1]) for v in values if v.startswith("ok "))
        why = collections.Counter(reason(v) for v in values if v.startswith("refused"))
        bad = sum(v.startswith("WRONG") for v in self.kept.values())
        told = "; ".join(f"{n:,}: {r}" for r, n in why.most_common())
        return (f"| {self.kernel} | {self.method} | {seen:,} of {len(called):,} | "
                f"{len(tried) - seen:,} of {len(others):,} | "
                f"{sum(v.startswith('ok ') for v in values):,} | {counted:,} | {calls:,} | "
                f"{told or '0'} | {bad:,} | "
                f"{self.took_mostly('seconds')} | {self.took_mostly('processor')} |")


def reason(what):
    """A refusal without the name of what was refused."""
    text = re.sub(r"^refused \d+ (kstats-bpf: )?", "", what)
    text = re.sub(r"^cannot \w+ '[^']*': |; 'kstats-bpf list' .*|The function \S+ ", "", text)
    return re.sub(r"'[^']*'|0x[0-9a-f]+|\b\d+\b", "...", text)[:120].strip()


def full(name, group):
    """As it was asked for: reports leave out the module where a name is unique."""
    return next((g for g in group if name in (g, g.partition(":")[2])), name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("cells", nargs="*", metavar="KERNEL/METHOD")
    parser.add_argument("--most", type=int, metavar="N")
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    found = 0
    for name in asked.cells or CELLS:
        if name not in CELLS:
            parser.error(f"no {name}; there are {' '.join(CELLS)}")
        cell = Cell(name)
        if not asked.table:
            cell.sweep(asked.most)
        if cell.kept:
            print(cell.row(), flush=True)
        found += any(v.startswith("WRONG") for v in cell.kept.values())
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
