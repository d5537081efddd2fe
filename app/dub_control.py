"""Dubbing in the window: the open project, every edit of it, and what else a person does in the panel."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from app.audio.player import Player
from app.core.dubbing.cues import Role
from app.core.dubbing.editing import Dubbing, EditError
from app.core.dubbing.fit import FitRules
from app.core.dubbing.imported import Remark
from app.core.dubbing.opening import Opened
from app.core.dubbing.overview import Overview, look
from app.core.library import Library
from app.core.messages import Failure
from app.core.project import Project, recent_projects, remember_recent
from app.core.project_files import FileReference
from app.core.project_parts import PartError
from app.core.settings import Settings
from app.core.undo import Command, UndoError
from app.dialogs.dub_export import DubExportDialog
from app.dialogs.dub_report import DubReport
from app.dialogs.dub_words import DubWords
from app.dub_desk import DubDesk, OriginalSound, VoiceChoice
from app.dub_jobs import DubJobs
from app.dub_listening import DubListening
from app.engine.worker import EngineWorker
from app.marks.choice import MarkTools
from app.menus import Menus
from app.model_control import ModelControl
from app.panels.dubbing_panel import DubbingPanel
from app.text_review import TextReview
from app.widgets.notice import Notice

log = logging.getLogger(__name__)

_SAVE_MS = 300
_NUDGE_MS = 50
_FIRST_SECONDS = 40.0  # in view at first: enough to read what stands in the cues


class DubControl(QObject):
    """Owns the panel, the desk and the open project. The project is changed in the window's thread only."""

    def __init__(
        self,
        settings: Settings,
        engine: EngineWorker,
        models: ModelControl,
        player: Player,
        library: Library,
        tools: MarkTools,
        menus: Menus,
        notice: Notice,
        review: TextReview,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._settings, self._tools, self._notice, self._window = settings, tools, notice, window
        self.panel = DubbingPanel()
        self.desk = DubDesk(library, engine, self)
        self.dubbing: Dubbing | None = None
        self.overview: Overview | None = None
        self.remarks: tuple[Remark, ...] = ()
        self.words: DubWords | None = None
        self.exporting: DubExportDialog | None = None
        self.report: DubReport | None = None
        self.listening = DubListening(self.desk, self.panel, player, lambda: self.overview, self)
        self.jobs = DubJobs(settings, engine, models, self.desk, self.panel, notice, review, self.refresh, self)
        self._save_timer = QTimer(self, interval=_SAVE_MS, singleShot=True)
        self._save_timer.timeout.connect(self.save)
        self._was_shown = False
        self.is_shown = False
        self._restore()
        self._connect()
        self._connect_menu(menus)

    # From the window -------------------------------------------------------------------------------------------------

    def shown(self) -> None:
        """The panel is in front now; the project that was open when the studio ended comes back."""
        self.is_shown = True
        self._menu.setVisible(True)
        self._show_recent()
        self.desk.list_voices()
        if not self._was_shown:
            self._was_shown = True
            folder = self._settings.get("dub_open")
            if folder and self.dubbing is None:
                self.open(folder)
        (self.panel.table if self.dubbing is not None else self.panel.open_large).setFocus()

    def left(self) -> None:
        """Another panel is in front now."""
        self.is_shown = False
        self._menu.setVisible(False)
        self.panel.card.flush()
        self.listening.stop()
        self.save()

    def close(self, wait_seconds: float) -> bool:
        """Save, let go of the project, and end all work; False when that takes longer."""
        self.listening.stop()
        self.panel.card.flush()
        self._save_timer.stop()
        if self.dubbing is not None:
            project = self.dubbing.project
            self.desk.save(project, project.snapshot(), project.close)
            self.dubbing = None
        return self.desk.close(wait_seconds)

    def pick(self, number: int) -> None:
        """Choose a take of the current cue by its number from 0, and listen to it."""
        state = self.overview.by_id.get(self.panel.current) if self.overview is not None else None
        if state is not None and number < len(state.cue.takes):
            self._change(lambda dubbing: dubbing.choose(state.cue.cue_id, state.cue.takes[number].take))
            self.listening.stop()
            self.listening.cue()

    def make(self) -> None:
        """Make what is missing or stale."""
        self.panel.card.flush()
        if self.dubbing is not None and self.overview is not None and self.overview.to_make:
            self.jobs.make(self.dubbing)

    def stop(self) -> None:
        """Stop what takes long, else what is heard."""
        if self.panel.is_busy:
            self.jobs.stop()
        else:
            self.listening.stop()

    def undo(self) -> None:
        """Take the last step back."""
        self.panel.card.flush()
        self._move(Project.undo)

    def redo(self) -> None:
        """Do again what was taken back."""
        self.panel.card.flush()
        self._move(Project.redo)

    # The project -----------------------------------------------------------------------------------------------------

    def open(self, path: str) -> None:
        """Open a project, or make one of a file. The one that is open is saved and closed first."""
        if self.panel.is_busy:
            return
        self.close_project()
        self.panel.show_progress(-1.0, self.tr("Opening…"))
        self.desk.open(Path(path))

    def close_project(self) -> None:
        """Save the project and let go of it."""
        self.listening.stop()
        self.panel.card.flush()
        self._save_timer.stop()
        if self.dubbing is None:
            return
        project = self.dubbing.project
        self.desk.save(project, project.snapshot(), project.close)
        self.dubbing = None
        self.remarks = ()
        self._settings.set("dub_open", "")
        self.listening.use_sound(None)
        self.desk.forget_sound()
        for dialog in (self.words, self.exporting, self.report):
            if dialog is not None:
                dialog.close()
        self.refresh()

    def save(self) -> None:
        """Write what changed, now, off this thread."""
        self._save_timer.stop()
        if self.dubbing is not None and not self.dubbing.project.is_saved:
            self.desk.save(self.dubbing.project, self.dubbing.project.snapshot())

    def refresh(self) -> None:
        """Show the dub as it is now."""
        dubbing = self.dubbing
        self.overview = look(dubbing, self._rules()) if dubbing is not None else None
        self.panel.show_overview(self.overview, dubbing.project.name if dubbing is not None else "")
        self._show_words()
        sound = self.overview.dub.sound if self.overview is not None else None
        self.panel.show_sound(str(sound["name"]) if sound is not None else "")

    def _opened(self, opened: Opened) -> None:
        self.panel.show_progress(None)
        project = opened.project
        self.dubbing = Dubbing(project, self._settings.get("words"))
        self.remarks = opened.remarks or ()
        remember_recent(self._settings, project.folder)
        self._settings.set("dub_open", str(project.folder.absolute()))
        self._settings.save()  # should the program be killed, it comes back with this project
        self._show_recent()
        self.refresh()
        self.panel.timeline.axis.show_between(0.0, _FIRST_SECONDS)
        self.panel.table.setFocus()
        sound = self.dubbing.dub.sound
        if sound is not None:
            self.desk.find_sound(project, FileReference.from_plain(dict(sound)))
        if self.remarks or project.notes:
            self.show_report()

    def _failed(self, what: str, failure: Failure) -> None:
        if what in ("make", "export"):
            return
        if what == "open":
            self.panel.show_progress(None)
            self._settings.set("dub_open", "")
        sentence = {
            "open": self.tr("It could not be opened."),
            "save": self.tr("The project could not be saved. What you see is only in memory."),
            "voices": self.tr("The saved voices cannot be read."),
            "sound": self.tr("The original sound cannot be used."),
            "listen": self.tr("This cannot be played."),
        }.get(what, "")
        self._notice.show_notice(f"{sentence} {failure.message}".strip(), failure.details)

    # Edits -----------------------------------------------------------------------------------------------------------

    def _change(self, edit: Callable[[Dubbing], object]) -> object:
        """Change the dub, show it, and save it in a moment; says why where it cannot be changed."""
        if self.dubbing is None:
            return None
        result: object = None
        try:
            result = edit(self.dubbing)
        except (EditError, PartError) as error:
            self._notice.show_notice(str(error))
        self.refresh()
        self._save_timer.start()
        return result

    def _move(self, step: Callable[[Project], Command | None]) -> None:
        """Go a step back or forth, to the cue that it was about."""
        if self.dubbing is None:
            return
        project, command = self.dubbing.project, None
        try:
            command = step(project)
        except UndoError as error:
            self._notice.show_notice(str(error))
        project.end_typing()
        self.refresh()
        self._save_timer.start()
        changed = [change.path[2] for change in command.changes if len(change.path) > 2] if command is not None else []
        there = self.overview.by_id if self.overview is not None else {}
        cue_id = next((cue_id for cue_id in changed if cue_id in there), "")
        if cue_id and cue_id not in self.panel.selected:
            self.panel.select(cue_id)

    def _card_asked(self, what: str) -> None:
        cue_id = self.panel.current
        if not cue_id or self.dubbing is None:
            return
        self.panel.card.flush()
        match what:
            case "listen":
                self.listening.toggle()
            case "redo":
                self.jobs.make(self.dubbing, frozenset(self.panel.selected or [cue_id]), again=True)
            case "split":
                self._split(cue_id)
            case "merge":
                self._merge(cue_id)
            case "delete":
                self._change(lambda dubbing: dubbing.delete(self.panel.selected or [cue_id]))

    def _split(self, cue_id: str) -> None:
        card, state = self.panel.card, self.panel.card.state
        if state is None:
            return
        cue, text = state.cue, state.cue.text
        at = card.text.textCursor().position() if card.text.hasFocus() else 0
        if not text[:at].strip() or not text[at:].strip():
            at = _middle_of(text)
        head = self.panel.timeline.playhead
        inside = cue.start is not None and cue.end is not None and cue.start < head < cue.end
        new = self._change(lambda dubbing: dubbing.split(cue_id, at, head if inside else None))
        if isinstance(new, str):
            self.panel.select(new)

    def _merge(self, cue_id: str) -> None:
        assert self.overview is not None
        chosen = self.panel.selected
        states = self.overview.states
        number = self.overview.by_id[cue_id].number
        others = chosen[1:] if len(chosen) > 1 else [state.cue.cue_id for state in states[number : number + 1]]
        first = chosen[0] if len(chosen) > 1 else cue_id
        for other in others:
            self._change(partial(_merged, first, other))
        self.panel.select(first)

    def _nudge(self, start: int, end: int) -> None:
        state = self.overview.by_id.get(self.panel.current) if self.overview is not None else None
        if state is None or state.cue.start is None or state.cue.end is None:
            return
        first, last = max(0, state.cue.start + start), state.cue.end + end
        if start == end:
            last = first + state.cue.end - state.cue.start
        if first < last:
            self._change(lambda dubbing: dubbing.move(state.cue.cue_id, first, last))

    def _next_problem(self, by: int = 1) -> None:
        if self.overview is None:
            return
        states = self.overview.states
        current = self.overview.by_id.get(self.panel.current)
        here = current.number - 1 if current is not None else -1
        for step in range(1, len(states) + 1):
            state = states[(here + by * step) % len(states)]
            if state.problem:
                self.panel.select(state.cue.cue_id)
                return

    def _choose_voice(self, cue_id: str, voice: str) -> None:
        self._admitted(voice, lambda dubbing: dubbing.set_voice(cue_id, voice))

    def _cast(self, character: str, role: Role) -> None:
        before = self.dubbing.dub.cast.get(character, Role()) if self.dubbing is not None else Role()
        self._admitted(role.voice if role.voice != before.voice else "", lambda dubbing: dubbing.cast(character, role))

    def _admitted(self, voice: str, edit: Callable[[Dubbing], object]) -> None:
        """Change something once the door has let the voice through."""
        dubbing = self.dubbing

        def admitted() -> None:
            if self.dubbing is dubbing:  # another project may have been opened meanwhile
                self._change(edit)

        def refused(reason: str) -> None:
            self._notice.show_notice(self.tr("This voice may not be used.") + " " + reason)
            self.refresh()

        if voice and dubbing is not None:
            self.desk.admit(dubbing, voice, admitted, refused)
        else:
            admitted()

    # The original sound ----------------------------------------------------------------------------------------------

    def take_sound(self, path: str) -> None:
        """Put the cues over the sound of a file or film."""
        dubbing = self.dubbing
        if dubbing is None:
            return

        def then(plain: dict[str, Any]) -> None:
            if self.dubbing is dubbing:
                self._change(lambda dubbing: dubbing.set_sound(plain))

        self.panel.show_sound(self.tr("Reading the sound…"))
        self.desk.take_sound(dubbing.project, Path(path), then)

    def remove_sound(self) -> None:
        """Put the cues over silence."""
        self._change(lambda dubbing: dubbing.set_sound(None))
        self.listening.use_sound(None)
        self.desk.forget_sound()

    def _sound_loaded(self, sound: OriginalSound) -> None:
        if self.dubbing is not None:
            self.listening.use_sound(sound)

    # Dialogs ---------------------------------------------------------------------------------------------------------

    def ask_open(self, *, folder: bool = False) -> None:
        """Let a person choose a file, or the folder of a project."""
        dialog = QFileDialog(self._window, self.tr("Open a dub"), self._settings.get("open_folder"))
        if folder:
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        else:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
            dialog.setNameFilters(
                [
                    self.tr("Subtitles, scripts and tables (*.srt *.vtt *.ass *.ssa *.txt *.md *.csv *.tsv)"),
                    self.tr("All files (*)"),
                ]
            )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._chosen)
        dialog.open()

    def ask_sound(self) -> None:
        """Let a person choose the original sound."""
        dialog = QFileDialog(self._window, self.tr("Choose the original sound"), self._settings.get("open_folder"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(
            [
                self.tr("Sound and film (*.wav *.flac *.mp3 *.ogg *.opus *.m4a *.mp4 *.mkv *.mov *.webm *.avi)"),
                self.tr("All files (*)"),
            ]
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.take_sound)
        dialog.open()

    def show_words(self) -> None:
        """Show the dictionary."""
        if self.dubbing is None:
            return
        if self.words is None:
            self.words = DubWords(self._window)
            self.words.word_set.connect(self._set_word)
        self.panel.card.flush()
        self._show_words(even_hidden=True)
        self.words.show()
        self.words.activateWindow()

    def show_report(self) -> None:
        """Show what was skipped or repaired when the file was read, and what the project had to say."""
        if self.dubbing is None:
            return
        self.report = DubReport(self.remarks, self.dubbing.project.notes, self._window)
        self.report.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.report.destroyed.connect(lambda: setattr(self, "report", None))
        self.report.show()
        self.report.activateWindow()

    def ask_export(self) -> None:
        """Show what can be written."""
        if self.dubbing is None or self.overview is None or self.panel.is_busy:
            return
        self.panel.card.flush()
        folder = self.dubbing.project.folder
        dialog = DubExportDialog(
            folder.with_name(f"{folder.stem}.wav"), self._rules(), has_sound=self.overview.dub.sound is not None,
            parent=self._window,
        )  # fmt: skip
        dialog.remember(self._settings.get("dub_export"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.export_requested.connect(self._export)
        dialog.destroyed.connect(lambda: setattr(self, "exporting", None))
        self.exporting = dialog
        dialog.show()
        dialog.activateWindow()

    def _export(self, wishes: Any) -> None:
        if self.overview is None or self.dubbing is None or self.exporting is None:
            return
        self._settings.set("dub_export", self.exporting.remembered())
        sound = self.overview.dub.sound
        original: Callable[[], Path] | None = None
        if sound is not None:
            original = partial(self.dubbing.project.files.find, FileReference.from_plain(dict(sound)))
        self.exporting.close()
        self.jobs.export(wishes, self.overview, original, self._tools)

    def _set_word(self, word: str, said: str, everywhere: bool) -> None:
        if self.dubbing is None:
            return
        if not everywhere:
            self._change(lambda dubbing: dubbing.set_word(word, said))
            return
        words = self._settings.get("words")
        words.pop(word, None)
        self._settings.set("words", words | ({word: said} if said else {}))
        self._settings.save()
        self.dubbing.words = self._settings.get("words")
        self.refresh()

    def _show_words(self, *, even_hidden: bool = False) -> None:
        if self.words is not None and self.overview is not None and (even_hidden or self.words.isVisible()):
            self.words.show_words(self.overview.dub.words, self._settings.get("words"), self.overview.states)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _rules(self) -> FitRules:
        return FitRules(fill=self.panel.fill.isChecked(), ripple=self.panel.ripple.isChecked())

    def _restore(self) -> None:
        self.panel.takes.setValue(self._settings.get("dub_takes"))
        self.panel.fill.setChecked(self._settings.get("dub_fill"))
        self.panel.ripple.setChecked(self._settings.get("dub_ripple"))
        self.panel.snap.setChecked(True)

    def _rules_changed(self) -> None:
        self._settings.set("dub_fill", self.panel.fill.isChecked())
        self._settings.set("dub_ripple", self.panel.ripple.isChecked())
        self.refresh()

    def _chosen(self, path: str) -> None:
        self._settings.set("open_folder", str(Path(path).parent))
        self.open(path)

    def _show_recent(self) -> None:
        self.panel.show_recent([(str(folder), there) for folder, there in recent_projects(self._settings)])

    def _voices_listed(self, voices: list[VoiceChoice]) -> None:
        names = {
            voice.voice_id: voice.name if voice.usable else self.tr("{name} (no consent now)").format(name=voice.name)
            for voice in voices
        }
        self.panel.cast.show_voices(names)
        self.panel.card.show_voices(names)
        self.refresh()

    def _connect(self) -> None:
        panel, card, desk = self.panel, self.panel.card, self.desk
        desk.opened.connect(self._opened)
        desk.failed.connect(self._failed)
        desk.voices_listed.connect(self._voices_listed)
        desk.sound_loaded.connect(self._sound_loaded)
        panel.open_requested.connect(self.ask_open)
        panel.folder_requested.connect(lambda: self.ask_open(folder=True))
        panel.path_requested.connect(self.open)
        panel.sound_requested.connect(self.ask_sound)
        panel.words_requested.connect(self.show_words)
        panel.report_requested.connect(self.show_report)
        panel.export_requested.connect(self.ask_export)
        panel.close_requested.connect(self.close_project)
        panel.make_requested.connect(self.make)
        panel.stop_requested.connect(self.jobs.stop)
        panel.rules_changed.connect(self._rules_changed)
        panel.next_problem_requested.connect(self._next_problem)
        panel.takes.valueChanged.connect(lambda value: self._settings.set("dub_takes", value))
        panel.cast.cast_changed.connect(self._cast)
        panel.timeline.times_changed.connect(lambda cue, start, end: self._change(lambda d: d.move(cue, start, end)))
        card.text_edited.connect(lambda cue, text: self._change(lambda d: d.write(cue, text)))
        card.style_edited.connect(lambda cue, text: self._change(lambda d: d.set_style(cue, text)))
        card.character_edited.connect(lambda cue, name: self._change(lambda d: d.set_character(cue, name)))
        card.voice_chosen.connect(self._choose_voice)
        card.times_edited.connect(lambda cue, start, end: self._change(lambda d: d.move(cue, start, end)))
        card.take_chosen.connect(lambda cue, take: self._change(lambda d: d.choose(cue, take)))
        card.asked.connect(self._card_asked)

    def _connect_menu(self, menus: Menus) -> None:
        """The entries of the menu, whose keys count while the panel can be seen."""
        timeline = self.panel.timeline
        handlers: dict[str, Callable[[], object]] = {
            "dub_open": self.ask_open,
            "dub_sound": self.ask_sound,
            "dub_no_sound": self.remove_sound,
            "dub_words": self.show_words,
            "dub_export": self.ask_export,
            "dub_redo_step": self.redo,
            "dub_listen_on": self.listening.from_playhead,
            "dub_original": self.listening.original,
            "dub_redo": partial(self._card_asked, "redo"),
            "dub_split": partial(self._card_asked, "split"),
            "dub_merge": partial(self._card_asked, "merge"),
            "dub_delete": partial(self._card_asked, "delete"),
            "dub_write": lambda: self._show_cue(self.panel.card.text),
            "dub_next": partial(self.panel.step, 1),
            "dub_before": partial(self.panel.step, -1),
            "dub_problem": self._next_problem,
            "dub_problem_before": partial(self._next_problem, -1),
            "dub_earlier": partial(self._nudge, -_NUDGE_MS, -_NUDGE_MS),
            "dub_later": partial(self._nudge, _NUDGE_MS, _NUDGE_MS),
            "dub_shorter": partial(self._nudge, 0, -_NUDGE_MS),
            "dub_longer": partial(self._nudge, 0, _NUDGE_MS),
            "dub_zoom_in": timeline.zoom_in,
            "dub_zoom_out": timeline.zoom_out,
            "dub_zoom_all": timeline.axis.fit,
        }
        for key, handler in handlers.items():
            action = menus.actions[key]
            action.triggered.connect(lambda checked=False, handler=handler: handler())
            self.panel.addAction(action)  # which has to be visible for the keys to count
        self._menu = menus.dub.menuAction()
        self._menu.setVisible(False)

    def _show_cue(self, field: QWidget) -> None:
        self.panel.tabs.setCurrentIndex(0)
        field.setFocus()


def _merged(first: str, other: str, dubbing: Dubbing) -> bool:
    return dubbing.merge(first, other)


def _middle_of(text: str) -> int:
    """The gap between words nearest to the middle of a text; the middle itself where there is none."""
    gaps = [place for place, letter in enumerate(text) if letter.isspace() and 0 < place < len(text) - 1]
    return min(gaps, key=lambda place: abs(place - len(text) // 2), default=len(text) // 2)
