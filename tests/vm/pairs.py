# SPDX-License-Identifier: GPL-2.0-only
"""Which of all possible runs `make test` does: so few that every two values which can meet do
meet. A run has a value for each of its factors, such as its method, its kernel and what it
tries. `make test-long` does all runs. The choice depends on the runs and their order alone.
Called by exact.py and skip.py."""

import heapq
import itertools


def of(**factors):
    """The meetings of a run: every two of its values, with the names of their factors."""
    return frozenset(itertools.combinations(sorted(factors.items()), 2))


def choose(runs, first=()):
    """runs: (where, meetings) each; the indexes in first are taken in any case. Returns the
    indexes of all that are taken. Each time it is the run with most meetings that no other has
    had; of several, one where the fewest run so far."""
    taken, load, left = [], {}, set().union(*(meetings for _, meetings in runs))

    def take(i):
        where, meetings = runs[i]
        taken.append(i)
        load[where] = load.get(where, 0) + 1
        left.difference_update(meetings)

    def rank(i):
        where, meetings = runs[i]
        return -len(meetings & left), load.get(where, 0), i

    for i in first:
        take(i)
    # A run has ever fewer meetings left, so that one which is best by its new rank is the best.
    heap = [rank(i) for i in range(len(runs))]
    heapq.heapify(heap)
    while left:
        now = rank(heapq.heappop(heap)[2])
        if now[0] and heap and now > heap[0]:
            heapq.heappush(heap, now)
        elif now[0]:
            take(now[2])
    return without_spare(taken, runs, set(first))


def without_spare(taken, runs, keep):
    """Leaves out those whose meetings all come about without them as well."""
    times = {}
    for i in taken:
        for m in runs[i][1]:
            times[m] = times.get(m, 0) + 1
    chosen = []
    for i in taken:
        if i not in keep and all(times[m] > 1 for m in runs[i][1]):
            for m in runs[i][1]:
                times[m] -= 1
        else:
            chosen.append(i)
    return sorted(chosen)
