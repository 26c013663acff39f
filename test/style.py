#!/usr/bin/env python3
"""Checks that every file keeps to one style. Usage: style.py [--fix] [FILE...]

C and C++ (but for what .clang-format-ignore names: tests whose RUN and CHECK lines stand where they are meant to):
  - a file is as clang-format 19 makes it (--fix does that), and has at most 600 lines;
  - its first line is a comment with one whole sentence that says what the file is;
  - private and protected data members end in an underscore, public ones do not;
  - a function has at most 80 lines, or a comment in or right above it gives the reason: "Long because ...".
All text files: rulers (//===--- name ---===//, #===--- name ---===#) are 80 columns wide, no line ends in blanks, the
last line ends in one newline.
Prose (pages but for code and tables, comments of C, C++ and Python, strings of C and C++ with three words or more): plain
English, without the turns in PLAIN_ENGLISH;
a line of a page is at most 120 columns wide.
The vectors' answers have one event a line, and no vector is a copy of another (test/formats/vector_form.py).
"""
import fnmatch
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "formats"))
import vector_form  # noqa: E402

MOST_FILE_LINES = 600
MOST_FUNCTION_LINES = 80
RULER_COLUMNS = 80
REASON = re.compile(r"\bLong because\b")

FOLDERS = "bench cmake docs examples include lib pass python runtime shared test tools .ci .devcontainer .github".split()
SOURCES = {".h", ".c", ".cpp", ".inc", ".S"}
TEXTS = SOURCES | {".py", ".md", ".txt", ".cmake", ".test", ".ll", ".s", ".sh", ".in", ".json", ""}
# Content that others decide.
FOREIGN = ["test/formats/vectors/*", "test/fuzz/seeds/*"]


def clangFormat():
    for name in ("clang-format-19", "clang-format"):
        found = shutil.which(name)
        if found and " version 19." in subprocess.run([found, "--version"], capture_output=True, text=True).stdout:
            return found
    sys.exit("style.py: clang-format 19 is missing (Debian: apt-get install clang-format-19, or tools/dev setup)")


def textFiles(root):
    for path in sorted([p for p in root.iterdir() if p.is_file()] +
                       [p for folder in FOLDERS for p in (root / folder).rglob("*") if p.is_file()]):
        name = path.relative_to(root).as_posix()
        if path.suffix in TEXTS and not any(fnmatch.fnmatch(name, f) for f in FOREIGN) and "__pycache__" not in name:
            yield name


#===--- layout -------------------------------------------------------------===#


def formatProblems(root, names, fix):
    """The changes that clang-format would make. Leaves out files named in .clang-format-ignore."""
    names = [n for n in names if pathlib.Path(n).suffix in {".h", ".c", ".cpp"}]
    if not names:
        return []
    command = [clangFormat(), "-i"] if fix else [clangFormat(), "--dry-run", "--ferror-limit=0"]
    halves = [names[0::2], names[1::2]]
    running = [subprocess.Popen(command + half, cwd=root, stderr=subprocess.PIPE, text=True) for half in halves if half]
    errors = "".join(process.communicate()[1] for process in running)
    if any(process.returncode for process in running):
        return ["clang-format failed: " + errors]
    lines = re.findall(r"^(\S+:\d+):\d+: (?:warning|error): code should be clang-formatted", errors, re.M)
    return [f"{where}: not as clang-format makes it (test/style.py --fix)" for where in dict.fromkeys(lines)]


def ignored(root):
    patterns = [line.strip() for line in (root / ".clang-format-ignore").read_text().splitlines()]
    patterns = [p for p in patterns if p and not p.startswith("#")]
    # As in clang-format, `*` is one level.
    return lambda name: any(name.count("/") == p.count("/") and fnmatch.fnmatch(name, p) for p in patterns)


def textProblems(name, text):
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() and not (name.endswith(".md") and line.startswith("    ")):
            yield f"{name}:{number}: ends in blanks"
        if re.match(r"\s*(//|#|;)===-", line) and len(line) != RULER_COLUMNS:
            yield f"{name}:{number}: a ruler is {RULER_COLUMNS} columns wide, not {len(line)}"
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        yield f"{name}:{len(lines)}: the file ends in one newline"


#===--- prose --------------------------------------------------------------===#

PROSE_COLUMNS = 120
# Turns that readers stumble over, and what to write.
PLAIN_ENGLISH = {
    re.compile(regex): instead for regex, instead in (
        (r"(?:^|[.:] )Of (?!course)", "'Y of X is ...', or the subject first"),
        (r"\b(?:tell|tells|told|says) of\b", "'reports', 'shows', 'describes'"),
        (r"\b[Bb]ehind the (?:last|first|end)\b", "'after'"),
        (r"\b[Ww]ho(?:ever)? (?:wants|asks|needs|reads|looks|has|waits|writes)\b", "'a thread that', 'callers', 'users'"),
        (r"\bof one's own\b|\bsomebody has\b", "'your own', 'is in use'"),
        (r"\bin (?:the )?place of\b", "'instead of'"),
        (r"\bby all processors\b", "'on all cores'"),
        (r"\bline of numbers\b", "'progress'"),
        (r"\b(?:has|have|had) (?:a|no) processor\b", "'was on-CPU', 'off-CPU'"),
    )
}


def proseOf(name, text):
    """Numbers and texts of the lines of prose: of a page all but code and tables, else comments and messages."""
    isCode, hasMessages = False, pathlib.Path(name).suffix in SOURCES
    for number, line in enumerate(text.split("\n"), 1):
        if name.endswith(".md"):
            isCode ^= line.lstrip().startswith("```")
            if not isCode and not line.lstrip().startswith(("|", "```", "<")) and not line.startswith("    "):
                yield number, line
            continue
        comment = re.search(r"(?:^|\s)(?:#|//[/!]?<?)\s+(.*)", line)
        if comment:
            yield number, comment[1]
        if hasMessages:
            for message in re.findall(r'"((?:[^"\\]|\\.)*)"', line[:comment.start()] if comment else line):
                if len(message.split()) >= 3:
                    yield number, message


def proseProblems(name, text):
    for number, line in proseOf(name, text):
        for turn, instead in PLAIN_ENGLISH.items():
            if found := turn.search(line):
                yield f"{name}:{number}: '{found[0].strip()}': write {instead}"
        if name.endswith(".md") and len(line) > PROSE_COLUMNS and " " in line[:PROSE_COLUMNS].strip():
            yield f"{name}:{number}: a line of prose is at most {PROSE_COLUMNS} columns wide"


def firstLineProblems(name, text):
    first = text.split("\n", 1)[0]
    sentence = re.fullmatch(r"(?://|/\*) (\S.*)", first)
    if not sentence:
        yield f"{name}:1: the first line is a comment: '// One sentence.'"
        return
    words = sentence[1].removesuffix("*/").rstrip()
    if not words.endswith((".", ":")):
        yield f"{name}:1: the first sentence fits the first line and ends there"
    if words.startswith(pathlib.Path(name).name + " - "):
        yield f"{name}:1: the first line says what the file is, not its name"


# What compiles only because another header happens to include it: a build without precompiled headers finds it late.
NEEDS_HEADER = (
    (re.compile(r"(?<![\w.>])(?:std::|::)?(?:mem(?:cpy|cmp|set|move|chr|mem)|str(?:n?len|r?chr|n?cmp|str|error))\("),
     re.compile(r"#include <(?:cstring|string\.h)>"), "<cstring>"),
    (re.compile(r"(?<![\w.>])(?:std::|::)?(?:fopen|fprintf|snprintf|fread|fwrite|fclose)\("),
     re.compile(r"#include <(?:cstdio|stdio\.h)>"), "<cstdio>"),
    (re.compile(r"(?<!define )\bADA_TRY\("), re.compile(r'#include "trace/base/try\.h"'), '"trace/base/try.h"'),
)


def headerProblems(name, text):
    code = withoutText(text)
    for used, included, header in NEEDS_HEADER:
        if (found := used.search(code)) and not included.search(text):
            yield f"{name}:{code.count(chr(10), 0, found.start()) + 1}: {found[0][:-1]} needs {header}"
    # Those that return a subrange. The quick build (preset demo) uses Debian's default clang.
    for found in re.finditer(r"\branges::(?:unique|remove|remove_if|partition|stable_partition|rotate|equal_range|search)\(", code):
        yield f"{name}:{code.count(chr(10), 0, found.start()) + 1}: clang 14 cannot compile {found[0][:-1]}"


#===--- a look at the code -------------------------------------------------===#


def withoutText(code):
    """The code with comments, strings and preprocessor lines blanked; every newline stays."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])

    pattern = (r'//(?:\\\n|[^\n])*|/\*.*?\*/|R"(?P<d>[^()\s\\]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"'
               r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*")
    return re.sub(pattern, blank, code, flags=re.S | re.M)


def withoutAngles(declaration):
    """Drops template arguments, innermost first; what is left of < and > are operators."""
    while True:
        shorter = re.sub(r"<[^<>;{}]*>", " ", declaration)
        if shorter == declaration:
            return declaration
        declaration = shorter


def memberNames(declaration):
    """Names of the data members that a declaration at class level declares; empty for a function, a type or a
    constant."""
    text = withoutAngles(re.sub(r"\[\[.*?\]\]|alignas\s*\([^)]*\)", " ", declaration)).strip()
    if re.match(r"(using|typedef|friend|enum|template|static_assert|operator|explicit|virtual|static|inline|constexpr)\b", text):
        return []
    if re.fullmatch(r"(struct|class|union)\s+\w+", text):
        return []
    pointer = re.match(r"[\w:\s]+\(\s*\*\s*(\w+)\s*\)\s*\(", text)
    if pointer:
        return [pointer[1]]
    names, depth, current = [], 0, ""
    for c in text + ",":
        if c in "([{":
            depth += 1
        if depth == 0 and c == ",":
            names.append(current)
            current = ""
            continue
        current += c if depth == 0 or c in "({[" and depth == 1 else ""
        if c in ")]}":
            depth -= 1
    result = []
    for i, part in enumerate(names):
        part = re.split(r"=|\{|\[|:(?!:)", part.replace("::", "@"))[0].strip()
        if "(" in part:
            return []
        word = re.search(r"(\w+)$", part)
        # The first declarator has a type in front of it.
        if word and (i > 0 or word[1] != part):
            result.append(word[1])
    return result


class Scan:
    """Walks the braces of one file: at the level of namespaces and classes it sees declarations."""

    def __init__(self, name, text):
        self.name, self.problems = name, []
        self.code, self.lines = withoutText(text), text.split("\n")
        self.stack = []  # (kind, access, first line of the declaration, line of the brace)
        start = 0  # of the declaration
        line = 1
        parens = 0
        declaration = ""
        for position, c in enumerate(self.code):
            if c == "\n":
                line += 1
            inside = bool(self.stack) and self.stack[-1][0] in ("function", "value")
            if c == "{":
                kind = "value" if inside or parens else self.kindOf(declaration)
                access = "private" if re.search(r"\bclass\b", withoutAngles(declaration)) else "public"
                first = self.code.count("\n", 0, start) + 1 if not inside else line
                self.stack.append([kind, access, first, declaration])
                if kind in ("scope", "class"):
                    declaration, start = "", position + 1
                elif kind == "value":
                    declaration += "{"
            elif c == "}" and self.stack:
                kind, _, first, opened = self.stack.pop()
                if kind == "function":
                    self.measure(first, line)
                    declaration, start = "", position + 1
                elif kind == "value":
                    declaration += "}"
                elif kind == "class":
                    declaration, start = "class_body ", position + 1
                else:
                    declaration, start = "", position + 1
            elif inside:
                continue
            elif c == ";" and not parens:
                self.declared(declaration, line)
                declaration, start = "", position + 1
            elif c == ":" and re.search(r"\b(public|private|protected)\s*$", declaration) and self.stack:
                self.stack[-1][1] = declaration.split()[-1]
                declaration, start = "", position + 1
            else:
                parens += (c in "([") - (c in ")]")
                if not declaration.strip() and not c.isspace():
                    start = position
                declaration += c
        if self.stack or parens:
            self.problems.append(f"{name}: style.py can't follow the braces of this file")

    def kindOf(self, declaration):
        text = withoutAngles(declaration).strip()
        if re.match(r"(inline\s+)?namespace\b", text) or re.match(r"extern\s*$", text):
            return "scope"
        if re.search(r"\boperator\b", text):
            return "function"
        before = text.split("(")[0]
        if re.search(r"\b(class|struct|union)\b", before) and "(" not in re.sub(r"\w+\s*\([^)]*\)|\[\[.*?\]\]", "", text) and \
                not re.search(r"\)\s*(const|noexcept|override|final|->.*)*\s*$", text):
            return "class"
        if re.search(r"\benum\b", before):
            return "value"
        if "(" not in text or re.search(r"(?<![=!<>])=(?!=)", text.split(")")[-1]) or re.search(r"=\s*$", text):
            return "value"
        # A constructor's list: `a_{x}` is a value, the body comes after `)` or `}`.
        if re.search(r"\)\s*(noexcept\s*)?:(?!:)", text) and re.search(r"[\w>]\s*$", text):
            return "value"
        return "function"

    def declared(self, declaration, line):
        if not self.stack or self.stack[-1][0] != "class" or not declaration.strip():
            return
        access = self.stack[-1][1]
        for member in memberNames(declaration):
            if access != "public" and not member.endswith("_"):
                self.problems.append(f"{self.name}:{line}: the {access} member {member} ends in '_'")
            if access == "public" and member.endswith("_"):
                self.problems.append(f"{self.name}:{line}: the public member {member} does not end in '_'")

    def measure(self, first, last):
        length = last - first + 1
        if length <= MOST_FUNCTION_LINES:
            return
        begin = first - 1
        while begin > 0 and re.match(r"\s*(//|\*|/\*)", self.lines[begin - 1]):
            begin -= 1
        if not REASON.search("\n".join(self.lines[begin:last])):
            self.problems.append(f"{self.name}:{first}: a function of {length} lines, and no comment 'Long because ...'")


#===--- the check of the check ---------------------------------------------===#

# Code that must be found, with the message for it.
WRONG = {
    "the private member count ends in '_'": "class C { std::function<void(int)> f_; unsigned count : 3; };",
    "the private member b ends in '_'": "class C { int a_ = 1, b[2] = {0, 1}; void f() { int x; } };",
    "the private member call ends in '_'": "class C { void (*call)(int); };",
    "the protected member m ends in '_'": "struct S { int x; protected: std::map<int, std::pair<int, int>> m; };",
    "the public member x_ does not end in '_'": "template <class T> struct S { T x_{}; };",
    "a function of 83 lines": "namespace n {\nstatic int f(int a = {3})\n{" + "\n  a;" * 80 + "\n}\n}",
    "a function of 84 lines": "class C {\n  C()\n    : a_{1}, b_(2)\n  {" + "\n    '}';" * 80 + "\n  }\n};",
    "a function of 82 lines": 'extern "C" {\nauto f() -> int {' + '\n  "}";' * 80 + "\n}\n}",
}
# Code that must not be found: the same words with another meaning.
RIGHT = """class C final : public B<int> { public: int x = 3; enum class E { a, b }; struct P { int y; }; C() : x{2} {}
  bool operator<(const C &) const = default; private: struct State; int f(int a, int b) const; using T = int;
  static constexpr int kMax = 3; std::array<int, 4> a_{1, 2}; int b_ : 3; static int g() { int z; return z; } };
const char *const names[] = {"a", "{"}; // Long"""


# Prose that must be found, a line each; and prose that must not.
HARD = """Of these, three are kept.
// It tells of the loss.
# Bytes behind the last record.
// Who waits for the drain goes on.
// Authorities of one's own.
// A gap in place of an event.
"a gap in place of an event",
Read by all processors at once.
# A line of numbers while it takes long.
While it has a processor."""
PLAIN = """| Of these | three are kept |
    Of these, three are kept.
Of course it works.
int x; // kept instead of the rest"""


def selfCheck():
    problems = [f"style.py does not find: {sentence}" for sentence, code in WRONG.items()
                if not any(sentence in p for p in Scan("x.cpp", code).problems)]
    problems += [f"style.py finds in what is right: {p}" for p in Scan("x.cpp", RIGHT).problems]
    for line in HARD.split("\n") + ["word " * 25]:
        if not list(proseProblems("x.cpp" if line.startswith(("//", "#", '"')) else "x.md", line)):
            problems.append(f"style.py does not find: {line}")
    if not list(headerProblems("x.cpp", "size_t n = ::strlen(s);")):
        problems.append("style.py does not find a missing header")
    return problems + [f"style.py finds in plain prose: {p}" for n in ("x.md", "x.cpp") for p in proseProblems(n, PLAIN)]


#===--- main ---------------------------------------------------------------===#


def check(root, names, fix=False):
    skip = ignored(root)
    problems = formatProblems(root, [n for n in names if not skip(n)], fix)
    sources = 0
    for name in names:
        path = root / name
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        if text.startswith("#!") and path.suffix == "" or path.suffix:
            problems += textProblems(name, text)
        if path.suffix in SOURCES | {".py", ".md"} and name != "test/style.py" and not skip(name):
            problems += proseProblems(name, text)
        if path.suffix not in SOURCES or skip(name):
            continue
        sources += 1
        problems += firstLineProblems(name, text)
        if text.count("\n") > MOST_FILE_LINES:
            problems.append(f"{name}: {text.count(chr(10))} lines, more than {MOST_FILE_LINES}")
        if path.suffix in (".h", ".c", ".cpp"):
            problems += Scan(name, text).problems
            problems += headerProblems(name, text) if not name.startswith("pass/gcc/") else []  # GCC's own do it there.
    return problems, sources


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    arguments = sys.argv[1:]
    fix = "--fix" in arguments
    names = [a for a in arguments if a != "--fix"] or list(textFiles(root))
    problems, sources = check(root, names, fix)
    problems += vector_form.problems(fix) + selfCheck()
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(names)} files, {sources} of them C or C++: {len(problems)} problems with the style")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main())
