"""The recorded batches, losses, gradients and adapter runs, compared by the runner's own rules."""

from __future__ import annotations

import pytest

from tests.conftest import parity_dir
from tests.parity import lora, train
from tests.parity.folder import find
from tests.parity.report import Report


@pytest.mark.parametrize(("name", "least"), [("tiny-v1", 200), ("tiny-v2", 400)])
def test_training_recordings_are_met(name: str, least: int) -> None:
    report = Report()
    for vectors in find(parity_dir(), report, plain=False):
        if vectors.name == name:
            train.check(vectors)
    assert not report.failures and not report.left_out
    assert len(report.passed) > least
    for part in ("grad_norm_by_parameter:names", "frozen", "loss_diff", "loss_diff (target positions only)"):
        assert f"{name}/manifest:train.{part}" in report.passed
    assert any(key.startswith(f"{name}/manifest:train.adamw") for key in report.passed)


@pytest.mark.parametrize("plain", [False, True], ids=["packed", "plain"])
def test_adapter_recordings_are_met(plain: bool) -> None:
    report = Report()
    for vectors in find(parity_dir(), report, plain=plain):
        if vectors.name == "tiny-v2":
            lora.check(vectors)
    assert not report.failures and not report.left_out
    for part in ("fresh_equals_base", "disabled_equals_base", "loaded_keys", "skipped_keys", "scaling"):
        assert f"tiny-v2/manifest:lora.{part}" in report.passed
    assert "tiny-v2/lora.safetensors:base_lm.causal" in report.passed
    assert "tiny-v2/lora.safetensors:enabled.ref_continuation.wave" in report.passed
