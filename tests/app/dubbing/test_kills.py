"""A dub that is killed at any point goes on, and makes nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.dubbing.kills import run


@pytest.mark.skipif(not hasattr(__import__("signal"), "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_dub_goes_on_and_gives_the_same_samples(tmp_path: Path) -> None:
    assert run(3, tmp_path)["kills"] >= 1
