"""Saving a take in the window: marked, at its own rate, and never at the take's expense."""

from dataclasses import replace

import soundfile

from app.core.growing import GrowingArray
from app.core.store import errors
from app.marks.errors import WatermarkUnavailable
from app.marks.verify import verify
from tests.app.marks.conftest import voiced

TORCH_MS = 120_000  # the first save loads torch for its watermark


def test_a_save_that_fails_is_told_and_the_take_stays(studio, tmp_path):
    (take,) = studio.generate()
    with studio.qtbot.waitSignal(studio.window._saver.failed):
        studio.window.save_take(take, str(tmp_path / "missing" / "a.wav"))
    assert "still in the list" in studio.window.notice.message
    assert studio.store.takes == (take,)
    with studio.qtbot.waitSignal(studio.window._saver.saved, timeout=TORCH_MS):
        studio.window.save_take(take, str(tmp_path / "a.wav"))
    assert take.saved_as == str(tmp_path / "a.wav")


def test_a_save_that_the_data_folder_does_not_let_out_is_told(studio, tmp_path):
    def closed(*_: object) -> bytes:
        raise errors.BusyError("The data folder is busy.")

    (take,) = studio.generate()
    saver = studio.window._saver
    saver.tools = replace(saver.tools, secret=closed)
    with studio.qtbot.waitSignal(saver.failed, timeout=TORCH_MS) as told:
        studio.window.save_take(take, str(tmp_path / "a.wav"))
    assert told.args[2] == "The data folder is busy." and list(tmp_path.glob("*.wav")) == []


def test_the_shortcut_asks_for_a_place_and_saves_there(studio, tmp_path):
    from PySide6.QtWidgets import QFileDialog

    (take,) = studio.generate()
    studio.window.menus.actions["save"].trigger()
    (dialog,) = studio.window.findChildren(QFileDialog)
    assert dialog.selectedFiles()[0].endswith("take-1-1.wav")
    with studio.qtbot.waitSignal(studio.window._saver.saved, timeout=TORCH_MS):
        dialog.fileSelected.emit(str(tmp_path / "chosen.wav"))
    dialog.close()
    assert soundfile.info(tmp_path / "chosen.wav").samplerate == take.sample_rate
    assert studio.settings.get("save_folder") == str(tmp_path)


def test_a_growing_take_cannot_be_saved_half(studio):
    studio.fake._model.patches = None
    studio.fake.step_delay = 0.005
    studio.generate("Never ending.", wait=False)
    studio.qtbot.waitUntil(lambda: studio.store.takes[0].seconds > 0)
    assert not studio.takes_panel.save_button.isEnabled()
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.compose.stop.click()
    assert studio.takes_panel.save_button.isEnabled()


def test_what_the_window_saves_carries_every_mark(studio, tmp_path):
    (take,) = studio.generate()
    take._samples = GrowingArray()
    take._samples.append(voiced())  # the tones of the fake engine are too plain for a watermark in MP3
    for suffix in ("wav", "flac", "mp3", "opus"):
        path = tmp_path / f"marked.{suffix}"
        with studio.qtbot.waitSignal(studio.window._saver.saved, timeout=TORCH_MS):
            studio.window.save_take(take, str(path))
        found = verify(path, studio.fake.watermark())
        assert found.verdict == "intact"
        assert found.label.covers == "sound"
        assert found.watermark.present
        assert found.credentials.intact is (suffix != "opus")
    assert found.problems == ()
    told = [entry.facts for entry in studio.application.library.audit.entries() if entry.event == "export"]
    assert len(told) == 4 and all(facts["mark_label"] == "made" for facts in told)


def test_a_save_does_not_wait_until_the_last_take_is_made(studio, tmp_path):
    (take,) = studio.generate()
    studio.fake._model.patches = None
    studio.fake.step_delay = 0.01
    studio.generate("Never ending.", wait=False)
    with studio.qtbot.waitSignal(studio.window._saver.saved, timeout=TORCH_MS):
        studio.window.save_take(take, str(tmp_path / "a.wav"))
    assert studio.engine.job is not None
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.compose.stop.click()


def test_the_watermark_is_made_in_the_thread_of_the_engine(studio, tmp_path):
    import threading

    (take,) = studio.generate()
    threads = []
    real = studio.fake.watermark()

    class Seen:
        def embed(self, samples, rate):
            threads.append(threading.current_thread())
            return real.embed(samples, rate)

        score = real.score

    studio.fake._watermark = Seen()
    with studio.qtbot.waitSignal(studio.window._saver.saved, timeout=TORCH_MS):
        studio.window.save_take(take, str(tmp_path / "a.wav"))
    (thread,) = threads
    assert thread is not threading.main_thread()
    assert studio.engine.call(lambda engine: threading.current_thread()) is thread


def test_a_watermark_that_is_not_there_is_said(studio, tmp_path):
    (take,) = studio.generate()

    def missing():
        raise WatermarkUnavailable("The watermark's weights are not installed.")

    studio.fake.watermark = missing
    with studio.qtbot.waitSignal(studio.window._saver.failed) as failed:
        studio.window.save_take(take, str(tmp_path / "a.wav"))
    assert "not installed" in failed.args[2]
    assert list(tmp_path.glob("*a.wav")) == []
