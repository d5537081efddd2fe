"""Texts of help that come with the studio, in the language of the window; nothing is fetched for them. Not modal."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QLocale, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from app.core.resources import resource_path
from app.widgets.translated import Translated, describe

_PICTURE = 920  # wide enough for the pictures in the texts
TOPICS = ("data-flow", "misuse")


def help_file(topic: str, language: str) -> Path:
    """The text of a topic in ``language`` (such as zh_CN), else in English."""
    own = resource_path("help", f"{topic}.{'zh' if language.startswith('zh') else 'en'}.md")
    return own if own.is_file() else resource_path("help", f"{topic}.en.md")


class HelpDialog(Translated, QDialog):
    """Shows one topic. Links to other topics are followed here, those to the web in the browser."""

    topic_shown = Signal(str)

    def __init__(self, topic: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.topic = topic
        self.view = QTextBrowser(openLinks=False)
        self.view.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.close_button = QPushButton()
        bottom = QHBoxLayout()
        bottom.addStretch(1)
        bottom.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.addWidget(self.view, 1)
        layout.addLayout(bottom)
        width = self.fontMetrics().averageCharWidth()
        self.resize(max(150 * width, _PICTURE), 44 * self.fontMetrics().height())
        self.view.anchorClicked.connect(self._follow)
        self.close_button.clicked.connect(self.close)
        self.retranslate()

    def show_topic(self, topic: str) -> None:
        """Show another text."""
        self.topic = topic
        self.retranslate()
        self.topic_shown.emit(topic)

    def retranslate(self) -> None:
        """Show the text in the language of the window."""
        path = help_file(self.topic, QLocale().name())
        document = self.view.document()
        document.setBaseUrl(QUrl.fromLocalFile(f"{path.parent}/"))
        document.setDefaultFont(self.font())
        text = path.read_text(encoding="utf-8")
        self.view.setMarkdown(text)
        self.setWindowTitle(text.splitlines()[0].removeprefix("# "))
        self.view.setAccessibleName(self.windowTitle())
        self.close_button.setText(self.tr("Close"))
        describe(self.close_button, self.tr("Close"))

    def _follow(self, url: QUrl) -> None:
        topic = url.fileName().partition(".")[0]
        if topic in TOPICS:
            self.show_topic(topic)
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)
