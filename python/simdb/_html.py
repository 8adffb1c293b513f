"""Results as HTML, for notebooks. Every text is escaped."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_MARK = "background:#ffe08a;color:#000"
_CELL_CHARS = 120


def cell(value: Any) -> str:
    """Formats a value for a cell: shortened, similarities with six digits."""
    text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return escape(text if len(text) <= _CELL_CHARS else text[:_CELL_CHARS] + "…")


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], below: str = "") -> str:
    head = "".join(f"<th>{escape(c)}</th>" for c in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell(v)}</td>" for v in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" + (f"<p>{escape(below)}</p>" if below else "")


def marked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Marks ranges of a text; overlapping ranges become one."""
    out, at = [], 0
    for begin, end in sorted(spans):
        begin = max(begin, at)
        if begin < end:
            out += [escape(text[at:begin]), f'<mark style="{_MARK}">', escape(text[begin:end]), "</mark>"]
            at = end
    return "".join([*out, escape(text[at:])])


def side_by_side(titles: tuple[str, str], texts: tuple[str, str]) -> str:
    """Shows two texts, already HTML, side by side."""
    head = "".join(f'<th style="text-align:left">{escape(t)}</th>' for t in titles)
    body = "".join(f'<td style="vertical-align:top;text-align:left;white-space:pre-wrap;width:50%">{t}</td>' for t in texts)
    return f'<table style="width:100%"><thead><tr>{head}</tr></thead><tbody><tr>{body}</tr></tbody></table>'
