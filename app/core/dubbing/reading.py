"""Any script or subtitles as cues: by the content, with the end of the name as a hint."""

from __future__ import annotations

from pathlib import PurePath
from typing import Literal

from app.core.dubbing.decoding import decode
from app.core.dubbing.imported import Found, Imported, finish
from app.core.dubbing.remarks import Remark
from app.core.dubbing.scripts import is_script, read_csv, read_long_text, read_script
from app.core.dubbing.subtitles import read_ass, read_timed, sniff

Form = Literal["auto", "srt", "vtt", "ass", "script", "text", "csv"]
FORMS: tuple[Form, ...] = ("auto", "srt", "vtt", "ass", "script", "text", "csv")
_BY_NAME: dict[str, Form] = {".srt": "srt", ".vtt": "vtt", ".ass": "ass", ".ssa": "ass", ".csv": "csv", ".tsv": "csv"}


def read_cues(data: bytes, name: str, form: Form = "auto") -> Imported:
    """Read a file of cues; whatever was skipped or repaired is in ``remarks``.

    ``name`` is what messages call the file; its end is a hint. The content decides where both disagree.

    Raises:
        ImportRefusedError: it is too large, no text, or nothing in it can be spoken.
    """
    text, remarks = decode(data, name)
    wanted = form if form != "auto" else _form_of(text, name)
    found, more = _read(text, wanted)
    if form == "auto" and _BY_NAME.get(PurePath(name).suffix.lower(), wanted) != wanted:
        more = [Remark(0, "form", {"name": PurePath(name).suffix[1:], "form": wanted}), *more]
    return finish(found, [*remarks, *more], name)


def _form_of(text: str, name: str) -> Form:
    kind = sniff(text)
    if kind is not None:
        return kind
    if _BY_NAME.get(PurePath(name).suffix.lower()) == "csv" and read_csv(text) is not None:
        return "csv"
    return "script" if is_script(text) else "text"


def _read(text: str, form: Form) -> tuple[list[Found], list[Remark]]:
    match form:
        case "srt" | "vtt":
            return read_timed(text, form)
        case "ass":
            return read_ass(text)
        case "csv":
            table = read_csv(text)
            return table if table is not None else ([], [Remark(1, "columns")])
        case "script":
            return read_script(text)
        case _:
            return read_long_text(text)
