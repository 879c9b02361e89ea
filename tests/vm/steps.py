#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The shell steps of a workflow, as one file each. Comes in: the workflow, a folder.
Goes out in that folder: 1.sh, 2.sh, ...; 1.if and so on, the condition of each as one of
the shell, where $failed is set after a step that failed; names; job.if, the condition of
the job as it is written; and env.sh. Called by workflow.t."""

import os
import re
import shlex
import sys

import yaml


def condition(text):
    """Of a step. What is not known here is an error."""
    terms = []
    for term in (text or "success()").split(" && "):
        files = re.fullmatch(r"hashFiles\('([^' ]+)'\) != ''", term)
        if files:
            terms.append(f"ls {files[1]} >/dev/null 2>&1")
        elif term in ("always()", "success()"):
            terms.append("true" if term == "always()" else '[ -z "$failed" ]')
        else:
            sys.exit(f"steps.py: cannot say when '{text}' holds")
    return " && ".join(terms)


def write(name, text):
    with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as f:
        f.write(text)


with open(sys.argv[1], encoding="utf-8") as f:
    workflow = yaml.safe_load(f)
(job,) = workflow["jobs"].values()
steps = [step for step in job["steps"] if "run" in step]
for n, step in enumerate(steps, 1):
    write(f"{n}.sh", step["run"])
    write(f"{n}.if", condition(step.get("if")) + "\n")
write("names", "".join(step["name"] + "\n" for step in steps))
write("job.if", job.get("if", "") + "\n")
write("env.sh", "".join(f"export {name}={shlex.quote(str(value))}\n"
                        for name, value in workflow["env"].items()))
