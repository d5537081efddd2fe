"""Names of the files of single cues and stems, from a template with a closed list of fields."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

FIELDS = ("number", "character", "cue", "take", "start", "end")
"""``number`` from 1 on, ``start`` and ``end`` as ``hh-mm-ss-mmm``; ``cue`` and ``take`` are ids."""
DEFAULT = "{number:04}_{character}"
_SPEC = re.compile(r"0?[1-9]?")
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_RESERVED = {"con", "prn", "aux", "nul"} | {f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)}
_LONGEST = 80


class TemplateError(ValueError):
    """A template that cannot be used; the message says why."""


def check_template(template: str) -> None:
    """Raise TemplateError for fields that do not exist, formats other than of numbers, and ways out of the folder."""
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise TemplateError(f"The name {template!r} cannot be read: {error}.") from error
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if name not in FIELDS or conversion:
            raise TemplateError(f"A name has the fields {', '.join(FIELDS)}, not {name!r}.")
        if spec and (name != "number" or not _SPEC.fullmatch(spec)):
            raise TemplateError(f"Only a number has a width, as in {{number:04}}, not {name!r}.")
    path = PurePosixPath(template)
    bad = path.is_absolute() or "\\" in template or ":" in re.sub(r"\{[^{}]*\}", "", template)
    if not template.strip() or bad or any(part in ("..", ".") for part in template.split("/")) or "//" in template:
        raise TemplateError(f"The name {template!r} leads out of its folder, or is none.")


def file_for(folder: Path, template: str, values: Mapping[str, str | int], suffix: str) -> Path:
    """Return the file below ``folder`` that a template names; parts that no disk takes are made ones that all take.

    Raises:
        TemplateError: see ``check_template``; or the place lies outside of ``folder``.
    """
    check_template(template)
    safe = {name: value if isinstance(value, int) else part_of_name(value) for name, value in values.items()}
    parts = [part_of_name(part) for part in template.format(**safe).split("/")]
    path = folder.joinpath(*parts)
    path = path.with_name(path.name + suffix)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise TemplateError(f"The name {template!r} leads out of its folder.")
    return path


def part_of_name(text: str) -> str:
    """Return ``text`` as a part of a path on any system."""
    clean = _FORBIDDEN.sub("_", text).strip(" .")[:_LONGEST].strip(" .")
    if clean.split(".")[0].lower() in _RESERVED:
        clean = f"_{clean}"
    return clean or "_"


def clock(milliseconds: int) -> str:
    """Return a time as part of a name."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}-{seconds // 60 % 60:02}-{seconds % 60:02}-{rest:03}"
