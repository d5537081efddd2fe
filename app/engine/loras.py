"""The LoRA of a loaded model: the one that a voice brings, else the one that was chosen in the window, else none."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.engine_api import EngineError
from app.core.messages import Failure, LoraInfo

if TYPE_CHECKING:
    from voxcpm.consent import ConsentRecord
    from voxcpm.pipeline import VoxCPM

AskRecords = Callable[[tuple[str, ...]], "list[ConsentRecord]"]
"""Asks the door for the consents behind record ids; raises EngineError with its reasons."""
_OFF = ("", 0.0)


class EngineLoras:
    """Puts LoRAs in place. A LoRA that carries a person's voice asks the door at every use."""

    def __init__(self, records: AskRecords, audit: Callable[[dict[str, object]], None]) -> None:
        """``audit`` is told when a LoRA with a person's voice, or of a saved voice, is put in place."""
        self._records = records
        self._audit = audit
        self._persons: dict[str, tuple[str, ...]] = {}  # record ids by content
        self._chosen = ("", 0.0)  # folder or file, strength
        self._in_place = _OFF  # content, strength

    def clear(self) -> None:
        """Forget everything: another model comes, or none."""
        self._chosen, self._in_place = ("", 0.0), _OFF

    def choose(self, model: VoxCPM, path: str, strength: float) -> LoraInfo | None:
        """Use the LoRA in ``path`` for all jobs whose voice brings none; empty takes it away.

        All or nothing: raises the library's errors and the door's refusal, and then everything stays as it was.
        """
        if not path:
            self._chosen = ("", 0.0)
            self._off(model)
            return None
        self._put(model, path, _digest(path), strength)
        self._chosen = (path, strength)
        return self._describe(model, path)

    def bring(self, model: VoxCPM, path: str = "", digest: str = "", facts: Mapping[str, object] | None = None) -> None:
        """Make ready for a job: with the LoRA of its voice (``path``, whose content must be ``digest``), if any.

        ``facts`` name that voice for the audit log. Raises EngineError when it is missing or was
        changed, and as ``choose``.
        """
        if path:
            if _digest(path) != digest:
                message = "The LoRA of this voice is missing or was changed since the voice was saved. Save it anew."
                raise EngineError(Failure(message, "voice", path, "voice"))
            self._put(model, path, digest, 1.0, facts)
        elif self._chosen[0]:
            self._put(model, self._chosen[0], _digest(self._chosen[0]), self._chosen[1])
        else:
            self._off(model)

    def _put(
        self, model: VoxCPM, path: str, digest: str, strength: float, facts: Mapping[str, object] | None = None
    ) -> None:
        if digest not in self._persons:
            from voxcpm.lora import read_lora

            self._persons[digest] = read_lora(Path(path)).consent_ids
        records = self._records(self._persons[digest])
        in_place, at = self._in_place
        if in_place == digest:
            if at != strength:
                model.set_lora_strength(strength)
                self._in_place = (digest, strength)
            return
        model.load_lora(path, strength=strength, consent=records)
        self._in_place = (digest, strength)
        if facts is not None or records:
            self._audit({"sha256": digest, "purpose": "generate", **(facts or {})})

    def _off(self, model: VoxCPM) -> None:
        if self._in_place != _OFF:
            model.unload_lora()
            self._in_place = _OFF

    @staticmethod
    def _describe(model: VoxCPM, path: str) -> LoraInfo:
        info = model.lora
        assert info is not None
        return LoraInfo(
            path=path,
            name=info.name,
            rank=info.rank,
            strength=info.strength,
            layers=info.layers,
            skipped=info.skipped,
            missing=info.missing,
            of_a_person=bool(info.consent_ids),
        )


def hash_of_lora(path: Path) -> str:
    """SHA-256 of all files of a LoRA (a file, or a folder of them); empty if there is none."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    found = False
    for file in files:
        if file.is_file():
            found = True
            with file.open("rb") as stream:
                digest.update(file.name.encode() + b"\0" + hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest() if found else ""


def _digest(path: str) -> str:
    return hash_of_lora(Path(path))
