"""What a person does with the consents of saved voices: speak, renew, withdraw, ask and answer from far away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QInputDialog, QWidget

from app.audio.player import Player
from app.audio.sources import ArraySource
from app.consent_desk import Asking, ConsentDesk, Drawn, Spoken
from app.core.consent.bundle import ConsentRequest
from app.core.consent.problems import Problem
from app.core.consent.record import ConsentRecord
from app.core.settings import Settings
from app.core.voice_card import MAX_NAME, SavedVoice, VoiceCard
from app.dialogs.consent_request import ConsentAnswerDialog, ConsentRequestDialog
from app.dialogs.renew_consent import RenewConsentDialog
from app.dialogs.spoken_statement import SpokenStatementDialog
from app.dialogs.withdraw_consent import WithdrawConsentDialog
from app.panels.voices_panel import VoicesPanel
from app.sound_desk import SoundDesk
from app.voice_desk import VoiceDesk
from app.widgets.consent_text import problem_text
from app.widgets.notice import Notice

_REQUEST, _ANSWER = "consent-request.json", "consent.zip"
_Dialog = (
    SpokenStatementDialog | RenewConsentDialog | WithdrawConsentDialog | ConsentRequestDialog | ConsentAnswerDialog
)


class ConsentControl(QObject):
    """Owns one dialog at a time; a newer one takes the place of the older."""

    previewing = Signal()  # the player is about to play a statement

    def __init__(
        self,
        desk: VoiceDesk,
        consents: ConsentDesk,
        panel: VoicesPanel,
        sounds: SoundDesk,
        player: Player,
        notice: Notice,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._desk, self._consents, self._panel = desk, consents, panel
        self._recorder, self._settings = sounds.recorder, sounds.settings
        self._player, self._notice, self._window = player, notice, window
        self.dialog: _Dialog | None = None
        self.name_dialog: QInputDialog | None = None
        panel.raise_requested.connect(self.speak)
        panel.renew_requested.connect(self.renew)
        panel.withdraw_requested.connect(self.withdraw)
        panel.ask_requested.connect(self.ask_far_away)
        panel.answer_requested.connect(self._choose_request)
        panel.take_requested.connect(self._choose_answer)
        consents.drawn.connect(self._drawn)
        consents.kept.connect(self._kept)
        consents.refused.connect(self._refused)
        consents.renewed.connect(self._renewed)
        consents.withdrawn.connect(self._withdrawn)
        consents.written.connect(self._written)
        consents.request_read.connect(self._answer)
        desk.failed.connect(self._failed)

    # Wishes ----------------------------------------------------------------------------------------------------------

    def speak(self, voice: SavedVoice) -> None:
        """Let the person of a voice speak the statement of its record."""
        dialog = SpokenStatementDialog(voice.name, self._recorder, self._settings, self._window)
        dialog.draw_requested.connect(lambda lang: self._consents.draw(voice.voice_id, lang))
        dialog.check_requested.connect(
            lambda statement, spoken, unheard: self._consents.hear(
                voice.voice_id, statement, spoken, though_unheard=unheard
            )
        )
        dialog.statement.listen_requested.connect(self._listen)
        self._open(dialog)
        self._consents.draw(voice.voice_id, "")

    def renew(self, voice: SavedVoice, record: ConsentRecord) -> None:
        """Give the consent of a voice anew, or let it last longer."""
        dialog = RenewConsentDialog(voice.name, record, self._window)
        dialog.renew_requested.connect(lambda wish, files: self._consents.renew(voice.voice_id, wish, files))
        dialog.extend_requested.connect(lambda months: self._consents.extend(voice.voice_id, months))
        self._open(dialog)

    def withdraw(self, voice: SavedVoice) -> None:
        """Write down that the person of a voice took the consent back."""
        dialog = WithdrawConsentDialog(voice.name, self._window)
        dialog.withdraw_requested.connect(
            lambda channel, action: self._consents.withdraw(voice.voice_id, channel, action)
        )
        self._open(dialog)

    def ask_far_away(self) -> None:
        """Make a request for consent to send."""
        lang = "zh" if self._window.locale().name().startswith("zh") else "en"
        dialog = ConsentRequestDialog(lang, self._window)
        dialog.write_requested.connect(self._ask_where_request)
        self._open(dialog)

    def answer_file(self, path: str) -> None:
        """Answer the request in a file."""
        self._consents.read_request(Path(path))

    def take_in_file(self, path: str) -> None:
        """Save the voice of an answer; it is named first."""
        dialog = self.name_dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Take in an answer"))
        dialog.setLabelText(self.tr("What the voice is called:"))
        dialog.setTextValue(Path(path).name.removesuffix(f".{_ANSWER}")[:MAX_NAME])
        dialog.textValueSelected.connect(lambda name: self._consents.take_answer(VoiceCard(name), Path(path)))
        dialog.open()

    # What comes of it ------------------------------------------------------------------------------------------------

    def _drawn(self, drawn: Drawn) -> None:
        if isinstance(self.dialog, SpokenStatementDialog):
            self.dialog.show_drawn(drawn)

    def _kept(self, record: ConsentRecord) -> None:
        if isinstance(self.dialog, SpokenStatementDialog):
            self.dialog.show_kept(record)

    def _refused(self, problem: Problem) -> None:
        if isinstance(self.dialog, SpokenStatementDialog):
            self.dialog.show_refused(problem)
        else:
            self._notice.show_notice(self.tr("The answer was not taken in."), problem_text(problem))

    def _renewed(self, record: ConsentRecord) -> None:
        if isinstance(self.dialog, RenewConsentDialog):
            self.dialog.accept()
        text = self.tr("The consent has a new version, of level {level}. Let the statement be spoken to raise it.")
        self._notice.show_notice(text.format(level=record.level))

    def _withdrawn(self) -> None:
        if isinstance(self.dialog, WithdrawConsentDialog):
            self.dialog.accept()

    def _written(self, path: str) -> None:
        answered = isinstance(self.dialog, ConsentAnswerDialog)
        if self.dialog is not None:
            self.dialog.accept()
        text = self.tr("Saved: {path}. Send it to the person; their answer comes back as a file.")
        if answered:
            text = self.tr("Saved: {path}. Send it back to whoever asked.")
        self._notice.show_notice(text.format(path=path))

    def _answer(self, request: ConsentRequest) -> None:
        dialog = ConsentAnswerDialog(request, self._recorder, self._settings, self._window)
        dialog.write_requested.connect(
            lambda answer, spoken, files: self._ask_where(
                self.tr("Save the answer"),
                _ANSWER,
                lambda path: self._consents.write_answer(request, answer, spoken, files, path),
            )
        )
        dialog.statement.listen_requested.connect(self._listen)
        self._open(dialog)

    def _failed(self, what: str, error: Exception) -> None:
        if what != "consent":
            return
        if self.dialog is not None:
            self.dialog.failed(str(error))
        else:
            self._notice.show_notice(self.tr("That could not be done with this consent."), str(error))

    # Inside ----------------------------------------------------------------------------------------------------------

    def _open(self, dialog: _Dialog) -> None:
        if self.dialog is not None:
            self.dialog.close()
        self.dialog = dialog
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(lambda _: self._closed(dialog))
        dialog.show()

    def _closed(self, dialog: QDialog) -> None:
        if self.dialog is dialog:
            self.dialog = None
        self._desk.give_up("consent")

    def _listen(self, spoken: Spoken) -> None:
        if spoken.samples is not None:
            self.previewing.emit()
            self._player.set_source(ArraySource(spoken.samples, spoken.sample_rate))
            self._player.play()

    def _ask_where_request(self, asking: Asking) -> None:
        self._ask_where(
            self.tr("Save the request"), _REQUEST, lambda path: self._consents.write_request(asking, path)
        )  # fmt: skip

    def _ask_where(self, title: str, suffix: str, then: Callable[[Path], None]) -> None:
        dialog = QFileDialog(self._window, title, str(Path(self._settings.get("save_folder")) / f"voice.{suffix}"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([f"*.{suffix.rsplit('.', 1)[-1]}", self.tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: then(Path(path)))
        dialog.open()

    def _choose_request(self) -> None:
        self._choose(self.tr("Choose the request that was sent to you"), self.tr("Requests (*.json)"), self.answer_file)

    def _choose_answer(self) -> None:
        self._choose(self.tr("Choose the answer that came back"), self.tr("Answers (*.zip)"), self.take_in_file)

    def _choose(self, title: str, names: str, then: Callable[[str], None]) -> None:
        dialog = QFileDialog(self._window, title, self._settings.get("open_folder"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([names, self.tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(then)
        dialog.open()


def recogniser_folder(settings: Settings) -> Path | None:
    """Where the chosen recogniser's model lies; None for the one that comes with a package."""
    folder = settings.get("recogniser_folder")
    return Path(folder) if folder else None
