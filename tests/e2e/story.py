"""The story of the tour: a first start with everything that issue 5 names, and a second that finds it all again.

``python -m tests.e2e.story first|second FOLDER``; the parent is ``tour.py``, which sets the scene.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog

from app.audio.recorder import RecordState
from tests.e2e.driver import Person, live, run_main
from tests.e2e.scene import speak

TEXT = "Good evening. The last train leaves at ten."
DESCRIPTION = "a woman in her forties, warm, slow"
CLONED, CONTINUED = "Please mind the gap.", "And that was all."
SPOKEN = "The quick brown fox jumps over the lazy dog."
WORDS = "four words nobody guesses"
CONTROL = Qt.KeyboardModifier.ControlModifier


def first(person: Person) -> dict[str, Any]:
    """Everything from the first start to quitting."""
    told: dict[str, Any] = {}
    greeting(person)
    told["designed"] = design(person)
    told["compared"] = compare_blind(person)
    told["voice"] = keep_voice(person)
    told["cloned"] = clone(person)
    told["continued"] = go_on(person)
    told["saved"] = save(person)
    told["takes"] = [take.uid for take in person.studio.store.takes]
    (person.folder / "story.json").write_text(json.dumps(told), encoding="utf-8")
    person.press(Qt.Key.Key_Q, CONTROL)
    person.until(lambda: not person.window.isVisible(), "Ctrl+Q quits")
    return told


def greeting(person: Person) -> None:
    """The first start offers what there is, and speaks at once without any of it."""
    manager = person.window.dialogs.manager
    person.until(manager.isVisible, "the models are offered at the first start")
    person.check(manager.greeting.isVisible() and not manager.isModal(), "the first start greets, and is not modal")
    person.until(lambda: manager.facts.machine is not None, "the machine is known")
    person.until(lambda: person.studio.engine.model is not None, "the demo voice is loaded by itself")
    person.shot("01-first-start", manager)
    person.click(manager.close_button)


def design(person: Person) -> list[str]:
    """A description, a text, three takes."""
    compose, store = person.window.compose, person.studio.store
    person.window.activateWindow()
    person.type(compose.design.edit, DESCRIPTION)
    person.type(compose.text, TEXT)
    compose.takes.setFocus()
    compose.takes.selectAll()
    from PySide6.QtTest import QTest

    QTest.keyClicks(compose.takes, "3")
    person.until(lambda: DESCRIPTION in compose.plan_strip.text_label.text(), "the strip tells what the model gets")
    person.shot("02-design")
    person.press(Qt.Key.Key_Return, CONTROL)
    person.until(lambda: len(store.takes) == 3 and store.takes[0].seconds > 0.3, "three takes grow")
    person.check(person.studio.player.is_active or person.studio.player.unavailable, "the first chunk is heard")
    person.shot("03-takes-grow")
    person.until(lambda: person.studio.engine.job is None, "three takes are made")
    takes = store.of_job(store.takes[0].job.job_id)
    seeds = [take.seed for take in takes]
    person.check(len({*seeds}) == 3 and all(take.seconds > 0.5 for take in takes), "three takes with three seeds")
    person.until(lambda: all(take.kept for take in store.takes), "the takes are kept")
    return [take.uid for take in takes]


def compare_blind(person: Person) -> dict[str, Any]:
    """X, 2, 1, 3, and U chooses."""
    window, compare = person.window, person.window.compare
    takes = person.studio.store.takes[:3]
    window.takes_panel.unselect()
    window.takes_panel.select(takes[0])
    window.takes_panel.list.setFocus()
    person.press(Qt.Key.Key_X)
    person.until(lambda: compare.is_running, "the blind comparison begins")
    person.check(window.takes_panel.current is None, "nothing shows which take is heard")
    person.shot("04-blind")
    order = [take.row for take in compare.takes]
    heard = loudness_of(compare)
    person.check(max(heard) - min(heard) <= 0.1, f"compared takes are within 0.1 LU: {heard}")
    for key in (Qt.Key.Key_2, Qt.Key.Key_1, Qt.Key.Key_3):
        person.press(key)
        live(300)
    person.press(Qt.Key.Key_U)
    person.until(lambda: not compare.is_running and any(take.chosen for take in takes), "the choice is kept")
    person.check("The order was" in window.takes_panel.compare_bar.said.text(), "the order is told after the choice")
    chosen = next(take for take in takes if take.chosen)
    person.check(window.takes_panel.current is chosen and chosen.row == order[2], "the third one heard was chosen")
    person.shot("05-chosen")
    return {"order": order, "chosen": chosen.uid, "loudness": heard}


def loudness_of(compare: Any) -> list[float]:
    """How loud the compared takes are heard, in LUFS."""
    import numpy as np

    from app.core.loudness import loudness

    pairs = zip(compare.takes, compare.gains, strict=True)
    return [round(loudness(take.samples * np.float32(10 ** (gain / 20)), take.sample_rate), 3) for take, gain in pairs]


def keep_voice(person: Person) -> str:
    """The chosen take becomes a voice with its record; the keys get a passphrase."""
    window, control = person.window, person.window.voices
    person.click(window.takes_panel.keep_button)
    person.until(lambda: control.save_dialog is not None and control.save_dialog.isVisible(), "the dialog is there")
    dialog = control.save_dialog
    person.check(DESCRIPTION in dialog.name.text(), "the voice is named after its description")
    person.type(dialog.tags, "warm, evening")
    person.shot("06-keep-voice", dialog)
    person.click(dialog.save)
    person.until(lambda: control.passphrase is not None, "a passphrase is asked for")
    keys = control.passphrase
    person.shot("07-passphrase", keys)
    person.type(keys.first, WORDS)
    person.type(keys.second, WORDS)
    person.click(keys.ok)
    person.until(lambda: control.save_dialog is None, "the voice is saved")
    person.go("voices")
    panel = window.voices_panel
    person.until(lambda: any(not one.shipped for one in listed(panel)), "the voice is in the library")
    voice = next(one for one in listed(panel) if not one.shipped)
    panel.select(voice.voice_id)
    person.until(lambda: "No person is behind" in panel.record.text(), "its record is shown")
    person.shot("08-voices")
    return str(voice.voice_id)


def listed(panel: Any) -> list[Any]:
    """The voices that the panel lists."""
    return [panel.model.voice_at(panel.model.index(row)) for row in range(panel.model.rowCount())]


def clone(person: Person) -> str:
    """A recording with faults is dropped, mended, agreed to, and spoken with."""
    panel = person.window.compose.clone
    person.go("clone")
    person.drop(panel.drop, person.folder / "faulty.wav")
    person.until(lambda: panel.sound.examined is not None, "the recording was examined")
    person.check(not person.window.compose.generate.isEnabled(), "Generate waits for the consent")
    person.shot("09-doctor")
    mended = mend(person, panel.sound)
    person.check({"offset", "quiet"} <= mended, f"offset and level are mended by a click each: {sorted(mended)}")
    person.check(panel.sound.path != str(person.folder / "faulty.wav"), "what is used is a mended copy")
    agree(person, panel)
    person.type(person.window.compose.text, CLONED)
    one_take(person)
    person.shot("10-clone")
    return generate(person, "reference")


def mend(person: Person, sound: Any) -> set[str]:
    """Press the repair of each finding, one after the other; which ones were pressed."""
    pressed: set[str] = set()
    while left := [code for code in sound.bench.repairs if code not in pressed]:
        before = sound.examined
        pressed.add(left[0])
        person.click(sound.bench.repairs[left[0]])
        person.until(
            lambda before=before: sound.examined is not before and sound.path is not None, "the change was made"
        )
    return pressed


def agree(person: Person, panel: Any) -> None:
    """It is one's own voice."""
    person.click(panel.consent.own)
    person.click(panel.consent.tick)


def one_take(person: Person) -> None:
    """One is enough from here on."""
    person.window.compose.takes.setValue(1)


def generate(person: Person, mode: str) -> str:
    """Ctrl+Enter, and wait for the take."""
    store, before = person.studio.store, len(person.studio.store.takes)
    person.until(person.window.compose.generate.isEnabled, "Generate can be pressed")
    person.press(Qt.Key.Key_Return, CONTROL)
    person.until(lambda: len(store.takes) > before and person.studio.engine.job is None, "the take is made")
    person.until(lambda: not person.window.jobs.queue.waiting, "retries are made")
    take = store.takes[before]
    person.check(take.job.mode == mode and take.seconds > 0.3, f"a take in the mode {mode}")
    person.check(person.window.notice.message == "" or "saved" in person.window.notice.message,
                 f"nothing went wrong: {person.window.notice.message}")  # fmt: skip
    person.until(lambda: take.kept, "the take is kept")
    return take.uid


def go_on(person: Person) -> str:
    """A prompt is spoken into the microphone, cut, its words written down and confirmed, and continued."""
    panel = person.window.compose.continue_
    person.go("continue")
    record(person, panel.sound)
    mend(person, panel.sound)  # a prompt that ends in silence is continued with silence
    person.check(not person.window.compose.generate.isEnabled(), "Generate waits for the transcript")
    person.type(panel.transcript, SPOKEN)
    agree(person, panel)
    person.type(person.window.compose.text, CONTINUED)
    person.until(person.window.compose.generate.isEnabled, "all is there")
    before = panel.sound.examined
    panel.sound.bench.start.setValue(panel.sound.bench.start.value() + 0.05)
    person.until(lambda: panel.sound.examined is not before and panel.sound.path is not None, "the cut was made")
    person.check(panel.words.doubt.text(), "a cut prompt marks its transcript as stale")
    person.check(not person.window.compose.generate.isEnabled(), "a stale transcript has to be confirmed")
    person.shot("11-continue-stale")
    person.click(panel.words.confirm_button)
    person.shot("12-continue")
    return generate(person, "continuation")


def record(person: Person, sound: Any) -> None:
    """Record what somebody says into the microphone of the scene, after the count-in."""
    person.click(sound.drop.record_button)
    person.until(sound.record.isVisible, "the microphone is open")
    person.click(sound.record.record_button)
    person.until(lambda: sound.record._recorder.state is RecordState.RECORDING, "the recording runs")
    voice = speak(person.folder / "spoken.wav")
    live(800)
    person.shot("11-recording")
    person.until(lambda: voice.poll() is not None, "all is said")
    live(500)
    person.click(sound.record.stop_button)
    person.until(lambda: sound.examined is not None, "the recording was examined")
    heard = sound.examined.sound.samples
    person.check(float(abs(heard).max()) > 0.05, "the microphone heard somebody")


def save(person: Person) -> str:
    """Ctrl+S, a name, and the file carries its marks."""
    window, path = person.window, person.folder / "continued.wav"
    window.takes_panel.select(person.studio.store.takes[-1])
    person.press(Qt.Key.Key_S, CONTROL)
    person.until(lambda: file_dialogs(person), "a place is asked for")
    (dialog,) = file_dialogs(person)
    dialog.selectFile(str(path))
    dialog.accept()
    person.until(lambda: any(take.saved_as for take in person.studio.store.takes), "the take is saved")
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "verify", "--json", str(path)], capture_output=True, text=True, check=False
    )
    person.check(done.returncode == 0, f"voxcpm verify finds every mark: {done.stdout[-300:]} {done.stderr[-300:]}")
    person.shot("13-saved")
    return str(path)


def file_dialogs(person: Person) -> list[QFileDialog]:
    """The dialogs that ask for a file now."""
    return [one for one in QApplication.topLevelWidgets() if isinstance(one, QFileDialog) and one.isVisible()]


def second(person: Person) -> dict[str, Any]:
    """After a restart everything is there: takes, choice, voice, fields, and they can be used."""
    told = json.loads((person.folder / "story.json").read_text(encoding="utf-8"))
    window, store = person.window, person.studio.store
    person.until(lambda: len(store.takes) >= len(told["takes"]), "the takes are back")
    person.check({take.uid for take in store.takes} >= set(told["takes"]), "every take is there again")
    person.check(window.dialogs._manager is None, "nobody is greeted twice")
    person.check(window.compose.panel.key == "continue", "the panel that was open last is open")
    chosen = store.find(told["compared"]["chosen"])
    person.check(chosen is not None and chosen.chosen, "the choice is still known")
    person.go("voices")
    panel = window.voices_panel
    person.until(panel.unlock_button.isVisible, "the saved voices are locked")
    person.click(panel.unlock_button)
    person.until(lambda: window.voices.passphrase is not None, "the passphrase is asked for")
    person.type(window.voices.passphrase.first, WORDS)
    person.click(window.voices.passphrase.ok)
    person.until(lambda: any(one.voice_id == told["voice"] and one.card for one in listed(panel)), "the voice is there")
    panel.select(told["voice"])
    person.until(panel.buttons["clone"].isEnabled, "the voice may be used")
    person.shot("14-again-voices")
    person.click(panel.buttons["clone"])
    person.until(lambda: person.studio.engine.model is not None, "the model is loaded")
    person.type(window.compose.text, "Here we are again.")
    again = generate(person, "reference")
    person.check(store.find(again).job.voice.voice_id == told["voice"], "the kept voice speaks")
    for uid in told["takes"]:
        take = store.find(uid)
        window.takes_panel.select(take)
        person.until(lambda take=take: not take.is_unread and take.seconds > 0, "the sound of every take is there")
    person.shot("15-again-takes")
    return {"takes": len(store.takes)}


if __name__ == "__main__":
    sys.exit(run_main({"first": first, "second": second}[sys.argv[1]], Path(sys.argv[2])))
