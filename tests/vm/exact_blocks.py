# SPDX-License-Identifier: GPL-2.0-only
"""Exactness cases of exact.py for slots in blocks, which a small --limit memory asks for."""

import functools

from exact_cases import PRIME, SHARE, SHARED, WHOLE, Wrong, case, exact, expect, ledger, node

MAP = tuple(f"{kernel} map" for kernel in ("6.1", "6.12", "7"))
MODULE = ("6.12 kmod", "7 kmod")
MIDDLE = ("6.12 map", "6.12 kmod")
# All slots of one distribution on two CPUs are 60 KiB.
SMALL = "-a --limit memory=48k"
EACH = PRIME if WHOLE else 1009
# Bytes: what a distribution takes on a CPU with the module, which is 8 more than without, and a
# block.
CELL, BLOCK = 312, 264
blocks = functools.partial(case, kernels=MAP + MODULE)


def pools(distributions):
    """The option by which each of two CPUs has eight blocks, and one of them holds no slots."""
    return f"-a --limit memory={2 * (distributions * CELL + 8 * BLOCK)}"


def no_room(report, name, n):
    """The samples that were not recorded had no room, and none is missing."""
    got = node(report, name)["ledger"]
    ledger(report, name, started=n, recorded=got["recorded"], no_room=n - got["recorded"],
           lost=n - got["recorded"])
    return n - got["recorded"]


def too_small(report, truth):
    """Each of 20 functions needs a block at least, and each CPU has seven."""
    lost = [no_room(report, f"kt_many_{i:02}", EACH) for i in range(20)]
    full = sum(n == EACH for n in lost)
    if full < 13:
        raise Wrong(f"only {full} functions without any room: {lost}")
    expect("without a block, all of them", lost[20 - full:], [EACH] * full)


def parts(report, truth):
    """Errors and gaps have blocks of their own."""
    expect("successes and errors", [node(report, f"kt_ret{of}")["samples"] for of in ("", ":error")],
           [PRIME - 1009, 1009])
    expect("gaps", node(report, "GAP-kt_ret")["samples"], PRIME - 1)
    ledger(report, "kt_ret", started=PRIME, recorded=PRIME)


def gaps_too_small(report, truth):
    """Seven blocks: what is missing is told of the calls and of the gaps."""
    n = 0
    for i in range(8):
        name = f"kt_many_0{i}"
        got = node(report, name)["ledger"]
        apart = EACH - 1 - node(report, f"GAP-{name}")["samples"]
        ledger(report, name, started=EACH, recorded=got["recorded"],
               no_room=EACH - got["recorded"], lost=EACH - got["recorded"], no_room_apart=apart)
        n += apart
    if n < EACH - 1:
        raise Wrong(f"only {n} gaps without room")


for method, kernels in (("fentry", MAP + MODULE), ("kprobe", MAP + MODULE),
                        ("kprobe-session", MAP[1:] + MODULE), ("fsession", MAP[2:] + MODULE[1:])):
    blocks(f"blocks, {method}, two CPUs at once", f"-m {method} kt_empty {SMALL}",
           [f"par empty {PRIME}"], exact("kt_empty", 2 * PRIME), kernels=kernels)
blocks("blocks, tasks that share the processors", f"kt_empty kt_empty_inl {SMALL}", SHARED,
       exact("kt_empty", 6 * SHARE))
blocks("blocks, a call in an interrupt of its own kind", f"-m fentry kt_nest {SMALL}",
       ["nest 503 1000"],
       lambda r, t: ledger(r, "kt_nest", started=t["kt_nest"][0], recorded=t["kt_nest"][0]))
blocks("blocks, one distribution of many functions", f"-m fentry 'kt_many_0?' --merge {SMALL}",
       ["par many 1009"], lambda r, t: expect("samples", r["nodes"][0]["samples"], 20180))
blocks("blocks, errors and gaps", f"-m fentry kt_ret --by 'ret < 0' --gap {SMALL}",
       [f"taskset 1 ret {PRIME} 1009"], parts, kernels=MIDDLE)
blocks("blocks, a pool that is too small", f"-m fentry 'kt_many_[01]?' {pools(20)}",
       [f"taskset 1 many {EACH}"], too_small, kernels=MIDDLE)
blocks("blocks, a pool that is too small for gaps",
       f"-m fentry 'kt_many_0[0-7]' --gap {pools(16)}",
       [f"taskset 1 many {EACH}"], gaps_too_small, kernels=MIDDLE)
