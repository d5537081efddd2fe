"""New voices from what people give: files with somebody's word, a designed take, or the answer to a request."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np

from app.core.consent import making
from app.core.consent.bundle import ConsentAnswer, RecordedFile, read_answer, record_of_answer
from app.core.consent.history import append_version
from app.core.consent.problems import ConsentError, RequestFileError
from app.core.consent.record import OTHER, SELF, ConsentRecord, Evidence, Scope
from app.core.consent.rules import DEFAULT_MONTHS
from app.core.sound_files import KeptSound, keep, read_sound
from app.core.spoken import FILE, OTHER_VOICE, Listeners, SpokenSound, hear, refusal_of, refuse
from app.core.store import errors
from app.core.voice_card import SavedVoice, VoiceCard, VoiceError
from app.core.voices import NewVoice, Voices

MOST_DOCUMENT_BYTES = 20 << 20
OpenListeners = Callable[[str], Listeners]
"""Loads what listens to statements in a language (en, zh)."""


@dataclass(frozen=True)
class Word:
    """Who agrees to what. ``kind`` is self or other; another person needs name and contact.

    ``representative`` is (name, authority) for a minor; ``scope`` None takes the usual one; ``months`` None: no end for
    one's own voice, a year for others; ``documents`` are files that prove it. ``keep_recordings`` and
    ``keep_statement`` say how long those stay: session, 24h, 7d, 30d or until_expiry.
    """

    kind: str
    name: str = ""
    contact: str = ""
    operator: str = ""
    adult: bool = True
    representative: tuple[str, str] | None = None
    lang: str = "en"
    scope: Scope | None = None
    months: int | None = None
    documents: Sequence[Path] = ()
    keep_recordings: str = "until_expiry"
    keep_statement: str = "30d"
    record_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    voice_id: str = field(default_factory=lambda: str(uuid.uuid4()))


def draft_of(
    word: Word, sounds: Sequence[KeptSound], now: datetime, evidence: Sequence[Evidence] = ()
) -> ConsentRecord:
    """The record that a word makes. Raises ConsentError, ValueError for what cannot be one."""
    references = [sound.reference("file", now) for sound in sounds]
    if word.kind == SELF:
        draft = making.for_self(
            word.voice_id,
            references,
            name=word.name,
            operator=word.operator,
            scope=word.scope or making.SCOPE_OF_SELF,
            months=word.months,
            adult=word.adult,
            lang=word.lang,
            now=now,
        )
        if evidence:
            draft = dataclasses.replace(draft, evidence=tuple(evidence))
    elif word.kind == OTHER:
        require_person(word)
        draft = making.for_other(
            word.voice_id,
            references,
            name=word.name,
            contact=word.contact,
            operator=word.operator or making.THE_USER[word.lang],
            basis="estate_or_guardian" if word.representative else "explicit_consent",
            representative=word.representative,
            evidence=evidence,
            scope=word.scope or making.SCOPE_OF_OTHERS,
            months=word.months or DEFAULT_MONTHS,
            adult=word.adult,
            lang=word.lang,
            now=now,
        )
    else:
        raise ValueError(f"a word is about the own voice or another's, not {word.kind!r}")
    kept = making.make_retention(draft.granted_at, draft.expires_at, word.keep_recordings, word.keep_statement)
    return dataclasses.replace(draft, record_id=word.record_id, retention=kept)


def require_person(word: Word) -> None:
    """Raise ConsentError unless the other person has a name and can be reached."""
    if not word.name.strip() or not word.contact.strip():
        raise ConsentError(
            "Say whose voice it is and how the person can be reached; or say that the voice is your own."
        )


def save_files(voices: Voices, card: VoiceCard, word: Word, files: Mapping[str, Path]) -> SavedVoice:
    """Save a voice made of sound files (reference, prompt); equal files are one recording of the record.

    Raises:
        AudioFileError: a file cannot be used.
        ConsentError, VoiceError, RuleError: the record or the voice is not complete.
        KeysError, StoreError, OSError: nothing was saved.
    """
    card.checked()
    sounds = {part: read_sound(path) for part, path in files.items()}
    documents = read_documents(word.documents)
    evidence = [Evidence("signed_document", digest) for digest in documents]
    return voices.add(NewVoice(card, draft_of(word, distinct(sounds), voices.now(), evidence), sounds, documents))


def read_documents(paths: Sequence[Path]) -> dict[str, bytes]:
    """Files that prove a consent, by their SHA-256. Raises VoiceError for one that is too large, OSError."""
    documents = {}
    for path in paths:
        if path.stat().st_size > MOST_DOCUMENT_BYTES:
            raise VoiceError(f"{path.name} has more than {MOST_DOCUMENT_BYTES >> 20} MiB. Give a smaller copy.")
        data = path.read_bytes()
        documents[hashlib.sha256(data).hexdigest()] = data
    return documents


def save_design(
    voices: Voices,
    card: VoiceCard,
    samples: np.ndarray,
    sample_rate: int,
    *,
    description: str,
    seed: int,
    model: str,
    operator: str = "",
    lang: str = "en",
) -> SavedVoice:
    """Keep a designed take as the reference of a new voice: ``samples`` float32 [n], at most 30 s.

    Raises VoiceError, RuleError, KeysError, StoreError.
    """
    sound = keep(np.asarray(samples, np.float32), sample_rate)
    now = voices.now()
    draft = making.for_design(
        str(uuid.uuid4()),
        description=description,
        seed=seed,
        model=_model_id(model),
        references=[sound.reference("generated", now)],
        operator=operator,
        lang=lang,
        now=now,
    )
    return voices.add(NewVoice(card, draft, {"reference": sound}))


def save_answer(voices: Voices, card: VoiceCard, path: Path, listeners: OpenListeners | None = None) -> SavedVoice:
    """Save the voice of a person who answered a request of this studio; the answer is kept as evidence (L1).

    With ``listeners`` the spoken statement is judged too, which may give L2. The first reference is the voice's;
    without one it is the statement itself.

    Raises:
        BundleError, RequestFileError: the file is damaged, or no answer to a request of this studio.
        StatementRefused: another person spoke the statement than is heard in the recordings.
        AudioFileError, VoiceError, RuleError, KeysError, StoreError, OSError, and what ``listeners`` raises: nothing
            was saved.
    """
    card.checked()
    received = read_answer(path, own_keys=voices.public_keys(""), now=voices.now())
    with received.bundle:
        answer = received.answer
        statement, statement_file, digest = _sound_of(voices, received, answer.statement)
        others = [_sound_of(voices, received, item)[0] for item in answer.references]
        bundle = path.read_bytes()
        if hashlib.sha256(bundle).hexdigest() != received.sha256:
            raise RequestFileError("The answer was changed while it was read. Try again.")
    references = others or [statement]
    voice_id = str(uuid.uuid4())
    named = [sound.reference("bundle", voices.now()) for sound in references]
    draft = record_of_answer(voice_id, received, named, now=voices.now())
    keys = voices.store.keys
    signer, key_id = keys.signing_key(), keys.key_id
    versions = append_version((), draft, key=signer, key_id=key_id)
    if listeners is not None:
        there = listeners(received.request.lang)
        spoken = SpokenSound(statement, statement_file, FILE, answer.statement.captured_at)
        compared = [(sound.samples, sound.sample_rate) for sound in others]  # not the statement with itself
        heard = hear(versions[-1], versions[-1].statement, spoken, compared, there)
        problem = refusal_of(heard)
        if problem is not None and problem.code == OTHER_VOICE:
            refuse(voices, problem, voice_id, versions[-1].record_id)
        more = making.with_evidence(versions[-1], spoken=heard, now=voices.now())
        versions = append_version(versions, more, key=signer, key_id=key_id)
    documents = {received.sha256: bundle}
    return voices.add(NewVoice(card, versions, {"reference": references[0]}, documents, {digest: statement_file}))


def distinct(sounds: Mapping[str, KeptSound]) -> list[KeptSound]:
    """The sounds without doubles: one recording may serve as reference and prompt."""
    return list({sound.sha256: sound for sound in sounds.values()}.values())


def _sound_of(voices: Voices, received: ConsentAnswer, item: RecordedFile) -> tuple[KeptSound, bytes, str]:
    """A recording of an answer, decoded; its file, and the file's hash."""
    temporary = voices.store.temporary / f"{uuid.uuid4().hex}{Path(item.file).suffix}"
    try:
        with errors.files(temporary):
            received.bundle.extract(item.file, temporary)
            data = temporary.read_bytes()
        sound = read_sound(temporary)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    return sound, data, hashlib.sha256(data).hexdigest()


def _model_id(name: str) -> str:
    """A model's name as a record may hold it."""
    kept = "".join(character if character.isascii() and character.isalnum() else "-" for character in name)
    return kept.strip("-")[:200] or "unknown"
