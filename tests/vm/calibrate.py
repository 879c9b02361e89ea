#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Floor and overhead, of functions whose duration is known, in a guest whose
clock counts instructions, so that figures are repeatable; or of functions of programs
only, on this machine. Comes in: a kernel (6.1, 6.12, 7), or "here". Goes out: TAP.
What does not depend on the kernel is tried on WHOLE only, in `make test-long` on each; and what
this machine tries as well, here and in bench/calibrate, nowhere but there.
Called by tests/run, see suites."""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = __file__.rsplit("/", 1)[0]
DIR = "/sys/kernel/debug/kstats_target"
WHOLE = "7"
WITH_ALL = os.environ.get("KSTATS_WHOLE")  # each kernel with all methods and backends
MODULE = "7"  # where the module's backend is tried too
# `make test-long` tries all with it.
MODULE_METHODS = {"fsession": "fsession", "direct": "direct"}
KEPT = "/run/kstats-bpf/calibration.json"
TOLD = "/run/kstats-bpf/told"
CALLS = 20011
PAIR = "tracepoint pair (tp_btf)"
EVENTS = "tracepoint pair (trace event)"

# Values of --method, their names in reports, and the first kernel that has them.
METHODS = [("fentry", "fentry/fexit", ("6.1", "6.12", "7")),
           ("kprobe", "kprobe/kretprobe", ("6.1", "6.12", "7")),
           ("kprobe-session", "kprobe session", ("6.12", "7")),
           ("fsession", "fsession", ("7",))]
JOINED = ("kprobe session", "fsession")  # which know no other pairing than by task

# The same of functions of programs; what their names are followed by for each first
# instruction; and functions of bench/uprobe.c that begin with it.
USER_METHODS = [("uprobe-session", "uprobe session", ("7", "here")),
                ("uprobe-multi", "uprobe multi", ("6.12", "7", "here")),
                ("uprobe", "uprobe/uretprobe", ("6.1", "6.12", "7", "here"))]
FIRSTS = {" on nop": "of_nop", " on long nop": "of_long", " on push": "of_push",
          " on jump": "of_jump", ", single-stepped": "of_lea"}
PAIRS = {"uprobe-multi": "pair of nops in programs (uprobe multi)",
         "uprobe": "pair of nops in programs (uprobe)"}
PARTS = 100  # of bench/uprobe.c
TRIES = 5  # on this machine, where other things run
user_methods = []  # of USER_METHODS: which are tried

steps = []


def step(name, command):
    """Its output, lines of JSON apart, is judged by the check of that name."""
    steps.append((name, command))


def trace(words, command):
    return f"kstats-bpf trace --backend map {words} -f json -- sh -c '{command}'"


EMPTY = f"echo {CALLS} > {DIR}/empty"
# Between the rounds they sleep: the overhead is still 40 times as large as the limit.
ROUNDS = 60
HOT = f"i=0; while [ $i -lt {ROUNDS} ]; do {EMPTY}; usleep 25000; i=$((i + 1)); done; echo > /tmp/done"


def trace_user(words, program, function):
    return (f"kstats-bpf trace --backend map -q {words} -f json -- "
            f"{program} {function} {CALLS // PARTS} | grep '^{{'")


def user_script(program):
    if not user_methods:
        return
    for word, _ in user_methods:
        for first, function in FIRSTS.items():
            step(f"user {word}{first}", trace_user(f"-m {word} u:{program}:{function}", program, function))
    step("user subtract", trace_user(f"-m {user_methods[-1][0]} --floor subtract u:{program}:of_lea",
                                     program, "of_lea"))
    for word, pair in (("nops", "of_nop"), ("lea", "of_lea")):
        step(f"user unknown {word}", "unshare -m sh -c 'mount -t tmpfs none /run; kstats-bpf trace "
             f"--start u:{program}:{pair} --end u:{program}:{pair} -- {program} {pair} 1'")
    step("user merged", f"kstats-bpf trace -q --limit overhead=1 --merge u:{program}:of_lea "
         f"u:{program}:of_nop -- {program} of_nop 1; echo @rc $?")


def again_by(kernel):
    """What is measured a second time: of METHODS, one with a single way of pairing if there is."""
    return next((row[:2] for row in METHODS if row[1] in JOINED and kernel in row[2]), METHODS[0][:2])


def needed_by(kernel):
    """What is calibrated where it is needed: of METHODS, the newest."""
    return [row[:2] for row in METHODS if kernel in row[2]][-1]


def few_ways(kernel, every):
    """One after another."""
    words = [*(word for word, _, kernels in METHODS if kernel in kernels), "trace-event",
             *(["tp_btf"] if every else ()), *(word for word, _ in user_methods)]
    return f"for m in {' '.join(words)}; do kstats-bpf calibrate -q --json --backend map -m $m; done"


def script(kernel, program, every):
    step("all", "kstats-bpf calibrate -q --json" if WITH_ALL else few_ways(kernel, every))
    user_script(program)
    for word, _, kernels in METHODS:
        if kernel in kernels:
            step(f"empty {word}", trace(f"-q -m {word} kt_empty -a", EMPTY))
    if kernel == WHOLE or WITH_ALL:
        program_script(kernel, every)
    if kernel == MODULE and not WITH_ALL:
        for word in MODULE_METHODS:
            step(f"module {word}", f"kstats-bpf calibrate -q --json --backend kmod -m {word}")
    return commands()


def program_script(kernel, every):
    step("kept", f"cat {KEPT}; stat -c '%a %u' {KEPT} /run/kstats-bpf; ls -A /run/kstats-bpf")
    step("again", f"kstats-bpf calibrate -q --json -m {again_by(kernel)[0]} --backend map")
    step("show", "kstats-bpf calibrate --show --json")
    step("subtract", trace("-q -m fentry --floor subtract kt_empty -a --record /tmp/r", EMPTY))
    step("recorded", "kstats-bpf report /tmp/r -f json")
    step("short", trace("--limit overhead=0.000001 kt_empty", EMPTY) + "; echo @rc $?")
    step("no pair", "kstats-bpf trace --limit overhead=1 --start kt_start --end kt_end -d 1; "
         "echo @rc $?")
    if every:
        more_script()
    hinted = f"kstats-bpf trace -m fentry kt_empty -a -- sh -c '{EMPTY}'"
    step("none", f"rm -f {KEPT} {TOLD}; {hinted}")
    step("told", hinted)
    step("needed", f"rm -f {KEPT}; "
         + trace(f"-m {needed_by(kernel)[0]} kt_empty -a --floor subtract", EMPTY) + f"; cat {KEPT}")


def more_script():
    """What bench/calibrate tries on this machine."""
    step("summary", f"kstats-bpf trace -q --backend map -m fentry kt_empty -- sh -c '{EMPTY}'")
    step("hot", trace("--limit overhead=1 kt_empty", HOT) + "; echo @rc $?; ls /tmp/done")
    step("left out", f"(while [ ! -e /tmp/stop ]; do {EMPTY}; usleep 15000; done) & "
         "kstats-bpf trace --limit overhead=1 kt_empty -p 1 -d 2 -f json; echo @rc $?; "
         "> /tmp/stop; wait")
    step("idle", "kstats-bpf trace --limit overhead=1 kt_busy -d 2 -f json; echo @rc $?")
    once = trace("-m fentry kt_empty -a", EMPTY)
    step("other boot", f"cp {KEPT} /tmp/good; sed -i 's/\"boot_id\":\"./\"boot_id\":\"x/' {KEPT}; {once}")
    step("hands", f"cp /tmp/good {KEPT}; chmod 666 {KEPT}; {once}")
    step("link", f"rm {KEPT}; ln -s /tmp/good {KEPT}; {once}")
    step("first", f"rm -f {KEPT}; " + trace("-m kprobe kt_empty -a --floor measure", EMPTY) + f"; cat {KEPT}")


def commands():
    lines = ["exec 2>&1"]
    for i, (_, command) in enumerate(steps):
        lines += [f"echo; echo @@ {i}", command]
    return "\n".join(lines)


class Wrong(Exception):
    pass


def expect(what, got, want):
    if got != want:
        raise Wrong(f"{what}: {got}, expected {want}")


def has(text, words):
    if words not in text:
        raise Wrong(f"no '{words}' in: {text.strip()[-300:]}")


def parse(text):
    out, at = {}, None
    for line in text.splitlines():
        if line.startswith("@@ "):
            at = out.setdefault(steps[int(line[3:])][0], {"text": "", "json": [], "rc": None})
        elif at is None:
            continue
        elif line.startswith("@rc "):
            at["rc"] = int(line[4:])
        elif line.startswith("{"):
            at["json"].append(json.loads(line))
        else:
            at["text"] += line + "\n"
    return out


def rows(*docs):
    return {(c["method"], c["backend"], c["pairing"]): c for doc in docs for c in doc["calibration"]}


def at_first(got):
    """What was measured at the beginning, one method after another or all at once."""
    return rows(*got["all"]["json"])


def near(what, a, b, part):
    if abs(a - b) > part * max(a, b) + 2:
        raise Wrong(f"{what}: {a} and {b}")


def measured(got):
    """What was measured, of all that calibrated at the beginning."""
    have = at_first(got)
    for word in MODULE_METHODS:
        if f"module {word}" in got:
            have.update(rows(got[f"module {word}"]["json"][0]))
    return have


def all_ways(got, kernel, backends, every):
    have = measured(got)
    for backend in backends:
        want = [(EVENTS, backend, p) for p in ("by task", "per CPU")]
        want += [(PAIR, backend, p) for p in ("by task", "per CPU", "by key") if every]
        for _, method, kernels in METHODS:
            if kernel in kernels:
                want.append((method, backend, "by task"))
                if method not in JOINED:
                    want.append((method, backend, "per CPU"))
        if backend == "kmod":
            want.append(("direct", backend, "by call"))
            if not WITH_ALL:
                want = [way for way in want if way[0] in MODULE_METHODS.values()]
        for way in want:
            if way not in have:
                raise Wrong(f"{way} is missing: {got['all']['text']}")
    for way, c in have.items():
        if "uprobe" in way[0]:
            continue
        for state in ("hot", "cold"):
            floor, added = c[state]["floor_ns"]["median"], c[state]["added_ns"]["median"]
            least = 5 if way[0] == "direct" else 50
            if not least < floor < added < 10000:
                raise Wrong(f"{way}, {state}: floor {floor}, added {added}")


def user_ways(backends):
    for backend in backends:
        methods = user_methods if backend == "map" or WITH_ALL else []
        for word, name in methods:
            for way in [name + first for first in FIRSTS] + ([PAIRS[word]] if word in PAIRS else []):
                yield way, backend


def user_way(got, name, backend):
    c = measured(got).get((name, backend, "by task"))
    if not c:
        raise Wrong(f"it is missing: {got['all']['text']}")
    for state in ("hot", "cold"):
        if not 0 < c[state]["floor_ns"]["median"] < c[state]["added_ns"]["median"]:
            raise Wrong(f"{state}: {c}")


def user_stepped(got, name):
    nop, stepped = (measured(got)[(name + first, "map", "by task")]["hot"]["floor_ns"]["median"]
                    for first in (" on nop", ", single-stepped"))
    if stepped < 1.2 * nop:
        raise Wrong(f"a nop reads {nop}, and what is single-stepped {stepped}")


def user_floor(got, word, method, first, part):
    """An empty function reads the floor of its own kind."""
    report = got[f"user {word}{first}"]["json"][0]
    n = report["nodes"][0]
    expect("method", n["method"], method + first)
    expect("samples", n["samples"], CALLS // PARTS * PARTS)
    (c,) = report["calibration"]
    expect("calibration", c, at_first(got)[(method + first, "map", "by task")])
    p50 = n["quantiles_ns"]["p50"]
    near("p50 and floor", (p50["lo"] + p50["hi"]) / 2, c["hot"]["floor_ns"]["median"], part)


def user_subtract(got):
    report = got["user subtract"]["json"][0]
    n, (c,) = report["nodes"][0], report["calibration"]
    expect("subtracted", n["floor_subtracted_ns"], c["hot"]["floor_ns"]["median"])
    if n["quantiles_ns"]["p50"]["lo"] > n["floor_subtracted_ns"] / 2:
        raise Wrong(f"an empty function still reads {n['quantiles_ns']['p50']}")


def user_merged(got):
    expect("exit status", got["user merged"]["rc"], 4)
    has(got["user merged"]["text"], "cannot use --limit overhead with uprobe")


def user_unknown(got):
    """Only what calibrate measures is recommended."""
    hint = "the floor on this machine is not known"
    has(got["user unknown nops"]["text"], hint)
    expect("a hint", hint in got["user unknown lea"]["text"], False)
    has(got["user unknown lea"]["text"], "pair in programs")


def user_checks(backends, part):
    if not user_methods:
        return
    yield "programs: calibrate is named where it helps", user_unknown
    for name, backend in user_ways(backends):
        yield f"programs: {name}, {backend}", lambda g, n=name, b=backend: user_way(g, n, b)
    for word, method in user_methods:
        yield (f"{method}: what is single-stepped takes longer",
               lambda g, m=method: user_stepped(g, m))
        for first in FIRSTS:
            yield (f"{method}{first}: an empty function reads the floor",
                   lambda g, w=word, m=method, f=first: user_floor(g, w, m, f, part))
    yield "programs: the floor taken off", user_subtract
    yield "programs: functions that begin differently have no one floor", user_merged


def kept(got):
    said, (file,) = got["all"]["json"], got["kept"]["json"]
    expect("what is kept", rows(file), at_first(got))
    expect("each once", len(file["calibration"]), len(rows(file)))
    expect("beside it", {**file, "calibration": []}, {**said[-1], "calibration": []})
    expect("rights", got["kept"]["text"].split(), ["644", "0", "755", "0", "calibration.json", "lock"])


def again(got, method):
    """Counted in instructions, so it is the same; rows that are not measured again stay."""
    first, second, show = at_first(got), rows(got["again"]["json"][0]), rows(got["show"]["json"][0])
    expect("ways", sorted(second), sorted(w for w in first if w[:2] == (method, "map")))
    for way, c in second.items():
        for figure in ("floor_ns", "added_ns"):
            near(f"{way} {figure}", c["hot"][figure]["median"],
                 first[way]["hot"][figure]["median"], 0.05)
    expect("shown", show, {**first, **second})


def empty(got, word, method):
    report = got[f"empty {word}"]["json"][0]
    n = report["nodes"][0]
    expect("method", n["method"], method)
    expect("samples", n["samples"], CALLS)
    (c,) = report["calibration"]
    expect("calibration", c, at_first(got)[(method, "map", "by task")])
    p50 = n["quantiles_ns"]["p50"]
    near("p50 and floor", (p50["lo"] + p50["hi"]) / 2, c["hot"]["floor_ns"]["median"], 0.08)


def summary(got):
    lines = [s for s in got["summary"]["text"].split("\n") if s.startswith("  floor   ")]
    expect("lines of the floor", len(lines), 1)
    has(lines[0], "added per call")
    expect("its width", len(lines[0]) <= 80, True)


def subtract(got):
    n, was = got["subtract"]["json"][0]["nodes"][0], got["recorded"]["json"][0]["nodes"][0]
    floor = got["recorded"]["json"][0]["calibration"][0]["hot"]["floor_ns"]["median"]
    expect("subtracted", n["floor_subtracted_ns"], floor)
    if n["quantiles_ns"]["p50"]["lo"] > floor / 10:
        raise Wrong(f"an empty function still reads {n['quantiles_ns']['p50']}")
    expect("recorded as it was", (was.get("floor_subtracted_ns"), was["samples"]), (None, CALLS))
    near("its p50", was["quantiles_ns"]["p50"]["hi"], floor, 0.08)


def over(got, name, ended):
    expect("exit status", got[name]["rc"], 5)
    has(got[name]["text"], f"{'measurement ended' if ended else 'overhead limit passed'}: the overhead was about ")
    report = got[name]["json"][0]
    seconds = (report["end_ns"] - report["begin_ns"]) / 1e9
    if ended and not 0.9 < seconds < 2.5:
        raise Wrong(f"measured for {seconds} s")
    expect("balance", report["nodes"][0]["ledger"]["balance"], 0)
    return report


def hot(got):
    report = over(got, "hot", True)
    has(got["hot"]["text"], "the command goes on")
    has(got["hot"]["text"], "/tmp/done")
    if not CALLS < report["nodes"][0]["samples"] < ROUNDS * CALLS:
        raise Wrong(f"{report['nodes'][0]['samples']} samples")


def idle(got):
    expect("exit status", got["idle"]["rc"], 0)
    has(got["idle"]["text"], "largest overhead: about 0% of 1 CPU")


def no_pair(got):
    expect("exit status", got["no pair"]["rc"], 4)
    has(got["no pair"]["text"], "cannot use --limit overhead with function pair")


def unused(got, name, why):
    has(got[name]["text"], why)
    expect("calibration", got[name]["json"][0].get("calibration"), None)
    expect("samples", got[name]["json"][0]["nodes"][0]["samples"], CALLS)


def none(got):
    has(got["none"]["text"], "the floor on this machine is not known")
    expect("a floor", "  floor   " in got["none"]["text"], False)
    expect("a second hint in this boot", "floor on this machine" in got["told"]["text"], False)


def only_this(got, name, method):
    report, file = got[name]["json"]
    expect("kept", file["calibration"], report["calibration"])
    expect("only this", [c["method"] for c in file["calibration"]], [method])
    return report


def needed(got, word, method):
    has(got["needed"]["text"], f"calibrating {word} first")
    if not only_this(got, "needed", method)["nodes"][0]["floor_subtracted_ns"]:
        raise Wrong("nothing was subtracted")


def checks(kernel, backends, every):
    yield "every way that there is", lambda g: all_ways(g, kernel, backends, every)
    yield from user_checks(backends, 0.08)
    for word, method, kernels in METHODS:
        if kernel in kernels:
            yield (f"{method}: an empty function reads the floor",
                   lambda g, w=word, m=method: empty(g, w, m))
    if kernel == WHOLE or WITH_ALL:
        yield from program_checks(kernel, every)


def program_checks(kernel, every):
    yield "kept for all to read", kept
    yield "the same figures again", lambda g: again(g, again_by(kernel)[1])
    yield "the floor taken off, but not in the recording", subtract
    yield "over before the first look", lambda g: over(g, "short", False)
    yield "a pair that cannot be calibrated", no_pair
    if every:
        yield from more_checks()
    yield "none: a hint, once a boot", none
    yield "calibrated where it is needed", lambda g: needed(g, *needed_by(kernel))


def more_checks():
    yield "the summary has one line", summary
    yield "a hot function: measuring ends, the command goes on", hot
    yield "a hot function of others", lambda g: over(g, "left out", True)
    yield "an idle function", idle
    yield "of another boot", lambda g: unused(g, "other boot", "it is of an earlier boot")
    yield "others may write to it", lambda g: unused(g, "hands", "others may write")
    yield "a link", lambda g: unused(g, "link", "is a link")
    yield "--floor measure", lambda g: only_this(g, "first", "kprobe/kretprobe")


def build(kernel, *source):
    return subprocess.run([f"{HERE}/build-kmod", kernel, *source], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def build_program(folder):
    program = f"{folder}/uprobe"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", program,
                    f"{HERE}/../bench/uprobe.c"], check=True)
    os.chmod(folder, 0o755)
    return program


def in_guest(kernel, program, every):
    kos = [build(kernel)]
    backends = ["map"]
    if kernel == "7":
        kos.append(build(kernel, f"{HERE}/../../kmod"))
        backends.append("kmod")
    run = "\n".join([f"insmod {ko} || exit 99" for ko in kos] + [script(kernel, program, every)])
    adds = [word for ko in kos + [program] for word in ("-a", ko)]
    done = subprocess.run([f"{HERE}/run", "-f", "-k", kernel, "-i", "-c", "1", "-t", "3600", *adds,
                           "--", run], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done, list(checks(kernel, backends, every))


def runs(*command):
    return not subprocess.run(command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode


def loads(method, program):
    return runs("kstats-bpf", "trace", "-q", "-m", method, f"u:{program}:of_nop",
                "--", program, "of_nop", "1")


def tried_here(program):
    """Does this machine try what guests may leave out? See here() and bench/calibrate.t."""
    tracepoints = ("--start", "tp:raw_syscalls:sys_enter", "--end", "tp:raw_syscalls:sys_exit")
    return (any(loads(word, program) for word, _, _ in USER_METHODS)
            and runs("unshare", "-m", "kstats-bpf", "trace", "-q", "-m", "tp_btf", *tracepoints, "--", "true"))


def sensible(got):
    """Not of another unit. In programs the kernel may have to step over an instruction, which takes ten
    times as long; a processor that is shared, ten times as well."""
    for way, c in at_first(got).items():
        most = 2000000 if "single-stepped" in way[0] else 200000
        for f in (c[state][figure] for state in ("hot", "cold") for figure in ("floor_ns", "added_ns")):
            if not (f["min"] <= f["median"] <= f["max"] and 9 < f["median"] < most):
                raise Wrong(f"{way}: {f}")


def colder(got):
    """Each of both is measured beside whatever else runs here: some may be the other way round."""
    ways = at_first(got).values()
    right = sum(c["cold"]["floor_ns"]["median"] >= c["hot"]["floor_ns"]["median"] for c in ways)
    if right * 4 < len(ways) * 3:
        raise Wrong(f"in {right} of {len(ways)} alone")


def told_once(got):
    """What is left out, once for each reason."""
    why = [re.sub(r".*, (by [a-z]*|per CPU): ", "", line) for line in got["all"]["text"].splitlines()]
    expect("told again", [a for a, b in zip(why, why[1:]) if a == b], [])


def here(program):
    """Only the figures that are kept until the next boot change on this machine."""
    for word, name in list(user_methods):
        if not loads(word, program):
            user_methods.remove((word, name))
    if not user_methods:
        print("1..1\nok 1 - here # SKIP this kernel or user loads none")
        sys.exit()
    step("all", "kstats-bpf calibrate --json --backend map")
    user_script(program)
    done = subprocess.run(["sh", "-c", commands()], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return done, [*user_checks(["map"], 0.5), ("figures that make sense", sensible),
                  ("cold takes longer than hot, in three quarters at least", colder),
                  ("what is left out is told once for each reason", told_once)]


def faults(got, todo):
    """For each check what is wrong, or None."""
    for _, check in todo:
        try:
            check(got)
            yield None
        except (Wrong, KeyError, IndexError, ValueError) as e:
            yield f"{type(e).__name__} {e}"


def measure(kernel, program):
    """A floor of another kind never fits; what runs beside it spoils one measurement or two, so on
    this machine each check has to be right in one try, and not all of them in the same."""
    every = WITH_ALL or kernel == "here" or not tried_here(program)
    user_methods.extend((word, name) for word, name, kernels in USER_METHODS if every and kernel in kernels)
    found = None
    for tries in range(1, 2 if kernel != "here" else TRIES + 1):
        steps.clear()
        done, todo = here(program) if kernel == "here" else in_guest(kernel, program, every)
        now = list(faults(parse(done.stdout), todo))
        found = [was and new for was, new in zip(found, now, strict=True)] if found else now
        if not any(found):
            break
    return done, todo, found, tries


def main():
    kernel = sys.argv[1]
    os.environ["PATH"] = os.path.abspath(f"{HERE}/../../.output") + ":" + os.environ["PATH"]
    with tempfile.TemporaryDirectory() as folder:
        program = build_program(folder)
        done, todo, found, tries = measure(kernel, program)
    bad = any(found)
    print(f"1..{len(todo) + 1}\n# tries: {tries}")  # for the budget, see tests/run
    for i, ((name, _), fault) in enumerate(zip(todo, found), 1):
        print(f"not ok {i} - {kernel}: {name}: {fault}" if fault else f"ok {i} - {kernel}: {name}")
    # The status of the last command does not matter, but a guest that breaks off does.
    ok = done.returncode < 99
    print(f"{'ok' if ok else 'not ok'} {len(todo) + 1} - {kernel}: it ends well"
          f" ({done.returncode})")
    if bad or not ok:
        print("# " + (done.stdout[-3000:] + done.stderr[-3000:]).replace("\n", "\n# "))
    return bool(bad or not ok)


sys.exit(main())
