# SPDX-License-Identifier: GPL-2.0-only
"""The exactness cases of exact.py: a name, the words after `kstats-bpf trace`, what
is done meanwhile (lines OP ARGUMENTS for the test module), and a check of the report. The
environment may set CALLS, how many calls are many (60,013; a million in `make test-long`),
FUNCTIONS, how many functions a glob names by most methods (10; a hundred there), and KSTATS_WHOLE,
as there: then cases make more calls than it takes to show what they are about."""

import functools
import os

DIR = "/sys/kernel/debug/kstats_target"
KEY_PLACES = 7 << 15  # of the table of keys
PRIME = 10007
MANY = int(os.environ.get("CALLS", 60013))
FEWER = int(os.environ.get("FUNCTIONS", 10))
WHOLE = os.environ.get("KSTATS_WHOLE")

ALL = ("6.1", "6.12", "7")
cases = []


def case(name, words, ops, check, before="", after="", kernels=ALL):
    cases.append((name, words, ops, check, before, after, kernels))


class Wrong(Exception):
    pass


def expect(what, got, want):
    if got != want:
        raise Wrong(f"{what}: {got}, expected {want}")


def node(report, name):
    for n in report["nodes"]:
        if n["name"] == name:
            return n
    raise Wrong(f"no node {name}, only {[n['name'] for n in report['nodes']]}")


def ledger(report, name, **want):
    """Every counter not named must be 0, and the account must balance. The kernel may
    skip some ends, such as kretprobes that it has no instance for."""
    got = node(report, name)["ledger"]
    for key in set(got) | set(want):
        if key not in ("recorded", "skipped_ends") or key in want:
            expect(f"{name} {key} of {got}", got.get(key, 0), want.get(key, 0))


def exact(name, n, **more):
    def check(report, truth):
        ledger(report, name, started=n, recorded=n, **more)

    return check


def sums(name, truth_name, slack_ns):
    """The samples hold all the time that was spent inside, and little more."""

    def check(report, truth):
        calls, sum_ns, least, most = truth[truth_name]
        n = node(report, name)
        ledger(report, name, started=calls, recorded=calls)
        if n["sum_ns"]["hi"] < sum_ns:
            raise Wrong(f"{name}: sum at most {n['sum_ns']['hi']}, truth {sum_ns}")
        if n["sum_ns"]["lo"] > sum_ns + calls * slack_ns:
            raise Wrong(f"{name}: sum at least {n['sum_ns']['lo']}, truth {sum_ns}")
        if n["min_ns"]["hi"] < least or n["max_ns"]["hi"] < most:
            raise Wrong(f"{name}: min {n['min_ns']} max {n['max_ns']}, truth {least} {most}")

    return check


def both(*checks):
    def check(report, truth):
        for c in checks:
            c(report, truth)

    return check


def plan_method(label, check):
    def wrapped(report, truth):
        for n in report["nodes"]:
            if label not in n["method"]:
                raise Wrong(f"method {n['method']}, expected {label}")
        check(report, truth)

    return wrapped


def too_deep(times, depth):
    """A task has 16 stamps."""
    nested = times * max(0, depth - 16)

    return lambda report, truth: ledger(report, "kt_recurse", started=times * depth,
                                        recorded=times * depth - nested, nested=nested,
                                        lost=nested, unmatched=nested)


def all_told(name, calls):
    """What is not recorded is told to be lost: in flight or ended inside is none of them."""

    def check(report, truth):
        got = node(report, name)["ledger"]
        expect("recorded and lost", got["recorded"] + got["lost"], calls)
        expect("lost", got["lost"], got["started"] - got["recorded"] + got["skipped"])
        expect("balance", got["balance"], 0)

    return check


def pool(name, calls, recorded):
    """Up to 6.13 the kernel keeps the words of session calls in a pool, here of 4, and
    counts the calls that found it empty."""

    def check(report, truth):
        got = node(report, name)["ledger"]
        expect("started and skipped", got["started"] + got["skipped"], calls)
        if not got["skipped"]:
            raise Wrong("nothing skipped")
        ledger(report, name, started=got["started"], skipped=got["skipped"],
               lost=got["skipped"], recorded=got["started"] if recorded else 0,
               no_end=0 if recorded else got["started"])

    return check


def mixed(report, truth):
    got = node(report, "P")
    expect("recorded", got["ledger"]["recorded"], 101)
    expect("balance", got["ledger"]["balance"], 0)
    if "tp_btf" not in got["method"] and "trace event" not in got["method"]:
        raise Wrong(f"method {got['method']}")


def value(ns, more):
    """Half the calls and more take what they are told, and a little for the probe; and
    whatever else the machine did meanwhile, of which the truth knows: of calls of some
    mean, half are not further from the least of them than twice the mean is."""

    def check(report, truth):
        calls, sum_ns, least, _ = truth["kt_busy"]
        n = node(report, "kt_busy")
        p50 = n["quantiles_ns"]["p50"]
        most = least + 2 * (sum_ns / calls - least) + more
        if not (p50["hi"] >= ns and p50["lo"] <= most):
            raise Wrong(f"busy for {ns} ns, at most {most}, p50 {p50}")
        if not (n["min_ns"]["hi"] >= ns and n["min_ns"]["lo"] <= least + more):
            raise Wrong(f"busy for {ns} ns, at least {least}, min {n['min_ns']}")
        if p50["hi"] - p50["lo"] > p50["lo"] / 16:
            raise Wrong(f"busy for {ns} ns, p50 {p50}")

    return check


SLACK = 300000  # an emulated processor, shared: what one traced call may add

def up(name):
    """A row of the module's own counts: hundredths of a second since the boot."""
    return f"shell awk '{{ print \"{name}\", int($1 * 100), 0, 0, 0 }}' /proc/uptime"


def thousand(report, truth):
    """Every function goes by one link, and none of their calls is lost. How long that takes is
    told; what took a link each would take a hundred times as long."""
    run, ran, begin, end = (truth[f"up_{n}"][0] / 100 for n in ("run", "ran", "begin", "end"))
    n = len(report["nodes"])
    print(f"# {n} functions: {run - begin:.1f} s until all are attached, {end - ran:.1f} s"
          " until all is told and detached")
    if n < 1000:
        raise Wrong(f"only {n} functions")
    for i in range(100):
        # Elsewhere an interrupt may hit the program inside itself; nobody knows where.
        shared = node(report, f"kt_many_{i:02}")["ledger"].get("skipped_shared", 0)
        ledger(report, f"kt_many_{i:02}", started=101, recorded=101, skipped_shared=shared)
        if "kprobe session" not in node(report, f"kt_many_{i:02}")["method"]:
            raise Wrong(f"method {node(report, f'kt_many_{i:02}')['method']}")
    if not 1 <= truth["links"][0] <= 20:
        raise Wrong(f"{truth['links'][0]} links")


def globbed(method):
    """How many functions one glob names. Attached one by one, as by all methods but one, 100 take
    half a minute."""
    return 100 if method == "kprobe-session" else FEWER


for n in (10, 11, 60, 1000):
    case(f"{n} asleep at once", "kt_block -a", [f"block {n}", "unblock 0"], exact("kt_block", n))
for deep, where in ((16, ALL), (17, ALL), (100, ("7",))):
    case(f"recursion {deep} deep by any method", "kt_recurse -a", [f"recurse 101 {deep} 0"],
         all_told("kt_recurse", 101 * deep), kernels=where)

METHODS = {
    "fentry": ("fentry/fexit", ALL),
    "kprobe": ("kprobe/kretprobe", ALL),
    "fsession": ("fsession", ("7",)),
    "kprobe-session": ("kprobe session", ("6.12", "7")),
}

for m, (label, kernels) in METHODS.items():
    add = functools.partial(case, kernels=kernels)
    ok = functools.partial(plan_method, label)
    in_call = m in ("fsession", "kprobe-session")
    # A stamp that lies with the call does not tell why there was no end.
    gone, flying = ("no_end", "no_end") if in_call else ("task_gone", "in_flight")

    add(f"{m} by task", f"-m {m} kt_empty -a", [f"empty {PRIME}"], ok(exact("kt_empty", PRIME)))
    add(f"{m} only the command", f"-m {m} kt_empty", [f"empty {PRIME}"],
        ok(exact("kt_empty", PRIME)))
    add(f"{m} two CPUs at once", f"-m {m} kt_empty -a", [f"par empty {PRIME}"],
        ok(exact("kt_empty", 2 * PRIME)))
    add(f"{m} module:function", f"-m {m} kstats_target:kt_empty -a", [f"empty {PRIME}"],
        ok(exact("kt_empty", PRIME)))
    add(f"{m} static function", f"-m {m} kt_static_fn -a", [f"static {PRIME}"],
        ok(exact("kt_static_fn", PRIME)))
    if m == "kprobe-session":
        add = functools.partial(case, kernels=("6.12",))
        add(f"{m} more calls open than the kernel has room for", f"-m {m} kt_recurse -a",
            ["recurse 1433 7 1000"], ok(pool("kt_recurse", 1433 * 7, True)))
        add(f"{m} more tasks end inside than the kernel has room for",
            f"-m {m} kt_never_returns -a", ["noreturn 101"],
            ok(pool("kt_never_returns", 101, False)))
        add(f"{m} more in progress at detach than the kernel has room for",
            f"-m {m} kt_block -a", ["block 7"], ok(pool("kt_block", 7, False)), after="unblock 0")
        add(f"{m} a glob, more calls open than the kernel has room for",
            f"-m {m} 'kt_recurse' kt_empty -a", ["recurse 503 21 0"],
            ok(lambda r, t: ledger(r, "kt_recurse", started=503 * 4, recorded=503 * 4,
                                   skipped=503 * 17, lost=503 * 17)))
        for n in (10, 11, 60, 1000):
            add(f"{m} {n} asleep at once, with less room", f"-m {m} kt_block -a",
                [f"block {n}", "unblock 0"], ok(all_told("kt_block", n)))
        add = functools.partial(case, kernels=("7",))
    add(f"{m} recursion 7 deep", f"-m {m} kt_recurse -a", ["recurse 1433 7 1000"],
        ok(sums("kt_recurse", "kt_recurse", SLACK)))
    if in_call:
        for depth in (16, 17, 21):
            add(f"{m} recursion {depth} deep", f"-m {m} kt_recurse -a",
                [f"recurse 503 {depth} 0"], ok(exact("kt_recurse", 503 * depth)))
    else:
        for depth in (16, 17, 21) if m == "fentry" else (16, 17, 21, 100):
            add(f"{m} recursion {depth} deep loses by name", f"-m {m} kt_recurse -a",
                [f"recurse 503 {depth} 0"], ok(too_deep(503, depth)))
    if m == "kprobe-session":
        for a in ("-a", ""):
            add(f"{m} recursion 100 deep is told to be lost{a and ', by anybody'}",
                f"-m {m} kt_recurse {a}", ["recurse 101 100 0"], ok(all_told("kt_recurse", 10100)))
    for n in (10, 11, 60, 1000):
        # Many tasks that wake at once preempt each other, on 7 also inside these programs.
        check = all_told if m in ("fentry", "fsession") else exact
        add(f"{m} {n} asleep at once", f"-m {m} kt_block -a", [f"block {n}", "unblock 0"],
            ok(check("kt_block", n)))
    add(f"{m} tasks that end inside", f"-m {m} kt_never_returns -a", ["noreturn 101"],
        ok(lambda r, t, gone=gone: ledger(r, "kt_never_returns", started=101, recorded=0,
                                          **{gone: 101})))
    add(f"{m} in progress at detach", f"-m {m} kt_block -a", ["block 7"],
        ok(lambda r, t, flying=flying: ledger(r, "kt_block", started=7, recorded=0,
                                              **{flying: 7})),
        after="unblock 0")
    add = functools.partial(case, kernels=kernels)
    if in_call:
        add(f"{m} in progress at detach, few", f"-m {m} kt_block -a", ["block 3"],
            ok(lambda r, t: ledger(r, "kt_block", started=3, recorded=0, no_end=3)),
            after="unblock 0")
        add(f"{m} many calls", f"-m {m} kt_empty -a", [f"empty {MANY}"],
            ok(exact("kt_empty", MANY)))
    add(f"{m} busy for 2 ms", f"-m {m} kt_busy -a", ["busy 307 2000000"],
        ok(value(2000000, 60000)))
    add(f"{m} busy for 100 us", f"-m {m} kt_busy -a", ["busy 1009 100000"],
        ok(value(100000, 20000)))
    add(f"{m} sleep", f"-m {m} kt_sleep -a", ["sleep 211 2000"],
        ok(sums("kt_sleep", "kt_sleep", 20 * SLACK)))
    add(f"{m} migration", f"-m {m} kt_migrate -a", ["migrate 503 2000"],
        ok(sums("kt_migrate", "kt_migrate", 20 * SLACK)))
    add(f"{m} interrupt inside", f"-m {m} kt_outer kt_irq_work -a", ["irq 1009 1000"],
        ok(both(sums("kt_outer", "kt_outer", 4 * SLACK),
                sums("kt_irq_work", "kt_irq_work", SLACK))))
    add(f"{m} same function nested by interrupt", f"-m {m} kt_nest -a", ["nest 1009 1000"],
        ok(sums("kt_nest", "kt_nest", 4 * SLACK)))
    add(f"{m} split by return value", f"-m {m} kt_ret kt_ret_ptr -a --by 'ret < 0'",
        [f"ret {PRIME} 1009"],
        ok(lambda r, t: [expect(f, (node(r, f)["samples"], node(r, f + ":error")["samples"],
                                    node(r, f)["ledger"]["balance"]), want)
                         for f, want in (("kt_ret", (PRIME - 1009, 1009, 0)),)]))
    add(f"{m} filter by return value", f"-m {m} kt_ret -a --if 'ret == -EIO'", [f"ret {PRIME} 1009"],
        ok(lambda r, t: ledger(r, "kt_ret", started=PRIME, recorded=1009, ret=PRIME - 1009)))
    add(f"{m} filter by unsigned value", f"-m {m} kt_ret_u32 -a --if 'ret == 0xfffffffb'",
        [f"ret {PRIME} 1009"],
        ok(lambda r, t: ledger(r, "kt_ret_u32", started=PRIME, recorded=1009,
                               ret=PRIME - 1009)))
    add(f"{m} filter by duration", f"-m {m} kt_busy -a --if 'duration >= 1s'", ["busy 1009 100"],
        ok(lambda r, t: ledger(r, "kt_busy", started=1009, recorded=0, short=1009)))
    # A call that was not hooked at its entry makes no event at its return.
    add(f"{m} in progress at attach", f"-m {m} kt_block -a", ["unblock 0"],
        ok(lambda r, t: ledger(r, "kt_block", started=0, recorded=0)), before="block 7")
    n = globbed(m)
    glob = "kt_many_*" if n == 100 else f"kt_many_[0-{n // 10 - 1}]?"
    add(f"{m} a glob of {n}", f"-m {m} '{glob}' -a --limit functions={n}", ["many 101"],
        ok(lambda r, t, n=n: [ledger(r, f"kt_many_{i:02}", started=101, recorded=101)
                              for i in range(n)]))
    add(f"{m} a glob merged", f"-m {m} 'kt_many_0*' -a --merge", ["many 1009"],
        ok(lambda r, t: expect("samples", r["nodes"][0]["samples"], 10090)))
    add(f"{m} gap", f"-m {m} kt_empty --gap", [f"taskset 1 empty {PRIME}"],
        ok(lambda r, t: expect("gaps", node(r, "GAP-kt_empty")["samples"], PRIME - 1)))

for label, words, kernels in (("fentry/fexit", "", ("6.1", "6.12")), ("kprobe session", "", ("7",)),
                              ("fsession", "-m fast", ("7",))):
    case(f"by itself, {label}", f"kt_empty -a {words}", [f"empty {PRIME}"],
         plan_method(label, exact("kt_empty", PRIME)), kernels=kernels)

# Stubs of the module: each call keeps its start in its own frame.
KMOD = ("6.1 kmod", "6.12 kmod", "7 kmod")
add = functools.partial(case, kernels=KMOD)
ok = functools.partial(plan_method, "direct")
add("direct", "-m direct kt_empty -a", [f"empty {PRIME}"], ok(exact("kt_empty", PRIME)))
add("direct two CPUs at once", "-m direct kt_empty -a", [f"par empty {PRIME}"],
    ok(exact("kt_empty", 2 * PRIME)))
add("direct static function of a module", "-m direct kstats_target:kt_static_fn -a",
    [f"static {PRIME}"], ok(exact("kt_static_fn", PRIME)))
add("direct recursion 7 deep", "-m direct kt_recurse -a", ["recurse 1433 7 1000"],
    ok(sums("kt_recurse", "kt_recurse", SLACK)))
add("direct recursion 21 deep", "-m direct kt_recurse -a", ["recurse 503 21 0"],
    ok(exact("kt_recurse", 503 * 21)))
add("direct in progress at detach", "-m direct kt_block -a", ["block 7"],
    ok(lambda r, t: ledger(r, "kt_block", started=7, recorded=0, in_flight=7)),
    after="unblock 0")
add("direct in progress at attach", "-m direct kt_block -a", ["unblock 0"],
    ok(lambda r, t: ledger(r, "kt_block", started=0, recorded=0)), before="block 7")
add("direct many calls", "-m direct kt_empty -a", [f"empty {MANY}"], ok(exact("kt_empty", MANY)))
add("direct busy for 2 ms", "-m direct kt_busy -a", ["busy 307 2000000"], ok(value(2000000, 60000)))
add("direct busy for 100 us", "-m direct kt_busy -a", ["busy 1009 100000"],
    ok(value(100000, 20000)))
add("direct sleep", "-m direct kt_sleep -a", ["sleep 211 2000"],
    ok(sums("kt_sleep", "kt_sleep", 20 * SLACK)))
add("direct migration", "-m direct kt_migrate -a", ["migrate 503 2000"],
    ok(sums("kt_migrate", "kt_migrate", 20 * SLACK)))
add("direct interrupt inside", "-m direct kt_outer kt_irq_work -a", ["irq 1009 1000"],
    ok(both(sums("kt_outer", "kt_outer", 4 * SLACK), sums("kt_irq_work", "kt_irq_work", SLACK))))
add("direct same function nested by interrupt", "-m direct kt_nest -a", ["nest 1009 1000"],
    ok(sums("kt_nest", "kt_nest", 4 * SLACK)))
add(f"direct a glob of {FEWER}", f"-m direct 'kt_many_[0-{FEWER // 10 - 1}]?' -a", ["many 101"],
    ok(lambda r, t: [ledger(r, f"kt_many_{i:02}", started=101, recorded=101)
                     for i in range(FEWER)]))
# Filters: who is measured is decided when a call begins.
CALLER = (f"until [ -e /tmp/go ]; do usleep 50000; done; echo {PRIME} > {DIR}/empty; "
          f"(echo 1009 > {DIR}/empty) & wait; : > /tmp/went")
LET_IT = "shell : > /tmp/go; until [ -e /tmp/went ]; do usleep 50000; done; rm -f /tmp/go /tmp/went"
add("direct only the command", "-m direct kt_empty", [f"empty {PRIME}"],
    ok(exact("kt_empty", PRIME)))
add("direct children of the command", "-m direct kt_empty kt_static_fn",
    [f"shell (echo 1009 > {DIR}/empty; echo 499 > {DIR}/static) & wait; "
     f"sh -c 'echo 2003 > {DIR}/empty' & wait"],
    ok(both(exact("kt_empty", 1009 + 2003), exact("kt_static_fn", 499))))
add("direct other tasks than the command", "-m direct kt_empty",
    [f"empty {PRIME}", LET_IT], ok(exact("kt_empty", PRIME)), before=f"shell ({CALLER}) &")
# The numbers of its children are not in the list.
add("direct filter by processes", "-m direct kt_empty kt_static_fn -p $$,$(cat /tmp/pid) -a",
    [LET_IT, f"static {PRIME}"],
    ok(both(exact("kt_empty", PRIME), exact("kt_static_fn", 0))),
    before=f"shell ({CALLER}) & echo $! > /tmp/pid")
# Two processes, one after the other, with the same number.
NUMBER = ("until [ $pid = $(cat /tmp/pid) ]; do echo $(($(cat /tmp/pid) - 1)) > "
          "/proc/sys/kernel/ns_last_pid; (until [ -e /tmp/go ]; do usleep 50000; done; "
          f"echo 503 > {DIR}/empty) & pid=$!; [ $pid = $(cat /tmp/pid) ] || kill $pid; done")
add("direct a number that another process gets", "-m direct kt_empty -p $(cat /tmp/pid) -a",
    [LET_IT, "shell while [ -e /proc/$(cat /tmp/pid) ]; do usleep 50000; done; "
     f"pid=0; {NUMBER}; : > /tmp/go; wait; rm /tmp/go"],
    ok(exact("kt_empty", PRIME)), before=f"shell ({CALLER}) & echo $! > /tmp/pid")
add("direct filter by CPU", "-m direct kt_empty -a -C 1", [f"par empty {PRIME}"],
    ok(exact("kt_empty", PRIME)))
add("direct filter by CPU, the other", "-m direct kt_empty -C 0,7-9",
    [f"taskset 2 empty {PRIME}"], ok(exact("kt_empty", 0)))
# Each call begins where the one before it ended.
add("direct filter by CPU, migration inside", "-m direct kt_migrate -C 0", ["migrate 502 2000"],
    ok(exact("kt_migrate", 251)))
# What a function takes and returns passes through the stub.
add("direct arguments and results", "-m direct kt_wide -a", [f"wide {PRIME}"],
    ok(exact("kt_wide", PRIME)))
add("direct functions with results", "-m direct kt_ret kt_ret_ptr kt_ret_u64 -a",
    [f"ret {PRIME} 1009", "ret_range 101"],
    ok(lambda r, t: [expect(f, node(r, f)["ledger"]["recorded"], n) for f, n in
                     (("kt_ret", PRIME + 7 * 101), ("kt_ret_ptr", PRIME),
                      ("kt_ret_u64", 7 * 101))]))

# Tasks share the processors, and are preempted wherever the kernel preempts.
SHARE, STAMPS = (40009, 10 * PRIME) if WHOLE else (20011, 5 * PRIME)
SHARED = [f"shell for i in 1 2 3 4 5 6; do echo {SHARE} > {DIR}/empty & done; wait"]
case("by itself, tasks that share the processors", "kt_empty -a", SHARED,
     exact("kt_empty", 6 * SHARE))
case("by itself, per CPU, tasks that share the processors", "kt_empty -a --key cpu", SHARED,
     lambda r, t: expect("started", node(r, "kt_empty")["ledger"]["started"], 6 * SHARE))
case("by itself, a pair, tasks that share the processors", "--start kt_empty --end kt_args8 -a -n P",
     SHARED, lambda r, t: expect("started", node(r, "P")["ledger"]["started"], 6 * SHARE))

for m in ("fentry", "kprobe"):
    ok = functools.partial(plan_method, m)
    case(f"{m} per CPU", f"-m {m} kt_empty -a --key cpu", [f"par empty {PRIME}"],
         ok(exact("kt_empty", 2 * PRIME)))
    case(f"{m} pair by task", f"-m {m} --start kt_start --end kt_end -a", [f"pair {PRIME} 1000"],
         ok(sums("kt_start..kt_end", "pair", SLACK)))
    case(f"{m} pair nested 5 deep", f"-m {m} --start kt_start --end kt_end -a -n P",
         ["pair_nest 2003 5"], ok(exact("P", 10015)))
    case(f"{m} pair per CPU", f"-m {m} --start kt_start --end kt_end -a --key cpu -n P",
         [f"taskset 1 pair {PRIME} 0"], ok(exact("P", PRIME)))
    case(f"{m} pair by key", f"-m {m} --start kt_start --end kt_end -a --key arg0 -n P",
         [f"pair_cross {PRIME}"], ok(exact("P", PRIME)))
    case(f"{m} pair by key, starts without end",
         f"-m {m} --start kt_start --end kt_end -a --key arg0 -n P", ["pair_lost 1009"],
         ok(lambda r, t: ledger(r, "P", started=1009, recorded=0, in_flight=1009)))
    # The first call is an end without a start, the last one a start without an end.
    case(f"{m} pair by key, an end without start",
         f"-m {m} --start kt_end --end kt_start -a --key arg0 -n P", ["pair 1009 0"],
         ok(lambda r, t: ledger(r, "P", started=1009, recorded=1008, unmatched=1,
                                in_flight=1)))
    case(f"{m} pair by key, an end without start begins a gap",
         f"-m {m} --start kt_end --end kt_start -a --key arg0 -n P --gap",
         ["taskset 1 pair 1009 0"],
         ok(lambda r, t: expect("gaps", node(r, "GAP-P")["samples"], 1009)))
    case(f"{m} pair by key, more keys than places",
         f"-m {m} --start kt_empty --end kt_end -a --key arg0 -n P", ["empty 300000"],
         ok(lambda r, t: ledger(r, "P", started=300000, recorded=0, full=300000 - KEY_PLACES,
                                lost=300000 - KEY_PLACES, in_flight=KEY_PLACES)))
    case(f"{m} starts without end, by task", f"-m {m} --start kt_start --end kt_end -a -n P",
         ["pair_lost 1009"],
         ok(lambda r, t: expect("account", (node(r, "P")["ledger"]["started"],
                                            node(r, "P")["ledger"]["recorded"],
                                            node(r, "P")["ledger"]["balance"],
                                            node(r, "P")["ledger"]["nested"]),
                                (1009, 0, 0, 1009 - 16))))
    case(f"{m} starts without end, per CPU",
         f"-m {m} --start kt_start --end kt_end -a --key cpu -n P", ["taskset 1 pair_lost 1009"],
         ok(lambda r, t: ledger(r, "P", started=1009, recorded=0, again=1008,
                                in_flight=1)))
    # Every write is a system call that calls the function once; the shell makes others too.
    case(f"{m} tracepoint to function, mixed",
         f"-m {m} --start tp:raw_syscalls:sys_enter --end kt_empty -n P",
         [f"shell i=0; while [ $i -lt 101 ]; do echo 1 > {DIR}/empty; i=$((i + 1)); done"],
         ok(mixed))

# Both halves of what looks like one long call were missed; the counts tell.
case("kprobe pair by key, an end and a start missed inside another kprobe",
     "-m kprobe --start kt_start --end kt_end -a --key arg0 -n P", ["pair_missed 1009 1000"],
     ok(lambda r, t: ledger(r, "P", started=1009, recorded=0, unverified=1009, skipped=1009,
                            lost=2018)))

TP_PAIR = "--start tp:kstats_target:kt_tp_start --end __tracepoint_kt_tp_end -a -n P"
# Where the kernel preempts tasks inside programs on tracepoints, by itself it is the
# trace event that does not.
for words, what, method in (("", "by task", "trace event"), ("--key cpu", "per CPU", "trace event"),
                            ("--key arg0", "by key", "tp_btf")):
    case(f"tracepoint pair {what}", f"{TP_PAIR} {words}", [f"taskset 1 tp {PRIME} 0"],
         plan_method("tp_btf", exact("P", PRIME)), kernels=("6.1", "6.12"))
    case(f"tracepoint pair {what}", f"{TP_PAIR} {words}", [f"taskset 1 tp {PRIME} 0"],
         plan_method(method, exact("P", PRIME)), kernels=("7",))
for words, method in (("-m trace-event", "trace event"), ("-m tp_btf", "tp_btf"),
                      ("-m trace-event --key cpu", "trace event")):
    case(f"tracepoint pair, {words}", f"{TP_PAIR} {words}", [f"taskset 1 tp {PRIME} 0"],
         plan_method(method, exact("P", PRIME)))
case("tracepoint pair, -m trace-event, gap", f"{TP_PAIR} -m trace-event --gap",
     [f"taskset 1 tp {PRIME} 0"],
     lambda r, t: expect("gaps", node(r, "GAP-P")["samples"], PRIME - 1))
for words, method in (("", ""), ("-m trace-event", "trace event")):
    case(f"tracepoint pair nested 5 deep {words}", f"{TP_PAIR} {words}", ["tp_nest 2003 5"],
         plan_method(method, exact("P", 10015)))
    # An end that lands in a start would be told as skipped; these are made by tasks only.
    case(f"tracepoint pair of tasks that share a CPU {words}", f"{TP_PAIR} {words}",
         ["shell for i in 1 2 3; do taskset 1 sh -c "
          f"'echo {STAMPS} 0 > {DIR}/tp' & done; wait"],
         plan_method(method, exact("P", 3 * STAMPS)))


def skipped_starts(report, truth):
    """Calls that tp_btf loses because tasks are preempted in it are all counted."""
    got = node(report, "P")
    expect("calls", got["ledger"]["started"] + got["ledger"]["skipped"], truth["kt_tp"][0])
    expect("balance", got["ledger"]["balance"], 0)
    if not got["ledger"]["skipped"] or "may lose calls" not in got["reason"]:
        raise Wrong(f"{got['reason']}: {got['ledger']}")


case("tracepoint pair of tasks that share a CPU, -m tp_btf", f"{TP_PAIR} -m tp_btf",
     ["shell for i in 1 2 3; do taskset 1 sh -c "
      f"'echo {STAMPS} 0 > {DIR}/tp' & done; wait"], skipped_starts, kernels=("7",))
# Without trace events only tp_btf is left, and the report says why.
case("tracepoint pair without tracefs", TP_PAIR, [f"taskset 1 tp {PRIME} 0"],
     both(plan_method("tp_btf", exact("P", PRIME)),
          lambda r, t: expect("reason", "tracefs cannot be read" in node(r, "P")["reason"], True)),
     before="shell umount /sys/kernel/tracing", after="shell mount -t tracefs none /sys/kernel/tracing",
     kernels=("7",))

# The call that opens a pipe lasts until somebody opens the other end.
OPENS = ("mkfifo /tmp/pipe; cat /tmp/pipe & pid=$!; echo $pid > /tmp/pid; "
         "until grep -qE '^(2|257) ' /proc/$pid/syscall; do usleep 50000; done")
case("a pair in progress at attach is counted",
     "--start tp:raw_syscalls:sys_enter --end tp:raw_syscalls:sys_exit -n P -a "
     "-p $(cat /tmp/pid)",
     ["shell : > /tmp/pipe; while grep -q '^State:.[^ZX]' /proc/$(cat /tmp/pid)/status; "
      "do usleep 50000; done"],
     lambda r, t: expect("unmatched", node(r, "P")["ledger"]["unmatched"], 1),
     before=f"shell {OPENS}", after="shell wait; rm /tmp/pipe")
ONE = "/sys/fs/cgroup/one"
case("filter by cgroup", f"kt_empty -a -c {ONE}",
     [f"shell echo $$ > {ONE}/cgroup.procs", f"empty {PRIME}"], exact("kt_empty", PRIME),
     before=f"shell mkdir -p {ONE}")
case("filter by cgroup, outside of it", f"kt_empty -a -c {ONE}", [f"empty {PRIME}"],
     exact("kt_empty", 0), before=f"shell mkdir -p {ONE}")
case("filter by CPU", "kt_empty -a -C 1", [f"par empty {PRIME}"], exact("kt_empty", PRIME))
case("filter by CPU, the other", "kt_empty -a -C 0,7-9", [f"taskset 2 empty {PRIME}"],
     exact("kt_empty", 0))
case("filter by task name", "kt_empty -a --comm sh", [f"empty {PRIME}"], exact("kt_empty", PRIME))
case("filter by task name, longer", "kt_empty -a --comm shx", [f"empty {PRIME}"],
     exact("kt_empty", 0))
# Ends under another name must take none of the starts that are still open.
for words, open_ in (("", {"task_gone": 3}), (", per CPU", {"again": 3})):
    key = " --key cpu" if words else ""
    case(f"filter by task name, a pair under another name after starts without end{words}",
         f"--start kt_start --end kt_end -a --comm sh -n P{key}",
         [f"shell taskset -p 1 $$ >/dev/null; echo 3 >{DIR}/pair_lost; echo other >/proc/self/comm; "
          f"echo 1009 0 >{DIR}/pair; echo sh >/proc/self/comm"],
         functools.partial(lambda o, r, t: ledger(r, "P", started=3, recorded=0, unmatched=0, **o),
                           open_))
case("filter by process", "kt_empty -a -p 1,2", [f"empty {PRIME}"], exact("kt_empty", 0))
case("filter by process and thread", "kt_empty -a -p $$ -t $$", [f"empty {PRIME}"],
     exact("kt_empty", 0))
case("filter by process of another shell", "kt_empty -p $(cat /tmp/pid) -t $(cat /tmp/pid) -a",
     ["shell : > /tmp/go; until [ -e /tmp/went ]; do usleep 50000; done"],
     exact("kt_empty", PRIME),
     before="shell (until [ -e /tmp/go ]; do usleep 50000; done; "
            f"echo {PRIME} > {DIR}/empty; : > /tmp/went) & echo $! > /tmp/pid")
case("a pair in progress, and the children of the command",
     "--start tp:raw_syscalls:sys_enter --end tp:raw_syscalls:sys_exit -n P",
     ["shell (true; true) & (true) & wait"],
     lambda r, t: expect("balance", node(r, "P")["ledger"]["balance"], 0))
case("children of the command", "kt_empty",
     [f"shell (echo 1009 > {DIR}/empty) & wait; sh -c 'echo 2003 > {DIR}/empty' & wait"],
     exact("kt_empty", 1009 + 2003))
# More than there are task slots for, so that some keep their stamps in their storage. All
# live until the end, but call in turn: one that is preempted in a program makes the
# kernel skip it for the others.
def crowd(calls):  # FILE TEXT...
    return [f"shell $TASKS turn 200 {calls}"]


case("200 tasks alive, by task", "-m fentry kt_empty kt_recurse -a",
     crowd(f"{DIR}/empty 53 {DIR}/recurse '7 11 0'"),
     lambda r, t: [ledger(r, name, started=n, recorded=n)
                   for name, n in (("kt_empty", 200 * 53), ("kt_recurse", 200 * 77))])
case("200 tasks alive, a pair", "--start kt_start --end kt_end -a -n P",
     crowd(f"{DIR}/pair_nest '3 5'"), exact("P", 3000))


# The same, but all at once: so many calls that tasks are preempted at every point.
def rush(calls):
    return [f"shell $TASKS rush 200 {calls}"]


EMPTY, RECURSE = (1009, 37) if WHOLE else (503, 19)


def told(name, n):
    """Every call that was not recorded is in the ledger."""

    def check(report, truth):
        got = node(report, name)["ledger"]
        expect(f"{name} started and skipped of {got}", got["started"] + got["skipped"], n)
        expect(f"{name} balance of {got}", got["balance"], 0)

    return check


case("200 tasks at once, by default", "kt_empty kt_recurse -a",
     rush(f"{DIR}/empty {EMPTY} {DIR}/recurse '{RECURSE} 11 0'"),
     lambda r, t: [ledger(r, name, started=n, recorded=n)
                   for name, n in (("kt_empty", 200 * EMPTY), ("kt_recurse", 200 * 11 * RECURSE))])
case("200 tasks at once, fentry", "-m fentry kt_empty kt_recurse -a",
     rush(f"{DIR}/empty {EMPTY} {DIR}/recurse '{RECURSE} 11 0'"),
     both(told("kt_empty", 200 * EMPTY), told("kt_recurse", 200 * 11 * RECURSE)))
case("200 tasks at once, a pair", "--start kt_start --end kt_end -a -n P",
     rush(f"{DIR}/pair_nest '101 5'"), told("P", 200 * 505))
case("function of more arguments than registers", "kt_args8 kt_small kt_varargs -a",
     ["args 1009"],
     lambda r, t: [ledger(r, n["name"], started=1009, recorded=1009) for n in r["nodes"]])
case("many calls, fentry", "-m fentry kt_empty -a", [f"empty {MANY}"],
     exact("kt_empty", MANY))
case("classic words", "trace-classic", [f"empty {PRIME}"],
     both(exact("kt_empty", PRIME), lambda r, t: expect("bits", r["bits"], 4)))
case("CPU offline and online under load", "kt_empty -a", ["hotplug empty 200003"],
     exact("kt_empty", 200003))
# While bpf(2) copies the value of a map, the kernel skips programs of kprobes. Another
# method counts how often it copies.
LOOK = "kstats-bpf trace -q kt_empty -a -- true > /dev/null"
COPY = "bpf_percpu_array_copy"
LOOKED = (f"kstats-bpf trace -q -f json -m fentry {COPY} -a -- sh -c '{LOOK}' | "
          "grep -o '\"started\":[0-9]*' | cut -d : -f 2 > /tmp/looked")


def looked(ends):
    def check(report, truth):
        n = truth["looked"][0]
        if not n:
            raise Wrong("nothing copied")
        ledger(report, COPY, started=0, recorded=0, skipped=n, lost=n, skipped_ends=ends * n)

    return check


for m, ends, kernels in (("kprobe-session", 1, ("6.12",)), ("kprobe-session", 0, ("7",)),
                         ("kprobe", 1, ("6.12", "7"))):
    case(f"{m}: calls the kernel skips are told to the unit", f"-m {m} {COPY} -a",
         [f"shell {LOOK}"], looked(ends), before=f"shell {LOOKED}",
         after="shell echo looked $(cat /tmp/looked) 0 0 0", kernels=kernels)

def looked_by_anyone(report, truth):
    n = truth["looked"][0]
    ledger(report, COPY, started=0, recorded=0, skipped_anyone=n, skipped_ends=n)


case("calls skipped among all tasks are no loss of those measured",
     f"-m kprobe {COPY} -a --comm nobody", [f"shell {LOOK}"], looked_by_anyone,
     before=f"shell {LOOKED}", after="shell echo looked $(cat /tmp/looked) 0 0 0",
     kernels=("6.12", "7"))


# While a task is preempted inside a program, the kernel skips the calls of others.
def to_the_unit(report, truth):
    got = node(report, "kt_empty")["ledger"]
    expect(f"started and skipped of {got}", got["started"] + got["skipped"], 6 * SHARE)
    expect(f"balance of {got}", got["balance"], 0)


for m, kernels in (("fentry", ALL), ("fsession", ("7",)), ("kprobe-session", ("6.12", "7")),
                   ("kprobe", ALL), ("direct", KMOD)):
    case(f"{m}: tasks that share the processors, to the unit", f"-m {m} kt_empty -a", SHARED,
         to_the_unit, kernels=kernels)


def twins(report, truth):
    """Told apart by their addresses. A name that has several of them spoils the link for
    all, and is found by halves: the kernel knows which of them it can hook."""
    got = [(n["ledger"]["started"], n["ledger"]["recorded"]) for n in report["nodes"][:2]]
    expect("calls", got, [(PRIME, PRIME), (13, 13)])
    expect("methods", {n["method"] for n in report["nodes"]}, {"kprobe session"})
    if len(report["nodes"]) <= 32:
        raise Wrong("so few functions have a link each")


# A name that ftrace lists once, and that the kernel has twice. The names of a few letters do:
# in an emulated guest, counting all takes 20 s.
FEW = "[a-d]"
DUP = (f"grep ' [tT] {FEW}' /proc/kallsyms > /tmp/symbols; "
       f"grep '^{FEW}' /sys/kernel/tracing/available_filter_functions > /tmp/list; "
       "awk 'FNR == NR { if (NF == 3) n[$3]++; next } NF == 1 { a[$1]++ } "
       "END { for (f in a) if (a[f] == 1 && n[f] > 1) print f }' /tmp/symbols /tmp/list | "
       "sort | head -n 1 > /tmp/dup")
case("one link: functions of one name in two modules",
     "-m kprobe-session kstats_target:kt_empty kstats_other_:kt_empty $(cat /tmp/dup) "
     f"kstats_target:{'kt_many_*' if WHOLE else 'kt_many_[0-3]?'!r} -a -b 3",
     [f"empty {PRIME}", "shell echo 13 > /sys/kernel/debug/kstats_other_/empty"], twins,
     before=f"shell insmod TWIN_KO; {DUP}", after="shell rmmod kstats_other_",
     kernels=("6.12", "7"))

# The links that the program holds open while it measures.
LINKS = ("shell echo links $(cat $(printf '/proc/%s/fdinfo/* ' $(pidof kstats-bpf)) 2>/dev/null | "
         "grep -c ^link_id) 0 0 0")


def links_each(report, truth):
    """A call inside another one pays for all functions of its link: few have one each."""
    for name in ("kt_empty", "kt_empty_inl", "kt_ret"):
        ledger(report, name, started=PRIME, recorded=PRIME)
    if truth["links"][0] < 3:
        raise Wrong(f"three functions have {truth['links'][0]} links")


case("a link for each of few functions", "-m kprobe-session kt_empty kt_empty_inl kt_ret -a",
     [f"empty {PRIME}", f"empty_inl {PRIME}", f"ret {PRIME} 0", LINKS], links_each,
     kernels=("6.12",))
case("one link for a thousand functions",
     "'tcp_*' 'vfs_*' 'ip_*' 'dev_*' 'inet_*' 'kt_many_*' -a -b 3 --limit functions=5000",
     [up("up_run"), "many 101", LINKS, up("up_ran")], thousand,
     before=up("up_begin"), after=up("up_end"), kernels=("6.12", "7"))
