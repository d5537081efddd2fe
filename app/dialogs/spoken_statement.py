"""Raises the level of a saved voice's consent: the statement is spoken, recorded, checked and kept. Not modal."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.audio.recorder import Recorder
from app.consent_desk import Drawn
from app.core.consent.problems import Problem as Reason
from app.core.consent.record import ConsentRecord
from app.core.settings import Settings
from app.dialogs.growing import GrowingDialog
from app.widgets.consent_statement import SpokenStatement
from app.widgets.consent_text import level_text, problem_text
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe

_LANGUAGES = ("en", "zh")


class SpokenStatementDialog(Translated, GrowingDialog):
    """Asks by signals; what comes of it is told by its methods. Closing it lets go of the microphone."""

    draw_requested = Signal(str)  # language
    check_requested = Signal(object, object, bool)  # Statement, Spoken, though unheard

    def __init__(self, name: str, recorder: Recorder, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._drawn: Drawn | None = None
        self._kept: ConsentRecord | None = None
        self._refusal: Reason | None = None
        self._busy = False
        self.heading = QLabel(wordWrap=True)
        self.heading.setObjectName("panelTitle")
        self._language_label = QLabel()
        self.language = QComboBox()
        self._language_label.setBuddy(self.language)
        self.level = QLabel(wordWrap=True)
        self.statement = SpokenStatement(recorder, settings)
        self.reach = QLabel(wordWrap=True)
        self.problem = Problem()
        self._proof = QLabel(wordWrap=True)
        self._proof.setProperty("muted", True)
        self.check, self.anyway, self.done_button = QPushButton(), QPushButton(), QPushButton()
        self.check.setDefault(True)
        self._build()
        self.language.activated.connect(lambda _: self.draw_requested.emit(self.language.currentData()))
        self.statement.spoken_changed.connect(self._update)
        self.check.clicked.connect(lambda: self._check(False))
        self.anyway.clicked.connect(lambda: self._check(True))
        self.done_button.clicked.connect(self.close)
        self.finished.connect(lambda _: self.statement.let_go())
        self.retranslate()

    # What it is told -------------------------------------------------------------------------------------------------

    def show_drawn(self, drawn: Drawn) -> None:
        """Show the statement that was drawn, and what can be reached with it."""
        self._drawn, self._busy, self._refusal = drawn, False, None
        self.language.setCurrentIndex(self.language.findData(drawn.statement.lang))
        self.statement.show_statement(drawn.statement.text.text or "", drawn.statement.nonce)
        self._update()

    def show_kept(self, record: ConsentRecord) -> None:
        """Say that the statement is in the record now."""
        self._kept, self._busy, self._refusal = record, False, None
        self._update()

    def show_refused(self, reason: Reason) -> None:
        """Say why the recording was not taken; it can be spoken once more."""
        self._busy, self._refusal = False, reason
        self._update()

    def failed(self, text: str) -> None:
        """Say what went wrong; nothing was kept."""
        self._busy = False
        self._update()
        self.problem.say(text)

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Spoken statement"))
        self.heading.setText(self.tr("A spoken statement for {name}").format(name=self._name))
        self._language_label.setText(self.tr("Language of the statement"))
        describe(self.language, self._language_label.text())
        chosen = self.language.currentIndex()
        self.language.clear()
        for code, text in zip(_LANGUAGES, (self.tr("English"), self.tr("Chinese")), strict=True):
            self.language.addItem(text, code)
        self.language.setCurrentIndex(max(0, chosen))
        self.check.setText(self.tr("Check and keep"))
        describe(self.check, self.tr("Check the recording and put it into the record"))
        self.anyway.setText(self.tr("Keep it as evidence only (L1)"))
        describe(self.anyway, self.tr("Put the recording into the record although it was not recognised"))
        self.done_button.setText(self.tr("Close"))
        describe(self.done_button, self.tr("Close"))
        self._update()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        language = QHBoxLayout()
        language.addWidget(self._language_label)
        language.addWidget(self.language)
        language.addStretch(1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.anyway)
        buttons.addStretch(1)
        buttons.addWidget(self.done_button)
        buttons.addWidget(self.check)
        layout = QVBoxLayout(self)
        layout.addWidget(self.heading)
        layout.addWidget(self.level)
        layout.addLayout(language)
        for widget in (self.statement, self.reach, self.problem, self._proof):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 84)

    def _check(self, though_unheard: bool) -> None:
        drawn, spoken = self._drawn, self.statement.spoken
        if drawn is None or spoken is None:
            return
        self._busy, self._refusal = True, None
        self._update()
        self.check_requested.emit(drawn.statement, spoken, though_unheard)

    def _update(self) -> None:
        drawn, spoken = self._drawn, self.statement.spoken
        over = self._kept is not None
        level = self._kept.level if self._kept is not None else (drawn.level if drawn is not None else "")
        self._proof.setText(self._proof_text())
        self.level.setText(self.tr("Now: {level}").format(level=level_text(level)) if level else "")
        self.reach.setText("" if over else self._reach_text())
        self.problem.say(problem_text(self._refusal) if self._refusal is not None else "")
        self.check.setEnabled(spoken is not None and not self._busy and not over)
        if self._busy:
            self.check.setToolTip(self.tr("It is being checked. The first time this takes some seconds."))
        else:
            missing = self.tr("Record the statement first, or choose a recording of it.")
            self.check.setToolTip(self.tr("Check the recording and put it into the record") if spoken else missing)
        from app.core.spoken import NOT_HEARD

        self.anyway.setVisible(self._refusal is not None and self._refusal.code == NOT_HEARD and not over)
        self.statement.setEnabled(not self._busy and not over and drawn is not None)
        self.language.setEnabled(not self._busy and not over)

    def _proof_text(self) -> str:
        """What is kept, and for how long; that counts from when the recording is put into the record."""
        drawn = self._drawn
        kept = {
            "session": self.tr("The recording is kept encrypted, until the studio ends."),
            "24h": self.tr("The recording is kept encrypted, for 24 hours from now."),
            "7d": self.tr("The recording is kept encrypted, for 7 days from now."),
            "30d": self.tr("The recording is kept encrypted, for 30 days from now."),
            "until_expiry": self.tr("The recording is kept encrypted, for as long as the consent lasts."),
        }
        text = self.tr("The record keeps what was heard and how alike the voices are. It does not prove who it is.")
        return f"{text} {kept[drawn.kept]}" if drawn is not None else text

    def _reach_text(self) -> str:
        """What the recording can give, and what would give more."""
        drawn, spoken = self._drawn, self.statement.spoken
        if drawn is None:
            return ""
        if self._busy:
            return self.tr("It is being checked. The first time this takes some seconds.")
        level = drawn.live if spoken is None or spoken.path is None else drawn.file
        text = self.tr("With this recording, if it passes: {level}").format(level=level_text(level))
        return "\n".join([text, *(f"• {problem_text(more)}" for more in drawn.more if more.code != "raise.document")])
