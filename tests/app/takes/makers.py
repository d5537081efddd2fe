"""Takes to store: real ones of the in-memory list, ended with a result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from app.core.messages import BatchRow, Chunk, Consent, Job, ModelInfo, TakeResult, VoiceSpec
from app.core.store import Store
from app.core.store.master import ScryptCost
from app.core.takes import Take, TakeState, TakeStore

MODEL = ModelInfo(
    "f", "m", "", "fake", 16000, 48000, 4, 8, 25.0, 100, "cpu", "float32", 1, True, True, "ab" * 32, 3, "lib 1", "x86"
)  # fmt: skip
VOICE = VoiceSpec("/home/x/grandmother.wav", "/home/x/b.wav", "What is said.", Consent.attest("other", "Ada Lovelace"))


def made(
    text: str = "Good evening.",
    *,
    takes: int = 1,
    voice: VoiceSpec | None = None,
    end: str = "stopped",
    length: int = 5000,
    seed: int = 4,
    model: ModelInfo = MODEL,
) -> tuple[Take, ...]:
    """Return the takes of one press. ``end`` "" gives takes that broke off without a result."""
    store = TakeStore()
    job = Job(1, text, voice=voice, takes=takes, seed=seed, cfg=2.5)
    opened = store.open_job(job, model)
    rows = tuple(BatchRow(text, job.mode, seed + row, 0, 10, 2.5, 2, 100) for row in range(takes))
    for take in opened:
        rng = np.random.default_rng((seed, take.row))
        samples = rng.normal(0, 0.7, length).astype(np.float32)  # also beyond full scale
        latents = rng.normal(0, 1, (8, 8)).astype(np.float32)
        result = TakeResult(
            samples, 48000, latents, 2, job.mode, text, seed + take.row, end, ("doubtful: too long",), 0.5, 2.0, 0.25,
            model.fingerprint, "cpu", "float32", np.array([0.1, 0.9], np.float32), np.array([0.2, 0.3], np.float32),
            {"steps": 10}, 99, rows, take.row,
        )  # fmt: skip
        store.take_in(Chunk(1, take.row, 0, samples, 48000, latents[:4], 0.0, 0.1, (1, 2)))
        last = Chunk(1, take.row, 1, np.zeros(0, np.float32), 48000, latents[4:], 0.0, 0.1, (1, 2))
        store.take_in(replace(last, result=result) if end else last)
    store.close_job(1, TakeState.FAILED)
    return opened


def opened(folder: Path, passphrase: str | None = "a passphrase for tests") -> Store:
    """Open a data folder without the keyring of this computer, with a cheap passphrase."""
    return Store.open(folder, passphrase=passphrase, find_keyring=lambda: None, cost=ScryptCost(n=1 << 4))
