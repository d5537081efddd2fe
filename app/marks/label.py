"""The machine-readable label of GB 45438-2025 (Annex E): a JSON object under the name AIGC in the file's metadata.

ReservedCode1, which the standard leaves to the producer, holds a SHA-256 over the other fields and the coded sound.
It shows that label and sound belong together; it is no signature, since everybody can compute it.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

from app.marks import flac, id3, ogg, riff
from app.marks.errors import ContainerError

Kind = Literal["wav", "flac", "mp3", "ogg"]
# What ReservedCode1 covers: the label and the sound, the label alone (a stream), or neither any more.
Covers = Literal["sound", "label", "nothing"]
GENERATED = "1"  # 2 would be "possibly", 3 "suspected"
_VALUE = re.compile(r"[!#-\[\]-~]*")  # printable ASCII without space, quote and backslash
_KEYS = ("Label", "ContentProducer", "ProduceID", "ReservedCode1", "ContentPropagator", "PropagateID", "ReservedCode2")


@dataclass(frozen=True)
class Label:
    """The fields under their names in the standard, in its order. Values are ASCII without spaces.

    Raises ValueError for other values.
    """

    label: str
    content_producer: str
    produce_id: str
    reserved_code1: str = ""
    content_propagator: str = ""
    propagate_id: str = ""
    reserved_code2: str = ""

    def __post_init__(self) -> None:
        for key, value in zip(_KEYS, self._values(), strict=True):
            if not _VALUE.fullmatch(value):
                raise ValueError(f"{key} of a label takes ASCII without spaces and quotes, not {value!r}.")

    def fields(self) -> dict[str, str]:
        """The values under their names in the standard."""
        return dict(zip(_KEYS, self._values(), strict=True))

    def text(self) -> str:
        """The JSON that goes into a file."""
        return json.dumps(self.fields(), separators=(",", ":"))

    def code(self, sound_digest: str) -> str:
        """What ReservedCode1 has to be; ``sound_digest`` (hex) is empty where only the label is covered."""
        bare = replace(self, reserved_code1="")
        return hashlib.sha256(f"{bare.text()}\n{sound_digest}".encode()).hexdigest()

    def covers(self, sound_digest: str) -> Covers:
        """What ReservedCode1 covers, given the digest of the sound that the label was found with."""
        if self.reserved_code1 == self.code(sound_digest):
            return "sound"
        return "label" if self.reserved_code1 == self.code("") else "nothing"

    def _values(self) -> tuple[str, ...]:
        return (
            self.label,
            self.content_producer,
            self.produce_id,
            self.reserved_code1,
            self.content_propagator,
            self.propagate_id,
            self.reserved_code2,
        )


def make(producer: str, produce_id: str, sound_digest: str) -> Label:
    """The label of generated sound that ``producer`` made and passes on; ids are unique to one file."""
    bare = Label(GENERATED, producer, produce_id, "", producer, produce_id)
    return replace(bare, reserved_code1=bare.code(sound_digest))


def parse(text: str) -> Label:
    """Read a label, also one of other producers: fields may lack, and numbers are taken for their digits.

    Raises:
        ContainerError: it is no label.
    """
    try:
        raw = json.loads(text)
        if not isinstance(raw, dict) or "Label" not in raw:
            raise ValueError("no Label")
        return Label(*(str(raw.get(key, "")) for key in _KEYS))
    except (ValueError, RecursionError) as error:
        raise ContainerError("The metadata AIGC of this file is no label.") from error


def kind_of(file: BinaryIO) -> Kind | None:
    """What a file is by its first bytes, None for anything that carries no label here."""
    file.seek(0)
    head = file.read(12)
    if riff.is_wav(head):
        return "wav"
    if head[:4] == b"OggS":
        return "ogg"
    file.seek(id3.length(file))
    if file.read(4) == b"fLaC":
        return "flac"
    return "mp3" if id3.is_mp3(file) else None


def read(path: Path, kind: Kind) -> Label | None:
    """The label of a file, None without one.

    Raises:
        ContainerError: the file or its label is damaged.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        match kind:
            case "wav":
                text = riff.read_label(file)
            case "flac":
                text = flac.read_label(file)
            case "mp3":
                text = id3.read_label(file)
            case "ogg":
                text = ogg.read_label(file)
    return None if text is None else parse(text)


def sound_digest(path: Path, kind: Kind) -> str:
    """SHA-256 (hex) of the coded sound of a file without its metadata.

    Raises:
        ContainerError: the file is damaged.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        match kind:
            case "wav":
                return riff.sound_digest(file)
            case "flac":
                return flac.sound_digest(file)
            case "mp3":
                return id3.sound_digest(file)
            case "ogg":
                return ogg.sound_digest(file)


def write(source: Path, target: Path, kind: Kind, label: Label) -> None:
    """Write ``source`` with the label to ``target``, which is made or overwritten.

    Raises:
        ContainerError: the file is damaged, has a label, or cannot hold one.
        OSError: it cannot be written.
    """
    with source.open("rb") as read_from, target.open("wb+") as written:
        match kind:
            case "wav":
                riff.add_label(read_from, written, label.text())
            case "flac":
                flac.add_label(read_from, written, label.text())
            case "mp3":
                id3.add_label(read_from, written, label.text())
            case "ogg":
                ogg.add_label(read_from, written, label.text())
