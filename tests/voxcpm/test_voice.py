"""Encoded voices: cache, files, and audio as people have it (latents of OPEN-05, OPEN-06)."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from tests.voxcpm.conftest import CONSENT, MODEL_MODES, audio_file, load, voice_of
from voxcpm.errors import AudioError, CheckpointError
from voxcpm.model import PrefixState
from voxcpm.modules.kv_cache import KVCache
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request
from voxcpm.voice import PrefixCache, Voice

Engines = Callable[[str], VoxCPM]
VOICED = [(name, mode) for name, mode in MODEL_MODES if mode != "design"]


@pytest.mark.parametrize(("name", "mode"), VOICED)
def test_cached_equals_uncached(never: Engines, name: str, mode: str, tmp_path: Path) -> None:
    engine = never(name)
    voice = voice_of(engine, mode)
    assert voice is not None and voice.mode == mode
    request = Request("How are you?", voice=voice, seed=3, steps=3, max_patches=5, retries=1)
    engine.prefixes.clear()
    uncached = engine.generate(request)
    assert len(engine.prefixes) == 1 and engine.prefixes.nbytes()["cpu"] > 0 and engine.prefixes.nbytes()["gpu"] == 0
    cached = engine.generate(request)
    assert np.array_equal(cached.samples, uncached.samples)

    # A voice from its file, with its prefix, in a process that has never seen it.
    voice.save(tmp_path / "voice.safetensors", engine.voices.voice_prefix(voice))
    loaded = Voice.load(tmp_path / "voice.safetensors")
    assert loaded.prefix is not None and loaded.key == voice.key and loaded.consent == CONSENT
    fresh = load(name, stop="never")
    fresh.model.extend_prefix = _count(fresh.model.extend_prefix)  # type: ignore[method-assign, assignment]
    assert np.array_equal(fresh.generate(replace(request, voice=loaded)).samples, uncached.samples)
    assert fresh.model.extend_prefix.calls == 1  # type: ignore[attr-defined]  # the rest of the sequence, no prefix


def _count(function: Callable[..., object]) -> Callable[..., object]:
    def counted(*args: object, **kwargs: object) -> object:
        counted.calls += 1  # type: ignore[attr-defined]
        return function(*args, **kwargs)

    counted.calls = 0  # type: ignore[attr-defined]
    return counted


def test_a_transcript_that_merges_with_the_text_is_still_right(never: Engines) -> None:
    """Prompt and target text are tokenised as one string, so the last transcript ids may change."""
    engine = never("tiny-v1")
    voice = engine.encode_voice(prompt=audio_file("prompt", 16000), transcript="How are yo", consent=CONSENT)
    request = Request("u today?", voice=voice, seed=1, steps=2, max_patches=4, retries=1)
    laid = engine._lay_out(request)
    assert list(laid.text_ids) == engine.tokenizer.encode("How are you today?")
    plain = load("tiny-v1", stop="never", plain=True)
    assert np.abs(engine.generate(request).samples - plain.generate(request).samples).max() < 1e-3


def test_a_voice_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "voice.safetensors"
    path.write_bytes(b"nonsense")
    with pytest.raises(CheckpointError, match="cannot be read"):
        Voice.load(path)
    from safetensors.torch import save_file

    save_file({"reference": torch.zeros(1, 2, 3)}, path)
    with pytest.raises(CheckpointError, match="not a voice"):
        Voice.load(path)
    with pytest.raises(CheckpointError):
        Voice.load(tmp_path / "missing.safetensors")


def prefix_of(size: int) -> PrefixState:
    half = KVCache(torch.zeros(1, 1, 1, size, 1), torch.zeros(1, 1, 1, size, 1), size)
    return PrefixState(half, half)


def test_the_cache_forgets_the_least_recently_used() -> None:
    cache = PrefixCache(3 * prefix_of(10).nbytes)
    for key in "abc":
        cache.get(key, lambda: prefix_of(10))
    cache.get("a", lambda: pytest.fail("a is there"))
    cache.get("d", lambda: prefix_of(10))
    assert cache.nbytes()["cpu"] == 3 * prefix_of(10).nbytes
    made: list[str] = []
    for key in "acd":
        cache.get(key, lambda: pytest.fail("kept ones are not made again"))
    cache.get("b", lambda: (made.append("b"), prefix_of(10))[1])
    assert made == ["b"]
    cache.get("large", lambda: prefix_of(1000))
    assert cache.nbytes()["cpu"] <= cache.cap_bytes and len(cache) == 3, "what is larger than the cap is not kept"
    cache.clear()
    assert len(cache) == 0


def test_a_small_cap_still_generates(tmp_path: Path) -> None:
    engine = load("tiny-v2", stop="never", voice_cache_bytes=0)
    result = engine.generate(Request("Hi", voice=voice_of(engine, "reference"), steps=1, max_patches=2, retries=1))
    assert result.patches == 2 and len(engine.prefixes) == 0


# -- audio as people have it ----------------------------------------------------------------------------------

RATES = (8000, 16000, 22050, 44100, 48000, 96000, 192000)
FORMS = [("WAV", "PCM_U8", 0.10), ("WAV", "PCM_16", 0.02), ("WAV", "PCM_24", 0.02), ("WAV", "PCM_32", 0.02),
         ("WAV", "FLOAT", 0.02), ("WAV", "DOUBLE", 0.02), ("FLAC", "PCM_16", 0.02), ("OGG", "VORBIS", 0.10),
         ("MP3", "MPEG_LAYER_III", 0.10)]  # fmt: skip


def signal(rate: int, channels: int) -> np.ndarray:
    """3 s, nothing above 3 kHz, every channel another; the sixth is the one that Vorbis keeps for low effects alone."""
    time = np.arange(3 * rate) / rate
    tones = []
    for c in range(channels):
        low, high = (60, 0.0) if c == 5 else (180 + 90 * c, 0.1)
        tones.append(0.25 * np.sin(2 * np.pi * low * time) + high * np.sin(2 * np.pi * (1500 + 300 * c) * time + c))
    return np.stack(tones, axis=1) * (0.6 + 0.4 * np.sin(2 * np.pi * 3 * time))[:, None]


def encoded(data: np.ndarray, rate: int, form: str, subtype: str) -> bytes:
    buffer = io.BytesIO()
    # The reader is under test and not the encoder: lossy ones work at their best.
    quality = {"compression_level": 0.0} if form in ("OGG", "MP3") else {}
    soundfile.write(buffer, data, rate, format=form, subtype=subtype, **quality)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["tiny-v1", "tiny-v15"])
def test_every_container_gives_the_same_latents(engines: Engines, name: str) -> None:
    engine = engines(name)
    rate = engine.info.encode_rate

    def latents(source: object) -> torch.Tensor:
        voice = engine.encode_voice(prompt=source, transcript="Hello.", consent=CONSENT)  # type: ignore[arg-type]
        assert voice.prompt is not None
        return voice.prompt

    for channels in (1, 2, 6):
        wanted = latents((signal(rate, channels).mean(axis=1).astype(np.float32), rate))
        cases = [(form, subtype, allowed, rate) for form, subtype, allowed in FORMS]
        cases += [("WAV", "PCM_16", 0.10 if r == 8000 else 0.02, r) for r in RATES]
        for form, subtype, allowed, file_rate in cases:
            if form == "MP3" and (channels > 2 or file_rate > 48000):
                continue
            got = latents(encoded(signal(file_rate, channels), file_rate, form, subtype))
            assert abs(got.shape[0] - wanted.shape[0]) <= 1
            length = min(len(got), len(wanted))
            if form == "MP3":
                continue  # the codec's delay moves the patch grid; its length is what matters
            error = float((got[-length:] - wanted[-length:]).norm() / wanted[-length:].norm())
            assert error < allowed, f"{form} {subtype} {file_rate} Hz, {channels} channels: {error:.4f}"


BAD = [
    ("0 frames", np.zeros(0, np.float32)), ("1 sample", np.ones(1, np.float32) * 0.5),
    ("50 ms", np.sin(np.arange(800) / 9).astype(np.float32)), ("2 s of zeros", np.zeros(32000, np.float32)),
]  # fmt: skip


@pytest.mark.parametrize(("what", "samples"), BAD, ids=[what for what, _ in BAD])
def test_unusable_audio_is_refused_with_a_reason(engines: Engines, what: str, samples: np.ndarray) -> None:
    with pytest.raises(AudioError) as refusal:
        engines("tiny-v2").encode_voice(reference=(samples, 16000), consent=CONSENT)
    assert refusal.value.reason


def test_mendable_audio_is_mended_and_told(engines: Engines) -> None:
    engine = engines("tiny-v2")
    good = (0.5 * np.sin(np.arange(56000) / 9)).astype(np.float32)
    broken = good.copy()
    broken[[500, 900]] = np.nan, np.inf
    for samples in (broken, good * 20, good * 0.1 + 0.85):
        voice = engine.encode_voice(reference=(samples.astype(np.float32), 16000), consent=CONSENT)
        assert voice.findings and voice.reference is not None and bool(torch.isfinite(voice.reference).all())
    assert engine.encode_voice(reference=(good, 16000), consent=CONSENT).findings == ()


def test_an_overlong_reference_is_cut_and_an_overlong_prompt_refused(engines: Engines, tmp_path: Path) -> None:
    engine = engines("tiny-v2")
    overlong = tone_file(tmp_path / "long.wav", 600)
    voice = engine.encode_voice(reference=overlong, consent=CONSENT)
    assert voice.reference_seconds <= 30.0 + engine.info.patch_seconds
    assert any("600.0 s long; 0.00 to" in finding for finding in voice.findings)
    with pytest.raises(AudioError, match="transcript") as refusal:
        engine.encode_voice(prompt=overlong, transcript="A long tone.", consent=CONSENT)
    assert refusal.value.reason == "prompt_too_long"


def tone_file(path: Path, seconds: int) -> Path:
    soundfile.write(path, np.tile(0.3 * np.sin(np.arange(16000) / 9), seconds).astype(np.float32), 16000)
    return path


_PEAK = """
import sys
from pathlib import Path
from tests.voxcpm.conftest import CONSENT, load
load("tiny-v2").encode_voice(reference=sys.argv[1], consent=CONSENT)
lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
sys.stdout.write(next(line.split()[1] for line in lines if line.startswith("VmPeak:")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's own figure of the highest memory is Linux's")
def test_memory_does_not_grow_with_the_length_of_a_file(tmp_path: Path) -> None:
    """Measured in processes of their own: memory that others left free would hide the need.

    The kernel keeps the highest size of the address space, so no short peak is missed, as between two samples of a
    watching thread, and it does not matter which pages a busy machine takes back. The C library is told to give large
    blocks back at once: left to itself it moves its limit for that as it goes, and the same work then holds 105 to
    200 MB, by chance.
    """
    blocks = str(1 << 20)
    environment = {
        **os.environ, "MALLOC_MMAP_THRESHOLD_": blocks, "MALLOC_TRIM_THRESHOLD_": blocks, "MALLOC_ARENA_MAX": "1",
    }  # fmt: skip

    def peak(path: Path) -> int:
        root = str(Path(__file__).resolve().parents[2])
        command = [sys.executable, "-c", _PEAK, str(path)]
        return int(subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True).stdout) * 1024

    longest, overlong = (tone_file(tmp_path / f"{seconds}.wav", seconds) for seconds in (30, 600))
    whole = 600 * 16000 * 4  # bytes of the long file's samples, were they all held
    assert peak(overlong) <= peak(longest) + whole / 3


def test_prompts_are_padded_on_the_left_and_references_on_the_right(engines: Engines) -> None:
    engine = engines("tiny-v2")
    hop = engine.config.patch_size * engine.config.audio_vae_config.hop
    samples = torch.from_numpy((0.5 * np.sin(np.arange(hop + 100) / 9)).astype(np.float32))
    left = engine.voices.encode_audio(samples, pad_left=True)
    right = engine.voices.encode_audio(samples, pad_left=False)
    zeros = torch.zeros(hop - 100)
    assert torch.equal(left, engine.voices.encode_audio(torch.cat((zeros, samples)), pad_left=True))
    assert torch.equal(right, engine.voices.encode_audio(torch.cat((samples, zeros)), pad_left=True))
    assert left.shape == right.shape == (2, engine.config.patch_size, engine.config.feat_dim)
