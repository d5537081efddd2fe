"""How takes of the command line leave: through the one door, with the marks that its options say."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from app.core.messages import VoiceSpec
from app.core.take_files import OutputError, check_outputs
from app.marks.audible import Audible
from app.marks.choice import Audit, Mark, MarkChoice, MarkTools, Origin, Secret
from app.marks.errors import ExportError, MarkError
from app.marks.export import Exported, export_audio
from app.marks.formats import SUFFIXES, Format, format_for
from app.marks.origin import origin_of
from app.marks.stream import CANNOT_LABEL, CANNOT_SIGN, WavStream
from app.marks.watermark import PerthWatermark, weights_path
from voxcpm.errors import RequestError

if TYPE_CHECKING:
    from voxcpm.result import Result


class Door:
    """Everything about leaving that one run of a command was told.

    Raises RequestError, before any work, for options that do not fit together or a watermark that is not installed.
    """

    def __init__(self, options: argparse.Namespace, *, secret: Secret, audit: Audit) -> None:
        self._bits, self._quality = options.bits, options.quality
        left_out = frozenset(part.strip() for part in (options.leave_out or "").split(",") if part.strip())
        try:
            self.choice = MarkChoice(cast(frozenset[Mark], left_out), options.reason or "")
        except ValueError as error:
            raise RequestError("leave-out", str(error)) from error
        try:
            Format("mp3", quality=options.quality)
        except ValueError as error:
            raise RequestError("quality", str(error)) from error
        if options.reason and not left_out:
            raise RequestError("reason", "a reason belongs to marks that are left out: add --leave-out MARKS.")
        if self.choice.wants("watermark") and weights_path() is None:
            raise RequestError(
                "watermark",
                "its weights are not installed. Install them with: pip install resemble-perth; or add --leave-out "
                "watermark --reason TEXT.",
            )
        self._network: PerthWatermark | None = None
        self._audible: Audible = options.audible_notice
        self.tools = MarkTools(secret, self._watermark, audit, lambda: self._audible)

    def check(self, paths: Sequence[Path], *, force: bool, streamed: bool = False) -> None:
        """Refuse places and formats that cannot be written, before any work. Raises OutputError or RequestError."""
        check_outputs(paths, force=force, suffixes=(".wav",) if streamed else tuple(SUFFIXES))
        for path in paths:
            self._format(path)

    def save(self, path: Path, parts: Sequence[Result], voice: VoiceSpec | None, *, force: bool) -> Exported | None:
        """Write a take in one file; None if it has no sound because it was stopped at once. ``voice`` made it.

        Raises:
            OutputError: it cannot be written with its marks.
        """
        sound = [part.samples for part in parts if len(part.samples)]
        if not sound:
            return None
        origin = origin_of(voice, parts[0].model, parts[0].mode)
        return self.save_sound(path, np.concatenate(sound), parts[0].sample_rate, origin, force=force)

    def save_sound(
        self, path: Path, samples: np.ndarray, sample_rate: int, origin: Origin, *, force: bool, produce_id: str = ""
    ) -> Exported:
        """Write ``samples`` (float32 [n] or [n, channels] at ``sample_rate`` Hz) to a file. Raises as ``save``."""
        try:
            return export_audio(
                samples,
                sample_rate,
                path,
                origin=origin,
                tools=self.tools,
                form=self._format(path),
                choice=self.choice,
                overwrite=force,
                produce_id=produce_id,
            )
        except (ExportError, MarkError) as error:
            raise OutputError(str(error)) from error

    def stream(self, stream: BinaryIO, origin: Origin, *, header: bool) -> WavStream:
        """Begin a stream that is marked while it is made."""
        watermark = self._watermark() if self.choice.wants("watermark") else None
        return WavStream(
            stream, origin=origin, choice=self.choice, watermark=watermark, audit=self.tools.audit, header=header
        )

    def lacks(self, *, header: bool) -> list[str]:
        """What a stream cannot carry of the marks that are wanted, in sentences."""
        label = [] if header or not self.choice.wants("label") else [CANNOT_LABEL]
        if self._audible != "none":
            label = [*label, "A stream gets no notice that can be heard: it would come before there is sound."]
        return label + ([CANNOT_SIGN] if self.choice.wants("credentials") else [])

    def _format(self, path: Path) -> Format:
        try:
            return format_for(path, self._bits, self._quality)
        except ExportError as error:
            raise OutputError(str(error)) from error
        except ValueError as error:
            raise RequestError("bits", str(error)) from error

    def _watermark(self) -> PerthWatermark:
        if self._network is None:
            self._network = PerthWatermark()
        return self._network


def describe(exported: Exported | None) -> dict[str, Any]:
    """What the JSON says of how a take left."""
    if exported is None:
        return {"marks": None, "produce_id": None, "sha256": None}
    return {"marks": exported.marks, "produce_id": exported.produce_id, "sha256": exported.sha256}
