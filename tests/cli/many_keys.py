#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes a recording with many keys of a sample each. Comes in: their number, if it is not
as many as --limit keys allows; when it was recorded."""
import json
import sys

import made

KEYS = int(sys.argv[1]) if len(sys.argv) > 1 else 16384
rec = made.recording([500] * KEYS, wall_ns=int(sys.argv[2]) if len(sys.argv) > 2 else 1)
rec["nodes"] += [{"name": f'vfs_read{{arg="{i}"}}', "what": rec["nodes"][0]["what"],
                  "method": "fentry/fexit", "reason": "first choice", "kind": "key",
                  "owner": 0, "by": {"arg": str(i)}} for i in range(KEYS)]
whole = rec["whole"]
whole["ledger"] = {"started": [KEYS] + [0] * KEYS}
whole["node"] = list(range(1, KEYS + 1))
whole["cpu"] = [0] * KEYS
whole["cells"] = [1] * KEYS
whole["slot"] *= KEYS
whole["samples"] = [1] * KEYS
whole["sum"] = [s // KEYS for s in whole["sum"]] * KEYS
json.dump(rec, sys.stdout)
