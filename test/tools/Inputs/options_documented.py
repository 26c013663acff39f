"""Compares options.inc, docs/reference/options.md and the help of `adatrace record`. With --write, makes the table in
docs/reference/options.md."""
import re
import sys

OPTION = re.compile(r'^ADA_OPTION\((\w+), (\w+), "(.*?)", "(.*?)", "(.*)"\)$', re.M)
BEGIN, END = "<!-- from shared/options/options.inc -->\n", "<!-- end -->\n"


def table(options):
    rows = ["| option | values | default | meaning |\n|---|---|---|---|\n"]
    for kind, name, default, values, sentence in options:
        values = values.replace("|", "\\|")
        sentence = sentence.replace("|", "\\|")
        rows.append(f"| `{name}` | {values} | {f'`{default}`' if default else ''} | {sentence} |\n")
    return "".join(rows)


inc, document = sys.argv[1], sys.argv[2]
options = OPTION.findall(open(inc, encoding="utf-8").read())
text = open(document, encoding="utf-8").read()
before, rest = text.split(BEGIN)
found, after = rest.split(END)
if sys.argv[3] == "--write":
    open(document, "w", encoding="utf-8").write(before + BEGIN + table(options) + END + after)
    sys.exit()
if found != table(options):
    sys.exit(f"{document} differs from {inc}: run python3 {sys.argv[0]} {inc} {document} --write")
helpText = open(sys.argv[3], encoding="utf-8").read()
missing = [name for _, name, *_ in options if name != "help" and f"--{name.replace('_', '-')}=" not in helpText]
if missing:
    sys.exit(f"adatrace record has no flag for {', '.join(missing)}")
print(f"{len(options)} options documented")
