#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Pages and drawings as a browser shows them: in light and dark, wide and as
narrow as a telephone. Called by page.t; prints TAP."""

import base64
import glob
import hashlib
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from PIL import Image

from browser import Browser
from tap import result, results

FILES = sorted(glob.glob("tests/golden/*.recording.json"))
KMEMS = sorted(glob.glob("tests/golden/*.kmem.json"))
WIDTHS = (1280, 420)
SCHEMES = ("light", "dark")
LEGIBLE = 4.5  # contrast that guidelines for text ask for
with open("tests/view/look.js", encoding="utf-8") as script:
    LOOK = script.read()


def write(folder, name, *words, status=(0,)):
    path = os.path.join(folder, name)
    done = subprocess.run([".output/kstats-bpf", *words, "-o", path], check=False,
                          stderr=subprocess.PIPE)
    if done.returncode not in status:
        sys.exit(f"{words}: {done.returncode}, {done.stderr.decode()}")
    return path


def fault_of(seen, complaints, width, scheme):
    if complaints:
        return complaints[0]
    if seen["dark"] != (scheme == "dark"):
        return "the browser did not take the colour scheme"
    if seen["wide"] > width:
        return f"{seen['wide']} pixels wide"
    if seen["contrast"] < LEGIBLE:
        return f"text of a contrast of {seen['contrast']:.2f}"
    for what in ("outside", "touching", "large", "unnamed", "requests"):
        if seen[what]:
            return f"{what}: {seen[what][:4]}"
    return None


def check_page(browser, name, path):
    """A page is opened once; it is laid out anew for each width and scheme."""
    seen = None
    browser.open(path)
    for width in WIDTHS:
        for scheme in SCHEMES:
            browser.show(width, scheme)
            seen = browser.run(LOOK)
            result(f"{name}, {width} pixels, {scheme}",
                   fault_of(seen, browser.said, width, scheme))
    return seen


def share(image, wanted):
    """Of the pixels, how many have about this colour."""
    pixels = list(image.convert("RGB").getdata())
    return sum(all(abs(a - b) < 12 for a, b in zip(p, wanted)) for p in pixels) / len(pixels)


def check_picture(browser, folder, path, what):
    """The background is of the scheme, and the bars are there, in their colour."""
    for scheme, ground, bar in (("light", (255, 255, 255), (0x22, 0x66, 0xaa)),
                                ("dark", (0x0e, 0x11, 0x16), (0x62, 0xae, 0xf0))):
        shot = os.path.join(folder, f"{os.path.basename(path)}.{scheme}.png")
        browser.show(1100, scheme)
        browser.open(path)
        browser.shoot(shot)
        image = Image.open(shot)
        corner = image.convert("RGB").getpixel((2, 2))
        bars = share(image, bar)
        fault = None
        if corner != ground:
            fault = f"the background is {corner}"
        elif not 0.002 < bars < 0.6:
            fault = f"{100 * bars:.2f} % of the picture is bars"
        result(f"a picture of {what}, {scheme}", fault)


def check_print(browser, folder, path, what):
    """On paper it is light, without the field of the search."""
    browser.show(1280, "dark")
    browser.open(path)
    browser.ask("Emulation.setEmulatedMedia", media="print", features=[
        {"name": "prefers-color-scheme", "value": "dark"}])
    seen = browser.run("({bg:getComputedStyle(document.body).backgroundColor,"
                       "field:[...document.querySelectorAll('input')].map("
                       "(e)=>getComputedStyle(e).display),"
                       "folded:[...document.querySelectorAll('details>:not(summary)')].filter("
                       "(e)=>!e.checkVisibility()).length})")
    browser.ask("Emulation.setEmulatedMedia", media="")
    result(f"{what} is light on paper", seen["bg"] != "rgb(255, 255, 255)" and str(seen))
    result(f"{what} has no field on paper", seen["field"] != ["none"] and str(seen))
    result(f"{what} has on paper what is folded", seen["folded"] and str(seen))
    browser.print(path + ".pdf")
    with open(path + ".pdf", "rb") as f:
        pages = len(re.findall(rb"/Type\s*/Page\b", f.read()))
    result(f"{what} is printed", pages < 2 and f"{pages} pages")


def check_script(browser, path):
    """The search hides what does not match, and a drawing comes near and goes away."""
    browser.show(1280, "light")
    browser.open(path)
    shown = ("[...document.querySelectorAll('section')].filter("
             "(e)=>e.offsetHeight).map((e)=>e.querySelector('h2').textContent)")
    before = browser.run(shown)
    browser.run("(()=>{const f=document.querySelector('input');f.value='PUSH';f.oninput()})()")
    found = browser.run(shown)
    wanted = [name for name in browser.run(
        "[...document.querySelectorAll('h2')].map((e)=>e.textContent)") if "push" in name]
    result("a search shows what matches", found != wanted and f"{found} and not {wanted}")
    browser.run("(()=>{const f=document.querySelector('input');f.value='';f.oninput()})()")
    again = browser.run(shown)
    result("without one all is shown", again != before and f"{again} and not {before}")
    key = ("document.{}.dispatchEvent(new KeyboardEvent('keydown',"
           "{{key:'{}',bubbles:true}}))")
    browser.run("document.querySelector('svg.chart').focus()")
    browser.run(key.format("activeElement", "Enter"))
    near = browser.run("document.querySelectorAll('.near svg').length")
    browser.run(key.format("activeElement", "Escape"))
    away = browser.run("document.querySelectorAll('.near').length")
    result("a drawing comes near", near != 1 and str(near))
    result("and goes away", away and str(away))
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(path)
    plain = browser.run("document.querySelectorAll('input').length")
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    result("without scripts there is no field", plain and str(plain))


def check_policy(name, text):
    """No script can run but that of the page."""
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    hashes = re.findall(r"script-src 'sha256-([^']*)'", text)
    own = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    result(f"{name}: the policy allows its script alone",
           (len(own) != 1 or hashes != own) and f"{hashes} and not {own}")


def check_alone(name, path):
    """Nothing is fetched: the only addresses are the names of formats."""
    text = open(path, encoding="utf-8").read()
    found = [a for a in re.findall(r"[a-z]+://[^\"'\s<]*", text)
             if a != "http://www.w3.org/2000/svg"]
    refers = [r for r in re.findall(r"(?:href|src)=\"([^\"]*)", text)
              if not r.startswith("#") and r != "data:,"]
    found += refers + re.findall(r"url\(|@import|<script[^>]|<link rel=\"style", text)
    if name.endswith(".html"):
        check_policy(name, text)
    result(f"{name} needs nothing else", found and f"it has {found[:3]}")


def check_drawing(name, path):
    try:
        ElementTree.parse(path)
        result(f"{name}.svg is well-formed")
    except ElementTree.ParseError as e:
        result(f"{name}.svg is well-formed", str(e))


def shown(recording):
    """How many distributions have a section: unverified ones only with samples, and keys
    are in that of their owner."""
    filled = set(recording["whole"]["node"])
    return sum(node["kind"] != "key" and (node["kind"] != "unverified" or i in filled)
               for i, node in enumerate(recording["nodes"]))


# Where the time goes, what sets slow calls apart, where they waited and ran, the worst ones.
WHY_SECTIONS = 5
WHY_SHOWN = 3  # a field that is shown, and not compared


def has_values(why):
    """Whether it has a section of values of --show."""
    return any(field["when"] == WHY_SHOWN for field in why["fields"])


def check_contents(name, recording, seen):
    why = recording.get("why")
    wanted = shown(recording) + (WHY_SECTIONS + has_values(why) if why else 0)
    result(f"{name}: a section for each distribution",
           None if seen.get("sections") == wanted else f"{seen.get('sections')} of {wanted}")
    wanted = bool(recording.get("periods"))
    result(f"{name}: over time {'is there' if wanted else 'is not there'}",
           None if any(c.startswith("Intervals") for c in seen.get("charts_named", [])) == wanted
           else str(seen.get("charts_named")))


def bars_of(drawing):
    """Of a small drawing: left end, top and right end of each bar."""
    (path,) = re.findall(r'<path class="heat" d="(.*?)"', drawing)
    return [tuple(map(float, bar)) for bar in
            re.findall(r"M([\d.]+) 88\.0V([\d.]+)H([\d.]+)V88\.0z", path)]


def check_keys(folder):
    """A small drawing for each key and for the rest, sorted, the first 20 in sight; the axis
    is the same in all, and the areas of those that fit the scale are."""
    source = "tests/golden/keys.recording.json"
    done = subprocess.run([".output/kstats-bpf", "report", "-f", "json", source], check=True,
                          stdout=subprocess.PIPE)
    nodes = [node for node in json.loads(done.stdout)["nodes"]
             if node["samples"] and node["kind"] in ("key", "other")]
    nodes.sort(key=lambda node: -node["quantiles_ns"]["p99"]["hi"])
    wanted = [", ".join(node["by"].values()) if "by" in node else "other" for node in nodes]
    path = write(folder, "keys-p99.html", "report", "--sort", "p99", "-f", "html", source)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    names = [html.unescape(n) for n in re.findall(r'aria-label="Distribution of (.*?)"', text)]
    result("keys: sorted as asked", names != wanted and f"{names} and not {wanted}")
    first = re.findall('aria-label="Distribution of ', text.split("<details>")[0])
    result("keys: the first 20 are in sight", len(first) != 20 and str(len(first)))
    small = re.findall(r'aria-label="Distribution of .*?</svg>', text, re.S)
    axes = {(re.search(r'<path class="grid".*?/>', d).group(),
             tuple(re.findall("<text.*?</text>", d))) for d in small}
    result("keys: all have the same axis", len(axes) != 1 and f"{len(axes)} axes")
    areas = [sum((right - left) * (88 - top) for left, top, right in bars_of(d))
             for d in small if not re.search(r"M[\d.]+ 5H", d)]
    result(f"keys: {len(areas)} drawings of the same area",
           (len(areas) < 15 or max(areas) > 1.05 * min(areas)) and f"{sorted(areas)}")


def check_order(path):
    """The largest total first, those without samples folded."""
    source = "tests/golden/many.recording.json"
    done = subprocess.run([".output/kstats-bpf", "report", "-f", "json", source], check=True,
                          stdout=subprocess.PIPE)
    nodes = json.loads(done.stdout)["nodes"]
    some = [node for node in nodes if node["samples"]]
    some.sort(key=lambda node: -node["sum_ns"]["lo"])
    with open(path, encoding="utf-8") as f:
        first, folded = f.read().split("<details>", 1)
    for what, text, wanted in (
            ("table", first, [node["name"] for node in some]),
            ("fold", folded, [node["name"] for node in nodes if not node["samples"]])):
        heading = r'<td class="text long"><a href="#r\d+">(.*?)</a>' if what == "table" \
            else "<h2>(.*?)</h2>"
        found = re.findall(heading, text)
        result(f"many: the order of the {what}", found != wanted and f"{found} and not {wanted}")


def check_diff(browser, folder):
    """Both sides over each other, and all changes on one scale."""
    os.mkdir(os.path.join(folder, "runs"))
    base, slow = (os.path.join(folder, "runs", f"{side}-") for side in ("base", "slow"))
    subprocess.run(["/usr/bin/python3", "tests/cli/recordings.py", folder + "/runs"], check=True)
    sides = [sorted(glob.glob(side + "*.json")) for side in (base, slow)]
    path = write(folder, "diff.html", "diff", "-f", "html", *sides[0], "--", *sides[1])
    seen = check_page(browser, "diff", path)
    names = seen["charts_named"]
    result("diff: the sides are over each other",
           not any(n.startswith("Two distributions") for n in names) and str(names))
    result("diff: the changes have a scale", "Changes and their intervals" not in names
           and str(names))
    result("diff: all columns are on a telephone", seen["scrolled"] and str(seen["scrolled"]))
    check_alone("diff.html", path)
    return sides


def mean_of(text, side):
    """What the slots of a side say of its mean, in ns."""
    units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    slots = [(float(value) * units[unit], int(n.replace(",", ""))) for value, unit, n in re.findall(
        f"<title>{side}, ([0-9.]+) ([a-z]+).*?: ([0-9,]+) ", text)]
    return sum(value * n for value, n in slots) / sum(n for _, n in slots)


def check_verdict(browser, folder, name, files, rules, runs, status, verdict):
    """A verdict, its rules, both sides, the runs as points, the limits and the commands."""
    words = [*files, *rules]
    path = write(folder, name + ".html", "check", "-f", "html", *words, status=(status,))
    seen = check_page(browser, name, path)
    check_alone(name + ".html", path)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for what, found in (("the verdict", f">{verdict}</span>" in text),
                        ("both sides", "Two distributions" in text),
                        ("the runs", "Runs: the figure of each" in text),
                        ("the intervals", "Changes, their intervals and limits" in text),
                        ("the limits of the runs",
                         re.search('class="limit" d="M[0-9]+ [0-9.]+H', text)),
                        ("the limits of changes",
                         re.search('class="limit" d="M[0-9.]+ [0-9.]+v22"', text)),
                        ("all of its tables on a telephone", not seen["scrolled"]),
                        ("the command", re.search("<td>command</td><td [^>]*>make<", text)
                         or '<td class="text">command</td>' in text)):
        result(f"{name}: {what}", None if found else "it is not there")
    result(f"{name}: each rule is in the table",
           None if len(re.findall("<tr><td>[0-9]", text)) == len(rules) else text[:2000])
    points = [len(re.findall(f"<title>{side}, run", text)) for side in ("before", "after")]
    wanted = [n * len(rules) for n in runs]
    result(f"{name}: a point for each run", points != wanted and f"{points} and not {wanted}")
    means = [mean_of(text, side) for side in ("before", "after")]
    result(f"{name}: the slower side is the slower one",
           verdict != "pass" and means[0] >= means[1] and str(means))
    return seen


def check_verdicts(browser, folder, sides):
    base, slow = sides
    check_verdict(browser, folder, "fail", [*slow, "--base", *base],
                  ["--max-increase=p50=3%", "--max-increase=p99=5%", "--assert=p99<10us"], (6, 6), 1, "fail")
    check_verdict(browser, folder, "pass", [*base, "--base", *slow], ["--max-increase=p50=3%"], (6, 6), 0,
                  "pass")
    check_verdict(browser, folder, "undecided", [*slow[:3], "--base", *base[:2]],
                  ["--max-increase=p99=5%"], (2, 3), 3, "inconclusive")
    sets = os.path.join(folder, "sets")
    os.mkdir(sets)
    subprocess.run(["/usr/bin/python3", "tests/cli/histories.py", sets], check=True)
    runs = [len(os.listdir(s)) for s in sorted(glob.glob(sets + "/risen/*"))]
    seen = check_verdict(browser, folder, "history", ["--history", sets + "/risen", "--last=20"],
                         ["--max-increase=p50=5%"], (sum(runs[-21:-1]), runs[-1]), 3, "inconclusive")
    result("history: its series", "Series: duration by set" not in seen["charts_named"]
           and str(seen["charts_named"]))


def check_kmem(browser, folder, source):
    """A page of memory events: a map, a drawing for each distribution that has samples and
    for each amount over time, a bar for each row, and the account."""
    name = os.path.basename(source).split(".")[0]
    path = write(folder, name + ".html", "report", "-f", "html", source)
    seen = check_page(browser, name, path)
    check_alone(name + ".html", path)
    text = open(path, encoding="utf-8").read()
    with open(source, encoding="utf-8") as f:
        recording = json.load(f)
    rows = recording["rows"]
    sites = {(kind, site) for kind, site in zip(rows["kind"], rows["site"])}
    kinds = set(rows["kind"])
    lives = set(rows["kind"][i] for i in recording["lifes"]["row"] if i < len(rows["kind"]))
    wanted = sum(2 if kind != 3 else 1 for kind in kinds) + len(lives)
    wanted += sum(kind != 3 for kind, _ in sites) > 1  # the map
    parts = recording.get("parts", {"site": []})
    all_sites = [i for i, site in enumerate(parts["site"]) if site == 0xffffffff]
    for column in ("alloc", "live_alloc"):
        wanted += len({parts["kind"][i] for i in all_sites if parts[column][i]})
    found = text.split("<h2>Account")[0].count('class="chart"')
    result(f"{name}: a drawing for each distribution of each kind",
           None if found == wanted else f"{found} of {wanted}")
    bars = text.count('aria-label="bytes, and waste at the end"')
    result(f"{name}: a bar for each of the first rows",
           None if bars == min(len(sites), 20) else f"{bars} of {len(sites)}")
    result(f"{name}: the account", None if seen.get("sections") and "<h2>Account" in text
           else str(seen.get("sections")))
    return path


def check_recording(browser, folder, source):
    name = os.path.basename(source).split(".")[0]
    page = write(folder, name + ".html", "report", "-f", "html", source)
    drawing = write(folder, name + ".svg", "report", "-f", "svg", source)
    seen = check_page(browser, name, page)
    with open(source, encoding="utf-8") as f:
        check_contents(name, json.load(f), seen)
    if name.startswith("why"):
        result(f"{name}: all columns are on a telephone", seen["scrolled"])
    check_alone(name + ".html", page)
    check_alone(name + ".svg", drawing)
    check_drawing(name, drawing)
    again = write(folder, name + ".again", "report", "-f", "html", source)
    with open(page, "rb") as a, open(again, "rb") as b:
        result(f"{name}: the same bytes again", a.read() != b.read() and "they differ")


def main():
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        for source in FILES:
            check_recording(browser, folder, source)
        for name in ("watched.html", "bimodal.html", "bimodal.svg"):
            check_picture(browser, folder, os.path.join(folder, name), name)
        many = os.path.join(folder, "many.html")
        check_print(browser, folder, many, "many.html")
        check_script(browser, many)
        check_keys(folder)
        check_order(many)
        check_verdicts(browser, folder, check_diff(browser, folder))
        pages = [check_kmem(browser, folder, source) for source in KMEMS]
        one = next(page for page in pages if page.endswith("kmem-one.html"))
        check_picture(browser, folder, one, os.path.basename(one))
    print(f"1..{len(results)}")
    return any(results)


if __name__ == "__main__":
    sys.exit(main())
