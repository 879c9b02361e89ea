#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Pages and drawings as a browser shows them: in light and dark, wide and as
narrow as a telephone. Called by page.t; prints TAP."""

import glob
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from PIL import Image

from tap import result, results

FILES = sorted(glob.glob("tests/golden/*.recording.json"))
KMEMS = sorted(glob.glob("tests/golden/*.kmem.json"))
WIDTHS = (1180, 400)
LEGIBLE = 4.5  # contrast that guidelines for text ask for
BROWSER = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
           "--hide-scrollbars", "--allow-file-access-from-files", "--enable-logging=stderr",
           "--virtual-time-budget=5000", "--host-resolver-rules=MAP * ~NOTFOUND"]
SCHEMES = {"light": [], "dark": ["--blink-settings=preferredColorScheme=0"]}


def write(folder, name, *words):
    path = os.path.join(folder, name)
    subprocess.run([".output/kstats-bpf", *words, "-o", path], check=True)
    return path


def browse(profile, *words):
    """What a browser prints, and what it complains of. One that does not come up, as on
    a busy machine, says nothing of the page: it is started again."""
    for left in (2, 1, 0):
        try:
            done = subprocess.run([*BROWSER, "--user-data-dir=" + profile, *words], check=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
            break
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            if not left:
                raise
    return done.stdout.decode(), re.findall(r".*CONSOLE.*", done.stderr.decode())


def look(profile, path, width, scheme):
    """A page as it is laid out."""
    frame = f"file://{os.path.abspath('tests/view/frame.html')}?page=file://{path}&width={width}"
    for _ in range(3):
        text, complaints = browse(profile, *SCHEMES[scheme], "--window-size=1400,3200",
                                  "--dump-dom", frame)
        said = re.search(r'<pre id="said">(.+?)</pre>', text, re.S)
        if said:
            return json.loads(html.unescape(said.group(1))), complaints
    return None, complaints


def fault_of(seen, complaints, width, scheme):
    if not seen:
        return "the page did not load"
    if complaints:
        return complaints[0]
    if seen["dark"] != (scheme == "dark"):
        return "the browser did not take the colour scheme"
    if seen["wide"] > width:
        return f"{seen['wide']} pixels wide"
    if seen["contrast"] < LEGIBLE:
        return f"text of a contrast of {seen['contrast']:.2f}"
    for what in ("outside", "touching", "requests"):
        if seen[what]:
            return f"{what}: {seen[what][:4]}"
    return None


def check_page(profile, name, path):
    seen = None
    for width in WIDTHS:
        for scheme in SCHEMES:
            seen, complaints = look(profile, path, width, scheme)
            result(f"{name}, {width} pixels, {scheme}",
                   fault_of(seen, complaints, width, scheme))
    return seen or {}


def share(image, wanted):
    """Of the pixels, how many have about this colour."""
    pixels = list(image.convert("RGB").getdata())
    return sum(all(abs(a - b) < 12 for a, b in zip(p, wanted)) for p in pixels) / len(pixels)


def check_picture(profile, folder, path, what):
    """The background is of the scheme, and the bars are there, in their colour."""
    for scheme, ground, bar in (("light", (255, 255, 255), (0x22, 0x66, 0xaa)),
                                ("dark", (0x0e, 0x11, 0x16), (0x62, 0xae, 0xf0))):
        shot = os.path.join(folder, f"{os.path.basename(path)}.{scheme}.png")
        browse(profile, *SCHEMES[scheme], "--window-size=1100,900", "--screenshot=" + shot,
               "file://" + path)
        image = Image.open(shot)
        corner = image.convert("RGB").getpixel((2, 2))
        bars = share(image, bar)
        fault = None
        if corner != ground:
            fault = f"the background is {corner}"
        elif not 0.002 < bars < 0.6:
            fault = f"{100 * bars:.2f} % of the picture is bars"
        result(f"a picture of {what}, {scheme}", fault)


def check_alone(name, path):
    """Nothing is fetched: the only addresses are the names of formats."""
    text = open(path, encoding="utf-8").read()
    found = [a for a in re.findall(r"[a-z]+://[^\"'\s<]*", text)
             if a != "http://www.w3.org/2000/svg"]
    refers = [r for r in re.findall(r"(?:href|src)=\"([^\"]*)", text)
              if not r.startswith("#") and r != "data:,"]
    found += refers + re.findall(r"url\(|@import|<script|<link rel=\"style", text)
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


def check_contents(name, recording, seen):
    wanted = shown(recording)
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
            re.findall(r"M([\d.]+) 88V([\d.]+)H([\d.]+)V88z", path)]


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


def check_diff(profile, folder):
    base, slow = (os.path.join(folder, f"{side}-") for side in ("base", "slow"))
    subprocess.run(["/usr/bin/python3", "tests/cli/recordings.py", folder], check=True)
    sides = [sorted(glob.glob(side + "*.json")) for side in (base, slow)]
    path = write(folder, "diff.html", "diff", "-f", "html", *sides[0], "--", *sides[1])
    seen = check_page(profile, "diff", path)
    result("diff: a picture of each shift", None if seen.get("charts", 0) >= 4 else str(seen))
    check_alone("diff.html", path)


def check_kmem(profile, folder, source):
    """A page of memory events: a map, a drawing for each distribution that has samples and
    for each amount over time, a bar for each row, and the account."""
    name = os.path.basename(source).split(".")[0]
    path = write(folder, name + ".html", "report", "-f", "html", source)
    seen = check_page(profile, name, path)
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


def main():
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        for source in FILES:
            name = os.path.basename(source).split(".")[0]
            page = write(folder, name + ".html", "report", "-f", "html", source)
            drawing = write(folder, name + ".svg", "report", "-f", "svg", source)
            seen = check_page(profile, name, page)
            with open(source, encoding="utf-8") as f:
                check_contents(name, json.load(f), seen)
            check_alone(name + ".html", page)
            check_alone(name + ".svg", drawing)
            check_drawing(name, drawing)
        for name in ("watched.html", "bimodal.html", "bimodal.svg"):
            check_picture(profile, folder, os.path.join(folder, name), name)
        check_keys(folder)
        check_diff(profile, folder)
        pages = [check_kmem(profile, folder, source) for source in KMEMS]
        one = next(page for page in pages if page.endswith("kmem-one.html"))
        check_picture(profile, folder, one, os.path.basename(one))
    print(f"1..{len(results)}")
    return any(results)


if __name__ == "__main__":
    sys.exit(main())
