"""Pickled weights are compared with every hash that is known of them, before anything of them is read."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.voxcpm.conftest import checkpoint
from voxcpm.errors import CheckpointError
from voxcpm.hub_lock import Pin, write_pin
from voxcpm.inspection import inspect_folder
from voxcpm.pins import ONLY_KNOWN, known_hashes
from voxcpm.pipeline import VoxCPM

CODEC = "audiovae.pth"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(checkpoint("tiny-v2"), tmp_path / "models" / "tiny", copy_function=shutil.copyfile))


def in_lock(folder: Path, sha256: str) -> None:
    size = (folder / CODEC).stat().st_size
    write_pin(folder.parent, folder.name, Pin("a/b", "0" * 40, {CODEC: {"size": size, "sha256": sha256}}))


def in_download(folder: Path, sha256: str) -> None:
    place = folder / ".cache" / "huggingface" / "download"
    place.mkdir(parents=True)
    (place / f"{CODEC}.metadata").write_text(f"{'0' * 40}\n{sha256}\n1700000000.5\n")


def in_cache(folder: Path, sha256: str) -> None:
    blobs = folder.parent / "blobs"
    blobs.mkdir()
    (folder / CODEC).rename(blobs / sha256)
    (folder / CODEC).symlink_to(blobs / sha256)


def in_card(folder: Path, sha256: str) -> None:
    (folder / "model_card.json").write_text(json.dumps({"name": "Tiny", "sha256": {CODEC: sha256.upper()}}))


WAYS = pytest.mark.parametrize("say", [in_lock, in_download, in_cache, in_card])


@WAYS
def test_the_right_file_is_read(folder: Path, say: Callable[[Path, str], None], monkeypatch, caplog) -> None:
    monkeypatch.setenv(ONLY_KNOWN, "1")
    say(folder, hashlib.sha256((folder / CODEC).read_bytes()).hexdigest())
    with caplog.at_level(logging.WARNING, "voxcpm.pins"):
        VoxCPM.load(folder)
    assert caplog.records == [] and inspect_folder(folder).pickled[CODEC]


@WAYS
def test_another_file_is_refused_before_it_is_read(
    folder: Path, say: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    say(folder, "0" * 64)
    monkeypatch.setattr(torch, "load", lambda *args, **kwargs: pytest.fail("it was read"))
    with pytest.raises(CheckpointError, match="is not the file that") as refused:
        VoxCPM.load(folder)
    assert CODEC in str(refused.value) and "fetch the model again" in str(refused.value)


def test_one_of_several_hashes_that_differs_is_enough(folder: Path) -> None:
    in_lock(folder, hashlib.sha256((folder / CODEC).read_bytes()).hexdigest())
    in_card(folder, "1" * 64)
    with pytest.raises(CheckpointError, match=r"model_card\.json"):
        VoxCPM.load(folder)


def test_an_unknown_file_is_told_and_can_be_refused(folder: Path, monkeypatch, caplog) -> None:
    assert known_hashes(folder / CODEC) == {}
    with caplog.at_level(logging.INFO, "voxcpm.pins"):
        VoxCPM.load(folder)
    assert "not known" in caplog.text
    assert inspect_folder(folder).pickled == {CODEC: []}
    monkeypatch.setenv(ONLY_KNOWN, "1")
    with pytest.raises(CheckpointError, match="which SHA-256"):
        VoxCPM.load(folder)


def test_a_card_with_no_hash_where_one_should_be_is_told(folder: Path) -> None:
    (folder / "model_card.json").write_text(json.dumps({"sha256": {CODEC: "none"}}))
    with pytest.raises(CheckpointError, match="no SHA-256"):
        VoxCPM.load(folder)


def test_a_changed_file_is_hashed_anew(folder: Path) -> None:
    in_lock(folder, hashlib.sha256((folder / CODEC).read_bytes()).hexdigest())
    VoxCPM.load(folder)
    data = bytearray((folder / CODEC).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / CODEC).write_bytes(data)
    with pytest.raises(CheckpointError, match=r"models\.lock\.json"):
        VoxCPM.load(folder)
