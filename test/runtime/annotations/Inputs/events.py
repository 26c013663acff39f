# Reads `adatrace dump --format=jsonl` and prints the annotations that begin. Consecutive ones with the same name and
# kind of argument are one line: how many, kind, name, arguments of the first. Checks that points have no length and all
# have ends.
import json
import sys

rows, open_calls = [], {}
for line in sys.stdin:
    event = json.loads(line)
    if "annotation" not in event:
        continue
    stack = open_calls.setdefault((event["process"], event["thread"]), [])
    if event["kind"] == "call":
        stack.append(event)
        row = [1, event["annotation"], event["name"], event.get("args", {})]
        types = {name: type(value) for name, value in row[3].items()}
        if rows and rows[-1][1:3] == row[1:3] and rows[-1][4] == types:
            rows[-1][0] += 1
        else:
            rows.append([*row, types])
    else:
        call = stack.pop()
        assert call["function_id"] == event["function_id"], (call, event)
        assert event["kind"] == "return", event
        assert event["annotation"] == "span" or event["ts"] == call["ts"], (call, event)
assert not any(open_calls.values()), open_calls
for row in rows:
    print(*row[:4])
