"""The files of ``voxcpm dub``: what its options say of them, and what is told of how they came out."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from app.cli_marks import Door, describe
from app.core.dubbing import naming
from app.core.dubbing.bed import BedError
from app.core.dubbing.cues import Dub
from app.core.dubbing.editing import Dubbing
from app.core.dubbing.fit import FitRules, meetings
from app.core.dubbing.mixing import MixOptions
from app.core.dubbing.overview import look
from app.core.library import Library
from app.core.project_files import FileReference
from app.dub_export import SUBTITLES, DubExport, DubFormat, DubWishes, Tell, quiet
from voxcpm.errors import RequestError


class DubFiles:
    """What one run writes. ``check`` refuses, before any work, what cannot be written.

    ``tell`` hears how far the writing is.
    """

    def __init__(self, options: argparse.Namespace, door: Door, mix: MixOptions, rules: FitRules) -> None:
        self._options, self._door, self._mix = options, door, mix
        self.tell: Tell = quiet
        if options.sound is not None and not options.sound.is_file():
            raise RequestError("sound", f"{options.sound} does not exist.")
        if options.subtitles is not None and options.subtitles.suffix.lower() not in SUBTITLES:
            raise RequestError("subtitles", f"{options.subtitles}: end the name in .srt, .vtt or .ass.")
        try:
            naming.check_template(options.name)
        except naming.TemplateError as error:
            raise RequestError("name", str(error)) from error
        wishes = DubWishes(
            Path(options.out), mix, rules, options.stems, options.cues, options.name, options.subtitles,
            options.force, DubFormat(options.bits, options.quality, door.choice),
        )  # fmt: skip
        self._export = DubExport(wishes, door.tools, lambda *step: self.tell(*step))

    @property
    def written(self) -> list[Path]:
        """Every file, in the order in which they were written."""
        return self._export.written

    @property
    def notes(self) -> list[str]:
        """What a person should know of them."""
        return self._export.notes

    def check(self, dub: Dub) -> None:
        """Refuse places that cannot be written to, and names that two files would have."""
        self._door.check([self._export.wishes.out], force=self._options.force)
        self._export.check(dub)

    def write(self, dubbing: Dubbing, library: Library) -> None:
        """Mix and write everything.

        Raises:
            OutputError: a file cannot be written with its marks. StoreError, TakeError: a take cannot be read.
        """
        try:
            self._export.write(look(dubbing, self._export.wishes.rules), library, self._original(dubbing))
        except BedError as error:
            raise RequestError("sound", str(error)) from error

    def described(self, dub: Dub) -> dict[str, Any]:
        """What the JSON says of them. Times in ms, levels in LUFS and dB."""
        export = self._export
        mixed, places = export.mixed, {one.cue_id: one for one in export.placed}
        gaps = {meeting.first: meeting.gap_ms for meeting in meetings(export.placed)}
        cues = []
        for number, cue in enumerate(dub.cues, 1):
            one = places.get(cue.cue_id)
            start, end = (None, None) if mixed is None else mixed.times.get(cue.cue_id, (None, None))
            cues.append(
                {
                    "number": number,
                    "id": cue.cue_id,
                    "character": cue.character,
                    "wanted": [cue.start, cue.end],
                    "start": start,
                    "end": end,
                    "take": cue.chosen or None,
                    "speed": None if one is None else round(one.speed, 4),
                    "too_many": 0 if one is None else one.too_many,
                    "gap_after": gaps.get(cue.cue_id),
                    "flags": [] if one is None else list(one.flags),
                }
            )
        return {
            "file": None if export.exported is None else str(export.exported.path),
            **describe(export.exported),
            "files": [str(path) for path in export.written],
            "loudness": None if mixed is None else round(mixed.loudness, 2),
            "true_peak": None if mixed is None else round(mixed.true_peak_db, 2),
            "seconds": None if mixed is None else len(mixed.samples) / mixed.rate,
            "quiet": [] if mixed is None else mixed.quiet,
            "cues": cues,
        }

    def told(self, dub: Dub) -> list[str]:
        """What a person should look at: cues that do not fit, with the way out."""
        export = self._export
        numbers = {cue.cue_id: number for number, cue in enumerate(dub.cues, 1)}
        said = []
        for one in export.placed:
            number = numbers[one.cue_id]
            if "no_take" in one.flags:
                said.append(f"cue {number}: nothing is heard, it has no take.")
            elif "too_long" in one.flags:
                said.append(
                    f"cue {number}: too long by {one.too_many} characters, even at {one.speed:.2f} x. Shorten it."
                )
            elif "stretched" in one.flags:
                hint = f"; {one.too_many} characters less would fit as spoken" if one.too_many else ""
                said.append(f"cue {number}: made {one.speed:.2f} x as fast{hint}.")
        mixed = export.mixed
        if mixed is not None:
            said += [f"cue {numbers[cue_id]}: so soft that it never reaches -40 dBFS." for cue_id in mixed.quiet]
            out = export.wishes.out
            said.append(f"{out}: {mixed.loudness:.1f} LUFS, true peak {mixed.true_peak_db:.1f} dB.")
        return said

    def _original(self, dubbing: Dubbing) -> Path | None:
        """The original sound: the one that the options name, which the project keeps, or else the project's own."""
        project, path = dubbing.project, self._options.sound
        if path is not None:
            dubbing.set_sound(project.files.refer(path).to_plain())
            project.save()
        elif (held := dubbing.dub.sound) is not None and self._mix.bed != "none":
            path = project.files.find(FileReference.from_plain(dict(held)))
        return None if self._mix.bed == "none" else path
