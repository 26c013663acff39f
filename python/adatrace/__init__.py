"""Traces of AdaTrace in Python.

>>> import adatrace
>>> trace = adatrace.open("ada-traces/session_20261121_101500")
>>> trace.report().to_pandas()[["function", "calls", "self_ns"]]

docs/reference/python.md describes the package.
"""
from ._columns import Columns, Texts, Words
from ._errors import AdviceWarning, DamageWarning, Error, HoldUpWarning
from ._record import Recording, record
from ._rows import Answer, FlameGraph, Rows, Tree
from ._trace import Function, Process, Span, Thread, Trace, diff, open

__all__ = ["AdviceWarning", "Answer", "Columns", "DamageWarning", "Error", "FlameGraph", "Function", "HoldUpWarning", "Process",
           "Recording", "Rows", "Span", "Texts", "Thread", "Trace", "Tree", "Words", "diff", "open", "record"]
