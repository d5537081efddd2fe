"""The recogniser, and what is said when it is not there."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from voxcpm.audio import read_audio
from voxcpm.errors import RequestError
from voxcpm.evaluation import recogniser as hearing


def test_a_folder_that_would_be_completed_from_the_network_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"")
    with pytest.raises(RequestError, match=r"lacks config.json, tokenizer.json"):
        hearing.recogniser_folder(tmp_path)


def packaged(folder: Path, weights: bytes) -> None:
    model = folder / hearing._PACKAGED / "model"
    model.mkdir(parents=True)
    (model.parent / "__init__.py").write_text("")
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (model / name).write_bytes(weights)


def test_a_packaged_model_is_used_only_if_it_is_the_known_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    packaged(tmp_path, b"other weights")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, hearing._PACKAGED, raising=False)
    with pytest.raises(RequestError, match="add --recogniser DIR"):
        hearing.recogniser_folder(None)
    assert "another model than the one known" in caplog.text


def test_without_any_model_it_says_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "_PACKAGED", "a_package_that_nobody_has")
    with pytest.raises(RequestError, match="add --recogniser DIR"):
        hearing.recogniser_folder(None)


@pytest.mark.slow
def test_the_packaged_recogniser_hears_flite(tmp_path: Path) -> None:
    pytest.importorskip("faster_whisper", reason="needs the extra evaluate")
    if importlib.util.find_spec(hearing._PACKAGED) is None:
        pytest.skip("needs the extra evaluate-test, which brings a recogniser's model")
    if shutil.which("flite") is None:
        pytest.skip("flite is not installed")
    text = "The committee postponed the decision until the following spring."
    subprocess.run(["flite", "-voice", "slt", "-t", text, "-o", str(tmp_path / "a.wav")], check=True)
    recording = read_audio(tmp_path / "a.wav")
    ear = hearing.WhisperRecogniser(hearing.recogniser_folder(None), threads=1)
    heard = ear.transcribe(recording.samples, recording.sample_rate)
    assert heard.lower().strip(" .") == text.lower().strip(" .")
    assert ear.transcribe(recording.samples, recording.sample_rate) == heard
    assert ear.transcribe(np.zeros(0, np.float32), 16_000) == ""
    noise = np.random.default_rng(3).normal(0.0, 0.1, 32_000).astype(np.float32)
    assert len(ear.transcribe(noise, 16_000).split()) <= hearing.most_tokens(2.0) == 30
    with pytest.raises(RequestError, match="English only"):
        hearing.WhisperRecogniser(hearing.recogniser_folder(None), language="de")
