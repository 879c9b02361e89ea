#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Markers in Python. `sudo make install-python` installs kstats_user.

    examples/user_markers.py                            as usual, without being measured
    sudo kstats-bpf trace m:request -- examples/user_markers.py
    sudo kstats-bpf trace m:batch --unit items -- examples/user_markers.py
"""

import time

import kstats_user

request = kstats_user.marker("request")
batch = kstats_user.marker("batch")

for i in range(1000):
    with request.span():
        time.sleep(i % 10 / 1e6)
    batch.sample(i % 100)
print("request:", request.state())
