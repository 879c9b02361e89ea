#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Markers in Python, through a library of a few lines of C.

    cc -O2 -shared -fPIC -o libuser_markers.so examples/user_markers.c
    sudo kstats-bpf node add --user request --mode 0666
    examples/user_markers.py ./libuser_markers.so
    sudo kstats-bpf node show request

A call through ctypes takes some hundred nanoseconds, which are part of each duration.
A marker belongs to one thread: do not await between begin and end. Python alone cannot
have markers: it has no operation that adds to shared memory at once.
"""

import contextlib
import ctypes
import sys
import time

lib = ctypes.CDLL(sys.argv[1])
lib.example_batch.argtypes = [ctypes.c_ulong]
lib.example_batch.restype = None
lib.example_begin.restype = lib.example_end.restype = None
lib.example_state.restype = ctypes.c_char_p


@contextlib.contextmanager
def request():
    lib.example_begin()
    try:
        yield
    finally:
        lib.example_end()


for i in range(1000):
    with request():
        time.sleep(i % 10 / 1e6)
    lib.example_batch(i % 100)
print("request:", lib.example_state().decode())
