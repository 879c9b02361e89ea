#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""spdx.py MAP NAME VERSION EPOCH PROGRAM: what is linked into a static program, as SPDX 2.3.

Comes in: the linker's map, which names each file of each archive that was taken; and in SYSROOT the
folder that tests/vm/sysroot has made, for a program that was linked with that. Goes out: the packages
of those archives with exact versions, licences, and where their sources are. A file whose licence is
not known here, or does not go with GPL-2.0-only, ends it with a message.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

SYSROOT = os.environ.get("SYSROOT")

# Licences whose code may be part of a program under GPL-2.0-only.
GOOD = {
    "BSD-2-Clause", "BSD-3-Clause", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-or-later WITH GCC-exception-3.1",
    "LGPL-2.0-or-later", "LGPL-2.1-only", "LGPL-2.1-or-later", "MIT",
    "X11-distribute-modifications-variant", "Zlib", "bzip2-1.0.6", "LicenseRef-public-domain",
}

# Of each archive, as its files say themselves. Of two that may be chosen, the one that is used.
LICENCES = {
    "libbpf.a": "BSD-2-Clause",
    "libbz2.a": "bzip2-1.0.6",
    "libc.a": "LGPL-2.1-or-later",
    "libdw.a": "GPL-2.0-or-later",
    "libelf.a": "GPL-2.0-or-later",
    "libevent_core.a": "BSD-3-Clause",
    "libevent_extra.a": "BSD-3-Clause",
    "libgcc.a": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc_eh.a": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libjson-c.a": "MIT",
    "liblzma.a": "LicenseRef-public-domain",
    "libm.a": "LGPL-2.1-or-later",
    "libncursesw.a": "X11-distribute-modifications-variant",
    "libRmath.a": "GPL-2.0-or-later",
    "libtinfo.a": "X11-distribute-modifications-variant",
    "libz.a": "Zlib",
    "libzstd.a": "BSD-3-Clause",
}

# The files of libiberty have licences of their own, and some are under the GPL 3: one by one.
IBERTY = {
    "cp-demangle.o": "GPL-2.0-or-later",
    "cplus-dem.o": "LGPL-2.0-or-later",
    "d-demangle.o": "LGPL-2.0-or-later",
    "rust-demangle.o": "LGPL-2.0-or-later",
    "safe-ctype.o": "LGPL-2.0-or-later",
    "xexit.o": "LGPL-2.0-or-later",
    "xmalloc.o": "LGPL-2.0-or-later",
    "xstrdup.o": "LicenseRef-public-domain",
}


def tell(*command):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, check=True).stdout.strip()


def linked(path):
    """Archive -> the files of it that are in the program."""
    found = {}
    with open(path, encoding="utf-8", errors="replace") as f:
        for m in re.finditer(r"(/\S+\.a)\(([^)]+)\)", f.read()):
            found.setdefault(os.path.realpath(m.group(1)), set()).add(m.group(2))
    return found


def listed():
    """Path -> binary package, source package and version, of the folder that is not this machine's."""
    if not SYSROOT:
        return {}
    with open(f"{SYSROOT}/files", encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    return {os.path.realpath(SYSROOT + path): words for path, *words in rows}


def package_of(archive, files):
    """The binary package, source package and version of a file."""
    if archive in files:
        return files[archive]
    for path in (archive, archive.removeprefix("/usr")):
        done = subprocess.run(["dpkg", "-S", path], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        if not done.returncode:
            package = done.stdout.split(": ")[0].split(",")[0]
            break
    else:
        sys.exit(f"spdx.py: no package has {archive}, so its version is not known")
    fields = "${Package}|${source:Package}|${source:Version}"
    return tell("dpkg-query", "-W", "-f", fields, package).split("|")


def licence_of(archive, files):
    name = re.sub(r"-2\.\d+\.a$", ".a", os.path.basename(archive))
    if name == "libiberty.a":
        unknown = sorted(files - IBERTY.keys())
        if unknown:
            sys.exit(f"spdx.py: the licence of {', '.join(unknown)} of libiberty is not known")
        found = {IBERTY[f] for f in files}
    elif name in LICENCES:
        found = {LICENCES[name]}
    else:
        sys.exit(f"spdx.py: the licence of {archive} is not known")
    bad = found - GOOD
    if bad:
        sys.exit(f"spdx.py: {archive}: {', '.join(bad)} does not go with GPL-2.0-only")
    return sorted(found)


def collect(path):
    """(source package, version) -> what the document says of it"""
    packages, known = {}, listed()
    for archive, files in sorted(linked(path).items()):
        binary, source, version = package_of(archive, known)
        p = packages.setdefault((source, version), {"binaries": set(), "files": [], "licences": set()})
        p["binaries"].add(binary)
        p["files"].append(f"{os.path.basename(archive)} ({len(files)} files)")
        p["licences"].update(licence_of(archive, files))
    if not packages:
        sys.exit(f"spdx.py: {path} names no archive")
    return packages


def package(source, version, p):
    licence = " AND ".join(f"({x})" if " " in x else x for x in sorted(p["licences"]))
    return {
        "SPDXID": f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', source)}",
        "name": source,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": f"https://snapshot.debian.org/package/{source}/{version.replace(':', '%3A')}/",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "comment": f"Linked in from {', '.join(sorted(p['binaries']))}: {', '.join(p['files'])}. "
                   f"Its copyright holders are named in /usr/share/doc/{sorted(p['binaries'])[0]}/copyright "
                   "of that package; 'apt-get source' gets the sources, too.",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{source}@{version}?arch=source",
        }],
    }


def main():
    path, name, version, epoch, program = sys.argv[1:]
    with open(program, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    own = {
        "SPDXID": "SPDXRef-kstats-bpf", "name": "kstats-bpf", "versionInfo": version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "GPL-2.0-only", "licenseDeclared": "GPL-2.0-only",
        "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
    }
    parts = [package(s, v, p) for (s, v), p in sorted(collect(path).items())]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": own["SPDXID"]}]
    relations += [{"spdxElementId": own["SPDXID"], "relationshipType": "STATIC_LINK",
                   "relatedSpdxElement": p["SPDXID"]} for p in parts]
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": name, "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest[:32]}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
                       .strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: packaging/spdx.py"],
        },
        "packages": [own] + parts, "relationships": relations,
        "hasExtractedLicensingInfos": [{
            "licenseId": "LicenseRef-public-domain", "name": "Public domain",
            "extractedText": "The authors have put this into the public domain.",
        }],
    }, sys.stdout, indent=1)
    print()


main()
