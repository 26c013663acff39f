"""A test format of lit: only the tests of one kind.

A module of its own, because lit passes the format to other processes, which find its class by the name of its module.
"""
import re

import lit.formats

KINDS = {
    # Tests that go on for minutes, or can.
    "long": r"REQUIRES:.*\blong\b|%few\{|%less\b",
    # Tests that take ten seconds or so.
    "slow": r"REQUIRES:.*\bslow\b",
}


class ChosenTests(lit.formats.ShTest):
    def __init__(self, kind, *arguments, **named):
        super().__init__(*arguments, **named)
        self.pattern = KINDS[kind]

    def getTestsInDirectory(self, *arguments):
        for test in super().getTestsInDirectory(*arguments):
            with open(test.getSourcePath(), errors="replace") as text:
                if re.search(self.pattern, text.read()):
                    yield test
