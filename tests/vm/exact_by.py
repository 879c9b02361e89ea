# SPDX-License-Identifier: GPL-2.0-only
"""Cases of exact.py for --by: each key has exactly its calls, by each method; keys that two CPUs
make at the same moment, and more keys than fit."""

from collections import Counter

from exact_cases import PRIME, case, expect, ledger, node
from exact_expr import CALLS, METHODS, Call

ERRORS = {-1: "-EPERM", -2: "-ENOENT", -3: "-ESRCH"}


def found(report, name):
    """The samples of each key of a node, and of those without one."""
    owner = next(i for i, n in enumerate(report["nodes"]) if n["name"] == name)
    keys = Counter()
    for n in report["nodes"]:
        if n["kind"] == "key" and n["owner"] == owner:
            expect(f"times {n['name']} is there", keys[tuple(n["by"].values())], 0)
            keys[tuple(n["by"].values())] += n["samples"]
    return keys, node(report, name)["samples"]


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
        keys, lost = account(key)
        case(f"by: {text}, {method}", f"-m {method} kt_expr -a --by '{text}'", [f"expr {CALLS}"],
             keys_are("kt_expr", keys, **lost), kernels=[f"{k} map" for k in kernels])

# Each return finds the key of its own entry. (Sessions have few returns in store for a CPU.)
for method, kernels in METHODS:
    case(f"by: depth of recursion, {method}", f"-m {method} kt_recurse -a --by depth",
         ["recurse 211 3 2000"],
         keys_are("kt_recurse", Counter({(str(n),): 211 for n in range(1, 4)})),
         kernels=[f"{k} map" for k in kernels])

MAPS = ("6.1 map", "6.12 map", "7 map")

case("by: keys from all CPUs at the same moment", "kt_empty -m fentry -a --by arg --max-keys 4001",
     ["par empty 4001"], keys_are("kt_empty", Counter({(str(i),): 2 for i in range(4001)})),
     kernels=MAPS)
case("by: keys from all CPUs at the same moment, in blocks",
     "kt_empty -m kprobe -a --by arg --max-keys 4001 --slot-memory 40M", ["par empty 4001"],
     keys_are("kt_empty", Counter({(str(i),): 2 for i in range(4001)})), kernels=MAPS[1:2])
case("by: more keys than fit", "kt_empty -m fentry -a --by arg --max-keys 101", ["empty 10007"],
     keys_are("kt_empty", Counter({(str(i),): 1 for i in range(101)}), other=PRIME - 101),
     kernels=MAPS)


def most_and_rest(report, truth):
    """Which keys come first is open, but all that come are kept, and nothing is lost."""
    keys, rest = found(report, "kt_empty")
    expect("keys", len(keys), 101)
    expect("samples", sum(keys.values()) + rest, 2 * 4001)
    expect("keys with other samples than one from each CPU", [k for k in keys.values() if k > 2], [])
    ledger(report, "kt_empty", started=2 * 4001, recorded=2 * 4001)


case("by: more keys than fit, from all CPUs", "kt_empty -m fentry -a --by arg --max-keys 101",
     ["par empty 4001"], most_and_rest, kernels=MAPS)
case("by: a condition, and by two functions", "kt_expr kt_empty -m fentry -a --if 'arg0 % 2' --by cpu*0",
     ["expr 1009", "empty 1009"],
     lambda r, t: (keys_are("kt_expr", Counter({("0",): 504}))(r, t),
                   keys_are("kt_empty", Counter({("0",): 504}))(r, t)), kernels=MAPS)
case("by: a parameter of the end of a pair",
     "-m kprobe --start kt_key_start --end kt_key_end -n pair -a --key arg0,arg5 --by 'f % 24'",
     [f"key {PRIME}"], keys_are("pair", Counter({(str(8 * (i % 3)),): (PRIME - i + 2) // 3
                                                  for i in range(3)})), kernels=MAPS)
