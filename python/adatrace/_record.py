"""Recording programs from Python."""
from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import IO, Any, Union

from ._errors import Error
from ._trace import Trace

Option = Union[str, int, bool, None, Iterable[str]]

# Options of `adatrace record` that have no value.
FLAGS = {"append", "packed", "quiet", "waits"}


class Recording:
    """A program that ``adatrace record`` runs; made by :func:`adatrace.record`.

    As a context manager it starts the program at the beginning of the block, and waits for its end at the end of the
    block. If the block raises an exception, the program is told to end (SIGTERM).
    """

    path: str
    """The session's directory."""
    process: subprocess.Popen[bytes]
    """``adatrace record``, which passes signals on to the program. Its ``pid`` is not the program's."""

    def __init__(self, command: Sequence[str], session: str | os.PathLike[str], options: Mapping[str, Option],
                 streams: Mapping[str, Any]) -> None:
        if isinstance(command, (str, bytes)) or not command:
            raise ValueError("the command is a list of at least one text: the program and its arguments")
        self.path = os.fspath(session)
        self._command = [tool(), "record", "--session=" + self.path, *_words(options), "--", *map(os.fspath, command)]
        self._streams = streams

    @property
    def returncode(self) -> int | None:
        """The program's exit status, 128 plus a signal's number if one killed it; None while it runs."""
        return self.process.poll()

    def start(self) -> Recording:
        """Starts the program. A ``with`` block does that by itself."""
        self.process = subprocess.Popen(self._command, **self._streams)
        return self

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Sends a signal to the program, if it still runs."""
        if self.process.poll() is None:
            self.process.send_signal(number)

    def wait(self, timeout: float | None = None) -> int:
        """Waits until the program has ended, at most ``timeout`` seconds, and returns its exit status.

        Raises :class:`adatrace.Error` if nothing was recorded, and ``subprocess.TimeoutExpired``.
        """
        status = self.process.wait(timeout)
        if not os.path.isdir(self.path):
            raise Error(f"{self.path}: nothing was recorded: `adatrace record` ended with status {status}",
                        code="E_NO_SESSION", path=self.path)
        return status

    def open(self) -> Trace:
        """Opens the session. While the program runs, this is what has been recorded so far."""
        return Trace(self.path)

    def __enter__(self) -> Recording:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 where: TracebackType | None) -> None:
        if kind is not None:
            self.stop()
            self.process.wait()
            return
        try:
            self.wait()
        except KeyboardInterrupt:  # a terminal sends Ctrl-C to the program, too; a notebook does not
            self.stop(signal.SIGINT)
            self.process.wait()
            raise


def record(command: Sequence[str], *, session: str | os.PathLike[str] | None = None,
           cwd: str | os.PathLike[str] | None = None, env: Mapping[str, str] | None = None,
           stdin: int | IO[Any] | None = None, stdout: int | IO[Any] | None = None,
           stderr: int | IO[Any] | None = None, **options: Option) -> Recording:
    """Runs a program and records its function calls, as ``adatrace record`` does.

    >>> with adatrace.record(["./server", "--port=8080"], packed=True, detail="Server::handle") as run:
    ...     ask_the_server()
    ...     run.stop()
    >>> run.open().report()

    ``session``: the directory to write to; by default a new one in ``ada-traces`` below ``cwd``. ``cwd``, ``env``, ``stdin``,
    ``stdout`` and ``stderr`` are as for ``subprocess.Popen``. All other options are those of the command:
    ``min_duration="10us"`` is ``--min-duration=10us``, ``packed=True`` is ``--packed``, and a list repeats an option.
    """
    streams = {"cwd": cwd, "env": env, "stdin": stdin, "stdout": stdout, "stderr": stderr}
    if session is None:
        session = _new_session(os.fspath(cwd) if cwd is not None else "")
    if cwd is not None:
        session = os.path.abspath(session)  # adatrace runs in another directory
    return Recording(command, session, options, streams)


def tool() -> str:
    """The path of the command ``adatrace``: that of ``ADATRACE``, of the same installation, or in ``PATH``."""
    if named := os.environ.get("ADATRACE"):
        return named
    # PREFIX/lib/python3/dist-packages/adatrace/_record.py
    own = pathlib.Path(__file__).resolve().parents[4] / "bin" / "adatrace"
    if os.access(own, os.X_OK):
        return str(own)
    if found := shutil.which("adatrace"):
        return found
    raise Error("the command adatrace is not in PATH; install it, or set ADATRACE to its path", code="E_NO_TOOL")


def _new_session(folder: str) -> str:
    name = os.path.join(folder, "ada-traces", time.strftime("session_%Y%m%d_%H%M%S"))
    path, number = name, 2
    while os.path.exists(path):
        path, number = f"{name}_{number}", number + 1
    return path


def _words(options: Mapping[str, Option]) -> list[str]:
    words = []
    for key, value in options.items():
        name = key.rstrip("_").replace("_", "-")  # for_="10s"
        if value is None or (name in FLAGS and not value):
            continue
        if name in FLAGS:
            words.append(f"--{name}")
        elif isinstance(value, (str, int)):
            words.append(f"--{name}={int(value) if isinstance(value, bool) else value}")
        else:
            words += [f"--{name}={one}" for one in value]
    return words
