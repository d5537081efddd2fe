"""Names of takes and the places that they may go to."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.take_files import OutputError, check_outputs, numbered

KNOWN = (".wav", ".mp3")


def test_several_takes_are_numbered() -> None:
    assert numbered(Path("a/take.wav"), 1) == [Path("a/take.wav")]
    assert numbered(Path("a/take.v2.wav"), 2) == [Path("a/take.v2_1.wav"), Path("a/take.v2_2.wav")]


def test_what_exists_is_kept(tmp_path: Path) -> None:
    there = tmp_path / "a.wav"
    there.write_bytes(b"old")
    with pytest.raises(OutputError, match="exists and is not overwritten"):
        check_outputs([there], force=False, suffixes=KNOWN)
    check_outputs([there], force=True, suffixes=KNOWN)
    check_outputs([tmp_path / "b.wav"], force=False, suffixes=KNOWN)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a.aac"], "end the name in .wav or .mp3"),
        (["a.wav", "x/../a.wav"], "for two takes"),
        (["missing/a.wav"], "does not exist"),
        (["folder.wav"], "is a folder"),
    ],
)
def test_places_that_will_not_do(tmp_path: Path, names: list[str], message: str) -> None:
    (tmp_path / "folder.wav").mkdir()
    (tmp_path / "x").mkdir()
    with pytest.raises(OutputError, match=message):
        check_outputs([tmp_path / name for name in names], force=True, suffixes=KNOWN)
