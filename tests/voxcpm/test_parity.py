"""Every recorded tensor, one test per checkpoint and file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.conftest import parity_dir
from tests.parity.__main__ import run
from tests.parity.report import Report, difference
from tests.voxcpm.conftest import TINY

FILES = (
    "modules.safetensors",
    "vae.safetensors",
    "generate.safetensors",
    "bf16.safetensors",
    "manifest",
    "tokenization",
)


@pytest.fixture(scope="module", params=[False, True], ids=["default", "plain"])
def report(request: pytest.FixtureRequest) -> Report:
    return run(parity_dir(), plain=request.param)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("name", TINY)
def test_recordings_are_met(report: Report, name: str, file: str) -> None:
    prefixes = (f"{name}/{file}:",)
    failures = [f for f in report.failures if f["key"].startswith(prefixes)]
    assert not failures
    assert any(key.startswith(prefixes) for key in report.passed)


def test_nothing_is_passed_over(report: Report) -> None:
    assert not report.left_out


def test_the_command_ends_with_one_json_line(tmp_path: Path) -> None:
    for part in ("checkpoints", "audio"):
        (tmp_path / part).symlink_to(parity_dir() / part)
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "tiny-v1").symlink_to(parity_dir() / "vectors" / "tiny-v1")
    command = [sys.executable, "-m", "tests.parity", str(tmp_path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    closing = json.loads(done.stdout.splitlines()[-1])
    assert closing["failed"] == 0 and closing["failures"] == [] and closing["passed"] > 300
    assert set(closing) == {"passed", "failed", "failures", "not_compared"}


def test_a_wrong_value_is_found() -> None:

    wanted = torch.zeros(4)
    assert difference(wanted + 1e-3, wanted, {"atol": 1e-4, "rtol": 0.0}) is not None
    assert difference(wanted + float("nan"), wanted, {"atol": 1e-4, "rtol": 0.0}) is not None
    assert difference(wanted[:3], wanted, {"atol": 1.0}) is not None
    assert difference(wanted + 1e-9, wanted, {"tolerance": "exact"}) is not None
    assert difference(wanted + 1e-5, wanted, {"atol": 1e-4, "rtol": 0.0}) is None
