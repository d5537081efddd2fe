"""The voices of the engine: asked for at the door, encoded once, and what a voice brings along (its LoRA)."""

from __future__ import annotations

import hashlib
import io
import json
import logging
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.core.consent.verify import Use
from app.core.door import GENERATE, SENSITIVE, Admitted, Door
from app.core.engine_api import EngineError
from app.core.messages import Consent, Failure, Note, VoiceSpec
from app.core.preview import join_separator
from app.core.sensitive_review import findings_of
from app.core.sound_files import MOST_SECONDS, KeptSound, keep
from app.engine import hearing
from app.engine.loras import EngineLoras, hash_of_lora
from app.engine.voice_door import FindDoor, LocalDoor, VoiceDoor, refusal

if TYPE_CHECKING:
    from torch import Tensor

    from voxcpm.audio_file import Finding
    from voxcpm.consent import ConsentRecord
    from voxcpm.pipeline import VoxCPM
    from voxcpm.voice import Voice

__all__ = ["EngineVoices", "FindDoor", "hash_of_lora", "note_of", "plain_record", "refusal"]

log = logging.getLogger(__name__)

_KEPT_VOICES = 8


@dataclass(frozen=True)
class Heard:
    """Sound files that a job is about, by part, and the exact words of the prompt."""

    sounds: Mapping[str, bytes]
    transcript: str


class EngineVoices:
    """Encodes voices for one model at a time. Every use asks ``door`` again, also for a voice that is encoded already.

    Encoded voices are kept in memory by the content of their audio, those of the library on the disk too (encrypted).
    """

    def __init__(self, door: FindDoor | VoiceDoor | None) -> None:
        """``door`` is a way to the library in this process, or something that asks it elsewhere."""
        self._door: VoiceDoor = LocalDoor(door) if door is None or callable(door) else door
        self._voices: OrderedDict[tuple[str, ...], Voice] = OrderedDict()
        self._saved: OrderedDict[str, Admitted] = OrderedDict()
        self.loras = EngineLoras(self._records_of, self._note_lora)

    def clear(self) -> None:
        """Forget everything: another model comes, or none."""
        self._voices.clear()
        self._saved.clear()
        hearing.forget()
        self.loras.clear()

    def use(self, model: VoxCPM, spec: VoiceSpec | None, text: str, decided: Collection[str] = ()) -> Voice | None:
        """Ask the door and return the encoded voice (None for no voice), its LoRA in place.

        ``decided`` are the categories of sensitive text that a person has decided about.

        Raises EngineError with the door's reasons or for a text that nobody has decided about, and the library's
        errors about audio.
        """
        refuse_undecided(text, decided)
        if spec is None:
            self.loras.bring(model)
            return None
        admitted, heard = self._admit(spec, text, _use_of(text))
        self._bring_lora(model, admitted)
        if not heard.sounds:
            return None
        return self._encoded(model, admitted, heard)

    def check(self, spec: VoiceSpec, text: str = "") -> Admitted:
        """Ask the door before a model is loaded, for a sensitive ``text`` too. Raises as ``use``."""
        return self._admit(spec, text, _use_of(text))[0]

    def known(self, spec: VoiceSpec | None, text: str) -> Voice | None:
        """The voice if it is encoded already; nothing is asked or encoded."""
        if spec is None or (spec.consent is None and not spec.voice_id):
            return None
        if spec.voice_id:
            saved = self._saved.get(spec.voice_id)
            if saved is None:
                return None
            heard, record_id = _heard(spec, saved, text), saved.consent.record_id
        else:
            assert spec.consent is not None
            heard, record_id = _heard(spec, None, text), spec.consent.record_id
        return self._voices.get(_key(heard, record_id))

    def measure(self, spec: VoiceSpec, text: str, rate: int) -> tuple[dict[str, float], str, tuple[Note, ...]]:
        """Seconds of each part at ``rate`` Hz, the transcript, and what was noticed; a saved voice is asked for."""
        from voxcpm.audio import MAX_SECONDS, prepare_reference

        heard = self._admit(spec, text)[1] if spec.voice_id else _heard(spec, None, text)
        seconds, notes = {}, []
        for part, data in heard.sounds.items():
            prepared = prepare_reference(hearing.read_bytes(data, MAX_SECONDS), rate)
            seconds[part] = len(prepared.samples) / rate
            notes += [note_of(finding, part) for finding in prepared.findings]
        return seconds, heard.transcript, tuple(notes)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _admit(self, spec: VoiceSpec, text: str, use: Use = GENERATE) -> tuple[Admitted, Heard]:
        if not spec.voice_id:
            heard = _heard(spec, None, text)
            return self._door.admit_spec(spec, lambda: _kept(heard.sounds), use), heard
        try:
            consent = self._door.admit(spec.voice_id, use)
            saved = self._saved.get(spec.voice_id)
            if saved is None or saved.consent != consent:
                saved = self._saved[spec.voice_id] = self._door.admit_voice(spec.voice_id, use)
                while len(self._saved) > _KEPT_VOICES:
                    self._saved.popitem(last=False)
        except EngineError:
            self._saved.pop(spec.voice_id, None)
            raise
        self._saved.move_to_end(spec.voice_id)
        return saved, _heard(spec, saved, text)

    def _encoded(self, model: VoxCPM, admitted: Admitted, heard: Heard) -> Voice:
        key = _key(heard, admitted.consent.record_id)
        voice = self._voices.get(key)
        if voice is None:
            voice = self._kept_on_disk(model, admitted, heard) or self._encode(model, admitted, heard)
            self._voices[key] = voice
            while len(self._voices) > _KEPT_VOICES:
                self._voices.popitem(last=False)
        self._voices.move_to_end(key)
        return voice

    def _encode(self, model: VoxCPM, admitted: Admitted, heard: Heard) -> Voice:
        from voxcpm.audio import MAX_SECONDS

        recordings = {part: hearing.read_bytes(data, MAX_SECONDS) for part, data in heard.sounds.items()}
        voice = model.encode_voice(
            reference=recordings.get("reference"),
            prompt=recordings.get("prompt"),
            transcript=heard.transcript or None,
            consent=plain_record(admitted.consent),
        )
        fingerprint = str(model.info.fingerprint)
        try:
            facts = {"voice": admitted.voice_id, "record": admitted.consent.record_id, "purpose": "generate"}
            self._door.note("voice_encoded", facts | ({"model": fingerprint} if _is_hex(fingerprint) else {}))
            if admitted.saved:
                cache_key = Door.latents_key(heard.sounds, fingerprint)
                self._door.keep_latents(admitted.voice_id, cache_key, _to_bytes(voice))
        except EngineError:  # the take does not fail for what only makes the next one faster
            log.warning("The latents of a voice could not be kept", exc_info=True)
        return voice

    def _kept_on_disk(self, model: VoxCPM, admitted: Admitted, heard: Heard) -> Voice | None:
        if not admitted.saved:
            return None
        try:
            cache_key = Door.latents_key(heard.sounds, str(model.info.fingerprint))
            data = self._door.latents(admitted.voice_id, cache_key)
            return None if data is None else _from_bytes(data, model, heard.transcript, admitted.consent)
        except (EngineError, ValueError, KeyError):
            log.warning("Kept latents of a voice could not be read; they are made again", exc_info=True)
            return None

    def _bring_lora(self, model: VoxCPM, admitted: Admitted) -> None:
        card = admitted.card
        if card is None or not card.lora:
            self.loras.bring(model)
            return
        facts = {"voice": admitted.voice_id, "record": admitted.consent.record_id}
        self.loras.bring(model, card.lora, card.lora_sha256, facts)

    def _note_lora(self, facts: dict[str, object]) -> None:
        self._door.note("adapter_loaded", facts)

    def _records_of(self, record_ids: tuple[str, ...]) -> list[ConsentRecord]:
        return [plain_record(consent) for consent in self._door.admit_all(record_ids, GENERATE)] if record_ids else []


def refuse_undecided(text: str, decided: Collection[str]) -> None:
    """Raise EngineError for a sensitive text that nobody has decided about: whoever makes a job asks before."""
    if found := findings_of([text], decided):
        named = ", ".join(finding.category.replace("_", " ") for finding in found)
        message = f"This text is about sensitive matters ({named}), and nobody has decided yet that it may be spoken."
        raise EngineError(Failure(message, "text", code="sensitive"))


def note_of(finding: Finding, part: str = "") -> Note:
    """What the library noticed, for the window."""
    return Note(finding.code, finding.message, part, dict(finding.values))


def plain_record(consent: Consent) -> ConsentRecord:
    """The form that the library checks once more."""
    from voxcpm.consent import ConsentRecord

    return ConsentRecord(
        record_id=consent.record_id,
        scope=consent.scope,
        valid_from=consent.valid_from,
        expires_at=consent.expires_at,
    )


def _use_of(text: str) -> Use:
    return SENSITIVE if findings_of([text]) else GENERATE


def _heard(spec: VoiceSpec, saved: Admitted | None, text: str) -> Heard:
    sounds = {}
    for part, path in (("reference", spec.reference), ("prompt", spec.prompt)):
        if path and saved is not None:
            if part not in saved.sounds:
                message = f"This voice has no {part} audio. Choose another voice or another mode."
                raise EngineError(Failure(message, "voice", code="voice"))
            sounds[part] = saved.sounds[part]
        elif path:
            sounds[part] = _read(path, part)
    transcript = ""
    if "prompt" in sounds:
        given = spec.transcript if saved is None or saved.card is None else saved.card.transcript
        transcript = given.strip() + join_separator(given.strip(), text.strip())
    return Heard(sounds, transcript)


def _read(path: str, field: str) -> bytes:
    try:
        if Path(path).stat().st_size > hearing.MOST_BYTES:
            message = f"The audio file has more than {hearing.MOST_BYTES >> 30} GiB. Cut out what is needed."
            raise EngineError(Failure(message, field))
        return Path(path).read_bytes()
    except OSError as error:
        message = "The audio file cannot be read any more. Open it again."
        raise EngineError(Failure(message, field, str(error), "audio.gone")) from error


def _kept(sounds: Mapping[str, bytes]) -> dict[str, KeptSound]:
    """The recordings as a consent record names them; what is beyond the longest length is not used."""
    found = {}
    for part, data in sounds.items():
        recording = hearing.read_bytes(data, MOST_SECONDS)
        samples = np.nan_to_num(recording.samples[: int(MOST_SECONDS * recording.sample_rate)])
        found[part] = keep(samples, recording.sample_rate)
    return found


def _key(heard: Heard, record_id: str) -> tuple[str, ...]:
    digests = (hashlib.sha256(heard.sounds.get(part, b"")).hexdigest() for part in ("reference", "prompt"))
    return (*digests, heard.transcript, record_id)


def _to_bytes(voice: Voice) -> bytes:
    """Latents and findings of a voice; its consent and transcript are never kept with them."""
    out = io.BytesIO()
    arrays = {name: tensor.numpy() for name, tensor in _parts(voice).items()}
    facts = {"fingerprint": voice.fingerprint, "patch_seconds": voice.patch_seconds, "findings": voice.findings}
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    np.savez(out, allow_pickle=False, **arrays)
    return out.getvalue()


def _parts(voice: Voice) -> dict[str, Tensor]:
    return {name: value for name in ("reference", "prompt") if (value := getattr(voice, name)) is not None}


def _from_bytes(data: bytes, model: VoxCPM, transcript: str, consent: Consent) -> Voice:
    """Undo ``_to_bytes``. Raises ValueError or KeyError for anything else."""
    import torch

    from voxcpm.voice import Voice

    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        facts = json.loads(arrays["facts"].tobytes())
        found = {
            part: torch.from_numpy(arrays[part].astype(np.float32, copy=False)) if part in arrays else None
            for part in ("reference", "prompt")
        }
    if facts["fingerprint"] != model.info.fingerprint:
        raise ValueError("latents of another model")
    return Voice(
        found["reference"],
        found["prompt"],
        transcript,
        facts["fingerprint"],
        plain_record(consent),
        float(facts["patch_seconds"]),
        tuple(facts["findings"]),
    )


def _is_hex(text: str) -> bool:
    return 8 <= len(text) <= 128 and all(character in "0123456789abcdef" for character in text)
