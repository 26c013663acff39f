"""Random questions have the same answer as columns, in SQL from Python, and by the command, on traces of five formats."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import adatrace
import sessions

SUMS = "count(*) AS n, coalesce(sum(dur), 0) AS dur, coalesce(sum(self), 0) AS self, coalesce(min(ts), 0) AS ts, coalesce(sum(depth), 0) AS depth"


class Queries(unittest.TestCase):
    def test_columns_sql_and_the_command_agree(self):
        choose = random.Random(28)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            text = subprocess.run([sys.executable, pathlib.Path(os.environ["ADA_SOURCE"]) / "test/tools/Inputs/random_session.py", "5", "2000"],
                                  check=True, capture_output=True, text=True).stdout
            session = sessions.make(folder, text.replace("T: ", ""))
            traces = [session]
            for ending in ("packed", "trc", "json", "pftrace"):
                traces.append(str(folder / f"run.{ending}"))
                to = ["--to=packed"] if ending == "packed" else []
                subprocess.run([sessions.ADATRACE, "convert", "-q", *to, session, traces[-1]], check=True)
            for path in traces:
                with self.subTest(path):
                    self.ask(path, [self.question(choose, adatrace.open(path)) for _ in range(20)])

    def question(self, choose, trace):
        """Conditions for spans(), and the same in SQL."""
        conditions, where = {}, ["1"]
        if choose.random() < 0.5:
            conditions["function"] = choose.choice(["main", "f", "g"])
            where.append(f"name = '{conditions['function']}'")
        if choose.random() < 0.4:
            conditions["thread"] = choose.choice([thread.number for thread in trace.threads])
            where.append(f"thread IN (SELECT id FROM threads WHERE number = {conditions['thread']})")
        if choose.random() < 0.6:
            start, end = sorted(choose.randrange(trace.start, trace.end + 1) for _ in range(2))
            conditions.update(start=start, end=end)
            where.append(f"ts < {end} AND ts + dur >= {start}")
        if choose.random() < 0.5:
            conditions["min_duration"] = choose.randrange(2000)
            where.append(f"dur >= {conditions['min_duration']}")
        if choose.random() < 0.3:
            conditions["depth"] = choose.randrange(1, 6)
            where.append(f"depth < {conditions['depth']}")
        return conditions, f"SELECT {SUMS} FROM spans WHERE {' AND '.join(where)}"

    def ask(self, path, questions):
        trace = adatrace.open(path)
        command = subprocess.run([sessions.ADATRACE, "sql", path, "--format=jsonl"], input=";\n".join(sql for _, sql in questions), check=True,
                                 capture_output=True, text=True).stdout.splitlines()
        for (conditions, sql), line in zip(questions, command, strict=True):
            calls = trace.spans(["ts", "dur", "self", "depth"], **conditions)
            columns = {"n": len(calls["ts"]), **{key: int(calls[key].sum()) for key in ("dur", "self", "depth")},
                       "ts": int(calls["ts"].min()) if len(calls["ts"]) else 0}
            answer = trace.sql(sql)
            self.assertEqual(columns, {key: int(answer[key][0]) for key in columns}, sql)
            self.assertEqual(columns, json.loads(line), sql)
        totals = trace.sql("SELECT name, calls, total, self FROM functions WHERE calls > 0")
        sums = {(name, int(calls), int(total), int(own)) for name, calls, total, own in zip(*(totals[key] for key in ("name", "calls", "total", "self")))}
        report = {(row["function"], row["calls"], row["total_ns"], row["self_ns"]) for row in trace.report(names="full")}
        self.assertEqual(report, sums)


if __name__ == "__main__":
    unittest.main()
