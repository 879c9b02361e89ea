#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does `kstats-bpf kmem` count all that a module allocates and frees, and nothing else for
it, and does its account close? The module kstats_memory does a known number of each
operation; many of them run in one measurement, since each has call sites of its own.
Comes in: a kernel (6.1, 6.12, 7), perhaps part of a measurement's name; --long for more of
everything; --keep FILE for what the guest said. Goes out: TAP. Called by tests/run, see
suites. What is compared is the recording; kmem_truth.py compares."""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import kmem_truth as truth  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
LOAD = f"{TOP}/.output/tests/vm/kmem_load"
BPFTOOL = shutil.which("bpftool") or "/usr/sbin/bpftool"
DIR = "/sys/kernel/debug/kstats_memory"
ALL = ("6.1", "6.12", "7")

# What the writer does alone, on one CPU.
SIZES = (1, 7, 8, 13, 16, 24, 32, 33, 64, 90, 96, 100, 128, 190, 192, 200, 256, 500, 512, 1000,
         1024, 1025, 1100, 2000, 2048, 3001, 4096, 5000, 8192)
OF_EACH_SIZE = tuple(f"kmalloc 1009 {size}" for size in SIZES)
OTHERS = (
    "kmalloc 503 8193", "kmalloc 307 12289", "kmalloc 101 100000", "kmalloc 11 4000000",
    "atomic 1009 77", "fixed 307", "zalloc 1013 130", "node 1019 140",
    "kvmalloc 1021 601", "kvmalloc 211 24001", "kvmalloc 5 8000000",
    "realloc 1009 40 300", "realloc 1013 40 60", "realloc 1019 300 40", "realloc 101 3000 20000",
    "nothing 100003", "too_much 1009", "helpers 1009 1021",
)
PLAIN = OF_EACH_SIZE + OTHERS
FEW = tuple(f"kmalloc 53 {size}" for size in SIZES)
CACHES = ("cache 1031", "cache_ctor 1033", "cache_kfree 1039")
BULK = ("bulk 101 16", "bulk_alloc 103 7", "bulk_free 107 9", "bulk 1009 1")
RCU = ("rcu 1009 40", "rcu_alone 53 24")
LIVES = ("live 211 64 20000", "live 307 80 100", "sleep 23 90 2000")
ELSEWHERE = ("hop 1009 48", "task 1013 56", "cross 1019 72")
HELPED = ("behind 1009 76", "behind_cache 1013", "behind_bulk 1009", "deep 307 76")
# All from the site of `irq` out to where the interrupt enters.
INTERRUPT = "km_irq,fires,*hrtimer*,*apic_timer*,*irq*"
INTERRUPTS = ("irq 1009 44", "softirq 1013 52")
SITES = PLAIN + CACHES + ELSEWHERE + INTERRUPTS


def op(words, cpu="1"):
    name, numbers = (words + " 0").split(" ", 1)
    return f"taskset {cpu} sh -c 'echo {numbers[:-2]} > {DIR}/{name}' || echo @@failed {name}"


def ops(*words):
    return "\n".join(op(w) for w in words)


class Measurement:
    """What runs under which options, and what must hold."""

    def __init__(self, name, options, commands, check, after=""):
        self.name, self.options, self.commands = name, options, commands
        self.check, self.after = check, after

    def shell(self, i):
        return "\n".join([
            f"echo @@ {i}", f"rm -f /tmp/kmem.json; echo 1 > {DIR}/truth",
            f"kstats-bpf kmem -q --all --record /tmp/kmem.json -o /tmp/kmem.out {self.options} -- "
            f"sh -c {shlex.quote(self.commands)}; echo @@rc $?",
            f"cat {DIR}/truth {DIR}/lives 2>/dev/null", "cat /tmp/kmem.json", "echo", self.after])


class Together(Measurement):
    """Some with the same options in one start, since a start takes longer than what they do."""

    def __init__(self, ones):
        super().__init__(", ".join(m.name for m in ones), ones[0].options,
                         "\n".join(m.commands for m in ones), self.all_hold,
                         "\n".join(m.after for m in ones if m.after))
        self.ones = ones

    def all_hold(self, got):
        told = set()  # the sites and the account are looked at by each
        for name, problems in (row for m in self.ones for row in m.check(got)):
            if name not in told or problems:
                told.add(name)
                yield name, problems


# Killed at moments from the load of the first program to long after the last.
KILLS = f"""
. {HERE}/objects.sh
before=$(settled "0 0 0 0")  # what ran before is freed after a grace period
for i in $(seq KILLS); do
    kstats-bpf kmem -q --lifetime -o /tmp/kmem.out &
    pid=$!
    until [ "$(objects)" != "$before" ]; do kill -0 $pid || exit 98; done
    usleep $((i * 370000 % 900000))
    kill -9 $pid; wait $pid 2>/dev/null
    echo "@@left $(settled "$before"), $before"
done
"""


class Kills(Measurement):
    """Nothing stays in the kernel."""

    def __init__(self, kills):
        super().__init__("killed", "", "", truth.nothing_left)
        self.kills = kills

    def shell(self, i):
        return f"echo @@ {i}; echo '{{}}'; echo @@rc 0\n" + KILLS.replace("KILLS", str(self.kills))


BPF_FOLDER = "grep -q ' /sys/fs/bpf ' /proc/mounts || mount -t bpf bpf /sys/fs/bpf"


class Node(Measurement):
    """What a node measured; one step leads to the next."""

    def __init__(self, name, commands, check, after="", node="kmem"):
        super().__init__(f"node: {name}", "", commands, check, after)
        self.node = node

    def shell(self, i):
        return "\n".join([
            f"echo @@ {i}", "rm -f /tmp/kmem.json", BPF_FOLDER, self.commands,
            f"kstats-bpf node show {self.node} --record /tmp/kmem.json -o /tmp/kmem.out; echo @@rc $?",
            f"cat {DIR}/truth {DIR}/lives 2>/dev/null", "cat /tmp/kmem.json", "echo", self.after])


class NodeKills(Kills):
    """A node that is added when its command is killed exists as a whole or not at all."""

    def __init__(self, kills):
        super().__init__(kills)
        self.name = "node: killed"

    def shell(self, i):
        return super().shell(i).replace(
            "kmem -q --lifetime -o /tmp/kmem.out &", "node add --kmem --lifetime killed 2>/dev/null &"
        ).replace("370000 % 900000", "390000 % 1900000").replace(
            "2>/dev/null\n    echo", "2>/dev/null\n    kstats-bpf node ls >/tmp/ls || echo @@failed ls\n"
            "    kstats-bpf node rm --all\n    echo")


def ops_hold(got):
    """Every operation by itself; what no operation accounts for comes last."""
    yield from truth.sites(got)
    yield from truth.account(got)


def own_hold(got):
    """The same, while other programs are loaded: what these do is counted, too."""
    yield from (row for row in ops_hold(got) if not row[0].startswith(("count", "events")))


NODE_OPS = ("kmalloc 1009 96", "kmalloc 503 12289", "helpers 1009 1021", *CACHES, "bulk 1009 16", *RCU,
            *ELSEWHERE, *LIVES, "keep 1009 60")
# A stopped node counts nothing. What it followed is lost, so it begins anew.
STOPPED = f"""
show() {{ kstats-bpf node show kmem -f csv; }}
show > /tmp/before
{op("drop")}
show | cmp - /tmp/before || echo @@failed 'while it was stopped'
kstats-bpf node start kmem 2>/tmp/err && echo @@failed start
grep -q 'was freed while it was stopped.*node reset' /tmp/err || echo @@failed 'to say why'
kstats-bpf node reset kmem; kstats-bpf node start kmem; echo 1 > {DIR}/truth
{ops("kmalloc 1013 78", "cross 1013 72", "cache 1021", "bulk 1009 16")}
kstats-bpf node stop kmem
"""
# A map of the same size under its name is not its map, and other tables are not read.
REPLACED = """
cd /sys/fs/bpf/kstats/kmem
bpftool map create ./other type array key 4 value $(bpftool map show pinned ./rows |
    grep -o 'value [0-9]*B' | tr -dc 0-9) entries 1 name rows flags 0x400
mv rows /sys/fs/bpf/rows; mv other rows
kstats-bpf node show kmem 2>&1 | grep -q 'its rows cannot be used: Invalid' || echo @@failed replaced
mv -f /sys/fs/bpf/rows rows
text=$(bpftool map lookup pinned ./meta key 0 0 0 0 | sed -n '/^value/,$p' | sed 1d | tr -s '\n ' ' ' |
    sed 's/72 6f 77 20 36 34/72 6f 77 20 36 35/')
bpftool map create ./other type array key 4 value $(echo $text | wc -w) entries 1 name meta
bpftool map update pinned ./other key 0 0 0 0 value hex $text
mv meta /sys/fs/bpf/meta; mv other meta
kstats-bpf node show kmem 2>&1 | grep -q 'another version of kstats-bpf made it' || echo @@failed layout
mv -f /sys/fs/bpf/meta meta; cd /
"""
NODES = [
    Node("running", f""". {HERE}/objects.sh; before=$(objects)
kstats-bpf node add --kmem --lifetime || echo @@failed add; echo 1 > {DIR}/truth
{ops(*NODE_OPS)}""", truth.sites),
    Node("stopped", "kstats-bpf node stop kmem", ops_hold, after=REPLACED),
    Node("reset and started", STOPPED, ops_hold, after="kstats-bpf node rm kmem"),
    Node("stopped and started", f"""kstats-bpf node add --kmem; {op("kmalloc 1009 77")}
kstats-bpf node stop kmem; {op("kmalloc 503 77")}; kstats-bpf node start kmem
kstats-bpf node add --kmem beside --lifetime --by 'comm, cpu'; echo 1 > {DIR}/truth; {op("kmalloc 1013 77")}""",
         truth.of_size(77, 2022)),
    Node("beside another one and a session",
         f"""kstats-bpf kmem -q --all -f csv -o /tmp/kmem.csv -- sh -c {shlex.quote(ops("kmalloc 1009 96", *CACHES, *ELSEWHERE))}
grep -q ',kmalloc,"km_kmalloc.*' /tmp/kmem.csv || echo @@failed session
kstats-bpf node stop beside""", own_hold, node="beside",
         after='kstats-bpf node rm --all; echo "@@left $(settled "$before"), $before"'),
    Node("module unloaded", f"""kstats-bpf node add --kmem --lifetime; {op("kmalloc 1009 77")}
rmmod kstats_memory""", truth.gone(77, 1009), after="kstats-bpf node rm --all; insmod $KO"),
]


MEASUREMENTS = [
    Measurement("by site", "", ops(*SITES), ops_hold),
    Measurement("with lifetimes", "--lifetime", ops(*SITES, *LIVES, "keep 1009 60"), ops_hold,
                after=op("drop")),
    Measurement("in bulk", "", ops(*BULK), ops_hold),
    Measurement("in bulk, with lifetimes", "--lifetime", ops(*BULK), ops_hold),
    Measurement("by RCU", "--lifetime", ops(*RCU), ops_hold),
    Measurement("pages of each order", "--lifetime --kind pages --comm kstats_memory",
                ops(*(f"pages {1009 - order} {order}" for order in range(10))), ops_hold),
    Measurement("behind helpers", "--skip 'help_*,kvasprintf,kasprintf'", ops(*SITES, *HELPED),
                truth.behind("help_", "kasprintf")),
    Measurement("behind helpers, with lifetimes", "--lifetime --skip 'help_*,kvasprintf,kasprintf'",
                ops(*FEW, *OTHERS, *CACHES, *ELSEWHERE, *INTERRUPTS, *LIVES, *HELPED),
                truth.behind("help_", "kasprintf"),
                after="kstats-bpf kmem -q --skip help_kmalloc,help_nobody -- true\n"
                      "[ $? = 2 ] || echo @@failed nobody"),
    Measurement("behind an interrupt", f"--skip '{INTERRUPT}'", ops("irq 1009 44"),
                truth.behind_interrupt),
    Measurement("call sites of pages", "--page-sites",
                ops(*(f"pages {1009 - order} {order}" for order in range(10)), "behind_pages 1009 0"),
                truth.page_sites),
    Measurement("call sites of pages behind helpers", "--lifetime --page-sites --skip help_*",
                ops(*(f"behind_pages {1009 - order} {order}" for order in range(10)), "behind 1009 76"),
                truth.behind("help_")),
    Measurement("resized in place", "--lifetime",
                ops("realloc_keep 1009 700 1024", "realloc 1013 300 1", "realloc 1019 40 65"),
                truth.resized, after=op("drop")),
    Measurement("flags", "--gfp GFP_ATOMIC", ops("atomic 1009 77", "kmalloc 1009 78"),
                truth.only("km_atomic")),
    Measurement("table of 16 rows", "--limit sites=16", ops(*PLAIN), truth.overflows("no_row")),
    Measurement("table of 16 rows, in bulk", "--lifetime --limit sites=16", ops(*FEW, *BULK),
                truth.overflows("no_row")),
    Measurement("table of caches, in bulk", "", ops("cache_many 2003"), truth.many_caches),
    Measurement("table of 16 objects", "--lifetime --limit live=16", ops("keep 1009 60"),
                truth.overflows("no_live"), after=op("drop")),
    Measurement("idle CPUs", "--lifetime", op("idle 1009 45"), truth.idle),
    Measurement("slabinfo", "--lifetime", ops("cache_keep 1009"), truth.slabinfo,
                after="echo 1 > /sys/kernel/slab/kstats_memory_plain/shrink\n"
                      "sed 's/^/@@slab /' /proc/slabinfo | grep kstats_memory_plain\n"
                      + op("cache_drop")),
    Measurement("threads on all CPUs", "--lifetime", ops("exchange 10007 100 8"), ops_hold),
    Measurement("a storm of interrupts", "--lifetime", ops("storm 5003 120 20000"), truth.storm),
    Measurement("by flags", "--by gfp", ops("atomic 1009 77", "kmalloc 1013 78", "zalloc 1019 79",
                                               "cache 1021"),
                truth.split({"km_atomic": {"GFP_ATOMIC": 1009}, "km_kmalloc": {"GFP_KERNEL": 1013},
                             "km_zalloc": {"GFP_KERNEL|__GFP_ZERO": 1019},
                             "km_cache_alloc": {"GFP_KERNEL": 1021}})),
    Measurement("by CPU, NUMA node and a mask of flags", "--by 'cpu, numa, gfp & (__GFP_ZERO | __GFP_COMP)'",
                "\n".join([op("kmalloc 1009 77", "1"), op("kmalloc 1013 78", "2"), op("zalloc 1019 79", "2"),
                           op("node 1031 140"), op("cache 1021")]),
                truth.split({"km_kmalloc": {"0, any, 0": 1009, "1, any, 0": 1013}, "km_node": {"0, 0, 0": 1031},
                             "km_zalloc": {"1, any, __GFP_ZERO": 1019}, "km_cache_alloc": {"0, any, 0": 1021}})),
    Measurement("by a key of four words", "--lifetime --by 'comm, size > 1055 && given == 2048, size + 1000 * uid'",
                ops("kmalloc 1009 77", "cross 1013 78", "kmalloc 1019 2041", "kmalloc 1021 4096"),
                truth.split({"km_kmalloc": {"sh, 0, 77": 1009, "sh, 0, 78": 1013, "sh, 1, 2041": 1019,
                                            "sh, 0, 4096": 1021}})),
    # More than places are looked at for a key: they must not begin at the same one.
    Measurement("by keys of one sum", "--by 'size + 0, 5000 - size'",
                ops(*(f"kmalloc 7 {size}" for size in range(2049, 2111))),
                truth.split({"km_kmalloc": {f"{size}, {5000 - size}": 7 for size in range(2049, 2111)}})),
    Measurement("under a condition", "--lifetime --if '1000 / (size - 77) && size != 79 && order < 3' --by 'order * order'",
                ops("kmalloc 1009 77", "kmalloc 1013 78", "kmalloc 1019 79", "cache 1021", "bulk 101 16",
                    "pages 1031 2", "pages 1033 3"),
                truth.split({"km_kmalloc": {"0": 1013}, "km_cache_alloc": {"0": 1021},
                             "km_bulk_alloc": {"0": 1616}}, left_out=2052, division=1009)),
    Measurement("of one CPU", "--lifetime --cpu 1",
                "\n".join([op("kmalloc 1009 77", "1"), op("cross 1013 78", "2")]),
                truth.one_cpu),
    Measurement("50,000 allocations", "--lifetime", f"{LOAD} 8 4001", truth.load(50000)),
    Measurement("source lines", "", ops("kmalloc 1009 77", "cache 1021"), truth.lines),
    # The last one: what it leaves stays in the guest.
    Measurement("unloaded with live objects", "--lifetime",
                ops("keep 1009 60", "forget") + f"\ncat {DIR}/truth; rmmod kstats_memory",
                truth.unloaded),
]


# By default each kernel has some of them; 6.12 has the nodes, the kills, and all that no other
# kernel has. With --long each kernel has all.
SOME = {
    "6.1": ("by site", "pages of each order", "call sites of pages behind helpers",
            "table of caches, in bulk", "a storm of interrupts", "by keys of one sum",
            "unloaded with live objects"),
    "7": ("with lifetimes", "call sites of pages", "idle CPUs", "by flags"),
}
LONG = ("behind helpers", "table of 16 rows")  # others try all that they try
TOGETHER = {
    "6.1": (),
    "6.12": (("by site", "in bulk", "source lines"),
             ("in bulk, with lifetimes", "by RCU", "resized in place", "slabinfo", "threads on all CPUs")),
    "7": (("with lifetimes", "idle CPUs"),),
}


def some_of(kernel):
    together = TOGETHER[kernel]
    joined = {name for names in together for name in names}
    alone = {*SOME[kernel]} if kernel in SOME else (
        {m.name for m in MEASUREMENTS} - {*LONG, *SOME["6.1"], *SOME["7"]})
    return [Together([m for m in MEASUREMENTS if m.name in names]) for names in together] + [
        m for m in MEASUREMENTS if m.name in alone - joined]


def chosen_of(asked):
    first = [Kills(100 if asked.long else 2), *NODES, NodeKills(20 if asked.long else 2)]
    if asked.long:
        first += [
            Measurement("ten million allocations", "--lifetime", f"{LOAD} 8 800011", truth.load(10000000)),
            Measurement("a long storm", "--lifetime", ops("storm 200003 120 20000"), truth.storm),
            Measurement("all behind helpers, with lifetimes", "--lifetime --skip help_*",
                        ops(*SITES, *LIVES, *HELPED), truth.behind("help_")),
            Measurement("table of 16 rows, all in bulk", "--lifetime --limit sites=16",
                        ops(*PLAIN, *BULK), truth.overflows("no_row")),
            Measurement("by NUMA node", "--by numa", ops("node 1009 140", "kmalloc 1013 78", "cache 1021"),
                        truth.split({"km_node": {"0": 1009}, "km_kmalloc": {"any": 1013},
                                     "km_cache_alloc": {"any": 1021}})),
        ]
    if asked.kernel == "6.12-debug":  # where another number of bytes is given
        first += [m for m in MEASUREMENTS if m.name != "by a key of four words"]
        return [m for m in first if asked.part in m.name]
    if asked.long or asked.part or asked.kernel not in (*SOME, "6.12"):
        return [m for m in first + MEASUREMENTS if asked.part in m.name]
    return some_of(asked.kernel) if asked.kernel in SOME else first + some_of(asked.kernel)


def parse(text):
    out, at = {}, None
    for line in text.splitlines():
        words = line.split()
        if line.startswith("@@given "):
            truth.given[int(words[1])] = int(words[2])
        elif line.startswith("@@ "):
            at = out.setdefault(int(words[1]), truth.Got())
        elif at is None or not words:
            continue
        else:
            at.take(line, words)
    return out


def prepare(kernel):
    """The module's path; what the guest needs is made."""
    subprocess.run(["make", "-s", "-C", TOP, LOAD.removeprefix(f"{TOP}/")], check=True)
    return subprocess.run([f"{HERE}/build-kmod", kernel, f"{TOP}/tests/kmod/kstats_memory"],
                          check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def debug_information(ko):
    """Puts the module where its source lines are looked for."""
    notes = subprocess.run(["readelf", "-n", ko], check=True, text=True, stdout=subprocess.PIPE)
    build = re.search("Build ID: ([0-9a-f]+)", notes.stdout).group(1)
    folder = f"/usr/lib/debug/.build-id/{build[:2]}"
    return f"mkdir -p {folder} && ln -s {ko} {folder}/{build[2:]}.debug"


# What each object of kmalloc's caches takes, where the kernel puts its own checks around it.
GIVEN = '''for f in /sys/kernel/slab/kmalloc-[0-9]*; do
echo "@@given $(cat $f/object_size) $(cat $f/slab_size)"; done'''


def run_guest(kernel, chosen):
    ko = prepare(kernel)
    adds = [w for path in (ko, LOAD, BPFTOOL, f"{HERE}/objects.sh") for w in ("-a", path)]
    lines = [debug_information(ko), f"KO={ko}; insmod $KO || exit 99", GIVEN, *[m.shell(i) for i, m in enumerate(chosen)],
             "[ ! -d /sys/module/kstats_memory ] || rmmod kstats_memory"]
    return subprocess.run([f"{HERE}/run", "-f", "-k", kernel, "-t", "7200", *adds, "--",
                           "\n".join(lines)],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def results(kernel, chosen, got):
    """Pairs: what should hold, what does not."""
    for i, m in enumerate(chosen):
        one = got.get(i)
        if not one or one.doc is None:
            yield m.name, ["no recording", *(one.failed if one else [])]
            continue
        one.kernel = kernel
        yield f"{m.name}: runs", one.failed + ([f"exit status {one.rc}"] if one.rc else [])
        for name, problems in m.check(one):
            yield f"{m.name}: {name}", problems


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("kernel", choices=(*ALL, "6.12-debug"))
    words.add_argument("part", nargs="?", default="", help="of the name of a measurement")
    words.add_argument("--long", action="store_true", help="more of everything")
    words.add_argument("--keep", help="write what the guest said to this file")
    asked = words.parse_args()
    chosen = chosen_of(asked)
    done = run_guest(asked.kernel, chosen)
    if asked.keep:
        with open(asked.keep, "w", encoding="utf-8") as f:
            f.write(done.stdout + "\n@@@ stderr\n" + done.stderr)
    rows = list(results(asked.kernel, chosen, parse(done.stdout)))
    ended = [] if done.returncode == 0 else [f"status {done.returncode}"]
    rows.append(("the guest ends well", ended))
    print(f"1..{len(rows)}")
    for i, (name, problems) in enumerate(rows, 1):
        print(f"{'not ok' if problems else 'ok'} {i} - {asked.kernel}: {name}"
              + "".join(f": {p}" for p in problems[:6]))
    bad = any(problems for _, problems in rows)
    if bad:
        print("# " + done.stderr[-3000:].replace("\n", "\n# "))
    return bad


if __name__ == "__main__":
    sys.exit(main())
