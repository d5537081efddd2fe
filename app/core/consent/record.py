"""The consent record: every field, its canonical bytes, its hash and its signature.

A record is one version; a consent is the append-only list of its versions. ``record_hash`` is the SHA-256 of the
canonical JSON of all other fields but ``key_id`` and ``sig``; ``prev_hash`` is the ``record_hash`` of the version
before. The signature (Ed25519) covers hash and key id. Nothing here decides whether a record allows anything: see
:mod:`app.core.consent.verify`.
"""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any

import numpy as np
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from numpy.typing import NDArray

from app.core import canonical
from app.core.consent.codec import decimals, fixed, from_plain, like, one_of, private_part, to_plain, utc, with_private
from app.core.consent.problems import RecordError
from app.core.consent.sealed import Private, Sealed, decrypt_private, encrypt_private

SCHEMA = 1
MAX_RECORD_BYTES = 1 << 18
_SIGNED = b"voxcpm consent record\0"

SELF, OTHER, LICENSED, PUBLIC_DOMAIN, SYNTHETIC = "self", "other", "licensed", "public_domain", "synthetic_design"
RIGHTS = ("self", "explicit_consent", "contract", "estate_or_guardian", "public_domain", "none_synthetic")
CHANGES = ("made", "withdrawn", "extended", "narrowed", "renewed", "evidence_added", "references_changed")
LEVELS = ("L0", "L1", "L2", "L3")
PURPOSES = ("generate", "export")
ANY = "*"
WORDS = 4
FOR_SESSION = "session"
KEPT_FOR = {FOR_SESSION: timedelta(0), "24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
"""How long after the grant a recording may be kept; ``until_expiry`` is the other choice."""

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_SHA256 = r"[0-9a-f]{64}"
_ID = r"[A-Za-z0-9._:, +-]{1,200}"


@dataclass(frozen=True)
class Speaker:
    """Who is heard. Name and contact are sealed; whether an adult stays readable, since rules depend on it."""

    name: Sealed | None
    contact: Sealed | None
    adult: bool


@dataclass(frozen=True)
class Representative:
    """Who speaks for a minor or a deceased person."""

    name: Sealed
    authority: Annotated[str, one_of("parent", "guardian", "estate", "agent")]


@dataclass(frozen=True)
class Statement:
    """What is agreed to, in the speaker's words. It names the operator, so the text is sealed; the nonce is not."""

    template_id: Annotated[str, like(r"[a-z_]+\.(en|zh)\.[0-9]+")]
    lang: Annotated[str, one_of("en", "zh")]
    text: Sealed
    nonce: Annotated[tuple[str, ...], like(r"\S{1,32}")]
    issued_at: datetime


@dataclass(frozen=True)
class StatementAudio:
    """The recording of the spoken statement. ``live`` is this studio's microphone."""

    sha256_pcm: Annotated[str, like(_SHA256)]
    seconds: Annotated[Decimal, decimals(3)]
    source: Annotated[str, one_of("live", "file")]
    captured_at: datetime


@dataclass(frozen=True)
class Recognition:
    """What a recogniser heard in the recording: character error rate, and how many nonce words."""

    engine: Annotated[str, like(_ID)]
    transcript: Sealed
    cer: Annotated[Decimal, decimals(4)]
    words_heard: int


@dataclass(frozen=True)
class SpeakerMatch:
    """Cosine of the voices in statement and references; the embeddings are not kept."""

    engine: Annotated[str, like(_ID)]
    score: Annotated[Decimal, decimals(4)]
    threshold: Annotated[Decimal, decimals(4)]


@dataclass(frozen=True)
class Reference:
    """A recording that the voice is made from. ``sha256_pcm`` as of :func:`sha256_pcm`."""

    sha256_pcm: Annotated[str, like(_SHA256)]
    seconds: Annotated[Decimal, decimals(3)]
    source: Annotated[str, one_of("live", "file", "bundle", "shipped", "generated")]
    captured_at: datetime


@dataclass(frozen=True)
class Evidence:
    """A document, by the hash of its file."""

    kind: Annotated[str, one_of("signed_document", "e_mail", "licence", "spoken_statement", "consent_reply", "other")]
    sha256: Annotated[str, like(_SHA256)]


@dataclass(frozen=True)
class Scope:
    """What is allowed. ``languages`` (ISO 639) and ``territory`` (ISO 3166, two letters) may be ``*``; sorted."""

    purposes: Annotated[tuple[str, ...], one_of(*PURPOSES)]
    commercial: bool
    languages: Annotated[tuple[str, ...], like(r"\*|[a-z]{2,3}")]
    territory: Annotated[tuple[str, ...], like(r"\*|[A-Z]{2}")]
    redistribution: bool
    training: bool
    sensitive_text: bool


@dataclass(frozen=True)
class Retention:
    """How long recordings are kept: the trimmed reference or prompt, and the raw recording with the statement.

    ``delete_by`` is when the raw recordings must be gone; None for ``until_expiry`` of a consent without expiry.
    """

    reference: Annotated[str, one_of(*KEPT_FOR, "until_expiry")]
    raw_audio: Annotated[str, one_of(*KEPT_FOR, "until_expiry")]
    delete_by: datetime | None


@dataclass(frozen=True)
class Withdrawal:
    """The person took the consent back; from then on the voice is frozen."""

    at: datetime
    channel: Annotated[str, one_of("in_person", "phone", "e_mail", "letter", "message", "other")]
    action: Annotated[str, one_of("freeze", "delete")]


@dataclass(frozen=True)
class Design:
    """Where a voice without a person comes from."""

    description: Sealed | None
    seed: int
    model: Annotated[str, like(_ID)]


@dataclass(frozen=True)
class ConsentRecord:
    """One version. Drafts have no hash and no signature yet: see :func:`sign_version`."""

    schema: int
    record_id: Annotated[str, like(_UUID)]
    voice_id: Annotated[str, like(_UUID)]
    version: int
    change: Annotated[str, one_of(*CHANGES)]
    recorded_at: datetime
    subject_kind: Annotated[str, one_of(SELF, OTHER, LICENSED, PUBLIC_DOMAIN, SYNTHETIC)]
    rights_basis: Annotated[str, one_of(*RIGHTS)]
    note: Sealed | None
    speaker: Speaker | None
    representative: Representative | None
    operator: Sealed
    statement: Statement
    statement_audio: StatementAudio | None
    asr: Recognition | None
    speaker_match: SpeakerMatch | None
    references: tuple[Reference, ...]
    evidence: tuple[Evidence, ...]
    design: Design | None
    scope: Scope
    granted_at: datetime
    valid_from: datetime
    expires_at: datetime | None
    retention: Retention
    withdrawal: Withdrawal | None
    level: Annotated[str, one_of(*LEVELS)]
    prev_hash: Annotated[str | None, like(_SHA256)]
    record_hash: Annotated[str, like(r"|" + _SHA256)]
    key_id: Annotated[str, like(r"[A-Za-z0-9_-]{0,64}")]
    sig: Annotated[str, like(r"|[0-9a-f]{128}")]

    @property
    def is_open(self) -> bool:
        """Whether the personal texts can be read."""
        return self.operator.text is not None

    def to_dict(self) -> dict[str, Any]:
        """The public part as plain values: sealed texts are commitments."""
        return to_plain(self)

    def to_json(self) -> bytes:
        """The public part as canonical bytes."""
        return canonical.dump(self.to_dict())

    def private(self) -> Private:
        """The personal part in the clear. Raises :class:`PrivatePartError` if it is not open."""
        return private_part(self)

    def private_encrypted(self, key: bytes) -> bytes:
        """The personal part under ``key`` (32 bytes), bound to this record and version."""
        return encrypt_private(self.private(), key, self._context())

    def opened(self, private: Private) -> ConsentRecord:
        """This record with its personal texts. Raises :class:`PrivatePartError` if they are not the sealed ones."""
        return with_private(self, private)

    def opened_with(self, blob: bytes, key: bytes) -> ConsentRecord:
        """As :meth:`opened`, from :meth:`private_encrypted`."""
        return self.opened(decrypt_private(blob, key, self._context()))

    def closed(self) -> ConsentRecord:
        """This record without its personal texts."""
        return with_private(self, None)

    def computed_hash(self) -> str:
        """What ``record_hash`` must be."""
        raw = self.to_dict()
        for name in ("record_hash", "key_id", "sig"):
            del raw[name]
        return hashlib.sha256(canonical.dump(raw)).hexdigest()

    def signature_holds(self, public_key: Ed25519PublicKey) -> bool:
        """Whether ``sig`` was made with this key over ``record_hash`` and ``key_id``."""
        try:
            public_key.verify(bytes.fromhex(self.sig), _message(self.record_hash, self.key_id))
        except (InvalidSignature, ValueError):
            return False
        return True

    def _context(self) -> str:
        return f"{self.record_id}/{self.version}"


def parse_record(data: bytes, private: Private | None = None) -> ConsentRecord:
    """A record from its canonical bytes, opened if ``private`` is given.

    Raises:
        RecordError: not canonical, or a field is missing, unknown or of a wrong kind; it is named.
        PrivatePartError: the personal part is another's.
    """
    try:
        raw = canonical.load(data, max_bytes=MAX_RECORD_BYTES)
    except canonical.CanonicalError as error:
        raise RecordError("", str(error).removeprefix("it ")) from error
    schema = raw.get("schema") if isinstance(raw, dict) else None
    if type(schema) is int and schema > SCHEMA:
        raise RecordError("schema", f"is {schema}; this studio reads up to {SCHEMA}, update it")
    record = from_plain(ConsentRecord, raw)
    if record.schema != SCHEMA:
        raise RecordError("schema", f"is not {SCHEMA}")
    return record if private is None else record.opened(private)


def check_form(record: ConsentRecord) -> None:
    """Raise :class:`RecordError` unless every field could be read back as it is."""
    if from_plain(ConsentRecord, record.to_dict()) != record:
        raise RecordError("", "has a time or number that is not of the record's precision")


def sign_version(
    draft: ConsentRecord, previous: ConsentRecord | None, *, key: Ed25519PrivateKey, key_id: str, level: str
) -> ConsentRecord:
    """Number, chain, hash and sign a draft. Used by :func:`app.core.consent.history.append_version`."""
    if not key_id:
        raise ValueError("a signature needs a key id")
    chained = dataclasses.replace(
        draft,
        version=previous.version + 1 if previous else 1,
        prev_hash=previous.record_hash if previous else None,
        level=level,
        record_hash="",
        key_id=key_id,
        sig="",
    )
    digest = chained.computed_hash()
    signed = dataclasses.replace(chained, record_hash=digest, sig=key.sign(_message(digest, key_id)).hex())
    check_form(signed)
    return signed


def key_id_of(key: Ed25519PublicKey) -> str:
    """A name for a public key: the first 32 hex digits of the SHA-256 of its 32 bytes."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:32]


def sha256_pcm(samples: NDArray[np.float32], sample_rate: int) -> str:
    """Hash of mono sound, float32 [n] at ``sample_rate`` Hz, whatever file it came from."""
    if samples.ndim != 1 or not len(samples):
        raise ValueError("one channel with at least one sample is needed")
    digest = hashlib.sha256(f"mono f32le {sample_rate}\n".encode())
    digest.update(np.ascontiguousarray(samples, "<f4").tobytes())
    return digest.hexdigest()


def make_reference(samples: NDArray[np.float32], sample_rate: int, source: str, captured_at: datetime) -> Reference:
    """Describe mono sound, float32 [n] at ``sample_rate`` Hz."""
    digest = sha256_pcm(samples, sample_rate)
    return Reference(digest, fixed(len(samples) / sample_rate, 3), source, utc(captured_at))


def _message(record_hash: str, key_id: str) -> bytes:
    return _SIGNED + record_hash.encode() + b"\0" + key_id.encode()
