"""Every panel and dialog in both languages, light and dark, looked at: ``-m tests.e2e.pictures SCALE FOLDER``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QDialog, QMessageBox, QWidget

from app.core.consent.explain import explain_lines
from app.core.settings_table import TABLE
from tests.e2e.driver import Person, live, run_main
from tests.e2e.story import DESCRIPTION, SPOKEN, TEXT, agree

FREE = ("explain.statement", "explain.note", "explain.operator")  # sentences with people's own words
SIZE = (1280, 860)  # logical pixels; at 200 % on a screen of twice that


def tour(person: Person, scale: int) -> dict[str, Any]:
    """Bring the window into every state and look at each."""
    person.window.resize(*SIZE)
    person.until(lambda: person.studio.engine.model is not None, "the model is loaded")
    person.window.dialogs.manager.close()
    person.own_words = [TEXT, DESCRIPTION, SPOKEN, "spoken faulty wav warm evening", *own_words(person)]
    fill(person)
    for language in ("en", "zh_CN"):
        for theme in ("light", "dark"):
            person.window.menus.actions[f"language_{language}"].trigger()
            person.window.menus.actions[f"theme_{theme}"].trigger()
            live(200)
            for name, show in {**PANELS, **DIALOGS}.items():
                root = show(person)
                live(400)
                person.look(root, f"{name}-{language}-{theme}-{scale}", chinese=language == "zh_CN")
                if isinstance(root, QDialog):
                    root.reject()
                    live(50)
    person.window.menus.actions["language_en"].trigger()
    person.window.menus.actions["theme_system"].trigger()
    return {"scale": scale}


def own_words(person: Person) -> list[str]:
    """What is called by a name of its own here: devices, folders, models."""
    model = person.studio.engine.model
    names = [person.studio.player.device_name, str(Path.home()), model.folder, model.name, model.device, model.dtype]
    return names + [setting.variable for setting in TABLE] + shipped_words(person)


def shipped_words(person: Person) -> list[str]:
    """What the voices that ship are called, and what their records say in the words of those who made them."""
    voices = person.studio.library.voices
    words = ["anyone who has this studio"]
    for voice in voices.all():
        record = voices.record(voice.voice_id)
        words += [voice.name, *(voice.card.tags if voice.card else ())]
        words += [line.values.get("name", "") for line in explain_lines(record)] if record else []
        words += [line.message for line in explain_lines(record) if line.code in FREE] if record else []
    return words


def fill(person: Person) -> None:
    """Three takes, a recording in each panel."""
    compose = person.window.compose
    person.type(compose.design.edit, DESCRIPTION)
    person.type(compose.text, TEXT)
    compose.takes.setValue(3)
    person.window.generate()
    person.until(lambda: len(person.studio.store.takes) >= 3 and person.studio.engine.job is None, "takes are made")
    for key in ("clone", "continue"):
        person.go(key)
        panel = compose.panel
        person.drop(panel.drop, person.folder / "spoken.wav")
        person.until(lambda panel=panel: panel.sound.examined is not None, "the recording was read")
        agree(person, panel)
    compose.continue_.transcript.setPlainText(SPOKEN)
    person.studio.player.stop()


def panel(key: str, person: Person) -> QWidget:
    """Show a panel."""
    person.window.rail_button(key).click()
    if key == "voices":
        voices = person.window.voices_panel
        person.until(lambda: voices.model.rowCount() > 0, "the voices are listed")
        voices.list.setCurrentIndex(voices.model.index(0))
    return person.window


def advanced(person: Person) -> QWidget:
    """The advanced settings, unfolded."""
    person.window.rail_button("design").click()
    if not person.window.compose.advanced.isVisible():
        person.window.compose.advanced_fold.button.click()
    return person.window


def folded(show: Callable[[Person], QWidget]) -> Callable[[Person], QWidget]:
    """As ``show``, with the advanced settings folded away."""

    def shown(person: Person) -> QWidget:
        if person.window.compose.advanced_fold.button.isChecked():
            person.window.compose.advanced_fold.button.click()
        return show(person)

    return shown


def notice(person: Person) -> QWidget:
    """What is said when something goes wrong, unfolded."""
    from app.core.messages import Failure

    person.window.rail_button("design").click()
    person.window.notice.show_failure(Failure("The disk has 1.0 GB left.", details="Traceback: …", code="disk"))
    person.own_words += ["The disk has 1.0 GB left.", "Traceback"]
    return person.window


def models(person: Person) -> QWidget:
    """The window of the models, with what a published one needs."""
    person.window.notice.hide()
    dialogs = person.window.dialogs
    dialogs.show_models(greeting=True)
    dialogs.manager.list.setCurrentRow(1)
    person.until(lambda: dialogs.manager.facts.machine is not None, "the machine is known")
    return dialogs.manager


def settings(tab: int, person: Person) -> QWidget:
    """A page of the settings."""
    dialog = person.window.dialogs.settings_dialog
    person.window.dialogs.show_settings()
    dialog.tabs.setCurrentIndex(tab)
    return dialog


def save_voice(person: Person) -> QWidget:
    """The record of another person's consent."""
    person.window.rail_button("clone").click()
    person.window.compose.clone.pick.save_button.click()
    dialog = person.window.voices.save_dialog
    dialog.other.click()
    dialog.minor.click()
    return dialog


def passphrase(known: bool, person: Person) -> QWidget:
    """The question for the passphrase."""
    person.window.voices._ask_for_keys(known)
    return person.window.voices.passphrase


def question(person: Person) -> QWidget:
    """What is asked before takes are gone for good."""
    person.window.menus.actions["forget"].trigger()
    return next(one for one in person.window.findChildren(QMessageBox) if one.isVisible())


PANELS: dict[str, Callable[[Person], QWidget]] = {
    "design": folded(partial(panel, "design")),
    "advanced": advanced,
    "clone": folded(partial(panel, "clone")),
    "continue": folded(partial(panel, "continue")),
    "voices": folded(partial(panel, "voices")),
    "notice": notice,
}
DIALOGS: dict[str, Callable[[Person], QWidget]] = {
    "models": models,
    **{f"settings-{tab}": partial(settings, tab) for tab in range(6)},
    "save-voice": save_voice,
    "passphrase": partial(passphrase, False),
    "passphrase-known": partial(passphrase, True),
    "question": question,
}

if __name__ == "__main__":
    sys.exit(run_main(lambda person: tour(person, int(sys.argv[1])), Path(sys.argv[2])))
