"""Compares exports with the output of dump and report. Usage: exports.py SESSION DIRECTORY FORMAT [IMPORTER]

Writes SESSION as FORMAT into DIRECTORY, opens the result with third-party software, and compares counts, names
and times. With IMPORTER (speedscope.js), speedscope opens it too. Prints what was compared.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
session, directory, form = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
bundle = sys.argv[4] if len(sys.argv) > 4 else None
# Control characters, separators and direction marks, which a line of text must not have.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Call:
    def __init__(self, name, begin, depth):
        self.name, self.begin, self.depth, self.end, self.how = name, begin, depth, None, "open"

    def key(self):
        return self.name, self.begin, self.end, self.how, self.depth

    def __repr__(self):
        return repr(self.key())


def run(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, **options).stdout


def oneLine(name):
    return UNSAFE.sub("?", name)


def expected():
    """(pid, tid): its calls in the order in which they begin, as in dump; repaired as described in calls.h."""
    threads = collections.defaultdict(list)
    last = {}
    stacks = collections.defaultdict(list)
    for line in run("adatrace", "dump", "--events", "--format=jsonl", session).splitlines():
        event = json.loads(line)
        key = event["pid"], event["tid"]
        stack = stacks[key]
        last[key] = event["ts"]
        if event["kind"] == "call":
            call = Call(event["name"], event["ts"], len(stack))
            call.id = event["function_id"]
            call.args = event.get("args")
            threads[key].append(call)
            stack.append(call)
        elif event["kind"] in ("return", "exception", "inferred", "missing"):
            if not any(c.id == event["function_id"] for c in stack):
                continue
            while True:
                call = stack.pop()
                call.end = event["ts"]
                if call.id == event["function_id"]:
                    call.how = event["kind"]
                    break
                call.how = "missing"
    return threads, last


def sums(calls, last):
    """name: [calls, total of the outermost, self]"""
    table = collections.defaultdict(lambda: [0, 0, 0])
    stack = []
    for call in calls:
        del stack[call.depth:]
        time = (last if call.end is None else call.end) - call.begin
        entry = table[call.name]
        entry[0] += 1
        entry[1] += 0 if any(c.name == call.name for c in stack) else time
        entry[2] += time
        if stack:
            table[stack[-1].name][2] -= time
        stack.append(call)
    return dict(table)


def added(tables):
    table = collections.defaultdict(lambda: [0, 0, 0])
    for one in tables:
        for name, figures in one.items():
            table[name] = [a + b for a, b in zip(table[name], figures)]
    return dict(table)


def same(what, found, wanted):
    if found != wanted:
        sys.exit(f"{form}: {what} differ:\nfound  {found}\nwanted {wanted}")


def export(name, *options):
    path = directory / name
    run("adatrace", "convert", "-q", "--force", f"--to={form}", *options, session, path)
    return path


def speedscope(path):
    """Profile name: (total, {frame: (total, self)})"""
    if not bundle:
        return None
    got = json.loads(run("node", HERE / "speedscope.mjs", bundle, path, stderr=subprocess.DEVNULL))
    if not got["profiles"]:
        sys.exit(f"{form}: speedscope can't open it")
    return {p["name"]: p for p in got["profiles"]}


threads, last = expected()
wanted = {key: sums(calls, last[key]) for key, calls in threads.items()}
whole = added(wanted.values())
report = json.loads(run("adatrace", "report", "--format=json", "--names=full", session))
rows = collections.defaultdict(lambda: [0, 0, 0])
for row in report: # functions of several processes may have the same name
    figures = row["calls"], row["total_ns"], row["self_ns"]
    rows[row["function"]] = [a + b for a, b in zip(rows[row["function"]], figures)]
same("this script and report", {oneLine(name): figures for name, figures in whole.items()}, dict(rows))
start = min(calls[0].begin for calls in threads.values())
names = {}
for row in json.loads(run("adatrace", "report", "--by=thread", "--format=json", "--names=full", session)):
    names[row["pid"], row["tid"]] = row["thread_name"]


def spans(events):
    """Turns (begin/end, name, time, extra), in the order of the file, into calls."""
    calls, stack = [], []
    for isBegin, name, time, extra in events:
        if isBegin:
            call = Call(name, time, len(stack))
            call.extra = extra
            calls.append(call)
            stack.append(call)
        else:
            call = stack.pop()
            call.end, call.how = time, extra.get("end", "return")
    return calls


def compareCalls(found):
    same("threads", sorted(found), sorted(threads))
    for key, calls in threads.items():
        same(f"calls of thread {key}", [c.key() for c in found[key]], [c.key() for c in calls])
        for one, other in zip(found[key], calls):
            text = one.extra.get("arguments")
            if (other.args is None) != (text is None):
                sys.exit(f"{form}: {one}: arguments {text}, not {other.args}")
            for name, value in (other.args or {}).items():
                if isinstance(value, int) and f"{name}={value}" not in text:
                    sys.exit(f"{form}: {one}: arguments {text}, not {other.args}")


def micros(text):
    whole, _, rest = text.partition(".")
    return int(whole) * 1000 + int((rest + "000")[:3])


def chrome():
    path = export("run.json")
    trace = json.loads(path.read_text(encoding="utf-8"), parse_float=str, parse_int=str)
    events = collections.defaultdict(list)
    threadNames = {}
    for event in trace["traceEvents"]:
        key = int(event["pid"]), int(event.get("tid", 0))
        if event["ph"] == "M" and event["name"] == "thread_name":
            threadNames[key] = event["args"]["name"]
        elif event["ph"] in "BE":
            events[key].append((event["ph"] == "B", event["name"], start + micros(event["ts"]), event.get("args", {})))
    same("thread names", threadNames, {key: names[key] or threadNames[key] for key in names})
    same("the clock's start", trace["otherData"]["clock_start_ns"], str(start))
    compareCalls({key: spans(e) for key, e in events.items()})
    profiles = speedscope(path)
    if profiles:
        for key, table in wanted.items():
            profile = next(p for name, p in profiles.items() if name.endswith(f"(tid {key[1]})"))
            found = collections.Counter()
            for frame in profile["frames"]: # arguments make them separate frames
                found[re.sub(r' \{"(arguments|file)".*', "", frame["name"])] += round(frame["self"] * 1000)
            same(f"speedscope's frames of {key}", dict(found), {n: f[2] for n, f in table.items()})


def textMessage(lines):
    """The output of protoc --decode, as dictionaries of lists."""
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            message[line[:-1].strip()].append(textMessage(lines))
        else:
            name, value = line.split(": ", 1)
            if value.startswith('"'):
                value = value[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1").decode("utf-8")
            message[name].append(value)
    return message


def decoded(proto, message, data):
    text = run("protoc", f"--proto_path={HERE}", f"--decode={message}", proto, input=data).decode("ascii")
    unknown = re.search(r"^\s*\d+: .*", text, re.M)
    if unknown:
        sys.exit(f"{form}: a field that is not in {proto}: {unknown[0]}")
    return textMessage(iter(text.splitlines()))


def perfetto():
    trace = decoded("perfetto.proto", "Trace", export("run.pftrace").read_bytes())
    tracks, sequences, events = {}, {}, collections.defaultdict(list)
    for packet in trace["packet"]:
        number = packet["trusted_packet_sequence_id"][0]
        for track in packet["track_descriptor"]:
            tracks[track["uuid"][0]] = track
        for snapshot in packet["clock_snapshot"]:
            clocks = {c["clock_id"][0]: c for c in snapshot["clocks"]}
            same("clocks", clocks["64"]["timestamp"], clocks["6"]["timestamp"])
            same("the clock's kind", clocks["64"]["is_incremental"], ["true"])
            sequence = sequences[number] = {"now": int(clocks["64"]["timestamp"][0]), "names": {}}
            defaults = packet["trace_packet_defaults"][0]
            same("the default clock", defaults["timestamp_clock_id"], ["64"])
            sequence["track"] = defaults["track_event_defaults"][0]["track_uuid"][0]
        for event in packet["track_event"]:
            sequence = sequences[number]
            for interned in packet["interned_data"]:
                for name in interned["event_names"]:
                    sequence["names"][name["iid"][0]] = name["name"][0]
            if packet["timestamp_clock_id"]:
                time = int(packet["timestamp"][0])
            else:
                time = sequence["now"] = sequence["now"] + int(packet["timestamp"][0])
            thread = tracks[sequence["track"]]["thread"][0]
            key = int(thread["pid"][0]), int(thread["tid"][0])
            same("thread names", thread["thread_name"][0], names[key] or thread["thread_name"][0])
            extra = {a["name"][0]: a["string_value"][0] for a in event["debug_annotations"]}
            isBegin = event["type"] == ["TYPE_SLICE_BEGIN"]
            events[key].append((isBegin, sequence["names"][event["name_iid"][0]] if isBegin else None, time, extra))
    compareCalls({key: spans(e) for key, e in events.items()})


def speedscopeFile():
    path = export("run.speedscope.json")
    file = json.loads(path.read_text(encoding="utf-8"))
    frames = [frame["name"] for frame in file["shared"]["frames"]]
    found = {}
    for profile in file["profiles"]:
        pid, tid = re.search(r"pid (\d+)", profile["name"]), int(re.search(r"tid (\d+)", profile["name"])[1])
        key = next(k for k in threads if k[1] == tid and (not pid or k[0] == int(pid[1])))
        calls = spans((e["type"] == "O", frames[e["frame"]], start + e["at"], {}) for e in profile["events"])
        found[key] = [(c.name, c.begin, c.end, c.depth) for c in calls]
    closed = {key: [(c.name, c.begin, last[key] if c.end is None else c.end, c.depth) for c in calls]
              for key, calls in threads.items()}
    same("calls", found, closed)
    profiles = speedscope(path)
    if profiles:
        for key, table in wanted.items():
            profile = next(p for name, p in profiles.items() if f"tid {key[1]}" in name)
            same(f"speedscope's frames of {key}", {f["name"]: [f["total"], f["self"]] for f in profile["frames"]},
                 {n: f[1:] for n, f in table.items()})


def folded():
    path = export("run.folded")
    found = collections.Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        stack, _, weight = line.rpartition(" ")
        found[stack.rpartition(";")[2]] += int(weight)
    self = collections.Counter()
    for name, figures in whole.items():
        self[oneLine(name).replace(";", ":")] += figures[2]
    same("self times", +found, +self)
    profiles = speedscope(path)
    if profiles:
        profile, = profiles.values()
        frames = {f["name"]: f["self"] for f in profile["frames"] if "(tid " not in f["name"] and "(pid " not in f["name"]}
        same("speedscope's frames", +collections.Counter(frames), +self)


def speedscopeSums(path, strip):
    """Frames of the single profile that speedscope makes of sums, without the frames of threads and processes."""
    profiles = speedscope(path)
    if not profiles:
        return None
    found = collections.Counter()
    for profile in profiles.values():
        for frame in profile["frames"]:
            if not strip(frame["name"]):
                found[frame["name"]] += frame["self"]
    return +found


def callgrind():
    path = export("callgrind.out.run")
    for inclusive in (0, 1):
        text = run("callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no", f"--inclusive={['no', 'yes'][inclusive]}",
                   path).decode("utf-8")
        found = {}
        for match in re.finditer(r"^ *([\d,]+) +(\S+?):(.*) \[(\S+)\]$", text, re.M):
            if "(tid " not in match[3]:
                found[match[3]] = int(match[1].replace(",", ""))
        same("inclusive" if inclusive else "self", found, {oneLine(n): f[1 if inclusive else 2] for n, f in whole.items()})
        total = re.search(r"^ *([\d,]+) +PROGRAM TOTALS", text, re.M)[1]
        same("totals", int(total.replace(",", "")), sum(f[2] for f in whole.values()))
    calls = collections.Counter()
    names, callee = {}, None
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r"(c?)fn=(\(\d+\))( .*)?", line)
        if match:
            names[match[2]] = match[3][1:] if match[3] else names[match[2]]
            callee = names[match[2]]
        elif line.startswith("calls="):
            calls[callee] += int(line[6:].split()[0])
    same("calls", dict(calls), {oneLine(n): f[0] for n, f in whole.items()})
    found = speedscopeSums(path, lambda name: "(tid " in name)
    if found is not None:
        # speedscope makes a tree of the graph, by shares, and leaves out small nodes.
        same("speedscope's frames", set(found) - {oneLine(n) for n in whole}, set())
        same("the largest of them", max(found, key=found.get), oneLine(max(whole, key=lambda n: whole[n][2])))


def pprof():
    import gzip
    data = gzip.decompress(export("run.pb.gz").read_bytes())
    profile = decoded("profile.proto", "Profile", data)
    strings = profile["string_table"]
    same("the first string", strings[0], "")
    text = lambda number: strings[int(number[0])] if number else ""
    same("sample types", [(text(t["type"]), text(t["unit"])) for t in profile["sample_type"]],
         [("calls", "count"), ("time", "nanoseconds")])
    functions = {f["id"][0]: text(f["name"]) for f in profile["function"]}
    locations = {l["id"][0]: functions[l["line"][0]["function_id"][0]] for l in profile["location"]}
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, 0]))
    for sample in profile["sample"]:
        labels = {text(l["key"]): text(l["str"]) or int(l["num"][0]) for l in sample["label"]}
        key = labels["pid"], labels["tid"]
        same("thread names", labels["thread"], names[key] or labels["thread"])
        stack = [locations[l] for l in sample["location_id"]]
        calls, time = (int(v) for v in sample["value"])
        found[key][stack[0]][0] += calls
        found[key][stack[0]][2] += time
        for name in set(stack):
            found[key][name][1] += time
    same("sums", {key: dict(table) for key, table in found.items()}, wanted)
    plain = directory / "run.pb"
    plain.write_bytes(data)
    frames = speedscopeSums(plain, lambda name: False)
    if frames is not None:
        same("speedscope's frames", dict(frames), {n: f[2] for n, f in whole.items() if f[2]})


def ctf():
    path = export("run.ctf")
    text = run("babeltrace2", "--clock-cycles", path).decode("utf-8")
    events = collections.defaultdict(list)
    line = re.compile(r"\[(\d+)\] \(\+[?\d]+\) (\w+): \{ pid = (\d+), tid = (\d+), thread = \d+, process_name = .*, "
                      r'thread_name = (.*) \}, \{ function = \( "(.*?)" : container = \d+ \)(.*) \}')
    for one in text.splitlines():
        time, kind, pid, tid, thread, name, rest = line.fullmatch(one).groups()
        key = int(pid), int(tid)
        if names[key]:
            same("thread names", re.sub(r"\\(.)", r"\1", thread[1:-1]), oneLine(names[key]))
        extra = dict(re.findall(r', (\w+) = "([^"]*)"', rest))
        isBegin = kind.startswith("call")
        if kind in ("exception", "inferred_exit", "missing_exit"):
            extra["end"] = kind.removesuffix("_exit")
        events[key].append((isBegin, re.sub(r"\\(.)", r"\1", name), int(time), extra))
    for calls in threads.values():
        for call in calls:
            call.name = oneLine(call.name)
    compareCalls({key: spans(e) for key, e in events.items()})


def sqlite():
    path = export("run.sqlite")
    ask = lambda sql: json.loads(run("sqlite3", "-readonly", "-json", path, sql) or b"[]")
    found = collections.defaultdict(list)
    for row in ask("SELECT * FROM all_calls ORDER BY id"):
        call = Call(row["function"], row["begin_ns"], row["depth"])
        call.how, call.extra = row["end"], row
        call.end = None if call.how == "open" else row["end_ns"]
        key = row["pid"], row["tid"]
        if names[key]:
            same("thread names", row["thread"], names[key])
        same("the parent", (row["depth"] > 0), row["parent"] is not None)
        found[key].append(call)
    compareCalls(found)
    table = {}
    for row in ask("SELECT function, sum(calls) AS calls, sum(total_ns) AS total, sum(self_ns) AS self FROM function_totals GROUP BY 1"):
        table[row["function"]] = [row["calls"], row["total"], row["self"]]
    same("function_totals", table, whole)
    same("callers", ask("SELECT sum(calls) AS calls, sum(self_ns) AS self FROM callers"),
         [{"calls": sum(f[0] for f in whole.values()), "self": sum(f[2] for f in whole.values())}])
    same("thread_totals", {(r["pid"], r["tid"]): r["calls"] for r in ask("SELECT * FROM thread_totals")},
         {key: len(calls) for key, calls in threads.items()})
    same("its check", run("sqlite3", path, "PRAGMA integrity_check; PRAGMA foreign_key_check"), b"ok\n")


def table():
    import csv as reader
    with open(export("run.csv"), newline="", encoding="utf-8") as file:
        rows = sorted(reader.DictReader(file, strict=True), key=lambda row: int(row["id"]))
    found = collections.defaultdict(list)
    for row in rows:
        call = Call(row["function"], int(row["begin_ns"]), int(row["depth"]))
        call.how, call.extra = row["end"], {"arguments": row["arguments"] or None}
        call.end = None if call.how == "open" else int(row["end_ns"])
        same("durations", int(row["duration_ns"]), int(row["end_ns"]) - call.begin)
        same("thread names", row["thread_name"], oneLine(names[int(row["pid"]), int(row["tid"])]))
        found[int(row["pid"]), int(row["tid"])].append(call)
    for calls in threads.values():
        for call in calls:
            call.name = oneLine(call.name)
    compareCalls(found)
    self = collections.Counter()
    for row in rows:
        self[row["function"]] += int(row["self_ns"])
    same("self times", dict(self), {oneLine(n): f[2] for n, f in whole.items()})


def columns():
    """The rows are those of the CSV, in the same order, with names as they are. Every reader sees the same values."""
    import csv as reader
    path = export(f"run.{form}")
    readers = ["duckdb", "hyparquet"] if form == "parquet" else ["arrow"]
    seen = [run("node", HERE / "columns.mjs", name, path) for name in readers]
    same("the readers", seen[1:], seen[:-1])
    run("adatrace", "convert", "-q", "--force", "--to=csv", session, directory / "columns.csv", stderr=subprocess.DEVNULL)
    with open(directory / "columns.csv", newline="", encoding="utf-8") as file:
        lines = list(reader.DictReader(file, strict=True))
    rows = [json.loads(row) for row in seen[0].decode("utf-8").split("\n")[:-1]]
    same("the number of rows", len(rows), len(lines))
    found, ids, threadOf = [], {}, {}
    for row, line in zip(rows, lines):
        text = lambda key: row[key] or ""
        same("a row", [row["ts"], row["dur"], row["self"], row["depth"], oneLine(row["name"]), row["exit"], text("arguments"),
                       text("result"), text("values")],
             [*(int(line[key]) for key in ("begin_ns", "duration_ns", "self_ns", "depth")),
              *(line[key] for key in ("function", "end", "arguments", "result", "values"))])
        same("ids twice", row["id"] in ids, False)
        ids[row["id"]] = line["id"]
        same("a thread", threadOf.setdefault(row["thread"], (line["process"], line["thread"])), (line["process"], line["thread"]))
        same("the thread in the id", row["id"] >> 40, row["thread"])
        call = Call(row["name"], row["ts"], row["depth"])
        call.how, call.extra = row["exit"], {"arguments": row["arguments"]}
        call.end = None if call.how == "open" else row["ts"] + row["dur"]
        found.append((row["id"], (int(line["pid"]), int(line["tid"])), call))
    same("parents", [ids.get(row["parent_id"], "") for row in rows], [line["parent"] for line in lines])
    calls = collections.defaultdict(list)
    for _, key, call in sorted(found, key=lambda one: one[0]):
        calls[key].append(call)
    compareCalls(calls)


def otlp():
    value = lambda v: int(v["intValue"]) if "intValue" in v else v["stringValue"]
    listed = lambda attributes: {a["key"]: value(a["value"]) for a in attributes}
    spansOf, ids = collections.defaultdict(list), {}
    for line in export("run.otlp.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
        for resource in json.loads(line)["resourceSpans"]:
            about = listed(resource["resource"]["attributes"])
            for scope in resource["scopeSpans"]:
                same("the scope", scope["scope"]["name"], "AdaTrace")
                for span in scope["spans"]:
                    if not re.fullmatch("[0-9a-f]{32}", span["traceId"]) or not re.fullmatch("[0-9a-f]{16}", span["spanId"]):
                        sys.exit(f"otlp: ids of {span}")
                    if {int(span["traceId"], 16), int(span["spanId"], 16)} & {0} or span["kind"] != 1:
                        sys.exit(f"otlp: {span}")
                    same("ids twice", span["spanId"] in ids, False)
                    ids[span["spanId"]] = span
                    attributes = listed(span["attributes"])
                    spansOf[about["process.pid"], attributes["thread.id"]].append((span, attributes))
    found = {}
    for key, spans in spansOf.items():
        for span, attributes in sorted(spans, key=lambda one: one[0]["spanId"]):
            parent, depth = span.get("parentSpanId"), 0
            while parent:
                same("the trace of a parent", ids[parent]["traceId"], span["traceId"])
                parent, depth = ids[parent].get("parentSpanId"), depth + 1
            call = Call(span["name"], int(span["startTimeUnixNano"]), depth)
            call.how = attributes.get("adatrace.end", "return")
            same("the status", span.get("status", {}).get("code"), 2 if call.how == "exception" else None)
            call.end = None if call.how == "open" else int(span["endTimeUnixNano"])
            call.extra = {"arguments": attributes.get("adatrace.arguments")}
            found.setdefault(key, []).append(call)
    compareCalls(found)


def firefox():
    profile = json.loads(export("run.firefox.json").read_text(encoding="utf-8"), parse_float=str)
    nanoseconds = lambda text: int(str(text).partition(".")[0]) * 10**6 + int((str(text).partition(".")[2] + "000000")[:6])
    shared = profile["shared"]
    for name, columns in shared.items():
        if name != "stringArray":
            for column in columns:
                if column != "length":
                    same(f"the length of {name}.{column}", len(columns[column]), columns["length"])
    strings, stacks = shared["stringArray"], shared["stackTable"]
    nameOf = lambda stack: strings[shared["funcTable"]["name"][shared["frameTable"]["func"][stacks["frame"][stack]]]]
    found = {}
    for thread in profile["threads"]:
        samples = thread["samples"]
        same("the lengths of columns", {len(samples[c]) for c in ("stack", "time", "weight")}, {samples["length"]})
        sums = collections.defaultdict(lambda: [0, 0])
        end = 0
        for stack, time, weight in zip(samples["stack"], samples["time"], samples["weight"]):
            same("the order of samples", nanoseconds(time) >= end, True)
            end = nanoseconds(time) + nanoseconds(weight)
            seen = set()
            if stack is not None:
                sums[nameOf(stack)][1] += nanoseconds(weight)
            while stack is not None:
                if nameOf(stack) not in seen:
                    sums[nameOf(stack)][0] += nanoseconds(weight)
                seen.add(nameOf(stack))
                stack = stacks["prefix"][stack]
        key = int(thread["pid"]), thread["tid"]
        same("thread names", thread["name"], names[key] or thread["name"])
        found[key] = dict(sums)
    # Calls that took no time have no sample.
    same("sums", found, {key: {n: f[1:] for n, f in t.items() if f[1]} for key, t in wanted.items()})


{"callgrind": callgrind, "pprof": pprof, "ctf": ctf, "sqlite": sqlite, "csv": table, "otlp": otlp, "firefox": firefox,
 "parquet": columns, "arrow": columns, "arrow-stream": columns, "chrome": chrome, "perfetto": perfetto, "speedscope": speedscopeFile, "folded": folded}[form]()
print(f"{form}: {sum(map(len, threads.values()))} calls of {len(threads)} threads, {len(whole)} names")
