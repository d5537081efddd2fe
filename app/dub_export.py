"""The files of a dub: the mix, stems, single cues and subtitles with the true times. Sound leaves through the door.

Used by ``voxcpm dub`` and by the window; knows neither of them.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

import numpy as np

from app.core.atomic_file import write_atomically
from app.core.dubbing import naming
from app.core.dubbing.bed import read_bed
from app.core.dubbing.cues import Dub
from app.core.dubbing.fit import FitRules, Placed, place
from app.core.dubbing.levels import PIECE, SILENT, TRUE_PEAK_DB, integrated_loudness, true_peak_db
from app.core.dubbing.mixing import Mixed, Mixer, MixOptions
from app.core.dubbing.overview import Overview
from app.core.dubbing.speech import span
from app.core.dubbing.subtitles import Kind, write_subtitles
from app.core.dubbing.timed_text import Heard, rows_of
from app.core.library import Library
from app.core.store import errors
from app.core.take_files import OutputError, check_outputs
from app.marks import long
from app.marks.choice import MarkChoice, MarkTools, Origin
from app.marks.errors import ExportError, MarkError
from app.marks.export import Exported, export_audio
from app.marks.formats import SUFFIXES, format_for
from app.marks.origin import origin_of_mix, origin_of_take

log = logging.getLogger(__name__)

_LOG_EVERY = 50  # files of cues
SUBTITLES = (".srt", ".vtt", ".ass")
_IDS = uuid.UUID("8f7d3a52-6b0c-4f43-9c6e-0a52d5f4b6a1")  # the same sound has the same id in its label

Phase = Literal["mix", "marks", "stems", "cues", "check"]
Tell = Callable[[Phase, int, int], None]
"""Which phase it is in, how many of how many parts of it are done; may raise to give the export up."""


@dataclass(frozen=True)
class DubFormat:
    """How sound is written: ``bits`` (16, 24, float) for WAV and FLAC, ``quality`` 0..1 for MP3 and Opus."""

    bits: Literal["16", "24", "float"] = "24"
    quality: float = 0.7
    choice: MarkChoice = field(default_factory=MarkChoice)


@dataclass(frozen=True)
class DubWishes:
    """What is written: the mix to ``out``, and what else has a place. ``name``: of the files of cues (``naming``)."""

    out: Path
    mix: MixOptions = field(default_factory=MixOptions)
    rules: FitRules = field(default_factory=FitRules)
    stems: Path | None = None
    cues: Path | None = None
    name: str = naming.DEFAULT
    subtitles: Path | None = None
    overwrite: bool = False
    form: DubFormat = field(default_factory=DubFormat)


def quiet(phase: Phase, done: int, total: int) -> None:
    """Tell nobody."""


class DubExport:
    """One export. ``check`` refuses, before any work, what cannot be written."""

    def __init__(self, wishes: DubWishes, tools: MarkTools, tell: Tell = quiet) -> None:
        self.wishes, self._tools, self._tell = wishes, tools, tell
        self.placed: list[Placed] = []
        self.mixed: Mixed | None = None
        self.exported: Exported | None = None
        self.written: list[Path] = []
        self.notes: list[str] = []
        self._phase: tuple[Phase, int, int] = ("mix", 0, 0)

    def check(self, dub: Dub) -> None:
        """Refuse places that cannot be written to, and names that two files would have.

        Raises:
            OutputError: the message names the file. naming.TemplateError: the names of cues will not do.
            StoreError: a folder cannot be made.
        """
        wishes = self.wishes
        further = [path for paths in (self._stems(dub).values(), self._cues(dub).values()) for path in paths]
        check_outputs([wishes.out], force=wishes.overwrite, suffixes=tuple(SUFFIXES))
        for folder in {path.parent for path in further}:
            with errors.files(folder):
                folder.mkdir(parents=True, exist_ok=True)
        if further:
            check_outputs(further, force=wishes.overwrite, suffixes=tuple(SUFFIXES))
        if wishes.subtitles is not None:
            check_outputs([wishes.subtitles], force=wishes.overwrite, suffixes=SUBTITLES)

    def write(self, overview: Overview, library: Library, original: Path | None) -> None:
        """Mix and write everything; ``original``: the sound of the bed.

        Raises:
            OutputError: a file cannot be written with its marks. StoreError, TakeError: a take cannot be read.
            BedError: the original sound cannot be read.
        """
        dub = overview.dub
        self.placed = place(dub, self.wishes.rules, overview.stale)
        origins: dict[str, Origin] = {}
        heard_of: dict[str, Heard] = {}

        def sound_of(uid: str) -> tuple[np.ndarray, int]:
            take = library.takes.filled(uid)
            origins[uid] = origin_of_take(take)
            pieces = take.result.pieces if take.result is not None else ()
            heard_of[uid] = Heard(pieces, 1000 * span(take.samples)[0] // take.sample_rate)
            return take.samples, take.sample_rate

        with workspace(library) as folder:
            mix = self.wishes.mix
            self._step("mix", 0, 1)
            bed = None
            if original is not None and mix.bed != "none":
                bed = read_bed(original, mix.rate, mix.channels, folder)
            mixer = Mixer(self.placed, sound_of, folder, mix, bed, self._marked(folder), self._tick)
            self.mixed = mixed = mixer.mix()
            self.notes += mixed.notes
            heard = {one.cue_id: origins[one.take] for one in self.placed if one.take}
            self._step("marks", 0, 1)
            self.exported = self._save(self.wishes.out, mixed.samples, list(heard.values()))
            self._step("check", 0, 1)
            mixed.loudness, mixed.true_peak_db = measured(self.wishes.out, folder)
            if mixed.loudness > SILENT and mixed.true_peak_db > TRUE_PEAK_DB:
                self.notes.append(f"{self.wishes.out} comes to {mixed.true_peak_db:.1f} dB: this format raises peaks.")
            self._write_stems(dub, mixer, heard)
            self._write_cues(dub, mixer, heard)
        self._write_subtitles(overview, mixed, heard_of)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _marked(self, folder: Path) -> Callable[[np.ndarray, int], np.ndarray] | None:
        if not self.wishes.form.choice.wants("watermark"):
            return None
        watermark = self._tools.watermark()
        return lambda samples, rate: long.embedded(
            watermark, samples, rate, folder / f"marked-{uuid.uuid4().hex}.f32", self._tick
        )

    def _write_stems(self, dub: Dub, mixer: Mixer, heard: dict[str, Origin]) -> None:
        stems = self._stems(dub)
        for number, (character, path) in enumerate(stems.items()):
            self._step("stems", number, len(stems))
            own = frozenset(cue.cue_id for cue in dub.cues if cue.character == character)
            of_them = [origin for cue_id, origin in heard.items() if cue_id in own]
            if of_them:
                self._save(path, mixer.stem(own), of_them)

    def _write_cues(self, dub: Dub, mixer: Mixer, heard: dict[str, Origin]) -> None:
        cues = self._cues(dub)
        for number, (cue_id, path) in enumerate(cues.items()):
            self._step("cues", number, len(cues))
            sound = mixer.cue(cue_id)
            if sound is not None:
                self._save(path, sound, [heard[cue_id]])

    def _save(self, path: Path, samples: np.ndarray, origins: Sequence[Origin]) -> Exported:
        sound = samples[:, 0] if samples.shape[1] == 1 else samples
        digest = hashlib.sha256()
        for start in range(0, len(sound), PIECE):
            digest.update(sound[start : start + PIECE].tobytes())
        form = self.wishes.form
        try:
            exported = export_audio(
                sound,
                self.wishes.mix.rate,
                path,
                origin=origins[0] if len(origins) == 1 else origin_of_mix(origins),
                tools=self._tools,
                form=format_for(path, form.bits, form.quality),
                choice=form.choice,
                overwrite=self.wishes.overwrite,
                produce_id=str(uuid.uuid5(_IDS, f"{path.suffix} {digest.hexdigest()}")),
                tick=self._tick,
            )
        except (ExportError, MarkError) as error:
            raise OutputError(str(error)) from error
        self.written.append(path)
        self.notes += [note for note in exported.notes if note not in self.notes]
        return exported

    def _write_subtitles(self, overview: Overview, mixed: Mixed, heard_of: dict[str, Heard]) -> None:
        path = self.wishes.subtitles
        if path is None:
            return
        kind = cast(Kind, path.suffix.lower()[1:])
        timed = sorted(
            row
            for one in self.placed
            if one.cue_id in mixed.times
            for row in rows_of(
                overview.by_id[one.cue_id].cue, *mixed.times[one.cue_id], one.speed, heard_of[one.take], overview.words
            )
        )
        try:
            write_atomically(path, write_subtitles(timed, kind).encode("utf-8"), private=False)
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error
        self.written.append(path)

    def _stems(self, dub: Dub) -> dict[str, Path]:
        folder = self.wishes.stems
        if folder is None:
            return {}
        found: dict[str, Path] = {}
        for character in dub.characters:
            name = naming.part_of_name(character or "voice")
            taken = {path.stem.casefold() for path in found.values()}
            while name.casefold() in taken:
                name += "_"
            found[character] = folder / f"{name}{self.wishes.out.suffix}"
        return found

    def _cues(self, dub: Dub) -> dict[str, Path]:
        folder, found = self.wishes.cues, dict[str, Path]()
        if folder is None:
            return found
        for number, cue in enumerate(dub.cues, 1):
            values: dict[str, str | int] = {
                "number": number,
                "character": cue.character or "voice",
                "cue": cue.cue_id,
                "take": cue.chosen or "none",
                "start": naming.clock(cue.start or 0),
                "end": naming.clock(cue.end or 0),
            }
            found[cue.cue_id] = naming.file_for(folder, self.wishes.name, values, self.wishes.out.suffix)
        return found

    def _step(self, phase: Phase, done: int, total: int) -> None:
        self._phase = (phase, done, total)
        if done % _LOG_EVERY == 0:
            log.info("export: %s, %d of %d done", phase, done, total)
        self._tell(phase, done, total)

    def _tick(self) -> None:
        self._tell(*self._phase)


@contextmanager
def workspace(library: Library) -> Iterator[Path]:
    """A private folder for sound that is not encrypted; it goes at the end, and at the next start after a kill."""
    folder = library.store.temporary / f"dub-{uuid.uuid4().hex}"
    with errors.files(folder):
        folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measured(path: Path, folder: Path) -> tuple[float, float]:
    """Return loudness (LUFS) and true peak (dB) of a sound file, as it is read back piece by piece."""
    import soundfile

    with soundfile.SoundFile(path) as file:
        name = folder / f"measured-{uuid.uuid4().hex}.f32"
        with errors.files(name):
            heard = np.memmap(name, np.float32, "w+", shape=(max(1, file.frames), file.channels))
        at = 0
        for block in file.blocks(PIECE, dtype="float32", always_2d=True):
            heard[at : at + len(block)] = block
            at += len(block)
        return integrated_loudness(heard[:at], file.samplerate), true_peak_db(heard[:at])
