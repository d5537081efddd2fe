"""Pickled weights are read only where their hash is known, and fits whatever is said of it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.voxcpm.conftest import checkpoint
from voxcpm import cli
from voxcpm.errors import CheckpointError
from voxcpm.hub_lock import Pin, write_pin
from voxcpm.inspection import inspect_folder
from voxcpm.pins import ALLOW_UNKNOWN, KNOWN, LIST_PLACE, OWN_LIST, OWN_TABLE, pin, vouchers
from voxcpm.pipeline import VoxCPM

CODEC = "audiovae.pth"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model whose codec nobody knows: the same tensors, saved in another order."""
    monkeypatch.setenv(LIST_PLACE, str(tmp_path / "config" / "known_pickles.json"))
    monkeypatch.delenv(ALLOW_UNKNOWN, raising=False)
    made = tmp_path / "models" / "tiny"
    shutil.copytree(checkpoint("tiny-v2"), made, copy_function=shutil.copyfile)
    tensors = torch.load(made / CODEC, weights_only=True)["state_dict"]
    torch.save(dict(reversed(tensors.items())), made / CODEC)
    return made


def sha256(folder: Path) -> str:
    return hashlib.sha256((folder / CODEC).read_bytes()).hexdigest()


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


@pytest.mark.parametrize("say", [in_lock, in_download, in_cache])
def test_the_file_that_was_fetched_is_read(folder: Path, say: Callable[[Path, str], None]) -> None:
    say(folder, sha256(folder))
    VoxCPM.load(folder)
    assert len(vouchers(folder / CODEC)) == 1 and inspect_folder(folder).parameters["audiovae"] > 0


@WAYS
def test_another_file_is_refused_before_it_is_read(
    folder: Path, say: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ALLOW_UNKNOWN, "1")
    say(folder, "0" * 64)
    monkeypatch.setattr(torch, "load", lambda *args, **kwargs: pytest.fail("it was read"))
    with pytest.raises(CheckpointError, match="is not the file that") as refused:
        VoxCPM.load(folder)
    assert CODEC in str(refused.value) and "fetch the model again" in str(refused.value)
    with pytest.raises(CheckpointError, match="is not the file that"):
        pin(folder)


def test_one_of_several_hashes_that_differs_is_enough(folder: Path) -> None:
    in_lock(folder, sha256(folder))
    in_card(folder, "1" * 64)
    with pytest.raises(CheckpointError, match=r"model_card\.json"):
        VoxCPM.load(folder)


@pytest.mark.parametrize("card", [False, True])
def test_an_unknown_file_is_refused_before_it_is_read(folder: Path, card: bool, monkeypatch) -> None:
    if card:  # whoever made the file made the card as well
        in_card(folder, sha256(folder))
    with monkeypatch.context() as patched:
        patched.setattr(torch, "load", lambda *args, **kwargs: pytest.fail("it was read"))
        with pytest.raises(CheckpointError, match="was not read") as refused:
            VoxCPM.load(folder)
        found = inspect_folder(folder)
    assert found.pickled == {CODEC: []} and found.parameters["audiovae"] == 0
    assert all(words in str(refused.value) for words in (CODEC, "voxcpm download", ".safetensors", str(folder)))
    monkeypatch.setenv(ALLOW_UNKNOWN, "1")
    VoxCPM.load(folder)


def test_a_person_can_allow_files_that_they_know(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", str(folder)]) == 0 and "voxcpm pin FOLDER" in capsys.readouterr().out
    assert cli.main(["pin", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"sha256": {CODEC: sha256(folder)}}
    VoxCPM.load(folder)
    assert vouchers(folder / CODEC) == [OWN_LIST]
    assert cli.main(["info", str(folder)]) == 0 and f"known to {OWN_LIST}" in capsys.readouterr().out
    elsewhere = folder.rename(folder.with_name("elsewhere"))
    VoxCPM.load(elsewhere)  # the file is known, wherever it lies
    torch.save({}, elsewhere / CODEC)
    with pytest.raises(CheckpointError, match="was not read"):
        VoxCPM.load(elsewhere)
    assert cli.main(["pin", str(elsewhere / CODEC)]) == 0 and "restricted" in capsys.readouterr().err


def test_what_cannot_be_allowed_is_told(folder: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    (tmp_path / "empty").mkdir()
    assert cli.main(["pin", str(tmp_path / "empty")]) == 4 and "no pickled weights" in capsys.readouterr().err
    monkeypatch.setenv(LIST_PLACE, str(folder / CODEC / "list.json"))
    with pytest.raises(CheckpointError, match="Move it away"):
        pin(folder)
    for text in ("[", "[]", '{"sha256": 3}'):
        (tmp_path / "list.json").write_text(text)
        monkeypatch.setenv(LIST_PLACE, str(tmp_path / "list.json"))
        with pytest.raises(CheckpointError, match="Move it away"):
            VoxCPM.load(folder)


def test_published_files_are_known(folder: Path) -> None:
    assert all(len(value) == 64 and value == value.lower() for value in KNOWN)
    for name in ("tiny-v1", "tiny-v2"):
        assert vouchers(checkpoint(name) / CODEC) == [OWN_TABLE]


def test_a_card_with_no_hash_where_one_should_be_is_told(folder: Path) -> None:
    (folder / "model_card.json").write_text(json.dumps({"sha256": {CODEC: "none"}}))
    with pytest.raises(CheckpointError, match="no SHA-256"):
        VoxCPM.load(folder)


def test_a_changed_file_is_hashed_anew(folder: Path) -> None:
    in_lock(folder, sha256(folder))
    VoxCPM.load(folder)
    data = bytearray((folder / CODEC).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / CODEC).write_bytes(data)
    with pytest.raises(CheckpointError, match=r"models\.lock\.json"):
        VoxCPM.load(folder)
