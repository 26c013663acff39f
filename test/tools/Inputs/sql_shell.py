"""Uses the shell of `adatrace sql` on a terminal: ^C, commands with a dot, history. Usage: sql_shell.py TRACE"""
import ctypes
import os
import pathlib
import pty
import re
import signal
import stat
import sys
import termios
import time
import traceback

trace, state = sys.argv[1], pathlib.Path("state").resolve()
try:
    hasHistory = bool(ctypes.CDLL("libedit.so.2"))
except OSError:
    hasHistory = False


def giveUp(*_):
    sys.exit(f"waited too long; shown since: {shell.shown!r}\n{''.join(traceback.format_stack())}")


signal.signal(signal.SIGALRM, giveUp)
signal.alarm(300)


class Shell:
    def __init__(self):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.environ.update(XDG_STATE_HOME=str(state), TERM="dumb")
            os.execvp("adatrace", ["adatrace", "sql", trace])
        self.shown = ""
        self.await_("adatrace> ")

    def await_(self, text):
        """Reads until this is shown."""
        while text not in self.shown:
            self.shown += os.read(self.terminal, 4096).decode(errors="replace")
        seen, _, self.shown = self.shown.partition(text)
        return seen + text

    def interrupt(self):
        """^C, which brings a prompt back whatever the shell is doing."""
        self.type("\x03")
        return self.await_("adatrace> ")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def end(self):
        self.type("\x04")
        try:
            while os.read(self.terminal, 4096):
                pass
        except OSError:
            pass  # the other side is closed
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if status:
            sys.exit(f"status {status}")
        if ~termios.tcgetattr(self.terminal)[3] & (termios.ICANON | termios.ECHO):
            sys.exit("the terminal was not restored")


def use():
    """What a person does, with or without editing of lines."""
    shell.type("SELECT 40 +\r")
    shell.await_("...> ")
    shell.type("half a line")
    shell.await_("half a line")
    shell.interrupt()  # gives up both lines
    for endless in ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n;",
                    "SELECT count(*) FROM spans a, spans b, spans c, spans d;",
                    "SELECT a.id FROM spans a, spans b, spans c, spans d ORDER BY a.dur + b.dur + c.dur;",
                    "SELECT a.dur + b.dur + c.dur AS x, count(*) FROM spans a, spans b, spans c GROUP BY x;"):
        for tries in range(12):  # until it runs: before that ^C only gives up the line
            shell.type(endless + "\r")
            shell.await_(endless[-9:] + "\r\n")
            time.sleep(0.001 * 2**tries)
            if "interrupted" in shell.interrupt():
                break
        else:
            sys.exit(f"never interrupted: {endless}")
    shell.type(".tables\r")
    shell.await_("off_cpu")
    shell.await_("adatrace> ")
    shell.type("SELECT 40 + 2 AS answer;\r")
    if not re.search(r"answer\s+42", shell.await_("42")):
        sys.exit("no answer")
    shell.await_("adatrace> ")


shell = Shell()
use()
shell.end()
if hasHistory:
    kept = state / "adatrace/sql_history"
    if "answer" not in kept.read_text().replace("\\040", " ") or stat.S_IMODE(kept.stat().st_mode) != 0o600:
        sys.exit(f"history: {kept.read_text()} {kept.stat()}")
    shell = Shell()
    shell.type("\x10\r")  # ^P: the line before
    shell.await_("42")
    shell.await_("adatrace> ")
    shell.end()
    bad = pathlib.Path("bad")
    bad.mkdir()
    (bad / "libedit.so.2").write_text("no library")
    os.environ["LD_LIBRARY_PATH"] = str(bad.resolve())
    shell = Shell()
    use()
    shell.end()
print("the shell works")
