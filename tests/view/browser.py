# SPDX-License-Identifier: GPL-2.0-only
"""A headless browser that is started once and told what to do over two pipes. Imported by
page.py."""

import base64
import contextlib
import json
import os
import signal
import subprocess
import tempfile

WORDS = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--remote-debugging-pipe", "--no-first-run", "--mute-audio",
         "--disable-extensions", "--disable-background-networking",
         "--host-resolver-rules=MAP * ~NOTFOUND"]


def pass_on(*pairs):
    """In the child: each descriptor gets the number that the browser expects."""
    kept = [(os.dup(old), new) for old, new in pairs]
    for old, new in kept:
        os.dup2(old, new)
        os.close(old)


class Browser:
    """One page at a time. Messages end in a zero byte."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.log = tempfile.TemporaryFile()
        read, their_write = os.pipe()
        their_read, write = os.pipe()
        self.process = subprocess.Popen(
            [*WORDS, "--user-data-dir=" + self.profile.name], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log, close_fds=False, start_new_session=True,
            preexec_fn=lambda: pass_on((their_read, 3), (their_write, 4)))
        os.close(their_read)
        os.close(their_write)
        self.read, self.write = os.fdopen(read, "rb"), os.fdopen(write, "wb")
        self.said, self.count, self.rest, self.session = [], 0, b"", None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        with contextlib.suppress(ProcessLookupError):  # its children may still write there
            os.killpg(self.process.pid, signal.SIGKILL)
        self.read.close()
        self.write.close()
        self.profile.cleanup()

    def next(self):
        while b"\0" not in self.rest:
            got = self.read.read1(1 << 20)
            if not got:
                self.log.seek(0)
                raise EOFError(self.log.read()[-2000:].decode())
            self.rest += got
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def hear(self, message):
        """Whatever the page complains of is kept."""
        method, params = message.get("method"), message.get("params", {})
        if method == "Log.entryAdded":
            self.said.append(params["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.said.append(str(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.said.append(str(params["args"]))
        return method

    def ask(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.write.write(json.dumps(message).encode() + b"\0")
        self.write.flush()
        while True:
            answer = self.next()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.hear(answer)

    def show(self, width, scheme, height=900):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        self.said = []
        self.ask("Page.navigate", url="file://" + os.path.abspath(path))
        while self.hear(self.next()) != "Page.loadEventFired":
            pass

    def run(self, script):
        """The value of an expression in the page."""
        got = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(str(got["exceptionDetails"]))
        return got["result"].get("value")

    def shoot(self, path, whole=False):
        picture = self.ask("Page.captureScreenshot", captureBeyondViewport=whole,
                           **({"clip": dict(x=0, y=0, scale=1, **self.run(
                               "({width:innerWidth,"
                               "height:document.documentElement.scrollHeight})"))}
                              if whole else {}))
        with open(path, "wb") as f:
            f.write(base64.b64decode(picture["data"]))

    def print(self, path):
        got = self.ask("Page.printToPDF", printBackground=True)
        with open(path, "wb") as f:
            f.write(base64.b64decode(got["data"]))
