# SPDX-License-Identifier: GPL-2.0-only
"""More exactness cases of exact.py: each option has cases in which a small fault
shows. They do not differ by kernel or backend, so they run on one of each."""

import functools

from exact_cases import PRIME, Wrong, case, expect, ledger, node

once = functools.partial(case, kernels=("6.12 map",))

# ---- return values: each from -3 to 3, signed and unsigned, compared with -2 ----

ROUNDS = 53
for op, signed, unsigned in (("<", 1, 5), ("<=", 2, 6), ("==", 1, 1), ("!=", 6, 6),
                             (">=", 6, 2), (">", 5, 1)):
    once(f"return value {op} -2, signed and unsigned",
         f"-m fentry kt_ret kt_ret_u64 -a --if 'ret {op} -2'", [f"ret_range {ROUNDS}"],
         lambda r, t, signed=signed, unsigned=unsigned: [
             ledger(r, name, started=7 * ROUNDS, recorded=n * ROUNDS, ret=(7 - n) * ROUNDS)
             for name, n in (("kt_ret", signed), ("kt_ret_u64", unsigned))])
once("return value above those of 31 bits", "-m fentry kt_ret_u32 -a --if 'ret >= 0xfffffffe'",
     [f"ret_range {ROUNDS}"],
     lambda r, t: ledger(r, "kt_ret_u32", started=7 * ROUNDS, recorded=2 * ROUNDS,
                         ret=5 * ROUNDS))


def null_is_an_error(report, truth):
    """Every second pointer is NULL, and 1,009 of all are errors by number."""
    bad = sum(i % 2 == 0 or (i + 1) * 1009 // PRIME != i * 1009 // PRIME for i in range(PRIME))
    expect("good", node(report, "kt_ret_ptr")["samples"], PRIME - bad)
    expect("errors", node(report, "kt_ret_ptr:error")["samples"], bad)


once("split by return value, a pointer", "-m fentry kt_ret_ptr -a --by 'ret < 0'",
     [f"ret {PRIME} 1009"], null_is_an_error)

# ---- gaps: each function's into its own node, as long as they are ----

GAPS, GAP_NS = 211, 500000


def gaps(report, truth):
    """The module knows the gap of the first function, a little too short. Every other gap
    of the second function is the time between two calls in a row."""
    calls, sum_ns, least, most = truth["gap"]
    gap, other = node(report, "GAP-kt_empty"), node(report, "GAP-kt_empty_inl")
    expect("gaps", (calls, gap["samples"], other["samples"]), (GAPS - 1, GAPS - 1, 2 * GAPS - 1))
    if gap["sum_ns"]["hi"] < sum_ns or gap["min_ns"]["hi"] < least or gap["max_ns"]["hi"] < most:
        raise Wrong(f"gaps {gap['min_ns']} to {gap['max_ns']}, sum {gap['sum_ns']}; "
                    f"truth {truth['gap']}")
    if gap["sum_ns"]["lo"] > sum_ns + calls * GAP_NS:
        raise Wrong(f"sum of the gaps {gap['sum_ns']}, truth {sum_ns}")
    if other["quantiles_ns"]["p50"]["hi"] >= GAP_NS:
        raise Wrong(f"half of {other['name']} is short, p50 {other['quantiles_ns']['p50']}")
    for name, n in (("kt_empty", GAPS), ("kt_empty_inl", 2 * GAPS)):
        ledger(report, name, started=n, recorded=n)


once("gaps of two functions", "-m fentry kt_empty kt_empty_inl --gap",
     [f"taskset 1 gap {GAPS} {GAP_NS}"], gaps)
once("gaps beside errors", "-m fentry kt_ret --gap --by 'ret < 0'",
     [f"taskset 1 ret_range {ROUNDS}"],
     lambda r, t: expect("samples", [n["samples"] for n in r["nodes"]],
                         [4 * ROUNDS, 3 * ROUNDS, 7 * ROUNDS - 1]))

# The start of the outer call does not come after the end of the inner one.
once("gaps of nested calls", "-m fentry kt_recurse --gap", ["taskset 1 recurse 53 2 0"],
     lambda r, t: expect("gaps", node(r, "GAP-kt_recurse")["samples"], 52))

# ---- keys ----

# The end has the arguments in reverse order, so that a mix-up of two of them shows.
for m in ("fentry", "kprobe"):
    for start, end in ((1, 4), (2, 3), (5, 0)):
        once(f"{m} pair by key arg{start} to arg{end}",
             f"-m {m} --start 'kt_key_start[arg{start}]' --end 'kt_key_end[arg{end}]' -a -n P",
             [f"key {PRIME}"], lambda r, t: ledger(r, "P", started=PRIME, recorded=PRIME))
for index, width in enumerate((8, 16, 32)):
    once(f"pair by key of {width} bits",
         f"-m fentry --start kt_narrow_start --end kt_narrow_end -a --key arg{index} -n P",
         [f"key {PRIME}"], lambda r, t: ledger(r, "P", started=PRIME, recorded=PRIME))
OTHER = PRIME * 2 // 3
for m in ("fentry", "kprobe"):
    once(f"{m} pair by three parts of a key",
         f"-m {m} --start kt_narrow_start --end kt_narrow_end -a --key a,b,c -n P",
         [f"key {PRIME}"], lambda r, t: ledger(r, "P", started=PRIME, recorded=PRIME))
    # Two of three calls have another second part at the end.
    once(f"{m} pair by two parts of a key, of which one may differ",
         f"-m {m} --start 'kt_key_start[(u32)a,(u16)b]' --end 'kt_key_end[(u32)f,(u16)(e + f % 3)]' -a "
         "-n P", [f"key {PRIME}"],
         lambda r, t: ledger(r, "P", started=PRIME, recorded=PRIME - OTHER, unmatched=OTHER,
                             in_flight=OTHER))
    # As many have another first part, which is the upper half of what comes before a comma.
    once(f"{m} pair by three parts of a key, of which the first may differ",
         f"-m {m} --start 'kt_key_start[(u32)a,(u16)b,(u16)c]' "
         "--end 'kt_key_end[(u32)(f + f % 3),(u16)e,(u16)d]' -a -n P", [f"key {PRIME}"],
         lambda r, t: ledger(r, "P", started=PRIME, recorded=PRIME - OTHER, unmatched=OTHER,
                             in_flight=OTHER))

TWICE, TWICE_NS = 101, 1000000


def twice(report, truth):
    """The end belongs to the second start, so at least half the samples are short."""
    ledger(report, "P", started=2 * TWICE, recorded=TWICE, again=TWICE)
    if node(report, "P")["quantiles_ns"]["p50"]["hi"] >= TWICE_NS:
        raise Wrong(f"since the first start: p50 {node(report, 'P')['quantiles_ns']['p50']}")


once("a start that another one supersedes",
     "-m fentry --start kt_start --end kt_end -a --key arg0 -n P",
     [f"pair_twice {TWICE} {TWICE_NS}"], twice)

once("pair by key of a command, ended by a task of the kernel",
     "-m fentry --start kt_start --end kt_end --key arg0 -n P", [f"pair_cross {PRIME}"],
     lambda r, t: ledger(r, "P", started=PRIME, recorded=PRIME))

# ---- who ----

once("filter by the beginning of a task's name", "kt_empty -a --comm s", [f"empty {PRIME}"],
     lambda r, t: ledger(r, "kt_empty", started=0, recorded=0))
GROUP = "/sys/fs/cgroup/above"
once("filter by cgroup, one below it", f"kt_empty -a -c {GROUP}",
     [f"shell echo $$ > {GROUP}/below/cgroup.procs", f"empty {PRIME}"],
     lambda r, t: ledger(r, "kt_empty", started=PRIME, recorded=PRIME),
     before=f"shell mkdir -p {GROUP}/below")
once("filter by cgroup, the one above it", f"kt_empty -a -c {GROUP}/below",
     [f"shell echo $$ > {GROUP}/cgroup.procs", f"empty {PRIME}"],
     lambda r, t: ledger(r, "kt_empty", started=0, recorded=0),
     before=f"shell mkdir -p {GROUP}/below")
once("filter by cgroup, one beside it", f"kt_empty -a -c {GROUP}/below",
     [f"shell echo $$ > {GROUP}/beside/cgroup.procs", f"empty {PRIME}"],
     lambda r, t: ledger(r, "kt_empty", started=0, recorded=0),
     before=f"shell mkdir -p {GROUP}/below {GROUP}/beside")
