"""The package answers as the commands of adatrace do, and its errors say what is wrong and where."""
import itertools
import json
import os
import pathlib
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import adatrace
import sessions


class WithSession(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = sessions.make(pathlib.Path(cls.folder.name))

    def command(self, *words):
        """What a command prints with --format=json."""
        run = subprocess.run([sessions.ADATRACE, *words, "--format=json"], check=True, capture_output=True, text=True)
        return json.loads(run.stdout)


class Questions(WithSession):
    def test_what_a_trace_has(self):
        trace = adatrace.open(pathlib.Path(self.path))
        self.assertEqual([("app", 4711)], [(p.name, p.pid) for p in trace.processes])
        self.assertEqual([(0, 0, 4711, "main", 6), (1, 1, 4712, "worker-1", 4)],
                         [(t.id, t.number, t.tid, t.name, t.events) for t in trace.threads])
        self.assertEqual((100, 300, 10), (trace.start, trace.end, trace.events))
        self.assertEqual([], trace.problems)
        self.assertIn("2 threads, 10 events", repr(trace))
        self.assertIn("<td>main, worker-1</td>", trace._repr_html_())

    def test_rows_are_those_of_the_commands(self):
        trace = adatrace.open(self.path)
        for words, rows in (
                (("report",), trace.report()),
                (("report", "--by=thread", "--sort=name"), trace.report(by="thread", sort="name")),
                (("report", "--by=file"), trace.report(by="file")),
                (("report", "--args"), trace.report(arguments=True)),
                (("report", "--include=parse", "--thread=1"), trace.report(include="parse", thread=1)),
                (("report", "--no-external", "--names=full"), trace.report(external=False, names="full")),
                (("tree",), trace.tree()),
                (("tree", "--no-fold", "--args"), trace.tree(fold=False, arguments=True)),
                (("tree", "--prune=parse*"), trace.tree(prune="parse*")),
                (("tree", "--depth=1", "--min-duration=150ns"), trace.tree(depth=1, min_duration=150)),
                (("tree", "--absolute", "--from=155ns", "--to=165ns"), trace.tree(start=155, end=165)),
                (("waits",), trace.waits()),
                (("waits", "--by=place"), trace.waits(by="place"))):
            with self.subTest(words):
                self.assertEqual(self.command(*words, self.path), rows)
        for words, rows in ((("diff",), trace.diff(self.path)), (("diff", "--by=path"), trace.diff(trace, by="path"))):
            with self.subTest(words):
                self.assertEqual(self.command(*words, self.path, self.path), rows)
        self.assertEqual(self.command("diff", self.path, self.path, "--with", self.path, self.path),
                         adatrace.diff([trace, self.path], [trace, trace]))

    def test_some_of_a_tree(self):
        self.assertEqual(1, len(adatrace.open(self.path).tree(limit=1)))

    def test_flame_is_the_page_of_the_command(self):
        page = subprocess.run([sessions.ADATRACE, "flame", "--paths=20000", self.path], check=True, capture_output=True)
        flame = adatrace.open(self.path).flame()
        self.assertEqual(page.stdout.decode(), flame.html)
        self.assertNotIn('"', flame._repr_html_().split('srcdoc="')[1].removesuffix('"></iframe>'))
        trace = adatrace.open(self.path)
        self.assertIn("wholeBefore\":[", trace.flame(before=trace).html)

    def test_in_a_notebook(self):
        trace = adatrace.open(self.path)
        tree = trace.tree(fold=False)._repr_html_()
        self.assertEqual(tree.count("<ul>"), tree.count("</ul>"))
        self.assertEqual(tree.count("<details"), tree.count("</details>"))
        self.assertEqual(5, tree.count("<li>"))
        self.assertIn("parse(..)", tree)
        self.assertIn("<td>4711</td><td>1,000</td><td>-</td>",
                      adatrace.Rows('[{"pid":4711,"calls":1000,"max_ns":null}]')._repr_html_())
        self.assertIn("&lt;script>".replace(">", "&gt;"), adatrace.Rows('[{"name":"<script>"}]')._repr_html_())
        # A mark that turns the direction, a space without width, a tag.
        self.assertIn("<td>a?b?c?d</td>", adatrace.Rows('[{"name":"a\\u202eb\\u200bc\\udb40\\udc61d"}]')._repr_html_())

    def test_wrong_options(self):
        trace = adatrace.open(self.path)
        for wrong in (lambda: trace.report(by="day"), lambda: trace.report(sort="colour"), lambda: trace.report(thread=2),
                      lambda: trace.report(thread="nobody"), lambda: trace.tree(names="x"),
                      lambda: adatrace.diff([], trace)):
            self.assertRaises(ValueError, wrong)
        self.assertRaises(TypeError, lambda: trace.report(start=-1))
        with self.assertWarnsRegex(adatrace.AdviceWarning, "'pasre' matches no function.*did you mean parse") as caught:
            self.assertEqual([], trace.report(function="pasre"))
        self.assertEqual(__file__, caught.filename)

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        frame = adatrace.open(self.path).report().to_pandas()
        self.assertEqual({"main", "parse(..)", "work()"}, set(frame.function))


class Causes(unittest.TestCase):
    """What `why`, `outliers` and `check` find, on calls of which some are slow for a reason."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        lines, now = ["process 4711", "argv ./app -v", "function 1 handle", "function 2 load", "function 3 main",
                      "thread 0 tid 4711 name main", "0 call main"], 1000
        for number in range(400):
            slow = 9_000_000 if number in (7, 60, 131, 187, 222, 290, 341, 399) else 0
            lines += [f"{now} call handle", f"{now + 1000} call load", f"{now + 11_000 + slow} return load",
                      f"{now + 100_000 + slow + number} return handle"]
            now += 110_000 + slow
        lines.append(f"{now} return main")
        # A space, so that what is printed must be quoted.
        cls.path = sessions.make(pathlib.Path(cls.folder.name) / "a b", "\n".join(lines))
        cls.trace = adatrace.open(cls.path)

    def command(self, *words, status=0):
        run = subprocess.run([sessions.ADATRACE, *words, "--format=json"], capture_output=True, text=True)
        self.assertEqual(status, run.returncode, run.stderr)
        return json.loads(run.stdout)

    def test_findings(self):
        why = self.trace.why()
        self.assertEqual(self.command("why", self.path), why)
        self.assertEqual(why["findings"], self.trace.findings())
        self.assertEqual(["handle"], why["requests"])
        worst = self.trace.findings()[0]
        self.assertEqual("slow-calls", worst["kind"])
        # 8 of 400 calls take 9 ms more.
        self.assertEqual(72_000_000, round(worst["stake_ns"], -6))
        self.assertIn("command", self.trace.findings().columns)
        run = subprocess.run(worst["command"], shell=True, capture_output=True,
                             env={**os.environ, "PATH": f"{sessions.ADATRACE.parent}:{os.environ['PATH']}"})
        self.assertEqual((0, b""), (run.returncode, run.stderr))
        self.assertIn("slow-calls", why._repr_html_())

    def test_why_of_a_call(self):
        spans = [span for span in self.trace.iter_spans(function="handle", min_duration=1_000_000)]
        self.assertEqual(8, len(spans))
        wanted = self.command("why", "--call=0:29", self.path)
        for call in (spans[0], spans[0].id, "0:29", "4711/0:29"):
            with self.subTest(call):
                self.assertEqual(wanted, self.trace.why(call=call))
        slowest = self.trace.why(function="handle")
        self.assertEqual(self.command("why", "--function=handle", self.path), slowest)
        self.assertEqual(spans[-1].dur, slowest["total_ns"])
        self.assertEqual(slowest["total_ns"], sum(part["total_ns"] for part in slowest["parts"]))
        self.assertIsInstance(slowest["parts"], adatrace.Rows)
        self.assertLess(self.trace.why(function="handle", end=spans[0].ts)["total_ns"], 1_000_000)

    def test_why_of_a_process(self):
        self.assertEqual(self.command("why", "--process=4711", self.path), self.trace.why(process=4711))
        self.assertEqual(self.command("why", "--process=all", self.path), self.trace.why(process="all"))

    def test_outliers(self):
        self.assertEqual(self.command("outliers", self.path), self.trace.outliers())
        [handle] = self.trace.outliers("handle", slowest="2%")
        self.assertEqual(self.command("outliers", "--function=handle", "--slowest=2%", self.path), handle)
        self.assertEqual((400, 8), (handle["calls"], handle["slow_calls"]))
        self.assertIn(("callee", "likely"), [(factor["kind"], factor["sure"]) for factor in handle["factors"]])
        self.assertEqual("likely", handle["verdict"])
        self.assertEqual(8, self.trace.outliers("handle", slowest=8)[0]["slow_calls"])
        self.assertEqual(self.command("outliers", "--function=handle|load", self.path),
                         self.trace.outliers("handle|load"))
        self.assertEqual(1, len(self.trace.outliers("handle|load", limit=1)))

    def test_check(self):
        rules = ["max(handle) < 1ms", "calls(load, within handle) == 400", "never load -> handle", "p99(nothing) < 1s"]
        file = pathlib.Path(self.folder.name) / "rules"
        file.write_text("\n".join(rules))
        rows = self.trace.check(rules)
        self.assertEqual(self.command("check", file, self.path, status=1), rows)
        self.assertEqual(rows, self.trace.check(file.read_text()))
        self.assertEqual(["broken", "kept", "kept", "undecided"], [row["verdict"] for row in rows])
        self.assertIn("'a b/", rows[0]["worst"]["command"].replace(self.folder.name + "/", ""))

    def test_what_is_not_there(self):
        for wrong in (lambda: self.trace.why(call="0:28"), lambda: self.trace.why(call="9:0"),
                      lambda: self.trace.why(call=0), lambda: self.trace.why(call=-1),
                      lambda: self.trace.why(process=4712)):
            self.assertRaises(LookupError, wrong)
        with self.assertWarnsRegex(adatrace.AdviceWarning, "'hnadle' matches no function"):
            self.assertRaises(LookupError, lambda: self.trace.why(function="hnadle"))
        with self.assertWarnsRegex(adatrace.AdviceWarning, "'hnadle' matches no function"):
            self.assertEqual([], self.trace.outliers("hnadle"))
        for wrong in (lambda: self.trace.why(call="x"), lambda: self.trace.why(call="0:29", process=1),
                      lambda: self.trace.why(start=1), lambda: self.trace.outliers(slowest="1%"),
                      lambda: self.trace.outliers("handle", slowest="half")):
            self.assertRaises(ValueError, wrong)
        with self.assertRaisesRegex(ValueError, "line 2, column "):
            self.trace.check("max(handle) < 1ms\nmax(handle <")

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        self.assertEqual("slow-calls", self.trace.findings().to_pandas().kind[0])
        self.assertEqual(400, self.trace.outliers().to_pandas().set_index("function").calls["handle"])
        factors = self.trace.outliers("handle")[0]["factors"].to_pandas()
        self.assertAlmostEqual(1, factors.share.sum(), places=2)
        self.assertEqual(["broken"], self.trace.check("max(handle) < 1ms").to_pandas().verdict.tolist())


class Errors(WithSession):
    def test_no_trace(self):
        with self.assertRaises(adatrace.Error) as caught:
            adatrace.open(self.folder.name + "/nowhere")
        self.assertEqual(("E_IO", self.folder.name + "/nowhere", None),
                         (caught.exception.code, caught.exception.path, caught.exception.offset))
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(caught.exception), "E_IO"), (str(again), again.code))

    def test_file_and_offset(self):
        index = pathlib.Path(self.folder.name) / "wrong.atf"
        index.write_bytes(b"ATI2" + b"\xff" * 60)
        with self.assertRaises(adatrace.Error) as caught:
            adatrace.open(index)
        self.assertEqual(str(index), caught.exception.path)
        self.assertIsInstance(caught.exception.offset, int)

    def test_a_path_that_is_not_text(self):
        self.assertRaises(adatrace.Error, lambda: adatrace.open(os.fsdecode(b"/nowhere/\xff")))

    def test_damage_is_reported_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = sessions.make(pathlib.Path(folder))
            index = next(pathlib.Path(path).rglob("thread_1/index.atf"))
            index.write_bytes(b"\0" * 64 + index.read_bytes()[64:])
            with self.assertWarnsRegex(adatrace.DamageWarning, "thread_1") as caught:
                trace = adatrace.open(path)
            self.assertEqual(__file__, caught.filename)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual({"main", "parse(..)"}, {row["function"] for row in trace.report()})


    def test_hold_ups_are_not_damage(self):
        with tempfile.TemporaryDirectory() as folder:
            path = sessions.make(pathlib.Path(folder), "process 1\nfunction 1 main\nthread 0 tid 1\n"
                                 "1000000 call main\n9000000 return main")
            # docs/formats/sched.md: the system reported nothing; held up for want of a chunk from 2 to 5 ms.
            records = [(2_000_000, 6, 1), (5_000_000, 7, 1)]
            lane = struct.pack("<8sIIQQ", b"ADASCHED", 2, 1, 0, 1) + b"".join(struct.pack("<QII", *record) for record in records)
            next(pathlib.Path(path).rglob("thread_0")).joinpath("sched.ads").write_bytes(lane)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                adatrace.open(path).report()
            [warning] = caught
            self.assertIs(adatrace.HoldUpWarning, warning.category)
            self.assertFalse(issubclass(adatrace.HoldUpWarning, adatrace.DamageWarning))
            self.assertIn("held up 1 thread for 3.000 ms, thread 0 for 38 % of its time: the buffer was full; ", str(warning.message))


class Threads(WithSession):
    def test_several_at_once(self):
        trace, wanted, found = adatrace.open(self.path), adatrace.open(self.path).report(), []
        ask = lambda: found.append((trace.report(), trace.spans(["dur"])["dur"].sum(), len(trace.functions)))
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([(wanted, 480, 3)] * 8, found)


class Interrupts(WithSession):
    def test_ctrl_c_ends_a_query(self):
        trace = adatrace.open(self.path)
        trace.sql("SELECT 1")  # reads the file; from now on only a query takes long

        def interrupt():
            start = time.process_time()
            while time.process_time() < start + 0.2:
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        for _ in range(2):
            helper = threading.Thread(target=interrupt)
            helper.start()
            with self.assertRaises(KeyboardInterrupt):
                trace.sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")  # has no end
            helper.join()
            self.assertEqual([5], trace.sql("SELECT count(*) AS n FROM spans")["n"].tolist())

    def test_ctrl_c_ends_a_read(self):
        """A read of a large file ends long before the file does."""
        with tempfile.TemporaryDirectory() as folder:
            large, written = pathlib.Path(folder) / "large.json", []
            os.mkfifo(large)
            pieces = (b'{"ph":"X","pid":1,"tid":1,"name":"f","ts":%d,"dur":1},' % ts for ts in range(1_000_000))

            def write():
                with open(large, "wb", buffering=0) as pipe:
                    try:
                        pipe.write(b'{"traceEvents":[')
                        while piece := b"".join(itertools.islice(pieces, 10_000)):
                            pipe.write(piece)
                            written.append(len(piece))
                            if len(written) == 10:  # more than a pipe holds, so it is being read
                                os.kill(os.getpid(), signal.SIGINT)
                    except BrokenPipeError:
                        pass

            writer = threading.Thread(target=write)
            writer.start()
            with self.assertRaises(KeyboardInterrupt):
                adatrace.open(large)
            writer.join()
            self.assertLess(len(written), 90)


if __name__ == "__main__":
    unittest.main()
