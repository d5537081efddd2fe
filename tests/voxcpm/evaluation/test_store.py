"""The folder of an evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxcpm.errors import RequestError
from voxcpm.evaluation.store import EvaluationFolder


@given(cut=st.integers(0, 200))
def test_a_line_that_was_cut_off_is_dropped(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = EvaluationFolder(tmp_path_factory.mktemp("run") / "out")
    folder.begin({"steps": 10})
    records = [{"key": str(n), "text": "naïve \u2028 line"} for n in range(4)]
    for record in records:
        folder.append("takes", record)
    file = folder.path / "takes.jsonl"
    content = file.read_bytes()
    file.write_bytes(content[: len(content) - min(cut, len(content))])
    whole = file.read_bytes().count(b"\n")
    assert folder.records("takes") == records[:whole]
    folder.append("takes", {"key": "new"})
    assert folder.records("takes") == [*records[:whole], {"key": "new"}]


def test_a_folder_goes_on_only_as_it_was_begun(tmp_path: Path) -> None:
    folder = EvaluationFolder(tmp_path / "out")
    folder.begin({"steps": 10, "model": "x"})
    folder.begin({"steps": 10, "model": "x"})
    with pytest.raises(RequestError, match="steps was 10 and is 5"):
        folder.begin({"steps": 5, "model": "x"})


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").write_bytes(b"x")
    with pytest.raises(RequestError, match="holds no evaluation"):
        EvaluationFolder(tmp_path).begin({})
    assert [p.name for p in tmp_path.iterdir()] == ["holiday.jpg"]


def test_a_damaged_line_is_told(tmp_path: Path) -> None:
    folder = EvaluationFolder(tmp_path / "out")
    folder.begin({})
    (folder.path / "takes.jsonl").write_text('{"key": 1}\nrubbish\n{"key": 2}\n')
    with pytest.raises(RequestError, match="line 2 is damaged"):
        folder.records("takes")
