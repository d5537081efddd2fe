"""Recordings in the panels: recorded, cut, mended, and what the engine gets of them."""

import re
import shutil
import stat
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QPoint, Qt

from app.audio.player import PlayState
from app.core.consent.evidence import Availability
from app.core.sound_edits import Edits
from app.widgets import record_row
from app.widgets.transcript_box import TranscriptState
from tests.app.fake_audio import FakeAudio
from tests.app.quality.bad_takes import say

WAIT = 60000
needs_flite = pytest.mark.skipif(shutil.which("flite") is None, reason="flite speaks the recordings")
TEXT = "Good evening. The last train leaves at ten, and it does not wait. Please mind the gap when you board."


class Hand:
    """Does with one panel what a person does."""

    def __init__(self, studio, key):
        self.studio = studio
        studio.window.rail_button(key).click()
        self.panel = studio.compose.panel
        self.field, self.row, self.bench = self.panel.sound, self.panel.sound.record, self.panel.sound.bench

    def wait(self, ready):
        self.studio.qtbot.waitUntil(ready, timeout=WAIT)

    def write(self, path, samples, rate, **options):
        soundfile.write(path, samples, rate, **options)
        return path

    def drop(self, path):
        with self.studio.qtbot.waitSignal(self.field.looked, timeout=WAIT):
            self.studio.drop(self.panel.drop, path)

    def change(self, act):
        with self.studio.qtbot.waitSignal(self.field.looked, timeout=WAIT):
            act()

    def agree(self):
        self.panel.consent.own.click()
        self.panel.consent.tick.click()

    def codes(self):
        return [finding.code for finding in self.field.examined.diagnosis.findings]

    def job(self):
        """Generate, and return what the engine was asked for."""
        assert self.studio.compose.generate.isEnabled(), self.studio.compose.reason.text()
        self.studio.generate("And on.")
        return self.studio.fake.jobs[-1]

    def used(self):
        """The sound of the file that the engine gets."""
        return soundfile.read(self.job().voice.reference or self.job().voice.prompt, dtype="float32")

    def drag(self, start, end):
        """Drag a handle of the waveform from one second to another."""
        view, qtbot = self.bench.view, self.studio.qtbot
        places = [QPoint(round(view._x(seconds)), view.height() // 2) for seconds in (start, end)]
        qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=places[0])
        qtbot.mouseMove(view, places[1])
        qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=places[1])


@pytest.fixture
def clone(studio):
    return Hand(studio, "clone")


@pytest.fixture
def going_on(studio):
    return Hand(studio, "continue")


@pytest.fixture
def spoken(tmp_path):
    samples, rate = say(TEXT, "slt")
    path = tmp_path / "my voice.wav"
    soundfile.write(path, samples, rate, subtype="FLOAT")
    return path


# The microphone ------------------------------------------------------------------------------------------------------


def noise(seconds=1.0, rate=48000):
    return np.random.default_rng(5).uniform(-0.4, 0.4, round(seconds * rate)).astype(np.float32)


def record(hand, samples):
    """Record without the count; returns once the recording was looked at."""
    studio, audio = hand.studio, hand.studio.audio
    if not hand.row.isVisible():
        hand.panel.drop.record_button.click()
    if hand.row.count_in.isChecked():
        hand.row.count_in.click()
    hand.row.record_button.click()
    audio.microphone.speak(samples)
    with studio.qtbot.waitSignal(hand.field.looked, timeout=WAIT):
        hand.row.stop_button.click()


@pytest.mark.parametrize("key", ["clone", "continue"])
def test_what_is_recorded_becomes_the_reference_or_the_prompt(studio, key):
    hand = Hand(studio, key)
    hand.panel.drop.record_button.click()
    assert hand.row.isVisible() and not studio.audio.microphone.closed
    record(hand, noise())
    assert not hand.row.isVisible() and studio.audio.microphone.closed
    assert hand.panel.drop.title.text().startswith("recording-")
    hand.agree()
    if key == "continue":
        hand.panel.transcript.setPlainText("What is said.")
    job = hand.job()
    path = Path(job.voice.reference or job.voice.prompt)
    samples, rate = soundfile.read(path, dtype="float32")
    assert rate == 48000
    assert np.abs(samples - noise()).max() <= 2**-23
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.is_relative_to(studio.application.library.store.temporary)


def test_recordings_are_gone_when_the_program_ends(make_studio):
    studio = make_studio().show()
    hand = Hand(studio, "clone")
    record(hand, noise())
    path = Path(hand.field.path)
    assert path.is_file()
    studio.window.close()
    assert not path.exists()


@pytest.mark.parametrize("counting", [True, False])
def test_closing_the_window_lets_go_of_the_microphone(make_studio, counting):
    studio = make_studio().show()
    hand = Hand(studio, "clone")
    hand.panel.drop.record_button.click()
    if not counting:
        hand.row.count_in.click()
    hand.row.record_button.click()
    hand.row.monitor.click()
    studio.audio.microphone.speak(noise())
    studio.window.close()
    assert studio.application.ended_cleanly
    assert studio.audio.microphone.closed and not any(stream.active for stream in studio.audio.streams)


def test_the_level_is_shown_before_anything_is_kept(clone):
    clone.panel.drop.record_button.click()
    clone.studio.audio.microphone.speak(np.full(4800, 0.5))
    clone.wait(lambda: clone.row.meter.peak > -7)
    assert clone.row.meter.text == "-6 dB"
    clone.studio.audio.microphone.speak(np.full(4800, 1.0))
    clone.wait(lambda: clone.row.meter.text == "too loud")
    clone.row.cancel_button.click()
    assert not clone.row.isVisible() and clone.studio.audio.microphone.closed
    assert clone.field.path is None


def test_the_count_can_be_seen_left_out_and_broken_off(clone, monkeypatch):
    monkeypatch.setattr(record_row, "COUNT_MS", 60)
    row, audio = clone.row, clone.studio.audio
    row._count.setInterval(60)
    clone.panel.drop.record_button.click()
    assert row.count_in.isChecked()
    counted = []
    row._count.timeout.connect(lambda: counted.append(row.count_label.text()))
    row.record_button.click()
    assert row.count_label.text() == "It begins in 3…"
    audio.microphone.speak(noise(0.2))  # while it counts: not kept
    clone.wait(lambda: row.count_label.text() == "Recording: speak now")
    assert counted[:2] == ["It begins in 2…", "It begins in 1…"]
    audio.microphone.speak(noise(0.5)[::-1])
    with clone.studio.qtbot.waitSignal(clone.field.looked, timeout=WAIT):
        row.stop_button.click()
    samples, _ = soundfile.read(clone.field.path, dtype="float32")
    assert np.abs(samples - noise(0.5)[::-1]).max() <= 2**-23
    clone.panel.drop.record_button.click()
    row.record_button.click()
    assert not row.record_button.isEnabled()
    row.stop_button.click()
    assert row.record_button.isEnabled() and not row._count.isActive()
    row.count_in.click()
    assert clone.studio.settings.get("count_in") is False
    row.record_button.click()
    assert row.count_label.text() == "Recording: speak now"


def test_hearing_oneself_is_off_until_it_is_asked_for(clone):
    audio = clone.studio.audio
    clone.panel.drop.record_button.click()
    assert not clone.row.monitor.isChecked() and audio.streams == []
    clone.row.monitor.click()
    (stream,) = audio.streams
    audio.microphone.speak(noise(0.05))
    clone.wait(lambda: bool(np.any(stream.heard)))
    clone.row.cancel_button.click()
    assert not stream.active
    clone.panel.drop.record_button.click()
    assert not clone.row.monitor.isChecked()


def test_a_monitor_that_does_not_work_says_why(clone):
    clone.studio.audio.rates = [44100]
    clone.panel.drop.record_button.click()
    clone.row.monitor.click()
    assert not clone.row.monitor.isChecked()
    assert "rate of the microphone" in clone.row.problem.text()


def test_a_microphone_is_chosen_and_remembered(make_studio):
    studio = make_studio().show()
    hand = Hand(studio, "clone")
    hand.panel.drop.record_button.click()
    names = [hand.row.device.itemText(index) for index in range(hand.row.device.count())]
    assert names == ["The system's microphone", "fake microphone (Fake)", "other microphone (Fake)"]
    hand.row.device.setCurrentIndex(2)
    hand.row.device.activated.emit(2)
    assert studio.audio.opened[-1] == "other microphone"
    studio.window.close()
    again = Hand(make_studio().show(), "clone")
    again.panel.drop.record_button.click()
    assert again.row.device.currentText() == "other microphone (Fake)"
    assert again.studio.audio.opened[-1] == "other microphone"


def test_a_microphone_that_goes_away_keeps_what_was_said(clone):
    clone.panel.drop.record_button.click()
    clone.row.count_in.click()
    clone.row.record_button.click()
    clone.studio.audio.microphone.speak(noise())
    with clone.studio.qtbot.waitSignal(clone.field.looked, timeout=WAIT):
        clone.studio.audio.unplug_microphone()
    assert clone.field.path is not None
    assert "went away" in clone.field.note.text()
    assert not clone.panel.drop.record_button.isEnabled()
    clone.panel.drop.clear_button.click()
    assert clone.field.note.text() == ""


def test_gaps_in_a_recording_are_told(clone):
    clone.panel.drop.record_button.click()
    clone.row.count_in.click()
    clone.row.record_button.click()
    clone.studio.audio.microphone.speak(noise(), overflow=True)
    with clone.studio.qtbot.waitSignal(clone.field.looked, timeout=WAIT):
        clone.row.stop_button.click()
    assert "1 gap" in clone.field.note.text()


def test_a_click_instead_of_a_recording_is_said_to_be_too_short(clone):
    clone.panel.drop.record_button.click()
    clone.row.count_in.click()
    clone.row.record_button.click()
    clone.studio.audio.microphone.speak(noise(0.1))
    clone.row.stop_button.click()
    clone.wait(lambda: "too short" in clone.row.problem.text())
    assert clone.row.isVisible() and clone.field.path is None
    record(clone, noise())
    assert clone.field.path is not None


def test_going_to_another_panel_keeps_the_recording_and_closes_the_microphone(studio):
    hand = Hand(studio, "clone")
    hand.panel.drop.record_button.click()
    hand.row.count_in.click()
    hand.row.record_button.click()
    studio.audio.microphone.speak(noise())
    with studio.qtbot.waitSignal(hand.field.looked, timeout=WAIT):
        other = Hand(studio, "continue")
    assert hand.field.path is not None and studio.audio.microphone.closed
    other.panel.drop.record_button.click()
    assert other.row.is_open and not hand.row.is_open
    studio.window.rail_button("design").click()
    assert studio.audio.microphone.closed


@pytest.mark.parametrize("code", ["library", "device", "failed"])
def test_without_a_microphone_recording_is_greyed_out_with_the_reason(make_studio, speech, code):
    studio = make_studio(backend=FakeAudio(missing=code)).show()
    hand = Hand(studio, "clone")
    assert not hand.panel.drop.record_button.isEnabled()
    assert hand.panel.drop.record_button.toolTip().startswith("No recording")
    assert ("PortAudio" in hand.panel.drop.detail.text()) == (code == "library")
    hand.drop(speech)
    hand.agree()
    assert hand.job().voice.reference == str(speech)


def test_a_microphone_that_comes_later_is_found(make_studio):
    audio = FakeAudio(missing="device")
    studio = make_studio(backend=audio).show()
    hand = Hand(studio, "clone")
    audio.missing = audio.input_missing = ""
    studio.window.menus.actions["look_again"].trigger()
    assert hand.panel.drop.record_button.isEnabled()
    hand.panel.drop.record_button.click()
    studio.window.menus.actions["look_again"].trigger()  # closes what is open: the list of devices is read anew
    assert audio.microphone.closed


# Cutting -------------------------------------------------------------------------------------------------------------


@needs_flite
def test_an_untouched_recording_is_used_as_it_is(clone, spoken):
    clone.drop(spoken)
    clone.agree()
    assert clone.job().voice.reference == str(spoken)
    assert clone.bench.texts() == ["Nothing is wrong with it."]
    assert re.fullmatch(r"All \d\.\d s are used", clone.bench.length.text())


@needs_flite
def test_a_dragged_handle_snaps_to_a_pause_and_the_engine_gets_what_is_left(clone, spoken):
    samples, rate = say(TEXT, "slt")
    clone.drop(spoken)
    clone.agree()
    seconds = len(samples) / rate
    clone.change(lambda: clone.drag(seconds, seconds - 1.0))
    edits = clone.field.edits
    assert edits.start == 0 and abs(edits.end - (seconds - 1.0)) < 0.3
    used, used_rate = clone.used()
    assert used_rate == rate
    assert len(used) == round(edits.end * rate)
    assert np.abs(used - samples[: len(used)])[: -rate // 100].max() <= 2**-22
    assert Path(clone.job().voice.reference).stem == "my voice"
    original, _ = soundfile.read(spoken, dtype="float32")
    assert np.array_equal(original, samples)
    clone.change(clone.bench.reset_button.click)
    assert clone.field.edits.is_none
    assert clone.job().voice.reference == str(spoken)


@needs_flite
def test_numbers_and_keys_cut_where_they_say(clone, spoken):
    samples, rate = say(TEXT, "slt")
    clone.drop(spoken)
    clone.change(lambda: clone.bench.start.setValue(1.25))
    assert clone.field.edits == Edits(start=1.25)
    clone.change(lambda: clone.studio.qtbot.keyClick(clone.bench.view, Qt.Key.Key_Right))
    assert clone.field.edits.start == pytest.approx(1.26)
    view = clone.bench.view
    clone.studio.qtbot.keyClick(view, Qt.Key.Key_Down)
    clone.change(lambda: clone.studio.qtbot.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier))
    assert clone.field.edits.end == pytest.approx(len(samples) / rate - 0.1, abs=0.001)
    clone.change(lambda: clone.studio.qtbot.keyClick(view, Qt.Key.Key_End))
    assert clone.field.edits.end is None
    for _ in range(3):
        clone.change(clone.bench.undo_button.click)
    assert clone.field.edits == Edits(start=1.25)
    assert clone.bench.start.value() == 1.25
    clone.change(clone.bench.undo_button.click)
    assert clone.field.edits.is_none and not clone.bench.undo_button.isEnabled()


@needs_flite
def test_listening_plays_what_is_used_and_a_change_stops_it(clone, spoken):
    samples, rate = say(TEXT, "slt")
    clone.drop(spoken)
    clone.change(lambda: clone.bench.start.setValue(2.0))
    player = clone.studio.player
    with clone.studio.qtbot.waitSignal(player.position_changed, timeout=WAIT):
        clone.bench.play_button.click()
    assert player.source.sample_rate == rate
    assert player.source.length == len(samples) - 2 * rate
    clone.wait(lambda: clone.bench.view._playhead is not None and clone.bench.view._playhead > 2.0)
    clone.change(lambda: clone.bench.start.setValue(2.5))
    assert player.state is PlayState.STOPPED
    assert clone.bench.view._playhead is None


@needs_flite
def test_generate_waits_for_a_change_and_says_so_when_it_fails(clone, spoken, monkeypatch):
    clone.drop(spoken)
    clone.agree()
    compose = clone.studio.compose
    compose.text.setPlainText("And on.")
    assert compose.generate.isEnabled()

    def full(*arguments):
        raise OSError("no space left on device")

    monkeypatch.setattr("app.sound_desk.write_private", full)
    with clone.studio.qtbot.waitSignal(clone.field.looked, timeout=WAIT):
        clone.bench.cut_wanted.emit(1.0, 3.0)
        assert not compose.generate.isEnabled() and "being made" in compose.reason.text()
    assert "could not be saved" in clone.field.note.text()
    assert clone.field.edits.is_none and clone.bench.view.selection[0] == 0
    assert not clone.bench.undo_button.isEnabled()
    assert clone.job().voice.reference == str(spoken)  # what was there before goes on being used
    monkeypatch.undo()
    clone.change(lambda: clone.bench.cut_wanted.emit(1.0, 3.0))
    assert clone.field.note.text() == "" and clone.field.edits == Edits(1.0, 3.0)


@needs_flite
def test_changes_in_quick_succession_are_all_made(clone, tmp_path):
    samples, rate = say(TEXT, "slt")
    bad = 0.01 * samples + 0.2
    bad[3000] = np.nan
    clone.drop(clone.write(tmp_path / "bad.wav", bad, rate, subtype="FLOAT"))
    bench, field = clone.bench, clone.field
    for code in ("broken", "offset", "quiet"):
        bench.repairs[code].click()  # none of them waits for the one before
    bench.cut_wanted.emit(0.5, 3.0)
    bench.cut_wanted.emit(0.0, 3.0)
    wanted = field.edits
    assert wanted.mend and wanted.offset and wanted.gain_db > 0 and (wanted.start, wanted.end) == (0.0, 3.0)
    clone.wait(lambda: field.path is not None and field.examined.diagnosis.edits == wanted)
    assert not {"broken", "offset", "quiet"} & set(clone.codes())


@needs_flite
def test_keys_in_quick_succession_are_one_change(clone, spoken):
    clone.drop(spoken)
    clone.change(lambda: [clone.studio.qtbot.keyClick(clone.bench.view, Qt.Key.Key_Right) for _ in range(7)])
    assert clone.field.edits == Edits(start=0.07)
    assert clone.bench.snap.isChecked()  # whoever moves by keys means it
    clone.change(clone.bench.undo_button.click)
    assert clone.field.edits.is_none


@needs_flite
def test_a_change_renews_the_consent_since_a_record_names_what_is_used(clone, spoken):
    clone.drop(spoken)
    clone.agree()
    before = clone.panel.voice().consent
    clone.change(lambda: clone.bench.start.setValue(1.0))
    after = clone.panel.voice().consent
    assert after is not None and after.record_id != before.record_id
    assert (after.subject_kind, after.fresh) == (before.subject_kind, True)


@needs_flite
def test_a_cut_recording_passes_the_real_door_before_and_after_the_cut(clone, spoken):
    """The fake engine asks nobody; this asks the door as the real one does."""
    from app.engine.voices import EngineVoices

    voices = EngineVoices(lambda: clone.studio.application.library.door)
    clone.drop(spoken)
    clone.agree()
    for act in (lambda: None, lambda: clone.change(lambda: clone.bench.start.setValue(1.0))):
        act()
        admitted = voices.check(clone.panel.voice())
        assert "generate" in admitted.consent.scope
        seconds, _, _ = voices.measure(clone.panel.voice(), "And on.", 16000)
    assert seconds["reference"] == pytest.approx(clone.field.examined.diagnosis.seconds, abs=0.01)


# The doctor ----------------------------------------------------------------------------------------------------------


@needs_flite
def test_every_finding_is_mended_by_its_button_and_comes_back_with_undo(clone, tmp_path):
    samples, rate = say(TEXT, "slt")
    bad = np.concatenate([np.zeros(2 * rate, np.float32), 0.02 * samples]) + 0.2
    bad[3000] = np.nan
    pair = np.stack([bad, 0.05 * bad], axis=1).astype(np.float32)
    clone.drop(clone.write(tmp_path / "bad.wav", pair, rate, subtype="FLOAT"))
    first = clone.codes()
    assert set(first) >= {"sides_level", "broken", "offset", "quiet", "silence"}
    steps = 0
    while clone.bench.repairs:
        clone.change(next(iter(clone.bench.repairs.values())).click)
        steps += 1
    assert clone.codes() == []
    assert clone.bench.texts() == ["Nothing is wrong with it."]
    assert steps >= 5
    clone.agree()
    used, _ = clone.used()
    assert np.isfinite(used).all() and np.abs(used).max() > 0.3 and abs(used.mean()) < 0.01
    assert "left channel" in clone.bench.length.text()
    for _ in range(steps):
        clone.change(clone.bench.undo_button.click)
    assert clone.codes() == first


OPEN_06 = {
    "no frames": (lambda: np.zeros(0), None, "no sound in this file"),
    "one sample": (lambda: np.full(1, 0.5), "too_short", "too short"),
    "50 ms": (lambda: np.full(800, 0.5), "too_short", "too short"),
    "zeros": (lambda: np.zeros(32000), "silent", "silent"),
    "nan and infinity": (lambda: broken(), "broken", ""),
    "peak 10": (lambda: tone() * 10 / 0.3, "too_loud", ""),
    "offset": (lambda: tone() * 0.2 + 0.9, "offset", ""),
}


def tone(seconds=2.0):
    at = np.arange(round(16000 * seconds)) / 16000
    return 0.3 * np.sin(2 * np.pi * 220 * at) * (0.5 - 0.5 * np.cos(2 * np.pi * at / seconds * 3))


def broken():
    samples = tone()
    samples[100], samples[200] = np.nan, np.inf
    return samples


@pytest.mark.parametrize("name", OPEN_06)
def test_open_06_a_bad_reference_is_mended_or_refused_with_its_name(clone, tmp_path, name):
    make, code, reason = OPEN_06[name]
    path = clone.write(tmp_path / "bad.wav", make().astype(np.float32), 16000, subtype="FLOAT")
    clone.studio.compose.text.setPlainText("And on.")
    if code is None:
        clone.studio.drop(clone.panel.drop, path)
        assert reason in clone.panel.drop.problem.text()
        assert not clone.studio.compose.generate.isEnabled()
        return
    clone.drop(path)
    clone.agree()
    assert code in clone.codes()
    if reason:
        assert not clone.studio.compose.generate.isEnabled()
        assert reason in clone.studio.compose.reason.text()
        return
    clone.change(clone.bench.repairs[code].click)
    assert code not in clone.codes()
    used, _ = clone.used()
    assert np.isfinite(used).all() and np.abs(used).max() <= 1.0 and abs(used.mean()) < 0.02


@needs_flite
def test_open_06_ten_minutes_are_cut_to_the_best_part_and_the_transcript_is_asked_about(going_on, tmp_path):
    samples, rate = say(TEXT, "slt")
    going_on.drop(going_on.write(tmp_path / "long.wav", np.resize(samples, 600 * rate), rate))
    going_on.agree()
    going_on.panel.transcript.setPlainText("What is said.")
    compose = going_on.studio.compose
    assert not compose.generate.isEnabled() and "600 s long" in compose.reason.text()
    assert going_on.bench.length.text() == "It is 10:00.0 long · only the first 02:00.0 are shown"
    going_on.change(going_on.bench.repairs["long"].click)
    assert not compose.generate.isEnabled()
    assert going_on.panel.words.state is TranscriptState.STALE
    start, end = going_on.bench.view.selection
    assert 3 < end - start < 16
    going_on.panel.words.confirm_button.click()
    used, used_rate = going_on.used()
    assert len(used) / used_rate == pytest.approx(end - start, abs=0.01)


@needs_flite
def test_open_06_of_ten_minutes_of_reference_the_best_part_is_taken_and_shown(clone, tmp_path):
    samples, rate = say(TEXT, "slt")
    long = np.concatenate([np.zeros(20 * rate, np.float32), np.resize(samples, 580 * rate)])
    path = clone.write(tmp_path / "long.wav", long, rate)
    compose = clone.studio.compose
    with clone.studio.qtbot.waitSignal(clone.field.looked, timeout=WAIT):
        clone.studio.drop(clone.panel.drop, path)
        clone.agree()
        assert clone.field.path is None  # the whole of it is never handed over unasked
        assert not compose.generate.isEnabled() and "best part" in compose.reason.text()
    before = clone.panel.voice().consent
    start, end = clone.bench.view.selection
    assert start > 19 and 3 < end - start < 16
    used, _ = clone.used()
    assert len(used) / rate == pytest.approx(end - start, abs=0.01)
    assert clone.studio.fake.jobs[-1].voice.consent.record_id == before.record_id
    clone.change(clone.bench.undo_button.click)
    assert clone.field.path == str(path) and "long" in clone.codes()


def test_a_recording_that_breaks_off_in_the_decoder_is_refused_with_the_reason(clone, speech, monkeypatch):
    from app.core.audio_files import AudioFileError

    def damaged(*arguments, **options):
        raise AudioFileError("unreadable", "pretended")

    monkeypatch.setattr("app.sound_desk.read_raw", damaged)
    clone.drop(speech)
    clone.agree()
    assert not clone.studio.compose.generate.isEnabled()
    assert "cannot be read to its end" in clone.studio.compose.reason.text()
    monkeypatch.undo()
    clone.drop(speech)
    clone.agree()
    assert clone.studio.compose.generate.isEnabled()


@pytest.mark.parametrize("how", ["probe", "raw"])
def test_the_program_ends_at_once_while_a_file_is_read(make_studio, speech, monkeypatch, how):
    """The child that reads the header, or decodes, is ended: here it would sleep for a minute."""
    real, asleep = subprocess.Popen, []

    def sleeper(argv, **options):
        if how not in argv:
            return real(argv, **options)
        asleep.append(real(["sleep", "60"], **options))
        return asleep[-1]

    monkeypatch.setattr("app.core.sound_files.subprocess.Popen", sleeper)
    studio = make_studio().show()
    hand = Hand(studio, "clone")
    hand.panel.drop.open_file(str(speech))
    hand.wait(lambda: len(asleep) > 0)
    began = time.monotonic()
    studio.window.close()
    assert studio.application.ended_cleanly
    assert time.monotonic() - began < 30 and all(child.poll() is not None for child in asleep)


# The transcript ------------------------------------------------------------------------------------------------------


@needs_flite
def test_a_cut_makes_the_transcript_stale_and_taking_it_back_makes_it_fit_again(going_on, spoken):
    going_on.drop(spoken)
    going_on.agree()
    words, compose = going_on.panel.words, going_on.studio.compose
    going_on.panel.transcript.setPlainText(TEXT)
    assert compose.generate.isEnabled()
    going_on.change(lambda: going_on.bench.start.setValue(2.0))
    assert words.state is TranscriptState.STALE and words.doubt.isVisible()
    assert not compose.generate.isEnabled() and "transcript" in compose.reason.text()
    going_on.change(going_on.bench.undo_button.click)
    assert words.state is TranscriptState.CONFIRMED and compose.generate.isEnabled()
    going_on.change(lambda: going_on.bench.start.setValue(2.0))
    words.confirm_button.click()
    assert compose.generate.isEnabled()
    going_on.change(going_on.bench.undo_button.click)
    assert words.state is TranscriptState.STALE  # the shorter words were said to fit the shorter sound
    going_on.panel.transcript.setPlainText(TEXT)
    assert words.state is TranscriptState.CONFIRMED


@needs_flite
def test_another_level_changes_no_words(going_on, tmp_path):
    samples, rate = say(TEXT, "slt")
    going_on.drop(going_on.write(tmp_path / "quiet.wav", 0.01 * samples, rate, subtype="FLOAT"))
    going_on.panel.transcript.setPlainText(TEXT)
    going_on.change(going_on.bench.repairs["quiet"].click)
    assert going_on.panel.words.state is TranscriptState.CONFIRMED


class Ears:
    """A recogniser that hears what it is told to."""

    def __init__(self, text):
        self.text, self.asked = text, []

    def transcribe(self, samples, sample_rate):
        self.asked.append((len(samples), sample_rate))
        return self.text


@pytest.fixture
def ears(going_on, monkeypatch):
    ears = Ears("Good evening. The last train leaves at ten.")
    monkeypatch.setattr("app.transcripts.recogniser_availability", lambda language, folder: Availability(True))
    opened = []
    monkeypatch.setattr(
        going_on.studio.application.ears,
        "recogniser",
        lambda language, folder: (opened.append((language, folder)), ears)[1],
    )
    ears.opened = opened
    return ears


@needs_flite
def test_a_draft_is_marked_as_one_until_a_person_confirms_it(going_on, spoken, ears):
    words, compose = going_on.panel.words, going_on.studio.compose
    assert not words.draft_button.isEnabled()
    going_on.drop(spoken)
    going_on.agree()
    going_on.change(lambda: going_on.bench.start.setValue(1.0))
    words.draft_button.click()
    going_on.wait(lambda: words.state is TranscriptState.DRAFT)
    assert ears.asked == [(len(going_on.field.examined.diagnosis.samples), 16000)]
    assert ears.opened == [("en", None)]
    assert going_on.panel.transcript.toPlainText() == ears.text
    assert words.doubt.isVisible() and "draft" in words.doubt.text()
    assert not compose.generate.isEnabled() and "confirm" in compose.reason.text()
    going_on.panel.transcript.setPlainText("Good evening. The last train leaves at nine.")
    assert words.state is TranscriptState.DRAFT  # a mended draft is one still
    words.confirm_button.click()
    assert compose.generate.isEnabled()
    assert going_on.job().voice.transcript == "Good evening. The last train leaves at nine."


@needs_flite
def test_the_language_and_the_folder_reach_the_recogniser(going_on, spoken, ears, tmp_path):
    going_on.drop(spoken)
    words = going_on.panel.words
    going_on.studio.settings.set("recogniser_folder", str(tmp_path))
    words.language.setCurrentIndex(1)
    words.draft_button.click()
    going_on.wait(lambda: words.state is TranscriptState.DRAFT)
    assert ears.opened == [("zh", tmp_path)]


@needs_flite
def test_a_draft_of_audio_that_was_changed_meanwhile_is_dropped(going_on, spoken, ears):
    going_on.drop(spoken)
    words = going_on.panel.words
    go_on = threading.Event()
    ears.transcribe = lambda *_: go_on.wait(WAIT / 1000) and ears.text
    words.draft_button.click()
    assert words.draft_button.text() == "Listening…"
    going_on.change(lambda: going_on.bench.start.setValue(1.0))
    go_on.set()
    going_on.wait(lambda: going_on.studio.window.sounds.transcripts._queue.is_idle)
    assert going_on.panel.transcript.toPlainText() == ""
    assert words.draft_button.isEnabled()


@needs_flite
@pytest.mark.parametrize(("heard", "said"), [("  ", "heard no words"), (None, "No draft")])
def test_what_the_recogniser_cannot_do_is_told(going_on, spoken, ears, heard, said):
    going_on.drop(spoken)
    words = going_on.panel.words
    ears.text = heard
    if heard is None:
        ears.transcribe = lambda *_: 1 / 0
    words.draft_button.click()
    going_on.wait(lambda: said in words.problem.text())
    assert words.state is TranscriptState.CONFIRMED and words.draft_button.isEnabled()


@needs_flite
def test_without_a_recogniser_the_draft_is_greyed_out_with_the_reason(going_on, spoken, monkeypatch):
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "faster_whisper" else real(name, *a)
    )
    going_on.drop(spoken)
    button = going_on.panel.words.draft_button
    assert not button.isEnabled()
    assert "no speech recogniser is installed" in button.toolTip()


@needs_flite
def test_a_trimmed_prompt_can_be_the_reference_too(going_on, spoken):
    going_on.drop(spoken)
    going_on.agree()
    going_on.change(lambda: going_on.bench.start.setValue(2.0))
    going_on.panel.transcript.setPlainText("Please mind the gap.")
    going_on.panel.as_reference.click()
    voice = going_on.job().voice
    assert voice.reference == voice.prompt != str(spoken)


@needs_flite
def test_a_cut_recording_is_saved_as_a_voice_as_it_was_cut(clone, spoken):
    clone.drop(spoken)
    clone.change(lambda: clone.bench.start.setValue(2.0))
    clone.panel.pick.save_button.click()
    dialog = clone.studio.window.voices.save_dialog
    assert dialog.files == {"reference": Path(clone.field.path)}
    assert dialog.name.text() == "my voice"
    dialog.reject()


@needs_flite
def test_a_draft_or_a_silent_recording_is_not_saved_as_a_voice(going_on, spoken, tmp_path):
    window = going_on.studio.window
    going_on.drop(spoken)
    going_on.panel.words.set_draft("Good evening.")
    going_on.panel.pick.save_button.click()
    assert window.voices.save_dialog is None and "confirm" in window.notice.message
    going_on.panel.words.confirm_button.click()
    going_on.panel.pick.save_button.click()
    assert window.voices.save_dialog.card().transcript == "Good evening."
    window.voices.save_dialog.reject()
    going_on.drop(going_on.write(tmp_path / "zeros.wav", np.zeros(32000, np.float32), 16000))
    going_on.panel.pick.save_button.click()
    assert window.voices.save_dialog is None and "silent" in window.notice.message


@needs_flite
def test_the_strip_counts_what_is_left_and_the_real_model_speaks_with_it(make_studio, spoken, monkeypatch):
    monkeypatch.setenv("VOXCPM_PASSPHRASE", "so that the take lasts")
    studio = make_studio(engine_factory=None)
    with studio.qtbot.waitSignal(studio.engine.model_loaded, timeout=WAIT):
        studio.application.show()
    hand = Hand(studio, "continue")
    hand.drop(spoken)
    hand.agree()
    hand.panel.transcript.setPlainText(TEXT)
    studio.compose.text.setPlainText("And on.")
    strip = studio.compose.plan_strip
    whole = hand.field.examined.diagnosis.seconds
    hand.wait(lambda: f"{whole:.1f} s of prompt" in strip.facts_label.text())
    hand.change(lambda: hand.bench.start.setValue(4.0))
    hand.panel.words.confirm_button.click()
    hand.wait(lambda: f"{whole - 4.0:.1f} s of prompt" in strip.facts_label.text())
    studio.compose.advanced.max_patches.setValue(5)
    with studio.qtbot.waitSignal(studio.engine.job_ended, timeout=WAIT):
        studio.compose.generate.click()
    (take,) = studio.store.takes
    assert take.result.mode == "continuation" and np.abs(take.samples).max() > 1e-3
    assert studio.window.notice.message == ""


# How it looks --------------------------------------------------------------------------------------------------------


@needs_flite
@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("key", ["clone", "continue"])
def test_a_small_window_needs_no_scrolling_sideways(studio, tmp_path, key, language):
    hand = Hand(studio, key)
    studio.application.language.use(language)
    studio.window.resize(940, 500)
    samples, rate = say(TEXT, "slt")
    pair = np.stack([0.001 * samples, 0.3 + 0.01 * samples], axis=1).astype(np.float32)
    hand.drop(hand.write(tmp_path / f"{'a very long name ' * 4}.wav", pair, rate, subtype="FLOAT"))
    assert len(hand.bench.repairs) >= 2
    hand.panel.drop.record_button.click()
    if key == "continue":
        hand.panel.words.set_draft("What is said.")
    bar = studio.compose._scroll.horizontalScrollBar()
    hand.wait(lambda: not bar.isVisible())
    assert bar.maximum() == 0
    title = hand.panel.drop.title
    assert "…" in title.text() and title.toolTip().startswith("a very long name")
    assert title.fontMetrics().horizontalAdvance(title.text()) <= title.width()


# Where prompt and text meet ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "text", "shown"),
    [
        ("What is said.", "And on it goes.", "Joined by one space: …What is said.␣And on it goes.…"),
        ("What is said. ", " And  on.", "Joined by one space: …What is said.␣And on.…"),
        ("\u665a\u4e0a\u597d\u3002", "\u4f60\u597d", "Joined without a space: …\u665a\u4e0a\u597d\u3002|\u4f60\u597d…"),
    ],
)
def test_the_one_separator_where_prompt_and_text_meet_is_shown(going_on, speech, words, text, shown):
    strip = going_on.studio.compose.plan_strip
    going_on.drop(speech)
    going_on.panel.transcript.setPlainText(words)
    going_on.studio.compose.text.setPlainText(text)
    going_on.wait(lambda: shown in strip.facts_label.text())
    going_on.wait(lambda: "of prompt" in strip.facts_label.text())  # with the engine's plan too
    assert strip.facts_label.text().count("Joined") == 1
    going_on.studio.window.rail_button("design").click()
    going_on.wait(lambda: "Joined" not in strip.facts_label.text())


# OPEN-03 -------------------------------------------------------------------------------------------------------------

NOTHING = ["", " \t ", "\U0001f389\U0001f389", "```\ncode\n```", "![picture](a.png)", "\uff08\uff09", "..."]


@pytest.fixture
def strict(studio, monkeypatch):
    """The fake engine refuses a text as the real one does, before any model call."""
    from app.core.engine_api import EngineError
    from app.core.messages import Failure
    from voxcpm.errors import RequestError
    from voxcpm.text import check_speakable

    def refuse(self, job):
        try:
            check_speakable(job.text, "text")
        except RequestError as error:
            raise EngineError(Failure(error.problem, error.field, code=error.field)) from error

    monkeypatch.setattr(type(studio.fake), "_refuse", refuse)
    return studio


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("text", NOTHING)
def test_open_03_nothing_left_to_say_is_a_note_beside_the_text_and_generate_stays_usable(strict, text, normalize):
    compose = strict.compose
    compose.advanced.normalize.setChecked(normalize)
    strict.generate(text)
    assert strict.store.takes == ()
    assert compose.text_problem.isVisible() and compose.text_problem.text()
    assert compose.generate.isEnabled()
    assert strict.window.notice.isHidden()
    (take,) = strict.generate("Good evening.")
    assert take.seconds > 0 and not compose.text_problem.isVisible()
