#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Small faults that the tests must notice. Comes in: mutants.toml, perhaps a part of
the names, or of the tests, of those to try; --check only sees whether each still fits
the source. Goes out: a line for each, and "N killed, N survived". Called by `make
mutants`.

Each fault is put into a copy of the tree, which is built, and the one test that looks
there must fail by it; the same tests must pass without any fault. Those that need a
guest share one: it gets the program of each."""

import collections
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib

sys.dont_write_bytecode = True
TOP = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
sys.path.insert(0, f"{TOP}/tests/vm")
import exact  # noqa: E402
import kmem  # noqa: E402

KERNEL = "6.12"
LIMIT_S = 300  # of one test; a fault may make it endless
WAIT = 20  # times as long may a processor be awaited, where others use the machine
RIGHT = ""  # in place of a mutant's name: no fault


class Broken(Exception):
    """Neither killed nor survived: nothing was tried."""


def load(part):
    with open(f"{TOP}/tests/mutants/mutants.toml", "rb") as f:
        mutants = tomllib.load(f)["mutant"]
    for i, m in enumerate(mutants):
        m["suite"], _, m["what"] = m["test"].partition(": ")
        if m["suite"] not in SUITES or not m["what"] or "'" in m["name"] or \
                m["name"] in [x["name"] for x in mutants[:i]]:
            raise Broken(f"mutants.toml: '{m['name']}': its test is none, or another has its name")
    return [m for m in mutants if part in f"{m['test']}: {m['name']}"]


# By name, where a suite has a list of them.
CASES = {"exact": {c[0]: c for c in exact.cases},
         "kmem": {m.name: m for m in kmem.MEASUREMENTS + kmem.NODES}}


def misfits(mutants):
    """What the source has moved away from is no fault any more."""
    for m in mutants:
        path = f"{TOP}/{m['file']}"
        n = read(path).count(m["old"]) if os.path.exists(path) else 0
        if n != 1:
            yield m["name"], Broken(f"{m['file']} has its old text {n} times, not once; "
                                    "write it anew in tests/mutants/mutants.toml")
        elif m["what"] not in CASES.get(m["suite"], {m["what"]}):
            yield m["name"], Broken(f"{m['suite']} has no '{m['what']}'")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def make(tree, *words):
    done = subprocess.run(["make", "-s", "-j2", *words], cwd=tree, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise Broken(f"it does not build:\n{done.stdout[-3000:]}")


def tap_fails(text):
    """None where the test did not come to its end."""
    lines = text.splitlines()
    if not any(line.startswith("1..") for line in lines):
        return None
    return [line for line in lines if line.startswith("not ok")]


# ---- tests outside of guests: built and run for each ----

def try_unit(tree, what):
    return try_program(tree, f".output/test/{what}")


def try_model(tree, what):
    return try_program(tree, f".output/model/{what}")


def try_here(tree, what):
    return try_program(tree, f".output/tests/vm/{what}")


def try_cli(tree, what):
    make(tree)
    done = subprocess.run(["timeout", str(LIMIT_S), "bash", f"tests/cli/{what}.t"], cwd=tree, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return tap_fails(done.stdout)


def try_program(tree, program):
    make(tree, program)
    # Into a file: a process that it leaves behind would hold a pipe.
    with open(f"{tree}/.output/program.tap", "w+", encoding="utf-8",
              errors="replace") as out:
        done = subprocess.run([program], cwd=tree, timeout=WAIT * LIMIT_S,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S)),
                              env=os.environ | {"CMOCKA_MESSAGE_OUTPUT": "tap", "MODEL_FIRST": "1"},
                              stdout=out, stderr=subprocess.STDOUT)
        out.seek(0)
        fails = tap_fails(out.read())
    return fails or ([f"status {done.returncode}"] if done.returncode else [])


told = {}  # what suites of this machine printed, until the tree changes


def try_user(tree, what):
    return try_results(tree, "tests/vm/user-run", what)


def try_uprobes(tree, what):
    return try_results(tree, "tests/vm/uprobes-run", what)


def try_calibrate(tree, what):
    return try_results(tree, "tests/vm/calibrate.py", what)


def try_results(tree, command, what):
    """One result of a suite that runs on this machine."""
    if command not in told:
        make(tree)
        told[command] = subprocess.run(["timeout", str(LIMIT_S), command, "here"], cwd=tree, text=True,
                                       env=os.environ | {"CALLS": "80000", "KILLS": "3", "ROUNDS": "3"},
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    text = told[command]
    if f" - here: {what}" not in text:
        raise Broken(f"there is no result '{what}'")
    return [line for line in tap_fails(text + "1..1") if f" - here: {what}" in line]


# ---- tests in guests: what each needs is put into a folder of its own ----

def keep_program(tree, folder):
    make(tree)
    os.makedirs(folder)
    subprocess.run(["strip", "-g", "-o", f"{folder}/kstats-bpf", f"{tree}/.output/kstats-bpf"],
                   check=True)


def keep_module(tree, folder):
    ko = subprocess.run([f"{tree}/tests/vm/build-kmod", KERNEL, f"{tree}/kmod"], text=True,
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ko.returncode:
        raise Broken(f"it does not build:\n{ko.stderr[-3000:]}")
    os.makedirs(folder)
    shutil.copy(ko.stdout.strip(), f"{folder}/kstats.ko")


def guest(script, adds, *options):
    done = subprocess.run([f"{TOP}/tests/vm/run", "-k", KERNEL, "-t", "10000", "-m", "3000",
                           *options, *[w for a in adds for w in ("-a", a)], "--", script],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    print(f"# the guest ended with status {done.returncode}", file=sys.stderr)
    if done.returncode:
        print("# " + done.stderr[-3000:].replace("\n", "\n# "), file=sys.stderr)
    return done.stdout


def exact_cases(tests, folder):
    """The checks of exact.py; the truth is cleared between them."""
    known = CASES["exact"]
    target, lines = exact.build(KERNEL), []
    for i, (name, what) in enumerate(tests):
        lines += [f"cp '{folder}/{name or 'right'}/kstats-bpf' /usr/bin/kstats-bpf || exit 98",
                  exact.shell(i, "map", known[what]).replace(
                      "\nkstats-bpf trace", f"\ntimeout {LIMIT_S} kstats-bpf trace")]
    results = exact.parse(guest("\n".join([f"insmod {target} || exit 99", *lines]),
                                [target, folder]))
    for i, (name, what) in enumerate(tests):
        if i not in results or results[i]["rc"] is None:
            yield name, what, None
            continue
        if results[i]["report"] is None:
            yield name, what, [f"no report, status {results[i]['rc']}"]
            continue
        try:
            exact.judge(known[what], "map", results[i])
            yield name, what, []
        except exact.Wrong as e:
            yield name, what, [str(e)]


def sections(tests, command, adds, folder, *options):
    """Parts of a script of TAP, each with its program, in one guest."""
    lines = []
    for i, (name, what) in enumerate(tests):
        lines += [f"echo @@ {i}", f"FOLDER='{folder}/{name or 'right'}'", command.replace("WHAT", what)]
    out = guest("\n".join(lines), [*adds, folder], *options)
    parts = {}
    for part in out.split("@@ ")[1:]:
        number, _, text = part.partition("\n")
        parts[int(number)] = text
    for i, (name, what) in enumerate(tests):
        yield name, what, tap_fails(parts.get(i, ""))


def option_sections(tests, folder):
    target, threads = exact.build(KERNEL), f"{folder}/threads"
    subprocess.run(["cc", "-O1", "-o", threads, f"{TOP}/tests/vm/threads.c", "-lpthread"], check=True)
    here = f"{TOP}/tests"
    command = (f"[ -d {exact.DIR} ] || insmod {target}; cp \"$FOLDER/kstats-bpf\" /usr/bin/kstats-bpf || exit 98; "
               f"TAP={here}/tap.sh THREADS={threads} timeout {LIMIT_S} sh {here}/vm/options.sh WHAT; "
               "kstats-bpf node rm --all 2>/dev/null")
    return sections(tests, command, [target, f"{here}/vm/options.sh", f"{here}/tap.sh"], folder,
                    "-c", "72", "-K", "maxcpus=2")


def recipe_sections(tests, folder):
    subprocess.run([f"{TOP}/tests/vm/recipes-build", KERNEL, folder], check=True)
    here = f"{TOP}/tests"
    command = ("cp \"$FOLDER/kstats-bpf\" /usr/bin/kstats-bpf || exit 98; "
               f"TAP={here}/tap.sh AT={folder} timeout {LIMIT_S} sh {here}/vm/recipes.sh WHAT")
    return sections(tests, command, [f"{here}/vm/recipes.sh", f"{here}/tap.sh"], folder)


def node_sections(tests, folder):
    """Parts of node_by.sh."""
    target = exact.build(KERNEL)
    bpftool = shutil.which("bpftool", path=os.environ["PATH"] + ":/usr/sbin")
    script, *shared = (f"{TOP}/tests/{f}" for f in ("vm/node_by.sh", "tap.sh", "vm/objects.sh",
                                                   "vm/nodes.sh"))
    command = (f"[ -d {exact.DIR} ] || insmod {target}; cp \"$FOLDER/kstats-bpf\" /usr/bin/kstats-bpf || exit 98; "
               f"TAP={shared[0]} OBJECTS={shared[1]} NODES={shared[2]} KILLS=6 timeout {LIMIT_S} "
               f"sh {script} WHAT; kstats-bpf node rm --all 2>/dev/null")
    return sections(tests, command, [target, bpftool, script, *shared], folder)


def module_tests(tests, folder):
    make(TOP, ".output/tests/vm/kmod/tool")
    tool = f"{TOP}/.output/tests/vm/kmod/tool"
    command = (f"insmod \"$FOLDER/kstats.ko\" max_nodes=16 || exit 98; {tool} WHAT 16; echo 1..1; "
               "until rmmod kstats; do sleep 0.1; done 2>/dev/null")
    return sections(tests, command, [tool], folder)


def kmem_measurements(tests, folder):
    """The measurements of kmem.py."""
    known = CASES["kmem"]
    ko, lines = kmem.prepare(KERNEL), []
    for i, (name, what) in enumerate(tests):
        lines += [f"cp '{folder}/{name or 'right'}/kstats-bpf' /usr/bin/kstats-bpf || exit 98",
                  known[what].shell(i)]
    got = kmem.parse(guest("\n".join([f"KO={ko}; insmod $KO || exit 99", *lines]),
                           [ko, kmem.LOAD, folder]))
    for i, (name, what) in enumerate(tests):
        one = dict(enumerate([got[i]])) if i in got and got[i].doc is not None else {}
        fails = [f"{text}: {p}" for text, problems in kmem.results(KERNEL, [known[what]], one)
                 for p in problems]
        yield name, what, fails if one else None


# How a mutant is kept, and what tries all that were kept; or what tries one at once.
SUITES = {
    "unit": (None, try_unit),
    "model": (None, try_model),
    "user": (None, try_user),
    "uprobes": (None, try_uprobes),
    "calibrate": (None, try_calibrate),
    "here": (None, try_here),
    "cli": (None, try_cli),
    "exact": (keep_program, exact_cases),
    "options": (keep_program, option_sections),
    "recipes": (keep_program, recipe_sections),
    "node": (keep_program, node_sections),
    "kmod": (keep_module, module_tests),
    "kmem": (keep_program, kmem_measurements),
}


# ---- all ----

def each_mutant(tree, mutants, kept, verdicts):
    for m in mutants:
        if m["name"] in verdicts:
            continue
        keep, attempt = SUITES[m["suite"]]
        path = f"{tree}/{m['file']}"
        right = read(path)
        write(path, right.replace(m["old"], m["new"]))
        told.clear()
        try:
            if keep:
                keep(tree, f"{kept}/{m['suite']}/{m['name']}")
            else:
                verdicts[m["name"]] = attempt(tree, m["what"])
        except (Broken, subprocess.TimeoutExpired) as e:
            verdicts[m["name"]] = e
        write(path, right)
        print(f"# made: {m['name']}", file=sys.stderr, flush=True)


def the_right_one(tree, mutants, kept):
    """Without a fault every test that looks must pass, or its failing means nothing."""
    for suite in dict.fromkeys(m["suite"] for m in mutants):
        keep, attempt = SUITES[suite]
        if keep:
            keep(tree, f"{kept}/{suite}/right")
            continue
        for what in dict.fromkeys(m["what"] for m in mutants if m["suite"] == suite):
            if attempt(tree, what):
                raise Broken(f"{suite}: {what} fails without a fault")


def in_guests(mutants, kept, verdicts):
    by_suite = collections.defaultdict(list)
    for m in mutants:
        if SUITES[m["suite"]][0] and m["name"] not in verdicts:
            by_suite[m["suite"]].append((m["name"], m["what"]))
    for suite, tests in by_suite.items():
        tests = [(RIGHT, what) for what in dict.fromkeys(w for _, w in tests)] + tests
        for name, what, fails in SUITES[suite][1](tests, f"{kept}/{suite}"):
            if name != RIGHT:
                verdicts[name] = fails
            elif fails or fails is None:
                raise Broken(f"{suite}: {what}: without a fault: {fails or 'no result'}")


def tell(mutants, verdicts):
    killed = survived = broken = 0
    for m in mutants:
        fails = verdicts.get(m["name"])
        if fails is None or isinstance(fails, Exception):
            broken += 1
            print(f"not tried: {m['name']}: {fails or 'the test has no result'}")
        elif fails:
            killed += 1
            print(f"killed: {m['name']}: {fails[0][:150]}")
        else:
            survived += 1
            print(f"survived: {m['name']}: {m['file']}, '{m['old'].strip()}' made "
                  f"'{m['new'].strip()}': {m['test']} passes")
    print(f"{killed} killed, {survived} survived" + (f", {broken} not tried" if broken else ""))
    return bool(survived or broken or not killed)


def main():
    words = [w for w in sys.argv[1:] if w != "--check"]
    try:
        mutants = load("".join(words))
        verdicts = dict(misfits(mutants))
        if "--check" in sys.argv:
            for name, why in verdicts.items():
                print(f"{name}: {why}")
            print(f"{len(mutants) - len(verdicts)} of {len(mutants)} fit")
            return bool(verdicts)
        with tempfile.TemporaryDirectory() as tmp:
            tree, kept = f"{tmp}/tree", f"{tmp}/kept"
            shutil.copytree(TOP, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            the_right_one(tree, mutants, kept)
            each_mutant(tree, mutants, kept, verdicts)
            in_guests(mutants, kept, verdicts)
    except Broken as e:
        print(f"mutants: {e}", file=sys.stderr)
        return 2
    return tell(mutants, verdicts)


if __name__ == "__main__":
    sys.exit(main())
