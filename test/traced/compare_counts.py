#!/usr/bin/env python3
"""Compares a trace with Valgrind's count of calls.

Usage: adatrace dump --format=jsonl SESSION | compare_counts.py CALLGRIND.OUT SESSION/pid_N/manifest.json

Every function in the manifest must have been called as often as callgrind says, and each thread's events must nest.
"""
import collections
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "runtime", "Inputs"))
import symbols  # noqa: E402

def canonical(name):
    """C1 and C2 (D1 and D2) are two names of one constructor (destructor) here: they are counted together."""
    return re.sub(r"([CD])[12]E", r"\1E", re.sub(r"'\d+$", "", name))


manifest = json.load(open(sys.argv[2]))
modules = {module["path"] for module in manifest["modules"]}

# callgrind (with --demangle=no): "fn=(12) name" and "cfn=(13) name" introduce a name, later "(13)" stands for it; "ob="
# and "cob=" do the same for objects, the latter only if a call leads to another object; "calls=N …" follows cfn. The
# runtime has functions with the same names as the program's: only those of traced objects count.
names, objects, counted = {}, {}, collections.Counter()
callee = caller_object = callee_object = None
for line in open(sys.argv[1]):
    if match := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
        if match[2]:
            names[match[1]] = match[2].strip()
        callee = names[match[1]] if line.startswith("cfn") else callee
    elif match := re.match(r"c?ob=\((\d+)\)(?: (.*))?", line):
        if match[2]:
            objects[match[1]] = match[2].strip()
        if line.startswith("cob"):
            callee_object = objects[match[1]]
        else:
            caller_object = objects[match[1]]
    elif match := re.match(r"calls=(\d+)", line):
        if (callee_object or caller_object) in modules:
            counted[canonical(callee)] += int(match[1])
        callee_object = None

names = {s["function_id"]: s["name"] for s in symbols.of(os.path.dirname(sys.argv[2]))}
calls, stacks, problems = collections.Counter(), collections.defaultdict(list), []
for number, line in enumerate(sys.stdin):
    event = json.loads(line)
    stack = stacks[event["thread"]]
    if event["kind"] == "call":
        if event["depth"] != len(stack):
            problems.append(f"event {number}: depth {event['depth']} in a stack of {len(stack)}")
        calls[canonical(names[event["function_id"]])] += 1
        stack.append(event["function_id"])
    elif not stack or stack.pop() != event["function_id"]:
        problems.append(f"event {number}: {event['kind']} of {event['name']}, which is not the innermost call")
problems += [f"thread {thread}: {len(stack)} calls without an end" for thread, stack in stacks.items() if stack]
problems += [f"{name}: {calls[name]} calls in the trace, {counted[name]} counted"
             for name in sorted({canonical(name) for name in names.values()} | set(calls)) if counted[name] != calls[name]]
print(f"{sum(calls.values())} calls of {len(calls)} functions; {len(problems)} differences", *problems[:20], sep="\n")
sys.exit(1 if problems or len(calls) < 100 else 0)
