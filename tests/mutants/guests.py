# SPDX-License-Identifier: GPL-2.0-only
"""The tests of mutants.py that need a guest. A suite knows where `make test` runs each of its
tests, since a fault must be found there and not only by `make test-long`. All tests of one kernel
share a guest, each with the program or the module of its fault. Called by mutants.py."""

import argparse
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.realpath(f"{os.path.dirname(__file__)}/../..")
# What `make test-long` asks for more with.
for word in ("KSTATS_WHOLE", "CALLS", "CYCLES", "DELETES", "FUNCTIONS", "KILLS", "READS", "RECORDS", "WRITERS", "WRITES"):
    os.environ.pop(word, None)
sys.path.insert(0, f"{TOP}/tests/vm")
import exact  # noqa: E402
import kmem  # noqa: E402

KERNELS = ("6.12", "6.1", "7")  # of several that run a test the first one is taken
LIMIT_S = 300  # of one test; a fault may make it endless
RIGHT = ""  # in place of a fault's name: there is none
LATE = (124, 137, 143)  # what the status then is


PACKED = "ZSTDFLAGS=-qq -1 --single-thread --no-check"  # much sooner
FORMS = ("", "_session", "_session_void")  # of the programs of trace
OF_MODULE = [f"kstats{form}_kmod" for form in FORMS]
OF_TRACE = [*OF_MODULE, *(f"kstats{form}{backend}" for form in FORMS for backend in ("", "_blocks"))]


class Broken(Exception):
    """Neither killed nor survived: nothing was tried."""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def output(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise Broken(f"{' '.join(command[:2])}:\n{done.stderr[-3000:]}")
    return done.stdout.strip()


def make(tree, *words):
    done = subprocess.run(["make", "-s", "-j2", *words], cwd=tree, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise Broken(f"it does not build:\n{done.stdout[-3000:]}")


def make_without(tree, *unused):
    """BPF objects of these names stay as they are."""
    make(tree, PACKED, *(w for o in unused for w in ("-o", f".output/{o}.bpf.o")))


def tap_fails(text):
    """None where the test did not come to its end."""
    lines = text.splitlines()
    if not any(line.startswith("1..") for line in lines):
        return None
    return [line for line in lines if line.startswith("not ok")]


def by_default(script):
    """The sections that a script runs where it is not told any."""
    found = re.search(r"\|\| set -- (.*)", read(f"{TOP}/tests/vm/{script}"))
    words = re.sub(r"\$\{WHOLE:\+[^}]*\}", "", found.group(1)).split()
    return [word.lstrip("$") for word in words]  # $NAME: NAME, or nothing


class Suite:
    """Tests of one kernel. `words` are those of tests/vm/run, `adds` what the guest gets; `begin`
    are commands for all tests, `before` for each. These have the program in use."""

    words, adds, begin = ["-f"], [], ":"
    # BPF objects that are not compiled anew, since that takes most of the time: what these tests
    # measure with is none of them. They may be of an earlier fault.
    unused = ()
    before = 'cp "$FOLDER/kstats-bpf" /usr/bin/kstats-bpf && { kstats-bpf node rm --all >/dev/null 2>&1; true; }'

    def __init__(self, kernel, folder):
        """Makes what the tests need."""

    @staticmethod
    def tests(kernel):
        """Those that `make test` does on this kernel."""

    @classmethod
    def keep(cls, tree, folder, kernel):
        """What a fault has changed is kept: here the program."""
        del kernel
        make_without(tree, *cls.unused)
        os.makedirs(folder)
        output("strip", "-g", "-o", f"{folder}/kstats-bpf", f"{tree}/.output/kstats-bpf")

    def shell(self, what):
        """A test; $FOLDER has what was kept."""

    def fails(self, what, said):
        """What did not hold in the output of a test; None: it has no result."""
        del what
        return tap_fails(said)


class Exact(Suite):
    """The cases of exact.py."""

    words = ["-f", "-K", "tsc=reliable"]
    unused = [*OF_MODULE, "kmem"]  # by the map backend

    def __init__(self, kernel, folder):
        super().__init__(kernel, folder)
        target = exact.build(kernel)
        self.adds, self.begin = [target], f"insmod {target}"
        self.known = {c[0]: c for c in exact.cases}

    @staticmethod
    def tests(kernel):
        # It chooses those of this place that mutants.toml names.
        return [c[0] for c in exact.cases if exact.possible(c, exact.MUTANTS)] \
            if f"{kernel} map" == exact.MUTANTS else []

    def shell(self, what):
        return exact.shell(0, "map", self.known[what])

    def fails(self, what, said):
        got = exact.parse(said).get(0)
        if not got or got["rc"] is None:
            return None
        try:
            exact.judge(self.known[what], "map", got)
        except exact.Wrong as e:
            return [str(e)]
        return []


class Kmem(Suite):
    """The measurements of kmem.py."""

    unused = OF_TRACE
    before = Suite.before + ' && { [ -d /sys/module/kstats_memory ] || insmod "$KO"; }'

    def __init__(self, kernel, folder):
        super().__init__(kernel, folder)
        self.kernel, self.known = kernel, self.known_of(kernel)
        ko = kmem.prepare(kernel)
        self.adds = [ko, kmem.LOAD, kmem.BPFTOOL, f"{TOP}/tests/vm/objects.sh"]
        self.begin = f"export KO={ko}; {kmem.debug_information(ko)}"

    @staticmethod
    def known_of(kernel):
        """Some are done together."""
        asked = argparse.Namespace(kernel=kernel, part="", long=False)
        return {one.name: m for m in kmem.chosen_of(asked) for one in getattr(m, "ones", [m])}

    @classmethod
    def tests(cls, kernel):
        return cls.known_of(kernel)

    def shell(self, what):
        return self.known[what].shell(0)

    def fails(self, what, said):
        got = kmem.parse(said)
        if 0 not in got or got[0].doc is None:
            return None
        return [f"{text}: {p}" for text, problems in kmem.results(self.kernel, [self.known[what]], got)
                for p in problems]


class Script(Suite):
    """Sections of a script."""

    name, variables = "", ""

    def __init__(self, kernel, folder):
        super().__init__(kernel, folder)
        self.adds = [f"{TOP}/tests/vm/{self.name}", f"{TOP}/tests/tap.sh"]
        self.variables = f"TAP={TOP}/tests/tap.sh"

    def shell(self, what):
        return f"{self.variables} sh {TOP}/tests/vm/{self.name} {what}"


class Options(Script):
    name, words = "options.sh", ["-f", "-c", "72", "-K", "maxcpus=2"]

    def __init__(self, kernel, folder):
        super().__init__(kernel, folder)
        target, threads = exact.build(kernel), f"{folder}/threads"
        output("cc", "-O1", "-o", threads, f"{TOP}/tests/vm/threads.c", "-lpthread")
        self.adds += [target, threads]
        self.variables += f" THREADS={threads}"
        self.begin = f"insmod {target}"

    @classmethod
    def tests(cls, kernel):
        return by_default(cls.name) if f"-k {kernel} " in read(f"{TOP}/tests/vm/options.t") else []


class Recipes(Script):
    name = "recipes.sh"

    def __init__(self, kernel, folder):
        super().__init__(kernel, folder)
        at = f"{folder}/at"
        os.makedirs(at, exist_ok=True)
        output(f"{TOP}/tests/vm/recipes-build", kernel, at)
        self.adds += [at, *map(shutil.which, ("getent", "dd"))]
        self.variables += f" AT={at}"

    @classmethod
    def tests(cls, kernel):
        return by_default(cls.name) if kernel == "6.12" else []


# What the test before this one has left goes after a moment, or stays.
QUIET = """nothing=$(objects)
quiet() {
    for _ in $(seq 20); do
        [ "$(objects)" != "$nothing" ] || return 0
        sleep 0.5
    done
    nothing=$(objects)
}"""


class Nodes(Script):
    """Those of keys."""

    name, before = "node_by.sh", Suite.before + " && quiet"

    def __init__(self, kernel, folder):
        super().__init__(kernel, folder)
        target = exact.build(kernel)
        self.adds += [target, kmem.BPFTOOL, f"{TOP}/tests/vm/objects.sh", f"{TOP}/tests/vm/nodes.sh"]
        self.variables += f" OBJECTS={TOP}/tests/vm/objects.sh NODES={TOP}/tests/vm/nodes.sh KILLS=6"
        self.begin = f"insmod {target}; . {TOP}/tests/vm/objects.sh\n{QUIET}"

    @staticmethod
    def tests(kernel):
        found = re.search(rf"node-run {kernel} by (.*)", read(f"{TOP}/tests/vm/suites"))
        return found.group(1).split() if found else []


class Module(Suite):
    """What kmod.sh lets the tool do, after the same modules."""

    words = ["-f", "-u", "-K", "tsc=reliable"]
    before = "[ ! -d /sys/module/kstats ]"

    def __init__(self, kernel, folder):
        super().__init__(kernel, folder)
        self.known = self.known_of(kernel, folder)
        make(TOP, ".output/tests/vm/kmod/tool")
        tool, records = f"{TOP}/.output/tests/vm/kmod/tool", exact.build(kernel, f"{TOP}/tests/kmod/kstats_records")
        self.adds = [tool, records]
        many = re.findall(r'"\$\{(\w+):=([^}]*)\}"', read(f"{TOP}/tests/vm/kmod-run"))
        self.begin = "\n".join(f"export {name}='{value}'" for name, value in (
            ("TOOL", tool), ("RECORDS_KO", records), *many))

    @staticmethod
    def known_of(kernel, folder):
        path = output(f"{TOP}/tests/vm/sections", kernel, f"{TOP}/tests/vm/kmod.sh", folder)
        known, loads = {}, []
        for line in read(path).splitlines():
            found = re.match(r'(insmod "\$(KMOD|RECORDS_KO)".*?)( \|\| exit 1)?$|tool (\w+) (.*)', line)
            if found and found.group(4):
                known[found.group(4)] = " && ".join([*loads, f'"$TOOL" {found.group(5)}'])
            elif found:
                loads = [*(loads if found.group(2) != "KMOD" else []), found.group(1)]
        return known

    @classmethod
    def tests(cls, kernel):
        if f"kmod-run {kernel}" not in read(f"{TOP}/tests/vm/suites"):
            return []
        with tempfile.TemporaryDirectory() as folder:
            return cls.known_of(kernel, folder)

    @staticmethod
    def keep(tree, folder, kernel):
        ko = output(f"{tree}/tests/vm/build-kmod", kernel, f"{tree}/kmod")
        os.makedirs(folder)
        shutil.copy(ko, f"{folder}/kstats.ko")

    def shell(self, what):
        return (f'KMOD=$FOLDER/kstats.ko\n{self.known[what]} || echo "not ok - status $?"\necho 1..1\n'
                "rmmod kstats_records 2>/dev/null\nuntil rmmod kstats; do usleep 100000; done 2>/dev/null")


SUITES = {"exact": Exact, "kmem": Kmem, "options": Options, "recipes": Recipes, "node": Nodes, "kmod": Module}


@functools.cache
def homes(suite):
    """Of each test that `make test` does: on which kernel."""
    return {what: kernel for kernel in reversed(KERNELS) for what in SUITES[suite].tests(kernel)}


# ---- a guest: tests one after another ----

# One that does not end must not keep the processors from the others.
END_ALL = """end_all() {
    for left in /proc/[0-9]*; do
        [ "${left#/proc/}" -le $$ ] || kill -9 "${left#/proc/}" 2>/dev/null
    done
}"""


def script_of(suite, tests, folder):
    lines = [END_ALL, suite.begin]
    for i, (name, what) in enumerate(tests):
        with open(f"{folder}/{i}.sh", "w", encoding="utf-8") as f:
            f.write(suite.shell(what) + "\n")
        lines += [f"export FOLDER='{folder}/{name or 'right'}'; {suite.before} || exit 98", f"echo @@begin {i}",
                  f"timeout -k 10 {LIMIT_S} sh {folder}/{i}.sh; status=$?", "echo; echo @@end $status",
                  "[ $status = 0 ] || end_all"]
    return "\n".join(lines)


def guest(suite, kernel, tests, folder):
    """The outputs of those tests that began, with their statuses; and how the guest ended."""
    command = script_of(suite, tests, folder)
    done = subprocess.run([f"{TOP}/tests/vm/run", "-k", kernel, "-t", str(4 * LIMIT_S), "-m", "3000", *suite.words,
                           *[w for path in (*suite.adds, folder) for w in ("-a", path)], "--", command],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, errors="replace")
    how = f"the guest ended with status {done.returncode}"
    if done.returncode:
        print("\n# ".join([f"# {how}", *done.stderr[-3000:].splitlines()]), file=sys.stderr)
    said = []
    for part in re.split(r"^@@begin \d+\n", done.stdout, flags=re.M)[1:]:
        text, ended, status = part.partition("\n@@end ")
        said.append((text, int(status) if ended else None))
    return said, how


def verdict(suite, what, said, status, how):
    """The same test has passed without the fault, so that no result, two times, is a failure."""
    if status is None:
        return [how]
    if status in LATE:
        return [f"it has not ended after {LIMIT_S} s"]
    try:
        fails = suite.fails(what, said)
    except (LookupError, TypeError, ValueError) as e:
        return [f"what it said cannot be judged: {e!r}"]
    return [f"it broke off, with status {status}"] if fails is None else fails


def attempt(name, kernel, tests, folder):
    """Tests are pairs: a name of what was kept, or RIGHT, and the test. Yields them with what did
    not hold. A fault that takes the guest along leaves another one to those that follow."""
    os.makedirs(folder, exist_ok=True)
    try:
        suite = SUITES[name](kernel, folder)
    except subprocess.CalledProcessError as e:
        raise Broken(str(e)) from e
    while tests:
        said, how = guest(suite, kernel, tests, folder)
        if not said:
            raise Broken(f"{how} before the first test")
        for (fault, what), (text, status) in zip(tests, said):
            if fault != RIGHT and (status is None or status in LATE):
                # By the fault or by chance: once more, alone.
                again, how = guest(suite, kernel, [(fault, what)], folder)
                if not again:
                    yield fault, what, None
                    continue
                text, status = again[0]
            yield fault, what, verdict(suite, what, text, status, how)
        tests = tests[len(said):]
