#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The fields of all JSON documents are those of docs/json.schema.json. No privileges. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
python3 tests/cli/schema.py >"$tmp/schema" || exit 1
is 'the schema has the fields that are written (make golden writes it anew)' \
	"$(diff docs/json.schema.json "$tmp/schema" | head -20)" ''
is 'of seven documents' "$(jq '.["$defs"] | keys[]' "$tmp/schema" |
	grep -cE '^"(report|why_report|kmem_report|diff|kmem_diff|verdict|figures)"$')" 7
plan
