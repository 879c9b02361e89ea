#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Attaches each function that `list` offers, once by each method, under a mixed load: does the
kernel complain, does the ledger balance? Comes in: KERNEL/METHOD (6.12/fentry; "default" is what
the program takes by itself), none for all of them; --most N functions of each. The order is a
shuffled one, always the same, and what was tried is kept in the cache, so that a sweep goes on
where it was ended. Goes out: a line for each refusal that no other has and for all that is
wrong; --table: what is kept, as rows of a table. Called by `make test-sweep`.

Functions are attached 16 at a time. One that is refused leaves its group; where a guest ends or
hangs, those of its last group are tried one by one."""

import argparse
import collections
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
CACHE = os.environ.get("KSTATS_CACHE") or f"{os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')}/kstats-bpf"
METHODS = {"default": ("6.1", "6.12", "7"), "fentry": ("6.1", "6.12", "7"),
           "fsession": ("7",), "kprobe-session": ("6.12", "7"), "kprobe": ("6.1", "6.12", "7"),
           "direct": ("6.1", "6.12", "7")}
CELLS = [f"{k}/{m}" for m in METHODS for k in METHODS[m]]
GROUP = 16
IN_A_GUEST = 512
SILENCE_S = 300  # of a guest: a group takes some seconds

# Files, pipes, sockets, processes that come and go, timers, signals. A little of each at a time:
# an emulated processor has to measure beside it.
LOAD = """
load() {
    while :; do
        ls -lR /sys/module/kernel /proc/self >/dev/null 2>&1
        dd if=/dev/zero of=/tmp/load bs=4k count=50 2>/dev/null; cp /tmp/load /tmp/load2; rm /tmp/load2
        yes | head -c 20000 | wc -c >/dev/null
        ping -c 1 -W 1 127.0.0.1 >/dev/null
        echo hello | nc -w 1 127.0.0.1 9 2>/dev/null
        sleep 100 & kill $!; wait $! 2>/dev/null
        usleep 100000
    done
}
load &
"""

# Reads groups, one a line; says "@@ GROUP", then of each function what became of it.
TRY = r"""
complaints() { dmesg | grep -cE 'cut here|BUG: |Oops|WARNING: |Call Trace:'; }
one() { # FUNCTION...: all of them
    kstats-bpf trace -q $words -d 20ms -b 0 -f json -o /tmp/report "$@" </dev/null 2>/tmp/err
    rc=$?
    [ $rc = 0 ] || return
    echo "@@report $(tr -d '\n' </tmp/report)"
}
dmesg -n 1
was=$(complaints)
while read -r group; do
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
    now=$(complaints)
    [ "$now" = "$was" ] || { echo "@@complaint $group"; dmesg | tail -n 60 | sed 's/^/@@dmesg /'; }
    was=$now
done </tmp/groups
echo @@end
"""


def path(name):
    os.makedirs(f"{CACHE}/sweep", exist_ok=True)
    return f"{CACHE}/sweep/{name.replace('/', '-')}"


def build(kernel):
    return subprocess.run([f"{HERE}/build-kmod", kernel, f"{TOP}/kmod"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def guest(kernel, adds, script, **more):
    words = [w for a in adds for w in ("-a", a)]
    return subprocess.Popen([f"{HERE}/run", "-f", "-m", "2048", "-k", kernel, "-t", str(SILENCE_S),
                             "-K", "tsc=reliable", *words, "--", script],
                            text=True, errors="replace", stdout=subprocess.PIPE, **more)


def offered(kernel):
    """MODULE:NAME of each function that can be measured, shuffled."""
    kept = path(f"{kernel}.list")
    if not os.path.exists(kept):
        with guest(kernel, [], "kstats-bpf list -F --json") as done:
            rows = [json.loads(line) for line in done.stdout if line.startswith("{")]
        names = {f"{r['module']}:{r['name']}" if r["module"] else r["name"]
                 for r in rows if r.get("method")}
        if done.returncode or not names:
            sys.exit(f"sweep: {kernel} lists nothing")
        with open(kept, "w", encoding="utf-8") as f:
            f.writelines(f"{n}\n" for n in sorted(names, key=lambda n: hashlib.sha256(n.encode()).digest()))
    with open(kept, encoding="utf-8") as f:
        return f.read().split()


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

    def take(self, line, group):
        """A line of the guest."""
        kind, _, rest = line.partition(" ")
        if kind == "@@report":
            for node in json.loads(rest)["nodes"]:
                ledger = node["ledger"]
                self.keep(full(node["name"], group),
                          f"WRONG balance {ledger['balance']}" if ledger["balance"] else
                          f"ok {ledger['started']} {ledger['recorded']} {node['method']}")
        elif kind == "@@refused":
            function, status, *why = rest.split(" ")
            self.keep(function, f"refused {status} {' '.join(why)}")
        elif kind == "@@complaint":
            self.keep(" ".join(group), "WRONG the kernel complained")
        elif kind == "@@dmesg":
            print(line, flush=True)

    def sweep(self, most):
        names = offered(self.kernel)[:most]
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
        adds, first = [], ""
        if self.method == "direct":
            adds, first = [build(self.kernel)], f"insmod {build(self.kernel)} || exit 99"
        words = "" if self.method == "default" else f"-m {self.method}"
        text = "\n".join(" ".join(g) for g in groups)
        script = f"{first}\n{LOAD}\nwords='{words}'\ncat >/tmp/groups <<'EOF'\n{text}\nEOF\n{TRY}"
        last, ended = [], False
        with tempfile.TemporaryFile() as err:
            with guest(self.kernel, adds, script, stderr=err) as done:
                for line in done.stdout:
                    line = line.rstrip("\n")
                    if line.startswith("@@ "):
                        last = line[3:].split()
                    elif line == "@@end":
                        ended = True
                    else:
                        self.take(line, last)
            err.seek(0)
            if done.returncode:
                print(f"# {self.name}: the guest ended with {done.returncode}:",
                      err.read().decode(errors="replace")[-3000:], flush=True)
        for n in last if ended else ():
            self.kept.setdefault(n, "lost")
        return last, ended

    def row(self):
        """What is kept: tried, attached, called, refused by reason, wrong."""
        values = [v for k, v in self.kept.items() if " " not in k]
        called = sum(1 for v in values if v.startswith("ok ") and not v.startswith("ok 0 "))
        why = collections.Counter(reason(v) for v in values if v.startswith("refused"))
        wrong = sum(1 for v in self.kept.values() if v.startswith("WRONG"))
        told = "; ".join(f"{n:,} {r}" for r, n in why.most_common())
        everything = len(offered(self.kernel)) if os.path.exists(path(f"{self.kernel}.list")) else 0
        return (f"| {self.kernel} | {self.method} | {everything:,} | {len(values):,} | "
                f"{sum(v.startswith('ok ') for v in values):,} | {called:,} | "
                f"{told or '0'} | {wrong:,} |")


def reason(what):
    """A refusal without the name of what was refused."""
    text = re.sub(r"^refused \d+ (kstats-bpf: )?", "", what)
    text = re.sub(r"^cannot \w+ '[^']*': ", "", text)
    return re.sub(r"'[^']*'|0x[0-9a-f]+|\b\d+\b", "...", text)[:100].strip()


def full(name, group):
    """As it was asked for: reports leave out the module where a name is unique."""
    return next((g for g in group if name in (g, g.partition(":")[2])), name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("cells", nargs="*", metavar="KERNEL/METHOD")
    parser.add_argument("--most", type=int, metavar="N")
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    wrong = 0
    for name in asked.cells or CELLS:
        if name not in CELLS:
            parser.error(f"no {name}; there are {' '.join(CELLS)}")
        cell = Cell(name)
        if not asked.table:
            cell.sweep(asked.most)
        if cell.kept:
            print(cell.row(), flush=True)
        wrong += any(v.startswith("WRONG") for v in cell.kept.values())
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
