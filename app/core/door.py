"""The one door to a person's voice: whoever encodes, trains, loads an adapter or passes a voice on asks here first.

It looks at the record itself, every time, and never at what was noted of it before. A refusal names all reasons and
goes to the audit log.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import logging
import threading
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NoReturn

from app.core.audit_events import CAUSES
from app.core.consent import making
from app.core.consent.history import Versions, append_version
from app.core.consent.problems import ConsentError, Problem
from app.core.consent.record import SELF
from app.core.consent.verify import ConsentRefused, Use, Verdict, admit, check_scope, verify_consent
from app.core.messages import Consent, VoiceSpec
from app.core.sound_files import KeptSound
from app.core.store import errors
from app.core.voice_card import VoiceCard, VoiceMissingError
from app.core.voice_making import Word, distinct, draft_of, require_person
from app.core.voices import NewVoice, Voices, facts_of

log = logging.getLogger(__name__)

GENERATE = Use("generate")
SENSITIVE = Use("generate", sensitive=True)
_PURPOSES = {"generate": "generate", "export": "export", "train": "training"}
_LATENTS = "voxcpm latents 1"
"""A change of how latents are kept needs another number, so that nothing stale is ever served."""


@dataclass(frozen=True)
class Admitted:
    """What the engine gets: the consent, and for a saved voice its texts and sounds (FLAC files by part)."""

    consent: Consent
    voice_id: str
    saved: bool
    sounds: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    card: VoiceCard | None = None


@dataclass
class _Run:
    """A record that lasts until the program ends, unless its voice is saved."""

    word: Word
    versions: Versions = ()


class Door:
    """Asks ``voices`` for records; those of recordings that are not saved it keeps itself until the program ends."""

    def __init__(self, voices: Voices) -> None:
        self.voices = voices
        self._runs: dict[str, _Run] = {}
        self._lock = threading.RLock()

    # What is asked ---------------------------------------------------------------------------------------------------

    def admit(self, voice_id: str, use: Use = GENERATE, recordings: Collection[str] = ()) -> Consent:
        """The consent to use a saved voice, or ``recordings`` (hashes) under its record.

        Raises :class:`ConsentRefused` with every reason against it.
        """
        try:
            verdict = self.voices.verdict(voice_id, use, recordings)
            versions = self.voices.versions(voice_id) if verdict.ok else ()
        except VoiceMissingError as error:
            verdict, versions = Verdict("", "", (Problem("missing", str(error), {"field": "voice"}),)), ()
        except ConsentError as error:
            verdict, versions = Verdict("", "", (Problem("unreadable", str(error)),)), ()
        return self._answer(versions, verdict, use, voice_id)

    def admit_voice(self, voice_id: str, use: Use = GENERATE) -> Admitted:
        """The same with texts and sounds. Raises ConsentRefused, KeysError, StoreError."""
        consent = self.admit(voice_id, use)
        voice = self.voices.get(voice_id)
        if voice.card is None:
            raise errors.KeysLockedError(self.voices.store.keys.notice or "The saved voices are locked. Unlock them.")
        sounds = {part: self.voices.sound(voice_id, part) for part in voice.parts}
        return Admitted(consent, voice_id, True, sounds, voice.card)

    def admit_record(self, record_id: str, use: Use) -> Consent:
        """The consent behind a record's id, as adapters and training manifests name it. Raises ConsentRefused."""
        with self._lock:
            run = self._runs.get(record_id)
        if run is not None:
            return self._answer(run.versions, self._verdict_of_run(run, use, None), use, run.word.voice_id)
        voice_id = self.voices.voice_of_record(record_id)
        if voice_id is None:
            message = (
                f"There is no consent record {record_id[:80]!r} here. Import or record the person's consent first."
            )
            return self._answer((), Verdict("", "", (Problem("missing", message, {"field": "record"}),)), use, "")
        return self.admit(voice_id, use)

    def admit_all(self, record_ids: Collection[str], use: Use) -> list[Consent]:
        """The consents behind several records; one refusal refuses all."""
        return [self.admit_record(record_id, use) for record_id in record_ids]

    def admit_spec(
        self, spec: VoiceSpec, sounds: Callable[[], Mapping[str, KeptSound]], use: Use = GENERATE
    ) -> Admitted:
        """The consent for what a job asks: a saved voice, or recordings with the word of the person at the screen.

        ``sounds`` decodes the recordings of the spec (reference, prompt); it is called for a record that is yet to be
        made, or to compare with one. Raises ConsentRefused, KeysError, StoreError, and what ``sounds`` raises.
        """
        if spec.voice_id:
            return self.admit_voice(spec.voice_id, use)
        consent = spec.consent
        if consent is not None and not self.knows(consent.record_id) and not consent.fresh:
            voice_id = self.voices.voice_of_record(consent.record_id)
            if voice_id is not None:  # recordings under a record of the library
                used = [sound.sha256 for sound in sounds().values()]
                return Admitted(self.admit(voice_id, use, used), voice_id, False)
        run = self._run_of(consent, use)
        heard = {sound.sha256: sound for sound in sounds().values()}
        with self._lock:
            self._record(run, list(heard.values()))
        verdict = self._verdict_of_run(run, use, list(heard))
        return Admitted(self._answer(run.versions, verdict, use, run.word.voice_id), run.word.voice_id, False)

    def foresee(self, consent: Consent, use: Use) -> None:
        """Refuse what the record of a fresh word at the screen would not allow, so that nobody is asked for nothing.

        Raises :class:`ConsentRefused`. Nothing is allowed by this: the record is asked when the recording is used.
        """
        scope = making.SCOPE_OF_SELF if consent.subject_kind == SELF else making.SCOPE_OF_OTHERS
        if problems := check_scope(scope, use):
            self._refuse(Verdict(consent.record_id, "", tuple(problems)), use, "")

    # Recordings that are not saved -----------------------------------------------------------------------------------

    def attest(self, word: Word) -> str:
        """Take the word of the person at the screen; the record is made when the recording is read. Returns its id.

        The same word twice is one.

        Raises:
            ConsentError: another person's voice without name or contact.
        """
        if word.kind != SELF:
            require_person(word)
        with self._lock:
            self._runs.setdefault(word.record_id, _Run(word))
        return word.record_id

    def knows(self, record_id: str) -> bool:
        """Whether this is the record of a recording that is not saved, of this run."""
        with self._lock:
            return record_id in self._runs

    def save_run(self, record_id: str, card: VoiceCard, sounds: Mapping[str, KeptSound]) -> str:
        """Save the voice of a recording with the record that this run made; returns the voice's id.

        Raises:
            ConsentRefused: there is no such record.
            VoiceError, RuleError, KeysError, StoreError: see ``Voices.add``; nothing was saved.
        """
        with self._lock:
            run = self._runs.get(record_id)
            if run is None:
                problem = Problem("missing", "Answer the consent question before the voice is saved.")
                self._refuse(Verdict("", "", (problem,)), GENERATE, "")
            self._record(run, distinct(sounds))
            saved = self.voices.add(NewVoice(card, run.versions, sounds))
            del self._runs[record_id]
        return saved.voice_id

    # Latents ---------------------------------------------------------------------------------------------------------

    @staticmethod
    def latents_key(sounds: Mapping[str, bytes], fingerprint: str) -> str:
        """Name latents by everything they depend on: the sounds, and the model with its revision."""
        digest = hashlib.sha256(f"{_LATENTS}\0{fingerprint}\0".encode())
        for part in ("reference", "prompt"):
            digest.update(b"\0" + (hashlib.sha256(sounds[part]).digest() if part in sounds else b"-"))
        return digest.hexdigest()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _run_of(self, consent: Consent | None, use: Use) -> _Run:
        """The record of this run behind an answer; a fresh answer begins one."""
        if consent is not None and consent.fresh:
            with contextlib.suppress(ConsentError):
                self.attest(Word(consent.subject_kind, consent.name, consent.contact, record_id=consent.record_id))
        with self._lock:
            run = self._runs.get(consent.record_id) if consent is not None else None
        if run is None:
            if consent is None:
                message = "Nobody has agreed to the use of this voice. Answer the consent question."
            elif consent.fresh:
                message = "Say whose voice it is and how the person can be reached. Answer the consent question anew."
            else:
                message = (
                    f"There is no consent record {consent.record_id[:80]} here. That of a recording that is not saved "
                    "ends with the program: answer the consent question again."
                )
            self._refuse(Verdict("", "", (Problem("missing", message, {"field": "record"}),)), use, "")
        return run

    def _record(self, run: _Run, sounds: list[KeptSound]) -> None:
        """Make the record of a run, once: the word was for the recording that was shown then, not for other audio."""
        if run.versions:
            return
        keys = self.voices.store.keys
        draft = draft_of(run.word, sounds, self.voices.now())
        run.versions = append_version((), draft, key=keys.signing_key(), key_id=keys.key_id)
        self.voices.audit.append("record_added", facts_of(run.versions[-1]))

    def _verdict_of_run(self, run: _Run, use: Use, sounds: Collection[str] | None) -> Verdict:
        return verify_consent(
            run.versions,
            now=self.voices.now(),
            public_keys=self.voices.public_keys(run.word.voice_id),
            use=use,
            references=sounds,
            voice_id=run.word.voice_id,
        )

    def _answer(self, versions: Versions, verdict: Verdict, use: Use, voice_id: str) -> Consent:
        if not verdict.ok:
            self._refuse(verdict, use, voice_id)
        return admit(versions, verdict)

    def _refuse(self, verdict: Verdict, use: Use, voice_id: str) -> NoReturn:
        facts: dict[str, object] = {"cause": "other"}
        if verdict.problems and verdict.problems[0].code in CAUSES:
            facts["cause"] = verdict.problems[0].code
        if use.purpose in _PURPOSES:
            facts["purpose"] = _PURPOSES[use.purpose]
        facts |= {name: value for name, value in (("voice", voice_id), ("record", verdict.record_id)) if _is_id(value)}
        try:
            self.voices.audit.append("use_refused", facts)
        except errors.StoreError:
            log.warning("A refusal could not be written to the audit log", exc_info=True)
        raise ConsentRefused(verdict)


def _is_id(value: str) -> bool:
    try:
        return str(uuid.UUID(value)) == value
    except ValueError:
        return False
