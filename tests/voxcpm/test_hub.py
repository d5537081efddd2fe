"""Downloading from a hub that runs on 127.0.0.1: pinned, resumed, verified, and never half there."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.voxcpm.hub_server import HubServer
from voxcpm import hub
from voxcpm.errors import Cancelled, DownloadError
from voxcpm.hub_lock import LOCK_NAME, read_pins
from voxcpm.hub_transfer import RemoteFile, choose_files

TINY = Path(__file__).parents[1] / "fixtures" / "parity" / "checkpoints" / "tiny-v2"
REPO = "openbmb/VoxCPM2"
WEIGHTS = "model.safetensors"


@pytest.fixture
def server() -> Iterator[HubServer]:
    with HubServer(REPO, TINY) as running:
        yield running


@pytest.fixture(autouse=True)
def only_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection to elsewhere fails the test that makes it."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        assert isinstance(address, tuple) and address[0] == "127.0.0.1", f"contacted {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


def fetch(server: HubServer, dest: Path, **options: object) -> Path:
    return hub.download("VoxCPM2", dest, endpoint=server.endpoint, **options)  # type: ignore[arg-type]


def test_a_model_arrives_whole_with_its_lock(server: HubServer, tmp_path: Path) -> None:
    seen: list[hub.DownloadProgress] = []
    folder = fetch(server, tmp_path, progress=seen.append)

    assert folder == tmp_path / "VoxCPM2"
    assert {p.name for p in folder.iterdir()} == {p.name for p in TINY.iterdir()} - {"model_card.json"}
    for path in folder.iterdir():
        assert path.read_bytes() == (TINY / path.name).read_bytes()
    total = sum(p.stat().st_size for p in folder.iterdir())
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert (seen[-1].done, {p.total for p in seen}) == (total, {total})
    lock = json.loads((tmp_path / LOCK_NAME).read_text())["models"]["VoxCPM2"]
    assert (lock["repo"], lock["revision"]) == (REPO, server.commit)
    assert set(lock["files"]) == {p.name for p in folder.iterdir()}
    assert hub.verify("VoxCPM2", tmp_path) == folder
    assert set(server.hosts) == {server.endpoint.removeprefix("http://")}


def test_what_is_there_is_not_asked_for_again(server: HubServer, tmp_path: Path) -> None:
    fetch(server, tmp_path)
    before = len(server.requests)
    assert fetch(server, tmp_path) == tmp_path / "VoxCPM2"
    assert len(server.requests) == before


def test_a_broken_connection_is_resumed_within_one_call(server: HubServer, tmp_path: Path) -> None:
    server.cut_after[WEIGHTS] = 300_000
    fetch(server, tmp_path)
    assert server.sent[WEIGHTS] == len(server.files[WEIGHTS])
    assert ("/store/" + WEIGHTS, "bytes=300000-") in server.requests


def test_a_cancelled_download_goes_on_later(server: HubServer, tmp_path: Path) -> None:
    part = tmp_path / ".VoxCPM2.part" / f"{WEIGHTS}.incomplete"
    server.cut_after[WEIGHTS] = 500_000
    with pytest.raises(Cancelled, match="kept"):
        fetch(server, tmp_path, cancelled=lambda: part.exists() and part.stat().st_size > 0)
    assert not (tmp_path / "VoxCPM2").exists()
    kept = part.stat().st_size
    assert 0 < kept <= 500_000
    asked = len(server.requests)

    folder = fetch(server, tmp_path)
    assert (folder / WEIGHTS).read_bytes() == server.files[WEIGHTS]
    bodies = [r for r in server.requests[asked:] if not r[0].startswith("/api/")]
    assert bodies == [
        (f"/{REPO}/resolve/{server.commit}/{WEIGHTS}", f"bytes={kept}-"),
        (f"/store/{WEIGHTS}", f"bytes={kept}-"),
    ]
    assert not part.parent.exists()


def test_a_server_without_ranges_sends_it_anew(server: HubServer, tmp_path: Path) -> None:
    server.ranges = False
    server.cut_after[WEIGHTS] = 300_000
    seen: list[hub.DownloadProgress] = []
    folder = fetch(server, tmp_path, progress=seen.append)
    assert (folder / WEIGHTS).read_bytes() == server.files[WEIGHTS]
    assert seen[-1].done == seen[-1].total


@pytest.mark.parametrize("name", [WEIGHTS, "config.json"])
def test_a_corrupted_file_is_refused(server: HubServer, tmp_path: Path, name: str) -> None:
    server.corrupt.add(name)
    with pytest.raises(DownloadError, match=f"{name} was damaged"):
        fetch(server, tmp_path)
    assert not (tmp_path / "VoxCPM2").exists()
    server.corrupt.clear()
    assert (fetch(server, tmp_path) / name).read_bytes() == server.files[name]


def test_an_unknown_revision_is_refused(server: HubServer, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="no such revision"):
        fetch(server, tmp_path, revision="v9")


def test_another_commit_than_the_asked_one_is_refused(server: HubServer, tmp_path: Path) -> None:
    server.answer_commit = "b" * 40
    with pytest.raises(DownloadError, match="Not taken"):
        fetch(server, tmp_path, revision=server.commit)
    assert not server.sent


def test_a_tag_is_resolved_and_recorded_as_a_commit(server: HubServer, tmp_path: Path) -> None:
    fetch(server, tmp_path, revision="v1")
    assert read_pins(tmp_path)["VoxCPM2"].revision == server.commit


def test_the_pin_outlives_the_folder_and_the_branch(server: HubServer, tmp_path: Path) -> None:
    folder = fetch(server, tmp_path)
    shutil.rmtree(folder)
    fetch(server, tmp_path)
    asked = [path for path, _ in server.requests if path.startswith("/api/")]
    assert asked[0].endswith("/main") and asked[1].endswith("/" + server.commit)


def test_other_content_under_the_pinned_commit_is_refused(server: HubServer, tmp_path: Path) -> None:
    folder = fetch(server, tmp_path)
    shutil.rmtree(folder)
    server.files[WEIGHTS] = server.files[WEIGHTS][:-1] + b"\0"
    with pytest.raises(DownloadError, match="not the file that was pinned"):
        fetch(server, tmp_path)
    assert not folder.exists()


def test_a_new_revision_replaces_the_old_one_at_once(server: HubServer, tmp_path: Path) -> None:
    fetch(server, tmp_path)
    with HubServer(REPO, TINY, commit="c" * 40) as newer:
        newer.files["config.json"] += b"\n"
        folder = fetch(newer, tmp_path, revision="main")
    assert (folder / "config.json").read_bytes().endswith(b"\n")
    assert read_pins(tmp_path)["VoxCPM2"].revision == "c" * 40
    leftovers = {p.name for p in tmp_path.iterdir()} - {"VoxCPM2", LOCK_NAME, ".VoxCPM2.lock"}
    assert not leftovers


def test_no_space_is_said_before_anything_is_fetched(server: HubServer, tmp_path: Path) -> None:
    server.announced_sizes[WEIGHTS] = 10**18
    with pytest.raises(DownloadError, match="are free"):
        fetch(server, tmp_path)
    assert not server.sent


def test_more_bytes_than_announced_are_refused(server: HubServer, tmp_path: Path) -> None:
    server.announced_sizes[WEIGHTS] = 1000
    with pytest.raises(DownloadError, match="longer than the 1000 bytes"):
        fetch(server, tmp_path)


def test_a_busy_hub_is_tried_again_and_a_dead_one_given_up(server: HubServer, tmp_path: Path) -> None:
    server.status["config.json"] = [503, 429]
    assert fetch(server, tmp_path).is_dir()
    server.status["config.json"] = [403]
    with pytest.raises(DownloadError, match="403"):
        fetch(server, tmp_path / "other")


def test_nobody_listening(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(DownloadError, match="No connection"):
            hub.download("VoxCPM2", tmp_path, endpoint=endpoint)


def test_a_saved_token_is_not_sent(server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    fetch(server, tmp_path)
    assert set(server.tokens) == {""}
    shutil.rmtree(tmp_path / "VoxCPM2")
    fetch(server, tmp_path, token="hf_given")
    assert "Bearer hf_given" in server.tokens


def test_damage_on_the_disk_is_found_and_mended(server: HubServer, tmp_path: Path) -> None:
    folder = fetch(server, tmp_path)
    data = bytearray((folder / WEIGHTS).read_bytes())
    data[5] ^= 1
    (folder / WEIGHTS).write_bytes(data)
    (folder / "config.json").unlink()
    with pytest.raises(DownloadError, match=r"config\.json is missing.*model\.safetensors has changed"):
        hub.verify("VoxCPM2", tmp_path)
    fetch(server, tmp_path)
    assert hub.verify("VoxCPM2", tmp_path) == folder


def test_a_second_program_is_kept_out(server: HubServer, tmp_path: Path) -> None:
    from filelock import FileLock

    tmp_path.mkdir(exist_ok=True)
    with FileLock(tmp_path / ".VoxCPM2.lock"), pytest.raises(DownloadError, match="another program"):
        fetch(server, tmp_path)


def test_a_broken_lock_file_is_named(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).write_text('{"version": 7}')
    with pytest.raises(DownloadError, match=r"models\.lock\.json"):
        hub.download("VoxCPM2", tmp_path, endpoint="http://127.0.0.1:9")


@pytest.mark.parametrize("name", ["", "VoxCPM3", "../x", "a/b/c", "a/..", "/etc"])
def test_unknown_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="No model is called"):
        hub.download(name, tmp_path)


def test_names_are_found_however_written() -> None:
    assert hub.identify("voxcpm2").repo == hub.identify("openbmb/VoxCPM2").repo == REPO
    assert hub.identify("someone/VoxCPM2").name != "VoxCPM2"


def remote(*names: str) -> list[RemoteFile]:
    return [RemoteFile(name, 10, None, "0" * 40) for name in names]


def test_only_what_is_needed_is_chosen() -> None:
    common = ["config.json", "tokenizer.json", "README.md", "assets/picture.png", "audiovae.pth"]
    chosen = {f.name for f in choose_files(remote(*common, "pytorch_model.bin"))}
    assert chosen == {"config.json", "tokenizer.json", "audiovae.pth", "pytorch_model.bin"}
    shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json"]
    both = {f.name for f in choose_files(remote(*common, "audiovae.safetensors", "pytorch_model.bin", *shards))}
    assert both == {"config.json", "tokenizer.json", "audiovae.safetensors", *shards}


def test_a_repository_without_a_model_is_refused() -> None:
    with pytest.raises(DownloadError, match=r"no tokenizer\.json, no model weights, no audiovae weights"):
        choose_files(remote("config.json", "README.md"))


def test_a_download_writes_nothing_to_the_terminal(server: HubServer, tmp_path: Path) -> None:
    code = f"from voxcpm import hub; hub.download('VoxCPM2', {str(tmp_path)!r}, endpoint={server.endpoint!r})"
    code += "; import sys; assert 'torch' not in sys.modules"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
