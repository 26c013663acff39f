"""Names that contain anything, queries that want too much, damaged traces. Usage: sql_hostile.py SESSION TRACE…

The session has functions NASTY0, NASTY1, …, whose names are replaced. Traces are damaged.
"""
import json
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys

from adatest import adatrace

NAMES = ["it's", 'say "hi"', "a\0b", "'); DROP TABLE spans; --", "SELECT * FROM spans", "%s%n*?[a-z]", "x" * 5000, "\udcff\udcfe\\"]


def sql(trace, query, *options):
    return subprocess.run(["adatrace", "sql", str(trace), query, *options], capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


def names(session):
    (manifest,) = pathlib.Path(session).glob("pid_*/manifest.json")
    data = manifest.read_bytes()
    for number, name in enumerate(NAMES):
        assert f"NASTY{number}".encode() in data
        data = data.replace(f"NASTY{number}".encode(), json.dumps(name, ensure_ascii=False)[1:-1].encode(errors="surrogateescape"))
    manifest.write_bytes(data)
    found = [json.loads(line)["name"] for line in sql(session, "SELECT name FROM functions ORDER BY id", "--format=jsonl").stdout.splitlines()]
    valid = [name if name.isprintable() or "\0" in name else re.sub("[\udc80-\udcff]", "\ufffd", name) for name in NAMES]
    if found != valid:
        sys.exit(f"names: {[a for a in zip(found, valid) if a[0] != a[1]]}")
    for number, name in enumerate(valid):
        quoted = f"'{name}'".replace("\0", "' || char(0) || '") if "'" not in name else "'" + name.replace("'", "''") + "'"
        for query in (f"SELECT count(*) AS n FROM spans WHERE name = {quoted}", f"SELECT count(*) AS n FROM spans WHERE name || '' = {quoted}",
                      f"SELECT n FROM (SELECT name, count(*) AS n FROM spans GROUP BY name) WHERE name = {quoted}"):
            if sql(session, query, "--format=csv").stdout.split() != [b"n", b"1"]:
                sys.exit(f"{query}: {sql(session, query)}")
    adatrace("convert", "-q", session, "names.sqlite")
    exported = [row[0] for row in sqlite3.connect("names.sqlite").execute("SELECT name FROM functions ORDER BY id")]
    if exported != valid:
        sys.exit(f"exported names: {exported}")
    return len(NAMES)


# What is refused, with a part of the message.
REFUSED = {
    "ATTACH 'x.db' AS x": "can only read", "PRAGMA writable_schema = 1": "can only read", "PRAGMA trusted_schema": "can only read",
    "SELECT load_extension('x')": "can't call load_extension", "SELECT readfile('/etc/passwd') AS a": "no such function",
    "SELECT writefile('x', 'y') AS a": "no such function", "VACUUM INTO 'x'": "can only read", "CREATE VIEW x AS SELECT 1": "can only read",
    "UPDATE sqlite_master SET sql = ''": "may not be|can only read", "DETACH main": "can only read", "SAVEPOINT a": "can only read",
    "SELECT length(zeroblob(2000000000)) AS a": "too big", "SELECT length(randomblob(2000000000)) AS a": "too big",
    "SELECT length(hex(zeroblob(60000000))) AS a": "too big", "SELECT 1 AS a LIMIT 1e400": "mismatch",
    "SELECT replace(hex(zeroblob(3000000)), '0', hex(zeroblob(3000000))) AS a": "too big",
    "SELECT " + "(" * 5000 + "1" + ")" * 5000 + " AS a": "parser stack overflow|too large", "SELECT " + "+".join("1" * 20000) + " AS a": "too large",
    "SELECT " + ", ".join("1" * 40000): "too many columns", "SELECT " + "abs(" * 3000 + "1" + ")" * 3000 + " AS a": "overflow|too large",
    "SELECT " + "(SELECT " * 500 + "1" + ")" * 500 + " AS a": "overflow|too large|too deep", "SELECT sum(9223372036854775807) AS a FROM spans": "total\\(\\)",
    "WITH a AS (SELECT 1 FROM b), b AS (SELECT 1 FROM a) SELECT * FROM a": "circular", "SELECT * FROM ancestor_slice": "id is needed",
    "SELECT 'a' LIKE hex(zeroblob(99999)) AS a": "too complex", "SELECT 1 FROM " + ", ".join(f"spans s{i}" for i in range(65)): "at most 64",
}
ANSWERED = ["SELECT * FROM spans LIMIT 9223372036854775807 OFFSET 9223372036854775807", "SELECT * FROM spans LIMIT -1 OFFSET -1", "SELECT value FROM json_each('[1, 2]')",
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n LIMIT 3", "SELECT ada_n FROM span_groups(-5, 0, 'x')",
            "SELECT count(*) FROM descendant_slice(-1)", "SELECT count(*) FROM ancestor_slice('x')", "SELECT extract_arg(1e300, NULL) AS a", ";; ; -- nothing", "/* no end"]


def queries(session):
    for query, message in REFUSED.items():
        run = sql(session, query)
        said = [line for line in run.stderr.decode().splitlines() if "warning: session" not in line]
        if run.returncode != 2 or len(said) != 1 or not re.search(message, said[0]):
            sys.exit(f"{query[:100]}: {run.returncode} {run.stderr[:300]}")
    for query in ANSWERED:
        run = sql(session, query)
        if run.returncode != 0:
            sys.exit(f"{query}: {run.returncode} {run.stderr}")
    run = subprocess.run(["adatrace", "sql", session], input=b"SELECT 1;\0 SELECT 2", capture_output=True, timeout=60)
    if run.returncode != 2 or b"NUL" not in run.stderr:
        sys.exit(f"a NUL byte: {run}")
    if pathlib.Path("x").exists() or pathlib.Path("x.db").exists():
        sys.exit("a query made a file")
    return len(REFUSED) + len(ANSWERED) + 1


EVERYTHING = "SELECT name, exit, count(*), total(dur), total(self) FROM spans GROUP BY name, exit;" + "".join(
    f"SELECT * FROM {table};" for table in "spans events functions threads processes args waits off_cpu counters marks flows".split()) + (
    "SELECT count(*) FROM spans c JOIN spans p ON p.id = c.parent_id WHERE c.thread = 1; SELECT count(*) FROM spans WHERE ts > (SELECT avg(ts) FROM spans)")


def damage(traces):
    choose, count = random.Random(3), 0
    for trace in map(pathlib.Path, traces):
        for _ in range(8):
            target = pathlib.Path("damaged" + trace.suffix)
            shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
            shutil.copytree(trace, target) if trace.is_dir() else shutil.copy(trace, target)
            file = choose.choice(sorted(f for f in target.rglob("*") if f.is_file())) if target.is_dir() else target
            data, how = bytearray(file.read_bytes()), choose.choice(["cut", "flip", "gone"] if target.is_dir() else ["cut", "flip"])
            if how == "gone":
                file.unlink()
            else:
                if how == "cut":
                    del data[choose.randrange(len(data)):]
                for _ in range(choose.randint(1, 8) if how == "flip" else 0):
                    data[choose.randrange(len(data))] = choose.choice((0, 1, 0x7f, 0x80, 0xff, choose.randrange(256)))
                file.write_bytes(data)
            run = sql(target, EVERYTHING, "--format=csv")
            if run.returncode not in (0, 1, 3) or (run.returncode and not run.stderr):
                sys.exit(f"{trace}, {how} {file}: {run.returncode} {run.stderr[-500:]}")
            count += 1
    pathlib.Path("empty").mkdir()
    pathlib.Path("file").write_text("no trace")
    for nothing in ("empty", "file", "nowhere", "/dev/null"):
        run = sql(nothing, "SELECT 1 AS a")
        if run.returncode != 3 or not run.stderr:
            sys.exit(f"{nothing}: {run}")
    return count


print(names(sys.argv[1]), "names are found")
print(queries(sys.argv[1]), "queries end")
print(damage(sys.argv[2:]), "damaged traces")
