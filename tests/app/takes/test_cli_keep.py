"""What the command line makes is in the library of the studio as well, unless that is left out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app import cli
from app.core.library import Library
from app.core.reproduce import NotReproducibleError, job_of
from app.core.takes import TakeState

FAST = ["--max-patches", "4", "--min-patches", "0", "--steps", "2", "--retries", "1", "--seed", "7"]
UNMARKED = ["--leave-out", "watermark", "--reason", "a test of something else"]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXCPM_DATA", str(tmp_path / "data"))
    return Library


def run(capsys, *argv):
    code = cli.main([*argv, *FAST, *UNMARKED, "--json"])
    return code, json.loads(capsys.readouterr()[0])


def test_takes_are_kept_with_all_they_were_made_from(library, capsys):
    code, told = run(capsys, "design", "--takes", "2", "--text", "Hello there.", "--description", "a child")
    assert code == 0 and not any("kept" in remark for remark in told["remarks"])
    with library() as opened:
        page = opened.takes.page().takes
        assert [take.row for take in page] == [1, 0] and len({take.press for take in page}) == 1
        take = opened.takes.filled(page[1].uid)
    samples, rate = soundfile.read("take_1.wav", dtype="float32")
    assert rate == take.sample_rate and np.abs(take.samples - samples).max() < 1e-5
    assert (take.job.text, take.job.description, take.job.steps, take.seed) == ("Hello there.", "a child", 2, 7)
    assert take.state is TakeState.DONE and take.result is not None and len(take.result.batch) == 2
    assert take.model.fingerprint == told["model"]["fingerprint"] and len(take.latents) > 0


def test_every_line_of_a_batch_is_kept_as_a_press_of_its_own(library, capsys, tmp_path):
    (tmp_path / "lines.txt").write_text("One.\nTwo.\n")
    assert run(capsys, "batch", "lines.txt")[0] == 0
    with library() as opened:
        takes = opened.takes.page().takes
        assert [take.job.text for take in takes] == ["Two.", "One."] and len({take.press for take in takes}) == 2


def test_nothing_is_kept_when_that_is_left_out(library, capsys):
    assert run(capsys, "design", "--text", "Hello there.", "--no-keep")[0] == 0
    with library() as opened:
        assert opened.takes.count() == 0


def test_a_long_text_is_kept_with_what_each_part_was_made_with_and_says_how_it_is_made_again(library, capsys):
    text = "The first sentence is here. " * 20
    code, _ = run(capsys, "design", "--text", text, "--long")
    assert code == 0
    with library() as opened:
        take = opened.takes.filled(opened.takes.page().takes[0].uid)
    parts = take.result.settings["parts"]
    assert len(parts) > 1 and sum(part["patches"] for part in parts) == take.result.patches
    assert " ".join(part["text"] for part in parts) == take.result.text
    assert all(len(part["batch"]) == 1 and part["batch"][part["row"]]["seed"] == part["seed"] for part in parts)
    with pytest.raises(NotReproducibleError, match="--long"):
        job_of(take, 1)
    assert cli.main(["takes", "show", take.uid, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parts"] == parts
    assert cli.main(["takes", "reproduce", take.uid]) == 4
