# SPDX-License-Identifier: GPL-2.0-only
"""Cases of exact.py for --if: conditions over what kt_expr is given (see expr.c of the test
module), by each method; recursion, pairs and keys of which some starts are left out."""

from exact_cases import PRIME, TP_PAIR, Wrong, case, exact, expect, ledger, node

CALLS = 1009
METHODS = (("fentry", ("6.1", "6.12", "7")), ("kprobe", ("6.1", "6.12", "7")),
           ("kprobe-session", ("6.12", "7")), ("fsession", ("7",)))


class Call:
    """What kt_expr is given in call i. Reading a member may fail, as in the kernel."""

    def __init__(self, i):
        self.i, self.narrow, self.middle, self.wide = i, i % 256, -(i % 100), 3 * i
        self.large = -i if i % 2 else i
        self.text = "odd" if i % 2 else "even"
        self.ret = i % 7 - 3
        self.readable = i % 10 > 1

    def of(self, value):
        if not self.readable:
            raise MemoryError
        return value


# A condition, and the same in Python. Parts of the return come after the others.
ENTRY = (
    ("narrow > 200", lambda c: c.narrow > 200),
    ("middle < -50", lambda c: c.middle < -50),
    ("arg2 % 2 == 0 && wide > 0x100", lambda c: c.wide % 2 == 0 and c.wide > 256),
    ("large < 0", lambda c: c.large < 0),
    ("large / 2 == -4", lambda c: c.large == -9),
    ("large * 1G > 500G || ~large == 6", lambda c: c.large > 500 or c.large == -7),
    ('text == "odd"', lambda c: c.text == "odd"),
    ("text != 'even'", lambda c: c.text == "odd"),
    ("text == 'eve'", lambda c: False),
    ("object == 0", lambda c: c.i % 10 == 0),
    ("!object || (u64)object >> 48 == 0xdead", lambda c: not c.readable),
    ("object && (u64)object != 0xdead000000000000 && object->small > 100",
     lambda c: c.readable and c.i % 251 > 100),
    ("object->small > 200", lambda c: c.of(c.i % 251) > 200),
    ("object->middle < -500", lambda c: c.of(c.i % 1000) > 500),
    ("object->low == 5", lambda c: c.of(c.i & 7) == 5),
    ("object->high == 17", lambda c: c.of(c.i >> 3 & 31) == 17),
    ("object->sign < -3", lambda c: c.of((c.i & 15 ^ 8) - 8) < -3),
    ("object->inner.depth > 500", lambda c: c.of(0 if c.i % 2 else c.i) > 500),
    ('object->inner.label == "odd"', lambda c: c.of(c.i % 2)),
    ('object->name == "kt3"', lambda c: c.of(c.i % 5) == 3),
    ('object->name != "kt3"', lambda c: c.of(c.i % 5) != 3),
    ("object->whole - 4G < 30", lambda c: c.of(c.i) < 30),
    ("object->half == 77", lambda c: c.of(c.i) == 77),
    ("object->row[2] > 1000", lambda c: c.of(c.i) > 1000),
    ("((struct kt_object *)arg4)->next->middle == -8",
     lambda c: c.of(True) and (c.i % 3 or c.of_null())),
    ("100 / (wide % 4)", lambda c: 100 // (c.wide % 4)),
    ("comm != 'sh' || pid < 0", lambda c: False),
    ("tid == pid && uid == 0 && cpu < 64 && numa == 0 && cgroup", lambda c: True),
    ("pid == 0 || narrow > 200", lambda c: c.narrow > 200),
    ("pid == 0", lambda c: False),
)
RETURN = (  # and the counter of those for which it is false at the return
    ("ret < 0", None, lambda c: c.ret < 0, "ret"),
    ("ret == 3 || duration > 10G", None, lambda c: c.ret == 3, "if"),
    ("10 / ret > 4", None, lambda c: int(10 / c.ret) > 4, "if"),
    ("narrow > 100 && ret >= 1", lambda c: c.narrow > 100, lambda c: c.ret >= 1, "ret"),
    ("ret != -1 && duration && object->small > 100", lambda c: c.of(c.i % 251) > 100,
     lambda c: c.ret != -1, "ret"),
)


def null(self):
    raise MemoryError


Call.of_null = null


def outcome(condition, call):
    try:
        return "yes" if condition(call) else "no"
    except MemoryError:
        return "unreadable"
    except ZeroDivisionError:
        return "division"


def account(entry, end, false):
    """The ledger of all calls, by the words of its counters."""
    want = dict.fromkeys(("started", "recorded", "if", "ret", "unreadable", "division"), 0)
    for i in range(CALLS):
        call = Call(i)
        first = outcome(entry, call) if entry else "yes"
        last = outcome(end, call) if end else "yes"
        if first == "no":
            continue
        want["started"] += 1
        counter = first if first != "yes" else last
        want[{"yes": "recorded", "no": false}.get(counter, counter)] += 1
    want["lost"] = want["unreadable"] + want["division"]
    return want


def add(method, kernels, text, entry, end, false="if"):
    quoted = text.replace("'", "'\\''")
    case(f"if {text}, {method}", f"-m {method} kt_expr -a --if '{quoted}'", [f"expr {CALLS}"],
         lambda r, t: ledger(r, "kt_expr", **account(entry, end, false)),
         kernels=[f"{k} map" for k in kernels])


# Where a session keeps its start is no matter of the condition: some of them will do.
for method, kernels in METHODS:
    for text, condition in ENTRY[::4 if "session" in method else 1]:
        add(method, kernels, text, condition, None)
    for text, entry, end, false in RETURN:
        add(method, kernels, text, entry, end, false)

# ---- recursion: the outer call passes and the inner one does not, and the other way round ----

DEPTH, NS = 5, 20000


def recursion(wanted):
    """Every wanted depth is in its own call's time: the least is that of the deepest."""

    def check(report, truth):
        n = 211 * len(wanted)
        ledger(report, "kt_recurse", started=n, recorded=n)
        found = node(report, "kt_recurse")
        if found["sum_ns"]["hi"] < 211 * NS * sum(wanted) or found["min_ns"]["hi"] < NS * min(wanted):
            raise Wrong(f"sum {found['sum_ns']}, least {found['min_ns']}")
        # The longest of these calls may be interrupted; half of them are not.
        if len(wanted) == 1 and found["quantiles_ns"]["p50"]["lo"] > NS * (wanted[0] + 1) * 1.5:
            raise Wrong(f"half of them take {found['quantiles_ns']['p50']}")

    return check


for method, kernels in METHODS:
    for text, wanted in (("depth == 1", (1,)), ("depth == 5", (5,)), ("depth == 3", (3,)),
                         ("depth != 3", (1, 2, 4, 5)), ("depth % 2", (1, 3, 5)),
                         ("depth > 9", ())):
        case(f"recursion if {text}, {method}", f"-m {method} kt_recurse -a --if '{text}'",
             [f"recurse 211 {DEPTH} {NS}"], recursion(wanted) if wanted else
             lambda r, t: ledger(r, "kt_recurse"), kernels=kernels)
case("recursion if depth == 3, per CPU", "-m fentry kt_recurse -a --key cpu --if 'depth == 3'",
     [f"recurse 211 {DEPTH} {NS}"], recursion((3,)))

# ---- keys: of the numbers 8 * i every second one is left out ----

case("if at the start of a pair by key", "-m fentry --start 'kt_key_start[arg0]' --end 'kt_key_end[arg5]' -n pair "
     "-a --if 'a % 16 == 0'", [f"key {PRIME}"],
     lambda r, t: ledger(r, "pair", started=(PRIME + 1) // 2, recorded=(PRIME + 1) // 2))
case("if at the end of a pair by key", "-m kprobe --start 'kt_key_start[arg0]' --end 'kt_key_end[arg5]' -n pair "
     "-a --if 'duration / 2 > 100G'", [f"key {PRIME}"],
     lambda r, t: ledger(r, "pair", started=PRIME, **{"if": PRIME}))

KEY_PAIR = "--start 'kt_key_start[{}]' --end 'kt_key_end[{}]' -n pair -a"
for method in ("fentry", "kprobe"):
    case(f"key of two expressions, {method}",
         f"-m {method} {KEY_PAIR.format('a * 2 + 3', '(f << 1) + 3')}", [f"key {PRIME}"],
         lambda r, t: ledger(r, "pair", started=PRIME, recorded=PRIME))
    case(f"key that cannot be read, {method}",
         f"-m {method} {KEY_PAIR.format('((struct kt_req *)a)->id', 'a')}", [f"key {PRIME}"],
         lambda r, t: ledger(r, "pair", started=PRIME, unreadable=PRIME, lost=PRIME,
                             unmatched=PRIME))
case("keys of which some cannot be divided", f"-m fentry {KEY_PAIR.format('a / (a % 16)', 'f / 8')}",
     [f"key {PRIME}"],
     lambda r, t: ledger(r, "pair", started=PRIME, recorded=PRIME // 2, division=(PRIME + 1) // 2,
                         lost=(PRIME + 1) // 2, unmatched=(PRIME + 1) // 2))

# ---- pairs inside each other: an end must not take the start around one that was left out ----

# What names the duration is asked at the end, so that @id is there the id of the end.
for wanted, n in (("id == 0", 1), ("id == 3", 1), ("id != 2", 4), ("id % 2", 2)):
    case(f"nested tracepoint pairs if {wanted}",
         f"{TP_PAIR} -a --if '{wanted} && ({wanted} || duration > 100G)'", ["tp_nest 2003 5"],
         exact("P", 2003 * n))
case("nested tracepoint pairs if id == 0, per CPU", f"{TP_PAIR} -a --key cpu --if 'id == 0'",
     ["tp_nest 2003 5"],
     lambda r, t: ledger(r, "P", started=2003, again=2003))

# ---- values in place of durations: by each method, at both points and at one ----

VALUES = (  # the value, and the same in Python; with what names both ends, the pair is used
    ("narrow", lambda c: c.narrow),
    ("(u64)wide * 1M", lambda c: c.wide << 20),
    ("middle", lambda c: c.middle),
    ("large", lambda c: c.large),
    ("object->small", lambda c: c.of(c.i % 251)),
    ("wide / narrow", lambda c: c.wide // c.narrow),
    ("ret", lambda c: c.ret),
    ("ret + 3", lambda c: c.ret + 3),
)
BOTH = (  # known in the parameters at the return too, but not to kprobes
    ("ret + (s64)wide", lambda c: c.ret + c.wide),
    ("object->high + (duration < 0)", lambda c: c.of(c.i >> 3 & 31)),
)


def values(n, value, entry=None, end=None):
    """The ledger, the sum, and the least and the greatest value of all samples."""

    def check(report, truth):
        want = dict.fromkeys(("started", "recorded", "if", "unreadable", "division", "negative"), 0)
        samples = []
        for i in range(n):
            call = Call(i)
            if entry and not entry(call):
                continue
            want["started"] += 1
            try:
                v = value(call)
                counter = "if" if end and not end(call) else "negative" if v < 0 else "recorded"
                samples += [v] if counter == "recorded" else []
            except MemoryError:
                counter = "unreadable"
            except ZeroDivisionError:
                counter = "division"
            want[counter] += 1
        want["lost"] = want["unreadable"] + want["division"]
        name = report["nodes"][0]["name"]
        ledger(report, name, **want)
        got = node(report, name)
        for key, of in (("sum", sum(samples)), ("min", min(samples)), ("max", max(samples))):
            low, high = got[key]["lo"], got[key]["hi"]
            if not low <= of <= high or high - low > of / 32:
                raise Wrong(f"{key} {low}..{high}, truth {of}")

    return check


def value_case(what, words, n, check, kernels=("6.1", "6.12", "7")):
    case(f"value {what}", f"-a {words}", [f"expr {n}"], check, kernels=kernels)


for method, kernels in METHODS:
    for text, value in VALUES[::3 if "session" in method else 1]:
        value_case(f"{text}, {method}", f"-m {method} kt_expr --value '{text}'", PRIME,
                   values(PRIME, value), kernels)
    if "kprobe" not in method:
        for text, value in BOTH:
            value_case(f"{text}, {method}", f"-m {method} kt_expr --value '{text}'", PRIME,
                       values(PRIME, value), kernels)
    value_case(f"ret if wide > 9000, {method}", f"-m {method} kt_expr --value ret "
               "--if 'wide > 9000 && ret != 2'", PRIME,
               values(PRIME, lambda c: c.ret, lambda c: c.wide > 9000, lambda c: c.ret != 2),
               kernels)
for method in ("fentry", "kprobe"):
    value_case(f"at the entry if large > 0, {method}",
               f"-m {method} kt_expr --value 'wide + narrow' --if 'large > 0'", PRIME,
               values(PRIME, lambda c: c.wide + c.narrow, lambda c: c.large > 0))
    value_case(f"at the return if ret > 0, {method}",
               f"-m {method} kt_expr --value 'ret * 4G' --if 'ret > 0'", PRIME,
               values(PRIME, lambda c: c.ret << 32, lambda c: c.ret > 0))
    # A number is known before the program runs.
    value_case(f"7 at the entry, {method}", f"-m {method} kt_expr --value 7", PRIME,
               values(PRIME, lambda c: 7))
    value_case(f"7 at the entry in tasks of a name, {method}",
               f"-m {method} kt_expr --value 7 --comm sh", PRIME, values(PRIME, lambda c: 7))
    value_case(f"7 at the entry if large > 0, {method}",
               f"-m {method} kt_expr --value 7 --if 'large > 0'", PRIME,
               values(PRIME, lambda c: 7, lambda c: c.large > 0))
    value_case(f"7 at the entry if pid == 0 || comm != 'sh' || large > 0, {method}",
               f"-m {method} kt_expr --value 7 --if 'pid == 0 || comm != \"sh\" || large > 0'",
               PRIME, values(PRIME, lambda c: 7, lambda c: c.large > 0))


def of_ids(report, truth):
    """Each of 0 to 4 comes 2,003 times; of the odd ones 3 times the number is recorded."""
    ledger(report, "kt_tp_start", started=4006, recorded=4006)
    expect("sum", node(report, "kt_tp_start")["sum"], {"lo": 2003 * 12, "hi": 2003 * 12})


case("value at a tracepoint if id is odd", "-a tp:kstats_target:kt_tp_start "
     "--value 'id * 3' --if 'id % 2'", ["tp_nest 2003 5"], of_ids)
case("value at the end of a pair", f"{TP_PAIR} --value 'id + 4' --if 'id % 2 || duration > 100G'",
     ["tp_nest 2003 5"], lambda r, t: expect("sum", node(r, "P")["sum"], {"lo": 24036, "hi": 24036}))
