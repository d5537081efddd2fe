"""What a person does with saved voices: choose, save, keep, pass on, take back, delete; and what comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QWidget

from app.audio.player import Player
from app.audio.sources import ArraySource
from app.core.consent.problems import Problem
from app.core.takes import Take
from app.core.voice_card import MAX_NAME, SavedVoice
from app.dialogs.passphrase import PassphraseDialog
from app.panels.clone_panel import ClonePanel
from app.panels.continue_panel import ContinuePanel
from app.panels.voices_panel import VoicesPanel
from app.voice_desk import Described, Design, VoiceDesk
from app.widgets.consent_text import problem_text
from app.widgets.notice import Notice
from app.widgets.question import ask

if TYPE_CHECKING:
    from app.dialogs.save_voice import SaveVoiceDialog

_MOST_SECONDS = 30


class VoiceControl(QObject):
    """Stands between the panels and the desk. ``panel_requested`` asks for a panel by its key."""

    panel_requested = Signal(str)
    previewing = Signal()  # the player is about to play a voice

    def __init__(
        self,
        desk: VoiceDesk,
        panel: VoicesPanel,
        clone: ClonePanel,
        going_on: ContinuePanel,
        player: Player,
        notice: Notice,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._desk, self._panel, self._player = desk, panel, player
        self._modes: dict[str, ClonePanel | ContinuePanel] = {"clone": clone, "continue": going_on}
        self._notice, self._window = notice, window
        self._query = ""
        self._select_next = ""
        self.save_dialog: SaveVoiceDialog | None = None
        self.passphrase: PassphraseDialog | None = None
        self._connect()

    # Wishes ----------------------------------------------------------------------------------------------------------

    def look(self, query: str = "") -> None:
        """List the voices that match."""
        self._query = query
        self._desk.look(query, self._panel.sort.currentData())

    def shown(self, query: str = "") -> None:
        """The panel came into view: takes may have been made with the chosen voice since."""
        self.look(query)
        if self._panel.current is not None:
            self._desk.describe(self._panel.current.voice_id)

    def save_recording(self, key: str) -> None:
        """Ask about the recording of a mode, and save it as a voice."""
        from app.dialogs.save_voice import SaveVoiceDialog

        panel = self._modes[key]
        path = panel.sound.path
        if path is None or panel.sound.missing():
            self._notice.show_notice(panel.sound.missing())
            return
        files, transcript, style = {"reference": Path(path)}, "", panel.description()
        if isinstance(panel, ContinuePanel):
            files = {"prompt": Path(path)}
            transcript = panel.transcript.toPlainText()
            if panel.as_reference.isChecked() and panel.as_reference.isEnabled():
                files["reference"] = Path(path)
            if panel.words.missing():
                self._notice.show_notice(panel.words.missing())
                return
        self._ask_to_save(
            SaveVoiceDialog(Path(path).stem, files, transcript=transcript, style=style, parent=self._window)
        )

    def keep_take(self, take: Take) -> None:
        """Keep a designed take as the reference of a new voice."""
        from app.dialogs.save_voice import SaveVoiceDialog

        if not len(take.samples) or take.job.voice is not None:
            return
        design = Design(
            take.samples[: _MOST_SECONDS * take.sample_rate].copy(),
            take.sample_rate,
            take.job.description,
            take.seed or 0,
            " ".join(part for part in (take.model.name, take.model.fingerprint) if part),
        )
        name = take.job.description or take.job.text[:40]
        self._ask_to_save(SaveVoiceDialog(name, {}, design=design, from_take=take.uid, parent=self._window))

    # Inside ----------------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        desk, panel = self._desk, self._panel
        panel.look_requested.connect(self.look)
        panel.voice_selected.connect(desk.describe)
        panel.preview_requested.connect(desk.preview)
        panel.take_preview_requested.connect(desk.preview_take)
        panel.use_requested.connect(self._use)
        panel.rename_requested.connect(desk.rename)
        panel.export_requested.connect(self._ask_to_export)
        panel.import_requested.connect(self._ask_to_import)
        panel.delete_requested.connect(self._ask_to_delete)
        panel.copy_requested.connect(self._copy)
        panel.unlock_requested.connect(lambda: self._ask_for_keys(True))
        for key, mode in self._modes.items():
            mode.pick.choose_requested.connect(lambda: self.panel_requested.emit("voices"))
            mode.pick.save_requested.connect(lambda key=key: self.save_recording(key))
        desk.listed.connect(self._listed)
        desk.described.connect(self._described)
        desk.gone.connect(self._gone)
        desk.sound_ready.connect(self._play)
        desk.saved.connect(self._saved)
        desk.imported.connect(self._imported)
        desk.exported.connect(lambda path: self._notice.show_notice(self.tr("Exported: {path}").format(path=path)))
        desk.copied.connect(self._copied)
        desk.changed.connect(self._changed)
        desk.unlocked.connect(self._unlocked)
        desk.failed.connect(self._failed)
        desk.keys_needed.connect(self._ask_for_keys)

    def _ask_to_save(self, dialog: SaveVoiceDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.save_requested.connect(lambda card, word: self._save(dialog, card, word))
        dialog.finished.connect(self._dialog_closed)
        if self.save_dialog is not None:
            self.save_dialog.reject()
        self.save_dialog = dialog
        dialog.show()

    def _save(self, dialog: SaveVoiceDialog, card: object, word: object) -> None:
        if dialog.design is not None:
            self._desk.save_design(card, dialog.design)  # type: ignore[arg-type]
        else:
            self._desk.save_files(card, word, dialog.files)  # type: ignore[arg-type]

    def _dialog_closed(self) -> None:
        self.save_dialog = None
        self._desk.give_up("save")

    def _use(self, voice: SavedVoice, key: str) -> None:
        self._modes[key].pick.set_voice(voice)
        self.panel_requested.emit(key)

    def _listed(self, voices: list[SavedVoice], locked: bool) -> None:
        self._panel.show_voices(voices, locked)
        if self._select_next:
            self._panel.select(self._select_next)
            self._select_next = ""

    def _described(self, described: Described) -> None:
        self._panel.show_described(described)
        for mode in self._modes.values():
            voice = mode.pick.voice
            if voice is not None and voice.voice_id == described.voice.voice_id:
                mode.pick.set_described(described.voice, described.problems)

    def _gone(self, voice_id: str) -> None:
        for mode in self._modes.values():
            if mode.pick.voice is not None and mode.pick.voice.voice_id == voice_id:
                mode.pick.set_voice(None)

    def _changed(self) -> None:
        self.look(self._query)
        for mode in self._modes.values():
            if mode.pick.voice is not None:
                self._desk.describe(mode.pick.voice.voice_id)
        if self._panel.current is not None:
            self._desk.describe(self._panel.current.voice_id)

    def _saved(self, voice: SavedVoice) -> None:
        dialog = self.save_dialog
        if dialog is not None:
            parts = set(dialog.files)
            dialog.accept()
            for key, part in (("clone", "reference"), ("continue", "prompt")):
                if part in parts and self._modes[key].isVisible():
                    self._modes[key].pick.set_voice(voice)
        self._select_next = voice.voice_id
        self._notice.show_notice(self.tr("The voice {name} is saved with its record.").format(name=voice.name))

    def _imported(self, voice: SavedVoice, problems: tuple[Problem, ...]) -> None:
        self._select_next = voice.voice_id
        text = self.tr("The voice {name} is here.").format(name=voice.name)
        if problems:
            text = self.tr("The voice {name} is in quarantine: it has no valid consent record.").format(name=voice.name)
        self._notice.show_notice(text, "\n".join(problem_text(problem) for problem in problems))

    def _copy(self, voice: SavedVoice) -> None:
        ending = self.tr("{name} (copy)").format(name="")
        name = voice.name[: MAX_NAME - len(ending)]
        self._desk.copy(voice.voice_id, self.tr("{name} (copy)").format(name=name))

    def _copied(self, voice: SavedVoice) -> None:
        self._select_next = voice.voice_id
        text = self.tr("{name} stands on the same consent: a withdrawal or a complaint about one holds for both.")
        self._notice.show_notice(text.format(name=voice.name))

    def _play(self, voice_id: str, samples: object, rate: int) -> None:
        self.previewing.emit()
        self._player.set_source(ArraySource(samples, rate))  # type: ignore[arg-type]
        self._player.play()

    def _ask_to_delete(self, voice: SavedVoice) -> None:
        ask(
            self._window,
            self.tr("Delete"),
            self.tr("Delete the voice {name} for ever?").format(name=voice.name or voice.voice_id),
            self.tr("Its recordings and all takes made with it go too, and nothing brings them back. "
                    "A signed note stays that holds no names."),
            lambda: self._desk.delete(voice.voice_id),
        )  # fmt: skip

    def _ask_to_export(self, voice: SavedVoice) -> None:
        from app.core.voice_bundle import SUFFIX

        dialog = QFileDialog(self._window, self.tr("Export the voice"), f"{voice.voice_id[:8]}{SUFFIX}")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.setNameFilter(self.tr("Voices (*.zip)"))
        personal = QCheckBox(self.tr("Names and personal texts of the record go along"))
        layout = dialog.layout()
        if layout is not None:
            layout.addWidget(personal)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(
            lambda path: self._desk.export(voice.voice_id, Path(path), personal=personal.isChecked())
        )
        dialog.open()

    def _ask_to_import(self) -> None:
        dialog = QFileDialog(self._window, self.tr("Import a voice"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Voices (*.zip)"), self.tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._desk.take_in(Path(path)))
        dialog.open()

    def _ask_for_keys(self, known: bool) -> None:
        if self.passphrase is not None:
            self.passphrase.rejected.disconnect(self._keys_refused)  # what waits, waits for the new answer
            self.passphrase.close()
        dialog = self.passphrase = PassphraseDialog(known, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)  # a passphrase stands in it
        dialog.given.connect(self._desk.unlock if known else self._desk.choose)
        dialog.memory_chosen.connect(self._desk.keep_in_memory)
        dialog.rejected.connect(self._keys_refused)
        dialog.show()

    def _keys_refused(self) -> None:
        self.passphrase = None
        self._desk.give_up()

    def _unlocked(self) -> None:
        if self.passphrase is not None:
            self.passphrase.accept()
            self.passphrase = None

    def _failed(self, what: str, error: Exception) -> None:
        from app.core.consent.verify import ConsentRefused
        from app.core.store import errors

        if isinstance(error, errors.WrongPassphraseError) and self.passphrase is not None:
            self.passphrase.wrong()
            return
        reason = str(error)
        if isinstance(error, ConsentRefused):
            reason = " ".join(problem_text(problem) for problem in error.verdict.problems)
        elif isinstance(error, errors.KeysLockedError):
            reason = self.tr("Nothing was saved: there is no key to encrypt it with.")
        if what in ("decide", "consent"):  # said where it was asked
            return
        if what == "save" and self.save_dialog is not None:
            self.save_dialog.failed(reason)
            return
        self._notice.show_notice(self._sentences()[what], reason)

    def _sentences(self) -> dict[str, str]:
        return {
            "list": self.tr("The saved voices cannot be read."),
            "describe": self.tr("The record of this voice cannot be read."),
            "preview": self.tr("This voice cannot be played."),
            "save": self.tr("The voice could not be saved."),
            "rename": self.tr("The voice could not be changed."),
            "delete": self.tr("The voice could not be deleted."),
            "copy": self.tr("The voice could not be copied."),
            "export": self.tr("The voice could not be exported."),
            "import": self.tr("The voice could not be imported."),
            "unlock": self.tr("The saved voices could not be unlocked."),
        }
