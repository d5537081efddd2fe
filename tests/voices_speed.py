"""The voices' part of ``python -m tests.store_speed``: open, search and add in a library of many voices."""

from __future__ import annotations

import random
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from app.core.audit import AuditLog
from app.core.consent import making
from app.core.shipped_voices import ShippedVoices
from app.core.sound_files import keep
from app.core.store import Store
from app.core.voice_card import VoiceCard
from app.core.voices import NewVoice, Voices

_NAMES = "Ada Bo Cy Di Eve Finn Gus Hal Ida Jo Kim Lea Max Nia Ole Pia Quin Rae Sam Tove Una Vic Wes Xia Yan Zoë"
_FIRST = tuple(_NAMES.split(" "))
_TAGS = ("warm", "low", "high", "slow", "fast", "narrator", "child", "old", "young", "news", "calm", "bright")
_SECONDS = 5


def library(store: Store, folder: Path) -> Voices:
    """The voices of a folder, without those that ship with the studio."""
    return Voices(store, AuditLog(store.database, store.keys), shipped=ShippedVoices(folder / "none"))


def new_voice(rng: random.Random, seconds: float) -> NewVoice:
    """A voice with a sound of its own."""
    now = datetime.now(UTC)
    noise = np.random.default_rng(rng.getrandbits(32)).normal(0, 0.1, int(16000 * seconds)).astype(np.float32)
    sound = keep(noise, 16000)
    name = f"{rng.choice(_FIRST)} {rng.choice(_FIRST)} {rng.randrange(10**6):06d}"
    draft = making.for_self(str(uuid.uuid4()), [sound.reference("file", now)], now=now)
    return NewVoice(VoiceCard(name, tuple(rng.sample(_TAGS, 3))), draft, {"reference": sound})


def voices(folder: Path, count: int) -> list[object]:
    """Fill ``folder`` with ``count`` voices; the figures of the voices."""
    from tests.app.takes.makers import opened
    from tests.store_speed import Figure, at_95, clocked, timed

    rng = random.Random(2)
    with opened(folder) as store:
        there = library(store, folder)
        for _ in range(count):
            there.add(new_voice(rng, 0.05))
    openings, lists = [], []
    for _ in range(5):
        begun = time.perf_counter()
        with opened(folder) as store:
            openings.append(1000 * (time.perf_counter() - begun))
            assert len(library(store, folder).all()) == count
            lists.append(1000 * (time.perf_counter() - begun))
    with opened(folder) as store:
        there = library(store, folder)
        there.all()
        asked = [f"{rng.randrange(10**6):06d}"[: rng.randint(1, 6)] for _ in range(100)]
        asked += [f"{rng.choice(_FIRST)[:2]} {rng.choice(_TAGS)}" for _ in range(100)]
        searches = [timed(lambda query=query: there.search(query)) for query in asked]
        admits = [timed(lambda voice=voice: there.verdict(voice.voice_id)) for voice in rng.sample(there.all(), 50)]
        new = [new_voice(rng, _SECONDS) for _ in range(60)]
        wall, work = zip(*(clocked(lambda one=one: there.add(one)) for one in new), strict=True)
    return [
        Figure("voices: open the folder, slowest of 5", max(openings)),
        Figure("voices: open the folder and list all, slowest of 5", max(lists), 1000),
        Figure("voices: search, p95", at_95(searches), 50),
        Figure("voices: check a record, p95", at_95(admits)),
        Figure(f"voices: add one of {_SECONDS} s, median", float(np.median(wall)), 20, float(np.median(work))),
        Figure(f"voices: add one of {_SECONDS} s, p95", at_95(wall)),
    ]
