"""One window for each data folder: the second start brings the first to the front and hands its arguments over."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest
from PySide6.QtCore import QEventLoop
from PySide6.QtNetwork import QLocalSocket

from app.single_instance import LOCK_NAME, NoAnswerError, SingleInstance
from tests.app.takes.makers import opened

CHILD = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.single_instance import SingleInstance
app = QCoreApplication([])
instance = SingleInstance(Path(sys.argv[1]))
print("first" if instance.is_first else "second", flush=True)
if sys.argv[2:] == ["hang"]:
    sys.stdin.read()
instance.asked.connect(lambda files: print(len(files), *files, flush=True))
app.exec()
"""


@pytest.fixture
def runtime(monkeypatch):
    """The user's folder for sockets, whose paths must be short."""
    with tempfile.TemporaryDirectory(prefix="run-") as name:
        monkeypatch.setenv("XDG_RUNTIME_DIR", name)
        yield name


@pytest.fixture
def folder(tmp_path, runtime):
    return tmp_path / "data"


@pytest.fixture
def begin(folder):
    """Start another program on the folder; returns it once it says whether it is the first."""
    children = []

    def begin(*arguments):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(folder), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        children.append(child)
        return child, child.stdout.readline().strip()

    yield begin
    for child in children:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()


def test_the_second_hands_its_arguments_to_the_first(folder, begin, qapp):
    child, place = begin()
    second = SingleInstance(folder)
    assert place == "first" and not second.is_first
    second.pass_on(["/music/a b.wav", "/models/世界"])
    assert child.stdout.readline() == "2 /music/a b.wav /models/世界\n"
    second.pass_on([])
    assert child.stdout.readline() == "0\n"
    other = SingleInstance(folder.with_name("other"))
    assert other.is_first  # another data folder is another studio
    other.close()


def test_what_a_killed_window_left_is_taken_over(folder, runtime, begin, qapp):
    child, _ = begin()
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert (folder / LOCK_NAME).exists() and os.listdir(runtime)  # the lock's file and the socket
    again, place = begin()
    assert place == "first"
    SingleInstance(folder).pass_on(["x"])
    assert again.stdout.readline() == "1 x\n"


def test_of_many_that_start_at_once_exactly_one_is_first(folder, begin):
    places = [None] * 6

    def run(number):
        places[number] = begin()[1]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(places))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(places) == ["first"] + ["second"] * 5


def test_a_window_that_hangs_is_told_of_and_not_waited_for_for_ever(folder, begin, qapp):
    begin("hang")
    started = time.monotonic()
    with pytest.raises(NoAnswerError, match="does not answer"):
        SingleInstance(folder).pass_on(["x"], seconds=1.0)
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    "said", [b"nonsense\n", b'{"a": 1}\n', b"[1]\n", b'[["x"]]\n', b"\xff\xfe\n", b"x" * 200_000, b"[" * 50_000 + b"\n"]
)
def test_what_a_second_start_would_not_say_does_nothing(folder, qapp, qtbot, said):
    first = SingleInstance(folder)
    heard = []
    first.asked.connect(heard.append)
    socket = QLocalSocket()
    socket.connectToServer(first._name)
    qtbot.waitUntil(lambda: socket.state() is QLocalSocket.LocalSocketState.ConnectedState, timeout=20_000)
    socket.write(said)
    socket.flush()
    qtbot.waitUntil(lambda: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState, timeout=20_000)
    assert heard == [] and not socket.readAll().data()
    socket.connectToServer(first._name)
    for piece in (b'["a', b'", "b"]', b"\n"):  # in pieces, as it may arrive
        socket.write(piece)
        socket.flush()
        qapp.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
    qtbot.waitUntil(lambda: bool(heard), timeout=20_000)
    assert heard == [["a", "b"]]
    first.close()


def test_a_place_too_long_for_a_socket_is_passed_over(tmp_path, monkeypatch, begin, folder):
    long = tmp_path / ("x" * 100)
    long.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    child, place = begin()
    SingleInstance(folder).pass_on(["x"])
    assert place == "first" and child.stdout.readline() == "1 x\n" and not os.listdir(long)


def test_a_folder_that_cannot_be_written_to_keeps_nobody_out(tmp_path, qapp):
    (tmp_path / "file").write_text("in the way")
    instance = SingleInstance(tmp_path / "file" / "data")
    assert instance.is_first
    instance.close()


def test_the_window_comes_to_the_front_and_opens_what_was_named(make_studio, model_folder, speech, tmp_path):
    studio = make_studio().show()
    studio.window.showMinimized()
    with studio.qtbot.waitSignal(studio.engine.model_loaded, timeout=20_000):
        studio.application.come_to_front([str(model_folder("m")), str(speech)])
    assert not studio.window.isMinimized() and studio.window.isVisible()
    studio.qtbot.waitUntil(lambda: studio.compose.clone.drop.path == str(speech), timeout=20_000)


def test_a_voice_that_was_named_at_the_start_is_taken_in(make_studio, tmp_path):
    junk = tmp_path / "other.voice.zip"
    junk.write_bytes(b"no voice")
    studio = make_studio(files=[str(junk)])
    studio.application.library.__dict__["store"] = opened(tmp_path / "data" / "library")  # with keys that last
    with studio.qtbot.waitSignal(studio.application.desk.failed, timeout=20_000) as told:
        studio.show()
    assert told.args[0] == "import"


def test_two_starts_of_the_program_are_one_window(tmp_path, folder):
    environment = {
        **os.environ,
        "VOXCPM_DATA": str(folder),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "QT_QPA_PLATFORM": "offscreen",
    }
    (tmp_path / "config" / "voxcpm-studio").mkdir(parents=True)
    first = SingleInstance(folder)
    heard = []
    first.asked.connect(heard.append)
    sound = tmp_path / "a.wav"
    sound.write_bytes(b"x")
    second = subprocess.Popen([sys.executable, "-m", "app", str(sound)], env=environment)
    until = time.monotonic() + 120
    from PySide6.QtCore import QCoreApplication

    while second.poll() is None and time.monotonic() < until:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 100)
    assert second.wait(1) == 0 and heard == [[str(sound.resolve())]]
    first.close()
