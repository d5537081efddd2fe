"""Bytes of a subtitle file or script as text, whatever encoding they were saved in."""

from __future__ import annotations

import codecs

from app.core.dubbing.imported import ImportRefusedError
from app.core.dubbing.remarks import Remark

LARGEST = 10 << 20  # bytes
_CHECKED = 1 << 16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(data: bytes, name: str) -> tuple[str, list[Remark]]:
    """Return the text with ``\\n`` as line end, and what was guessed or repaired.

    UTF-8, UTF-16 and UTF-32 with a mark, plain UTF-8, else what charset-normalizer holds likely. Control characters
    that no text has become spaces.

    Raises:
        ImportRefusedError: it is too large, or no text at all.
    """
    if len(data) > LARGEST:
        raise ImportRefusedError(f"{name} has {len(data) >> 20} MiB; {LARGEST >> 20} MiB are the most. Split the file.")
    encoding = next((known for mark, known in _MARKS if data.startswith(mark)), "utf-8")
    remarks: list[Remark] = []
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            raise ImportRefusedError(f"{name} begins like {encoding} and is damaged. Save it as UTF-8.") from error
        text, used = _guessed(data, name)
        remarks.append(Remark(0, "encoding", {"encoding": used}))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    clean = "".join(c if c in "\n\t" or not _is_control(c) else " " for c in text) if _has_control(text) else text
    if clean != text:
        if text.count("\0") > len(text) // 10:
            raise ImportRefusedError(f"{name} is no text file. Give SRT, VTT, ASS, CSV or plain text.")
        remarks.append(Remark(0, "control"))
    return clean, remarks


def _guessed(data: bytes, name: str) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_CHECKED]).best()
    for encoding in ([best.encoding] if best is not None else []) + ["gb18030", "cp1252"]:
        try:
            return data.decode(encoding), encoding
        except (UnicodeDecodeError, LookupError):
            continue
    if data.count(0) > len(data) // 10:
        raise ImportRefusedError(f"{name} is no text file. Give SRT, VTT, ASS, CSV or plain text.")
    return data.decode("latin-1"), "latin-1"


def _is_control(character: str) -> bool:
    return character < " " or "\x7f" <= character <= "\x9f" or "\ud800" <= character <= "\udfff"


def _has_control(text: str) -> bool:
    return any(map(_is_control, set(text) - {"\n", "\t"}))
