"""A statement to be spoken: its words in large letters, and its recording by microphone or from a file."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.audio.recorder import Recorder, Recording
from app.consent_desk import Spoken
from app.core.settings import Settings
from app.widgets.record_row import RecordRow
from app.widgets.translated import Translated, describe
from app.widgets.wording import length_text, no_input_reason

LONGEST_SECONDS = 60.0


class SpokenStatement(Translated, QWidget):
    """``spoken`` is the recording, None while there is none. Another statement takes the recording away."""

    spoken_changed = Signal()
    listen_requested = Signal(object)  # Spoken

    def __init__(self, recorder: Recorder, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spoken: Spoken | None = None
        self._recorder, self._settings = recorder, settings
        self._gaps = 0
        self._seconds = 0.0
        self._card = QFrame()
        self._card.setProperty("card", True)
        self._lead = QLabel(wordWrap=True)
        self.text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        font = self.text.font()
        font.setPointSizeF(font.pointSizeF() * 1.35)
        self.text.setFont(font)
        self.text.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)
        inside = QVBoxLayout(self._card)
        inside.addWidget(self.text)
        self.record_button, self.file_button, self.listen_button = QPushButton(), QPushButton(), QPushButton()
        self.row = RecordRow(recorder, settings, LONGEST_SECONDS)
        self.state = QLabel(wordWrap=True)
        self.state.setProperty("muted", True)
        buttons = QHBoxLayout()
        for button in (self.record_button, self.file_button, self.listen_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._lead)
        layout.addWidget(self._card)
        layout.addLayout(buttons)
        layout.addWidget(self.row)
        layout.addWidget(self.state)
        self.record_button.clicked.connect(self._record)
        self.file_button.clicked.connect(self._ask_for_file)
        self.listen_button.clicked.connect(self._listen)
        self.row.recorded.connect(self._recorded)
        self.row.closed.connect(self._update)
        recorder.availability_changed.connect(self._update)
        self.retranslate()

    def show_statement(self, text: str, words: tuple[str, ...]) -> None:
        """Show another statement; its random words stand out, since they carry the proof."""
        shown = escape(text)
        for word in words:
            at = shown.rfind(escape(word))
            shown = f"{shown[:at]}<b>{escape(word)}</b>{shown[at + len(escape(word)) :]}" if at >= 0 else shown
        self.text.setText(shown)
        self.text.setAccessibleName(text)
        self.use(None)

    def use(self, spoken: Spoken | None, seconds: float = 0.0, gaps: int = 0) -> None:
        """Take a recording in place of the one that is there."""
        self.spoken, self._seconds, self._gaps = spoken, seconds, gaps
        self._update()
        self.spoken_changed.emit()

    def use_file(self, path: str) -> None:
        """Take a file; it is read when the statement is checked."""
        if path:
            moment = datetime.fromtimestamp(Path(path).stat().st_mtime, UTC).replace(microsecond=0)
            self.use(Spoken(moment, path=Path(path)))

    def let_go(self) -> None:
        """Let go of the microphone."""
        self.row.cancel()

    def retranslate(self) -> None:
        """Set all texts."""
        self._lead.setText(self.tr("The person whose voice it is says this aloud, with the four words at the end:"))
        self.record_button.setText(self.tr("Record with the microphone"))
        describe(self.record_button, self.tr("Record the statement with the microphone"))
        self.file_button.setText(self.tr("Choose a recording…"))
        describe(self.file_button, self.tr("Take a recording of the statement from a file"))
        self.listen_button.setText(self.tr("Listen"))
        describe(self.listen_button, self.tr("Listen to the recording of the statement"))
        self._update()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _record(self) -> None:
        self.use(None)
        self.row.begin()
        self._update()

    def _recorded(self, recording: Recording) -> None:
        spoken = Spoken(recording.started_at, recording.samples, recording.sample_rate)
        self.use(spoken, recording.seconds, recording.overruns)

    def _listen(self) -> None:
        if self.spoken is not None and self.spoken.samples is not None:
            self.listen_requested.emit(self.spoken)

    def _ask_for_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose a recording of the statement"), self._settings.get("open_folder"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Sound (*.wav *.flac *.ogg *.opus *.mp3)"), self.tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.use_file)
        dialog.open()

    def _update(self) -> None:
        missing = self._recorder.unavailable
        self.record_button.setEnabled(not missing and not self.row.is_open)
        self.record_button.setToolTip(
            no_input_reason(missing) if missing else self.tr("Record the statement with the microphone")
        )
        self.listen_button.setEnabled(self.spoken is not None and self.spoken.samples is not None)
        if self.spoken is None:
            text = self.tr("There is no recording yet.")
        elif self.spoken.path is not None:
            text = self.tr("Recording: the file {name}").format(name=self.spoken.path.name)
        else:
            text = self.tr("Recorded live: {length}").format(length=length_text(self._seconds))
            if self._gaps:
                text += " " + self.tr("Sound was lost on the way; record it once more.")
        self.state.setText(text)
