"""An opened trace, and the questions that it answers."""
from __future__ import annotations

import fnmatch
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, Union

from . import _native
from ._errors import AdviceWarning, DamageWarning, Error
from ._rows import FlameGraph, Rows, Tree

Globs = Union[str, Iterable[str], None]
"""A glob for names of functions, or several: ``"parse*|*/net/*.cpp"``. docs/reference/globs.md has the rules."""
Threads = Union["int", "str", "Thread", Iterable[Union["int", "str", "Thread"]], None]
"""Threads: by ``Thread.id``, by a glob for the name, or as ``Thread``; or several of these. None: all."""
NameStyle = Literal["short", "full", "mangled"]
"""How functions are called: parameters and template arguments folded, demangled, or as in the object file."""


class Process(NamedTuple):
    """A process of a trace."""

    id: int
    """Its number in the trace, from 0."""
    name: str
    """``"pid_4711"``; of a session, the name of the process's directory."""
    pid: int | None
    """The system's process id; None if the trace does not have it."""
    executable: str
    """The path of its program; empty if it is not known."""


class Thread(NamedTuple):
    """A thread of a trace."""

    id: int
    """Its number in the trace, from 0."""
    process: int
    """``Process.id`` of its process."""
    number: int
    """Its number in the process: the N of ``thread_N``."""
    tid: int
    """The system's thread id."""
    name: str
    """Empty if it has none."""
    events: int
    """How many events were recorded."""
    start: int
    """When its first event was, in nanoseconds on the trace's clock; 0 if there are no events."""
    end: int
    """When its last event was, likewise."""
    has_scheduling: bool
    """Whether it is known when the thread was on-CPU."""


class Trace:
    """A trace, opened by :func:`adatrace.open`.

    All times are in nanoseconds on the trace's clock, as are the options ``start`` and ``end`` of its methods: only
    calls that are active at or after ``start``, and that begin before ``end``, are used. Several Python threads may use
    a trace at once. While a method reads, other Python threads run, and Ctrl-C ends it.

    These options choose calls, as those of the same names do for the commands:

    - ``function``: only these functions and everything they call
    - ``include``: only these functions, without what they call
    - ``exclude``: not these functions; what they call moves up to the caller
    - ``prune``: not these functions, and nothing that they call
    - ``external``: False leaves out library functions; what they call moves up to the caller
    - ``depth``: at most this many nested levels of the calls shown
    - ``min_duration``: no calls shorter than this many nanoseconds, and nothing that they call
    - ``thread``: only these threads
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: str = os.fspath(path)
        """The path, as it was given."""
        self.problems: list[Error] = []
        """Damage that was found so far. Everything else was read."""
        self._native = _native.Trace.open(os.fsencode(self.path))
        self.processes: list[Process] = [Process(*row) for row in self._native.processes()]
        """The processes, by id."""
        self.threads: list[Thread] = [Thread(*row) for row in self._native.threads()]
        """The threads, by id."""
        self._notes: set[str] = set()
        self._report_damage(self._native.damage())

    @property
    def start(self) -> int:
        """When the first event was, in nanoseconds on the trace's clock; 0 if there are no events."""
        return self._native.start

    @property
    def end(self) -> int:
        """When the last event was, in nanoseconds on the trace's clock; 0 if there are no events."""
        return self._native.end

    @property
    def events(self) -> int:
        """How many events the trace has."""
        return self._native.events

    def report(self, *, by: Literal["function", "thread", "module", "file"] = "function", arguments: bool = False,
               sort: str = "self", function: Globs = None, include: Globs = None, exclude: Globs = None,
               prune: Globs = None, external: bool = True, thread: Threads = None, start: int | None = None,
               end: int | None = None, depth: int | None = None, min_duration: int = 0,
               names: NameStyle = "short") -> Rows:
        """What each function costs: the rows of ``adatrace report --format=json``.

        ``by``: one row per function, per function and thread, per module, or per file. ``arguments``: calls with
        different arguments get rows of their own. ``sort``: the heading of a column, or ``"name"``.
        """
        _check("by", by, ("function", "thread", "module", "file"))
        _check("sort", sort, _native.report_sort_words())
        choice = self._choice(function, include, exclude, prune, external, thread, start, end, depth, min_duration, names)
        return Rows(self._take(self._native.report(choice, by, arguments, sort)))

    def tree(self, *, fold: bool = True, arguments: bool = False, limit: int | None = 100_000, function: Globs = None,
             include: Globs = None, exclude: Globs = None, prune: Globs = None, external: bool = True,
             thread: Threads = None, start: int | None = None, end: int | None = None, depth: int | None = None,
             min_duration: int = 0, names: NameStyle = "short") -> Tree:
        """Who called whom, and how long it took: the rows of ``adatrace tree --format=json``.

        ``fold``: repetitions and recursion are one line. ``arguments``: with arguments and results, where they were
        recorded. ``limit``: at most this many lines, None for all; what comes after them is left out.
        """
        choice = self._choice(function, include, exclude, prune, external, thread, start, end, depth, min_duration, names)
        return Tree(self._take(self._native.tree(choice, fold, arguments, limit)))

    def waits(self, *, by: Literal["object", "place"] = "object", function: Globs = None, include: Globs = None,
              exclude: Globs = None, prune: Globs = None, external: bool = True, thread: Threads = None,
              start: int | None = None, end: int | None = None, depth: int | None = None, min_duration: int = 0,
              names: NameStyle = "short") -> Rows:
        """What threads waited for, and which thread held it: the rows of ``adatrace waits --format=json``.

        ``by``: one row per object, or per function that created the objects.
        """
        _check("by", by, ("object", "place"))
        choice = self._choice(function, include, exclude, prune, external, thread, start, end, depth, min_duration, names)
        return Rows(self._take(self._native.waits(choice, by == "place")))

    def diff(self, other: Runs, *, by: Literal["function", "path"] = "function", **options: Any) -> Rows:
        """What changed from this run to another one, or several: :func:`adatrace.diff` has the options."""
        return diff(self, other, by=by, **options)

    def flame(self, *, before: Trace | None = None, paths: int = 20_000, function: Globs = None,
              include: Globs = None, exclude: Globs = None, prune: Globs = None, external: bool = True,
              thread: Threads = None, start: int | None = None, end: int | None = None, depth: int | None = None,
              min_duration: int = 0, names: NameStyle = "short") -> FlameGraph:
        """A flame graph. In a notebook it is shown.

        ``before``: an earlier run to compare with. ``paths``: at most this many call paths, those that took longest.
        """
        choice = self._choice(function, include, exclude, prune, external, thread, start, end, depth, min_duration, names)
        return FlameGraph(self._take(self._native.flame(before._native if before else None, choice, paths)))

    def __repr__(self) -> str:
        return (f"<adatrace.Trace {self.path!r}: {len(self.processes)} processes, {len(self.threads)} threads, "
                f"{self.events:,} events>")

    def _choice(self, function: Globs, include: Globs, exclude: Globs, prune: Globs, external: bool, thread: Threads,
                start: int | None, end: int | None, depth: int | None, min_duration: int,
                names: str) -> _native.Choice:
        return _native.Choice(function=_globs(function), include=_globs(include), exclude=_globs(exclude),
                              prune=_globs(prune), external=external, depth=depth, min_duration=min_duration, start=start,
                              end=end, threads=self._thread_ids(thread), names=names)

    def _thread_ids(self, threads: Threads) -> list[int] | None:
        if threads is None:
            return None
        chosen: set[int] = set()
        for one in [threads] if isinstance(threads, (int, str, Thread)) else threads:
            if isinstance(one, str):
                found = {t.id for t in self.threads if fnmatch.fnmatchcase(t.name, one)}
                if not found:
                    raise ValueError(f"no thread of {self.path} has a name like {one!r}")
                chosen |= found
            else:
                number = one.id if isinstance(one, Thread) else one
                if not 0 <= number < len(self.threads):
                    raise ValueError(f"{self.path} has no thread {number}; the ids are 0 to {len(self.threads) - 1}")
                chosen.add(number)
        return sorted(chosen)

    def _take(self, answer: _native._Answer) -> str:
        text, advice, damage = answer
        for note in advice:
            _warn(f"{self.path}: {note}", AdviceWarning)
        self._report_damage(damage)
        return text

    def _report_damage(self, damage: _native._Damage) -> None:
        problems, notes = damage
        for problem in problems:
            if str(problem) not in self._notes:
                self._notes.add(str(problem))
                self.problems.append(problem)
                _warn(str(problem), DamageWarning)
        for note in notes:
            if note not in self._notes:
                self._notes.add(note)
                _warn(note, DamageWarning)


Run = Union[Trace, str, "os.PathLike[str]"]
Runs = Union[Run, Sequence[Run]]
"""A trace, or the path of one; or several."""


def open(path: str | os.PathLike[str]) -> Trace:
    """Opens a trace of any format: a session, a part of one, or a file that ``adatrace`` can read.

    Traces of other tools, whose threads are mixed, are read once now and kept in a temporary file without a name.
    Raises :class:`adatrace.Error` if it can't be read at all. If a part is damaged, the rest is read, and a
    :class:`adatrace.DamageWarning` is issued.
    """
    return Trace(path)


def diff(before: Runs, after: Runs, *, by: Literal["function", "path"] = "function", function: Globs = None,
         include: Globs = None, exclude: Globs = None, prune: Globs = None, external: bool = True,
         start: int | None = None, end: int | None = None, depth: int | None = None, min_duration: int = 0,
         names: NameStyle = "short") -> Rows:
    """What changed between two groups of one or more runs: the rows of ``adatrace diff --format=json``.

    ``by``: one row per function, or per function and path to it. Rows that changed more than noise have a true value
    in ``significant``. The other options are those of :class:`adatrace.Trace`.
    """
    _check("by", by, ("function", "path"))
    sides = [_traces(before), _traces(after)]
    first = sides[0][0]
    choice = first._choice(function, include, exclude, prune, external, None, start, end, depth, min_duration, names)
    native = [[trace._native for trace in side] for side in sides]
    return Rows(first._take(_native.diff(native[0], native[1], choice, by == "path")))


def _traces(runs: Runs) -> list[Trace]:
    alone = isinstance(runs, (Trace, str, os.PathLike))
    traces = [run if isinstance(run, Trace) else open(run) for run in ([runs] if alone else runs)]  # type: ignore
    if not traces:
        raise ValueError("at least one run is needed on each side")
    return traces


def _globs(globs: Globs) -> list[str]:
    return [] if globs is None else [globs] if isinstance(globs, str) else list(globs)


def _check(option: str, word: str, words: Sequence[str]) -> None:
    if word not in words:
        raise ValueError(f"{option} is one of {', '.join(map(repr, words))}, not {word!r}")


def _warn(text: str, kind: type[Warning]) -> None:
    """Warns about the line of the user's that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=level)
