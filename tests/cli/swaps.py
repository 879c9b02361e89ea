# SPDX-License-Identifier: GPL-2.0-only
"""What root writes into the folder of another user, who puts links into the way after each call of
root in turn: swap.c, preloaded, does that. Run by folders.t in a folder that has swap.so and
steady/. Comes in: "at-each HOW TO COMMAND...", which tells what was wrong at which moment, and how
many there were; or one step of it: "begin", which makes the folders, or "changed", which tells what
nobody could not change himself."""

import os
import pwd
import shutil
import subprocess
import sys

NOBODY = pwd.getpwnam("nobody").pw_uid
HERE = os.getcwd()
FOLDER = HERE + "/theirs/folder"
SECRET = HERE + "/private/secret"


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def begin():
    """The folders as they are before root comes."""
    for name in ("theirs", "theirs.was", "private"):
        shutil.rmtree(name, ignore_errors=True)
    os.mkdir("private", 0o700)
    write(SECRET, "secret\n")
    os.chmod(SECRET, 0o600)
    shutil.copytree("steady/set-00", FOLDER + "/old", symlinks=True)
    write(FOLDER + "/file", "old\n")
    for at, folders, files in os.walk("theirs"):
        for name in [at] + [f"{at}/{n}" for n in folders + files]:
            os.lchown(name, NOBODY, -1)


def mode(path):
    s = os.lstat(path)
    return s.st_mode & 0o7777, s.st_uid


def changed():
    bad = ""
    if (mode("private"), mode(SECRET)) != ((0o700, 0), (0o600, 0)):
        bad += "a mode "
    with open(SECRET) as f:
        if f.read() != "secret\n":
            bad += "a file "
    if os.listdir("private") != ["secret"]:
        bad += f"written: {os.listdir('private')}"
    return bad.strip()


def at_each(how, to, command):
    at, swapped = 0, True
    while swapped:
        at += 1
        begin()
        if os.path.exists("swapped"):
            os.unlink("swapped")
        env = dict(os.environ, LD_PRELOAD=HERE + "/swap.so", SWAP_AT=str(at), SWAP_FOLDER=FOLDER,
                   SWAP_HOW=how, SWAP_TO=to, SWAP_DONE=HERE + "/swapped")
        with open("out", "w") as out:
            try:
                subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=env, timeout=60)
            except subprocess.TimeoutExpired:
                print(f"{at}: it hangs")
        if changed():
            print(f"{at}: {changed()}")
        swapped = os.path.exists("swapped")
    print(f"moments: {at}")


if sys.argv[1] == "begin":
    begin()
elif sys.argv[1] == "changed":
    print(changed())
else:
    at_each(sys.argv[2], sys.argv[3], sys.argv[4:])
