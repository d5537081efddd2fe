"""The user's own lines for the review of sensitive text, beside the lists that came with the studio. Not modal."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.sensitive import CATEGORIES, ListError, compile_lists
from app.core.sensitive_lists import LANGUAGES, read_own, shipped_list, write_own
from app.widgets.problem import Problem
from app.widgets.sensitive_wording import category_text, finding_text
from app.widgets.translated import Translated, describe


class SensitiveListsDialog(Translated, QDialog):
    """Writes the lines when Save is pressed and all can be understood; a text can be tried before."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._explanation = QLabel(wordWrap=True)
        self._explanation.setProperty("muted", True)
        self.tabs = QTabWidget()
        self.own = QPlainTextEdit()
        self.tabs.addTab(self.own, "")
        self._shipped = [QPlainTextEdit(readOnly=True) for _ in LANGUAGES]
        for lang, view in zip(LANGUAGES, self._shipped, strict=True):
            view.setPlainText(shipped_list(lang))
            self.tabs.addTab(view, "")
        self._try_label = QLabel()
        self.attempt = QLineEdit()
        self._try_label.setBuddy(self.attempt)
        self.answer = QLabel(wordWrap=True)
        self.problem = Problem()
        self.save, self.cancel = QPushButton(), QPushButton()
        self.save.setDefault(True)
        trying = QHBoxLayout()
        trying.addWidget(self._try_label)
        trying.addWidget(self.attempt, 1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save)
        layout = QVBoxLayout(self)
        layout.addWidget(self._explanation)
        layout.addWidget(self.tabs, 1)
        layout.addLayout(trying)
        layout.addWidget(self.answer)
        layout.addWidget(self.problem)
        layout.addLayout(buttons)
        letter = self.fontMetrics().averageCharWidth()
        self.resize(letter * 90, letter * 70)
        self.own.textChanged.connect(self._try)
        self.attempt.textChanged.connect(self._try)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.reject)
        self._read()
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Sensitive text"))
        names = ", ".join(f"[{category}] {category_text(category)}" for category in CATEGORIES)
        self._explanation.setText(
            self.tr(
                "Before text with these words is spoken, you are asked why. Write one phrase a line under a category: "
                "{categories}. “*” stands for any ending, “<n>” for a number, “|” for or, “&” for both in one "
                "sentence. “!” passes a phrase over, “-” takes a line of the studio's own lists away."
            ).format(categories=names)
        )
        self.tabs.setTabText(0, self.tr("My own lines"))
        for place, name in enumerate((self.tr("English (built in)"), self.tr("Chinese (built in)")), 1):
            self.tabs.setTabText(place, name)
            describe(self._shipped[place - 1], name)
        describe(self.own, self.tr("My own lines"))
        self.own.setPlaceholderText("[payment]\nsend & my coins\n! pocket money")
        self._try_label.setText(self.tr("Try a text"))
        describe(self.attempt, self.tr("Try a text"), self.tr("See what is found in it with the lines above"))
        self.save.setText(self.tr("Save"))
        describe(self.save, self.tr("Save my own lines"))
        self.cancel.setText(self.tr("Cancel"))
        describe(self.cancel, self.tr("Change nothing"))
        self._try()

    def _read(self) -> None:
        try:
            self.own.setPlainText(read_own())
        except (OSError, UnicodeDecodeError) as error:
            self.problem.say(self.tr("Your own lines cannot be read: {reason}").format(reason=error))

    def _try(self) -> None:
        """Say what is wrong with the lines, or what is found in the text that is tried."""
        try:
            lists = compile_lists(*map(shipped_list, LANGUAGES), self.own.toPlainText())
        except ListError as error:
            self.problem.say(self.tr("Line {number} cannot be understood.").format(number=error.line))
            self.problem.setToolTip(str(error))
            self.save.setEnabled(False)
            self.answer.clear()
            return
        self.problem.say("")
        self.save.setEnabled(True)
        text = self.attempt.text()
        found = "; ".join(finding_text(finding) for finding in lists.find(text))
        self.answer.setText(
            (found or self.tr("Nothing is found: this text is spoken without a question.")) if text else ""
        )

    def _save(self) -> None:
        try:
            write_own(self.own.toPlainText())
        except (OSError, ListError) as error:
            self.problem.say(self.tr("Your own lines could not be saved: {reason}").format(reason=error))
            return
        self.accept()
