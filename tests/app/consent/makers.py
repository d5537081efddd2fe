"""Consents to test with: a fixed time, a fixed key, and records of every kind."""

import hashlib
import random
from datetime import UTC, datetime, timedelta

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.core.consent import making
from app.core.consent.evidence import listen
from app.core.consent.history import append_version
from app.core.consent.record import Evidence, key_id_of, make_reference

NOW = datetime(2026, 3, 31, 9, 30, tzinfo=UTC)
VOICE = "0b6f0c1e-6c1e-4c52-9df5-0d2f0c5f7a11"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY_ID = key_id_of(KEY.public_key())
KEYS = {KEY_ID: KEY.public_key()}
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
DOCUMENT = Evidence("signed_document", hashlib.sha256(b"signed").hexdigest())
LICENCE = Evidence("licence", hashlib.sha256(b"Apache-2.0").hexdigest())


def sound(seconds=5.0, rate=16_000, seed=0):
    return np.random.default_rng(seed).normal(0, 0.1, round(seconds * rate)).astype(np.float32), rate


def reference(seconds=5.0, seed=0, source="file"):
    return make_reference(*sound(seconds, seed=seed), source, NOW)


def own(**options):
    return making.for_self(
        VOICE, options.pop("references", [reference()]), now=NOW, chooser=random.Random(1), **options
    )


def other(**options):
    options = {"name": "Ada Lind", "contact": "ada@example.org", "operator": "Studio North"} | options
    return making.for_other(
        VOICE, options.pop("references", [reference()]), now=NOW, chooser=random.Random(2), **options
    )


def licensed(**options):
    options = {"name": "Bo", "operator": "VoxCPM Studio", "licence": "Apache-2.0", "evidence": [LICENCE]} | options
    shipped = [reference(source="shipped")]
    return making.for_licensed(VOICE, shipped, months=options.pop("months", None), now=NOW, **options)


def designed(**options):
    options = {"description": "a calm old man", "seed": 7, "model": "VoxCPM2"} | options
    return making.for_design(VOICE, now=NOW, **options)


def public_domain(**options):
    options = {"name": "Cy", "operator": "Studio North", "why": "published in 1901"} | options
    return making.for_public_domain(VOICE, [reference()], now=NOW, **options)


ALL = {"self": own, "other": other, "licensed": licensed, "synthetic_design": designed, "public_domain": public_domain}


def add(versions, draft):
    return append_version(versions, draft, key=KEY, key_id=KEY_ID)


def first(draft=None):
    return add((), other() if draft is None else draft)


class Hears:
    """A recogniser that hears what it is told."""

    identity = "hears 1, en"

    def __init__(self, text):
        self.text = text

    def transcribe(self, samples, sample_rate):
        return self.text


class Matches:
    identity = "matches 1"
    threshold = 0.82

    def __init__(self, score):
        self.value = score

    def score(self, one, others):
        return self.value


def spoken(record, text=None, *, source="live", score=0.9, after=timedelta(minutes=2)):
    """What comes of listening to the record's own statement."""
    return listen(
        record.statement,
        sound(6.0, seed=9),
        source=source,
        captured_at=record.statement.issued_at + after,
        file_sha256=hashlib.sha256(b"statement.flac").hexdigest(),
        recogniser=Hears(record.statement.text.text if text is None else text),
        matcher=None if score is None else Matches(score),
        references=[sound()],
    )
