# SPDX-License-Identifier: GPL-2.0-only
"""Markers in Python programs, which kstats-bpf measures at any time. kstats_user(3) has the rules.

    import kstats_user

    request = kstats_user.marker("request")     # once, beside the imports

    with request.span():                        # a duration
        answer()

    @request.timed                              # a duration for each call; also of async functions
    def answer(): ...

    kstats_user.marker("size").sample(4096)     # any number from 0 to 2**64 - 1

    $ sudo kstats-bpf trace m:request -- ./server.py

While nobody measures, a span takes a fraction of a microsecond. A span may end in another thread, and
`await` may stand inside it. Markers raise nothing while the program runs: state() says whether they
record, and why not.
"""

import ctypes
import functools
import inspect
import os
import re

__all__ = ["Marker", "Span", "look", "marker"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_markers = {}


def _load():
    """The library beside this file, or where the system finds libraries. None: there is none."""
    for path in (os.path.join(os.path.dirname(os.path.abspath(__file__)), "libkstats_user.so"),
                 "libkstats_user.so"):
        try:
            # Its functions take nanoseconds: another thread need not run meanwhile.
            lib = ctypes.PyDLL(path)
        except OSError:
            continue
        for name, result, takes in (("marker", ctypes.c_void_p, [ctypes.c_char_p]),
                                    ("begin", None, [ctypes.c_void_p, ctypes.c_void_p]),
                                    ("end", None, [ctypes.c_void_p, ctypes.c_void_p]),
                                    ("sample", None, [ctypes.c_void_p, ctypes.c_uint64]),
                                    ("state", ctypes.c_char_p, [ctypes.c_void_p]),
                                    ("version", ctypes.c_void_p, []), ("look", None, [])):
            function = getattr(lib, "kstats_python_" + name)
            function.restype = result
            function.argtypes = takes
        return lib
    return None


_lib = _load()


class Span(ctypes.Array):
    """One duration of a marker: a context manager, or begin() and end() by hand."""

    _type_ = ctypes.c_uint64  # what kstats_user.c keeps of a begin
    _length_ = 3

    def begin(self):
        _begin(self._marker, self)
        return self

    def end(self):
        _end(self._marker, self)

    __enter__ = begin

    def __exit__(self, *_):
        _end(self._marker, self)


class _NoSpan:
    """While nobody measures."""

    def begin(self):
        return self

    def end(self):
        pass

    __enter__ = begin

    def __exit__(self, *_):
        pass


_no_span = _NoSpan()


class Marker:
    """A name that can be measured. marker() makes it."""

    __slots__ = ("name", "_at", "_seen")

    def __init__(self, name):
        self.name = name
        self._at = self._seen = None
        if not _lib:
            return
        self._at = _lib.kstats_python_marker(name.encode())
        if not self._at:
            raise MemoryError("no memory for a marker of kstats-bpf")
        self._seen = _word(self._at)
        self.state()

    def span(self):
        if not _version or self._seen[0] == _version[0]:
            return _no_span
        span = Span()
        span._marker = self._at
        return span

    def sample(self, value):
        """Record a number. What is not from 0 to 2**64 - 1 counts as its lowest 64 bits."""
        value = int(value)  # what is no number is an error also while nobody measures
        if _version and self._seen[0] != _version[0]:
            _sample(self._at, value)

    def timed(self, function):
        """Of a decorated function, each call is a duration; of an async one, until it returns."""
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def wrapper(*args, **kwargs):
                with self.span():
                    return await function(*args, **kwargs)
        elif inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"'{function.__name__}' makes a generator, whose calls end at once; "
                            "put 'with marker.span():' into it")
        else:
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                with self.span():
                    return function(*args, **kwargs)
        return wrapper

    def state(self):
        """In words: 'it records', or why not."""
        if not _lib:
            return "libkstats_user.so is not beside kstats_user.py, nor where libraries are; install it with 'sudo make install-python'"
        text = _lib.kstats_python_state(self._at).decode()
        _follow()
        return text


def marker(name):
    """The marker of a name, which is an identifier of at most 63 characters."""
    if name not in _markers:
        if not _NAME.fullmatch(name):
            raise ValueError(f"'{name}' cannot be the name of a marker; "
                             "give letters, digits and _, at most 63, with no digit first")
        _markers.setdefault(name, Marker(name))
    return _markers[name]


def _word(address):
    """The 32-bit number at an address, as [0]."""
    return memoryview((ctypes.c_uint32 * 1).from_address(address)).cast("B").cast("I")


def _follow():
    """Where the version is may change when a marker has looked for the folder."""
    global _version, _version_at
    at = _lib.kstats_python_version()
    if at != _version_at:
        _version, _version_at = _word(at), at


_version = _version_at = None


def look():
    """Look again for the folder of nodes, as KSTATS_USER_LOOK() does."""
    if _lib:
        _lib.kstats_python_look()
        for m in list(_markers.values()):  # another thread may add one
            m.state()


if _lib:
    _begin = _lib.kstats_python_begin
    _end = _lib.kstats_python_end
    _sample = _lib.kstats_python_sample
