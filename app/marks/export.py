"""The one door: every sound that leaves as a file goes through ``export_audio`` (or, while it is made, ``stream``).

Order: resample where the format needs it, the notice that can be heard, watermark, encode, label, content credentials
last, since each step would break the one behind it. All of it happens under a temporary name; the file is read back,
and only one that carries every mark it should gets its name.
"""

from __future__ import annotations

import hashlib
import logging
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from app.core.engine_api import Watermark
from app.marks import credentials, label, long
from app.marks.audible import with_notice
from app.marks.choice import MARKS, Mark, MarkChoice, MarkTools, Origin
from app.marks.errors import ContainerError, ExportError, MarkError, MarkMissingError
from app.marks.formats import SUFFIXES, Format, encode, format_for, rate_of
from app.marks.identity import SECRET_NAME, Identity, make_secret, read_secret
from app.marks.placing import cannot_write, check_target, flush, publish, temporary_files
from app.marks.watermark import PRESENT, Samples, overall

log = logging.getLogger(__name__)

# "impossible": the format cannot carry the mark, or the sound is silent, too short or too plain for it.
Fate = Literal["made", "left_out", "impossible"]
_CLEAR = 0.9  # speech scores above 0.95 before it is encoded; what scores less hardly carries the watermark at all
_PIECE = 1 << 20


@dataclass(frozen=True)
class Exported:
    """A file that left: where, what it holds, and what became of each mark. ``sha256`` is that of the whole file."""

    path: Path
    sha256: str
    size: int
    sample_rate: int
    seconds: float
    produce_id: str
    marks: dict[Mark, Fate]
    notes: tuple[str, ...] = ()


def export_audio(
    samples: Samples,
    sample_rate: int,
    path: Path,
    *,
    origin: Origin,
    tools: MarkTools,
    form: Format | None = None,
    choice: MarkChoice | None = None,
    overwrite: bool = False,
    produce_id: str = "",
    tick: long.Tick = long.nothing,
) -> Exported:
    """Write ``samples`` (float32 [n] or [n, channels], -1..1, at ``sample_rate`` Hz) to ``path`` with its marks.

    The format is that of the name unless ``form`` is given. The audit log hears of the file before it gets its name.
    ``produce_id``: a UUID that stands in the label; a new one unless given, as for a mix that has to come out again
    byte for byte. Long sound is worked on in pieces, and may lie on the disk (``numpy.memmap``). ``tick`` is called
    between steps; what it raises gives the export up.

    Raises:
        ExportError: the place will not do, or the disk does not take it; MarkMissingError: a mark was not found in
            the finished file. What stood under the name before stays as it was.
        MarkError: a mark cannot be made (WatermarkUnavailable: install it, or leave the mark out with a reason).
        ValueError: there is no sound, or it holds values that are no numbers.
    """
    form = form or format_for(path)
    if format_for(path).name != form.name:
        raise ExportError(f"{path}: the name of a {form.name} file has to end in {_suffix(form)}.")
    check_samples(samples)
    check_target(path, overwrite=overwrite)
    export = _Export(path, form, origin, choice or MarkChoice(), tools, overwrite)
    export.produce_id, export.tick = produce_id or export.produce_id, tick
    return export.run(samples, sample_rate)


def export_privately(
    samples: Samples, sample_rate: int, folder: Path, name: str, *, origin: Origin, tools: MarkTools
) -> Exported:
    """Write a file that another program gets by drag or copy: marked like any other, in a folder of its own.

    ``folder`` is made, closed to other users, where it does not exist; each file gets a new folder in it, so that it
    can have any plain ``name``.

    Raises: as ``export_audio``; ValueError also where ``name`` is no plain file name.
    """
    if not name or Path(name).name != name or name.startswith("."):
        raise ValueError(f"{name!r} is no plain file name.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    own = folder / uuid.uuid4().hex
    own.mkdir(mode=0o700)
    try:
        return export_audio(samples, sample_rate, own / name, origin=origin, tools=tools)
    except BaseException:
        own.rmdir()
        raise


def check_samples(samples: Samples) -> None:
    """Refuse what is no sound.

    Raises:
        ValueError: nothing there, a wrong shape, or values that are no numbers.
    """
    if samples.size == 0:
        raise ValueError("This take has no sound to save.")
    if samples.ndim not in (1, 2) or samples.dtype.kind != "f":
        raise ValueError(f"Sound is float [n] or [n, channels], not {samples.dtype} {samples.shape}.")
    if not all(np.isfinite(samples[start : start + _PIECE]).all() for start in range(0, len(samples), _PIECE)):
        raise ValueError("This take holds values that are no numbers. Make it again.")


class _Export:
    """One export: what it was told, and what became of it so far."""

    def __init__(
        self, path: Path, form: Format, origin: Origin, choice: MarkChoice, tools: MarkTools, overwrite: bool
    ) -> None:
        self.path, self.form, self.origin, self.choice, self.tools = path, form, origin, choice, tools
        self.overwrite = overwrite
        self.tick: long.Tick = long.nothing
        self.produce_id = str(uuid.uuid4())
        self.marks: dict[Mark, Fate] = {mark: "made" if choice.wants(mark) else "left_out" for mark in MARKS}
        self.notes: list[str] = []
        if self.marks["credentials"] == "made" and form.kind not in credentials.MIME:
            self.marks["credentials"] = "impossible"
            self.notes.append("Ogg Opus cannot carry content credentials; it gets the other marks.")

    def run(self, samples: Samples, sample_rate: int) -> Exported:
        watermark = self.tools.watermark() if self.marks["watermark"] == "made" else None
        rate = self.form.rate_for(sample_rate)
        with temporary_files(self.path) as names:
            try:
                values = self._prepared(samples, sample_rate, rate, watermark, names)
                finished = self._write(values, rate, names)
                self._read_back(finished, values, rate, watermark)
                flush(finished)
                exported = self._describe(finished, len(values), rate)
                self._tell(exported)
                publish(finished, self.path, overwrite=self.overwrite)
            except ContainerError as error:
                raise ExportError(str(error)) from error
            except ExportError:
                raise
            except OSError as error:
                raise cannot_write(self.path, error) from error
        return exported

    def _prepared(
        self, samples: Samples, sample_rate: int, rate: int, watermark: Watermark | None, names: Iterator[Path]
    ) -> Samples:
        """At the rate of the format, and with the watermark."""
        values = np.asarray(samples, np.float32)
        if rate != sample_rate:
            values = long.resampled(values, sample_rate, rate, next(names))
        self.tick()
        values = with_notice(values, rate, self.tools.audible(), next(names))
        return values if watermark is None else long.embedded(watermark, values, rate, next(names), self.tick)

    def _write(self, samples: Samples, rate: int, names: Iterator[Path]) -> Path:
        """Encode, label and sign; returns the last of the temporary files."""
        kind = self.form.kind
        file = next(names)
        encode(file, samples, rate, self.form)
        if self.marks["label"] == "made":
            made = label.make(self.origin.producer, self.produce_id, label.sound_digest(file, kind))
            bare, file = file, next(names)
            label.write(bare, file, kind, made)
            bare.unlink()
        if self.marks["credentials"] == "made":
            unsigned, file = file, next(names)
            with unsigned.open("rb") as source, file.open("wb+") as target:
                credentials.sign(source, target, kind, self._identity(), self.path.name, self._signed_facts())
            unsigned.unlink()
        return file

    def _read_back(self, file: Path, samples: Samples, rate: int, watermark: Watermark | None) -> None:
        """Look for every mark in the finished file, as anybody else would."""
        kind = self.form.kind
        if self.marks["label"] == "made":
            found = label.read(file, kind)
            if found is None or found.covers(label.sound_digest(file, kind)) != "sound":
                raise MarkMissingError("The label was not found in the finished file, so it was not kept. Try again.")
        if self.marks["credentials"] == "made":
            read = credentials.read(file, kind, self._identity().authority)
            if read.state != "trusted" or not read.says_generated:
                raise MarkMissingError(
                    "The content credentials were not found in the finished file, so it was not kept. Try again."
                )
        if rate_of(file) != rate:
            raise MarkMissingError("The finished file has another sample rate, so it was not kept. Try again.")
        if watermark is None:
            for _ in long.file_sections(file):  # it can be read to its end
                self.tick()
            return
        score = overall(long.scores(watermark, long.file_sections(file), rate, self.tick))
        if score is not None and score >= PRESENT:
            return
        before = overall(long.scores(watermark, long.sections(samples, rate), rate, self.tick))
        if before is not None and before >= _CLEAR:
            raise MarkMissingError(
                f"This quality of {self.form.name} loses the watermark, so the file was not kept. Choose a better "
                "quality or another format, or leave the watermark out with a reason."
            )
        self.marks["watermark"] = "impossible"
        self.notes.append("This sound is too short, too quiet or too plain to carry a watermark.")

    def _describe(self, file: Path, length: int, rate: int) -> Exported:
        digest = hashlib.sha256()
        with file.open("rb") as stream:
            while piece := stream.read(_PIECE):
                digest.update(piece)
        size = os.path.getsize(file)
        marks, notes = dict(self.marks), tuple(self.notes)
        return Exported(self.path, digest.hexdigest(), size, rate, length / rate, self.produce_id, marks, notes)

    def _tell(self, exported: Exported) -> None:
        """Tell the audit log; if it cannot be told, nothing leaves."""
        log.info("Exported %s, %d bytes, marks %s", exported.produce_id, exported.size, exported.marks)
        if self.tools.audit is None:
            return
        facts = {**self._facts(), "sha256": exported.sha256, "marks": dict(exported.marks)}
        if self.choice.left_out:
            facts["reason"] = self.choice.reason
        self.tools.audit("export", facts)
        for voice in self.origin.voices():
            self.tools.audit("export_voice", {"produce_id": self.produce_id, **voice})

    def _facts(self) -> dict[str, object]:
        return {"produce_id": self.produce_id, "format": self.form.name, **self.origin.facts()}

    def _signed_facts(self) -> dict[str, object]:
        voices = [voice["voice"] for voice in self.origin.voices()]
        return self._facts() | ({"voices": " ".join(dict.fromkeys(voices))} if voices else {})

    def _identity(self) -> Identity:
        return read_secret(self.tools.secret(SECRET_NAME, make_secret))


def _suffix(form: Format) -> str:
    return " or ".join(suffix for suffix, name in SUFFIXES.items() if name == form.name)


__all__ = ["ExportError", "Exported", "MarkError", "check_samples", "export_audio", "export_privately"]
