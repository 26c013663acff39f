"""Ends queries that would go on for hours with ^C. Usage: sql_interrupt.py TRACE"""
import signal
import subprocess
import sys

trace = sys.argv[1]


def start(query):  # a test that runs in the background may have been started with ^C ignored
    return subprocess.Popen(["adatrace", "sql", trace, query, "--format=csv"], stdout=subprocess.PIPE,
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
# In the middle of a sum, nothing is printed before.
run = start("SELECT 1 + 1; SELECT count(*) FROM spans a, spans b, spans c, spans d")
run.send_signal(signal.SIGINT)
run.stdout.read()
if run.wait() != -signal.SIGINT:
    sys.exit(f"sum: status {run.returncode}")
print(f"{len(QUERIES) + 1} queries ended")
