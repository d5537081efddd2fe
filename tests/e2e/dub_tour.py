"""Tour of the dubbing panel with the keyboard alone, with pictures and a critical look at each.

    python tests/e2e/dub_tour.py --out FOLDER

Starts an X display (Xvfb) and a PulseAudio server of its own and runs the real main() with the demo voice: subtitles
are opened over a film, cast, made, listened to, redone, chosen, written, split, merged, moved, taken back; the program
is killed while it makes takes and started again, where the project is back, nothing finished is made again, and the mix
is exported. Not once is the mouse used. Then the panel and its dialogs in both languages, light and dark, at 100 and
200 %. FOLDER gets the pictures and ``dub_tour.json``; the exit code is 0 when everything held. Needs Xvfb, pulseaudio
and ffmpeg.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]

from desktop import missing_programs, null_sink, x_display  # noqa: E402
from PySide6.QtCore import Qt  # noqa: E402
from PySide6.QtTest import QTest  # noqa: E402
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QWidget  # noqa: E402

from app.core.dubbing.reading import read_cues  # noqa: E402
from tests.e2e.driver import Person, clean_environment, live, run_main  # noqa: E402

LINES = (
    ("Ann", "Good evening. The last train leaves at ten."), ("Bob", "Then we have an hour."),
    ("Ann", "We could walk to the river, and see whether the boats are still there."), ("Bob", "In this rain?"),
    ("Ann", "It is not raining any more."), ("Bob", "So it is."), ("Ann", "Come on."), ("Bob", "One moment, please."),
    ("Ann", "The boats are gone."), ("Bob", "Nobody told us that they would leave before the winter."),
    ("Ann", "Listen. There is the train."), ("Bob", "That was the last one."),
)  # fmt: skip
CHANGED = "A text that was changed and is far too long by now, all in all."
SLOT = 4  # seconds between the starts of cues
NONE, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
KEY = Qt.Key
SIZE = (1280, 860)
SCALES = (100, 200)


def main() -> int:
    """Take the tour; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="where the pictures go")
    parser.add_argument("--only", choices=("story", "pictures"), help="take one half alone")
    parser.add_argument("--part", nargs=2, metavar=("PART", "VALUE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = arguments.out.resolve()
    if arguments.part:
        part, value = arguments.part
        drive = {"work": work, "again": again, "pictures": lambda person: pictures(person, int(value))}[part]
        return run_main(drive, folder)
    missing = missing_programs("Xvfb", "pulseaudio", "pactl", "ffmpeg")
    if missing:
        sys.stderr.write(f"not installed: {', '.join(missing)}\n")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    verdict: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="dub-tour-") as home, x_display("2600x1800"), null_sink():
        set_scene(Path(home))
        environment = {**clean_environment(Path(home)), "PYTHONPATH": str(ROOT), "TOUR_HOME": home}
        if arguments.only != "pictures":
            verdict["work"] = run("work", "", folder, environment, killed=True)
            verdict["again"] = run("again", "", folder, environment)
            verdict["mix"] = look_at_mix(Path(home))
        if arguments.only != "story":
            for scale in SCALES:
                scaled = {**environment, "VOXCPM_SCALE": str(scale)}
                verdict[f"pictures {scale} %"] = run("pictures", str(scale), folder, scaled)
    failures = [f"{part}: {one}" for part, told in verdict.items() for one in told["failures"]]
    verdict["passed"] = not failures
    (folder / "dub_tour.json").write_text(json.dumps(verdict, ensure_ascii=False, indent=1), encoding="utf-8")
    sys.stdout.write("\n".join([*failures, f"{'passed' if not failures else 'failed'}: {folder / 'dub_tour.json'}\n"]))
    return 1 if failures else 0


def run(part: str, value: str, folder: Path, environment: dict[str, str], *, killed: bool = False) -> dict[str, Any]:
    """Run a part in a process of its own; what it told, with its failures. ``killed``: it is to end by SIGKILL."""
    done = subprocess.run(
        [sys.executable, __file__, "--out", str(folder), "--part", part, value],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    told: dict[str, Any] = json.loads(lines[-1]) if lines else {"failures": ["nothing was told"]}
    if done.returncode != (-signal.SIGKILL if killed else 0) and not told["failures"]:
        told["failures"].append(f"exit code {done.returncode}")
    if told["failures"]:
        told["stderr"] = done.stderr[-4000:]
    return told


def set_scene(home: Path) -> None:
    """Subtitles with names, one of them odd, and a film for them."""
    blocks = []
    for number, (name, text) in enumerate(LINES):
        start = 1 + SLOT * number
        blocks.append(f"{clock(start)} --> {clock(start + SLOT - 1)}\n<v {name}>{text}\n")
    (home / "film.vtt").write_text("WEBVTT\n\n" + "\n".join(blocks) + "\n01:00.000 --> 00:59.000\n...\n")
    argv = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=320x180:r=10:d=52", "-f", "lavfi", "-i",
            "sine=f=110:d=52,volume=0.2", "-c:a", "pcm_s16le", "-c:v", "mpeg4", str(home / "film.mkv")]  # fmt: skip
    subprocess.run(argv, check=True)


def clock(seconds: int) -> str:
    """A time of WebVTT."""
    return f"{seconds // 60:02}:{seconds % 60:02}.000"


# The story -----------------------------------------------------------------------------------------------------------


class Typist:
    """Somebody without a mouse: every key goes to whatever has the focus."""

    def __init__(self, person: Person) -> None:
        self.person, self.window = person, person.window
        self.dub, self.panel = person.window.dub, person.window.dub.panel

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE, times: int = 1) -> None:
        """Press a key."""
        for _ in range(times):
            QTest.keyClick(QApplication.focusWidget() or self.window, key, modifiers)

    def write(self, text: str) -> None:
        """Type a text."""
        QTest.keyClicks(QApplication.focusWidget(), text)

    def until(self, ready: Any, what: str) -> None:
        """Wait."""
        self.person.until(ready, what)

    def tab_to(self, widget: QWidget, what: str) -> None:
        """Press Tab until a widget has the focus."""
        for _ in range(120):
            if not widget.isActiveWindow():  # a window that closed late took the front along
                widget.window().activateWindow()
                self.until(widget.isActiveWindow, f"the window with {what} is in front")
            if widget.hasFocus():
                return
            self.key(KEY.Key_Tab)
        last = QApplication.focusWidget()
        self.person.check(False, f"Tab leads to {what}, and not to {last and (last.accessibleName() or last)}")
        widget.setFocus()

    def answer_file(self, path: Path) -> None:
        """Type a path into the file dialog that is open."""
        self.until(lambda: self._dialogs(QFileDialog), "the file dialog is open")
        (dialog,) = self._dialogs(QFileDialog)
        field = next(line for line in dialog.findChildren(QLineEdit) if line.objectName() == "fileNameEdit")
        self.until(field.hasFocus, "the name can be typed")
        self.write(str(path))
        self.key(KEY.Key_Return)
        self.until(lambda: not self._dialogs(QFileDialog), "the file dialog is closed")
        self.to_front()

    def close(self, dialog: QDialog) -> None:
        """Close a dialog."""
        dialog.activateWindow()
        self.until(dialog.isActiveWindow, "the dialog is in front")
        self.key(KEY.Key_Escape)
        self.until(lambda: not dialog.isVisible(), "the dialog is closed")
        self.to_front()

    def to_front(self) -> None:
        """What a window manager does when a dialog is closed: there is none here."""
        self.window.activateWindow()
        self.until(self.window.isActiveWindow, "the window is in front")

    def idle(self) -> None:
        """Wait until nothing long runs."""
        self.until(lambda: not self.panel.is_busy, "nothing long runs any more")

    def _dialogs(self, kind: type) -> list[Any]:
        return [one for one in self.window.findChildren(kind) if one.isVisible()]


def home() -> Path:
    """Where the files of the tour are."""
    return Path(os.environ["TOUR_HOME"])


def go_to_dub(typist: Typist) -> None:
    """From the window to the panel."""
    person = typist.person
    person.until(lambda: person.studio.engine.model is not None, "the model is loaded")
    person.window.dialogs.manager.close()
    person.window.resize(*SIZE)
    typist.to_front()
    rail = [person.window.rail_button(key) for key in ("design", "clone", "continue", "dub")]
    typist.tab_to(next(button for button in rail if button.isChecked()), "the rail")
    for _ in rail:  # the arrows go from button to button
        if not rail[-1].isChecked():
            typist.key(KEY.Key_Down)
    typist.until(typist.panel.isVisible, "the panel is there")


def work(person: Person) -> dict[str, Any]:
    """Everything up to the kill."""
    typist = Typist(person)
    dub, panel = typist.dub, typist.panel
    go_to_dub(typist)
    person.shot("dub-01-empty")
    typist.key(KEY.Key_O, CONTROL | SHIFT)
    typist.answer_file(home() / "film.vtt")
    typist.until(lambda: dub.dialogs.report is not None, "the report is there")
    person.shot("dub-02-report", dub.dialogs.report)
    typist.close(dub.dialogs.report)
    typist.until(lambda: len(dub.overview.states) == len(LINES), "the cues are there")
    typist.until(panel.table.hasFocus, "the list has the keys")
    typist.key(KEY.Key_B, CONTROL)
    typist.answer_file(home() / "film.mkv")
    typist.until(lambda: dub.listening.sound is not None, "the sound of the film is there")
    typist.until(panel.card.frame.isVisible, "a picture of the film is there")
    cast(typist)
    choose_and_write(typist)
    person.shot("dub-06-edited")
    make_and_kill(typist)
    return {}


def cast(typist: Typist) -> None:
    """A saved voice for one character, chosen with the arrows."""
    dub, panel = typist.dub, typist.panel
    typist.tab_to(panel.tabs.tabBar(), "the tabs")
    typist.key(KEY.Key_Right)
    typist.until(panel.cast.isVisible, "the cast is there")
    field = panel.cast.voice_field("Bob")
    typist.until(lambda: panel.cast.voice_field("Bob").count() > 1, "the voices are listed")
    typist.tab_to(panel.cast.voice_field("Bob"), "the voice of Bob")
    typist.key(KEY.Key_Down)
    typist.until(lambda: dub.overview.dub.cast["Bob"].voice, "Bob has a voice")
    typist.person.check(field is panel.cast.voice_field("Bob"), "the table was not built anew")
    typist.person.shot("dub-03-cast")
    typist.key(KEY.Key_Z, CONTROL)
    typist.until(lambda: not dub.overview.dub.cast["Bob"].voice, "undo takes the voice back")
    typist.tab_to(panel.tabs.tabBar(), "the tabs")
    typist.key(KEY.Key_Left)


def choose_and_write(typist: Typist) -> None:
    """R redoes, Space listens, the digits pick; texts are written, split, merged, moved, and taken back."""
    dub, panel, person = typist.dub, typist.panel, typist.person
    typist.tab_to(panel.table, "the list")
    typist.key(KEY.Key_R)
    typist.until(lambda: len(dub.overview.states[0].cue.takes) == 1 and not panel.is_busy, "the first take is made")
    typist.key(KEY.Key_R)
    typist.until(lambda: len(dub.overview.states[0].cue.takes) == 2 and not panel.is_busy, "another take is made")
    first, second = dub.overview.states[0].cue.takes
    person.check(dub.overview.states[0].cue.chosen == second.take, "the new take is heard")
    typist.key(KEY.Key_1)
    person.check(dub.overview.states[0].cue.chosen == first.take, "1 picks the first")
    typist.until(lambda: person.studio.player.is_active or person.studio.player.unavailable, "it is heard")
    typist.key(KEY.Key_Space)
    person.check(not person.studio.player.is_active, "Space is quiet")
    person.shot("dub-04-picked")
    typist.key(KEY.Key_Down)
    typist.key(KEY.Key_F2)
    typist.until(panel.card.text.hasFocus, "the text can be written")
    typist.key(KEY.Key_End, CONTROL)
    typist.write(" Or [pause 0.5s] two.")
    typist.until(lambda: dub.overview.states[1].cue.text.endswith("two."), "the text is written")
    typist.key(KEY.Key_Down, CONTROL)
    person.check(panel.table.currentIndex().row() == 2, "Ctrl+Down goes to the next cue")
    typist.tab_to(panel.table, "the list")
    count = len(LINES)
    typist.key(KEY.Key_S)
    person.check(len(dub.overview.states) == count + 1, "S splits")
    typist.key(KEY.Key_Up)
    typist.key(KEY.Key_M)
    person.check(len(dub.overview.states) == count, "M merges")
    start = dub.overview.states[2].cue.start
    typist.key(KEY.Key_Right, ALT, times=2)
    person.check(dub.overview.states[2].cue.start == start + 100, "Alt+Right moves")
    typist.key(KEY.Key_Z, CONTROL, times=4)
    person.check(dub.overview.states[2].cue.start == start, "Ctrl+Z takes it back")
    words(typist)


def words(typist: Typist) -> None:
    """The dictionary."""
    dub = typist.dub
    typist.key(KEY.Key_D, CONTROL)
    typist.until(lambda: dub.dialogs.words is not None and dub.dialogs.words.isVisible(), "the dictionary is there")
    dialog = dub.dialogs.words
    typist.until(dialog.isActiveWindow, "the dictionary is in front")
    typist.tab_to(dialog.word, "the word")
    typist.write("river")
    typist.key(KEY.Key_Tab)
    typist.write("rivver")
    typist.key(KEY.Key_Return)
    typist.person.check(dub.overview.dub.words == {"river": "rivver"}, "the word counts")
    typist.person.check(dialog.changed.count() == 1, "the dictionary shows what it changed")
    typist.person.shot("dub-05-words", dialog)
    typist.close(dialog)


def make_and_kill(typist: Typist) -> None:
    """Ctrl+Return makes; when half of it is there, the program is killed."""
    dub = typist.dub
    typist.tab_to(typist.panel.table, "the list")
    typist.key(KEY.Key_Return, CONTROL)
    typist.until(lambda: typist.panel.is_busy, "takes are being made")
    typist.until(lambda: len(dub.overview.to_make) <= len(LINES) - 5, "some are made")
    takes = {state.cue.cue_id: state.cue.chosen for state in dub.overview.states if state.cue.chosen}
    (home() / "made.json").write_text(json.dumps(takes))
    sys.stdout.write(json.dumps({"failures": typist.person.failures, "pictures": typist.person.pictures}) + "\n")
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def again(person: Person) -> dict[str, Any]:
    """After the kill: everything is back, the rest is made, and the mix leaves."""
    typist = Typist(person)
    dub, panel = typist.dub, typist.panel
    go_to_dub(typist)
    typist.until(lambda: dub.dubbing is not None, "the project is back")
    made = json.loads((home() / "made.json").read_text())
    person.check(dub.overview.states[1].cue.text.endswith("two."), "what was written is there")
    person.check(
        all(dub.overview.by_id[cue].cue.chosen == take for cue, take in made.items()), "what was made is there"
    )
    typist.until(panel.table.hasFocus, "the list has the keys")
    left = len(dub.overview.to_make)
    typist.key(KEY.Key_Return, CONTROL)
    typist.until(lambda: not dub.overview.to_make and not panel.is_busy, "the rest is made")
    counts = [len(state.cue.takes) for state in dub.overview.states]
    person.check(counts == [2] + [1] * (len(LINES) - 1), f"no finished cue was made again: {counts}")
    typist.key(KEY.Key_P)
    typist.until(lambda: person.studio.player.is_active or person.studio.player.unavailable, "P listens on")
    person.shot("dub-07-made")
    typist.key(KEY.Key_Escape)
    typist.key(KEY.Key_N)
    typist.key(KEY.Key_E, CONTROL)
    typist.until(lambda: dub.dialogs.exporting is not None, "the dialog is there")
    dialog = dub.dialogs.exporting
    typist.until(dialog.isActiveWindow, "the dialog is in front")
    typist.tab_to(dialog.out, "the file")
    dialog.out.selectAll()
    typist.write(str(home() / "mix.flac"))
    typist.tab_to(dialog.subtitles, "the subtitles")
    typist.key(KEY.Key_Space)
    person.check(dialog.subtitles.isChecked(), "Space ticks the subtitles")
    person.shot("dub-08-export", dialog)
    typist.key(KEY.Key_Return)
    typist.until(lambda: not panel.is_busy and person.window.notice.message, "the mix is written")
    person.check("Saved" in person.window.notice.message, person.window.notice.message)
    person.shot("dub-09-exported")
    typist.to_front()
    typist.key(KEY.Key_Q, CONTROL)
    typist.until(lambda: not person.window.isVisible(), "Ctrl+Q quits")
    return {"made_before": len(made), "left": left}


def look_at_mix(place: Path) -> dict[str, Any]:
    """The files that came out."""
    import soundfile

    failures = []
    mix, subtitles = place / "mix.flac", place / "mix.srt"
    if not mix.is_file() or not subtitles.is_file():
        return {"failures": ["the mix or its subtitles are missing"]}
    info = soundfile.info(mix)
    if info.duration < SLOT * (len(LINES) - 1):
        failures.append(f"the mix has {info.duration:.1f} s")
    if subtitles.read_text("utf-8").count("-->") != len(LINES) + 1:  # one cue has a pause in it, and two rows
        failures.append("the subtitles do not have every cue")
    return {"failures": failures, "seconds": info.duration}


# The pictures --------------------------------------------------------------------------------------------------------


def pictures(person: Person, scale: int) -> dict[str, Any]:
    """The panel and its dialogs in both languages, light and dark."""
    dub, panel, window = person.window.dub, person.window.dub.panel, person.window
    person.window.resize(*SIZE)
    person.until(lambda: person.studio.engine.model is not None, "the model is loaded")
    window.dialogs.manager.close()
    window.rail_button("dub").click()
    live(300)
    if dub.dubbing is None and not person.studio.settings.get("dub_open"):
        dub.open(str(home() / "film.vtt"))
    person.until(lambda: dub.dubbing is not None and not panel.is_busy, "the project is open")
    if dub.dialogs.report is not None:
        dub.dialogs.report.close()
    if dub.overview.dub.sound is None:
        dub.take_sound(str(home() / "film.mkv"))
    person.until(lambda: dub.listening.sound is not None and panel.card.frame.isVisible(), "the film is there")
    film = home() / "film.vtt"  # a project that comes back has no report of its own
    dub.dialogs.remarks = read_cues(film.read_bytes(), film.name).remarks
    dub.dub.refresh()
    first = dub.overview.states[0].cue
    dub.dub.change(lambda dubbing: dubbing.write(first.cue_id, CHANGED))
    own = "Ann Bob film mkv Or two rivver mix wav number character cue take start end pause float Alt"
    person.own_words = [*(text for _, text in LINES), own, CHANGED, str(home()), person.studio.engine.model.name]
    person.own_words += [*shipped(person), *person.window.dub._settings.get("words")]
    for language in ("en", "zh_CN"):
        for theme in ("light", "dark"):
            window.menus.actions[f"language_{language}"].trigger()
            window.menus.actions[f"theme_{theme}"].trigger()
            live(300)
            for name, show in SHOWN.items():
                root = show(person)
                live(300)
                person.look(root, f"{name}-{language}-{theme}-{scale}", chinese=language == "zh_CN")
                if isinstance(root, QDialog):
                    root.close()
                    live(50)
    window.menus.actions["language_en"].trigger()
    dub.undo()
    return {"scale": scale}


def shipped(person: Person) -> list[str]:
    """The names of the voices that came with the studio."""
    return [voice.name for voice in person.studio.library.voices.shipped.all()]


def _tab(index: int) -> Any:
    def show(person: Person) -> QWidget:
        panel = person.window.dub.panel
        panel.tabs.setCurrentIndex(index)
        panel.table.selectRow(0)
        return person.window

    return show


def _dialog(act: str, name: str) -> Any:
    def show(person: Person) -> QWidget:
        getattr(person.window.dub.dialogs, act)()
        return getattr(person.window.dub.dialogs, name)

    return show


SHOWN = {
    "dub": _tab(0),
    "dub-cast": _tab(1),
    "dub-words": _dialog("show_words", "words"),
    "dub-report": _dialog("show_report", "report"),
    "dub-export": _dialog("ask_export", "exporting"),
}

if __name__ == "__main__":
    sys.exit(main())
