"""Rows of tables, as the commands of adatrace print them with --format=json."""
from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._shown import in_html

if TYPE_CHECKING:
    import pandas


class Rows(list[dict[str, Any]]):
    """A list of dicts, one per row. All have the keys that docs/json.md lists for the command of the same name.

    Keys that end in ``_ns`` are in nanoseconds. None means that a value is not known. Tables in a row are Rows, too.
    """

    def __init__(self, rows: str | Iterable[dict[str, Any]]) -> None:
        super().__init__(map(_tables, json.loads(rows)) if isinstance(rows, str) else rows)

    @property
    def columns(self) -> list[str]:
        """The keys of all rows, in the order of the table."""
        return list(dict.fromkeys(key for row in self for key in row))

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame with a column per key."""
        import pandas

        return pandas.DataFrame.from_records(list(self), columns=self.columns)

    def _repr_html_(self) -> str:
        columns = [c for c in self.columns if any(not isinstance(row.get(c), (list, dict)) for row in self)]
        head = "".join(f"<th>{in_html(c)}</th>" for c in columns)
        body = "".join("<tr>" + "".join(f"<td>{_cell(c, row.get(c))}</td>" for c in columns) + "</tr>"
                       for row in self[:SHOWN_ROWS])
        more = f"<p>and {len(self) - SHOWN_ROWS:,} more rows</p>" if len(self) > SHOWN_ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


SHOWN_ROWS = 60


class Answer(dict[str, Any]):
    """An answer that is more than one table: a dict with the keys that docs/json.md lists for the command.

    Tables in it are :class:`adatrace.Rows`, so ``answer["findings"].to_pandas()`` is a data frame.
    """

    def __init__(self, text: str) -> None:
        super().__init__({key: _tables(value) for key, value in json.loads(text).items()})

    def _repr_html_(self) -> str:
        facts = Rows([{key: value for key, value in self.items() if not isinstance(value, list)}])
        return facts._repr_html_() + "".join(f"<p>{in_html(key)}</p>{value._repr_html_()}"
                                             for key, value in self.items() if isinstance(value, Rows))


def _tables(value: Any) -> Any:
    """The value with Rows for each list of objects in it."""
    if isinstance(value, dict):
        return {key: _tables(inner) for key, inner in value.items()}
    if isinstance(value, list) and all(isinstance(row, dict) for row in value):
        return Rows(_tables(row) for row in value)
    return value


# Numbers that identify something.
IDENTIFIERS = {"pid", "thread", "tid"}


def _cell(key: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, (list, dict)):
        return f"{len(value)} …"
    isCount = isinstance(value, int) and not isinstance(value, bool) and key not in IDENTIFIERS
    return in_html(f"{value:,}" if isCount else str(value))


def duration(ns: int) -> str:
    """A duration as people read it: ``"1.50 ms"``."""
    for limit, divisor, unit in ((1_000, 1, "ns"), (1_000_000, 1_000, "us"), (1_000_000_000, 1_000_000, "ms")):
        if ns < limit:
            return f"{ns / divisor:.3g} {unit}" if divisor > 1 else f"{ns} ns"
    return f"{ns / 1_000_000_000:.3f} s"


class Tree(Rows):
    """The call trees of threads: a row per line, calls before what they called. ``depth`` says how deep each is.

    In a notebook it is shown as a tree whose branches open and close.
    """

    def _repr_html_(self) -> str:
        parts = [TREE_STYLE, '<div class="adatrace-tree">']
        threads: dict[Any, list[dict[str, Any]]] = {}
        for row in self[:SHOWN_LINES]:
            threads.setdefault((row["process"], row["thread"], row["tid"]), []).append(row)
        for (process, thread, tid), rows in threads.items():
            parts.append(f"<p>{in_html(str(process))} thread {thread} (tid {tid})</p><ul>")
            for at, row in enumerate(rows):
                depth, following = row["depth"], rows[at + 1]["depth"] if at + 1 < len(rows) else rows[0]["depth"]
                line = _line(row)
                if following > depth:
                    opened = " open" if depth < OPEN_LEVELS else ""
                    parts.append(f"<li><details{opened}><summary>{line}</summary><ul>")
                else:
                    parts.append(f"<li>{line}</li>" + "</ul></details></li>" * (depth - following))
            parts.append("</ul>")
        if len(self) > SHOWN_LINES:
            parts.append(f"<p>and {len(self) - SHOWN_LINES:,} more lines</p>")
        return "".join(parts) + "</div>"


SHOWN_LINES = 2000
OPEN_LEVELS = 3
TREE_STYLE = ("<style>.adatrace-tree{font-family:monospace}.adatrace-tree ul{list-style:none;margin:0;padding-left:1.2em}"
              ".adatrace-tree li{margin:0}.adatrace-tree b{font-weight:normal;opacity:.7;display:inline-block;"
              "min-width:7em;text-align:right;margin-right:.8em}</style>")


def _line(row: dict[str, Any]) -> str:
    name = row["function"] if row["function"] is not None else "repeated"
    text = f"<b>{duration(row['total_ns'])}</b>{in_html(name)}{in_html(row['arguments'] or '')}"
    if row["result"]:
        text += f" → {in_html(row['result'])}"
    if row["count"] > 1:
        text += f" ×{row['count']:,}"
    if row["end"] not in (None, "return"):
        text += f" [{in_html(row['end'])}]"
    return text


class FlameGraph:
    """A flame graph: the page that ``adatrace flame`` writes. In a notebook it is shown in a frame."""

    def __init__(self, page: str) -> None:
        self.html = page
        """The page: self-contained HTML."""

    def save(self, path: str) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # Scripts may run, but with an origin of their own: they can't reach the notebook.
        return (f'<iframe sandbox="allow-scripts" style="width:100%;height:{FRAME_HEIGHT}px;border:0" '
                f'srcdoc="{html.escape(self.html)}"></iframe>')


FRAME_HEIGHT = 520
