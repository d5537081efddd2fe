"""What a project is made of: parts, each with a version of its own, so that later ones can join without a new format.

A part is a dict of plain JSON values. A part that this version does not know is kept as it is, for the one that does.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Data = dict[str, Any]

LONGEST_NAME = 200
LONGEST_TEXT = 1_000_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")


class PartError(ValueError):
    """The content of a part is not what the part may hold."""


@dataclass(frozen=True)
class PartType:
    """One kind of part. ``check`` raises PartError for content that will not do.

    ``steps``: for each older version the function that makes the next version's content of its content, which it may
    change and return.
    """

    name: str
    version: int
    default: Data
    check: Callable[[Data], None]
    steps: Mapping[int, Callable[[Data], Data]] = field(default_factory=dict)

    def new(self) -> Data:
        """Return the content of a new project."""
        return copy.deepcopy(self.default)

    def upgraded(self, version: int, data: Data) -> Data:
        """Return content of this version made of that of ``version``, which may be changed for it; checked.

        Raises:
            PartError: it cannot be brought up to date, or will not do.
        """
        while version < self.version:
            if version not in self.steps:
                raise PartError(f"{self.name}: version {version} cannot be read any more")
            try:
                data = self.steps[version](data)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise PartError(f"{self.name}: version {version} cannot be brought up to date") from error
            version += 1
        self.check(data)
        return data


def check_plain(data: Any) -> None:
    """Raise PartError for what JSON does not bring back as it was: other types, keys, NaN, lone surrogates."""
    try:
        text = json.dumps(data, allow_nan=False, ensure_ascii=False)
        text.encode("utf-8")
        same = json.loads(text) == data
    except (TypeError, ValueError, RecursionError) as error:
        raise PartError(f"it holds what cannot be saved ({error})") from error
    if not same:
        raise PartError("it holds what is not read back as it was saved")


def _check_general(data: Data) -> None:
    _keys("general", data, {"name", "notes"})
    _text("the name", data["name"], LONGEST_NAME)
    _text("the notes", data["notes"], LONGEST_TEXT)
    if "\n" in data["name"]:
        raise PartError("the name is one line")


def _check_drafts(data: Data) -> None:
    for key, text in data.items():
        if not _ID.fullmatch(key):
            raise PartError("drafts are kept for each field, by the field's key")
        _text(f"the draft {key}", text, LONGEST_TEXT)


def _check_chosen(data: Data) -> None:
    _keys("chosen", data, {"takes", "voices"})
    for kind, ids in data.items():
        if not isinstance(ids, list) or not all(isinstance(each, str) and _ID.fullmatch(each) for each in ids):
            raise PartError(f"chosen {kind} are a list of ids")
        if len(set(ids)) != len(ids):
            raise PartError(f"chosen {kind} name one of them twice")


def _keys(part: str, data: Data, wanted: set[str]) -> None:
    if data.keys() != wanted:
        raise PartError(f"{part} holds {', '.join(sorted(wanted))} and nothing else")


def _text(what: str, value: object, longest: int) -> None:
    if not isinstance(value, str) or len(value) > longest:
        raise PartError(f"{what} is a text of at most {longest} characters")


GENERAL = PartType("general", 1, {"name": "", "notes": ""}, _check_general)
DRAFTS = PartType("drafts", 1, {}, _check_drafts)
"""Panel and field -> what was typed there: {"design.text": "..."}."""
CHOSEN = PartType("chosen", 1, {"takes": [], "voices": []}, _check_chosen)
PARTS = (GENERAL, DRAFTS, CHOSEN)
"""Dubbing and whatever else keeps something in a project adds its own here, or gives ``Project.open`` another tuple."""
