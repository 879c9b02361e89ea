#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Which fields do the JSON documents have? Goes out: the JSON Schema of what the program writes of
recordings made up here, as docs/json.schema.json keeps it. Called by json.t; `make golden` writes
the file anew."""

import glob
import json
import os
import subprocess
import sys
import tempfile

GOLDEN = "tests/golden"
# Objects whose keys are the user's.
FREE = ("tags", "by", "by_number")
# What only `trace --runs --vs` adds to a result.
LOOK = {"first": 1, "last": 2, "pairs": 1, "decided": True, "hopeless": False, "confidence": 99.5}


def ask(*words):
    out = subprocess.run(("kstats-bpf", *words), stdout=subprocess.PIPE, check=False).stdout
    return [json.loads(line) for line in out.decode().splitlines()]


def documents(folder):
    """Of each kind, samples that have everything, and some that lack what may be missing."""
    def runs(name):
        return sorted(glob.glob(f"{folder}/{name}"))

    sides = runs("base-*"), runs("slow-*")
    methods = runs("fentry-*"), runs("fsession-*")
    rules = ("--max-increase", "p50=5%", "--max-increase", "p99=1%", "--assert", "count>0",
             "--assert", "loss<1%", "--assert", "rate>0")
    one, many = f"{GOLDEN}/kmem-lives.kmem.json", f"{GOLDEN}/kmem-many.kmem.json"
    sizes, empty = f"{GOLDEN}/sizes.recording.json", f"{GOLDEN}/empty.recording.json"
    elsewhere = []  # the same runs, on another kernel
    for path in sides[1]:
        elsewhere.append(f"{path}.elsewhere")
        with open(path, encoding="utf-8") as run, open(elsewhere[-1], "w", encoding="utf-8") as copy:
            json.dump(json.load(run) | {"kernel": "7.0"}, copy)
    plain = [f for f in sorted(glob.glob(f"{GOLDEN}/*.recording.json")) if "/why" not in f]
    yield "report", [
        *ask("report", "-f", "json", *runs("base-1*"), *plain),
        *ask("report", "-f", "json", "--floor", "subtract", f"{GOLDEN}/floor.recording.json")]
    no_task = f"{folder}/why-no-task.json"  # of a pair by key
    with open(f"{GOLDEN}/why.recording.json", encoding="utf-8") as f:
        recording = json.load(f)
    recording["why"]["task"] = False
    for call in recording["why"]["kept"]:
        for key in "cpu_begin", "parts_ns", "caller", "user_caller":
            call.pop(key, None)
        call["values"] = [None] * len(call["values"])
        call["wait"] = {"ns": 1, "part": 1}
    with open(no_task, "w", encoding="utf-8") as f:
        json.dump(recording, f)
    yield "why_report", ask("report", "-f", "json", no_task,
                            *sorted(glob.glob(f"{GOLDEN}/why*.recording.json")))
    yield "kmem_report", ask("report", "-f", "json", *sorted(glob.glob(f"{GOLDEN}/*.kmem.json")))
    yield "diff", [
        *ask("diff", "-f", "json", *sides[0], "--", *sides[1]),
        *ask("diff", "-f", "json", sides[0][0], "--", sides[1][0]),
        *ask("diff", "-f", "json", *sides[0], "--", *elsewhere),
        *ask("diff", "-f", "json", "--force", sizes, "--", sizes),
        *ask("diff", "-f", "json", "--force", empty, "--", empty),
        *ask("diff", "-f", "json", "--across-methods", *methods[0], "--", *methods[1])]
    yield "kmem_diff", ask("diff", "-f", "json", one, "--", many)
    for word, name in ("series", "verdict"), ("json", "figures"):
        found = ask("check", "-f", word, *sides[1], "--base", *sides[0], *rules)
        found += ask("check", "-f", word, *methods[1], "--base", *methods[0], "--across-methods",
                     *rules)
        if word == "series":
            found += ask("check", "-f", word, "--history", f"{folder}/sets/risen", "--max-increase", "p50=5%")
            found += ask("check", "-f", word, *elsewhere, "--base", *sides[0], "--max-increase", "p50=5%")
            found += ask("check", "-f", word, "--history", f"{folder}/sets/values", "--max-increase", "p50=5%")
            found[0]["results"][0]["look"] = LOOK
        else:
            found[0][0] |= {"pairs": 1, "first_look": 1, "last_look": 2, "confidence": 99.5}
        yield name, found


def values_of(durations, to):
    """The same sets, as numbers of bytes."""
    for path in glob.glob(f"{durations}/*/*.json"):
        copy = path.replace(durations, to)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(path, encoding="utf-8") as old, open(copy, "w", encoding="utf-8") as new:
            json.dump(json.load(old) | {"unit": "bytes", "version": 2}, new)


def schema(values, key=""):
    """Of all values that stand in one place."""
    kinds = {type(v) for v in values}
    if kinds == {dict}:
        if key in FREE and all(isinstance(x, str) for v in values for x in v.values()):
            return {"type": "object", "additionalProperties": {"type": "string"}}
        keys = dict.fromkeys(k for v in values for k in v)
        return {"type": "object",
                "required": [k for k in keys if all(k in v for v in values)],
                "properties": {k: schema([v[k] for v in values if k in v], k) for k in keys}}
    if kinds == {list}:
        items = [x for v in values for x in v]
        return {"type": "array", "items": schema(items)} if items else {"type": "array"}
    names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    words = sorted({names[k] for k in kinds} - ({"integer"} if float in kinds else set()))
    return {"type": words[0] if len(words) == 1 else words}


def share(what, shared, key=""):
    """Objects that stand in several places become references to one."""
    if not isinstance(what, dict):
        return what
    small = {k: share(v, shared, k if k not in ("items", "properties") else key) for k, v in what.items()}
    text = json.dumps(small)
    if small.get("type") != "object" or text.count('"type"') < 3:
        return small
    places = shared.setdefault(text, [key, small, 0])
    places[2] += 1
    return {"$ref": text}


def resolve(what, shared):
    """References by the names of those that stand several times; the others as they are."""
    if not isinstance(what, dict):
        return what
    if "$ref" in what:
        key, small, n = shared[what["$ref"]]
        return {"$ref": f"#/$defs/{key}"} if n > 1 else resolve(small, shared)
    return {k: resolve(v, shared) for k, v in what.items()}


def whole(kinds):
    shared, defs = {}, {}
    top = {k: share(v, shared, k) for k, v in kinds.items()}
    for text, row in shared.items():
        while row[2] > 1 and row[0] in [r[0] for t, r in shared.items() if t < text and r[2] > 1]:
            row[0] += "_"
    for row in shared.values():
        if row[2] > 1:
            defs[row[0]] = resolve(row[1], shared)
    return {k: resolve(v, shared) for k, v in top.items()} | defs


def lines(what, indent=0):
    """JSON with a line for each property."""
    text = json.dumps(what)
    if len(text) + indent <= 90 or not isinstance(what, dict):
        return text
    pad = " " * (indent + 1)
    inner = (f"{pad}{json.dumps(k)}: {lines(v, indent + 1)}" for k, v in what.items())
    return "{\n" + ",\n".join(inner) + "\n" + " " * indent + "}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/sets")
        for script, to in ("recordings", folder), ("histories", f"{folder}/sets"):
            subprocess.run((sys.executable, f"tests/cli/{script}.py", to), check=True)
        values_of(f"{folder}/sets/risen", f"{folder}/sets/values")
        kinds = {k: schema(v) for k, v in documents(folder)}
    print(lines({"$schema": "https://json-schema.org/draft/2020-12/schema",
                 "title": "What kstats-bpf writes with -f json, and check with -f series (verdict)",
                 "$defs": whole(kinds)}))


if __name__ == "__main__":
    main()
