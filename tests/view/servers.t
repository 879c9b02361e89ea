#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Fleets as Debian's Prometheus and VictoriaMetrics see them; see servers.py. `make test` has a few
# hosts and this Debian's Prometheus; `make test-long` a hundred, and newer servers too. TAP.

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/view/lib.sh
. tests/view/lib.sh
# shellcheck source=tests/tap.sh
. tests/tap.sh
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

servers() { # WHAT HOSTS NODES KIND PROGRAM [costs]
	local what=$1
	shift
	python3 tests/view/servers.py "$@" >"$log" 2>&1
	is "$what: the test ends" "$?" 0
	sed -n "s/^\(ok\|not ok\) [0-9]* - /\1 - $what: /p; s/^# /# /p" "$log" >"$log.rows"
	grep -q '^[1]\.\.' "$log" || sed 's/^/# /' "$log"
	results "$log.rows"
	rm -f "$log.rows"
}

dir=$(package prometheus) || exit 1
if [ "${KSTATS_WHOLE-}" != yes ]; then
	servers Prometheus 5 2 prometheus "$dir/usr/bin/prometheus"
	echo "1..$count"
	exit "$not_ok"
fi
servers Prometheus 100 16 prometheus "$dir/usr/bin/prometheus" costs
dir=$(package victoria-metrics) || exit 1
servers VictoriaMetrics 100 16 victoria "$dir/usr/bin/victoria-metrics" costs
dir=$(package prometheus sid) || exit 1
servers 'Prometheus of sid' 100 16 nhcb "$dir/usr/bin/prometheus" costs
dir=$(package victoria-metrics sid) || exit 1
servers 'VictoriaMetrics of sid' 100 16 victoria "$dir/usr/bin/victoria-metrics" costs
echo "1..$count"
exit "$not_ok"
