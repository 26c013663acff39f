"""A program is recorded, and its session opened."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import adatrace
import sessions

PROGRAM = """
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static int parse(int n) { return n + 1; }
static void serve(int number) { _exit(number == SIGTERM ? 7 : 8); }
int main(int count, char **words) {
  signal(SIGTERM, serve);
  if (count > 1) {
    puts("ready");
    fflush(stdout);
    for (;;)
      pause();
  }
  return parse(2);
}
"""


class Records(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "program.c").write_text(PROGRAM)
        compiler = next((sessions.BUILD / "bin").glob("ada-clang-*[0-9]"))
        subprocess.run([compiler, "-O0", cls.folder / "program.c", "-o", cls.folder / "program"], check=True)
        cls.program = str(cls.folder / "program")

    def test_a_program_that_ends(self):
        session = self.folder / "ends"
        with adatrace.record([self.program], session=session, packed=True, sched=False, quiet=True, exclude=["nothing", "none"]) as run:
            pass
        self.assertEqual(3, run.returncode)
        self.assertEqual({"main", "parse"}, {row["function"] for row in run.open().report()})

    def test_a_program_that_is_stopped(self):
        with adatrace.record([self.program, "wait"], session=self.folder / "stopped", quiet=True, stdout=subprocess.PIPE) as run:
            self.assertEqual(b"ready\n", run.process.stdout.readline())
            run.stop()
        run.process.stdout.close()
        self.assertEqual(7, run.returncode)
        self.assertIn("serve", {row["function"] for row in run.open().report()})

    def test_a_block_that_fails(self):
        with self.assertRaises(KeyError):
            with adatrace.record([self.program, "wait"], session=self.folder / "failed", quiet=True, stdout=subprocess.PIPE) as run:
                run.process.stdout.readline()
                raise KeyError
        run.process.stdout.close()
        self.assertEqual(7, run.returncode)

    def test_sessions_get_names(self):
        with adatrace.record([self.program], cwd=self.folder, quiet=True) as run:
            self.assertEqual(str(self.folder / "ada-traces"), os.path.dirname(run.path))
        self.assertEqual(3, run.returncode)

    def test_what_can_not_be_recorded(self):
        with self.assertRaisesRegex(adatrace.Error, "nothing was recorded") as caught:
            with adatrace.record([self.program], session=self.folder / "never", colour="red", stderr=subprocess.DEVNULL):
                pass
        self.assertEqual(str(self.folder / "never"), caught.exception.path)
        self.assertRaises(ValueError, lambda: adatrace.record("ls -l"))


if __name__ == "__main__":
    unittest.main()
