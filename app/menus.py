"""The menu bar: what each entry is called and which keys it has. What it does is connected in the window."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from app.core.settings import Settings
from app.language import LANGUAGES

THEMES = ("system", "light", "dark")
LANGUAGE_CHOICES = ("system", *LANGUAGES)
PICKED = (1, 2, 3)


class Menus(QObject):
    """Fills a menu bar. ``actions`` holds every entry by its key."""

    def __init__(self, bar: QMenuBar, settings: Settings) -> None:
        super().__init__(bar)
        self.actions: dict[str, QAction] = {}
        self._file, self._take, self.dub, self._view, self._help = (bar.addMenu("") for _ in range(5))
        self._fill_file(settings)
        self._fill_take()
        self._fill_dub()
        self._theme = self._view.addMenu("")
        self._language = self._view.addMenu("")
        self._add_choices(self._theme, "theme", THEMES, settings)
        self._add_choices(self._language, "language", LANGUAGE_CHOICES, settings)
        self._add(self._help, "help_data-flow", QKeySequence.StandardKey.HelpContents)
        self._add(self._help, "help_misuse")
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        for menu, text in (
            (self._file, self.tr("&File")),
            (self._take, self.tr("&Take")),
            (self.dub, self.tr("&Dub")),
            (self._view, self.tr("&View")),
            (self._help, self.tr("&Help")),
            (self._theme, self.tr("Theme")),
            (self._language, self.tr("Language")),
        ):
            menu.setTitle(text)
        texts = {
            "open_model": self.tr("Open a model folder…"),
            "models": self.tr("Models and downloads…"),
            "settings": self.tr("Settings…"),
            "data": self.tr("Saved data and backups…"),
            "help_data-flow": self.tr("Where your data goes"),
            "help_misuse": self.tr("When a voice was misused"),
            "load_at_start": self.tr("Load the model at start"),
            "save": self.tr("Save take…"),
            "quit": self.tr("Quit"),
            "generate": self.tr("Generate"),
            "stop": self.tr("Stop"),
            "play": self.tr("Play or pause"),
            "pick_1": self.tr("Pick take 1"),
            "pick_2": self.tr("Pick take 2"),
            "pick_3": self.tr("Pick take 3"),
            "compare": self.tr("Compare takes"),
            "blind": self.tr("Compare blind"),
            "use": self.tr("Use the take that is heard"),
            "copy_take": self.tr("Copy take as a file"),
            "paste_audio": self.tr("Paste a recording"),
            "sheet": self.tr("Save a listening sheet…"),
            "hear_watermark": self.tr("Hear the watermark…"),
            "verify": self.tr("Look for the marks of a file…"),
            "join": self.tr("Join phrases of the selected takes…"),
            "reproduce": self.tr("Reproduce take"),
            "to_bin": self.tr("Move take to the bin"),
            "undo_bin": self.tr("Take back the last move to the bin"),
            "look_again": self.tr("Look for sound devices again"),
            "forget": self.tr("Forget all takes…"),
            **self._dub_texts(),
            "theme_system": self.tr("Follow the system"),
            "theme_light": self.tr("Light"),
            "theme_dark": self.tr("Dark"),
            "language_system": self.tr("Follow the system"),
            **{f"language_{code}": name for code, name in LANGUAGES.items()},
        }
        for key, action in self.actions.items():
            action.setText(texts[key])

    def show_choice(self, setting: str, choice: str) -> None:
        """Tick the entry of a choice that was made elsewhere."""
        self.actions[f"{setting}_{choice}"].setChecked(True)

    def _fill_file(self, settings: Settings) -> None:
        self._add(self._file, "open_model", QKeySequence.StandardKey.Open)
        self._add(self._file, "models", "Ctrl+M")
        self._add(self._file, "load_at_start")
        self.actions["load_at_start"].setCheckable(True)
        self.actions["load_at_start"].setChecked(settings.get("load_at_start"))
        self._file.addSeparator()
        self._add(self._file, "save", QKeySequence.StandardKey.Save)
        self._add(self._file, "verify")
        self._file.addSeparator()
        self._add(self._file, "settings", "Ctrl+,")
        self._add(self._file, "data")
        self._file.addSeparator()
        self._add(self._file, "quit", QKeySequence.StandardKey.Quit)

    def _fill_take(self) -> None:
        self._add(self._take, "generate", "Ctrl+Return", "Ctrl+Enter")
        self._add(self._take, "stop", "Esc")
        self._take.addSeparator()
        self._add(self._take, "play", "Space")
        for number in PICKED:
            self._add(self._take, f"pick_{number}", str(number))
        self._take.addSeparator()
        self._add(self._take, "compare", "C")
        self._add(self._take, "blind", "X")
        self._add(self._take, "use", "U")
        self._take.addSeparator()
        self._add(self._take, "copy_take", "Ctrl+Shift+C")
        self._add(self._take, "paste_audio", "Ctrl+Shift+V")
        self._add(self._take, "join", "Ctrl+J")
        self._add(self._take, "sheet")
        self._add(self._take, "hear_watermark")
        self._take.addSeparator()
        self._add(self._take, "reproduce")
        self._add(self._take, "to_bin")
        self._add(self._take, "undo_bin", QKeySequence.StandardKey.Undo)
        self._take.addSeparator()
        self._add(self._take, "look_again")
        self._take.addSeparator()
        self._add(self._take, "forget")

    def _dub_texts(self) -> dict[str, str]:
        return {
            "dub_open": self.tr("Open subtitles or a script…"),
            "dub_sound": self.tr("Choose the original sound…"),
            "dub_no_sound": self.tr("Remove the original sound"),
            "dub_words": self.tr("How words are said…"),
            "dub_export": self.tr("Mix and export…"),
            "dub_redo_step": self.tr("Do again"),
            "dub_listen_on": self.tr("Listen from the playhead on"),
            "dub_original": self.tr("Listen to the original of the cue"),
            "dub_redo": self.tr("Make another take of the cue"),
            "dub_split": self.tr("Split the cue"),
            "dub_merge": self.tr("Merge the cue with the next one"),
            "dub_delete": self.tr("Delete the cue"),
            "dub_write": self.tr("Write the text of the cue"),
            "dub_next": self.tr("Next cue"),
            "dub_before": self.tr("Cue before"),
            "dub_problem": self.tr("Next cue to look at"),
            "dub_problem_before": self.tr("Cue to look at before"),
            "dub_earlier": self.tr("Move the cue earlier"),
            "dub_later": self.tr("Move the cue later"),
            "dub_shorter": self.tr("Make the cue shorter"),
            "dub_longer": self.tr("Make the cue longer"),
            "dub_zoom_in": self.tr("Zoom in"),
            "dub_zoom_out": self.tr("Zoom out"),
            "dub_zoom_all": self.tr("Show all cues"),
        }

    def _fill_dub(self) -> None:
        groups: tuple[tuple[tuple[str, str], ...], ...] = (
            (("dub_open", "Ctrl+Shift+O"), ("dub_sound", "Ctrl+B"), ("dub_no_sound", ""), ("dub_words", "Ctrl+D"),
             ("dub_export", "Ctrl+E")),
            (("dub_redo_step", "Ctrl+Shift+Z"),),
            (("dub_listen_on", "P"), ("dub_original", "O"), ("dub_redo", "R")),
            (("dub_write", "F2"), ("dub_split", "S"), ("dub_merge", "M"), ("dub_delete", "Del")),
            (("dub_next", "Ctrl+Down"), ("dub_before", "Ctrl+Up"), ("dub_problem", "N"),
             ("dub_problem_before", "Shift+N")),
            (("dub_earlier", "Alt+Left"), ("dub_later", "Alt+Right"), ("dub_shorter", "Alt+Shift+Left"),
             ("dub_longer", "Alt+Shift+Right")),
            (("dub_zoom_in", "Ctrl++"), ("dub_zoom_out", "Ctrl+-"), ("dub_zoom_all", "Ctrl+0")),
        )  # fmt: skip
        for number, group in enumerate(groups):
            if number:
                self.dub.addSeparator()
            for key, keys in group:
                self._add(self.dub, key, *filter(None, [keys]))

    def _add(self, menu: QMenu, key: str, *keys: str | QKeySequence.StandardKey) -> None:
        action = QAction(self)
        action.setShortcuts([QKeySequence(entry) for entry in keys])
        menu.addAction(action)
        self.actions[key] = action

    def _add_choices(self, menu: QMenu, setting: str, choices: tuple[str, ...], settings: Settings) -> None:
        group = QActionGroup(self)
        for choice in choices:
            self._add(menu, f"{setting}_{choice}")
            action = self.actions[f"{setting}_{choice}"]
            action.setCheckable(True)
            action.setChecked(settings.get(setting) == choice)
            group.addAction(action)
