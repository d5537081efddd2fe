"""What marks a file carries, what they prove, and what not: for people and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from app.core import sound_files
from app.core.audio_files import AudioFileError
from app.core.engine_api import PieceScore, Watermark
from app.marks import credentials, label, long
from app.marks.credentials import Credentials
from app.marks.errors import ContainerError
from app.marks.label import Covers, Kind, Label
from app.marks.watermark import NAME, PRESENT, overall

# "intact": there is a mark and nothing contradicts it; "broken": one does not fit the file; "none": no mark.
Verdict = Literal["intact", "broken", "none"]
LIMITS = (
    "Marks help honest people. Label and credentials can be taken off by anyone who saves the file anew, and the "
    "watermark by changing the pitch: a file without marks may still be generated."
)


@dataclass(frozen=True)
class FoundLabel:
    """The label, and what its hash covers."""

    label: Label
    covers: Covers


@dataclass(frozen=True)
class FoundWatermark:
    """What the detector says: the mean ``score`` (0..1, None where nothing could be heard), and piece by piece."""

    score: float | None
    pieces: tuple[PieceScore, ...]

    @property
    def present(self) -> bool:
        """Whether the mark is in it, at least in a part."""
        return any(piece.score is not None and piece.score >= PRESENT for piece in self.pieces)


@dataclass(frozen=True)
class Verification:
    """All that was found in a file. ``problems`` are sentences about what could not be read."""

    path: Path
    kind: Kind | None
    label: FoundLabel | None = None
    credentials: Credentials = field(default_factory=lambda: Credentials("absent"))
    watermark: FoundWatermark | None = None
    problems: tuple[str, ...] = ()
    damaged: bool = False

    @property
    def verdict(self) -> Verdict:
        """All marks in one word."""
        broken_label = self.label is not None and self.label.covers == "nothing"
        foreign = self.label is not None and not self.label.label.reserved_code1
        if self.damaged or self.credentials.state == "invalid" or (broken_label and not foreign):
            return "broken"
        marked = self.watermark is not None and self.watermark.present
        return "intact" if self.label is not None or self.credentials.intact or marked else "none"

    def sentences(self) -> tuple[str, ...]:
        """What is there, what it proves, and what not."""
        return (
            _on_label(self.label),
            credentials.in_words(self.credentials),
            _on_watermark(self.watermark),
            *self.problems,
            LIMITS,
        )

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        found: dict[str, Any] = {
            "file": str(self.path),
            "format": self.kind,
            "verdict": self.verdict,
            "label": None,
            "credentials": {**asdict(self.credentials), "says_generated": self.credentials.says_generated},
            "watermark": None,
            "sentences": list(self.sentences()),
        }
        if self.label is not None:
            found["label"] = {"fields": self.label.label.fields(), "covers": self.label.covers}
        if self.watermark is not None:
            found["watermark"] = {
                "name": NAME,
                "present": self.watermark.present,
                "score": self.watermark.score,
                "pieces": [piece._asdict() for piece in self.watermark.pieces],
            }
        return found


def verify(path: Path, watermark: Watermark | None, authority: bytes | None = None) -> Verification:
    """Look for every mark in a file. Without ``watermark`` that one is not looked for.

    ``authority`` is a certificate (PEM) that content credentials may be trusted by.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        kind = label.kind_of(file)
    if kind is None:
        return Verification(path, None, problems=("This is no WAV, FLAC, MP3 or Ogg file, which is all that is read.",))
    problems: list[str] = []
    found, damaged, heard = None, False, None
    try:
        read = label.read(path, kind)
        if read is not None:
            found = FoundLabel(read, read.covers(label.sound_digest(path, kind)))
    except ContainerError as error:
        problems.append(str(error))
        damaged = True
    if watermark is not None:
        try:
            rate, sections = sound_files.sections(path, long.SECTION_SECONDS)
        except AudioFileError as error:
            problems.append(f"The sound cannot be read ({error.reason}).")
        else:
            pieces = long.scores(watermark, sections, rate)
            heard = FoundWatermark(overall(pieces), pieces)
    return Verification(path, kind, found, credentials.read(path, kind, authority), heard, tuple(problems), damaged)


def _on_label(found: FoundLabel | None) -> str:
    if found is None:
        return "There is no label (AIGC, GB 45438-2025)."
    stated = {"1": "is generated", "2": "may be generated", "3": "is suspected to be generated"}
    says = stated.get(found.label.label, f"has the mark {found.label.label!r}, which is not in the standard")
    head = f"The label (AIGC) says that the sound {says}, by {found.label.content_producer or 'an unnamed producer'}."
    if not found.label.reserved_code1:
        return f"{head} It has no hash: whether it belongs to this sound cannot be told."
    match found.covers:
        case "sound":
            return (
                f"{head} Its hash fits the sound: neither was changed alone. It is no signature; anyone can make one."
            )
        case "label":
            return f"{head} Its hash covers the label alone, as in a stream: it may have come from another file."
        case _:
            return f"{head} Its hash does not fit: the sound or the label was changed, or another program made it."


def _on_watermark(found: FoundWatermark | None) -> str:
    if found is None:
        return "The watermark was not looked for."
    if found.score is None:
        return "There is too little sound to look for a watermark."
    where = [piece for piece in found.pieces if piece.score is not None and piece.score >= PRESENT]
    if not where:
        return f"There is no watermark ({NAME}: {found.score:.2f} of 1)."
    part = (
        "all of it"
        if len(where) == len([p for p in found.pieces if p.score is not None])
        else ("a part of it: " + ", ".join(f"{piece.start:.0f}-{piece.end:.0f} s" for piece in where))
    )
    return (
        f"There is a watermark ({NAME}: {found.score:.2f} of 1) in {part}. It says that a program that uses this "
        "watermark made the sound, not which one or who used it."
    )
