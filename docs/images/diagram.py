#!/usr/bin/env python3
"""Makes a picture (SVG) of boxes and arrows from a text. Usage: diagram.py < architecture.txt > architecture.svg

Lines of the text: `title TEXT`; `box NAME COLUMN ROW KIND FIRST LINE | SECOND | ...`; `arrow FROM TO`. Boxes stand in a
grid. An arrow goes straight to a box of the same row or column, otherwise down, across and down.
"""
import html
import sys

WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 200, 76, 40, 48, 12
STYLE = """text { font: 13px system-ui, sans-serif; text-anchor: middle; fill: #1f2328 }
.first { font-weight: 600; font-size: 14px }
rect { stroke: #57606a; rx: 6 }
.build { fill: #ddf4ff } .process { fill: #fff1cc } .file { fill: #eaeef2 } .tool { fill: #dafbe1 }
path { stroke: #57606a; fill: none; stroke-width: 1.5; marker-end: url(#end) }
marker path { fill: #57606a; stroke: none; marker-end: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } rect { stroke: #9198a1 } path { stroke: #9198a1 } marker path { fill: #9198a1 }
  .build { fill: #0c2d4d } .process { fill: #4d3800 } .file { fill: #2a313c } .tool { fill: #04381a }
}"""


def place(column, row):
    return MARGIN + column * (WIDTH + ACROSS), MARGIN + row * (HEIGHT + DOWN)


def box(x, y, kind, lines):
    yield f'<rect class="{kind}" x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}"/>'
    top = y + HEIGHT / 2 - 9 * (len(lines) - 1) + 5
    for number, line in enumerate(lines):
        first = ' class="first"' if number == 0 else ""
        yield f'<text{first} x="{x + WIDTH / 2:g}" y="{top + 18 * number:g}">{html.escape(line)}</text>'


def arrow(one, other):
    (x1, y1), (x2, y2) = one, other
    if y1 == y2:
        return f"M{x1 + (WIDTH if x2 > x1 else 0)} {y1 + HEIGHT / 2:g}H{x2 - 6 if x2 > x1 else x2 + WIDTH + 6}"
    start = f"M{x1 + WIDTH / 2:g} {y1 + HEIGHT}"
    turn = f"V{y1 + HEIGHT + DOWN / 2:g}H{x2 + WIDTH / 2:g}" if x1 != x2 else ""
    return f"{start}{turn}V{y2 - 6}"


def main():
    title, places, shapes, arrows = "", {}, [], []
    for line in sys.stdin:
        words = line.split(None, 1)
        if not words or words[0] == "#":
            continue
        if words[0] == "title":
            title = words[1].strip()
        elif words[0] == "box":
            name, column, row, kind, text = words[1].split(None, 4)
            places[name] = place(int(column), int(row))
            shapes += box(*places[name], kind, [part.strip() for part in text.split("|")])
        elif words[0] == "arrow":
            arrows.append(tuple(places[name] for name in words[1].split()))
        else:
            sys.exit(f"neither a title, a box nor an arrow: {line}")
    width = max(x for x, _ in places.values()) + WIDTH + MARGIN
    height = max(y for _, y in places.values()) + HEIGHT + MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">')
    print(f"<title>{html.escape(title)}</title>\n<style>\n{STYLE}\n</style>")
    print('<marker id="end" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
          '<path d="M0 0L8 4L0 8z"/></marker>')
    print(*shapes, *(f'<path d="{arrow(*ends)}"/>' for ends in arrows), "</svg>", sep="\n")


main()
