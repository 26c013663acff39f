"""Text of a trace as people see it: names may hold anything."""
from __future__ import annotations

import html

from . import _native


def shown(text: str) -> str:
    """The text as a part of one line; '?' stands for each character that can't be seen or turns the line around."""
    return _native.one_line(text.encode("utf-8", "replace").decode())


def in_html(text: str) -> str:
    return html.escape(shown(text))
