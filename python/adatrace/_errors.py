"""What goes wrong with a trace."""
from __future__ import annotations


class Error(Exception):
    """A trace can't be read, or a part of it.

    ``str(error)`` is one line: the file, where in it, and what is wrong.
    """

    code: str
    """A stable name for programs, such as ``"E_BAD_MAGIC"``. The pages about each format list its codes."""
    path: str | None
    """The file or directory; None if no file is to blame."""
    offset: int | None
    """Where in the file the offending bytes begin, in bytes; None if it is not about certain bytes."""

    def __init__(self, message: str, *, code: str, path: str | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.path = path
        self.offset = offset

    def __reduce__(self) -> tuple[object, ...]:
        return _remake, (str(self), self.code, self.path, self.offset)


def _remake(message: str, code: str, path: str | None, offset: int | None) -> Error:
    return Error(message, code=code, path=path, offset=offset)


class DamageWarning(UserWarning):
    """A part of a trace is damaged; everything else was read. ``Trace.problems`` has the details."""


class HoldUpWarning(UserWarning):
    """The recorder held up threads for a time that matters: nothing is missing, but they would have been faster without.

    This time is shown as ``recorder`` and is not the program's. The warning gives the reason.
    """


class AdviceWarning(UserWarning):
    """A question can't be answered as it was meant: a glob matches no function that was called, for example."""
