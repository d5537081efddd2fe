"""The optional listeners: what is said where they are missing, and how the real ones are asked."""

import importlib.util
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from app.core.consent import making
from app.core.consent.evidence import listen
from app.engine import evidence
from app.engine.evidence import EmbeddingMatcher, EvidenceUnavailable
from tests.app.consent.makers import NOW, Hears, add, first, other, sound, spoken


@pytest.fixture
def without(monkeypatch):
    """Packages that are not installed, as far as looking for them goes."""
    missing = set()
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name in missing else real(name, *a))
    return missing


@pytest.fixture
def installed(monkeypatch):
    """faster-whisper is there, as far as looking for it goes."""
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: real("json") if name == "faster_whisper" else real(name, *a)
    )


@pytest.mark.parametrize(("lang", "language"), [("en", "English"), ("zh", "Chinese")])
def test_without_a_recogniser_level_two_is_unavailable_and_why(without, lang, language):
    without.add("faster_whisper")
    state = evidence.recogniser_availability(lang, None)
    assert not state.available and state.code == "recogniser.not_installed"
    for part in ("Level L2 is unavailable", "pip install", "folder", language):
        assert part in state.reason
    with pytest.raises(EvidenceUnavailable, match="no speech recogniser") as caught:
        evidence.open_recogniser(lang, None)
    assert caught.value.availability == state


def test_chinese_needs_a_chosen_folder(installed, tmp_path):
    state = evidence.recogniser_availability("zh", None)
    assert state.code == "recogniser.no_folder" and "no recogniser for Chinese comes with its model" in state.reason
    state = evidence.recogniser_availability("zh", tmp_path)
    assert state.code == "recogniser.no_folder" and "lacks model.bin" in state.reason
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"{}")
    assert evidence.recogniser_availability("zh", tmp_path).available


def test_without_an_embedding_level_three_is_unavailable_and_why(without, tmp_path):
    without.add("resemblyzer")
    for weights in (None, tmp_path / "none.pt"):
        state = evidence.matcher_availability(weights)
        assert not state.available and state.code == "matcher.not_installed"
        assert "Level L3 is unavailable" in state.reason and "Resemblyzer" in state.reason
        with pytest.raises(EvidenceUnavailable, match="compares voices"):
            evidence.open_matcher(weights)


def test_weights_of_something_else_are_refused(tmp_path):
    (tmp_path / "pretrained.pt").write_bytes(b"no weights")
    assert evidence.matcher_availability(tmp_path / "pretrained.pt").available
    with pytest.raises(EvidenceUnavailable, match="cannot be loaded"):
        evidence.open_matcher(tmp_path / "pretrained.pt")


def test_looking_loads_no_torch():
    code = (
        "import sys; from app.engine import evidence as e\n"
        "for lang in ('en', 'zh'): e.recogniser_availability(lang, None)\n"
        "e.matcher_availability(None)\n"
        "assert not {'torch', 'faster_whisper', 'PySide6'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_published_network_compares_voices(tmp_path, monkeypatch):
    """The real network with random weights: what it says of voices is nothing, how it is asked is everything."""
    import torch

    from voxcpm.evaluation.speakers import SpeakerNetwork

    torch.manual_seed(0)
    torch.save({"model_state": SpeakerNetwork().state_dict()}, tmp_path / "pretrained.pt")
    monkeypatch.setenv("VOXCPM_UNKNOWN_PICKLES", "1")
    matcher = evidence.open_matcher(tmp_path / "pretrained.pt")
    one, two = sound(2.0, seed=1), sound(2.0, seed=2)
    assert matcher.score(one, [one]) == pytest.approx(1.0, abs=1e-4)
    assert -1.0 <= matcher.score(one, [two, one]) <= 1.0
    assert matcher.score((np.zeros(16_000, np.float32), 16_000), [one]) == 0.0
    assert matcher.score(one, [(np.zeros(16_000, np.float32), 16_000)]) == 0.0
    assert matcher.threshold == 0.82 and matcher.identity.startswith("Resemblyzer ")
    made = listen(
        first(other())[0].statement, one, source="live", captured_at=NOW, file_sha256="0" * 64,
        recogniser=None, matcher=matcher, references=[one],
    )  # fmt: skip
    assert made.match.engine == matcher.identity and f"{made.match.score:.4f}" == "1.0000"


class Known:
    def __init__(self, *vectors):
        self.vectors = list(vectors)

    def embed(self, samples, rate):
        return np.asarray(self.vectors[int(samples[0])], np.float32)


def test_the_score_is_the_cosine_with_the_mean():
    matcher = EmbeddingMatcher(Known([1, 0], [0, 1], [0.6, 0.8]), "known 1")

    def at(index):
        return np.full(1, index, np.float32), 16_000

    assert matcher.score(at(2), [at(0)]) == pytest.approx(0.6)
    assert matcher.score(at(2), [at(0), at(1)]) == pytest.approx(1.4 / 2**0.5)


def test_without_listeners_a_spoken_statement_is_a_document():
    versions = first(other())
    made = listen(
        versions[-1].statement, sound(), source="live", captured_at=NOW, file_sha256="0" * 64, recogniser=None
    )  # fmt: skip
    assert made.check is None and made.recognition is None and made.match is None
    assert add(versions, making.with_evidence(versions[-1], spoken=made, now=NOW))[-1].level == "L1"
    with pytest.raises(ValueError, match="not open"):
        listen(
            replace(versions[-1].closed().statement), sound(), source="live", captured_at=NOW, file_sha256="0" * 64,
            recogniser=Hears(""),
        )  # fmt: skip


def test_what_was_missing_is_said():
    versions = first(other())
    nonce = versions[-1].statement.nonce
    made = spoken(versions[-1], versions[-1].statement.text.text.replace(nonce[1], ""), after=timedelta(hours=1))
    assert made.check.missing == (nonce[1],) and not made.check.passed
    assert made.recognition.words_heard == 3 and made.recognition.engine == "hears 1, en"
