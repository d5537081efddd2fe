"""Consent from a distance: a request file with the statement to speak, and the bundle that comes back.

A request is canonical JSON, signed by the asker's studio with the public key inside: the speaker's studio sees that
it is whole, and the asker's that it is its own. An answer is a bundle (:mod:`app.core.safe_zip`) with the request as
it was, the speaker's particulars and the recordings. Sound files inside are not decoded here: foreign sound is
decoded in a child process.
"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from app.core import canonical
from app.core.consent.codec import from_plain, like, one_of, to_plain, utc
from app.core.consent.making import for_other
from app.core.consent.problems import RecordError, RequestFileError
from app.core.consent.record import OTHER, SCHEMA, ConsentRecord, Evidence, Reference, Scope, Statement
from app.core.consent.rules import DEFAULT_MONTHS, MAX_MONTHS, MAX_REFERENCES
from app.core.consent.sealed import Sealed
from app.core.consent.statement import APP, GUARDIAN, Chooser, check_template, new_statement
from app.core.safe_zip import LIMITS, Bundle, Limits, read_bundle, write_bundle

KIND = "consent_answer"
ANSWER_WITHIN = timedelta(days=30)
MAX_REQUEST_BYTES = 1 << 16
_FORMAT = "voxcpm-consent-request"
_SIGNED = b"voxcpm consent request\0"
_REQUEST, _ANSWER = "request.json", "answer.json"
_AUDIO = r"audio/[a-z0-9-]{1,40}\.(wav|flac|ogg|opus|mp3)"
_UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@dataclass(frozen=True)
class ConsentRequest:
    """What is asked. The text is in the clear: it is for the speaker to read."""

    format: Annotated[str, one_of(_FORMAT)]
    schema: int
    request_id: Annotated[str, like(_UUID)]
    app: str
    operator: str
    template_id: Annotated[str, like(r"[a-z_]+\.(en|zh)\.[0-9]+")]
    lang: Annotated[str, one_of("en", "zh")]
    text: str
    nonce: Annotated[tuple[str, ...], like(r"\S{1,32}")]
    issued_at: datetime
    answer_by: datetime
    scope: Scope
    months: int
    references_wanted: int
    note: str
    public_key: Annotated[str, like(r"[0-9a-f]{64}")]
    key_id: Annotated[str, like(r"[A-Za-z0-9_-]{1,64}")]
    sig: Annotated[str, like(r"|[0-9a-f]{128}")]

    def to_json(self) -> bytes:
        """The file."""
        return canonical.dump(to_plain(self))

    def signed_bytes(self) -> bytes:
        """What the signature covers: all but itself."""
        raw = to_plain(self)
        del raw["sig"]
        return _SIGNED + canonical.dump(raw)


@dataclass(frozen=True)
class RecordedFile:
    """A recording in an answer: its entry, and what the speaker's studio says of it."""

    file: Annotated[str, like(_AUDIO)]
    source: Annotated[str, one_of("live", "file")]
    captured_at: datetime


@dataclass(frozen=True)
class Answer:
    """Who answers, with what. ``representative`` is (name, authority), or empty."""

    request_id: Annotated[str, like(_UUID)]
    name: str
    contact: str
    adult: bool
    representative: tuple[str, ...]
    statement: RecordedFile
    references: tuple[RecordedFile, ...]


@dataclass(frozen=True)
class ConsentAnswer:
    """A checked answer. ``bundle`` is open until the caller closes it; ``sha256`` is the file's."""

    request: ConsentRequest
    answer: Answer
    bundle: Bundle
    sha256: str

    @property
    def evidence(self) -> Evidence:
        """The bundle as evidence, by the hash of its file."""
        return Evidence("consent_reply", self.sha256)


def make_request(
    *,
    operator: str,
    scope: Scope,
    key: Ed25519PrivateKey,
    key_id: str,
    lang: str = "en",
    use: str = "",
    for_guardian: bool = False,
    months: int = DEFAULT_MONTHS,
    references_wanted: int = 1,
    note: str = "",
    now: datetime | None = None,
    answer_within: timedelta = ANSWER_WITHIN,
    chooser: Chooser | None = None,
) -> ConsentRequest:
    """A signed request; write its ``to_json()`` to a file and keep it. Raises ``ValueError`` for bad values."""
    if not 1 <= months <= MAX_MONTHS:
        raise ValueError(f"a consent lasts 1 to {MAX_MONTHS} months")
    if not 0 <= references_wanted <= MAX_REFERENCES:
        raise ValueError(f"0 to {MAX_REFERENCES} recordings can be asked for")
    now = utc(now or datetime.now(UTC))
    kind = GUARDIAN if for_guardian else OTHER
    statement = new_statement(kind, lang, operator=operator, scope=scope, now=now, use=use, chooser=chooser)
    request = ConsentRequest(
        format=_FORMAT,
        schema=SCHEMA,
        request_id=str(uuid.uuid4()),
        app=APP,
        operator=operator.strip(),
        template_id=statement.template_id,
        lang=lang,
        text=statement.text.text or "",
        nonce=statement.nonce,
        issued_at=now,
        answer_by=utc(now + answer_within),
        scope=scope,
        months=months,
        references_wanted=references_wanted,
        note=note,
        public_key=key.public_key().public_bytes_raw().hex(),
        key_id=key_id,
        sig="",
    )
    return dataclasses.replace(request, sig=key.sign(request.signed_bytes()).hex())


def read_request(data: bytes) -> ConsentRequest:
    """A request that is whole and signed with the key it names. Raises :class:`RequestFileError`."""
    try:
        request = from_plain(ConsentRequest, canonical.load(data, max_bytes=MAX_REQUEST_BYTES))
    except (canonical.CanonicalError, RecordError) as error:
        raise RequestFileError(
            f"This is not a consent request, or it was changed ({error}). Ask for it again."
        ) from error
    if request.schema != SCHEMA:
        raise RequestFileError(f"The request is of version {request.schema}; this studio reads {SCHEMA}. Update it.")
    try:
        public_key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(request.public_key))
        public_key.verify(bytes.fromhex(request.sig), request.signed_bytes())
    except (InvalidSignature, ValueError) as error:
        raise RequestFileError("The request was changed after it was made. Ask for it again.") from error
    if not 1 <= request.months <= MAX_MONTHS or not 0 <= request.references_wanted <= MAX_REFERENCES:
        raise RequestFileError("The request asks for more than a consent may give. Do not answer it.")
    if not check_template(request.template_id, request.text, request.operator, request.scope, request.nonce):
        raise RequestFileError("The request's text does not say what it asks for. Do not answer it.")
    return request


def write_answer(
    path: Path,
    request: ConsentRequest,
    answer: Answer,
    recordings: Mapping[str, bytes | Path],
    *,
    limits: Limits = LIMITS,
) -> str:
    """Write the bundle that goes back to the asker; returns its SHA-256. ``recordings`` are by their entries' names.

    Raises :class:`RequestFileError` if answer, request and recordings do not fit, :class:`BundleError`,
    and what :func:`write_bundle` raises about the disk.
    """
    _check_answer(request, answer, recordings)
    entries = {_REQUEST: request.to_json(), _ANSWER: canonical.dump(to_plain(answer)), **recordings}
    return write_bundle(path, entries, kind=KIND, limits=limits)


def read_answer(
    path: Path, *, own_keys: Mapping[str, Ed25519PublicKey], now: datetime | None = None, limits: Limits = LIMITS
) -> ConsentAnswer:
    """Check an answer to a request of this studio. Close ``bundle`` when done.

    Raises:
        BundleError: the file is damaged, changed, or beyond the limits.
        RequestFileError: it answers somebody else's request, came too late, or does not fit.
    """
    now = utc(now or datetime.now(UTC))
    bundle = read_bundle(path, kind=KIND, limits=limits)
    try:
        request = read_request(_entry(bundle, _REQUEST))
        known = own_keys.get(request.key_id)
        if known is None or known.public_bytes_raw().hex() != request.public_key:
            raise RequestFileError("This answers a request that was not made by this studio.")
        if not request.issued_at <= now <= request.answer_by:
            raise RequestFileError(f"The answer was due by {request.answer_by:%Y-%m-%d}. Send a new request.")
        try:
            answer = from_plain(Answer, canonical.load(_entry(bundle, _ANSWER)))
        except (canonical.CanonicalError, RecordError) as error:
            raise RequestFileError(f"The answer cannot be read ({error}). Ask for it again.") from error
        _check_answer(request, answer, [name for name in bundle if name not in (_REQUEST, _ANSWER)])
        return ConsentAnswer(request, answer, bundle, bundle.sha256)
    except BaseException:
        bundle.close()
        raise


def record_of_answer(
    voice_id: str, received: ConsentAnswer, references: Sequence[Reference], *, now: datetime | None = None
) -> ConsentRecord:
    """The draft of the consent that an answer gives, at L1 with the bundle as evidence; a spoken statement that is
    recognised is added by ``with_evidence``. ``references`` are the decoded recordings."""
    request, answer = received.request, received.answer
    return for_other(
        voice_id,
        references,
        name=answer.name,
        contact=answer.contact,
        operator=request.operator,
        basis="estate_or_guardian" if answer.representative else "explicit_consent",
        adult=answer.adult,
        representative=(answer.representative[0], answer.representative[1]) if answer.representative else None,
        evidence=[received.evidence],
        lang=request.lang,
        scope=request.scope,
        months=request.months,
        note=request.note,
        statement=Statement(
            request.template_id, request.lang, Sealed.of(request.text), request.nonce, request.issued_at
        ),
        now=now,
    )


def _entry(bundle: Bundle, name: str) -> bytes:
    if name not in bundle or bundle[name].size > MAX_REQUEST_BYTES:
        raise RequestFileError(f"The answer lacks its {name}, or it is far too large. Ask for it again.")
    return bundle.read(name)


def _check_answer(request: ConsentRequest, answer: Answer, recordings: Iterable[str]) -> None:
    named = [answer.statement.file, *(item.file for item in answer.references)]
    problem = ""
    if answer.request_id != request.request_id:
        problem = "it is for another request"
    elif len(set(named)) != len(named) or set(named) != set(recordings):
        problem = "its recordings are not those that it names"
    elif len(answer.references) > MAX_REFERENCES:
        problem = f"it has more than {MAX_REFERENCES} recordings"
    elif not answer.name.strip() or not answer.contact.strip():
        problem = "name or contact is missing"
    elif len(answer.representative) not in (0, 2) or (not answer.adult and not answer.representative):
        problem = "a minor needs a representative, with name and authority"
    elif bool(answer.representative) != request.template_id.startswith(GUARDIAN):
        problem = "the statement is for the person, or for a representative, and the other one answers"
    if problem:
        raise RequestFileError(f"The answer does not fit the request: {problem}.")
