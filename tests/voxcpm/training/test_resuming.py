"""A run that was stopped or killed goes on to the bit (OPEN-14), and two processes do what one does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from tests.voxcpm.training.conftest import (
    WEIGHT_FILES,
    command_of,
    make_data,
    make_lines,
    notes,
    same_weights,
    steps_of,
    tiny_options,
    write_lines,
)
from voxcpm.errors import CheckpointError, RequestError
from voxcpm.lora import WEIGHTS
from voxcpm.training import cli
from voxcpm.training.options import TrainOptions
from voxcpm.training.runs import RunFolder
from voxcpm.training.trainer import resumed_options, train

ROOT = Path(__file__).resolve().parents[3]


# -- OPEN-14 --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["lora", "full"])
def single(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainOptions, Path]:
    """Six steps in one go, with two batches a step."""
    folder = tmp_path_factory.mktemp(f"single-{request.param}")
    data = make_data(folder, 5)
    options = tiny_options(
        data, mode=request.param, accumulate=2, save_every=1, keep=2, validation=str(data), validate_every=4, seed=7,
        learning_rate=1e-3, dropout=0.2 if request.param == "lora" else 0.0,
    )  # fmt: skip
    train(options, folder / "run")
    return options, folder / "run"


def check_equal(options: TrainOptions, run: Path, single: Path) -> None:
    """Losses, rates, validation and final weights are those of the single run, and no step is there twice."""
    assert steps_of(run) == steps_of(single)
    assert [step["step"] for step in steps_of(run)] == [1, 2, 3, 4, 5, 6]
    judged = [
        [event for event in RunFolder(folder).log() if event["event"] == "validation"] for folder in (run, single)
    ]
    assert judged[0] == judged[1] and len(judged[0]) == 2
    for name in ("final", "step-00000006"):
        assert same_weights(run / name / WEIGHT_FILES[options.mode], single / name / WEIGHT_FILES[options.mode])
    assert same_weights(
        run / "step-00000006" / "optimizer.safetensors", single / "step-00000006" / "optimizer.safetensors"
    )


def test_after_sigterm_the_run_goes_on_as_if_nothing_had_been(
    single: tuple[TrainOptions, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options, whole = single
    run = tmp_path / "run"

    def terminate(_self: object, event: dict[str, Any]) -> None:
        if event["event"] == "step" and event["step"] == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(cli.Teller, "__call__", terminate)
    assert cli.run(command_of(options, run)) == 130
    assert [step["step"] for step in steps_of(run)] == [1, 2, 3]
    assert not (run / "final").exists()
    monkeypatch.undo()
    assert cli.run(["train", "--resume", str(run)]) == 0
    check_equal(options, run, whole)


KILLED = """
    import json, pathlib, sys, time
    from voxcpm.training import saving
    from voxcpm.training.options import TrainOptions
    from voxcpm.training.trainer import train
    save_file = saving.save_file

    def slow(tensors, path, *rest):
        save_file(tensors, path, *rest)
        if path.name == "optimizer.safetensors" and "step-00000003" in str(path):
            content = path.read_bytes()
            path.write_bytes(content[: len(content) // 2])
            print("writing", flush=True)
            time.sleep(600)

    saving.save_file = slow
    train(TrainOptions.from_dict(json.loads(sys.argv[1])), pathlib.Path(sys.argv[2]))
"""


def test_killed_while_a_checkpoint_is_written(single: tuple[TrainOptions, Path], tmp_path: Path) -> None:
    options, whole = single
    run = tmp_path / "run"
    command = [sys.executable, "-c", textwrap.dedent(KILLED), json.dumps(options.to_dict()), str(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        process.send_signal(signal.SIGKILL)
    found, _ = RunFolder(run).checkpoints()
    assert [saved.step for saved in found] == [1, 2]
    assert (run / ".step-00000003.part").is_dir()
    said = notes(options, run, resume=True)
    assert any(".step-00000003.part was not finished and is skipped" in text for text in said)
    assert "going on after step 2" in said
    assert not (run / ".step-00000003.part").exists()
    check_equal(options, run, whole)


def test_a_damaged_checkpoint_is_skipped_with_a_note(single: tuple[TrainOptions, Path], tmp_path: Path) -> None:
    options, whole = single
    run = tmp_path / "run"
    asked = iter([False, False, True])
    assert train(options, run, stopping=lambda: next(asked)).reason == "stopped"
    damaged = run / "step-00000003" / "optimizer.safetensors"
    damaged.write_bytes(damaged.read_bytes()[:-10])
    said = notes(options, run, resume=True)
    assert any("step-00000003 is not complete" in text for text in said)
    assert "going on after step 2" in said
    check_equal(options, run, whole)


def test_resuming_a_finished_run_adds_nothing(single: tuple[TrainOptions, Path]) -> None:
    options, whole = single
    before = steps_of(whole)
    assert train(options, whole, resume=True).reason == "finished"
    assert steps_of(whole) == before


def test_what_does_not_belong_together_is_not_resumed(tmp_path: Path) -> None:
    data = make_data(tmp_path, 2)
    options = tiny_options(data, steps=2, save_every=1)
    run = tmp_path / "run"
    train(options, run)
    with pytest.raises(RequestError, match="holds a run"):
        train(options, run)
    with pytest.raises(RequestError, match="options it was"):
        train(replace(options, learning_rate=1e-5), run, resume=True)
    assert resumed_options(run) == options
    write_lines(data, make_lines(tmp_path, 3))
    with pytest.raises(CheckpointError, match="training manifest is not the one"):
        train(options, run, resume=True)
    with pytest.raises(CheckpointError, match="no training run"):
        resumed_options(tmp_path / "nowhere")


# -- several processes ----------------------------------------------------------------------------------------


def test_two_processes_do_what_one_does(tmp_path: Path) -> None:
    """torchrun with gloo: one batch in each of two processes is a step of two batches in one."""
    data = make_data(tmp_path, 6)
    options = tiny_options(data, steps=3, validation=str(data), validate_every=2, save_every=2, dropout=0.2)
    train(replace(options, accumulate=2), tmp_path / "one")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "-m",
               "voxcpm.training.cli", *command_of(options, tmp_path / "two")]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    one, two = steps_of(tmp_path / "one"), steps_of(tmp_path / "two")
    assert len(one) == len(two) == 3
    for ours, theirs in zip(one, two, strict=True):
        assert ours.keys() == theirs.keys()
        for key, value in ours.items():
            assert theirs[key] == (value if isinstance(value, str) else pytest.approx(value, rel=1e-4)), key
    first, second = (load_file(tmp_path / name / "final" / WEIGHTS) for name in ("one", "two"))
    for key, value in first.items():
        assert torch.allclose(value, second[key], atol=1e-4), key
    # Everything is written once, by the leading process.
    assert [e["step"] for e in RunFolder(tmp_path / "two").log() if e["event"] == "validation"] == [2, 3]
