"""Voices to test with: a data folder that opens quickly, sounds, and voices of every kind of trouble."""

import uuid
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import numpy as np

from app.core.audit import AuditLog
from app.core.consent import making
from app.core.consent.record import LICENSED, OTHER, PUBLIC_DOMAIN, SELF, SYNTHETIC, Evidence
from app.core.door import Door
from app.core.shipped_voices import ShippedVoices
from app.core.sound_files import keep
from app.core.store import Store
from app.core.store.master import ScryptCost
from app.core.voice_card import VoiceCard
from app.core.voices import NewVoice, Voices

PASSPHRASE = "words for the test"
NOW = datetime(2026, 3, 31, 9, 30, tzinfo=UTC)


class Clock:
    """A time that tests move."""

    def __init__(self, now=NOW):
        self.now = now

    def __call__(self):
        return self.now


class Place:
    """An open data folder with its voices and their door."""

    def __init__(self, store, clock, shipped=None):
        self.store = store
        self.clock = clock
        self.audit = AuditLog(store.database, store.keys)
        self.voices = Voices(store, self.audit, shipped=shipped or ShippedVoices(store.folder / "none"), now=clock)
        self.door = Door(self.voices)

    def events(self, kind):
        return [entry.facts for entry in self.audit.entries() if entry.event == kind]

    def add(self, **options):
        return self.voices.add(new_voice(now=self.clock(), **options))


def opened(folder, passphrase=PASSPHRASE, **options):
    return Store.open(folder, passphrase=passphrase, find_keyring=lambda: None, cost=ScryptCost(n=1 << 4), **options)


@contextmanager
def place(folder, clock=None, passphrase=PASSPHRASE, shipped=None):
    with opened(folder, passphrase) as store:
        yield Place(store, clock or Clock(), shipped)


def sound(seconds=1.0, rate=16_000, seed=0):
    return keep(np.random.default_rng(seed).normal(0, 0.1, round(seconds * rate)).astype(np.float32), rate)


def new_voice(
    name="Ada",
    kind=SELF,
    parts=("reference",),
    now=NOW,
    seed=0,
    voice_id="",
    scope=None,
    months=12,
    seconds=1.0,
    **texts,
):
    """A voice ready to be saved; ``parts`` share one sound."""
    made = sound(seconds, seed=seed)
    voice_id = voice_id or str(uuid.uuid4())
    references = [made.reference("file", now)] if parts else []
    if kind == SELF:
        draft = making.for_self(voice_id, references, now=now, scope=scope or making.SCOPE_OF_SELF)
    elif kind == OTHER:
        draft = making.for_other(
            voice_id,
            references,
            name="Bo Ek",
            contact="bo@example.org",
            operator="Studio North",
            months=months,
            scope=scope or making.SCOPE_OF_OTHERS,
            now=now,
        )
    elif kind == LICENSED:
        evidence = [Evidence("licence", "0" * 64)]
        draft = making.for_licensed(
            voice_id, references, name="Cy", operator="all", licence="free", evidence=evidence, months=None, now=now
        )
    elif kind == PUBLIC_DOMAIN:
        draft = making.for_public_domain(voice_id, references, name="Di", operator="all", why="1901", now=now)
    else:
        assert kind == SYNTHETIC
        draft = making.for_design(voice_id, description="calm", seed=7, model="VoxCPM2", references=references, now=now)
    card = VoiceCard(name, transcript="What is said." if "prompt" in parts else "", **texts)
    return NewVoice(card, draft, dict.fromkeys(parts, made))


def break_chain(store, voice_id):
    """Change a stored record as somebody with the file could."""
    with store.database.write() as connection:
        connection.execute("DROP TRIGGER IF EXISTS consent_versions_are_final")
        data = connection.execute("SELECT record FROM consent_versions WHERE voice_id = ?", (voice_id,)).fetchone()[0]
        changed = bytes(data).replace(b'"commercial":false', b'"commercial":true')
        assert changed != data
        connection.execute("UPDATE consent_versions SET record = ? WHERE voice_id = ?", (changed, voice_id))


LATER = timedelta(days=366)
