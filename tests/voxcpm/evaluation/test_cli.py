"""The command line of ``voxcpm evaluate``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.voxcpm.conftest import checkpoint
from voxcpm import cli as model_cli
from voxcpm.evaluation import recogniser
from voxcpm.evaluation.cli import build_parser, chosen_options

TINY = str(checkpoint("tiny-v2"))


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    (tmp_path / "set.txt").write_text("plain\tThe dog ran home.\n")
    return [
        "evaluate", "--model", TINY, "--sentences", str(tmp_path / "set.txt"), "--out", str(tmp_path / "out"),
        "--seeds", "1", "--steps", "2", "--retry-ratio", "1", "--threads", "1", "--json",
    ]  # fmt: skip


def call(capsys: pytest.CaptureFixture[str], argv: list[str]) -> tuple[int, dict[str, Any], str]:
    code = model_cli.main(argv)
    out, err = capsys.readouterr()
    return code, json.loads(out), err


@pytest.mark.parametrize("package", ["jiwer", "whisper_normalizer.basic", "faster_whisper"])
def test_without_the_extra_it_says_what_to_install(
    asked: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    code, said, err = call(capsys, asked)
    assert code == 2 and "pip install 'voxcpm-studio[evaluate]'" in err
    assert said["error"]["field"] == "recogniser" and not (tmp_path / "out").exists()


def test_without_the_speaker_embedding_it_says_what_to_install(
    asked: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("jiwer", reason="needs the extra evaluate (or dev)")
    monkeypatch.setattr("voxcpm.evaluation.recogniser.check_installed", lambda: None)
    monkeypatch.setattr("voxcpm.evaluation.recogniser.recogniser_folder", lambda given: tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, said, _ = call(capsys, [*asked, "--references", str(tmp_path), "--consent", "me"])
    assert code == 2 and "pip install --no-deps Resemblyzer" in said["error"]["message"]


def test_a_model_that_is_not_there(asked: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked[asked.index(TINY)] = str(tmp_path / "nowhere")
    code, said, _ = call(capsys, asked)
    assert code == 4 and said["error"]["kind"] == "checkpoint"


def test_the_report_as_json(
    asked: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("jiwer", "whisper_normalizer"):
        pytest.importorskip(name, reason="needs the extra evaluate (or dev)")

    class Ear:
        identity = "ear"

        def __init__(self, folder: Path, **options: Any) -> None:
            assert folder == tmp_path / "ear"

        def transcribe(self, samples: Any, sample_rate: int) -> str:
            return "The dog ran!"

    (tmp_path / "ear").mkdir()
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / "ear" / name).write_bytes(b"x")
    monkeypatch.setattr(recogniser, "WhisperRecogniser", Ear)
    monkeypatch.setattr(recogniser, "_faster_whisper", lambda: None)
    code, said, err = call(capsys, [*asked, "--recogniser", str(tmp_path / "ear")])
    assert code == 0, err
    assert said["overall"]["word_error_rate"] == {"mean": 0.25, "median": 0.25, "pooled": 0.25}
    assert said["overall"]["missing"]["words"] == 1 and said["recogniser"] == "ear"


def test_options_reach_the_evaluation(tmp_path: Path) -> None:
    argv = ["--model", "m", "--sentences", "s", "--out", "o", "--describe", "fast=a woman = quick", "--held-out", "x"]
    chosen = chosen_options(build_parser().parse_args([*argv, "--cfg", "1.5", "--gui-core", "--held-out", "y"]))
    assert chosen.describe == (("fast", "a woman = quick"),) and chosen.held_out == ("x", "y")
    assert chosen.cfg == 1.5 and chosen.gui_core and chosen.sentences == Path("s")


def test_a_description_without_a_category_is_refused(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = call(capsys, [*asked, "--describe", "speaking quickly"])
    assert code == 2 and said["error"]["field"] == "describe"
