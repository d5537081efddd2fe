"""Downloads through the real child process from a hub on this machine that cuts, corrupts and refuses."""

import os
import shutil
import socket
from pathlib import Path

import pytest

from app.core.settings import Settings
from app.downloads import Downloads, DownloadState
from tests.voxcpm.hub_server import HubServer

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests" / "fixtures" / "parity" / "checkpoints" / "tiny-v2"
WEIGHTS = "model.safetensors"
NAME = "VoxCPM2"


@pytest.fixture
def server():
    with HubServer("openbmb/VoxCPM2", TINY) as running:
        yield running


@pytest.fixture
def settings(tmp_path, server):
    settings = Settings(tmp_path / "settings.json", {})
    settings.set("models_folder", str(tmp_path / "models"))
    settings.set("mirror", server.endpoint)
    return settings


@pytest.fixture
def downloads(qtbot, settings):
    downloads = Downloads(settings)
    yield downloads
    downloads.close()


def until(qtbot, downloads, state):
    qtbot.waitUntil(lambda: downloads.of(NAME).state is state, timeout=30000)


def test_a_model_arrives_with_progress_a_pinned_revision_and_checksums(qtbot, downloads, server):
    seen = []
    downloads.changed.connect(lambda name: seen.append(downloads.of(name)))
    assert downloads.of(NAME).state is DownloadState.ABSENT
    with qtbot.waitSignal(downloads.arrived, timeout=30000) as told:
        downloads.start(NAME)
    assert told.args == [NAME, str(downloads.folder_of(NAME))]
    here = downloads.of(NAME)
    assert (here.state, here.revision) == (DownloadState.HERE, server.commit)
    running = [state for state in seen if state.state is DownloadState.RUNNING and state.done]
    assert running and running[-1].done == running[-1].total > 0
    assert (downloads.folder_of(NAME) / WEIGHTS).read_bytes() == server.files[WEIGHTS]
    downloads.check(NAME)
    qtbot.waitUntil(lambda: downloads.of(NAME).checked, timeout=30000)
    (downloads.folder_of(NAME) / "tokenizer_config.json").write_text("{}")
    downloads.check(NAME)
    until(qtbot, downloads, DownloadState.HERE)
    assert "tokenizer_config.json" in downloads.of(NAME).failure.message and not downloads.of(NAME).checked


def test_a_paused_download_goes_on_where_it_was_also_after_a_restart(qtbot, downloads, settings, server):
    server.cut_after[WEIGHTS] = 300_000
    downloads.start(NAME)
    qtbot.waitUntil(lambda: WEIGHTS not in server.cut_after, timeout=30000)
    server.status[WEIGHTS] = [503] * 9  # it tries again after the cut, and meanwhile it is paused
    downloads.pause(NAME)
    until(qtbot, downloads, DownloadState.PAUSED)
    kept = downloads.of(NAME).done
    assert kept >= 300_000 and downloads.of(NAME).failure is None
    server.status.clear()
    again = Downloads(settings)
    assert again.of(NAME).state is DownloadState.PAUSED and again.of(NAME).done == kept
    with qtbot.waitSignal(again.arrived, timeout=30000):
        again.start(NAME)
    assert any(asked.startswith("bytes=") for path, asked in server.requests if WEIGHTS in path)
    assert (again.folder_of(NAME) / WEIGHTS).read_bytes() == server.files[WEIGHTS]


def test_a_corrupted_file_is_told_and_not_kept(qtbot, downloads, server):
    server.corrupt.add(WEIGHTS)
    downloads.start(NAME)
    qtbot.waitUntil(lambda: downloads.of(NAME).failure is not None and not downloads._commands, timeout=30000)
    state = downloads.of(NAME)
    assert state.state is not DownloadState.HERE and "damaged" in state.failure.message
    assert state.failure.code == "download"
    server.corrupt.clear()
    with qtbot.waitSignal(downloads.arrived, timeout=30000):
        downloads.start(NAME)
    assert downloads.of(NAME).failure is None


def test_a_mirror_that_is_no_address_is_refused_in_words(qtbot, downloads, settings):
    settings.set("mirror", "not an address")
    downloads.start(NAME)
    qtbot.waitUntil(lambda: downloads.of(NAME).failure is not None, timeout=30000)
    assert "no address" in downloads.of(NAME).failure.message


def test_a_full_disk_is_told_before_anything_is_fetched(qtbot, downloads, settings, monkeypatch):
    settings.set("mirror", "")
    usage = shutil.disk_usage("/")
    monkeypatch.setattr("app.core.models.shutil.disk_usage", lambda place: usage._replace(free=1_000_000_000))
    downloads.start(NAME)
    assert downloads.of(NAME).failure.code == "disk" and not downloads._commands


def test_offline_nothing_is_started_and_what_runs_is_stopped(qtbot, downloads, settings, server):
    server.status[WEIGHTS] = [503] * 50
    downloads.start(NAME)
    qtbot.waitUntil(lambda: downloads.of(NAME).done > 0, timeout=30000)
    settings.set("offline", True)
    qtbot.waitUntil(lambda: not downloads._commands, timeout=30000)
    asked = len(server.requests)
    downloads.start(NAME)
    assert downloads.of(NAME).failure.code == "offline" and not downloads._commands
    assert len(server.requests) == asked


REFUSE = """
import os, socket
def refuse(self, address, *rest):
    with open(os.environ["CONTACTED"], "a") as file:
        file.write(f"{address}\\n")
    raise OSError("no network in this test")
socket.socket.connect = socket.socket.connect_ex = refuse
"""


def test_offline_no_socket_is_ever_connected_neither_here_nor_in_a_child(
    qtbot, make_studio, tmp_path, monkeypatch, model_folder
):
    """Sockets are refused and written down, in this process and, by a sitecustomize, in every child."""
    contacted = tmp_path / "contacted"
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(REFUSE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("CONTACTED", str(contacted))

    def refuse(self, address):
        contacted.open("a").write(f"{address}\n")
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    studio = make_studio()
    studio.settings.set("models_folder", str(tmp_path / "models"))
    studio.settings.set("mirror", "http://127.0.0.1:9")
    studio.settings.set("offline", True)
    studio.show()
    downloads = studio.window.dialogs.downloads
    for name in ("VoxCPM2", "VoxCPM1.5", "VoxCPM-0.5B"):
        downloads.start(name)
    shutil.copytree(TINY, tmp_path / "models" / "VoxCPM2")
    studio.window.dialogs.show_models()
    manager = studio.window.dialogs.manager
    manager.list.setCurrentRow(1)
    qtbot.waitUntil(lambda: manager.facts.info_of(str(tmp_path / "models" / "VoxCPM2")) is not None, timeout=60000)
    downloads.check("VoxCPM2")
    qtbot.waitUntil(lambda: not downloads._commands, timeout=60000)
    studio.generate()
    assert not contacted.exists(), contacted.read_text()
    studio.settings.set("offline", False)  # the trap works: with the network allowed, the child is caught
    shutil.rmtree(tmp_path / "models" / "VoxCPM2")
    downloads.start("VoxCPM2")
    qtbot.waitUntil(lambda: downloads.of("VoxCPM2").failure is not None and not downloads._commands, timeout=60000)
    assert "127.0.0.1" in contacted.read_text()
