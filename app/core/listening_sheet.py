"""A comparison for other ears: one HTML page with the takes in it, and whoever opens it needs no studio."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SheetRow:
    """One take: ``name`` is what listeners call it, ``file`` the name of its sound file beside the page."""

    name: str
    file: str


def listening_sheet(title: str, text: str, rows: Sequence[SheetRow], *, language: str, remark: str) -> str:
    """Return the page: the ``text`` that is said, a player and a field for notes for each row, and a ``remark``.

    Nothing is loaded from elsewhere, and nothing is sent anywhere.
    """
    players = "\n".join(
        f'<section><h2>{html.escape(row.name)}</h2><audio controls src="{html.escape(row.file)}"></audio>'
        f'<textarea rows="2" aria-label="{html.escape(row.name)}"></textarea></section>'
        for row in rows
    )
    return f"""<!DOCTYPE html>
<html lang="{html.escape(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; media-src 'self'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<style>
body {{ font-family: sans-serif; max-width: 40em; margin: 2em auto; padding: 0 1em; color-scheme: light dark; }}
audio, textarea {{ width: 100%; box-sizing: border-box; }}
</style>
</head>
<body>
<h1>{html.escape(title)}</h1>
<blockquote>{html.escape(text)}</blockquote>
{players}
<footer><p>{html.escape(remark)}</p></footer>
</body>
</html>
"""
