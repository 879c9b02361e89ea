#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The shell of the examples of pipelines, as each system would run it. Comes in: a file of
examples/ci, a folder. Goes out in that folder: main.sh, of which the first line that fails ends it,
and last.sh, which runs in any case; env.sh, the variables that the file sets. Called by
pipelines.t."""

import os
import re
import shlex
import sys

import yaml

def github(text):
    """A composite action: each step is a process of its own, with its variables."""
    doc = yaml.safe_load(text)
    given = {"function": "kt_busy", "base": "cd base && ./benchmark",
             "change": "cd change && ./benchmark", "limit": "p50=5%"}
    inputs = {name: given.get(name, str(row.get("default", "")))
              for name, row in doc["inputs"].items()}
    wanted = [name for name, row in doc["inputs"].items() if row.get("required")]
    if set(wanted) - set(given):
        sys.exit(f"pipeline_steps.py: no value for {wanted}")
    parts = {"main": [], "last": []}
    for step in doc["runs"]["steps"]:
        if "${{" in step["run"] or step["shell"] != "bash":
            sys.exit("pipeline_steps.py: an input must not be in a script")
        env = "".join(f"export {name}={shlex.quote(inputs[re.fullmatch(pattern, value)[1]])}\n"
                      for name, value in step["env"].items()
                      for pattern in [r"\$\{\{ inputs\.(\w+) \}\}"])
        # What a step adds to GITHUB_PATH is before PATH in those that follow.
        parts["last" if step.get("if") == "always()" else "main"].append(
            f"(\nset -eo pipefail\nPATH=$(tr '\\n' : <$GITHUB_PATH)$PATH\n{env}{step['run']})")
    return "\n".join(parts["main"]), "\n".join(parts["last"]), {}


def gitlab(text):
    (job,) = yaml.safe_load(text).values()
    return "\n".join(job["script"]), "\n".join(job["after_script"]), job["variables"]


def jenkins(text):
    main, post = text.split("    post {")
    shells = r"sh '''\n(.*?)'''"
    env = dict(re.findall(r"^ {8}([A-Z]+) = '(.*?)'", text, re.M))
    # Groovy joins lines that end with a backslash in ''' ''', as the shell would.
    return ("\n".join(f"(\nset -e\n{s})" for s in re.findall(shells, main, re.S)),
            "\n".join(re.findall(shells, post, re.S)), env)


path, folder = sys.argv[1:]
read = {"action.yml": github, "gitlab-ci.yml": gitlab, "Jenkinsfile": jenkins}
with open(path, encoding="utf-8") as f:
    main_text, last_text, variables = read[os.path.basename(path)](f.read())
variables = {**variables, "FUNCTION": "kt_busy", "LIMIT": "p50=5%"}
for name, words in (("main.sh", main_text), ("last.sh", last_text),
                    ("env.sh", "".join(f"export {k}={shlex.quote(str(v))}\n"
                                       for k, v in variables.items()))):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(words.rstrip("\n") + "\n")
