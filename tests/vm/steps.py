#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The shell steps of a workflow, as one file each. Comes in: the workflow, a folder.
Goes out: 1.sh, 2.sh, ... and env.sh in that folder. Called by gate.t."""

import os
import shlex
import sys

import yaml

with open(sys.argv[1], encoding="utf-8") as f:
    workflow = yaml.safe_load(f)
(job,) = workflow["jobs"].values()
steps = [step["run"] for step in job["steps"] if "run" in step]
for n, step in enumerate(steps, 1):
    with open(os.path.join(sys.argv[2], f"{n}.sh"), "w", encoding="utf-8") as f:
        f.write(step)
with open(os.path.join(sys.argv[2], "env.sh"), "w", encoding="utf-8") as f:
    for name, value in workflow["env"].items():
        f.write(f"export {name}={shlex.quote(str(value))}\n")
