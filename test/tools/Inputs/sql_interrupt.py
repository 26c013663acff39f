"""Ends queries that would go on for hours with ^C. Usage: sql_interrupt.py TRACE"""
import signal
import subprocess
import sys

trace = sys.argv[1]


def start(query, form="format=csv"):  # a test that runs in the background may have been started with ^C ignored
    return subprocess.Popen(["adatrace", "sql", trace, query, "--" + form], stdout=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


QUERIES = ["WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, printf('%500d', x) FROM n",
           "SELECT a.id, b.id, c.ts, printf('%500d', d.dur) FROM spans a, spans b, spans c, spans d"]
for query in QUERIES:
    run = start(query)
    for _ in range(3):  # it is at work
        run.stdout.readline()
    run.send_signal(signal.SIGINT)
    run.stdout.read()
    if run.wait() != -signal.SIGINT:
        sys.exit(f"{query}: status {run.returncode}")
# Nothing is printed before a sum, a sort, a grouping or a file is done.
SILENT = ["SELECT count(*) FROM spans a, spans b, spans c, spans d", "SELECT a.id FROM spans a, spans b, spans c, spans d ORDER BY a.dur + b.dur + c.dur",
          "SELECT a.dur + b.dur + c.dur AS x, count(*) FROM spans a, spans b, spans c GROUP BY x", "SELECT a.id, b.id FROM spans a, spans b, spans c --format=parquet"]
for query in SILENT:
    run = start(*query.split(" --")) if "--" in query else start("SELECT 1 + 1; " + query)
    run.send_signal(signal.SIGINT)
    run.stdout.read()
    if run.wait() != -signal.SIGINT:
        sys.exit(f"{query}: status {run.returncode}")
print(f"{len(QUERIES) + len(SILENT)} queries ended")
