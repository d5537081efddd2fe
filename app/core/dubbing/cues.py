"""What a dub is made of: cues with stable ids, their takes, the cast, and how all of it stands in a project."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.core.project_parts import Data, PartError, PartType

MOST_CUES = 20_000
LONGEST_CUE = 20_000  # characters
LONGEST_NAME = 200
LONGEST_MS = 100 * 3600 * 1000
MOST_TAKES = 100
MOST_WORDS = 5_000
BREAKS = ("", "paragraph", "chapter")

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CUE_KEYS = {"start", "end", "text", "character", "voice", "style", "break", "takes", "chosen"}
_TAKE_KEYS = {"take", "made_of", "speech_ms"}
_CAST_KEYS = {"voice", "description", "style"}
_PART_KEYS = {"cues", "order", "cast", "words", "sound"}


@dataclass(frozen=True)
class CueTake:
    """A take of a cue: its id in the library, the key of what it was made of, and how long its speech is."""

    take: str
    made_of: str
    speech_ms: int


@dataclass(frozen=True)
class Cue:
    """One line with in and out time in milliseconds; both None where there is no picture to keep to.

    ``voice``: a saved voice of its own instead of the character's; ``style``: a note of its own. ``before`` is what
    stands before it in a long text: a paragraph, a chapter, or nothing. ``takes``: oldest first; ``chosen``: one of
    their ids, "" for none.
    """

    cue_id: str
    text: str
    start: int | None = None
    end: int | None = None
    character: str = ""
    voice: str = ""
    style: str = ""
    before: str = ""
    takes: tuple[CueTake, ...] = ()
    chosen: str = ""

    @property
    def chosen_take(self) -> CueTake | None:
        """The take that is heard."""
        return next((take for take in self.takes if take.take == self.chosen), None)

    def without(self, lost: frozenset[str]) -> Cue:
        """The cue as if it had none of these takes."""
        if not any(take.take in lost for take in self.takes):
            return self
        kept = tuple(take for take in self.takes if take.take not in lost)
        return replace(self, takes=kept, chosen="" if self.chosen in lost else self.chosen)

    def to_plain(self) -> Data:
        """Return what the project keeps below the cue's id."""
        return {
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "character": self.character,
            "voice": self.voice,
            "style": self.style,
            "break": self.before,
            "takes": [{"take": one.take, "made_of": one.made_of, "speech_ms": one.speech_ms} for one in self.takes],
            "chosen": self.chosen,
        }

    @classmethod
    def from_plain(cls, cue_id: str, data: Mapping[str, Any]) -> Cue:
        """Read what a checked part holds."""
        takes = tuple(CueTake(**each) for each in data["takes"])
        same = {name: data[name] for name in ("start", "end", "text", "character", "voice", "style", "chosen")}
        return cls(cue_id=cue_id, before=data["break"], takes=takes, **same)


@dataclass(frozen=True)
class Role:
    """How a character speaks: a saved voice by its id, or a description in words, and a style note."""

    voice: str = ""
    description: str = ""
    style: str = ""


@dataclass(frozen=True)
class Dub:
    """All of a dub as it is now: cues in order, the cast by character, words and how they are said, the bed."""

    cues: tuple[Cue, ...] = ()
    cast: Mapping[str, Role] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    sound: Mapping[str, Any] | None = None

    @property
    def characters(self) -> tuple[str, ...]:
        """Every character that speaks, in the order of their first cues; "" for cues of nobody in particular."""
        return tuple(dict.fromkeys(cue.character for cue in self.cues))

    def cue(self, cue_id: str) -> Cue:
        """Return one cue; KeyError when there is none."""
        for cue in self.cues:
            if cue.cue_id == cue_id:
                return cue
        raise KeyError(cue_id)

    def role_of(self, cue: Cue) -> Role:
        """How a cue is spoken: what it says itself comes before what its character has."""
        role = self.cast.get(cue.character, Role())
        return replace(role, voice=cue.voice or role.voice, style=cue.style or role.style)


def new_id() -> str:
    """Return an id for a new cue."""
    return str(uuid.uuid4())


def read_dub(data: Data) -> Dub:
    """Return the dub in a checked part."""
    cues = tuple(Cue.from_plain(cue_id, data["cues"][cue_id]) for cue_id in data["order"])
    cast = {name: Role(**role) for name, role in data["cast"].items()}
    return Dub(cues, cast, dict(data["words"]), data["sound"])


def made_of(spoken: str, role: Role) -> str:
    """Return the key of what a take is made of: the text as it is spoken, the voice, the description and the style.

    A cue whose chosen take has another key is stale. Seeds and the quality of computing are not part of it: another
    seed gives another take, not a wrong one.
    """
    said = json.dumps([spoken, role.voice, role.description, role.style], ensure_ascii=False)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def check_dub(data: Data) -> None:
    """Raise PartError unless ``data`` may be the part of a project."""
    if data.keys() != _PART_KEYS or not all(isinstance(data[name], dict) for name in ("cues", "cast", "words")):
        raise PartError(f"dubbing holds {', '.join(sorted(_PART_KEYS))} and nothing else")
    cues, order = data["cues"], data["order"]
    if not isinstance(order, list) or len(cues) > MOST_CUES:
        raise PartError(f"a dub has at most {MOST_CUES} cues, and their order as a list")
    if len(order) != len(cues) or not all(isinstance(each, str) for each in order) or set(order) != set(cues):
        raise PartError("the order of a dub names every cue once")
    for cue_id, cue in cues.items():
        _check_cue(cue_id, cue)
    for name, role in data["cast"].items():
        _check_line("the name of a character", name)
        if not isinstance(role, dict) or role.keys() != _CAST_KEYS:
            raise PartError("a character has a voice, a description and a style")
        _check_id(role["voice"], may_be_empty=True)
        _check_text("a description", role["description"], LONGEST_CUE)
        _check_text("a style note", role["style"], LONGEST_CUE)
    if len(data["words"]) > MOST_WORDS:
        raise PartError(f"a dictionary has at most {MOST_WORDS} words")
    for word, said in data["words"].items():
        _check_line("a word of the dictionary", word)
        _check_line("how a word is said", said)
        if not word.strip():
            raise PartError("a word of the dictionary is not empty")
    if data["sound"] is not None:
        from app.core.project_files import FileReference

        FileReference.from_plain(data["sound"])


def _check_cue(cue_id: object, cue: Any) -> None:
    _check_id(cue_id)
    if not isinstance(cue, dict) or cue.keys() != _CUE_KEYS:
        raise PartError(f"a cue has {', '.join(sorted(_CUE_KEYS))}")
    _check_text("the text of a cue", cue["text"], LONGEST_CUE)
    _check_text("a style note", cue["style"], LONGEST_CUE)
    _check_line("the name of a character", cue["character"])
    _check_id(cue["voice"], may_be_empty=True)
    if cue["break"] not in BREAKS:
        raise PartError("before a cue stands a paragraph, a chapter or nothing")
    start, end = cue["start"], cue["end"]
    if (start, end) != (None, None) and not (_is_ms(start) and _is_ms(end) and start < end):
        raise PartError("a cue ends after it starts, both in milliseconds, or has no times")
    takes = cue["takes"]
    if not isinstance(takes, list) or len(takes) > MOST_TAKES:
        raise PartError(f"a cue has at most {MOST_TAKES} takes")
    for take in takes:
        if not isinstance(take, dict) or take.keys() != _TAKE_KEYS or not isinstance(take["made_of"], str):
            raise PartError("a take of a cue has an id, what it was made of, and a length")
        _check_id(take["take"])
        if not _is_ms(take["speech_ms"]):
            raise PartError("the length of a take is in milliseconds")
    ids = [take["take"] for take in takes]
    if len(set(ids)) != len(ids) or (cue["chosen"] != "" and cue["chosen"] not in ids):
        raise PartError("the chosen take of a cue is one of its takes")


def _is_ms(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LONGEST_MS


def _check_id(value: object, *, may_be_empty: bool = False) -> None:
    if not isinstance(value, str) or not ((may_be_empty and not value) or _UUID.fullmatch(value)):
        raise PartError("cues, takes and voices are named by UUIDs")


def _check_text(what: str, value: object, longest: int) -> None:
    if not isinstance(value, str) or len(value) > longest:
        raise PartError(f"{what} is a text of at most {longest} characters")


def _check_line(what: str, value: object) -> None:
    _check_text(what, value, LONGEST_NAME)
    assert isinstance(value, str)
    if "\n" in value or "\r" in value:
        raise PartError(f"{what} is one line")


DUBBING = PartType("dubbing", 1, {"cues": {}, "order": [], "cast": {}, "words": {}, "sound": None}, check_dub)
"""What a project keeps of its dub."""
