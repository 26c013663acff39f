"""An opened trace, and the questions that it answers."""
from __future__ import annotations

import fnmatch
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, Union

import numpy as np

from . import _native
from ._columns import Column, Columns
from ._errors import AdviceWarning, DamageWarning, Error, HoldUpWarning
from ._rows import Answer, FlameGraph, Rows, Tree, duration
from ._shown import in_html

Globs = Union[str, Iterable[str], None]
"""A glob for names of functions, or several: ``"parse*|*/net/*.cpp"``. docs/reference/globs.md has the rules."""
Threads = Union["int", "str", "Thread", Iterable[Union["int", "str", "Thread"]], None]
"""Threads: by ``Thread.id``, by a glob for the name, or as ``Thread``; or several of these. None: all."""
Functions = Union["int", "str", "Function", Iterable[Union["int", "str", "Function"]], None]
"""Functions: by ``Function.id``, by a glob, or as ``Function``; or several of these. None: all."""
NameStyle = Literal["short", "full", "mangled"]
"""How functions are called: parameters and template arguments folded, demangled, or as in the object file."""


class Process(NamedTuple):
    """A process of a trace."""

    id: int
    """Its number in the trace, from 0."""
    name: str
    """Its program, ``"git"``; ``"git 4711"`` if several have the same one; ``"pid_4711"`` if it is not known."""
    pid: int | None
    """The system's process id; None if the trace does not have it."""
    executable: str | None
    """The path of its program; None if it is not known."""


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
    name: str | None
    """Its own name, "main", or its outermost function with a number ("worker #1"); None if nothing is known."""
    first_ts: int | None
    """When its first event was, in nanoseconds on the trace's clock; None if there are no events."""
    last_ts: int | None
    """When its last event was, likewise."""
    events: int
    """How many events were recorded."""
    has_scheduling: bool
    """Whether it is known when the thread was on-CPU."""


class Function(NamedTuple):
    """A function of a trace. Several symbols that reports count as one function are one."""

    id: int
    """Its number in the trace, from 0: ``function_id`` of spans."""
    process: int | None
    """``Process.id`` of its process; None if several processes share the function."""
    name: str
    """Its name for people: ``name`` of spans."""
    symbol: str | None
    """Its name in the object file; None if it is not known."""
    file: str | None
    """Its source file; None if it is not known."""
    line: int | None
    """Its line there; None if it is not known."""
    signature: str | None
    """Parameters and result; None if they are not known."""
    kind: str
    """``"function"``; of annotations ``"span"``, ``"instant"``, ``"counter"``, ``"flow_begin"`` and so on."""


class Span(NamedTuple):
    """One call of a function, or one span that the program annotated. All times are in nanoseconds."""

    id: int
    """Identifies the call in its trace, in all interfaces."""
    parent_id: int | None
    """The call that made it; None for outermost calls."""
    ts: int
    """When it began, on the trace's clock."""
    dur: int
    """How long it took; of an open call, up to its thread's last event."""
    self: int
    """The part of ``dur`` spent in no other traced function, without the recorder's time."""
    name: str
    """The function's name for people."""
    function_id: int
    """``Function.id`` of its function."""
    thread: int
    """``Thread.id`` of its thread."""
    process: int
    """``Process.id`` of its process."""
    depth: int
    """How many calls are around it."""
    exit: str
    """How it ended: ``"return"``, ``"exception"``, ``"inferred"`` (unseen: a later event
    proves that it is over), ``"missing"`` (no exit was recorded), ``"open"``."""
    arguments: str | None
    """``"(n=10)"``; None if nothing was recorded."""
    result: str | None
    """``"55"``; None if nothing was recorded."""
    values: str | None
    """Values that the program named during the call, ``"(x=1)"``; None if there are none."""


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
        self._functions: list[Function] | None = None
        self._database: _native.Database | None = None
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

    @property
    def functions(self) -> list[Function]:
        """The functions that the trace knows, called or not, by id."""
        if self._functions is None:
            self._functions = [Function(*row) for row in self._native.functions()]
        return self._functions

    def spans(self, columns: Iterable[str] | None = None, *, function: Functions = None, thread: Threads = None,
              start: int | None = None, end: int | None = None, min_duration: int = 0,
              max_duration: int | None = None, depth: int | None = None) -> Columns:
        """Calls as columns: an array for each, with one value per call and no Python object.

        ``columns``: keys of the table ``spans`` (docs/reference/tables.md); None: all but ``arguments``, ``result`` and
        ``values``, which take longer to read. ``ts``, ``dur``, ``self`` and the other
        times are int64, in nanoseconds; ``id`` and ``parent_id`` are int64; ``function_id``, ``thread``, ``process``
        and ``depth`` are uint32; ``outermost`` is bool; ``name`` and ``exit`` are :class:`adatrace.Words`; texts are
        :class:`adatrace.Texts`. If some numbers of a column are not known, it is a masked array.

        ``function``: only calls of these functions. ``min_duration``, ``max_duration``: only calls that took that many
        nanoseconds, both included. ``depth``: only the outermost levels, that many. Calls are in order of threads, and
        within a thread in no particular order: ``numpy.argsort(spans["ts"])`` sorts them.
        """
        keys = self._span_keys(columns)
        taken = self._read_spans(keys, self._function_ids(function), self._thread_ids(thread), start, end, min_duration,
                                 max_duration, depth)
        return Columns(taken)

    def span_batches(self, columns: Iterable[str] | None = None, *, events: int = 1 << 18, function: Functions = None,
                     thread: Threads = None, start: int | None = None, end: int | None = None, min_duration: int = 0,
                     max_duration: int | None = None, depth: int | None = None) -> Iterator[Columns]:
        """The same in pieces, for traces that are larger than memory: the calls that ``events`` events began.

        Calls are in the order of their beginnings, thread by thread.
        """
        keys = self._span_keys(columns)
        functions = self._function_ids(function)
        ids = self._thread_ids(thread)
        for number in range(len(self.threads)) if ids is None else ids:
            first = number << SPAN_ID_BITS
            earlier = first + (1 << (SPAN_ID_BITS - 1))  # ids of calls that began before the thread's first event
            ranges = [(earlier, first + (1 << SPAN_ID_BITS) - 1)]
            ranges += [(first + at + 1, first + at + events)
                       for at in range(0, self.threads[number].events, events)]
            for low, high in ranges:
                taken = self._read_spans(dict.fromkeys([*keys, "id"]), functions, [number], start, end, min_duration,
                                         max_duration, depth, low, high)
                piece = Columns(taken)
                if piece.rows:
                    order = np.argsort(np.asarray(piece["id"]))
                    yield piece._ordered(order[::-1] if low == earlier else order, keys)

    def iter_spans(self, *, function: Functions = None, thread: Threads = None, start: int | None = None,
                   end: int | None = None, min_duration: int = 0, max_duration: int | None = None,
                   depth: int | None = None) -> Iterator[Span]:
        """Calls one by one, with their arguments and results, in the order of their beginnings, thread by thread.

        This makes a Python object per call, some 700,000 a second; :meth:`spans` reads forty times as many.
        """
        for piece in self.span_batches(Span._fields, function=function, thread=thread, start=start, end=end,
                                       min_duration=min_duration, max_duration=max_duration, depth=depth):
            yield from map(Span, *(_as_list(piece[key]) for key in Span._fields))

    def sql(self, query: str, **others: Run) -> Columns:
        """The result of a query in SQL, on the tables of docs/reference/tables.md.

        >>> trace.sql("SELECT name, count(*) AS calls, sum(dur) AS dur FROM spans GROUP BY name ORDER BY dur DESC")

        Columns are int64, float64 or :class:`adatrace.Words`. ``others`` are traces, or their paths, whose tables have
        the keyword before them: ``trace.sql("SELECT ... FROM spans JOIN old.spans ...", old="run-1")``.
        """
        if others:
            traces = [(name, run if isinstance(run, Trace) else open(run)) for name, run in others.items()]
            database = _native.Database([("main", self._native), *((name, trace._native) for name, trace in traces)])
        else:
            database = self._database = self._database or _native.Database([("main", self._native)])
        columns, damage = database.run(query)
        self._report_damage(damage)
        return Columns(columns)

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

    def findings(self) -> Rows:
        """At most five findings about what is wrong, the most time at stake first: ``findings`` of :meth:`why`.

        Empty if nothing stands out.
        """
        return self.why()["findings"]

    def why(self, *, function: Globs = None, call: int | str | Span | None = None,
            process: int | Literal["all"] | None = None, thread: Threads = None, start: int | None = None,
            end: int | None = None, names: NameStyle = "short") -> Answer:
        """Says what is wrong, or where the time of one call or process went, as ``adatrace why --format=json`` does.

        ``function``: the slowest call of these functions; ``thread``, ``start`` and ``end`` say where it is looked for.
        ``call``: this one, as :class:`adatrace.Span`, by ``Span.id``, or by thread and number as in ``"0:17"``.
        ``process``: the process with that number, through its children; ``"all"``: the whole session. With none of
        these the answer has the keys ``findings``, and ``cannot_say``: what the trace does not tell.
        Raises LookupError if there is no such call or process.
        """
        if (function is not None) + (call is not None) + (process is not None) > 1:
            raise ValueError("function, call and process exclude each other")
        if function is None and (thread, start, end) != (None, None, None):
            raise ValueError("thread, start and end go with function")
        if process is not None:
            found = self._take(self._native.why_process(None if process == "all" else int(process)))
            wanted = f"process {process}"
        elif function is not None or call is not None:
            choice = self._choice(None, function, None, None, True, thread, start, end, None, 0, names)
            found = self._take(self._native.why_call(choice, None if call is None else self._place_of(call)))
            wanted = "call of such a function" if call is None else f"call {call}"
        else:
            found, wanted = self._take(self._native.findings()), ""
        if not found:
            raise LookupError(f"{self.path} has no {wanted}")
        return Answer(found)

    def outliers(self, function: Globs = None, *, slowest: str | int = "", limit: int = 3, thread: Threads = None,
                 start: int | None = None, end: int | None = None) -> Rows:
        """What sets slow calls apart from ordinary ones: the rows of ``adatrace outliers --format=json``.

        Without ``function``: all functions, by the time that their calls took beyond the median. With it, a row for each
        of at most ``limit`` functions, with ``factors`` and the ``slowest`` calls as tables of their own.
        ``slowest``: which calls are slow, a share (``"1%"``), a number, or a duration (``">5ms"``); by default
        the slowest 1 %, without those that are no slower than the rest.
        """
        choice = self._choice(function, None, None, None, True, thread, start, end, None, 0, "short")
        if function is None:
            if slowest:
                raise ValueError("slowest goes with function")
            return Rows(self._take(self._native.tails(choice)))
        return Rows(self._take(self._native.outliers(choice, str(slowest), limit)))

    def check(self, rules: str | Iterable[str], *, thread: Threads = None) -> Rows:
        """Whether the trace keeps rules: the rows of ``adatrace check --format=json``, one per rule.

        >>> trace.check(["p99(Server::handle) < 5ms", "never render -> read_file"])

        ``rules``: a rule each, or the text of a file of rules. ``verdict`` of a row is ``kept``, ``broken`` or
        ``undecided``; ``worst`` is the call that shows it.
        """
        text = rules if isinstance(rules, str) else "\n".join(rules)
        choice = self._choice(None, None, None, None, True, thread, None, None, None, 0, "short")
        return Rows(self._take(self._native.check(choice, text)))

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

    def _repr_html_(self) -> str:
        rows = [("trace", self.path), ("length", duration(self.end - self.start)), ("events", f"{self.events:,}"),
                ("processes", ", ".join(p.name for p in self.processes)),
                ("threads", ", ".join(t.name or f"tid {t.tid}" for t in self.threads[:20])
                 + (f" and {len(self.threads) - 20} more" if len(self.threads) > 20 else ""))]
        return "<table>" + "".join(f"<tr><th>{key}</th><td>{in_html(text)}</td></tr>" for key, text in rows) + "</table>"

    def __repr__(self) -> str:
        return (f"<adatrace.Trace {self.path!r}: {len(self.processes)} processes, {len(self.threads)} threads, "
                f"{self.events:,} events>")

    def _choice(self, function: Globs, include: Globs, exclude: Globs, prune: Globs, external: bool, thread: Threads,
                start: int | None, end: int | None, depth: int | None, min_duration: int,
                names: str) -> _native.Choice:
        return _native.Choice(function=_globs(function), include=_globs(include), exclude=_globs(exclude),
                              prune=_globs(prune), external=external, depth=depth, min_duration=min_duration, start=start,
                              end=end, threads=self._thread_ids(thread), names=names)

    def _place_of(self, call: int | str | Span) -> tuple[int, int]:
        """The thread of a call, and the number of the event that begins it."""
        if isinstance(call, str):
            threads, seq = self._native.threads_of_call(call)
            if not threads:
                raise LookupError(f"{self.path} has no thread of call {call}")
            if len(threads) > 1:
                raise ValueError(f"several processes have such a thread; 'PID/{call}' names one")
            return threads[0], seq
        number = call.id if isinstance(call, Span) else call
        thread, place = number >> SPAN_ID_BITS, number & ((1 << SPAN_ID_BITS) - 1)
        if not 0 <= thread < len(self.threads) or not 0 < place <= 1 << (SPAN_ID_BITS - 1):
            raise LookupError(f"{self.path} has no call {call}")
        return thread, place - 1

    def _span_keys(self, columns: Iterable[str] | None) -> list[str]:
        known = _native.span_keys()
        if columns is None:
            return [key for key in known if key not in ("arguments", "result", "values")]
        keys = list(dict.fromkeys([columns] if isinstance(columns, str) else columns))
        for key in keys:
            _check("a column", key, known)
        return keys

    def _read_spans(self, keys: Iterable[str], functions: list[int] | None, threads: list[int] | None,
                    start: int | None, end: int | None, min_duration: int, max_duration: int | None,
                    depth: int | None, min_id: int = 0, max_id: int = (1 << 64) - 1) -> Mapping[str, _native._Column]:
        if depth is not None and depth < 1:
            raise ValueError(f"depth is the number of levels, at least 1, not {depth}")
        taken, damage = self._native.spans(list(keys), functions, threads, start, end, min_duration, max_duration, depth,
                                           min_id, max_id)
        self._report_damage(damage)
        return taken

    def _function_ids(self, functions: Functions) -> list[int] | None:
        if functions is None:
            return None
        chosen: set[int] = set()
        for one in [functions] if isinstance(functions, (int, str, Function)) else functions:
            if isinstance(one, str):
                found = self._native.functions_called([one])
                if not found:
                    _warn(f"{self.path}: function {one!r} matches no function", AdviceWarning)
                chosen.update(found)
            else:
                chosen.add(one.id if isinstance(one, Function) else one)
        return sorted(chosen)

    def _thread_ids(self, threads: Threads) -> list[int] | None:
        if threads is None:
            return None
        chosen: set[int] = set()
        for one in [threads] if isinstance(threads, (int, str, Thread)) else threads:
            if isinstance(one, str):
                recorded = self._native.recorded_thread_names()
                found = {t.id for t, name in zip(self.threads, recorded)
                         if fnmatch.fnmatchcase(t.name or "", one) or fnmatch.fnmatchcase(name, one)}
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
        for code, note in notes:
            if note not in self._notes:
                self._notes.add(note)
                _warn(note, HoldUpWarning if code == "W_RECORDER_WAIT" else DamageWarning)


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

    ``by``: one row per function, or per function and path to it. ``verdict`` of a row is ``certain``, ``likely`` or
    ``not shown``, and the first two have a true value in ``significant``. The other options are those of
    :class:`adatrace.Trace`.
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


# As in include/ada/trace/columns.h.
SPAN_ID_BITS = 40


def _as_list(column: Column) -> list[Any]:
    if isinstance(column, np.ma.MaskedArray):
        return [None if null else value for value, null in zip(column.data.tolist(), np.ma.getmaskarray(column).tolist())]
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


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
