#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Run the commands of pages, each in one new folder, and compare what they print with the page.

In a block of code a line that begins with "$ " is a command, and what follows is its output. Times
and what depends on them differ from run to run, so two outputs are the same if their lines are,
with each number and its unit replaced; lines about counts are compared as they stand.

Usage: tutorial.py PAGE FILE... [-- PAGE FILE...]... [--write]     FILE: copied into the folder
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INDENT = "    "
TRIES = 3
EXACT = re.compile(r"started|different words|recorded|exit status")
UNIT = r"(?:[nuµm]?s|[KMGT]i?B?|[kMG]?/s|[kMG]|%)"
NUMBER = re.compile(rf"[-+<>]?\d[\d,.:]*(?:[kMG]/s|%|~)?(?: ?{UNIT}\b)?")
PLACES = re.compile(r"(?: p[\d.]+(?:\.\.p[\d.]+)?)+$")


def blocks(lines):
    """Yield (first, last) of each block of code, as indices of lines."""
    begin = None
    for i, line in enumerate([*lines, ""]):
        code = line.startswith(INDENT) or (begin is not None and not line and i < len(lines))
        if code and begin is None:
            begin = i
        elif not code and begin is not None:
            end = i
            while not lines[end - 1]:
                end -= 1
            yield begin, end
            begin = None


def commands(lines):
    """Yield (command, expected output) of one block; nothing of a block without commands."""
    command, output = None, []
    for line in lines:
        text = line[len(INDENT):]
        if text.startswith("$ "):
            if command:
                yield command, output
            command, output = text[2:], []
        else:
            output.append(text)
    if command:
        yield command, output


def run(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return [line.rstrip() for line in done.stdout.splitlines()]


def real(lines):
    """The release of the kernel without what a distribution or a host adds to it."""
    return [re.sub(r"(on Linux \d+\.\d+(?:\.\d+)?)[^\s;]*", r"\1", line) for line in lines]


def shape(lines):
    """What has to be the same each time. Rows of a histogram are as many as the times need,
    and the method is that of the kernel."""
    shapes, is_floor = [], False
    for line in lines:
        # Only where it was measured. Its last words may be on a line of their own.
        is_floor = "floor" in line or (is_floor and line.startswith("      "))
        if is_floor:
            continue
        if EXACT.search(line) and "of" not in line.split()[:2]:
            one = " ".join(line.split())
        else:
            line = re.sub(r"\s(?:[-+#=|]+|\.)(?=\s|$)", "", line)
            line = re.sub(r"by u(?:ret)?probe .*", "by METHOD", line)
            one = PLACES.sub("", " ".join(line.split())).strip()
            one = NUMBER.sub("N", one)
            one = re.sub(r"^N( words)? \.\. N( words)?( N)*$", "RANGE", one)
            one = re.sub(r"^\.\.$", "RANGE", one)
        if one and not (one == "RANGE" and shapes and shapes[-1] == one):
            shapes.append(one)
    return shapes


def is_same(got, wanted):
    """Whether a command printed what the page has. Sentences may be broken elsewhere."""
    return " ".join(shape(got)) == " ".join(shape(wanted))


def is_by_time(got, wanted):
    """Whether a machine that is starved may be why they differ: not where lines about counts do."""
    return [s for s in shape(got) if EXACT.search(s)] == [s for s in shape(wanted) if EXACT.search(s)]


def tell_difference(got, wanted):
    for mark, text in (("-", wanted), ("+", got)):
        for line in shape(text):
            print(f"#   {mark} {line}", flush=True)


def check(n, command, got, wanted):
    same = is_same(got, wanted)
    print(f"{'ok' if same else 'not ok'} {n} - {command}")
    if not same:
        tell_difference(got, wanted)
    return same


def go_through(page, files):
    """Run what a page has: the page with what is printed now; each command, that, and what it has."""
    lines = page.read_text().splitlines()
    made, found, done = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            shutil.copy(file, folder)
        for begin, end in blocks(lines):
            made += lines[done:begin]
            done = end
            steps = list(commands(lines[begin:end]))
            if not steps:
                made += lines[begin:end]
            for command, wanted in steps:
                got = real(run(command, folder))
                made.append(f"{INDENT}$ {command}")
                made += [f"{INDENT}{line}".rstrip() for line in got]
                found.append((command, got, wanted))
    return "\n".join(made + lines[done:]) + "\n", found


def main():
    words = [w for w in sys.argv[1:] if w != "--write"]
    write = len(words) + 1 < len(sys.argv)
    results = []
    while words:
        end = words.index("--") if "--" in words else len(words)
        page, files = Path(words[0]), words[1:end]
        words = words[end + 1:]
        text, found = go_through(page, files)
        if write:
            page.write_text(text)
            continue
        # The order of rows by time and the verdict on a tail are others on a machine that is starved.
        for _ in range(TRIES - 1):
            wrong = [step for step in found if not is_same(*step[1:])]
            if not wrong or not all(is_by_time(*step[1:]) for step in wrong):
                break
            for command, got, wanted in wrong:
                print(f"# once more, since this differs: {command}")
                tell_difference(got, wanted)
            found = go_through(page, files)[1]
        for step in found:
            results.append(check(len(results) + 1, *step))
    if not write:
        print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
