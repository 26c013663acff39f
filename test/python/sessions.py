"""Sessions for the tests of the Python package, made from text as those of the command line."""
import os
import pathlib
import subprocess

BUILD = pathlib.Path(os.environ["ADA_BUILD"])
ADATRACE = BUILD / "bin" / "adatrace"

# Two threads; what test/tools/Inputs/make_session.cpp reads.
SMALL = """
process 4711
argv ./app -v
function 1 main app.cpp:30
function 2 _Z5parsei parse.cpp:12
function 3 _Z4workv work.cpp:5
types 2 i0:s32;n:i0:s32
thread 0 tid 4711 name main
100 call main
110 call _Z5parsei detail 10
150 return _Z5parsei detail 55
160 call _Z5parsei
200 return _Z5parsei
300 return main
thread 1 tid 4712 name worker-1
120 call _Z4workv
130 call _Z5parsei
190 exception _Z5parsei
260 exception _Z4workv
"""


def make(directory, text=SMALL):
    """Makes a session, and returns its path."""
    directory.mkdir(exist_ok=True)
    lines = directory / "session.txt"
    lines.write_text("".join(f"T: {line}\n" for line in text.strip().split("\n")))
    path = directory / "session"
    subprocess.run([BUILD / "test/tools/bin/ada-make-session", lines, path], check=True, stdout=subprocess.DEVNULL)
    return str(path)
