"""The prepared GPU script, tried out on the CPU: it runs to its end, and says what it left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from tests.speed import gpu
from tests.voxcpm.conftest import checkpoint


@pytest.fixture
def configs(tmp_path: Path) -> Path:
    for name in ("tiny-v2", "tiny-v1"):
        (tmp_path / f"{name}.json").write_bytes((checkpoint(name) / "config.json").read_bytes())
    return tmp_path


@pytest.mark.timeout(900)
def test_the_dry_run_measures_every_part(configs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = [str(configs), "--dry-run", "--models", "tiny-v2", "VoxCPM9", "--rows", "1", "2", "--patches", "4",
            "--rounds", "1", "--out", str(configs / "report.json")]  # fmt: skip
    assert gpu.main(argv) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report == json.loads((configs / "report.json").read_text())
    assert "no figure of a GPU" in report["device"] and report["left_out"] == ["VoxCPM9: no such config"]
    found = report["models"]["tiny-v2"]
    assert [r["recorded"]["rows"] for r in found["rows"]] == [1, 2]
    for one in found["rows"]:
        assert one["recorded_steps"] == 1 and one["difference"]["patches"] == [4, 4]
        assert one["difference"]["largest"] < 0.01, "the same take"
        assert one["floor_seconds"] > 0 and one["recorded"]["audio_seconds_per_second"] > 0
    assert found["takes_together"]["1"] == 1.0


def test_what_does_not_fit_into_the_time_is_left_out(configs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu.main([str(configs), "--dry-run", "--models", "tiny-v1", "--seconds", "0"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["models"] == {} and report["left_out"] == ["tiny-v1"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so(configs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu.main([str(configs)]) == 1
    assert "--dry-run" in capsys.readouterr().err
