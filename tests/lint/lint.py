#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The rules of the house, checked over the tree. Prints TAP. Called by house.t."""

import functools
import glob
import hashlib
import os
import re
import subprocess
import sys
import time

results = []


def rule(name, faults):
    results.append((name, list(faults)))


def files(*roots, ends=(".c", ".h")):
    for root in roots:
        for folder, dirs, names in os.walk(root):
            dirs.sort()
            for n in sorted(names):
                if n.endswith(ends):
                    yield os.path.join(folder, n)


@functools.cache
def lines(path):
    with open(path, encoding="utf-8") as f:
        return f.read().split("\n")


CODE = list(files("src", "include", "bpf", "kmod", "python", "examples", "tests/kmod", "tests/unit", "tests/fuzz", "tests/model",
                  "tests/vm"))
SRC = list(files("src", "include", "bpf", "kmod"))

# A folder of src/ is a room. Whatever it includes must lie below it.
LIBBPF = {"session", "heap", "store", "facts", "hook", "pin", "node", "objects"}
PURE = {"expr", "naming", "spec", "result", "kmem", "judge", "why", "report", "format", "util"}
TALKS = {"main", "cmd", "ui"}
MANY_HEADERS = {"util", "ui", "judge", "result"}  # each header is a subject of its own


def room(path):
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else os.path.splitext(parts[1])[0]


def includes():
    """Each include of src: file, line number, what, and whether it is ours."""
    for path in files("src"):
        for n, line in enumerate(lines(path), 1):
            m = re.match(r'#include ([<"])([^">]+)[">]', line)
            if m:
                yield path, n, m.group(2), m.group(1) == '"'


def arrows():
    below = {}
    for path, n, inc, ours in includes():
        own = room(path)
        if (inc.startswith("bpf/") or ".skel.h" in inc) and own not in LIBBPF:
            yield f"{path}:{n}: {own} may not use libbpf"
        if not ours or "/" not in inc:
            continue
        to = room("src/" + inc)
        if to == own:
            continue
        below.setdefault(own, set()).add(to)
        if own in PURE and to not in PURE:
            yield f"{path}:{n}: {own} is pure, {to} is not"
        if to == "cmd" and own != "main" or to == "ui" and own not in ("main", "cmd"):
            yield f"{path}:{n}: {own} may not look into {to}"
        if inc.endswith("/priv.h"):
            yield f"{path}:{n}: {inc} is for {to} alone"
    yield from circles(below)


def circles(below):
    """Takes rooms that stand on nothing away, floor by floor: what is left stands in a circle."""
    rooms = set(below) | set().union(*below.values())
    while rooms:
        floor = {r for r in rooms if not below.get(r, set()) & rooms}
        if not floor:
            yield f"these rooms include each other in a circle: {', '.join(sorted(rooms))}"
            return
        rooms -= floor


def rooms():
    """A folder has a header of its name; only main.c is in none."""
    for name in sorted(os.listdir("src")):
        if os.path.isfile(f"src/{name}"):
            if name != "main.c":
                yield f"src/{name}: belongs into a folder"
        elif name not in MANY_HEADERS and not os.path.exists(f"src/{name}/{name}.h"):
            yield f"src/{name}: has no header {name}.h"


def kernel_arrows():
    for path in files("kmod", "bpf", "examples"):
        own = set(os.listdir(os.path.dirname(path)))
        for n, line in enumerate(lines(path), 1):
            m = re.match(r'#include "([^"]+)"', line)
            if m and not (m.group(1) in own or m.group(1) == "vmlinux.h"
                          or m.group(1).endswith(".skel.h")
                          or os.path.exists("include/" + m.group(1))):
                yield f"{path}:{n}: kmod, bpf and examples look into include/ only"


FOR_PROGRAMS = "include/kstats_user_node.h"  # ordinary ones, which have a libc


def include_free():
    for path in files("include"):
        for n, line in enumerate(lines(path), 1):
            m = re.match(r"#include <([^>]+)>", line)
            if m and m.group(1) != "linux/types.h" and path != FOR_PROGRAMS:
                yield f"{path}:{n}: include/ may use <linux/types.h> only"


def at_the_top():
    """What is in the top folder is known: a slip of the shell leaves a file there."""
    known = {"CHANGELOG.md", "CONTRIBUTING.md", "COPYING", "Makefile", "README.md", "vmlinux.h"}
    tracked = subprocess.run(["git", "ls-files"], text=True, stdout=subprocess.PIPE, check=False)
    for name in tracked.stdout.split("\n"):
        if name and "/" not in name and name not in known and not name.startswith("."):
            yield f"{name}: nothing of that name belongs there"


def long_lines():
    for path in CODE:
        for n, line in enumerate(lines(path), 1):
            if len(line.expandtabs(8)) > 100:
                yield f"{path}:{n}: longer than 100"


def long_files():
    for path in SRC + list(files("tests/model")):
        if len(lines(path)) > 600:
            yield f"{path}: {len(lines(path))} lines, 600 at most"


def long_functions():
    for path in [p for p in CODE if p.endswith(".c") or "/bpf/" in "/" + p]:
        start = None
        for n, line in enumerate(lines(path), 1):
            if line == "{":
                start = n
            elif line == "}" and start:
                if n - start > 60:
                    yield f"{path}:{start}: a function of {n - start} lines, 60 at most"
                start = None


SHARED_MOST = 1  # of a hundred functions of src, those whose name another file has too


def shared_names():
    """A backtrace, perf and cscope show a name only: it should lead to one place."""
    where = {}
    for path in files("src"):
        code = lines(path)
        for n, line in enumerate(code):
            if line != "{":
                continue
            head = next((l for l in reversed(code[:n]) if l and not l[0].isspace()), "")
            m = re.match(r"[A-Za-z_].*?\b(\w+)\(", head)
            if m:
                where.setdefault(m.group(1), []).append(path)
    shared = {name: at for name, at in where.items() if len(set(at)) > 1}
    n, every = sum(map(len, shared.values())), sum(map(len, where.values()))
    if n * 100 > SHARED_MOST * every:
        yield f"{n} of {every} functions share their name, {SHARED_MOST} % at most; the most frequent:"
        for name in sorted(shared, key=lambda name: -len(shared[name]))[:10]:
            yield f"{name}: {', '.join(shared[name])}"


def spdx():
    for path in subprocess.run(["git", "ls-files"], text=True, check=True,
                               stdout=subprocess.PIPE).stdout.split("\n"):
        if path.endswith((".c", ".h", ".py", ".sh", ".t", ".8", ".5")) or path in (
                "Makefile", ".ci/run", "kmod/build", "kmod/Kbuild", "kmod/dkms.conf", "tests/run", "tests/deps", "tests/demo"):
            if "SPDX-License-Identifier: GPL-2.0-only" not in "\n".join(lines(path)[:4]):
                yield path


def one_arithmetic():
    for path in [p for p in SRC if p != "include/kstats_slot.h"]:
        for n, line in enumerate(lines(path), 1):
            if re.search(r"(?<!_)bucket\s*(<<|-)|<<\s*\(?bucket|clzll|64 - \(?bits|- bits \+ 1", line):
                yield f"{path}:{n}: slot arithmetic belongs into kstats_slot.h"


def no_sync():
    for path in CODE:
        for n, line in enumerate(lines(path), 1):
            if re.search(r"keep .*in sync", line, re.I):
                yield f"{path}:{n}: two definitions of one thing"


def prints():
    for path in files("src"):
        if room(path) in TALKS or path == "src/util/error.c":
            continue
        for n, line in enumerate(lines(path), 1):
            if re.search(r"\b(printf|puts|putchar)\(|\bstdout\b(?!_)|fprintf\(stderr", line):
                yield f"{path}:{n}: only cmd/, ui/ and main.c print"


def json_texts():
    """All text in JSON goes through safe_str()."""
    for path in files("src"):
        if path == "src/util/json.c":
            continue
        for n, line in enumerate(lines(path), 1):
            if "json_object_new_string" in line:
                yield f"{path}:{n}: text in JSON comes from json_add_text() and its kin"


def exits():
    for path in files("src"):
        for n, line in enumerate(lines(path), 1):
            if re.search(r"(?<![_a-z])exit\(", line):
                yield f"{path}:{n}: exit() below main"


def kernel_doc():
    for path in files("src", "include", "kmod", ends=(".h",)):
        text = "\n".join(lines(path))
        for m in re.finditer(r"^(?:static inline )?[a-z][\w ]*[ *](\w+)\(([^;{]*?)\)\s*(?:\n\s*__attribute__\(.*\))?[;\n]",
                             text, re.M):
            name, args = m.group(1), m.group(2)
            doc = re.search(r"/\*\*(?:\n \*)? " + name + r"\(\) - (.*?)\*/", text, re.S)
            if not doc:
                yield f"{path}: {name}() has no kernel-doc"
                continue
            depth, part, parts = 0, "", []
            for c in args + ",":
                depth += {"(": 1, ")": -1}.get(c, 0)
                if c == "," and not depth:
                    parts.append(part)
                    part = ""
                else:
                    part += c
            names = [re.search(r"\(\*(\w+)\)|(\w+)(?:\[[^]]*\])?\s*$", arg.strip()) for arg in parts]
            names = [a.group(1) or a.group(2) for a in names if a]
            for a in re.findall(r"(?:^ \* |; )@(\w+):", doc.group(1), re.M):
                if a not in names:
                    yield f"{path}: {name}(): @{a} is described and is no argument"
            # In src/ an argument that its type and its name explain is not described.
            for a in names:
                if not path.startswith("src/") and a != "void" and f"@{a}:" not in doc.group(1):
                    yield f"{path}: {name}(): @{a} is not described"


def taken_in(scripts):
    """Scripts that others take in."""
    names = set()
    for path in scripts:
        for line in lines(path):
            m = re.search(r"(?:shellcheck source=|^\s*(?:\.|source)\s).*?([\w.-]+)[\"']?$", line)
            names |= {m.group(1)} if m else set()
    return [p for p in scripts if os.path.basename(p) in names]


CACHE = os.environ.get("KSTATS_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kstats-bpf")
MARKS = f"{CACHE}/lint"
MARKS_DAYS = 30  # that nobody asks for one


def marked(tool, paths, given, check):
    """The faults of files, by a tool that takes long: one that had none is not checked again, also
    not in another clone, until it changes, or what is given() of it."""
    new = {}
    version = subprocess.run([tool, "--version"], text=True, check=True, stdout=subprocess.PIPE).stdout
    for path in paths:
        text = "\0".join((version, path, "\n".join(lines(path)), given(path)))
        mark = f"{MARKS}/{hashlib.sha256(text.encode()).hexdigest()}"
        try:
            os.utime(mark)
        except OSError:
            new[path] = mark
    faults = check(list(new)) if new else []
    bad = {path for path in new if any(path in fault for fault in faults)}
    if bad or not faults:
        put_marks(mark for path, mark in new.items() if path not in bad)
    return faults


def put_marks(marks):
    try:
        os.makedirs(MARKS, exist_ok=True)
        for mark in marks:
            with open(mark, "w", encoding="utf-8"):
                pass
        old = time.time() - MARKS_DAYS * 86400
        for mark in os.scandir(MARKS):
            if mark.stat().st_mtime < old:
                os.unlink(mark.path)
    except OSError:
        pass  # it is checked again


def shellcheck():
    scripts = [p for p in subprocess.run(["git", "ls-files"], text=True, check=True,
                                         stdout=subprocess.PIPE).stdout.split("\n")
               if p.endswith((".sh", ".t")) or p in (".ci/run", "kmod/build", "tests/run", "tests/deps",
                                                     "tests/demo", "tests/vm/run",
                                                     "tests/vm/fetch", "tests/vm/build-kmod", "tests/vm/robust",
                                                     "tests/vm/node-run")]
    shared = taken_in(scripts)

    def given(path):
        text, found = "\n".join(lines(path)), True
        others = list(shared)
        while found:
            found = [p for p in others if os.path.basename(p) in text]
            others = [p for p in others if p not in found]
            text += "".join("\n".join(lines(p)) for p in found)
        return text

    def check(new):
        done = subprocess.run(["shellcheck", "-x", *new], text=True, stdout=subprocess.PIPE)
        return done.stdout.split("\n") if done.returncode else []

    return marked("shellcheck", scripts, given, check)


def mandoc():
    for page in files("man", ends=(".3", ".5", ".8", ".9")):
        out = subprocess.run(["mandoc", "-T", "lint", page], text=True,
                             stdout=subprocess.PIPE).stdout
        # Pages that are not installed here cannot be found.
        yield from [s for s in out.split("\n") if s and "referenced manual not found" not in s]


def complete(*words):
    out = subprocess.run([".output/kstats-bpf", "complete", *words], text=True,
                         check=True, stdout=subprocess.PIPE).stdout
    return set(out.split())


def offered(*words):
    return complete(*words, "--") - {"--help"}


def synopses():
    """What a synopsis shows can be typed: each of its lines begins with a verb."""
    told = set()
    for page in files("man", ends=(".8",)):
        out = subprocess.run(["mandoc", "-T", "ascii", page], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
        text = re.sub(".\x08", "", out).split("SYNOPSIS")[1].split("DESCRIPTION")[0]
        words = re.findall(r"kstats-bpf\S*(?:\s+\S+)?", text)
        own = page.removeprefix("man/").removesuffix(".8").split("kstats-bpf")[1].lstrip("-")
        for line in words:
            name, _, verb = line.partition(" ")
            told |= set() if own else {verb}
            if name != "kstats-bpf" or verb != (own or verb):
                yield f"{page}: '{line}' is no command"
    yield from [f"kstats-bpf(8) does not show {v}" for v in sorted(complete("") - {"help"} - told)]
    # Words that the formatter takes for itself, and swallows.
    for page in files("man", ends=(".3", ".5", ".8", ".9")):
        for line in lines(page):
            if re.match(r"\.It (An|At|Bx|Do|Em|Ex|In|No|Ns|Pf|So|Ud|Ux)\b", line):
                yield f"{page}: '{line}' begins with a macro"


def options():
    node = set().union(*(offered("node", v) for v in ("apply", "ls", "show", "export", "rm")))
    node |= offered("node", "add") - offered("trace")
    for path in sorted(glob.glob("man/kstats-bpf-*.8")):
        verb = path[len("man/kstats-bpf-"):-len(".8")]
        have = node if verb == "node" else offered(verb)
        others = offered("trace") if verb in ("top", "why") else set()  # which it takes, and its page names
        page = "\n".join(lines(f"man/kstats-bpf-{verb}.8"))
        told = {"--" + o for o in re.findall(r"Fl -([a-z][a-z-]+)", page)}
        yield from [f"{verb}: {o} is not in its man page" for o in sorted(have - told - others)]
        yield from [f"{verb}: the man page tells {o}, which is not there"
                    for o in sorted(told - have - others)]


def examples():
    """Every example of the man pages parses; what it hooks may be missing here."""
    for page in files("man", ends=(".8", ".5")):
        for line in lines(page):
            m = re.match(r"\.Dl (?:sudo )?kstats-bpf (trace .*)", line)
            if not m:
                continue
            words = m.group(1).replace("\\-", "-").split(" | ")[0]
            head, _, command = words.partition(" -- ")
            words = head + " --dry-run" + (" -- " + command if command else "")
            done = subprocess.run(["sh", "-c", ".output/kstats-bpf " + words], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.returncode:
                yield f"{page}: {m.group(1)}: {done.stderr.strip()}"


def style():
    tool, *styled = subprocess.run(["make", "-s", "styled"], text=True, check=True,
                                   stdout=subprocess.PIPE).stdout.split()

    def check(new):
        done = subprocess.run([tool, "--dry-run", "-Werror", *new], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.split("\n") if done.returncode else []

    return marked(tool, styled, lambda path: "\n".join(lines(".clang-format")), check)


def faults_fit():
    """Each fault of tests/mutants finds the text that it changes."""
    done = subprocess.run(["tests/mutants/mutants.py", "--check"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    yield from done.stdout.split("\n") if done.returncode else []
    # An option that is ignored would let all of them run.
    done = subprocess.run(["tests/mutants/mutants.py", "--checks"], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 2 or "usage: " not in done.stdout:
        yield f"mutants.py --checks: status {done.returncode}: {done.stdout}"


rule("who may include whom", arrows())
rule("a folder is a room, and has a header of its name", rooms())
rule("what runs in the kernel looks into include/ only", kernel_arrows())
rule("include/ is freestanding", include_free())
rule("nothing strange in the top folder", at_the_top())
rule("lines up to 100 columns", long_lines())
rule("files up to 600 lines", long_files())
rule("functions up to 60 lines", long_functions())
rule("a function's name is found once", shared_names())
rule("a licence line in every file", spdx())
rule("one definition of the slot arithmetic", one_arithmetic())
rule("no comment asks for two places to agree", no_sync())
rule("only the user's side prints", prints())
rule("one way for text into JSON", json_texts())
rule("no exit() below main", exits())
rule("kernel-doc on every function of a header", kernel_doc())
rule("shellcheck", shellcheck())
rule("mandoc lint", mandoc())
rule("what the synopses show can be typed", synopses())
rule("options and man pages agree", options())
rule("the examples of the man pages parse", examples())
rule("the faults of tests/mutants fit", faults_fit())
rule("clang-format", style())

print(f"1..{len(results)}")
bad = False
for i, (name, faults) in enumerate(results, 1):
    faults = [f for f in faults if f]
    bad |= bool(faults)
    print(f"{'not ok' if faults else 'ok'} {i} - {name}")
    for f in faults:
        print(f"#   {f}")
sys.exit(bad)
