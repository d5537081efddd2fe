"""Dubbing in the window: puts the panel, the open dub and all that works on it together, and opens projects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.audio.player import Player
from app.core.dubbing.editing import Dubbing
from app.core.dubbing.fit import FitRules
from app.core.dubbing.opening import Opened
from app.core.dubbing.overview import Overview
from app.core.library import Library
from app.core.messages import Failure
from app.core.project import Project, recent_projects, remember_recent
from app.core.project_files import FileReference
from app.core.settings import Settings
from app.dub_desk import DubDesk, OriginalSound, VoiceChoice
from app.dub_dialogs import DubDialogs
from app.dub_edits import DubEdits
from app.dub_jobs import DubJobs
from app.dub_listening import DubListening
from app.dub_open import OpenDub
from app.engine.worker import EngineWorker
from app.marks.choice import MarkTools
from app.menus import Menus
from app.model_control import ModelControl
from app.panels.dubbing_panel import DubbingPanel
from app.text_review import TextReview
from app.widgets.consent_text import badge_text
from app.widgets.notice import Notice

_NUDGE_MS = 50
_FIRST_SECONDS = 40.0  # in view at first: enough to read what stands in the cues


class DubControl(QObject):
    """Owns the panel, the desk and the open dub. The project is changed in the window's thread only."""

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
        self._settings, self._notice = settings, notice
        self.panel = panel = DubbingPanel()
        self.desk = desk = DubDesk(library, engine, self)
        self.dub = OpenDub(desk, notice, self)
        self.edits = DubEdits(self.dub, panel, desk, notice, self)
        self.listening = DubListening(desk, panel, player, lambda: self.overview, self)
        self.jobs = DubJobs(settings, engine, models, desk, panel, notice, review, self.dub.refresh, self)
        self.dialogs = DubDialogs(self.dub, panel, self.jobs, settings, tools, window)
        self._was_shown = False
        self.is_shown = False
        self._restore()
        self._connect()
        self._connect_menu(menus)

    @property
    def dubbing(self) -> Dubbing | None:
        """The dub that is open."""
        return self.dub.dubbing

    @property
    def overview(self) -> Overview | None:
        """How it is now."""
        return self.dub.overview

    # From the window -------------------------------------------------------------------------------------------------

    def shown(self) -> None:
        """The panel is in front now; the project that was open when the studio ended comes back."""
        self.is_shown = True
        self._menu.setVisible(True)
        self._show_recent()
        self.desk.list_voices()
        self._find_lost()
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
        self.dub.let_go()
        return self.desk.close(wait_seconds)

    def pick(self, number: int) -> None:
        """Choose a take of the current cue by its number from 0, and listen to it."""
        state = self.overview.by_id.get(self.panel.current) if self.overview is not None else None
        if state is not None and number < len(state.cue.takes):
            self.dub.change(lambda dubbing: dubbing.choose(state.cue.cue_id, state.cue.takes[number].take))
            self.listening.stop()
            self.listening.cue()

    def make(self) -> None:
        """Make what is missing or stale."""
        self.panel.card.flush()
        if self.overview is not None and self.overview.to_choose and not self.panel.is_busy:
            self.dub.change(Dubbing.choose_fresh)
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
        self._step(Project.undo)

    def redo(self) -> None:
        """Do again what was taken back."""
        self._step(Project.redo)

    def save(self) -> None:
        """Write what changed, now."""
        self.dub.save()

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
        if self.dubbing is None:
            return
        self.dub.let_go()
        self._settings.set("dub_open", "")
        self.listening.use_sound(None)
        self.desk.forget_sound()
        self.dialogs.close_all()
        self.dub.refresh()

    def _opened(self, opened: Opened) -> None:
        self.panel.show_progress(None)
        project = opened.project
        remember_recent(self._settings, project.folder)
        self._settings.set("dub_open", str(project.folder.absolute()))
        self._settings.save()  # should the program be killed, it comes back with this project
        self._show_recent()
        self.dialogs.remarks = opened.remarks
        dubbing = Dubbing(project, self._settings.get("words"))
        self.dub.take(dubbing)
        self._find_lost()
        self.panel.timeline.axis.show_between(0.0, _FIRST_SECONDS)
        self.panel.table.setFocus()
        sound = dubbing.dub.sound
        if sound is not None:
            self.desk.find_sound(project, FileReference.from_plain(dict(sound)))
        if self.dialogs.remarks or project.notes:
            self.dialogs.show_report()

    def _find_lost(self) -> None:
        """Look for takes that the library does not have (any more): another machine may have made them."""
        dubbing = self.dubbing
        if dubbing is None:
            return

        def found(lost: frozenset[str]) -> None:
            if self.dubbing is not dubbing or self.panel.is_busy or dubbing.lost == lost:
                return
            dubbing.lost = lost
            self.dub.refresh()
            if lost:
                text = self.tr("{count} takes of this project are not in the library here. Make makes them again.")
                self._notice.show_notice(text.format(count=len(lost)))

        self.desk.find_lost(dubbing, found)

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

    # The original sound ----------------------------------------------------------------------------------------------

    def take_sound(self, path: str) -> None:
        """Put the cues over the sound of a file or film."""
        dubbing = self.dubbing
        if dubbing is None:
            return

        def then(plain: dict[str, Any]) -> None:
            if self.dubbing is dubbing:
                self.dub.change(lambda dubbing: dubbing.set_sound(plain))

        self.panel.show_sound(self.tr("Reading the sound…"))
        self.desk.take_sound(dubbing.project, Path(path), then)

    def remove_sound(self) -> None:
        """Put the cues over silence."""
        self.dub.change(lambda dubbing: dubbing.set_sound(None))
        self.listening.use_sound(None)
        self.desk.forget_sound()

    def _sound_loaded(self, sound: OriginalSound) -> None:
        if self.dubbing is not None:
            self.listening.use_sound(sound)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        overview = self.overview
        self.panel.has_report = self.dialogs.has_report
        self.panel.show_overview(overview, self.dubbing.project.name if self.dubbing is not None else "")
        sound = overview.dub.sound if overview is not None else None
        self.panel.show_sound(str(sound["name"]) if sound is not None else "")

    def _step(self, step: Callable[[Project], Any]) -> None:
        self.panel.card.flush()
        cue_id = self.dub.step(step)
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
                self.edits.split(cue_id)
            case "merge":
                self.edits.merge(cue_id)
            case "delete":
                self.edits.delete(self.panel.selected or [cue_id])

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

    def _restore(self) -> None:
        self.panel.takes.setValue(self._settings.get("dub_takes"))
        self.panel.fill.setChecked(self._settings.get("dub_fill"))
        self.panel.ripple.setChecked(self._settings.get("dub_ripple"))
        self.panel.snap.setChecked(True)
        self._rules_changed()

    def _rules_changed(self) -> None:
        fill, ripple = self.panel.fill.isChecked(), self.panel.ripple.isChecked()
        self._settings.set("dub_fill", fill)
        self._settings.set("dub_ripple", ripple)
        self.dub.rules = FitRules(fill=fill, ripple=ripple)
        self.dub.refresh()

    def _show_recent(self) -> None:
        self.panel.show_recent([(str(folder), there) for folder, there in recent_projects(self._settings)])

    def _voices_listed(self, voices: list[VoiceChoice]) -> None:
        names = {}
        for each in voices:
            name, badge = each.voice.name, badge_text(each.voice)
            if not each.usable:
                name = self.tr("{name} (no consent now)").format(name=name)
            elif badge:
                name = self.tr("{name} ({badge})").format(name=name, badge=badge)
            names[each.voice.voice_id] = name
        self.panel.cast.show_voices(names)
        self.panel.card.show_voices(names)
        self.dub.refresh()

    def _connect(self) -> None:
        panel, desk, dialogs = self.panel, self.desk, self.dialogs
        self.dub.changed.connect(self._show)
        desk.opened.connect(self._opened)
        desk.failed.connect(self._failed)
        desk.voices_listed.connect(self._voices_listed)
        desk.sound_loaded.connect(self._sound_loaded)
        dialogs.path_chosen.connect(self.open)
        dialogs.sound_chosen.connect(self.take_sound)
        panel.open_requested.connect(dialogs.ask_open)
        panel.folder_requested.connect(lambda: dialogs.ask_open(folder=True))
        panel.path_requested.connect(self.open)
        panel.sound_requested.connect(dialogs.ask_sound)
        panel.words_requested.connect(dialogs.show_words)
        panel.report_requested.connect(dialogs.show_report)
        panel.export_requested.connect(dialogs.ask_export)
        panel.close_requested.connect(self.close_project)
        panel.make_requested.connect(self.make)
        panel.stop_requested.connect(self.jobs.stop)
        panel.rules_changed.connect(self._rules_changed)
        panel.next_problem_requested.connect(self._next_problem)
        panel.takes.valueChanged.connect(lambda value: self._settings.set("dub_takes", value))
        panel.card.asked.connect(self._card_asked)

    def _connect_menu(self, menus: Menus) -> None:
        """The entries of the menu, whose keys count while the panel can be seen."""
        timeline, nudge = self.panel.timeline, self.edits.nudge
        handlers: dict[str, Callable[[], object]] = {
            "dub_open": self.dialogs.ask_open,
            "dub_sound": self.dialogs.ask_sound,
            "dub_no_sound": self.remove_sound,
            "dub_words": self.dialogs.show_words,
            "dub_export": self.dialogs.ask_export,
            "dub_redo_step": self.redo,
            "dub_listen_on": self.listening.from_playhead,
            "dub_original": self.listening.original,
            "dub_redo": partial(self._card_asked, "redo"),
            "dub_split": partial(self._card_asked, "split"),
            "dub_merge": partial(self._card_asked, "merge"),
            "dub_delete": partial(self._card_asked, "delete"),
            "dub_write": self._write_text,
            "dub_next": partial(self.panel.step, 1),
            "dub_before": partial(self.panel.step, -1),
            "dub_problem": self._next_problem,
            "dub_problem_before": partial(self._next_problem, -1),
            "dub_earlier": partial(nudge, -_NUDGE_MS, -_NUDGE_MS),
            "dub_later": partial(nudge, _NUDGE_MS, _NUDGE_MS),
            "dub_shorter": partial(nudge, 0, -_NUDGE_MS),
            "dub_longer": partial(nudge, 0, _NUDGE_MS),
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

    def _write_text(self) -> None:
        self.panel.tabs.setCurrentIndex(0)
        self.panel.card.text.setFocus()
