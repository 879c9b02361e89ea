# SPDX-License-Identifier: GPL-2.0-only
# Which suites took more than their share of the processors? Comes in: tests/budget (a name, the
# seconds of processors and of the clock on each line), and what a run took (seconds, seconds by
# the clock, a name, and how often it was tried, once if that is not said). The share is that of
# one try. The middle one of what they took over what they took then tells how fast the machine
# is. A suite may take twice its share, one without a row 40 s, and each 15 s more, since others
# may use the machine, too. Goes out: a line for each that took more. Called by tests/run.

/^#/ { next }
FNR == NR { share[$1] = $2; next }
{ took[$3] += $1 / ($4 ? $4 : 1) }
END {
	for (name in took)
		if (name in share && share[name] >= 10) { # of shorter ones a second is much
			for (i = n++; i > 0 && ratio[i - 1] > took[name] / share[name]; i--)
				ratio[i] = ratio[i - 1]
			ratio[i] = took[name] / share[name]
		}
	scale = n ? ratio[int((n - 1) / 2)] : 1
	for (name in took) {
		most = scale * (name in share ? 2 * share[name] : 40) + 15
		if (took[name] > most)
			printf "%s took %.0f s, and may take %d s here\n", name, took[name], most
	}
}
