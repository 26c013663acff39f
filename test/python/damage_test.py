"""No damaged file ends the interpreter: each is read as far as possible, or raises adatrace.Error."""
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

import adatrace
import sessions

LONG = sessions.SMALL + """
thread 2 tid 4713 name deep
300 call main
repeat 300 50
310 call _Z5parsei detail 1 2 3 stack 00112233
340 return _Z5parsei detail 7
end
20000 return main
"""
FORMATS = ("atf2", "packed", "dial9", "wtf", "chrome", "perfetto")


def useAll(path):
    """Everything that reads; what it finds does not matter."""
    trace = adatrace.open(path)
    trace.spans()
    for ask in (trace.report, trace.tree, trace.waits, lambda: list(trace.iter_spans()), lambda: trace.functions,
                lambda: trace.diff(trace), trace.flame, lambda: trace.sql("SELECT name, count(*), total(dur) FROM spans GROUP BY name, ts / 9"),
                lambda: trace.sql("SELECT * FROM events"), lambda: trace.sql("SELECT a.name FROM spans s JOIN ancestor_slice(s.id) a LIMIT 50")):
        ask()


def damaged(path, target, choose):
    """A copy of a file or a directory, of which one file has wrong bytes or was cut off."""
    if target.is_dir():
        shutil.rmtree(target)
    target.unlink(missing_ok=True)
    shutil.copytree(path, target) if path.is_dir() else shutil.copy(path, target)
    file = choose.choice(sorted(f for f in target.rglob("*") if f.is_file())) if target.is_dir() else target
    data = bytearray(file.read_bytes())
    if choose.random() < 0.3:
        del data[choose.randrange(len(data)):]
    else:
        for _ in range(choose.randint(1, 8)):
            data[choose.randrange(len(data))] = choose.choice((0, 1, 0x7f, 0x80, 0xff, choose.randrange(256)))
    file.write_bytes(data)


def tryAll(folder, seed, times):
    """Run in a process of its own, which it may end: prints how it went."""
    warnings.simplefilter("ignore")
    choose, errors = random.Random(seed), 0
    for number in range(times):
        for name in FORMATS:
            target = pathlib.Path(folder) / ("damaged." + name)
            damaged(pathlib.Path(folder) / name, target, choose)
            try:
                useAll(target)
            except adatrace.Error:
                errors += 1
    print(f"{times * len(FORMATS)} traces, {errors} of them with an error")


class Damage(unittest.TestCase):
    def test_no_damage_ends_the_interpreter(self):
        with tempfile.TemporaryDirectory() as folder:
            session = sessions.make(pathlib.Path(folder), LONG)
            for name in FORMATS:
                subprocess.run([sessions.ADATRACE, "convert", "-q", "--to=" + name, session, f"{folder}/{name}"], check=True)
            seed = random.SystemRandom().randrange(1 << 30)
            code = f"import damage_test; damage_test.tryAll({folder!r}, {seed}, 12)"
            run = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], cwd=pathlib.Path(__file__).parent,
                                 capture_output=True, text=True)
            self.assertEqual((0, ""), (run.returncode, run.stderr), f"seed {seed}: {run.stdout}")
            self.assertRegex(run.stdout, "^72 traces, ")


if __name__ == "__main__":
    unittest.main()
