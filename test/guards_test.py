#!/usr/bin/env python3
"""Breaks each rule of the checks in this folder and of the vectors once, and expects that they say so. Usage: guards_test.py

A check that finds nothing looks like a tree that is right. Here files that break a rule are made up, with their place in
the tree, and given to the checks as if they were there. A new rule needs a line in BROKEN or MENTIONS.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import figures
import includes
import layering
import links
import one_definition
import porting
from style import vector_form

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A file that breaks the rule of its folder, and what it includes.
BROKEN = {
    "include/ada/trace": ("include/ada/trace/x.h", '"../../../lib/trace/base/text.h"'),
    "include/ada": ("include/ada/x.h", "<string>"),
    "pass/common": ("pass/common/x.cpp", '"../llvm/filter.h"'),
    "pass/llvm": ("pass/llvm/x.cpp", '"trace/base/text.h"'),
    "pass/gcc": ("pass/gcc/x.cpp", '"../llvm/filter.h"'),
    "runtime/arch/*": ("runtime/arch/x86_64/x.h", '"../aarch64/cpu.h"'),
    "runtime": ("runtime/core/base/x.cpp", "<string>"),
    "shared/demangle": ("shared/demangle/x.cpp", '"trace/names.h"'),
    "shared": ("shared/text/x.h", '"trace/base/text.h"'),
    "lib/trace/base": ("lib/trace/base/x.cpp", '"ada/trace/session.h"'),
    "lib/trace/elf": ("lib/trace/elf/x.cpp", '"trace/names.h"'),
    "lib/trace/columns": ("lib/trace/columns/x.cpp", '"trace/names.h"'),
    "lib/trace": ("lib/trace/x.cpp", '"analysis/report/report.h"'),
    "lib/formats": ("lib/formats/csv/x.cpp", '"live/recover/ring_directory.h"'),
    "lib/analysis": ("lib/analysis/tree/x.cpp", '"ada/trace/dial9.h"'),
    "lib/live": ("lib/live/recover/x.cpp", '"../../runtime/core/ring/ring.h"'),
    "tools/adatrace": ("tools/adatrace/output/x.cpp", '"formats/native/index/index_blocks.h"'),
    "python": ("python/native/x.cpp", '"../../tools/adatrace/command.h"'),
    "bench": ("bench/x.cpp", '"../pass/llvm/filter.h"'),
    "examples": ("examples/x.cpp", '"../lib/trace/base/text.h"'),
}
# The same within folders that have rules for their sub-folders.
BROKEN_PARTS = {
    "lib/analysis/events": ("lib/analysis/events/x.h", '"analysis/report/report.h"'),
    "lib/analysis/calls": ("lib/analysis/calls/x.h", '"analysis/waits/waits.h"'),
    "lib/analysis/values": ("lib/analysis/values/x.h", '"analysis/waits/waits.h"'),
    "lib/analysis/processes": ("lib/analysis/processes/x.cpp", '"analysis/waits/why.h"'),
    "lib/analysis/waits": ("lib/analysis/waits/x.cpp", '"analysis/tree/call_tree.h"'),
    "lib/analysis/report": ("lib/analysis/report/x.cpp", '"analysis/tree/call_tree.h"'),
    "lib/analysis/tree": ("lib/analysis/tree/x.cpp", '"analysis/diff/diff.h"'),
    "lib/analysis/diff": ("lib/analysis/diff/x.cpp", '"analysis/waits/why.h"'),
    "lib/analysis/check": ("lib/analysis/check/x.cpp", '"analysis/report/report.h"'),
    "lib/analysis/outliers": ("lib/analysis/outliers/x.cpp", '"analysis/diff/diff.h"'),
    "lib/analysis/findings": ("lib/analysis/findings/x.cpp", '"analysis/diff/diff.h"'),
    "lib/analysis/query": ("lib/analysis/query/x.cpp", '"analysis/view/picture.h"'),
    "lib/analysis/view": ("lib/analysis/view/x.cpp", '"analysis/query/tables.h"'),
    "lib/formats/native/bytes": ("lib/formats/native/bytes/x.cpp", '"formats/native/index/block_reader.h"'),
    "lib/formats/native/detail": ("lib/formats/native/detail/x.cpp", '"formats/native/index/block_reader.h"'),
    "lib/formats/native/index": ("lib/formats/native/index/x.cpp", '"formats/native/session/session_check.h"'),
    "lib/formats/native/sched": ("lib/formats/native/sched/x.cpp", '"formats/native/session/session_check.h"'),
    "lib/formats/native/manifest": ("lib/formats/native/manifest/x.cpp", '"formats/native/session/session_check.h"'),
    "lib/formats/native/info": ("lib/formats/native/info/x.cpp", '"formats/native/session/session_check.h"'),
    "lib/formats/native/session": ("lib/formats/native/session/x.cpp", '"formats/wtf/chunk.h"'),
    "lib/formats/native": ("lib/formats/native/x.cpp", '"formats/wtf/chunk.h"'),
    "lib/formats/convert": ("lib/formats/convert/x.cpp", '"analysis/view/picture.h"'),
    "lib/formats/import": ("lib/formats/import/x.cpp", '"formats/xray/log.h"'),
    "lib/formats/*": ("lib/formats/csv/x.cpp", '"formats/convert/budget.h"'),
    "runtime/core/base": ("runtime/core/base/x.cpp", '"core/ring/ring.h"'),
    "runtime/core/facts": ("runtime/core/facts/x.cpp", '"core/ring/ring.h"'),
    "runtime/core/control": ("runtime/core/control/x.cpp", '"core/ring/ring.h"'),
    "runtime/core/images": ("runtime/core/images/x.cpp", '"core/record/thread.h"'),
    "runtime/core/ring": ("runtime/core/ring/x.cpp", '"core/files/thread_file.h"'),
    "runtime/core/files": ("runtime/core/files/x.cpp", '"core/drain/drain.h"'),
    "runtime/core/record": ("runtime/core/record/x.cpp", '"core/drain/drain.h"'),
    "runtime/core/drain": ("runtime/core/drain/x.cpp", '"core/session/session.h"'),
    "runtime/core/session": ("runtime/core/session/x.cpp", '"../../../pass/llvm/filter.h"'),
    "tools/adatrace/terminal": ("tools/adatrace/terminal/x.cpp", '"options/command_line.h"'),
    "tools/adatrace/options": ("tools/adatrace/options/x.cpp", '"input/trace_input.h"'),
    "tools/adatrace/manual": ("tools/adatrace/manual/x.cpp", '"input/trace_input.h"'),
    "tools/adatrace/process": ("tools/adatrace/process/x.cpp", '"input/trace_input.h"'),
    "tools/adatrace/input": ("tools/adatrace/input/x.cpp", '"output/tree_lines.h"'),
    "tools/adatrace/output": ("tools/adatrace/output/x.cpp", '"fleet/loader.h"'),
    "tools/adatrace/doctor": ("tools/adatrace/doctor/x.cpp", '"output/table_writer.h"'),
    "tools/adatrace/elf": ("tools/adatrace/elf/x.cpp", '"input/trace_input.h"'),
    "tools/adatrace/fleet": ("tools/adatrace/fleet/x.cpp", '"view/api.h"'),
    "tools/adatrace/record": ("tools/adatrace/record/x.cpp", '"fleet/loader.h"'),
    "tools/adatrace/ship": ("tools/adatrace/ship/x.cpp", '"output/tree_lines.h"'),
    "tools/adatrace/view": ("tools/adatrace/view/x.cpp", '"fleet/loader.h"'),
    "tools/adatrace/commands": ("tools/adatrace/commands/x.cpp", '"formats/clickhouse/schema.h"'),
    "tools/adatrace": ("tools/adatrace/x.cpp", '"formats/clickhouse/schema.h"'),
}
# What tools must not reach, however: formats are chosen by lib/formats/table.h.
INTERNALS = ["formats/native/index/index_blocks.h", "formats/perfetto/packet_reader.h", "formats/clickhouse/schema.h", "formats/xray/log.h",
             "formats/native/directories.h", "formats/import/slice_walk.h"]

# For each section of docs/porting.md: files that nobody has listed, with their code.
MENTIONS = {
    "A new CPU": [("lib/trace/x.cpp", "#if defined(__x86_64__)"), ("runtime/core/base/x.cpp", "#ifdef __aarch64__")],
    "A new LLVM": [("pass/llvm/x.cpp", "#if LLVM_VERSION_MAJOR > 14"), ("cmake/X.cmake", "foreach(v 14 19 22)")],
    "A new format": [("tools/adatrace/commands/x.cpp", 'if (name == "dial9")'), ("lib/formats/convert/x.cpp", "wtf::Sink sink;")],
    "A new export": [("tools/adatrace/output/x.cpp", 'name == "speedscope"'), ("lib/formats/convert/x.cpp", "kSqliteFormat")],
    "A new import": [("lib/analysis/events/x.cpp", "kUftraceFormat"), ("tools/adatrace/input/x.cpp", '"xray"')],
    "A new command": [("tools/adatrace/main.cpp", "return runCommand(&kRecord, args);"),
                      ("tools/adatrace/output/x.cpp", "extern const Command kNew;")],
    "A new event kind": [("lib/analysis/tree/x.cpp", "e.kind == EventKind::Call"), ("runtime/core/drain/x.cpp", "ADA_RECORD_RETURN"),
                         ("shared/ring/x.h", "e.kind != kException"), ("runtime/core/files/x.cpp", "e.kind == ring::kCall")],
    "A new run-time option": [("lib/live/recover/x.cpp", '"detail_buffer"'), ("tools/adatrace/commands/x.cpp", '"--post-roll-ms"')],
    "A new type of option": [("tools/adatrace/options/x.cpp", "option.type == options::Type::Share"),
                             ("runtime/core/drain/x.cpp", "ADA_OPTION(Rotation, x, y, z, w)")],
    "A new field in the manifest": [("lib/analysis/events/x.cpp", "manifest::kDetailCount"), ("lib/analysis/view/x.cpp", '"build_id"'),
                                    ("runtime/core/files/x.cpp", '#include "shared/manifest_keys.h"')],
}


class Layering(unittest.TestCase):
    def refuses(self, name, header, words="may not include"):
        included = header.strip('"<>')
        if header.startswith('"') and ".." not in header:  # else the check could refuse it for another reason
            self.assertTrue(any((ROOT / r / included).is_file() for r in ("lib", "include", "runtime", "tools/adatrace")), header)
        problems = list(layering.problemsIn(ROOT, name, f"#include {header}\n"))
        self.assertTrue(any(words in p for p in problems), f"{name} may include {header}")

    def testEachRule(self):
        self.assertEqual([r.folder for r in layering.RULES], list(BROKEN), "a rule without a file that breaks it")
        for folder, (name, header) in BROKEN.items():
            with self.subTest(folder):
                self.assertEqual(layering.ruleFor(name).folder, folder)
                self.refuses(name, header)

    def testEachPart(self):
        self.assertEqual({p.folder for p in layering.PARTS}, set(BROKEN_PARTS), "a part without a file that breaks its rule")
        for folder, (name, header) in BROKEN_PARTS.items():
            with self.subTest(folder):
                self.assertEqual(layering.partFor(name)[0].folder, folder)
                self.refuses(name, header)

    def testToolsDontSeeFormats(self):
        for header in INTERNALS:
            for folder in ("commands", "trace", "process", "output"):
                with self.subTest(folder=folder, header=header):
                    self.refuses(f"tools/adatrace/{folder}/x.cpp", f'"{header}"')

    def testThroughOtherHeaders(self):
        self.refuses("tools/adatrace/process/x.cpp", '"live/recover/ring_directory.h"', "leads to")

    def testUnknownHeader(self):
        self.refuses("lib/trace/base/x.cpp", '"../base/nowhere.h"', "no such file")

    def testWhatIsAllowed(self):
        for name, header in (("tools/adatrace/commands/x.cpp", '"formats/clickhouse/questions.h"'), ("lib/trace/base/x.cpp", "<vector>"),
                             ("tools/adatrace/fleet/x.cpp", '"formats/clickhouse/schema.h"')):
            self.assertEqual([], list(layering.problemsIn(ROOT, name, f"#include {header}\n")))


class Tree(unittest.TestCase):
    """The checks as programs, on a small tree that has one fault each."""

    def status(self, script, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            run = subprocess.run([sys.executable, ROOT / "test" / script, root], capture_output=True, text=True)
            return run.returncode, run.stdout

    def testLayering(self):
        page = "".join([layering.BEGIN, layering.table(), layering.END])
        part = layering.partFor("lib/analysis/waits/a.h")[0]
        readme = f"# Waits\n\n- `a.h`\n\n{layering.usesLine(part)}"
        right = {"docs/explanation/design.md": page, "lib/analysis/waits/a.h": "", "lib/analysis/waits/README.md": readme}
        self.assertEqual((0, "1 files, 0 problems with the layering\n"), self.status("layering.py", right))
        for fault, words in (({"docs/explanation/design.md": page.replace("the drain", "the drum").replace("runtime", "run time")}, "table of folders"),
                             ({"lib/analysis/waits/README.md": readme.replace("values", "trees")}, "differs from the rules"),
                             ({"lib/analysis/waits/README.md": readme.replace("a.h", "b.h")}, "no such file: b.h"),
                             ({"lib/analysis/other/a.h": ""}, "lib/analysis/other/a.h: its folder has no rule"),
                             ({"lib/analysis/tree/a.h": ""}, "lib/analysis/tree/: no README.md"),
                             ({"tools/adatrace/commands/a.h": ""}, "tools/adatrace/commands/ needs no exception for")):
            with self.subTest(words):
                status, output = self.status("layering.py", right | fault)
                self.assertIn(words, output)
                self.assertEqual(1, status)

    def testPorting(self):
        page = "".join(f"## {title}\n\n`docs/porting.md`\n\n" for title in porting.SECTIONS)
        right = {"docs/porting.md": page, "lib/x.cpp": "// dial9\n"}
        self.assertEqual((0, "0 problems with docs/porting.md\n"), self.status("porting.py", right))
        for fault, words in (({"lib/x.cpp": "dial9::read();"}, "lib/x.cpp mentions 'dial9'"),
                             ({"docs/porting.md": page.replace("## A new CPU", "## CPUs")}, "no section 'A new CPU'"),
                             ({"docs/porting.md": page + "`lib/gone.cpp`"}, "lib/gone.cpp, which does not exist")):
            with self.subTest(words):
                status, output = self.status("porting.py", right | fault)
                self.assertIn(words, output)
                self.assertEqual(1, status)


class Hops(unittest.TestCase):
    """Functions that a page names with their file."""

    CODE = {"lib/a.cpp": "Expected<Way> Drain::pass(bool last) {\n  return elsewhere(1); // nowhere(\n}\nvoid each() {}\n",
            "lib/b.h": "namespace ada {\nclass Walk final : Reader {\n  template <class T> bool take(T &to);\n};\n}\n",
            "runtime/t.S": "HOOK __ada_enter, 1\nslow:\n"}

    def absent(self, page):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in self.CODE.items():
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(text)
            return list(links.absent(root, page))

    def testThere(self):
        self.assertEqual([], self.absent("| `lib/a.cpp:Drain::pass`, `each`; `lib/b.h:Walk`, `Walk::take` | `runtime/t.S:__ada_enter`, `slow` |"))

    def testAbsent(self):
        for page, words in (("`lib/a.cpp:Drain::run`", "lib/a.cpp has no Drain::run"), ("`lib/a.cpp:each`, `nowhere`", "no nowhere"),
                            ("`lib/a.cpp:Way::pass`", "no Way::pass"),
                            ("`lib/a.cpp:elsewhere`", "no elsewhere"), ("`lib/b.h:Walker::take`", "no Walker::take"), ("`lib/c.cpp:each`", "does not exist"),
                            ("`runtime/t.S:__ada_exit`", "no __ada_exit")):
            with self.subTest(page):
                problems = self.absent(page)
                self.assertEqual(1, len(problems), problems)
                self.assertIn(words, problems[0])

    def testTree(self):
        hops = links.HOP.findall((ROOT / "docs/explanation/path.md").read_text())
        self.assertGreater(len(hops), 40, "docs/explanation/path.md names the functions in another form")


# Definitions that the linker takes for those of another file, and some that it does not.
SAME = ["struct Reply {\n  int a;\n};", "enum class Kind { A };", "class Reader final : public Base<int> {};", "inline int f(int a) { return a; }",
        "inline constexpr int kMax = 3;", "template <class T> T g(T a) { return a; }", "constexpr int h() { return 1; }",
        "inline bool operator<(const A &a, const A &b) { return &a < &b; }", 'extern "C" {\nunion Word {};\n}']
DIFFERENT = ["namespace {\nstruct Reply {};\n}", "struct Reply;", "static inline int f(int a) { return a; }", "inline int f(int a);", "constexpr int kMax = 3;",
             "using Reply = int;", "struct Other {\n  struct Inner {};\n};\n// struct Reply {};", "inline int Reply::f(int a) { return a; }"]


class OneDefinition(unittest.TestCase):
    def problems(self, one, two, file="tools/adatrace/view/b.h"):
        files = {"lib/trace/base/a.h": f"namespace ada::x {{\n{one}\n}}\n", file: f"namespace ada {{\nnamespace x {{\n{two}\n}}\n}}\n"}
        return list(one_definition.problemsIn(files))

    def testSame(self):
        for text in SAME:
            with self.subTest(text):
                self.assertEqual(1, len(self.problems(text, text)))
                self.assertEqual([], self.problems(text, text, "pass/b.h"), "these are never linked together")
        self.assertRegex(self.problems(SAME[0], SAME[0])[0], "^ada::x::Reply is defined twice in adatrace: lib/trace/base/a.h:2, tools/adatrace/view/b.h:3$")
        self.assertEqual(1, len(self.problems("inline int f(int a) { return a; }", "inline int f(int b) { return 2; }")))

    def testDifferent(self):
        for text in DIFFERENT:
            for other in SAME[:5]:
                with self.subTest(text, other=other):
                    self.assertEqual([], self.problems(other, text))
        self.assertEqual([], self.problems("inline int f(int a) { return a; }", "inline int f(long a) { return a; }"))

    def testEachFolder(self):
        for folder in {f for program in one_definition.PROGRAMS.values() for f in program}:
            self.assertTrue((ROOT / folder).is_dir(), folder)


class Includes(unittest.TestCase):
    def problems(self, source):
        files = {"lib/trace/base/a.h": "namespace ada {\nint found(int a);\nstruct S {\n  int own(int);\n};\n}\n", "tools/adatrace/b.cpp": source,
                 "tools/adatrace/b.h": '#include "trace/base/a.h"\n', "runtime/core/c.h": "int read(int);\n"}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return list(includes.problemsIn(root, [root / name for name in files]))

    def testCalls(self):
        self.assertEqual(["tools/adatrace/b.cpp calls found(), and does not include lib/trace/base/a.h"], self.problems("int i = found(1);\n"))
        for source in ('#include "trace/base/a.h"\nint i = found(1);', '#include "b.h"\nint i = found(1);', "int i = a.found(1);", "int i = x::found(1);",
                       "// found(1)", "static int found(int);\nint i = found(1);", "int i = own(1);", "int i = read(1);",
                       "#define found(x) x\nint i = found(1);", "int g(int (*found)(int)) { return found(1); }"):
            with self.subTest(source):
                self.assertEqual([], self.problems(source))

    def testEachFolder(self):
        for folder in includes.FOLDERS:
            self.assertTrue((ROOT / folder).is_dir(), folder)


class Porting(unittest.TestCase):
    def testEachSection(self):
        page = dict(porting.sectionsOf((ROOT / "docs/porting.md").read_text()))
        self.assertEqual(set(porting.SECTIONS), set(MENTIONS), "a section without a file that is not on its list")
        for title, files in MENTIONS.items():
            for name, text in files:
                with self.subTest(title, name=name):
                    places = porting.SECTIONS[title].places
                    self.assertTrue(any(name.startswith(p + "/") for p in places), f"nobody looks at {name}")
                    code = porting.codeOf(pathlib.Path(name), text)
                    self.assertIsNotNone(porting.unlisted(title, page[title], name, code))
                    comment = porting.codeOf(pathlib.Path(name), ("# " if name.endswith(".cmake") else "// ") + text)
                    self.assertIsNone(porting.unlisted(title, page[title], name, comment))


class Figures(unittest.TestCase):
    def problems(self, page, code):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lib").mkdir()
            (root / "lib/a.h").write_text(code)
            (root / "page.md").write_text(page)
            return list(figures.problems(root, [("page.md", "at most {} calls", "a.h", "kMax")]))

    def testRight(self):
        for page, code in (("has at most\n1,023 calls", "kMax = 1023;"), ("at most 4 million calls", "kMax = 1 << 22;"),
                           ("at most 4096 calls", "#define kMax 0x1000u"), ("at most 128 calls", "kFew = 3, kMax = 2 * 64;")):
            self.assertEqual([], self.problems(page, code), page)

    def testWrong(self):
        for page, code, words in (("at most 1,024 calls", "kMax = 1'023;", "kMax of a.h is 1023"), ("at most 5 million calls", "kMax = 1 << 22;", "4194304"),
                                  ("at most a few calls", "kMax = 3;", "is not there"), ("at most 3 calls", "kMoster = 3;", "is not there")):
            found = self.problems(page, code)
            self.assertEqual(1, len(found), page)
            self.assertIn(words, found[0])


class Vectors(unittest.TestCase):
    def testForm(self):
        answer = {"file": "a.atf", "kind": "x" * 99, "events": [{"ns": n, "words": list(range(40))} for n in range(3)]}
        right = vector_form.text(answer)
        self.assertEqual(json.loads(right), answer)
        self.assertEqual(['{', ' "file": "a.atf",', ' "kind": ' + json.dumps("x" * 99) + ",", ' "events": ['], right.split("\n")[:4])
        self.assertEqual(4 + 3, right.count("\n") + 1)

    def testProblems(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            files = {"a.json": json.dumps({"size": 1}, indent=1) + "\n", "a/manifest.json": "{ }\n", "a/b/index.atf": "ATF",
                     "c/index.atf": "ATF", "d.atf": "", "e.atf": ""}
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            found = vector_form.problems(folder=root)
            self.assertEqual(2, len(found), found)
            self.assertIn("a.json: not one event a line", found[0])
            self.assertIn("c/index.atf: a copy of", found[1])
            vector_form.problems(fix=True, folder=root)
            self.assertEqual([], vector_form.problems(folder=root))
            self.assertEqual("../a/b/index.atf", str((root / "c/index.atf").readlink()))
            self.assertEqual("{ }\n", (root / "a/manifest.json").read_text())


if __name__ == "__main__":
    unittest.main()
