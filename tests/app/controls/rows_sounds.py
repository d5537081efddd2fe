"""Recordings: the microphone, the cut, the doctor, and the words of a prompt."""

from __future__ import annotations

import numpy as np
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.consent.evidence import Availability
from app.widgets.transcript_box import TranscriptState
from tests.app.controls.stage import type_into, unfolds

SPOKEN = np.random.default_rng(5).uniform(-0.4, 0.4, 48000).astype(np.float32)


def opened(stage, key):
    """A recording in the panel that was looked at, untouched; its field."""
    mode = stage.recording(key.rstrip("_"))
    stage.wait(lambda: mode.sound.examined is not None)
    return mode.sound


def changed(stage, field, act):
    before = field.examined
    act()
    stage.wait(lambda: field.examined is not before and field.path is not None)


def used(stage):
    """Seconds of the file that the engine gets."""
    words = getattr(stage.compose.panel, "words", None)
    if words is not None and words.state is not TranscriptState.CONFIRMED:
        words.confirm()
    voice = stage.job("And on.").voice
    return soundfile.info(voice.reference or voice.prompt).duration


def microphone(stage, key):
    """The panel with an open microphone, without the count; its row."""
    stage.go(key.rstrip("_"))
    field = getattr(stage.compose, key).sound
    field.record.cancel()
    field.drop.clear()
    field.drop.record_button.click()
    assert field.record.isVisible() and not stage.audio.microphone.closed
    if field.record.count_in.isChecked():
        field.record.count_in.click()
    return field.record


def sound(key):
    """The rows of a panel's recording; ``key`` is the attribute of the panel."""

    def field(stage):
        return getattr(stage.compose, key).sound

    def record(stage):
        row = microphone(stage, key)
        row.record_button.click()
        stage.audio.microphone.speak(SPOKEN)
        row.stop_button.click()
        stage.wait(lambda: field(stage).examined is not None)
        heard, _ = soundfile.read(field(stage).path, dtype="float32")
        assert np.abs(heard - SPOKEN).max() <= 2**-23
        assert stage.audio.microphone.closed

    def cancel(stage):
        row = microphone(stage, key)
        row.cancel_button.click()
        assert stage.audio.microphone.closed and not row.isVisible() and field(stage).path is None

    def count_in(stage):
        row = microphone(stage, key)
        row.count_in.click()
        row.record_button.click()
        assert "3" in row.count_label.text()
        row.stop_button.click()
        row.count_in.click()
        row.record_button.click()
        assert row.count_label.text() == "Recording: speak now"
        row.cancel_button.click()

    def monitor(stage):
        row = microphone(stage, key)
        row.monitor.click()
        stream = stage.audio.streams[-1]
        stage.audio.microphone.speak(SPOKEN[:2000])
        stage.wait(lambda: bool(np.any(stream.heard)))
        row.monitor.click()
        assert not stream.active
        row.cancel_button.click()

    def device(stage):
        row = microphone(stage, key)
        row.device.setCurrentIndex(2)
        row.device.activated.emit(2)
        assert stage.audio.opened[-1] == "other microphone"
        row.device.setCurrentIndex(0)
        row.device.activated.emit(0)
        assert stage.audio.opened[-1] == "fake microphone"
        row.cancel_button.click()

    def start(stage):
        opened(stage, key)
        changed(stage, field(stage), lambda: field(stage).bench.start.setValue(1.0))
        assert abs(used(stage) - 2.0) < 0.01

    def end(stage):
        opened(stage, key)
        changed(stage, field(stage), lambda: field(stage).bench.end.setValue(2.5))
        assert abs(used(stage) - 2.5) < 0.01

    def view(stage):
        opened(stage, key)
        bench = field(stage).bench
        bench.snap.setChecked(False)
        changed(
            stage, field(stage), lambda: QTest.keyClick(bench.view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
        )
        assert abs(used(stage) - 2.9) < 0.01
        bench.snap.setChecked(True)

    def snap(stage):
        opened(stage, key)
        bench, ends = field(stage).bench, []
        for on in (False, True):
            bench.snap.setChecked(on)
            changed(stage, field(stage), lambda: bench.view.chosen.emit(0.0, 1.42))
            ends.append(field(stage).edits.end)
            changed(stage, field(stage), bench.undo_button.click)
        assert ends[0] == 1.42 and ends[1] != 1.42

    def undo(stage):
        opened(stage, key)
        changed(stage, field(stage), lambda: field(stage).bench.start.setValue(1.0))
        changed(stage, field(stage), field(stage).bench.undo_button.click)
        assert abs(used(stage) - 3.0) < 0.01

    def reset(stage):
        opened(stage, key)
        changed(stage, field(stage), lambda: field(stage).bench.start.setValue(1.0))
        changed(stage, field(stage), field(stage).bench.reset_button.click)
        assert field(stage).path == str(stage.speech)

    def play(stage):
        opened(stage, key)
        changed(stage, field(stage), lambda: field(stage).bench.start.setValue(1.0))
        field(stage).bench.play_button.click()
        assert stage.player.is_active and stage.player.source.length == 2 * 16000
        stage.player.stop()

    rows = {
        "drop.record_button": record,
        "record.record_button": record,
        "record.stop_button": record,
        "record.cancel_button": cancel,
        "record.count_in": count_in,
        "record.monitor": monitor,
        "record.device": device,
        "record.problem.details_button": unfolds(lambda s: shown(s, key).record.problem),
        "note.details_button": unfolds(lambda s: shown(s, key).note),
        "bench.start": start,
        "bench.end": end,
        "bench.view": view,
        "bench.snap": snap,
        "bench.undo_button": undo,
        "bench.reset_button": reset,
        "bench.play_button": play,
    }
    return {f"compose.{key}.sound.{name}": row for name, row in rows.items()}


def shown(stage, key):
    stage.go(key.rstrip("_"))
    return getattr(stage.compose, key).sound


def transcript(stage):
    stage.recording("continue")
    type_into(stage.compose.continue_.transcript, "These words.")
    assert stage.job("And on.").voice.transcript == "These words."


def confirm(stage):
    stage.recording("continue")
    stage.drop(stage.compose.continue_.drop, stage.speech)
    stage.compose.continue_.consent.own.click()
    stage.compose.continue_.consent.tick.click()
    assert not stage.compose.generate.isEnabled()
    stage.compose.continue_.words.confirm_button.click()
    assert stage.compose.generate.isEnabled()


class Ears:
    """A recogniser that is there."""

    def transcribe(self, samples, sample_rate):
        return "Heard words."


def draft(language):
    def row(stage):
        import app.transcripts as transcripts

        languages = []
        real, remote = transcripts.recogniser_availability, stage.application.ears
        transcripts.recogniser_availability = lambda *_: Availability(True)
        remote.recogniser = lambda asked, folder: (languages.append(asked), Ears())[1]
        try:
            opened(stage, "continue_")
            words = stage.compose.continue_.words
            words.language.setCurrentIndex(language)
            words.language.activated.emit(language)
            words.draft_button.click()
            stage.wait(lambda: words.state is TranscriptState.DRAFT)
            assert languages[-1] == ("en", "zh")[language]
            assert not stage.compose.generate.isEnabled()
            words.confirm_button.click()
            assert stage.job("And on.").voice.transcript == "Heard words."
        finally:
            transcripts.recogniser_availability = real
            del remote.recogniser

    return row


def words(stage):
    stage.go("continue")
    return stage.compose.continue_.words


WORDS = {
    "compose.continue_.words.edit": transcript,
    "compose.continue_.words.confirm_button": confirm,
    "compose.continue_.words.draft_button": draft(0),
    "compose.continue_.words.language": draft(1),
    "compose.continue_.words.doubt.details_button": unfolds(lambda s: words(s).doubt),
    "compose.continue_.words.problem.details_button": unfolds(lambda s: words(s).problem),
}
AREAS = {"reference sound": sound("clone"), "prompt sound": sound("continue_"), "prompt words": WORDS}
