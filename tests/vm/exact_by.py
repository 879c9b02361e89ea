# SPDX-License-Identifier: GPL-2.0-only
"""Cases of exact.py for --by: each key has exactly its calls, by each method; keys that two CPUs
make at the same moment, and more keys than fit."""

import math
from collections import Counter

from exact_cases import PRIME, WHOLE, case, expect, ledger, node
from exact_expr import CALLS, METHODS, Call

ERRORS = {-1: "-EPERM", -2: "-ENOENT", -3: "-ESRCH"}


def places(kernels, module=True):
    """The map of each kernel; and the module where programs of all methods may call it."""
    return [f"{k} map" for k in kernels] + [f"{k} kmod" for k in kernels if module and k != "6.1"]


def found(report, name):
    """The samples of each key of a node, and of those without one."""
    owner = next(i for i, n in enumerate(report["nodes"]) if n["name"] == name)
    keys, rest = Counter(), 0
    for n in report["nodes"]:
        if n["kind"] == "key" and n["owner"] == owner:
            expect(f"times {n['name']} is there", keys[tuple(n["by"].values())], 0)
            keys[tuple(n["by"].values())] += n["samples"]
        elif n["kind"] == "other" and n["owner"] == owner:
            rest += n["samples"]
    expect("all keys together", node(report, name)["samples"], sum(keys.values()) + rest)
    return keys, rest


def keys_are(name, want, other=0, **lost):
    def check(report, truth):
        keys, rest = found(report, name)
        expect("keys", sorted(keys.items()), sorted(want.items()))
        expect("other", rest, other)
        n = sum(want.values()) + other
        ledger(report, name, started=n + sum(lost.values()), recorded=n,
               lost=sum(lost.values()), **lost)

    return check


def account(key):
    keys, lost = Counter(), Counter()
    for i in range(CALLS):
        try:
            keys[tuple(str(v) for v in key(Call(i)))] += 1
        except MemoryError:
            lost["unreadable"] += 1
    return keys, lost


def keys_by(key):
    """What account() says, which is asked where the case runs."""
    def check(report, truth):
        keys, lost = account(key)
        keys_are("kt_expr", keys, **lost)(report, truth)

    return check


MAPS = ("6.1 map", "6.12 map", "7 map")
BOTH = (*MAPS, "6.12 kmod", "7 kmod")

# What is asked, and the values. Parts are sorted by their names.
KEYS = (
    ("object->name", lambda c: [f"kt{c.of(c.i % 5)}"]),
    ("comm,ret", lambda c: ["sh", ERRORS.get(c.ret, c.ret)]),
    ("narrow / 16", lambda c: [c.narrow // 16]),
    ("text,large / 100", lambda c: [int(c.large / 100), c.text]),
    ("object->inner.label,object->sign,middle < -50",
     lambda c: [c.of(c.text), int(c.middle < -50), (c.i & 15 ^ 8) - 8]),
)

for method, kernels in METHODS:
    for text, key in KEYS[:2] if "session" in method else KEYS:
        case(f"by: {text}, {method}", f"-m {method} kt_expr -a --by '{text}'", [f"expr {CALLS}"],
             keys_by(key), kernels=places(kernels, text == KEYS[0][0]))

# How often the task left the processor. kt_sleep always does; of kt_planted every 37th call, and
# others by chance: the tracepoints of the scheduler know the same calls.
SLEEPS = 97


def left_are(all_of_them, least):
    def check(report, truth):
        n = node(report, "kt_planted")["samples"]
        expect("enough calls", n >= least, True)
        left = sum(n["samples"] for n in report["nodes"] if n["name"] == "kt_planted:left")
        expect("calls that left", left, n if all_of_them else 0)

    return check


def values_from_1(report, truth):
    sample = node(report, "kt_sleep")
    expect("samples", sample["samples"], SLEEPS)
    expect("each call left", sample["min"]["lo"] >= 1, True)


for method, kernels in (("fentry", MAPS), ("kprobe", ("6.12 map",))):
    case(f"by: some switches, {method}", f"-m {method} kt_sleep -a --by 'switches > 0 && switches < 1000'",
         [f"sleep {SLEEPS} 5000"], keys_are("kt_sleep", Counter({("1",): SLEEPS})), kernels=kernels)
    case(f"value switches, {method}", f"-m {method} kt_sleep -a --value switches",
         [f"sleep {SLEEPS} 5000"], values_from_1, kernels=("6.12 map",))
for text, all_of_them, least in (("switches > 0", True, 32), ("switches == 0", False, 1000)):
    case(f"if {text}", f"-m fentry kt_planted -a --parts --if '{text}'", ["planted 1201 0"],
         left_are(all_of_them, least), kernels=("6.1 map", "6.12 map"))

# Parameters and what comes with the return, and starts that are found by their CPU.
for method, kernels in (METHODS[0], METHODS[3]):
    for words, text, key in (
            ("", "narrow % 5,ret", lambda c: [c.narrow % 5, ERRORS.get(c.ret, c.ret)]),
            ("", "object->name,duration < 1000000000", lambda c: [1, f"kt{c.of(c.i % 5)}"]),
            ("--key cpu", "narrow % 5", lambda c: [c.narrow % 5])):
        if words and method == "fsession":
            continue
        case(f"by: {words} {text}, {method}, at the return",
             f"-m {method} kt_expr -a {words} --by '{text}'", [f"expr {CALLS}"],
             keys_by(key), kernels=places(kernels, "ret" in text))

# Each return finds the key of its own entry. (Sessions have few returns in store for a CPU.)
for method, kernels in METHODS:
    case(f"by: depth of recursion, {method}", f"-m {method} kt_recurse -a --by depth",
         ["recurse 211 3 2000"],
         keys_are("kt_recurse", Counter({(str(n),): 211 for n in range(1, 4)})),
         kernels=places(kernels))

# A return whose entry was dropped has no start, unless that may have been left out for its key.
for text, unmatched in (("depth", 503 * 5), ("depth / (depth | 1)", 0)):
    case(f"by: recursion 21 deep, {text}", f"-m fentry kt_recurse -a --by '{text}'",
         ["recurse 503 21 0"],
         lambda r, t, unmatched=unmatched: (
             expect("samples of keys", sum(found(r, "kt_recurse")[0].values()), 503 * 16),
             ledger(r, "kt_recurse", started=503 * 21, recorded=503 * 16, nested=503 * 5,
                    lost=503 * 5, unmatched=unmatched)), kernels=MAPS)

# ---- values by keys: what is sampled and the key, each of the entry, the end, or both ----

# The value, the key, and the same in Python. What cannot be read or is negative has no sample.
VALUES = (
    ("ret + 3", lambda c: c.ret + 3, "narrow / 16", lambda c: [c.narrow // 16]),
    ("wide", lambda c: c.wide, "text,large % 5",
     lambda c: [int(math.fmod(c.large, 5)), c.text]),
    ("object->small", lambda c: c.of(c.i % 251), "object->name",
     lambda c: [f"kt{c.of(c.i % 5)}"]),
    ("ret", lambda c: c.ret, "ret,comm", lambda c: ["sh", ERRORS.get(c.ret, c.ret)]),
    ("middle + 50", lambda c: c.middle + 50, "object->sign,narrow % 3",
     lambda c: [c.narrow % 3, c.of((c.i & 15 ^ 8) - 8)]),
)


def values_by(n, value, key):
    """Of each key the number of samples and their sum, and what was lost."""
    want, lost = {}, Counter()
    for call in map(Call, range(n)):
        try:
            v = value(call)
            if v < 0:
                lost["negative"] += 1
                continue
            of = tuple(map(str, key(call)))
            samples, total = want.get(of, (0, 0))
            want[of] = samples + 1, total + v
        except MemoryError:
            lost["unreadable"] += 1
    return want, lost


def values_are(n, value, key):
    def check(report, truth):
        want, lost = values_by(n, value, key)
        got = {}
        for of in (m for m in report["nodes"] if m["kind"] == "key" and m["samples"]):
            expect(f"the sum of {of['name']}, from", of["sum"]["lo"], of["sum"]["hi"])
            got[tuple(of["by"].values())] = of["samples"], of["sum"]["lo"]
        expect("samples and sums", sorted(got.items()), sorted(want.items()))
        expect("other", found(report, "kt_expr")[1], 0)
        ledger(report, "kt_expr", started=n, recorded=sum(k for k, _ in want.values()),
               negative=lost["negative"], unreadable=lost["unreadable"], lost=lost["unreadable"])

    return check


for method, kernels in METHODS:
    for text, value, by, key in VALUES[:1] if "session" in method else VALUES:
        case(f"by: value {text} by {by}, {method}",
             f"-m {method} kt_expr -a --value '{text}' --by '{by}'", [f"expr {PRIME}"],
             values_are(PRIME, value, key), kernels=places(kernels, method == "kprobe"))

# Each key comes once on each of two CPUs. A report of many takes long.
MANY_KEYS = 4001 if WHOLE else 1511
AT_ONCE = [f"par empty {MANY_KEYS}"]
TWO_EACH = keys_are("kt_empty", Counter({(str(i),): 2 for i in range(MANY_KEYS)}))
case("by: keys from all CPUs at the same moment",
     f"kt_empty -m fentry -a --by arg --limit keys={MANY_KEYS + 89}", AT_ONCE, TWO_EACH, kernels=BOTH)
case("by: keys from all CPUs at the same moment, in blocks",
     f"kt_empty -m kprobe -a --by arg --limit keys={MANY_KEYS + 89} --limit memory=40M", AT_ONCE,
     TWO_EACH, kernels=("6.12 map", "6.12 kmod", "7 kmod"))
case("by: more keys than fit", "kt_empty -m fentry -a --by arg --limit keys=101", ["empty 10007"],
     keys_are("kt_empty", Counter({(str(i),): 1 for i in range(101)}), other=PRIME - 101),
     kernels=BOTH)


# The module makes a node for each key where they are few; else one node has them all, in blocks.
case("by: more keys than fit, in blocks",
     "kt_empty -m fentry -a --by arg --limit keys=101 --limit memory=400k",
     ["empty 10007"], keys_are("kt_empty", Counter({(str(i),): 1 for i in range(101)}),
                               other=PRIME - 101), kernels=BOTH[1:])
case("by: more keys than the module makes nodes for, in blocks",
     "kt_empty -m fentry -a -b 0 --by arg --limit keys=1500",
     ["empty 1471"], keys_are("kt_empty", Counter({(str(i),): 1 for i in range(1471)})),
     kernels=BOTH[3:])


def most_and_rest(report, truth):
    """Which keys come first is open, but all that come are kept, and nothing is lost. A key that
    comes on both CPUs at the same moment takes two of the 101 places: once is likely, and more
    than three times is not."""
    keys, rest = found(report, "kt_empty")
    expect("keys", len(keys), min(max(len(keys), 98), 101))
    expect("samples", sum(keys.values()) + rest, 2 * 4001)
    expect("keys with other samples than one from each CPU", [k for k in keys.values() if k > 2], [])
    ledger(report, "kt_empty", started=2 * 4001, recorded=2 * 4001)


case("by: more keys than fit, from all CPUs", "kt_empty -m fentry -a --by arg --limit keys=101",
     ["par empty 4001"], most_and_rest, kernels=BOTH)
# Two functions have this key at the same place of the table, and these many are at the next ones.
SAME, NEXT = ("0", "23680"), 1597
case("by: a condition, and by two functions",
     f"kt_expr kt_empty -m fentry -a --if 'arg0 % 2' --by 'cpu*0,cpu*0+{SAME[1]}'",
     ["expr 1009", "empty 1009"],
     lambda r, t: (keys_are("kt_expr", Counter({SAME: 504}))(r, t),
                   keys_are("kt_empty", Counter({SAME: 504}))(r, t)), kernels=BOTH)
case("by: keys at one place", f"kt_empty -m fentry -a --by 'arg * {NEXT}'", ["empty 79", "empty 79"],
     keys_are("kt_empty", Counter({(str(NEXT * i),): 2 for i in range(79)})), kernels=BOTH)
case("by: a parameter of the end of a pair",
     "-m kprobe --start 'kt_key_start[arg0]' --end 'kt_key_end[arg5]' -n pair -a --by 'f % 24'",
     [f"key {PRIME}"], keys_are("pair", Counter({(str(8 * (i % 3)),): (PRIME - i + 2) // 3
                                                  for i in range(3)})), kernels=BOTH)
