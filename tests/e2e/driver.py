"""Runs the real main() and works its window as a person does: with the mouse, with keys, and by looking."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEventLoop, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QRadioButton, QWidget

import app.__main__ as program
from app.application import Application
from tests.e2e import looks

PATIENCE_SECONDS = float(os.environ.get("TOUR_PATIENCE", "180"))
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class Person:
    """Somebody at the window. What did not hold is in ``failures``, pictures lie in ``folder``."""

    def __init__(self, studio: Application, folder: Path) -> None:
        self.studio, self.folder = studio, folder
        self.window = studio.window
        self.failures: list[str] = []
        self.pictures = 0
        self.own_words: list[str] = []  # what may stand there in any language

    # Looking -----------------------------------------------------------------------------------------------------

    def check(self, held: object, what: str) -> None:
        """Note what did not hold."""
        if not held:
            self.failures.append(what)

    def until(self, ready: Callable[[], object], what: str) -> None:
        """Wait, with the window alive."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not ready():
            if time.monotonic() > until:
                raise RuntimeError(f"waited in vain until {what}")
            live(20)

    def look(self, root: QWidget, name: str, *, chinese: bool) -> None:
        """Take a picture, and look at it with a critical eye."""
        root.grab().save(str(self.folder / f"{name}.png"))
        self.pictures += 1
        found = [f"cut off: {one}" for one in looks.clipped(root)]
        found += [f"hard to read: {one}" for one in looks.hard_to_read(root)]
        if chinese:
            found += [f"not translated: {one}" for one in looks.untranslated(root, self.own_words)]
        self.failures += [f"{name}: {one}" for one in found]

    def shot(self, name: str, root: QWidget | None = None) -> None:
        """Take a picture of the story, which is told in English."""
        live(200)
        self.look(root or self.window, name, chinese=False)

    # Doing -------------------------------------------------------------------------------------------------------

    def click(self, widget: QWidget) -> None:
        """Press a button where a person would; it has to be there and enabled."""
        self.until(lambda: widget.isVisible() and widget.isEnabled(), f"{widget.accessibleName()!r} can be pressed")
        place = widget.rect().center()
        if isinstance(widget, QCheckBox | QRadioButton):  # these answer on their mark and text, at the left
            place = QPoint(widget.height() // 2, widget.height() // 2)
        QTest.mouseClick(widget, LEFT, NONE, place)

    def type(self, field: QWidget, text: str) -> None:
        """Write a text into a field, in place of what is there."""
        target = field.viewport() if hasattr(field, "viewport") else field
        QTest.mouseClick(target, LEFT)
        field.selectAll()  # type: ignore[attr-defined]
        QTest.keyClicks(field, text)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        """Press a key in the window; without a window manager it has to be brought to the front first."""
        self.window.activateWindow()
        self.until(self.window.isActiveWindow, "the window is in front")
        QTest.keyClick(self.window, key, modifiers)

    def go(self, panel: str) -> None:
        """Go to a panel."""
        self.click(self.window.rail_button(panel))

    def drop(self, area: QWidget, path: Path) -> None:
        """Let a file fall on a drop area."""
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path))])
        place = area.rect().center()
        enter = QDragEnterEvent(place, Qt.DropAction.CopyAction, mime, LEFT, NONE)
        QApplication.sendEvent(area, enter)
        self.check(enter.isAccepted(), f"{path.name} may be dropped")
        QApplication.sendEvent(area, QDropEvent(QPointF(place), Qt.DropAction.CopyAction, mime, LEFT, NONE))


def live(milliseconds: int) -> None:
    """Let the window live for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def run_main(drive: Callable[[Person], dict[str, Any]], folder: Path) -> int:
    """Run the real ``main()``; once the window stands there, ``drive`` works it, and the window is closed.

    One JSON line on stdout tells how it went.
    """
    verdict: dict[str, Any] = {"failures": []}

    class Driven(Application):
        def show(self) -> None:
            super().show()
            QTimer.singleShot(0, lambda: self._drive())

        def _drive(self) -> None:
            person = Person(self, folder)
            try:
                person.until(lambda: self.window.was_painted, "the window is painted")
                verdict.update(drive(person))
            except Exception:
                person.failures.append(traceback.format_exc(limit=-6))
                person.window.grab().save(str(folder / "failed.png"))
            verdict["failures"] += person.failures
            verdict["pictures"] = person.pictures
            self.window.close()
            verdict["ended_cleanly"] = self.ended_cleanly
            if not self.ended_cleanly:
                verdict["failures"].append("the window did not close in time")
            sys.stdout.write(json.dumps(verdict, ensure_ascii=False) + "\n")
            sys.stdout.flush()

    program.Application = Driven  # type: ignore[misc]
    code = program.main([])
    return 1 if verdict["failures"] else code


def clean_environment(home: Path) -> dict[str, str]:
    """The environment of somebody who has never started the studio: own folders, no keyring."""
    folders = {"HOME": home, "XDG_CONFIG_HOME": home / "config", "XDG_DATA_HOME": home / "data"}
    folders |= {"XDG_CACHE_HOME": home / "cache", "XDG_STATE_HOME": home / "state"}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VOXCPM_")}
    return {
        **kept, **{name: str(folder) for name, folder in folders.items()}, "QT_QPA_PLATFORM": "xcb",
        "LC_ALL": "C.UTF-8", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }  # fmt: skip
