#!/usr/bin/env python3
"""failures.py RESULTS.xml…: what the tests that failed said, in short, from the results that ctest writes in JUnit's form.

Of a suite of lit, that is its failed tests; of any other test, the end of its output.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

LINES = 60  # of each failed test


def interesting(output: str) -> list[str]:
    """The last lines of a test's output. If it comes from lit: those from its first failure on."""
    lines = output.splitlines()
    first = next((i for i, line in enumerate(lines) if re.match(r"\*+ TEST '.*' FAILED \*+", line)), None)
    if first is None:
        return lines[-LINES:]
    names = [line for line in lines if re.match(r"(FAIL|TIMEOUT|UNRESOLVED|XPASS): ", line)]
    end = next((i for i, line in enumerate(lines) if i > first and re.match(r"\*{10,}$", line)), len(lines))
    return names + lines[first:end][-LINES:]


def main() -> None:
    for path in sys.argv[1:]:
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            if case.get("status") == "fail" or case.find("failure") is not None:
                print(f"--- failed: {case.get('name')}")
                print("\n".join(line[:400] for line in interesting(case.findtext("system-out") or "")))


main()
