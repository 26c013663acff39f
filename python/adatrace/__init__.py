"""Traces of AdaTrace in Python.

>>> import adatrace
>>> trace = adatrace.open("ada-traces/session_20261121_101500")
>>> trace.report().to_pandas()[["function", "calls", "self_ns"]]

docs/reference/python.md describes the package.
"""
from ._errors import AdviceWarning, DamageWarning, Error
from ._record import Recording, record
from ._rows import FlameGraph, Rows, Tree
from ._trace import Process, Thread, Trace, diff, open

__all__ = ["AdviceWarning", "DamageWarning", "Error", "FlameGraph", "Process", "Recording", "Rows", "Thread", "Trace", "Tree", "diff",
           "open", "record"]
