# Runs a row of the matrix: a lit test format whose tests are rows instead of files.
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import lit.Test
import lit.formats

import rows

# Longer than any step takes: a step that can't work has to end by itself.
SECONDS = 120


class Failed(Exception):
    pass


class Matrix(lit.formats.TestFormat):
    def __init__(self, config, large):
        self.rows = {row.name: row for row in (rows.expanded() if large else rows.ROWS)}
        self.source = os.path.join(config.ada_source_dir, "test", "matrix")
        self.llvm = config.ada_llvm
        self.llvm_bin = config.ada_llvm_bin
        self.bin = os.path.join(config.ada_plugin_build or config.ada_build_dir, "bin")
        self.arch = os.uname().machine
        self.environment = dict(config.environment)
        self.expected = expectedCalls(os.path.join(self.source, "program.cpp"))

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        for name in self.rows:
            yield lit.Test.Test(testSuite, path_in_suite + (name,), localConfig)

    def execute(self, test, litConfig):
        row = self.rows[test.path_in_suite[-1]]
        missing = [need for need in row.needs if not self.has(need)]
        if row.linker == "lld":
            missing += [] if os.path.exists(os.path.join(self.llvm_bin, "ld.lld")) else ["lld"]
        elif row.linker and not shutil.which("ld." + row.linker):
            missing.append("ld." + row.linker)
        if missing:
            return lit.Test.UNSUPPORTED, "not here: " + ", ".join(missing)
        run = Run(self, row, test.getExecPath())
        try:
            run.all()
        except Failed as failure:
            return lit.Test.FAIL, "\n".join([*run.log, "", str(failure)])
        return lit.Test.PASS, ""

    def has(self, need):
        kind, _, name = need.partition(":")
        if kind == "rt":
            return bool(glob.glob(os.path.join(self.llvm_bin, "../lib/clang/*/lib/*/libclang_rt.%s*" % name)))
        if kind == "library":
            command = [os.path.join(self.llvm_bin, "clang"), "-print-file-name=lib%s.a" % name]
            return os.path.isabs(subprocess.run(command, capture_output=True, text=True).stdout)
        if kind == "wrapper":
            return os.path.exists(os.path.join(self.bin, name))
        if need == "LLVMgold.so":
            return os.path.exists(os.path.join(self.llvm_bin, "../lib", need))
        return need == self.arch or bool(shutil.which(need))


def expectedCalls(path):
    table = {}
    with open(path) as source:
        for line in source:
            if row := re.match(r"//   (\S+) +(\d+) +(\d+)$", line):
                table[row[1]] = (int(row[2]), int(row[3]))
    return table


class Run:
    def __init__(self, matrix, row, directory):
        self.matrix, self.row, self.directory = matrix, row, directory
        self.log = []

    def path(self, name):
        return os.path.join(self.directory, name)

    def all(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        self.compileFlags = self.row.compile.split()
        prepare = getattr(self, "prepare_" + self.row.program, None)
        if prepare:
            prepare()
        self.build("traced")
        self.build("plain", "--ada-off")
        plain = self.run("plain")
        self.same(plain, self.run("traced", "session=" + self.path("session")))
        self.checkSession("session")
        self.same(plain, self.run("traced", "enabled=0:session=" + self.path("off")))
        if os.path.exists(self.path("off")):
            raise Failed("enabled=0 made a session")
        check = getattr(self, "check_" + self.row.program, None)
        if check:
            check()

    #===--- steps ----------------------------------------------------------===#

    def do(self, command, environment={}, status=0, stderr=subprocess.STDOUT):
        self.log.append("$ " + " ".join([*("%s=%s" % e for e in environment.items()), *command]))
        try:
            done = subprocess.run(command, cwd=self.directory, env={**self.matrix.environment, **environment}, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True)
        except subprocess.TimeoutExpired as expired:
            raise Failed("not done after %d seconds:\n%s" % (SECONDS, expired.stdout))
        if done.returncode != status:
            raise Failed("status %d instead of %d:\n%s" % (done.returncode, status, done.stdout))
        return done.stdout

    def build(self, name, *more):
        row = self.row
        compiler = [os.path.join(self.matrix.bin, "ada-clang++-" + self.matrix.llvm), *more]
        flags = ["-g", "-Wall", "-Werror", row.optimisation or "-O2", *self.compileFlags]
        objects = []
        other = [os.path.join(self.matrix.bin, *row.other.split()[:1]), *row.other.split()[1:], *more] if row.other else compiler
        for source, wrapper in (("program", compiler), ("shapes", other)):
            objects.append("%s-%s.o" % (name, source))
            self.do([*wrapper, *flags, "-c", os.path.join(self.matrix.source, source + ".cpp"), "-o", objects[-1]])
        if row.runtime == "static" and "-static" not in row.link:
            compiler.append("--ada-static-runtime")
        linker = ["-fuse-ld=" + row.linker] if row.linker else []
        self.do([*compiler, *flags, *linker, *objects, "-o", name, "-pthread", *row.link.split()])

    def run(self, name, options=""):
        return self.do([self.path(name)], {"ADA_OPTIONS": options, "LLVM_PROFILE_FILE": self.path(name + ".profraw"),
                                           "TSAN_OPTIONS": "halt_on_error=1"}, status=7)

    def same(self, plain, traced):
        if not plain.startswith("begin\n") or plain != traced:
            raise Failed("the output without hooks:\n%s\nand with them:\n%s" % (plain, traced))

    def checkSession(self, session):
        adatrace = os.path.join(self.matrix.bin, "adatrace")
        self.do([adatrace, "verify", "-q", session])
        found = {}
        report = [adatrace, "report", "--names=full", "--format=json", session] # stderr: the recorder held the program up
        for call in json.loads(self.do(report, stderr=subprocess.DEVNULL)):
            name = call["function"].replace("(anonymous namespace)::", "").split("(")[0]
            if name.startswith(("_GLOBAL__", "__cxx_global_var_init", "__llvm_gcov_")): # made by the compiler; any number
                continue
            if name in found or call["missing"] or call["open"]:
                raise Failed("report: " + str(call))
            found[name] = (call["calls"], call["exceptions"])
        if found != self.matrix.expected:
            wrong = {name: (found.get(name), self.matrix.expected.get(name)) for name in {*found, *self.matrix.expected}
                     if found.get(name) != self.matrix.expected.get(name)}
            raise Failed("calls and exceptions, as recorded and as they were: " + str(wrong))

    def llvm(self, tool, *arguments):
        return self.do([os.path.join(self.matrix.llvm_bin, tool), *arguments])

    #===--- what rows do besides -------------------------------------------===#

    def mergedProfile(self, name):
        self.llvm("llvm-profdata", "merge", name + ".profraw", "-o", name + ".profdata")
        return name + ".profdata"

    # The number of times each line ran is the same as without hooks.
    def check_coverage(self):
        lines = {name: self.llvm("llvm-cov", "show", "./" + name, "-instr-profile", self.mergedProfile(name)) for name in ("plain", "traced")}
        if "4.00k" not in lines["plain"] or lines["plain"] != lines["traced"]:
            raise Failed("coverage differs; with hooks it is:\n" + lines["traced"])

    # A traced program collects the profile for building the row's programs; clang would warn if it did not fit. Threads
    # lose counts of each other in such a profile, so there is nothing to compare.
    def prepare_profile(self):
        self.build("traced")
        self.build("plain", "--ada-off")
        self.same(self.run("plain"), self.run("traced", "session=" + self.path("collecting")))
        self.checkSession("collecting")
        self.compileFlags = ["-fprofile-use=" + self.path(self.mergedProfile("traced"))]

    # An unused function was dropped with the unreferenced sections.
    def check_dropped(self):
        for name in ("plain", "traced"):
            if "_Z6unusedi" in self.llvm("llvm-nm", name):
                raise Failed(name + " still has the unused function")

    # gdb goes into a hook, through it and out of it, and sees the whole stack from there.
    def check_gdb(self):
        commands = ["set breakpoint pending on", "break divide if n == 7", "run", "set scheduler-locking on", "delete",
                    "break *__ada_exit", "continue", "bt", "stepi", "stepi", "bt", "finish", "delete", "bt 1", "finish", "step", "step", "bt 2",
                    "set scheduler-locking off", "continue"]
        text = self.do(["gdb", "-batch", "-nx", *(word for command in commands for word in ("-ex", command)), self.path("traced")],
                       {"ADA_OPTIONS": "session=" + self.path("debugged"), "DEBUGINFOD_URLS": ""})
        stack = r"(?s:.*?)#1 [^\n]* divide \(n=7\)[^\n]*\n#2 [^\n]* through \(n=7, [^\n]*\n#3 [^\n]* step \(n=7\)[^\n]*\n#4 [^\n]* work "
        steps = [r"hit Breakpoint 2, [^\n]*__ada_exit",
                 r"#0 [^\n]*__ada_exit" + stack, r"#0 [^\n]*__ada_exit" + stack,
                 r"#0 [^\n]*divide \(n=7\)", r"Value returned is [^\n]* = 0",
                 r"#0 [^\n]*through \(n=7|#0 [^\n]*Cleanup::~Cleanup", r"exited with code 07"]
        at = 0
        for step in steps:
            match = re.compile(step).search(text, at)
            if not match:
                raise Failed("gdb's output lacks /%s/ behind character %d:\n%s" % (step, at, text))
            at = match.end()
        self.checkSession("debugged")
