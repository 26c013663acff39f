"""The wheel installs without a network, and works without the build tree."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import adatrace
import sessions

MAKE_WHEEL = pathlib.Path(__file__).parents[2] / "python/make_wheel.py"


class Wheel(unittest.TestCase):
    def test_installs_and_works(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(adatrace.__file__).parent
            made = subprocess.run([sys.executable, MAKE_WHEEL, package, "1.2.3-dev+abc", folder], check=True,
                                  capture_output=True, text=True)
            self.assertRegex(made.stdout, r"^adatrace-1\.2\.3\.dev0\+abc-cp3\d+-cp3\d+-linux_\w+\.whl$")
            wheel, target = pathlib.Path(folder) / made.stdout.strip(), pathlib.Path(folder) / "installed"
            # pip checks the record of the files, and that the tag fits.
            pip = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "install", "-q", "--no-index"]
            done = subprocess.run([*pip, "--no-deps", "--target", target, wheel], capture_output=True, text=True)
            if "No module named pip" in done.stderr:
                self.skipTest("no pip")
            self.assertEqual(0, done.returncode, done.stderr)
            session = sessions.make(pathlib.Path(folder))
            code = "import adatrace; print(adatrace.__file__, adatrace.open(%r).spans(['dur'])['dur'].sum())" % session
            ran = subprocess.run([sys.executable, "-B", "-c", code], env={**os.environ, "PYTHONPATH": str(target)}, check=True,
                                 capture_output=True, text=True)
            self.assertEqual(f"{target}/adatrace/__init__.py 480\n", ran.stdout)
            libraries = [path.name for path in (target / "adatrace/lib").iterdir()]
            self.assertTrue(any(name.startswith("libsimdjson") for name in libraries), libraries)


if __name__ == "__main__":
    unittest.main()
