"""A test format of lit: only the tests that go on for minutes, or can.

A module of its own, because lit passes the format to other processes, which find its class by the name of its module.
"""
import re

import lit.formats


class LongTests(lit.formats.ShTest):
    def getTestsInDirectory(self, *arguments):
        for test in super().getTestsInDirectory(*arguments):
            with open(test.getSourcePath(), errors="replace") as text:
                if re.search(r"REQUIRES:.*\blong\b|%few\{|%less\b", text.read()):
                    yield test
