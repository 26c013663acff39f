"""Calls as columns, and as objects; and what other libraries make of columns."""
import gc
import pathlib
import random
import subprocess
import tempfile
import unittest
import weakref

import adatrace
import arrow_reader
import numpy as np
import sessions

THREAD = 1 << 40


class Spans(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.trace = adatrace.open(sessions.make(pathlib.Path(folder.name)))

    def columns(self, *keys, **options):
        """Rows, by ts."""
        spans = self.trace.spans(["ts", *keys], **options)
        return [tuple(spans[key][int(i)] for key in keys) for i in np.argsort(spans["ts"])]

    def test_types_and_shapes(self):
        spans = self.trace.spans()
        self.assertEqual(5, spans.rows)
        types = {"id": "int64", "ts": "int64", "dur": "int64", "self": "int64", "function_id": "uint32", "thread": "uint32",
                 "process": "uint32", "depth": "uint32", "outermost": "bool"}
        for key, kind in types.items():
            self.assertEqual((kind, (5,)), (str(spans[key].dtype), spans[key].shape), key)
        self.assertNotIn("arguments", spans)
        self.assertIsInstance(spans["parent_id"], np.ma.MaskedArray)
        self.assertTrue(np.ma.getmaskarray(spans["on_cpu"]).all())  # scheduling was not recorded
        self.assertEqual(["name", "dur"], list(self.trace.spans(["name", "dur", "name"])))
        self.assertEqual(["dur"], list(self.trace.spans("dur")))

    def test_values(self):
        self.assertEqual([("main", 200, 0, "return"), ("parse(int)", 40, 1, "return"), ("work()", 140, 0, "exception"),
                          ("parse(int)", 60, 1, "exception"), ("parse(int)", 40, 1, "return")],
                         self.columns("name", "dur", "depth", "exit"))
        self.assertEqual([(1, None), (2, 1), (THREAD + 1, None), (THREAD + 2, THREAD + 1), (4, 1)],
                         [(i, None if p is np.ma.masked else p) for i, p in self.columns("id", "parent_id")])
        self.assertEqual([(None, None), ("(n=10)", "55"), (None, None), (None, None), (None, None)],
                         self.columns("arguments", "result"))

    def test_which_calls(self):
        parse = next(f for f in self.trace.functions if f.name == "parse(int)")
        self.assertEqual([(40,), (60,), (40,)], self.columns("dur", function="parse"))
        self.assertEqual([(40,), (60,), (40,)], self.columns("dur", function=[parse, parse.id]))
        self.assertEqual([(140,), (60,)], self.columns("dur", thread="work*"))
        self.assertEqual([(140,), (60,)], self.columns("dur", thread=self.trace.threads[1]))
        self.assertEqual([(200,), (140,)], self.columns("dur", depth=1))
        self.assertEqual([(140,), (60,)], self.columns("dur", min_duration=60, max_duration=140))
        self.assertEqual([(200,), (140,), (40,)], self.columns("dur", start=195))
        self.assertEqual([(200,), (40,)], self.columns("dur", end=120))
        with self.assertWarns(adatrace.AdviceWarning):
            self.assertEqual(0, self.trace.spans(function="pasre").rows)
        for wrong in (lambda: self.trace.spans(["colour"]), lambda: self.trace.spans(depth=0)):
            self.assertRaises(ValueError, wrong)

    def test_arrays_outlive_what_they_come_from(self):
        spans = adatrace.open(self.trace.path).spans(["ts", "name"])
        times, names = spans["ts"], spans["name"]
        del spans
        gc.collect()
        self.assertEqual(100 + 110 + 160 + 120 + 130, int(times.sum()))
        self.assertEqual(5, len(list(names)))

    def test_words(self):
        names = self.trace.spans(["name"])["name"]
        self.assertEqual((3, 0), (int((names == "parse(int)").sum()), int((names == "nobody").sum())))
        self.assertEqual(sorted(names), sorted(np.asarray(names).tolist()))
        self.assertEqual(list(names)[1:3], list(names[1:3]))

    def test_objects(self):
        spans = list(self.trace.iter_spans())
        self.assertEqual([100, 110, 160, 120, 130], [s.ts for s in spans])
        self.assertEqual((None, 1, "(n=10)", "55", "parse(int)"),
                         (spans[0].parent_id, spans[1].parent_id, spans[1].arguments, spans[1].result, spans[1].name))
        self.assertEqual([130], [s.ts for s in self.trace.iter_spans(function="parse", thread=1)])
        whole = self.trace.spans(["id", "self", "values", "outermost"])
        for events in (1, 2, 3, 100):
            parts = list(self.trace.span_batches(["id", "self", "values", "outermost"], events=events))
            self.assertEqual(sorted(whole["id"].tolist()), np.concatenate([p["id"] for p in parts]).tolist())
            self.assertEqual(int(whole["self"].sum()), sum(int(p["self"].sum()) for p in parts))

    def test_sql(self):
        result = self.trace.sql("SELECT name, count(*) AS calls, sum(dur) AS dur, avg(dur) AS mean, NULL AS none FROM spans "
                                "GROUP BY name ORDER BY name")
        self.assertEqual(["main", "parse(int)", "work()"], list(result["name"]))
        self.assertEqual(([1, 3, 1], [200, 140, 140], "int64", "float64"),
                         (result["calls"].tolist(), result["dur"].tolist(), str(result["calls"].dtype), str(result["mean"].dtype)))
        self.assertTrue(np.ma.getmaskarray(result["none"]).all())
        mixed = self.trace.sql("SELECT NULL AS x, 1 AS y UNION ALL SELECT 2, 2.5 UNION ALL SELECT 'three', NULL ORDER BY 1")
        self.assertEqual([None, "2", "three"], list(mixed["x"]))
        self.assertEqual([1.0, 2.5, None], [None if v is np.ma.masked else float(v) for v in mixed["y"]])
        twice = self.trace.sql("SELECT a.dur, b.dur FROM spans a JOIN old.spans b USING (id)", old=self.trace.path)
        self.assertEqual((480, 480), (twice["dur"].sum(), twice["dur_2"].sum()))
        self.assertEqual(0, self.trace.sql("SELECT name FROM spans WHERE dur > 1000").rows)
        for wrong in ("SELECT", "SELECT 1; SELECT 2", "", "DROP TABLE spans"):
            with self.assertRaises(adatrace.Error) as caught:
                self.trace.sql(wrong)
            self.assertEqual("E_SQL", caught.exception.code, wrong)

    def test_functions(self):
        self.assertEqual([("main", "app.cpp", 30), ("parse(int)", "parse.cpp", 12), ("work()", "work.cpp", 5)],
                         sorted((f.name, f.file, f.line) for f in self.trace.functions))
        self.assertEqual(list(range(3)), [f.id for f in self.trace.functions])


# What readers repair: calls without an exit, open ones, exits without a call, recursion, exceptions.
ODD = sessions.SMALL + """
thread 2 tid 4713 name odd
5 return main
10 call main
12 call _Z5parsei
14 call _Z5parsei
16 call _Z4workv
20 return _Z5parsei
24 exception _Z5parsei
30 call _Z4workv
31 return main
40 call _Z4workv
45 call _Z5parsei
"""


class Agreement(unittest.TestCase):
    def test_with_report_in_every_format(self):
        with tempfile.TemporaryDirectory() as folder:
            session = sessions.make(pathlib.Path(folder), ODD)
            first = None
            for form in ("atf1", "atf2", "packed", "dial9", "wtf", "cff"):
                path = f"{folder}/{form}"
                subprocess.run([sessions.ADATRACE, "convert", "-q", "--to=" + form, session, path], check=True)
                trace = adatrace.open(path)
                spans = trace.spans()
                names = np.asarray(spans["name"])
                rows = trace.report(names="full")
                self.assertEqual({row["function"] for row in rows}, set(names))
                for row in rows:
                    one = names == row["function"]
                    self.assertEqual((row["calls"], row["self_ns"], row["total_ns"]),
                                     (one.sum(), spans["self"][one].sum(), spans["dur"][one & spans["outermost"]].sum()), row)
                    for end in ("exception", "inferred", "missing", "open"):
                        self.assertEqual(row[end + ("s" if end == "exception" else "")], (one & (spans["exit"] == end)).sum())
                found = sorted(zip(*(np.asarray(spans[key]).tolist() for key in ("id", "ts", "dur", "self", "name", "exit"))))
                first = first or found
                self.assertEqual(first, found, form)
                self.assertEqual(found, [*zip(*trace.sql("SELECT id, ts, dur, self, name, exit FROM spans ORDER BY id").values())])
                self.compareChoices(trace)

    def compareChoices(self, trace):
        """Some calls, chosen in Python and in SQL."""
        for _ in range(5):
            start, end, least = sorted(random.sample(range(330), 2)) + [random.choice((0, 40, 60))]
            name = random.choice(("main", "parse(int)", "work()"))
            columns = trace.spans(["id"], function=name, start=start, end=end, min_duration=least)
            rows = trace.sql(f"SELECT id FROM spans WHERE name = '{name}' AND ts < {end} AND ts + dur >= {start} "
                             f"AND dur >= {least} ORDER BY id")
            self.assertEqual(rows["id"].tolist(), sorted(columns["id"].tolist()), (name, start, end, least))


class OtherLibraries(unittest.TestCase):
    setUpClass = Spans.__dict__["setUpClass"]

    def rowsOf(self, table):
        return [dict(zip(table, row)) for row in zip(*table.values())]

    def test_arrow(self):
        spans = self.trace.spans(["id", "parent_id", "on_cpu", "name", "exit", "thread", "outermost", "arguments"])
        wanted = {key: [None if value is np.ma.masked else value for value in column] for key, column in spans.items()}
        self.assertEqual(wanted, arrow_reader.readArray(spans.__arrow_c_array__()))
        self.assertEqual([wanted], arrow_reader.readStream(spans.__arrow_c_stream__()))
        capsules = [spans.__arrow_c_schema__(), spans.__arrow_c_stream__(), spans.__arrow_c_array__()]
        memory = weakref.ref(spans["id"])
        del spans
        gc.collect()
        self.assertIsNotNone(memory())
        del capsules  # nobody took them
        self.assertIsNone(memory())

    def test_arrow_without_rows(self):
        spans = self.trace.spans(["id", "parent_id", "name", "arguments"], start=10_000)
        self.assertEqual([{"id": [], "parent_id": [], "name": [], "arguments": []}],
                         arrow_reader.readStream(spans.__arrow_c_stream__()))

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        frame = self.trace.spans([*"ts dur name parent_id arguments outermost".split()]).to_pandas()
        self.assertEqual({"main": 200, "parse(int)": 140, "work()": 140}, frame.groupby("name").dur.sum().to_dict())
        self.assertEqual(2, int(frame.parent_id.isna().sum()))
        self.assertEqual("Int64", str(frame.parent_id.dtype))
        self.assertEqual(["(n=10)"], frame.arguments.dropna().tolist())
        self.assertIsInstance(frame.name.dtype, pandas.CategoricalDtype)

    def test_those_that_may_be_there(self):
        spans = self.trace.spans(["ts", "name", "parent_id", "arguments", "outermost"])
        wanted = self.rowsOf(arrow_reader.readArray(spans.__arrow_c_array__()))
        for name, read in (("pyarrow", lambda: spans.to_arrow().to_pylist()), ("polars", lambda: spans.to_polars().to_dicts())):
            try:
                __import__(name)
            except ImportError:
                continue
            with self.subTest(name):
                self.assertEqual(wanted, read())

    def test_in_a_notebook(self):
        page = self.trace.spans(["ts", "name", "parent_id"])._repr_html_()
        self.assertEqual((6, 2), (page.count("<tr>"), page.count("<td>-</td>")))


if __name__ == "__main__":
    unittest.main()
