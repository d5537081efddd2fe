"""Tiny models, and the fixtures that the cases of real use name."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from tests.conftest import parity_dir
from voxcpm.consent import ConsentRecord
from voxcpm.pipeline import VoxCPM
from voxcpm.voice import Voice

TINY = ("tiny-v1", "tiny-v15", "tiny-v2")
CONSENT = ConsentRecord("test-signal", frozenset({"generate"}))


class FixedHead(nn.Module):
    """A stop head that always says the same: NEVER is (20, -20), ALWAYS is (-20, 20)."""

    def __init__(self, go_on: float, stop: float) -> None:
        super().__init__()
        self.logits = torch.tensor([go_on, stop])

    def forward(self, hidden: Tensor) -> Tensor:
        return self.logits.to(hidden.dtype).expand(*hidden.shape[:-1], 2)


def checkpoint(name: str) -> Path:
    """A tiny checkpoint's folder."""
    return parity_dir() / "checkpoints" / name


def audio_file(name: str, rate: int) -> Path:
    """A recorded test signal."""
    return parity_dir() / "audio" / f"{name}_{rate}.wav"


def load(name: str, *, stop: str | None = None, max_length: int | None = None, folder: Path | None = None,
         **options: object) -> VoxCPM:  # fmt: skip
    """A fresh engine; ``stop`` is ``never`` or ``always``; ``max_length`` is changed in a copy under ``folder``."""
    source = checkpoint(name)
    if max_length is not None:
        assert folder is not None
        source = Path(shutil.copytree(source, folder / name, copy_function=shutil.copyfile))
        config = json.loads((source / "config.json").read_text())
        (source / "config.json").write_text(json.dumps({**config, "max_length": max_length}))
    engine = VoxCPM.load(source, device="cpu", dtype="float32", **options)  # type: ignore[arg-type]
    if stop is not None:
        engine.model.stop_head = FixedHead(20, -20) if stop == "never" else FixedHead(-20, 20)  # type: ignore[assignment]
    return engine


@pytest.fixture(scope="session")
def engines() -> Callable[[str], VoxCPM]:
    """Shared engines by name, with the checkpoint's own stop head."""
    return _shared({}, None)


@pytest.fixture(scope="session")
def never() -> Callable[[str], VoxCPM]:
    """Shared engines that never stop by themselves."""
    return _shared({}, "never")


def _shared(made: dict[str, VoxCPM], stop: str | None) -> Callable[[str], VoxCPM]:
    def get(name: str) -> VoxCPM:
        if name not in made:
            made[name] = load(name, stop=stop)
        return made[name]

    return get


def voice_of(engine: VoxCPM, mode: str) -> Voice | None:
    """The test signals as a voice of the wanted mode; None for design."""
    rate = engine.info.encode_rate
    reference = audio_file("ref", rate) if mode in ("reference", "combined") else None
    prompt = audio_file("prompt", rate) if mode in ("continuation", "combined") else None
    if reference is None and prompt is None:
        return None
    transcript = "Good morning." if prompt is not None else None
    return engine.encode_voice(reference=reference, prompt=prompt, transcript=transcript, consent=CONSENT)


def modes_of(name: str) -> tuple[str, ...]:
    """The modes that a generation takes."""
    return ("design", "reference", "continuation", "combined") if name == "tiny-v2" else ("design", "continuation")


MODEL_MODES = [(name, mode) for name in TINY for mode in modes_of(name)]


def text_of(engine: VoxCPM, tokens: int) -> str:
    """A text of exactly that many tokens."""
    text = next(t for n in range(1, tokens + 1) if len(engine.tokenizer.encode(t := "你" * n)) == tokens)
    assert len(engine.tokenizer.encode(text)) == tokens
    return text


def spy(engine: VoxCPM) -> list[str]:
    """Notes every call of the model."""
    calls: list[str] = []
    for part in ("prefill", "sample", "advance"):
        original = getattr(engine.model, part)

        def noted(
            *args: object, part: str = part, original: Callable[..., object] = original, **kwargs: object
        ) -> object:
            calls.append(part)
            return original(*args, **kwargs)

        setattr(engine.model, part, noted)
    return calls
