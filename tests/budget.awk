# SPDX-License-Identifier: GPL-2.0-only
# Which suites took more than their share of the processors? Comes in: tests/budget (a name, the
# seconds of processors and of the clock on each line), and what a run took (seconds, seconds by
# the clock, a name). The sum of all that both have tells how fast the machine is. A suite may take
# twice what it took then, one without a row 40 s, and each 15 s more, since others may use the
# machine, too. Goes out: a line for each that took more. Called by tests/run.

/^#/ { next }
FNR == NR { share[$1] = $2; next }
{
	took[$3] += $1
	if ($3 in share) {
		all += $1
		kept += share[$3]
	}
}
END {
	scale = kept && all ? all / kept : 1
	for (name in took) {
		most = scale * (name in share ? 2 * share[name] : 40) + 15
		if (took[name] > most)
			printf "%s took %d s, and may take %d s here\n", name, took[name], most
	}
}
