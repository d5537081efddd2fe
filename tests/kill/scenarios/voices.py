"""Voices are saved with their records, renamed, withdrawn, frozen and deleted: each wholly or not at all."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from app.core.audit import AuditLog
from app.core.complaints import Complaints
from app.core.consent import making
from app.core.shipped_voices import ShippedVoices
from app.core.sound_files import KeptSound, keep
from app.core.store import Store, errors
from app.core.voice_card import VoiceCard, VoiceState
from app.core.voice_deletion import tombstone, tombstone_is_signed
from app.core.voices import NewVoice, Voices
from tests.kill.scenario import Journal, Say, Step
from tests.kill.scenarios.files_and_keys import opened

_PASSPHRASE = "a passphrase for kills"
_NOW = datetime(2026, 3, 31, 9, 30, tzinfo=UTC)


@dataclass
class _Kept:
    name: str
    seed: int
    versions: int = 1
    latents: str = ""
    complaints: list[str | None] = field(default_factory=list)


def sound(seed: int) -> KeptSound:
    """Return a sound by its seed, a tenth of a second or two seconds long."""
    rng = np.random.default_rng(seed)
    return keep(rng.normal(0, 0.1, int(rng.choice([1600, 32000]))).astype(np.float32), 16000)


class VoicesScenario:
    """``voices``: id -> what was acknowledged of it; ``gone``: ids that were deleted."""

    name = "voices"

    def __init__(self) -> None:
        self.voices: dict[str, _Kept] = {}
        self.gone: set[str] = set()

    def prepare(self, folder: Path) -> None:
        """Nothing is needed."""

    def act(self, folder: Path, rng: random.Random, say: Say) -> None:
        """Save and change without end."""
        with opened(folder, _PASSPHRASE) as store:
            voices = self._library(store, folder)
            while True:
                living = {voice.voice_id: voice.state for voice in voices.all()}
                step = self._draw(rng, living)
                say.begin(step)
                self._do(voices, step)
                say.done(step)

    def check(self, folder: Path, journal: Journal) -> list[str]:
        """Everything acknowledged is there; the step that was begun happened wholly or not at all."""
        for step in journal.done:
            self._happened(step)
        try:
            with opened(folder, _PASSPHRASE) as store:
                voices = self._library(store, folder)
                if journal.begun is not None and self._had_happened(voices, journal.begun):
                    self._happened(journal.begun)
                return list(self._problems(voices))
        except (errors.StoreError, ValueError) as error:
            return [f"{type(error).__name__}: {error}"]

    @staticmethod
    def _library(store: Store, folder: Path) -> Voices:
        audit = AuditLog(store.database, store.keys)
        return Voices(store, audit, shipped=ShippedVoices(folder / "none"), now=lambda: _NOW)

    @staticmethod
    def _draw(rng: random.Random, living: dict[str, VoiceState]) -> Step:
        do = rng.choice(
            ["add", "add", "add", "rename", "rename", "latents", "withdraw", "complain", "delete", "backup", "sweep"]
        )
        seed = rng.randrange(1 << 40)
        if do == "add" or not living:
            new = str(uuid.UUID(int=rng.getrandbits(128), version=4))
            return {"do": "add", "voice": new, "seed": seed, "name": f"voice {seed}"}
        voice_id = rng.choice(sorted(living))
        if do == "withdraw" and living[voice_id] is not VoiceState.ACTIVE:
            do = "delete"
        return {"do": do, "voice": voice_id, "seed": seed, "name": f"name {seed}"}

    @staticmethod
    def _do(voices: Voices, step: Step) -> None:
        match step["do"]:
            case "add":
                made = sound(step["seed"])
                draft = making.for_self(step["voice"], [made.reference("file", _NOW)], now=_NOW)
                voices.add(NewVoice(VoiceCard(step["name"]), draft, {"reference": made}))
            case "rename":
                voices.change_card(step["voice"], VoiceCard(step["name"]))
            case "latents":
                voices.keep_latents(step["voice"], "0" * 64, step["name"].encode())
            case "withdraw":
                voices.withdraw(step["voice"])
            case "complain":
                voices.freeze(step["voice"], step["name"])
            case "delete":
                voices.delete(step["voice"])
            case "backup":
                voices.store.backups.run()
            case "sweep":
                voices.store.blobs.sweep(grace_seconds=0)

    def _happened(self, step: Step) -> None:
        match step["do"]:
            case "add":
                self.voices[step["voice"]] = _Kept(step["name"], step["seed"])
            case "rename":
                self.voices[step["voice"]].name = step["name"]
            case "latents":
                self.voices[step["voice"]].latents = step["name"]
            case "withdraw":
                self.voices[step["voice"]].versions = 2
            case "complain":
                self.voices[step["voice"]].complaints.append(step["name"])
            case "delete":
                del self.voices[step["voice"]]
                self.gone.add(step["voice"])

    @staticmethod
    def _had_happened(voices: Voices, step: Step) -> bool:
        there = {voice.voice_id: voice for voice in voices.all()}
        voice = there.get(step.get("voice", ""))
        match step["do"]:
            case "add":
                return voice is not None
            case "rename":
                return voice is not None and voice.name == step["name"]
            case "latents":
                return voice is not None and voices.latents(voice.voice_id, "0" * 64) == step["name"].encode()
            case "withdraw":
                return voice is not None and voice.state is VoiceState.FROZEN
            case "complain":
                return step["name"] in _texts(voices, step["voice"])
            case "delete":
                return voice is None
        return False

    def _problems(self, voices: Voices) -> Iterator[str]:
        yield from voices.store.database.integrity()
        yield from (f"the stored file {blob_id[:13]} is missing" for blob_id in voices.store.blobs.lost())
        report = voices.audit.verify()
        if report.state not in ("intact", "empty"):
            yield f"the audit log is {report.state}: {report.problem}"
        there = {voice.voice_id: voice for voice in voices.all()}
        if set(there) != set(self.voices):
            yield f"{len(self.voices)} voices should be there, {len(there)} are"
            return
        for voice_id, kept in self.voices.items():
            voice, versions = there[voice_id], voices.versions(voice_id)
            if voice.name != kept.name or len(versions) != kept.versions:
                yield f"{voice_id}: name or versions are not those that were saved"
            against = ({"withdrawn"} if kept.versions == 2 else set()) | ({"frozen"} if kept.complaints else set())
            if not voices.verdict(voice_id).codes <= against:
                yield f"{voice_id}: {voices.verdict(voice_id).reason()}"
            if (voice.state is VoiceState.FROZEN) != (kept.versions == 2 or bool(kept.complaints)):
                yield f"{voice_id}: is {voice.state}"
            if _texts(voices, voice_id) != kept.complaints:
                yield f"{voice_id}: complaints are missing"
            if voices.kept_sound(voice_id, "reference").sha256 != sound(kept.seed).sha256:
                yield f"{voice_id}: its sound is another one"
            if (voices.latents(voice_id, "0" * 64) or b"") != kept.latents.encode():
                yield f"{voice_id}: its latents are others"
        public = voices.store.keys.signing_key().public_key()
        for voice_id in self.gone:
            stone = tombstone(voices.store, voice_id)
            if stone is None or not tombstone_is_signed(stone, public):
                yield f"{voice_id}: no signed tombstone is there"
            if voices.store.keys.has_voice_key(voice_id) or voices.store.blobs.used_by(f"voice:{voice_id}"):
                yield f"{voice_id}: something of it is left"


def _texts(voices: Voices, voice_id: str) -> list[str | None]:
    """What the complaints about a voice say."""
    complaints = Complaints(voices.store, voices.audit)
    return [complaints.text(each.complaint_id) for each in complaints.of_voice(voice_id)]
