"""Text as people have it: from a file or a pipe, in UTF-8 or UTF-16, one take a line or as a table."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass

COLUMNS = ("text", "description", "seed", "out")
_DELIMITERS = ",;\t"


class TextFileError(ValueError):
    """A text that cannot be read; the message names the file, the place and the remedy."""


@dataclass(frozen=True)
class BatchLine:
    """One take of a batch. ``number`` is the line in the file, from 1; ``seed`` and ``out`` are None if not given."""

    number: int
    text: str
    description: str = ""
    seed: int | None = None
    out: str | None = None


def decode_text(data: bytes, name: str) -> str:
    """Decode UTF-8 with or without a byte order mark, or UTF-16 with one. Line ends become ``\\n``.

    ``name`` is what messages call the source.

    Raises:
        TextFileError: bytes that are not text, with their position; control characters such as NUL.
    """
    encoding = "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        kind = "UTF-16" if encoding == "utf-16" else "UTF-8"
        line = data[: error.start].count(b"\n") + 1
        bad = data[error.start : error.start + 1].hex()
        raise TextFileError(
            f"{name} is not {kind} text: byte 0x{bad} at position {error.start} (line {line}). Save it as UTF-8."
        ) from error
    if (at := text.find("\0")) >= 0:
        line = text.count("\n", 0, at) + 1
        raise TextFileError(f"{name} has a NUL character at position {at} (line {line}): is it a text file?")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(data: bytes, name: str) -> list[BatchLine]:
    """Read one take a line; blank lines are passed over but counted.

    Raises:
        TextFileError: the file is no text or has nothing to say.
    """
    text = decode_text(data, name)
    lines = [BatchLine(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise TextFileError(f"{name} has no line with text in it.")
    return lines


def read_table(data: bytes, name: str) -> list[BatchLine]:
    """Read CSV with a head line that names the columns: ``text`` and optionally ``description``, ``seed``, ``out``.

    Comma, semicolon and tab are understood as separators.

    Raises:
        TextFileError: no text, unknown columns, or a row that does not fit; the line is named.
    """
    text = decode_text(data, name)
    head = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    rows: list[BatchLine] = []
    columns: list[str] | None = None
    try:
        before = 0
        for row in reader:
            number, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in row):
                continue
            if columns is None:
                columns = _columns(row, name)
            elif len(row) > len(columns):
                raise TextFileError(
                    f"{name}, line {number}: {len(row)} cells, but there are {len(columns)} columns. "
                    "Put text that contains the separator in double quotes."
                )
            else:
                rows.append(_row(dict(zip(columns, row, strict=False)), number, name))
    except csv.Error as error:
        raise TextFileError(f"{name}, line {reader.line_num}: {error}.") from error
    if not rows:
        raise TextFileError(f"{name} has no row with text in it.")
    return rows


def _columns(row: list[str], name: str) -> list[str]:
    columns = [cell.strip().lower() for cell in row]
    unknown = [c for c in columns if c not in COLUMNS]
    if "text" not in columns or unknown or len(set(columns)) != len(columns):
        found = ", ".join(columns)
        raise TextFileError(f"{name}: the first line must name the columns {', '.join(COLUMNS)} (found: {found}).")
    return columns


def _row(cells: dict[str, str], number: int, name: str) -> BatchLine:
    text = cells["text"].strip()
    if not text:
        raise TextFileError(f"{name}, line {number}: the text is empty.")
    raw = cells.get("seed", "").strip()
    if raw and not (raw.isascii() and raw.isdigit()):
        raise TextFileError(f"{name}, line {number}: the seed {raw!r} is not a whole number.")
    return BatchLine(
        number,
        text,
        cells.get("description", "").strip(),
        int(raw) if raw else None,
        cells.get("out", "").strip() or None,
    )
