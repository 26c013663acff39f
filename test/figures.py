"""Figures in pages that are constants of the code: both say the same. test/links.py uses it.

A row of FIGURES has a page, words of it with {} for the figure, and the file name and name of the constant. Files are
looked for in all folders with code, because they move more often than they change their names.
"""
import re

FOLDERS = ("include", "lib", "pass", "runtime", "shared", "tools/adatrace")
FIGURES = [
    ("docs/explanation/drain.md", "A pass is shared when {} chunks", "passes.cpp", "kChunksToShare"),
    ("docs/explanation/drain.md", "the calls that wait, at most {} for each thread", "left_out.h", "kMaxWaiting"),
    ("docs/explanation/reading.md", "the first report that reads {} events without a summary", "report.h", "summaryEvents"),
    ("docs/explanation/reading.md", "in pieces of {} as they are decoded", "batch_builder.h", "kEvents"),
    ("docs/explanation/ring.md", "It runs only while at least {} chunks", "tick_clock.h", "kLeastChunks"),
    ("docs/explanation/view.md", "when the range holds few of them ({}, or", "trace_view.cpp", "kMaxEvents"),
    ("docs/explanation/view.md", "what the thread's first {} events contain", "trace_view.cpp", "kMaxEventsFromStart"),
    ("docs/explanation/view.md", "A cell of level 0 is the time of about {} events", "index_format.h", "kCellEvents"),
    ("docs/explanation/view.md", "a cell of level L is {}^L times as long", "index_format.h", "kLevelFactor"),
    ("docs/explanation/view.md", "For a trace of {} events or more, the index is kept", "view_session.h", "kEventsForFile"),
    ("docs/formats/packed.md", "number of open calls that are listed, at most {} |", "packed_format.h", "kMaxKnownCalls"),
    ("docs/formats/packed.md", "of which at most the innermost {} are known", "packed_format.h", "kMaxKnownCalls"),
    ("docs/formats/sched.md", "the file keeps the newest 4,096 to {} records", "sched_file.h", "kMaxKept"),
    ("docs/reference/builds.md", "more than {} libraries at once", "ring_file.h", "ADA_RING_MODULES"),
    ("docs/reference/builds.md", "or more than {} loads", "images.h", "kMax"),
    ("docs/reference/commands/calls.md", "{} lines, unless `--limit`", "tree.cpp", "kTerminalLimit"),
    ("docs/reference/commands/report.md", "For packed sessions of more than {} events", "report.h", "summaryEvents"),
    ("docs/reference/globs.md", "A glob is at most {} characters long", "glob.h", "kMaxCharacters"),
    ("docs/reference/reliability.md", "| more than {} live threads", "ring_file.h", "ADA_RING_THREADS"),
    ("docs/reference/reliability.md", "takes a slot (of {})", "ring_file.h", "ADA_RING_THREADS"),
]


def constantsOf(code, name):
    """The values that a file gives to a constant."""
    for text, operation, by in re.findall(rf"\b{name}(?: =|) (0x[0-9a-f]+|\d[\d']*)u?\b(?: (<<|\*) (\d+))?", code):
        value = int(text.replace("'", ""), 0)
        yield value << int(by) if operation == "<<" else value * int(by or 1)


def figuresOf(page, words):
    """The figures that a page has in these words, however they are wrapped; a million may be 2^20."""
    before, after = ([re.escape(word) for word in part.split(" ")] for part in words.split("{}"))
    pattern = r"\s+".join(before) + r"([\d,]+( million)?)" + r"\s+".join(after)
    for text, million in re.findall(pattern, page):
        yield int(text.replace(" million", "").replace(",", "")) * (10**6 if million else 1), bool(million)


def problems(root, figures=FIGURES):
    places = {}
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            places.setdefault(path.name, []).append(path)
    for name, words, file, constant in figures:
        values = {value for path in places.get(file, []) for value in constantsOf(path.read_text(), constant)}
        found = list(figuresOf((root / name).read_text(), words))
        if not values or not found:
            yield f"{name}: '{words}' or {constant} of {file} is not there (test/figures.py)"
            continue
        for figure, isRounded in found:
            if not any(abs(figure - value) <= (value / 20 if isRounded else 0) for value in values):
                yield f"{name}: '{words}' with {figure}, but {constant} of {file} is {', '.join(map(str, values))}"
