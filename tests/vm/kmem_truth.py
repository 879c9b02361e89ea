# SPDX-License-Identifier: GPL-2.0-only
"""Compares a recording of `kstats-bpf kmem` with what the module kstats_memory really did.
Comes in: both, as a Got. Goes out: pairs of a name and a list of what does not hold.
Called by kmem.py."""

import json
import os
import re
from collections import Counter

EXACT = 1055  # KSTATS_KMEM_EXACT
LIFE_BITS = 3  # KSTATS_KMEM_LIFE_BITS
KINDS = ("", "kmalloc", "cache", "pages")
HOW = ("kfree", "cache_free", "pages", "rcu", "bulk")
CPU, NUMA, TASK = 1, 2, 4
OWN = " [kstats_memory]"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../kmod/kstats_memory")

# Where an operation's site lies that is not in the module itself. The kernels differ:
# up to 6.12 kvmalloc() is itself the site.
OUTSIDE = {"km_kasprintf": ("kasprintf",), "km_kvmalloc": ("__kvmalloc_node", "kvmalloc_node"),
           "kvfree": ("kvfree",), "krealloc": ("krealloc", "__do_krealloc", "krealloc_node_align"),
           "pages": ("",), "no_caller": ("(no caller)",)}
INTERRUPTS = ("km_irq", "km_idle", "km_brief")
UNVERIFIED = 8
given = {}  # bytes that a kernel which checks itself gives for those of kmalloc's caches


class Got:
    """What a measurement said, and what was true."""

    def __init__(self):
        self.rc = self.doc = self.kernel = None
        self.failed, self.rows, self.lives, self.slab, self.left = [], [], [], [], []

    def take(self, line, words):
        if line.startswith("@@rc"):
            self.rc = int(words[1])
        elif line.startswith("@@failed"):
            self.failed.append(f"the operation {words[1]} failed")
        elif line.startswith("@@slab"):
            self.slab = words[1:]
        elif line.startswith("@@left"):
            self.left.append(line[7:].split(", "))
        elif line.startswith("{"):
            self.doc = json.loads(line)
        elif len(words) == 9:
            self.rows.append((*words[:4], *map(int, words[4:])))
        elif len(words) == 3:
            self.lives.append(tuple(map(int, words)))

    def table(self, name):
        columns = self.doc[name]
        return [dict(zip(columns, values)) for values in zip(*columns.values())]

    def site(self, index):
        return self.doc["sites"]["name"][index]

    def skipped(self, *events):
        return sum(p["skipped"] for p in self.table("programs")
                   if not events or p["event"] in events)

    def truth(self, what):
        return [r[1:] for r in self.rows if r[0] == what]

    def counted(self, name):
        return sum(r[5] for r in self.truth("count") if r[0] == name)


def own_name(site):
    """The module's function that a site lies in, or what stands for it in the truth."""
    name = site.split("+")[0].removesuffix("_noprof")
    if site.endswith(OWN):
        return name if name.startswith("km_") else None
    for stands, names in OUTSIDE.items():
        if name in names:
            return stands
    return None


def seen_allocs(got):
    """Counters by (site, kind or cache, bytes given): objects, requested bytes."""
    count, req = Counter(), Counter()
    caches = got.doc["caches"]["name"]
    for r in got.table("rows"):
        name = own_name(got.site(r["site"]))
        kind = KINDS[r["kind"]]
        if not name:
            continue
        key = (name, caches[r["cache"]] if kind == "cache" else kind, 0 if kind == "cache" else r["each"])
        count[key] += r["count"]
        req[key] += r["req"]
        if r["size"] == r["last"]:
            count[(*key, r["size"])] += r["count"]
    return count, req


def true_allocs(got):
    count, req = Counter(), Counter()
    for site, cache, _, size, each, n, *_ in got.truth("alloc"):
        key = (site, cache, given.get(each, each) if cache == "kmalloc" else each)
        count[key] += n
        req[key] += n * size
        if size <= EXACT or cache == "pages":
            count[(*key, size)] += n
    return count, req


def differ(seen, true, name, spare=0):
    """Of one site: keys where the two are not equal. What the kernel skipped may miss."""
    for key in sorted({k for k in (*seen, *true) if k[0] == name}, key=str):
        low = true[key] - spare
        if not low <= seen[key] <= true[key]:
            yield f"{key[1:]}: {seen[key]}, true {true[key]}"


def seen_frees(got):
    """Counter of (site of the allocation, how, site of the free, CPU, task)."""
    out, rows = Counter(), got.table("rows")
    for life in got.table("lifes"):
        if life["row"] >= len(rows):
            continue
        name = own_name(got.site(rows[life["row"]]["site"]))
        if name:
            out[(name, HOW[life["how"]], own_name(got.site(life["site"])),
                 int(bool(life["flags"] & CPU)), int(bool(life["flags"] & TASK)))] += life["count"]
    return out


def true_frees(got):
    out = Counter()
    for site, how, freed, cpu, task, n, *_ in got.truth("free"):
        out[(site, how, freed, cpu, task)] += n
    return out


def is_noisy(name):
    """Others allocate there, too."""
    return name in OUTSIDE


def sites(got):
    """Each function of the module: what it allocated, and where that was freed."""
    seen, true = seen_allocs(got), true_allocs(got)
    frees = (seen_frees(got), true_frees(got)) if got.doc["lifetimes"] else (Counter(), Counter())
    names = sorted({k[0] for k in (*true[0], *seen[0])})
    for name in names:
        spare = got.skipped() if name in INTERRUPTS else 0
        bad = []
        pairs = [("objects", seen[0], true[0]), ("bytes", seen[1], true[1])]
        if is_noisy(name):  # only what has the size of ours
            pairs = [(what, Counter({k: n for k, n in a.items() if k in b}), b)
                     for what, a, b in pairs]
        for what, a, b in pairs:
            if what == "objects" or not spare:
                bad += [f"{what} {text}" for text in differ(a, b, name, spare)]
        if not is_noisy(name) or (name == "pages" and got.doc["filters"]):
            bad += [f"frees {text}" for text in differ(*frees, name, spare)]
        yield f"{name}", bad
    yield from lives(got)
    yield from counters(got)


def counters(got):
    """What is only counted; others free NULL, too, and reallocate in place."""
    counts = got.doc["counts"]
    for name, key, exact in (("null", "frees_null", False), ("failed", "failed", True),
                             ("in_place", "in_place", False), ("bulk", "bulk", False),
                             ("no_caller", "no_caller", False)):
        true = got.counted(name)
        if not true or name in unseen(got):
            continue
        if name == "failed":
            true += got.counted("vmalloc")  # kmalloc() was asked before
        seen = counts[key]
        ok = seen == true if exact else true <= seen <= true * 1.2 + 1000
        yield f"count of {name}", [] if ok else [f"{seen}, true {true}"]
    yield "events that fire twice", twice(got)


def twice(got):
    """Above 8 KiB the kernel tells of an allocation once more, from 6.12 on, but not
    where the compiler knows the size."""
    large = sum(n for site, cache, _, size, _, n, *_ in got.truth("alloc")
                if cache == "kmalloc" and size > 8192 and site != "km_fixed")
    large += got.counted("failed") + got.counted("vmalloc")
    large = 0 if got.kernel == "6.1" else large
    seen = got.doc["counts"]["twice"]
    # Others do so, too.
    return [] if large <= seen <= large + (large and 100) else [f"{seen}, true {large}"]


def unseen(got):
    """Words of the truth's counts that programs which cannot be had would tell."""
    names = {p["event"] for p in got.table("programs") if p["method"]}
    out = set()
    if not any("bulk" in n for n in names):
        out.add("bulk")
    if not any("realloc" in n for n in names):
        out.add("in_place")
    return out


def slot(ns, bits):
    if ns < 1 << bits:
        return ns
    shift = ns.bit_length() - 1 - bits
    return (shift << bits) + (ns >> shift)


def lives(got):
    """Sums and distribution of lifetimes: between what was measured inside and outside."""
    true = [r for r in got.truth("life") if r[0] == "km_live"]
    if not true or not got.doc["lifetimes"]:
        return
    rows, slots, total, bad = got.table("rows"), Counter(), 0, []
    for life in got.table("lifes"):
        if life["row"] < len(rows) and own_name(got.site(rows[life["row"]]["site"])) == "km_live":
            slots[life["slot"]] += life["count"]
            total += life["sum_ns"]
    inner, outer = (sum(r[i] for r in true) for i in (6, 7))
    if not inner <= total <= outer:
        bad.append(f"sum {total} ns, true between {inner} and {outer}")
    at = {slot(first, LIFE_BITS): (a, b) for first, a, b in got.lives}
    for s in sorted({*slots, *at}):
        least, most = (sum(v[i] for k, v in at.items() if k >= s) for i in (0, 1))
        seen = sum(n for k, n in slots.items() if k >= s)
        if not least <= seen <= most:
            bad.append(f"{seen} lifetimes from slot {s} on, true between {least} and {most}")
    yield "lifetimes", bad


def account(got):
    """All that was seen, by anybody."""
    counts, rows = got.doc["counts"], got.table("rows")
    bad = []
    if not got.doc["lifetimes"]:
        return
    allocs = sum(r["count"] for r in rows) + sum(counts[f"no_row_{k}"] for k in KINDS[1:])
    freed = sum(life["count"] for life in got.table("lifes")) + counts["no_life"]
    live = sum(r["live"] for r in rows) + got.doc["live_no_row"]
    ends = freed + live + counts["reused"] + counts["no_live"]
    if allocs != ends:
        bad.append(f"{allocs} allocated; freed {freed}, live {live}, reused {counts['reused']},"
                   f" no room {counts['no_live']}: {ends}")
    frees = sum(counts[f"frees_{how}"] for how in ("kfree", "cache", "pages", "rcu", "bulk"))
    matched = freed + counts["frees_null"] + counts["unknown"]
    if frees != matched:
        bad.append(f"{frees} freed; matched {freed}, of nothing {counts['frees_null']},"
                   f" unknown {counts['unknown']}: {matched}")
    yield "the account closes", bad


def only(name):
    """Nothing of the module but one site."""
    def check(got):
        seen, true = seen_allocs(got), true_allocs(got)
        yield name, list(differ(seen[0], true[0], name))
        yield "nothing else", [f"{k}: {n}" for k, n in seen[0].items()
                               if k[0].startswith("km_") and k[0] != name]
    return check


def overflows(counter):
    """A table is too small: what it has no room for is counted."""
    def check(got):
        counts = got.doc["counts"]
        lost = sum(n for key, n in counts.items()
                   if key.startswith(counter) and not key.endswith(("requested", "allocated")))
        yield "what finds no room is counted", [] if lost else ["none"]
        rows = got.table("rows")
        if counter == "no_row":
            least = sum(n for _, cache, _, _, _, n, *_ in got.truth("alloc") if cache == "kmalloc")
            seen = counts["no_row_kmalloc"] + sum(r["count"] for r in rows if r["kind"] == 1)
            yield "all are counted", [] if seen >= least else [f"{seen}, true {least} at least"]
        yield from account(got)
    return check


def idle(got):
    """The idle task of another CPU is another task, though its number is the same."""
    yield "interrupts hit idle tasks", [] if got.counted("idle") else ["none"]
    yield from sites(got)
    yield from account(got)


def resized(got):
    """The live bytes are those of the last size, the row's size is the first one."""
    live = sum(r["live_req"] for r in got.table("rows")
               if own_name(got.site(r["site"])) == "km_kmalloc" and r["size"] == 700)
    if got.kernel != "6.12-debug":  # where krealloc() is not looked at
        yield "live bytes", [] if live == 1009 * 1024 else [f"{live}, true {1009 * 1024}"]
    yield from sites(got)
    yield from account(got)


def behind(*helpers):
    """Every operation by itself, and no helper is a call site."""
    def check(got):
        used = {r["site"] for r in got.table("rows")} | {f["site"] for f in got.table("lifes")}
        yield "no helper is a call site", [got.site(s) for s in used
                                           if got.site(s).startswith(helpers)]
        yield from sites(got)
        yield from account(got)
    return check


def behind_interrupt(got):
    """The task that an interrupt hits is not the caller of the interrupt's code."""
    true = sum(r[5] for r in got.truth("alloc"))
    at = Counter()
    for r in got.table("rows"):
        if r["kind"] == 1 and r["size"] == 44:
            at[got.site(r["site"])] += r["count"]
    low = true - got.skipped("kmalloc")
    yield "no call site", [] if low <= at["(no caller)"] <= true else [f"{dict(at)}, true {true}"]


def page_sites(got):
    """Pages of each order at the function that asked the page allocator, which may be a helper."""
    seen, bad = seen_allocs(got)[0], []
    sites = [(got.site(r["site"]), r["count"]) for r in got.table("rows") if r["kind"] == 3]
    helped = sum(n for site, n in sites if site.startswith("help_pages+"))
    for site, _, _, size, _, n, *_ in got.truth("alloc"):
        found = helped if site == "km_behind_pages" else seen[("km_pages", "pages", size)]
        if found != n:
            bad.append(f"{found} of {size} bytes, true {n}")
    yield "pages of each order", bad
    own = [s for s, _ in sites if re.search("alloc_pages|free_pages|folio_alloc", s) or s in ("", "(no caller)")]
    yield "the page allocator is no call site", own


def many_caches(got):
    """More caches than are told apart: what is not told apart is in no row."""
    caches, n, bad = got.table("caches"), 0, []
    for r in got.table("rows"):
        if own_name(got.site(r["site"])) == "km_cache_many":
            n += r["count"]
            cache = caches[r["cache"]]
            if not cache["name"].startswith("kstats_many_") or r["size"] != 40 or r["count"] != 1:
                bad.append(f"{r['count']} objects of {r['size']} bytes of {cache['name']}")
    yield "each row has the right cache", bad
    true, lost = got.counted("many"), got.doc["counts"]["no_row_cache"]
    yield "all are counted", [] if n < true <= n + lost else [f"{n} and {lost}, true {true}"]
    counts = got.doc["counts"]
    why = counts["no_cache"]
    yield "it is the caches that have no room", [] if why == lost else [f"{why} of {lost}"]


def slabinfo(got):
    """The cache of the module, as the kernel itself counts it."""
    cache = next((c for c in got.table("caches") if c["name"] == "kstats_memory_plain"), None)
    live = sum(r["live"] for r in got.table("rows")
               if own_name(got.site(r["site"])) == "km_cache_keep")
    bad = []
    if not cache or len(got.slab) < 5:
        bad = ["the cache is not there"]
    else:
        if int(got.slab[1]) != live:
            bad.append(f"{live} live objects, slabinfo has {got.slab[1]}")
        if int(got.slab[3]) != cache["size"]:
            bad.append(f"an object takes {cache['size']} bytes, slabinfo has {got.slab[3]}")
    yield "live objects and size", bad
    yield from sites(got)
    yield from account(got)


def brief(got):
    """No lifetime that is said to be sure is longer than it was, and some are not sure."""
    rows, slots, unsure = got.table("rows"), Counter(), 0
    for life in got.table("lifes"):
        if life["row"] < len(rows) and own_name(got.site(rows[life["row"]]["site"])) == "km_brief":
            if life["flags"] & UNVERIFIED:
                unsure += life["count"]
            else:
                slots[life["slot"]] += life["count"]
    at = {slot(first, LIFE_BITS): outer for first, _, outer in got.lives}
    wrong = max((sum(n for k, n in slots.items() if k >= s) - sum(n for k, n in at.items() if k >= s)
                 for s in slots), default=0)
    longest = max(slots, default=0)
    yield "no lifetime is too long", [] if wrong <= 0 else [
        f"{wrong} of {sum(slots.values())}, to slot {longest} (true: slot {max(at)}), {unsure} unverified"]
    some = sum(slots.values())
    yield "some lifetimes are sure", [] if some else [f"none, {unsure} unverified"]
    # A program on a trace event is skipped for both.
    if got.kernel != "7" and got.skipped("kmalloc") and got.skipped("kfree"):
        yield "what may be wrong is unverified", [] if unsure else [f"{got.skipped()} skipped"]


def storm(got):
    """Interrupts at any moment: the kernel skips programs, and says how many."""
    yield from sites(got)
    yield from account(got)
    yield from brief(got)


def load(least):
    """Nobody knows the truth, but all must be accounted for."""
    def check(got):
        n = sum(r["count"] for r in got.table("rows") if r["kind"] != 3)
        yield f"{least:,} of them", [] if n >= least else [f"only {n}"]
        other = sum(life["count"] for life in got.table("lifes") if life["flags"] & TASK)
        yield "others free what a task allocated", [] if other >= least / 10 else [f"only {other}"]
        yield from account(got)

    return check


def split(wanted, **counts):
    """The rows of some sites by their dimensions; counters that must be as large or larger."""
    def check(got):
        seen, n = {}, len(got.doc["by"])
        values = iter(got.doc.get("values", {"text": []})["text"])
        for r in got.table("rows"):
            # GFP_ATOMIC of 6.1 has a flag that later kernels do not have.
            what = ", ".join(next(values).removesuffix("|__GFP_ATOMIC") for _ in range(n))
            by = seen.setdefault(own_name(got.site(r["site"])), {})
            by[what] = by.get(what, 0) + r["count"]
        for name, true in wanted.items():
            yield name, [] if seen.get(name) == true else [f"{seen.get(name)}, true {true}"]
        for key, least in counts.items():
            yield f"{key} is counted", [] if got.doc["counts"][key] >= least else [
                f"{got.doc['counts'][key]}, at least {least}"]
        yield from account(got)
    return check


def lines(got):
    """The line of a call site in the module's source is a call that allocates."""
    calls = {"km_kmalloc": "kmalloc(", "km_cache_alloc": "kmem_cache_alloc("}
    for site, text in zip(got.doc["sites"]["name"], got.doc["sites"]["line"]):
        call = calls.pop(own_name(site), None)
        if not call:
            continue
        path, _, number = text.split(" ")[0].rpartition(":")
        path = os.path.join(SOURCES, os.path.basename(path))
        with open(path if os.path.isfile(path) else os.devnull, encoding="utf-8") as f:
            code = dict(enumerate(f, 1)).get(int(number or 0), "")
        yield f"line of {call})", [] if call in code else [f"{text}: {code}"]
    yield "all are seen", list(calls)


def one_cpu(got):
    """Allocations on CPU 1 only; whoever frees them where they are freed."""
    seen, frees = seen_allocs(got)[0], seen_frees(got)
    n = sum(count for row, count in seen.items()
            if len(row) == 3 and row[:2] == ("km_kmalloc", "kmalloc"))  # of any size that is given
    yield "allocations", [] if n == 1013 else [f"{n}, true 1013"]
    n = frees[("km_kmalloc", "kfree", "km_kfree", 1, 1)]
    yield "frees on the other CPU", [] if n == 1013 else [f"{n}, true 1013"]
    yield from account(got)


def of_size(size, true):
    """Nothing was counted while it was stopped, and all else."""
    def check(got):
        seen = sum(r["count"] for r in got.table("rows")
                   if own_name(got.site(r["site"])) == "km_kmalloc" and r["size"] == size)
        yield "kmalloc", [] if seen == true else [f"{seen}, true {true}"]
    return check


def gone(size, true):
    """The module is not there when its call sites are named."""
    def check(got):
        seen = {}
        for r in got.table("rows"):
            site = got.site(r["site"])
            if "kstats_memory" in site and r["size"] == size:
                seen[site] = seen.get(site, 0) + r["count"]
        ok = list(seen.values()) == [true] and all(s.endswith("[kstats_memory, unloaded]")
                                                   for s in seen)
        yield "its name is told", [] if ok else [f"{seen}, true {true}"]
    return check


def nothing_left(got):
    bad = [f"{after}, before {before}" for after, before in got.left if after != before]
    yield "nothing is left", bad if got.left else ["nobody was killed"]


def unloaded(got):
    """Live objects of a module that is gone."""
    live = sum(r["live"] for r in got.table("rows") if r["kind"] == 1 and r["size"] == 60
               and r["live"] >= 1009)
    yield "its objects are live", [] if live == 1009 else [f"{live}, true 1009"]
    yield from account(got)
