"""The reference page is that of the docstrings, and the stub of the extension is right."""
import ast
import inspect
import pathlib
import re
import subprocess
import sys
import unittest

import adatrace
from adatrace import _native

HERE = pathlib.Path(__file__).parent
STUB = pathlib.Path(adatrace.__file__).parent / "_native.pyi"


class Reference(unittest.TestCase):
    def test_page(self):
        run = subprocess.run([sys.executable, HERE / "reference_page.py"], capture_output=True, text=True)
        self.assertEqual((0, ""), (run.returncode, run.stderr))

    def test_stub_has_what_the_extension_has(self):
        """The same names, and the same parameters, which pybind11 writes into docstrings."""
        def names(thing):
            return {n for n in vars(thing) if not n.startswith("_")}

        def parameters(function):
            found = re.match(r"\w+\((.*)\)", function.__doc__ or "")
            return re.findall(r"(?:^|, )(\w+): ", found[1]) if found else []

        def check(nodes, thing):
            self.assertEqual({n.name for n in nodes if not n.name.startswith("_")}, names(thing))
            for node in nodes:
                found = getattr(thing, node.name, None)
                if isinstance(node, ast.ClassDef):
                    check([n for n in node.body if isinstance(n, ast.FunctionDef)], found)
                elif inspect.isroutine(found):
                    arguments = [a.arg for a in node.args.args + node.args.kwonlyargs if a.arg != "self"]
                    self.assertEqual(arguments, [p for p in parameters(found) if p not in ("self", "arg0")], node.name)

        tree = ast.parse(STUB.read_text())
        check([n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))], _native)

    def test_types_are_found(self):
        self.assertTrue((STUB.parent / "py.typed").is_file())


if __name__ == "__main__":
    unittest.main()
