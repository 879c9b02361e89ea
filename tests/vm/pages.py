#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The commands of the pages in docs/: who runs them, and whether they do what the page shows.

tests/vm/pages has a row for each command or several of a page. `lint` says whether each command
has one. `script WHERE` prints a shell script that runs those of a place and tells what they print;
`judge WHERE` reads that, and prints TAP; other lines it passes on. What a page shows are the lines
that matter, so each has to be among those that the command prints, in that order. Times differ
from run to run, so lines are compared without numbers (see tutorial.py), and of a table with keys
the titles and the first key.

If ANSWERS names a pipe, `judge` writes there whether the command is to be run again: where its
status is right and its lines are not, since a starved machine may change these, up to three times.
"""

import glob
import os
import re
import shlex
import sys
import time
from pathlib import Path

import tutorial

TABLE = Path(__file__).with_name("pages")
SECONDS = os.environ.get("KSTATS_SECONDS", "0.4")
TRIES = 3
PLACES = ("output", "here", "guest", "guest-long", "other")
COMMAND = re.compile(r"(?:\$ |# (?=kstats)|sudo |(?:kstats-bpf|make|perf|openssl|modinfo|export|gcc) "
                     r"|(?:tests|examples)/|\$[A-Z])")
WRONG = re.compile(r"kstats-bpf: (?:wrong|cannot|no |unknown|there is no)")


class Command:
    def __init__(self, page, line, text):
        self.page, self.line, self.text, self.output = page, line, text, []
        self.row = None

    def name(self):
        return f"{self.page}: {self.text[:60]}"

    def beside(self):
        """What runs meanwhile, and for how long the command does if that is told, or None."""
        told = re.match(r"(?:for ([\d.]+): )?(.*)", self.row[3] if len(self.row) > 3 else "")
        return told[2], told[1]

    def words(self):
        """What is run: without the prompt, sudo and a comment, for a moment where it has no end."""
        seconds = self.beside()[1] or SECONDS
        text = re.sub(r"^(?:\$ |# )?(?:sudo )?", "", self.text)
        text = re.sub(r" +#.*", "", text).replace("15411", "$beside").replace("1234", "$beside")
        if re.match(r"kstats-bpf (?:trace|kmem|why) ", text) and " -- " not in text:
            return re.sub(r" -d \d+\b", "", text) + f" -d {seconds}"
        if re.match(r"kstats-bpf top\b", text):
            return text if "--frames" in text else text + " --frames 2 -i 0.4"
        if re.match(r"kstats-bpf node show .*-i 1$", text):
            return "timeout --preserve-status -s INT 2 " + text
        return text


def closed(text):
    try:
        shlex.split(text)
    except ValueError:
        return False
    return not text.endswith("\\")


def commands(path):
    """Those of a page, with what it shows of their output."""
    found, fenced = [], False
    lines = Path(path).read_text().splitlines()
    prompts = set()
    for begin, end in tutorial.blocks(lines):
        if any(line.startswith("    $ ") for line in lines[begin:end]):
            prompts |= set(range(begin, end))
    i, current = 0, None
    while i < len(lines):
        at, line = i, lines[i]
        i += 1
        if line.startswith("```"):
            fenced = not fenced
            current = None
            continue
        if not fenced and line and not line.startswith("    "):
            current = None
            continue
        text = line if fenced else line[4:]
        if not COMMAND.match(text) or (at in prompts and not text.startswith("$ ")):
            if current:
                current.output.append(text)
            continue
        while not closed(text) and i < len(lines) and lines[i]:
            text = text.removesuffix("\\").rstrip() + " " + lines[i].strip()
            i += 1
        current = Command(Path(path).name, at + 1, text)
        found.append(current)
    return found


def rows():
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            yield [part.strip() for part in line.split(" | ", 3)]


def all_commands():
    """Those of all pages, each with its row or None; and the rows."""
    table = [*rows()]
    found = [c for path in sorted(glob.glob("docs/*.md")) for c in commands(path)]
    for command in found:
        command.row = next((r for r in table if r[1] == command.page and r[2] in command.text), None)
    return found, table


def lint():
    found, table = all_commands()
    faults = [f"{c.page}:{c.line} has no row in {TABLE.name}: {c.text}" for c in found if not c.row]
    faults += [f"'{' | '.join(r)}' is for no command" for r in table
               if not any(c.row is r for c in found)]
    faults += [f"'{r[0]}' is no place" for r in table if r[0] not in PLACES]
    faults += [f"'{' | '.join(r)}' has no reason" for r in table if r[0] == "other" and len(r) < 4]
    run = Path(__file__).with_name("tutorial.t").read_text()
    faults += [f"tutorial.t does not run {r[1]}" for r in table
               if r[0] == "output" and f"docs/{r[1]}" not in run]
    for fault in faults:
        print(f"# {fault}")
    print(f"{'not ok' if faults else 'ok'} 1 - each command of the pages is run, or it is told why not")
    print("1..1")
    return not faults


def chosen(places):
    return [c for c in all_commands()[0] if c.row and c.row[0] in places]


def script(places):
    print(Path(__file__).with_name("pages.sh").read_text())
    for n, command in enumerate(chosen(places)):
        print("page", n, shlex.quote(command.words()), shlex.quote(command.beside()[0]))


def lines_of(text):
    """
    Lines as they are compared. Rows of a table with keys are one, behind its titles, of which that of
    the keys is as wide as there is room.
    """
    out, table = [], False
    for line in text:
        if re.match(r" *by \S.* +count ", line) or re.match(r" *(?:NAME|stage) ", line):
            table = True
            titles = re.sub(r"^( *by) .*? (count )", r"\1 \2", re.sub(r"LAST .*", "LAST", line))
            out.append("TITLES " + " ".join(titles.split()))
        elif table and line.strip():
            out.append("ROW " + line.split()[0].rstrip(",")) if out[-1][:4] != "ROW " else None
        elif " started = " in line:
            table = False
            out.append("LEDGER")
        else:
            table = False
            out += tutorial.shape([line])
    return [re.sub(r"^N\b.* N( |$).*", "N", line) for line in out]


def missing(shown, printed):
    """The first line of a page that is not printed behind those before it, or None. Sentences may be
    broken elsewhere."""
    rest = " ".join(lines_of(tutorial.real(printed)))
    keys = {line.split()[0].rstrip(",") for line in printed if line.strip()}
    for line in lines_of(tutorial.real(shown)):
        if line.startswith("ROW "):
            name = line[4:]
            if not name.isdigit() and not any(
                    key == name or ("~" in name and key[:8] == name[:8]) for key in keys):
                return line
        elif line in rest:
            rest = rest[rest.index(line) + len(line):]
        else:
            return line
    return None


def fault_of(command, status, printed):
    """What is wrong with what a command did, or None."""
    rules = "--max-increase" in command.text or command.text.startswith("kstats-bpf check")
    wrong = next((line for line in printed if WRONG.match(line)), None)
    # A shell could not run it, or a signal ended it.
    if int(status) < 126 and any(f"(its exit status was {status})" in line for line in printed):
        status = "0"
    if wrong or status not in (("0", "1", "3") if rules else ("0",)):
        return f"status {status}: {wrong or ' | '.join(printed[-3:])}"
    counts = [line for line in printed if re.match(r"  ledger +[\d,]+ started", line)]
    if counts and not any(re.search(r"= [1-9][\d,]* recorded", line) for line in counts):
        return f"nothing was recorded: {counts[0].strip()}"
    line = missing(command.output, printed)
    return line and f"the page shows a line that is not printed: {line}"


def judge(places, show):
    # For both, so that it waits for no reader.
    answers = os.open(os.environ["ANSWERS"], os.O_RDWR) if "ANSWERS" in os.environ else None
    found, seen, current, printed, since = chosen(places), set(), None, [], 0
    good, faults = True, []
    for line in sys.stdin:
        line = line.rstrip()
        if line.startswith("@page "):
            current, printed, since = int(line.split()[1]), [], time.monotonic()
        elif line.startswith("@status ") and current is not None:
            command = found[current]
            fault = fault_of(command, line.split()[1], printed)
            if fault:
                faults.append(fault)
            again = answers and fault and not fault.startswith("status ") and len(faults) < TRIES
            if answers:
                os.write(answers, b"again\n" if again else b"next\n")
            if again:
                print(f"# {command.name()}: once more: {fault}", flush=True)
                continue
            fault = fault and faults[0]
            faults = []
            print(f"{'not ok' if fault else 'ok'} {len(seen) + 1} - {command.name()}"
                  + (f": {fault}" if fault else ""), flush=True)
            if show:
                print("\n".join(f"    {text}" for text in printed))
                print(f"    {time.monotonic() - since:.1f} s")
            seen.add(current)
            current, good = None, good and not fault
        elif current is not None:
            printed.append(line)
        else:
            print(line, flush=True)
    for n in sorted(set(range(len(found))) - seen):
        print(f"not ok {len(seen) + 1} - {found[n].name()}: it was not run")
        seen.add(n)
        good = False
    return good


def main():
    words = sys.argv[1:]
    if words == ["lint"]:
        return 0 if lint() else 1
    if len(words) < 2 or words[0] not in ("script", "judge") or set(words[1:]) - set(PLACES):
        print("usage: pages.py lint | script PLACE... | judge PLACE...", file=sys.stderr)
        return 2
    if words[0] == "judge":
        return 0 if judge(words[1:], "KSTATS_SHOW" in os.environ) else 1
    script(words[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
