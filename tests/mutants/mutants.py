#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Small faults that the tests must notice. Comes in: mutants.toml, and words as words() tells.
Goes out: a line for each, and "N killed, N survived" of each suite and of all; of --right TAP. Called by
`make mutants`, lint and right.t.

Each fault is put into a copy of the tree, which is built, and the one test that looks
there must fail by it; the same tests must pass without any fault, or the faults they look for are
not tried. Those that need a guest are in guests.py."""

import argparse
import collections
import itertools
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib

sys.dont_write_bytecode = True
import guests  # noqa: E402
from guests import LATE, LIMIT_S, RIGHT, TOP, Broken, make, read, tap_fails  # noqa: E402

WAIT = 20  # times as long may a processor be awaited, where others use the machine
FILES = {"unit": "unit/{}.c", "model": "model/test_{}.c", "here": "vm/{}.t", "cli": "cli/{}.t"}


def load(part):
    with open(f"{TOP}/tests/mutants/mutants.toml", "rb") as f:
        mutants = tomllib.load(f)["mutant"]
    for i, m in enumerate(mutants):
        m["suite"], _, m["what"] = m["test"].partition(": ")
        if m["suite"] not in (*HERE, *guests.SUITES) or not m["what"] or "'" in m["name"] or \
                m["name"] in [x["name"] for x in mutants[:i]]:
            raise Broken(f"mutants.toml: '{m['name']}': its test is none, or another has its name")
    return [m for m in mutants if part in f"{m['test']}: {m['name']}"]


def has_test(suite, what):
    """Does `make test` run it?"""
    if suite in guests.SUITES:
        return what in guests.homes(suite)
    return suite not in FILES or os.path.exists(f"{TOP}/tests/{FILES[suite].format(what)}")


def misfits(mutants):
    """What the source has moved away from is no fault any more."""
    for m in mutants:
        path = f"{TOP}/{m['file']}"
        n = read(path).count(m["old"]) if os.path.exists(path) else 0
        if n != 1:
            yield m["name"], Broken(f"{m['file']} has its old text {n} times, not once; "
                                    "write it anew in tests/mutants/mutants.toml")
        elif not has_test(m["suite"], m["what"]):
            yield m["name"], Broken(f"`make test` runs no '{m['test']}'")


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


# ---- tests outside of guests: built and run for each ----

def failed(status, said):
    """What did not hold. The test has passed without the fault, or the fault is not tried."""
    if status in LATE:
        return [f"it has not ended after {LIMIT_S} s"]
    fails = tap_fails(said)
    return [f"it broke off, with status {status}"] if fails is None else fails


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
    return failed(done.returncode, done.stdout)


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
        fails = failed(done.returncode, out.read())
    return fails or ([f"status {done.returncode}"] if done.returncode else [])


told = {}  # the outputs of suites of this machine that came to their end, until the tree changes


UNUSED = [*guests.OF_MODULE, "kmem"]  # BPF objects that none of these suites loads


def try_user(tree, what):
    return try_results(tree, "tests/vm/user-run", what)


def try_uprobes(tree, what):
    return try_results(tree, "tests/vm/uprobes-run", what)


def try_calibrate(tree, what):
    return try_results(tree, "tests/vm/calibrate.py", what)


def try_results(tree, command, what):
    """One result of a suite that runs on this machine. It runs no further once that has failed."""
    if command not in told:
        guests.make_without(tree, *UNUSED)
        fails, text = until_fails(tree, [command, "here"], f" - here: {what}")
        if fails:
            return fails
        told[command] = text
    text = told[command]
    if f" - here: {what}" not in text:
        raise Broken(f"there is no result '{what}'")
    return [line for line in tap_fails(text + "1..1") if f" - here: {what}" in line]


def until_fails(tree, command, name):
    """The first failure of that name, and the output up to it."""
    lines = []
    with subprocess.Popen(["timeout", str(3 * LIMIT_S), *command], cwd=tree, text=True, start_new_session=True,
                          env=os.environ | {"CALLS": "80000", "KILLS": "3", "ROUNDS": "3"},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as suite:
        for line in suite.stdout:
            lines.append(line)
            if line.startswith("not ok") and name in line:
                os.killpg(suite.pid, signal.SIGTERM)
                return [line.strip()], "".join(lines)
    return [], "".join(lines)


# What tries those that need no guest.
HERE = {"unit": try_unit, "model": try_model, "user": try_user, "uprobes": try_uprobes,
        "calibrate": try_calibrate, "here": try_here, "cli": try_cli}


# ---- all ----

def each_mutant(tree, mutants, kept, verdicts):
    for m in mutants:
        if m["name"] in verdicts:
            continue
        path = f"{tree}/{m['file']}"
        right = read(path)
        write(path, right.replace(m["old"], m["new"]))
        told.clear()
        try:
            if m["suite"] in HERE:
                verdicts[m["name"]] = HERE[m["suite"]](tree, m["what"])
            else:
                kernel = guests.homes(m["suite"])[m["what"]]
                guests.SUITES[m["suite"]].keep(tree, f"{kept}/{m['suite']}-{kernel}/{m['name']}", kernel)
        except (Broken, subprocess.TimeoutExpired) as e:
            verdicts[m["name"]] = e
        write(path, right)
        print(f"# made: {m['name']}", file=sys.stderr, flush=True)


def right_here(tree, tests):
    """Tries tests without a fault. Yields what each said, or why it could not be tried."""
    for suite, what in tests:
        try:
            yield suite, what, HERE[suite](tree, what)
        except (Broken, subprocess.TimeoutExpired) as e:
            yield suite, what, e


def by_guest(mutants, verdicts):
    """Those that are left, by suite and kernel."""
    groups = collections.defaultdict(list)
    for m in mutants:
        if m["suite"] not in HERE and m["name"] not in verdicts:
            groups[m["suite"], guests.homes(m["suite"])[m["what"]]].append(m)
    return groups


def rights(mutants):
    return [(RIGHT, what) for what in dict.fromkeys(m["what"] for m in mutants)]


def right_in_guests(tree, mutants, kept, verdicts):
    for (suite, kernel), some in by_guest(mutants, verdicts).items():
        folder, tests = f"{kept}/{suite}-{kernel}", rights(some)
        try:
            guests.SUITES[suite].keep(tree, f"{folder}/right", kernel)
            for _, what, fails in guests.attempt(suite, kernel, tests, folder):
                yield suite, what, fails
        except Broken as e:
            yield from ((suite, what, e) for _, what in tests)


def the_right_one(tree, mutants, kept, verdicts):
    """Without a fault every test that looks must pass, or its failing means nothing."""
    here = dict.fromkeys((m["suite"], m["what"]) for m in mutants if m["suite"] in HERE)
    for suite, what, fails in itertools.chain(right_here(tree, here), right_in_guests(tree, mutants, kept, verdicts)):
        if fails:
            blame(mutants, suite, what, verdicts, f"fails without a fault: {fails}")


def blame(mutants, suite, what, verdicts, why):
    print(f"# {suite}: {what}: {why}", file=sys.stderr, flush=True)
    for m in mutants:
        if (m["suite"], m["what"]) == (suite, what):
            verdicts[m["name"]] = Broken(f"{suite}: {what}: {why}")


def in_guests(mutants, kept, verdicts):
    for (suite, kernel), some in by_guest(mutants, verdicts).items():
        # What they leave behind must not let others fail: those without a fault come last.
        tests = [(m["name"], m["what"]) for m in some] + rights(some)
        try:
            for name, what, fails in guests.attempt(suite, kernel, tests, f"{kept}/{suite}-{kernel}"):
                if name != RIGHT:
                    verdicts[name] = fails
                elif fails:
                    blame(some, suite, what, verdicts, f"fails without a fault after those with one: {fails}")
        except Broken as e:
            for m in some:
                verdicts.setdefault(m["name"], e)


def outcome(fails):
    """killed, survived or not tried, and why."""
    if fails is None or isinstance(fails, Exception):
        return "not tried", fails or "the test has no result"
    return ("killed", fails[0][:150]) if fails else ("survived", "")


def tell(mutants, verdicts):
    """A line for each; then how many, by suite and of all."""
    table = collections.defaultdict(collections.Counter)
    for m in mutants:
        how, why = outcome(verdicts.get(m["name"]))
        table[m["suite"]][how] += 1
        table[""][how] += 1
        why = why or f"{m['file']}, '{m['old'].strip()}' made '{m['new'].strip()}': {m['test']} passes"
        print(f"{how}: {m['name']}: {why}")
    for suite, n in (*((s, n) for s, n in table.items() if s), ("", table[""])):
        print(f"{suite + ': ' if suite else ''}{n['killed']} killed, {n['survived']} survived"
              + (f", {n['not tried']} not tried" if n["not tried"] else ""))
    return table[""]["killed"] != len(mutants) or not mutants


def tell_right(tree, mutants, kept):
    """TAP: can the faults that need a guest be tried?"""
    n = bad = 0
    for suite, what, fails in right_in_guests(tree, mutants, kept, {}):
        n += 1
        bad += bool(fails)
        print(f"{'not ok' if fails else 'ok'} {n} - {suite}: {what}" + (f": {fails}" if fails else ""), flush=True)
    print(f"1..{n}")
    return bool(bad)


def words():
    parser = argparse.ArgumentParser(description="Puts each fault of mutants.toml into a copy of the tree: "
                                                 "the test that it names must fail.")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--check", action="store_true",
                      help="only see whether each still fits the source, and whether `make test` runs its test")
    only.add_argument("--right", action="store_true",
                      help="only try the tests that need a guest, without a fault")
    parser.add_argument("part", nargs="?", default="",
                        help="of 'TEST: NAME' of those to try (all), such as 'cli: ' or 'gap'")
    return parser.parse_args()


def main():
    asked = words()
    try:
        mutants = load(asked.part)
    except Broken as e:
        print(f"mutants: {e}", file=sys.stderr)
        return 2
    verdicts = dict(misfits(mutants))
    if asked.check:
        for name, why in verdicts.items():
            print(f"{name}: {why}")
        print(f"{len(mutants) - len(verdicts)} of {len(mutants)} fit")
        return bool(verdicts)
    with tempfile.TemporaryDirectory() as tmp:
        tree, kept = f"{tmp}/tree", f"{tmp}/kept"
        shutil.copytree(TOP, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        if asked.right:
            return tell_right(tree, [m for m in mutants if m["name"] not in verdicts], kept)
        the_right_one(tree, mutants, kept, verdicts)
        each_mutant(tree, mutants, kept, verdicts)
        in_guests(mutants, kept, verdicts)
    return tell(mutants, verdicts)


if __name__ == "__main__":
    sys.exit(main())
