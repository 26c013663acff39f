#!/usr/bin/env python3
"""Compares a trace with Valgrind's count of calls. Usage: adatrace dump --format=jsonl … | compare_counts.py CALLGRIND.OUT

Every function in the trace must have been called as often as callgrind says, and each thread's events must nest.
"""
import collections
import json
import re
import sys

# callgrind: "fn=(12) name" and "cfn=(13) name" introduce a name, later "(13)" stands for it; "calls=N …" follows cfn.
names, counted, callee = {}, collections.Counter(), None
for line in open(sys.argv[1]):
    if match := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
        if match[2]:
            names[match[1]] = match[2].strip()
        callee = names[match[1]] if line.startswith("cfn") else callee
    elif match := re.match(r"calls=(\d+)", line):
        counted[re.sub(r"'\d+$", "", callee)] += int(match[1])

calls, stacks, problems = collections.Counter(), collections.defaultdict(list), []
for number, line in enumerate(sys.stdin):
    event = json.loads(line)
    stack = stacks[event["thread"]]
    if event["kind"] == "call":
        if event["depth"] != len(stack):
            problems.append(f"event {number}: depth {event['depth']} in a stack of {len(stack)}")
        calls[event["name"]] += 1
        stack.append(event["function_id"])
    elif not stack or stack.pop() != event["function_id"]:
        problems.append(f"event {number}: {event['kind']} of {event['name']}, which is not the innermost call")
problems += [f"thread {thread}: {len(stack)} calls without an end" for thread, stack in stacks.items() if stack]
problems += [f"{name}: {count} calls in the trace, {counted[name]} counted"
             for name, count in calls.items() if counted[name] != count]
print(f"{sum(calls.values())} calls of {len(calls)} functions; {len(problems)} differences", *problems[:20], sep="\n")
sys.exit(1 if problems or len(calls) < 100 else 0)
