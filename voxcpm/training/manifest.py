"""The training manifest: one JSON object a line, checked by one function for everybody who reads it. Loads no torch.

Keys: ``audio`` and ``text`` (must be there), ``ref_audio`` (another recording of the same voice), ``voice``, ``domain``
(what the text is from), ``dataset_id``, ``source``, ``licence``, ``territory``, ``consent_record_id``. Paths are
relative to the manifest's folder and stay inside it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from voxcpm.audio import MIN_SECONDS
from voxcpm.errors import AudioError, DatasetError, RequestError
from voxcpm.foreign_audio import probe_audio
from voxcpm.text import check_speakable, fold_text

MAX_SECONDS = 300.0
"""Longer recordings are left out: they would have to be cut together with their text."""
LOW_RATE = 16_000
"""Recordings below this many Hz lack the upper part of speech."""

_TEXT_KEYS = ("voice", "domain", "source", "licence", "territory", "consent_record_id")
_SPELLINGS = {"license": "licence", "reference": "ref_audio"}
_KNOWN = {"audio", "text", "ref_audio", "dataset_id", "duration", *_TEXT_KEYS}

ERROR, DROPPED, NOTE = "error", "dropped", "note"


@dataclass(frozen=True)
class Recorded:
    """An audio file, known by its header and content."""

    path: Path
    content: str
    """SHA-256 of the file."""
    seconds: float
    sample_rate: int


@dataclass(frozen=True)
class Entry:
    """One line that can be learned from."""

    line: int
    audio: Recorded
    text: str
    reference: Recorded | None
    dataset_id: str
    voice: str
    domain: str
    source: str
    licence: str
    territory: str
    consent_record_id: str
    raw: dict[str, Any] = field(compare=False, repr=False)
    """The line itself."""

    @property
    def speaker(self) -> str:
        """Who speaks, as well as the manifest says."""
        return self.voice or f"dataset {self.dataset_id}"


@dataclass(frozen=True)
class Finding:
    """Something about one line. Errors stop all work, dropped lines are left out, notes are for reading."""

    line: int
    severity: str
    code: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


@dataclass(frozen=True)
class Checked:
    """The verdict on a manifest."""

    path: Path
    read: int
    """Lines that are not blank."""
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    content: str
    """SHA-256 of the manifest."""

    def of(self, severity: str) -> list[Finding]:
        """The findings of one severity."""
        return [finding for finding in self.findings if finding.severity == severity]

    def dropped(self) -> Counter[str]:
        """How many lines were left out, by reason."""
        return Counter(finding.code for finding in self.of(DROPPED))

    def consent_ids(self) -> tuple[str, ...]:
        """Consent records of the people in it, sorted."""
        return tuple(sorted({entry.consent_record_id for entry in self.entries} - {""}))

    def require(self) -> None:
        """Raise :class:`DatasetError` with every error and its line if there are any."""
        errors = self.of(ERROR)
        if errors:
            raise DatasetError(
                f"{self.path.name} has {len(errors)} errors in {self.read} lines; mend them and run it again:",
                [str(error) for error in errors],
            )

    def shared_with(self, other: Checked) -> list[str]:
        """What a manifest to learn from and one to judge by have in common, a sentence for each kind."""
        kinds: dict[str, Callable[[Entry], str]] = {
            "recordings": lambda entry: entry.audio.content,
            "texts": lambda entry: entry.text.casefold(),
            "voices": lambda entry: entry.speaker,
        }
        counts = {
            what: len({of(e) for e in self.entries} & {of(e) for e in other.entries}) for what, of in kinds.items()
        }
        return [
            f"{count} {what} are in the training and the validation manifest: validation will look better than it is "
            "('prepare --split' makes manifests that share nothing)"
            for what, count in counts.items()
            if count
        ]


def check_for_training(path: str) -> Checked:
    """A manifest without errors, and with something to learn from. Raises :class:`DatasetError`."""
    checked = check_manifest(Path(path))
    checked.require()
    if not checked.entries:
        gone = ", ".join(f"{count} {reason}" for reason, count in sorted(checked.dropped().items())) or "none"
        raise DatasetError(
            f"nothing is left to learn from. {checked.path.name}: {checked.read} lines read, 0 kept, left out: "
            f"{gone}. Write a line for every recording: audio and its exact text, some ten minutes in all"
        )
    return checked


def check_manifest(path: Path, *, min_seconds: float = MIN_SECONDS, max_seconds: float = MAX_SECONDS) -> Checked:
    """Read and check a whole manifest; nothing is raised for what is wrong in it, see :meth:`Checked.require`.

    :class:`DatasetError` only if the file itself cannot be read as UTF-8 text.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read as UTF-8 text ({error}); give a JSONL manifest") from error
    checker = _Checker(path.parent.resolve(), min_seconds, max_seconds)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    entries = [entry for number, line in lines if (entry := checker.line(number, line)) is not None]
    digest = hashlib.sha256(content).hexdigest()
    return Checked(path, len(lines), tuple(entries), tuple(checker.findings), digest)


class _Refused(ValueError):  # noqa: N818 (a verdict on one line, never shown as it is)
    def __init__(self, code: str, message: str, severity: str = ERROR) -> None:
        super().__init__(message)
        self.code, self.severity = code, severity


class _Checker:
    def __init__(self, folder: Path, min_seconds: float, max_seconds: float) -> None:
        self.folder, self.min_seconds, self.max_seconds = folder, min_seconds, max_seconds
        self.findings: list[Finding] = []
        self.seen: dict[tuple[str, str], int] = {}
        self.texts: dict[str, tuple[int, str]] = {}
        self.recorded: dict[Path, Recorded] = {}

    def line(self, number: int, line: str) -> Entry | None:
        """The entry of one line, or None with findings that say why not."""
        raw = self._object(number, line)
        if raw is None:
            return None
        values: dict[str, Any] = {}
        refused = False
        for key, read in (
            ("text", lambda: self._text(raw)),
            ("audio", lambda: self._audio(raw, "audio")),
            ("reference", lambda: self._audio(raw, "ref_audio") if raw.get("ref_audio") else None),
            ("labels", lambda: self._labels(raw)),
        ):
            try:
                values[key] = read()
            except _Refused as refusal:  # every fault of the line is told, not only the first
                refused = True
                self.findings.append(Finding(number, refusal.severity, refusal.code, str(refusal)))
        if refused:
            return None
        entry = Entry(number, values["audio"], values["text"], values["reference"], **values["labels"], raw=raw)
        return entry if self._is_new(entry) else None

    def _object(self, number: int, line: str) -> dict[str, Any] | None:
        try:
            raw = json.loads(line)
        except ValueError as error:
            self.findings.append(Finding(number, ERROR, "json", f"is no JSON ({error})"))
            return None
        if not isinstance(raw, dict):
            found = type(raw).__name__
            self.findings.append(Finding(number, ERROR, "json", f"must be a JSON object, found {found}"))
            return None
        raw = {_SPELLINGS.get(key, key): value for key, value in raw.items()}
        unknown = sorted(set(raw) - _KNOWN)
        if unknown:
            self.findings.append(Finding(number, NOTE, "unknown", f"keys not known here: {', '.join(unknown)}"))
        return raw

    def _text(self, raw: dict[str, Any]) -> str:
        try:
            check_speakable(raw.get("text"), "text")
        except RequestError as error:
            raise _Refused("text", str(error)) from None
        return fold_text(raw["text"]).strip()

    def _labels(self, raw: dict[str, Any]) -> dict[str, str]:
        labels = {}
        for key in _TEXT_KEYS:
            value = raw.get(key)
            if value is not None and not isinstance(value, str):
                raise _Refused("field", f"{key} must be text, found {value!r}")
            labels[key] = (value or "").strip()
        dataset = raw.get("dataset_id", 0)
        if isinstance(dataset, bool) or not isinstance(dataset, (int, str)):
            raise _Refused("field", f"dataset_id must be a number or text, found {dataset!r}")
        return {**labels, "dataset_id": str(dataset)}

    def _audio(self, raw: dict[str, Any], key: str) -> Recorded:
        value = raw.get(key)
        if not isinstance(value, str) or not value.strip():
            raise _Refused("field", f"{key} must be the path of a file, found {value!r}")
        path = self._inside(value, key)
        if path not in self.recorded:
            try:
                seconds, rate, _ = probe_audio(path)
                self.recorded[path] = Recorded(path, _hash(path), seconds, rate)
            except AudioError as error:
                raise _Refused(error.reason, f"{key} {value}: {error}") from None
            except OSError as error:
                raise _Refused("unreadable", f"{key} {value} cannot be read: {error.strerror or error}") from None
        recorded = self.recorded[path]
        if recorded.seconds < self.min_seconds:
            limit = f"at least {self.min_seconds:g} s are needed"
            raise _Refused("too short", f"{key} {value} is {recorded.seconds:.2f} s long, {limit}", DROPPED)
        if recorded.seconds > self.max_seconds:
            limit = f"at most {self.max_seconds:g} s are used; cut it together with its text"
            raise _Refused("too long", f"{key} {value} is {recorded.seconds:.0f} s long, {limit}", DROPPED)
        return recorded

    def _inside(self, value: str, key: str) -> Path:
        if PurePosixPath(value).is_absolute() or PureWindowsPath(value).drive or PureWindowsPath(value).root:
            raise _Refused("path", f"{key} {value} must be relative to the manifest's folder")
        try:
            path = (self.folder / value).resolve()
        except (OSError, ValueError, RuntimeError):  # zero bytes, names far too long, links in a circle
            raise _Refused("path", f"{key} {value!r} is no path that can exist here") from None
        if not path.is_relative_to(self.folder):
            raise _Refused("path", f"{key} {value} leaves the manifest's folder; move the audio into it")
        if not path.is_file():
            raise _Refused("missing", f"{key} {value} does not exist")
        return path

    def _is_new(self, entry: Entry) -> bool:
        if entry.audio.sample_rate < LOW_RATE:
            rate = f"has only {entry.audio.sample_rate} samples a second: the upper part of speech is missing"
            self.findings.append(Finding(entry.line, NOTE, "low rate", f"{entry.raw['audio']} {rate}"))
        first, text = self.texts.setdefault(entry.audio.content, (entry.line, entry.text))
        if text != entry.text:
            message = f"is the recording of line {first} with another text; one of the two is wrong"
            self.findings.append(Finding(entry.line, ERROR, "contradiction", message))
            return False
        key = (entry.audio.content, entry.reference.content if entry.reference else "")
        first = self.seen.setdefault(key, entry.line)
        if first != entry.line:
            message = f"the same recording and text as line {first}"
            self.findings.append(Finding(entry.line, DROPPED, "duplicate", message))
        return first == entry.line


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def manifest_lines(entries: Sequence[Entry]) -> bytes:
    """The lines of ``entries`` as they were, for a file beside their manifest."""
    return "".join(json.dumps(entry.raw, ensure_ascii=False) + "\n" for entry in entries).encode()


def split_groups(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Groups that share nothing with one another: no voice, no text domain, no recording and no text. Largest first."""
    owner: dict[tuple[str, str], int] = {}
    parent = list(range(len(entries)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for index, entry in enumerate(entries):
        for mark in _marks(entry):
            parent[root(index)] = root(owner.setdefault(mark, index))
    groups: dict[int, list[Entry]] = {}
    for index, entry in enumerate(entries):
        groups.setdefault(root(index), []).append(entry)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0].line))


def _marks(entry: Entry) -> Iterator[tuple[str, str]]:
    yield "speaker", entry.speaker
    if entry.domain:
        yield "domain", entry.domain
    yield "text", entry.text.casefold()
    yield "recording", entry.audio.content
    if entry.reference is not None:
        yield "recording", entry.reference.content
