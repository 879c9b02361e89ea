# SPDX-License-Identifier: GPL-2.0-only
"""Results as TAP. Imported by the tests of this folder."""

results = []


def result(name, fault=None):
    results.append(fault)
    print(f"ok {len(results)} - {name}" if not fault
          else f"not ok {len(results)} - {name}: {fault}", flush=True)
