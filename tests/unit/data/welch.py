#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes welch.h: what SciPy says of two sets of run means. Run by hand, with
python3-scipy; the tests need only the result. Means are whole hundredths, so that
a hundred samples of two neighbouring values have them exactly."""

import numpy as np
import scipy
from scipy import stats

def interval(a, b, level):
    """SciPy's t quantile over the error and freedom of Welch."""
    a, b = np.log(a), np.log(b)
    va, vb = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    df = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1))
    return np.expm1(stats.t.interval(level, df, b.mean() - a.mean(), np.sqrt(va + vb)))


rng = np.random.default_rng(20261121)
cases = []
for na, nb, shift, spread in ((2, 2, 1.0, 0.02), (3, 5, 1.1, 0.02), (6, 6, 1.0, 0.01),
                              (6, 6, 1.02, 0.01), (4, 9, 0.8, 0.1), (12, 3, 1.3, 0.05)):
    a = np.round(20 * np.exp(rng.normal(0, spread, na)), 2)
    b = np.round(20 * shift * np.exp(rng.normal(0, spread, nb)), 2)
    done = stats.ttest_ind(np.log(b), np.log(a), equal_var=False)
    cases.append((a, b, done.pvalue, *interval(a, b, 0.95)))

# Holm, on the p of all cases together.
order = np.argsort([c[2] for c in cases])
levels = [0.0] * len(cases)
left = len(cases)
stopped = False
for i in order:
    levels[i] = 1 - 0.05 / left
    if not stopped and cases[i][2] <= 0.05 / left and left > 1:
        left -= 1
    elif cases[i][2] > 0.05 / left:
        stopped = True

with open(__file__.replace("welch.py", "welch.h"), "w", encoding="utf-8") as f:
    print("/* SPDX-License-Identifier: GPL-2.0-only */", file=f)
    print(f"/* Made by welch.py with SciPy {scipy.__version__}. */", file=f)
    print("static const struct welch_case welch_cases[] = {", file=f)
    for (a, b, p, lo, hi), level in zip(cases, levels):
        holm = interval(a, b, level)
        print("\t{ " + f"{len(a)}, {len(b)},", file=f)
        for side in (a, b):
            print("\t  { " + ", ".join(f"{round(100 * x)}" for x in side) + " },", file=f)
        print(f"\t  {p:.15g}, {lo:.15g}, {hi:.15g},", file=f)
        print(f"\t  {level:.15g}, {holm[0]:.15g}, {holm[1]:.15g} }},", file=f)
    print("};", file=f)
