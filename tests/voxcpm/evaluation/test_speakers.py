"""Whose voice it is."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.voxcpm.conftest import audio_file
from voxcpm.audio import read_audio
from voxcpm.errors import RequestError
from voxcpm.evaluation.speakers import (
    ReferenceVoices,
    ResemblyzerEmbedder,
    SpeakerNetwork,
    mel_filters,
    nearest,
    similarity,
    speaker_model_file,
    voice_folders,
    window_starts,
)
from voxcpm.pins import ALLOW_UNKNOWN


@pytest.fixture
def random_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the package's form with random numbers: as loadable, and as deaf, as a network before training."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = SpeakerNetwork()
    file = tmp_path / "pretrained.pt"
    extra = {"similarity_weight": torch.tensor([10.0]), "similarity_bias": torch.tensor([-5.0])}
    torch.save({"step": 1, "model_state": {**network.state_dict(), **extra}}, file)
    monkeypatch.setenv(ALLOW_UNKNOWN, "1")
    return file


def test_a_file_that_nobody_knows_is_not_read(random_weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ALLOW_UNKNOWN)
    with pytest.raises(RequestError, match="was not read"):
        ResemblyzerEmbedder(random_weights)


def test_embeddings_are_unit_vectors_and_loudness_does_not_matter(random_weights: Path) -> None:
    embedder = ResemblyzerEmbedder(random_weights)
    recording = read_audio(audio_file("ref", 16_000))
    one = embedder.embed(recording.samples, recording.sample_rate)
    quiet = embedder.embed(recording.samples * np.float32(1e-3), recording.sample_rate)
    assert one.shape == (256,) and one.dtype == np.float32
    assert similarity(one, one) == pytest.approx(1.0, abs=1e-5)
    louder = recording.samples * np.float32(1e-4)
    assert similarity(quiet, embedder.embed(louder, recording.sample_rate)) == pytest.approx(1.0, abs=1e-5)


def test_silence_is_nobody(random_weights: Path) -> None:
    embedder = ResemblyzerEmbedder(random_weights)
    for length in (0, 1, 16_000):
        assert not embedder.embed(np.zeros(length, np.float32), 16_000).any()
    assert nearest({"a": 0.0, "b": 0.0}) == ""


def test_a_file_of_another_kind_is_refused(tmp_path: Path, random_weights: Path) -> None:
    (tmp_path / "other.pt").write_bytes(b"rubbish")
    torch.save({"model_state": {"linear.weight": torch.zeros(2)}}, tmp_path / "half.pt")
    for name in ("other.pt", "half.pt"):
        with pytest.raises(RequestError, match="is not Resemblyzer's network"):
            ResemblyzerEmbedder(tmp_path / name)
    with pytest.raises(RequestError, match="there is no file"):
        speaker_model_file(tmp_path / "nowhere.pt")


def test_windows_cover_the_sound() -> None:
    assert window_starts(0) == window_starts(16_000) == [0]
    for seconds in (2.0, 3.7, 10.0):
        starts = window_starts(int(seconds * 16_000))
        assert starts[0] == 0 and set(np.diff(starts)) <= {77}
        # No window holds less than three quarters sound, and less than one step is left over.
        assert seconds * 100 - starts[-1] >= 120
        assert seconds * 100 - (starts[-1] + 160) < 77


def test_mel_filters_are_triangles_of_unit_area_in_order() -> None:
    filters = mel_filters(16_000, 400, 40)
    assert filters.shape == (40, 201) and (filters >= 0).all()
    peaks = filters.argmax(1) * 40.0
    assert (np.diff(peaks) >= 0).all() and peaks[0] < 100 and 7000 < peaks[-1] < 8000
    wide = mel_filters(16_000, 40_000, 40)
    assert np.allclose(wide.sum(1) * 0.4, 1.0, atol=1e-2)


def direction(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)], np.float32)


def test_the_recording_that_was_imitated_does_not_judge_itself() -> None:
    voices = ReferenceVoices(
        {
            "one": [(Path("a"), direction(0.0)), (Path("b"), direction(1.0))],
            "two": [(Path("c"), direction(0.4))],
        }
    )
    assert nearest(voices.similarities(direction(0.0))) == "two"
    assert nearest(voices.similarities(direction(0.9))) == "one"
    copy = voices.similarities(direction(0.0), without=Path("a"))
    assert copy["one"] == pytest.approx(np.cos(1.0), abs=1e-6) and nearest(copy) == "two"
    assert voices.similarities(direction(0.4), without=Path("c"))["two"] == pytest.approx(1.0)
    assert voices.told_apart() == (0, 2)


def test_voice_folders(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="fewer than two"):
        voice_folders(tmp_path)
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.WAV").write_bytes(b"")
        (tmp_path / name / "notes.txt").write_bytes(b"")
    assert voice_folders(tmp_path) == {name: (tmp_path / name / "1.WAV",) for name in ("a", "b")}
    (tmp_path / "c").mkdir()
    with pytest.raises(RequestError, match="no recording"):
        voice_folders(tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("resemblyzer") is None, reason="the package Resemblyzer is not installed")
def test_it_is_the_published_network() -> None:
    theirs = pytest.importorskip("resemblyzer", reason="Resemblyzer's own code needs librosa and webrtcvad")
    embedder = ResemblyzerEmbedder(speaker_model_file(None))
    encoder = theirs.VoiceEncoder("cpu", verbose=False)
    rate = 16_000
    time = np.arange(int(3.3 * rate)) / rate
    vowel = sum(np.sin(2 * np.pi * 120 * k * time) / k for k in range(1, 20)) * (0.6 + 0.4 * np.sin(5 * time))
    for sound in (read_audio(audio_file("ref", rate)).samples, (0.05 * vowel).astype(np.float32)):
        expected = encoder.embed_utterance(theirs.normalize_volume(sound, -30, increase_only=True))
        assert similarity(embedder.embed_sound(sound), expected) > 0.9999
