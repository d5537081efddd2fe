"""What a person thinks of a take: stars, favourite, a note."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QToolButton, QWidget

from app.core.takes import Take
from app.widgets.translated import Translated, describe

MOST_STARS = 5


class TakeMarksEdit(Translated, QWidget):
    """Shows the marks of one take and tells what was changed; the note when it is left or Enter is pressed."""

    rating_changed = Signal(object, int)  # Take
    favourite_changed = Signal(object, bool)
    note_changed = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._take: Take | None = None
        self.rating = QComboBox()
        self.rating.addItems(["–", *("★" * stars for stars in range(1, MOST_STARS + 1))])
        self.favourite = QToolButton()
        self.favourite.setText("♥")
        self.favourite.setCheckable(True)
        self.note = QLineEdit()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.rating)
        row.addWidget(self.favourite)
        row.addWidget(self.note, 1)
        self.rating.activated.connect(lambda stars: self.rating_changed.emit(self._take, stars))
        self.favourite.clicked.connect(lambda on: self.favourite_changed.emit(self._take, on))
        self.note.editingFinished.connect(self._note_left)
        self.retranslate()

    def show_take(self, take: Take | None) -> None:
        """Show the marks of a take that is kept. A note that is being written is left alone, or told with its take."""
        if take is not self._take:
            self._note_left()
            self._take = take
        if take is not None and not self.note.isModified():
            self.rating.setCurrentIndex(take.marks.rating)
            self.favourite.setChecked(take.marks.favourite)
            self.note.setText(take.marks.note)
        self.setEnabled(take is not None and take.kept)

    def retranslate(self) -> None:
        """Set all texts."""
        describe(self.rating, self.tr("Stars"), self.tr("How good this take is, 1 to 5 stars"))
        describe(self.favourite, self.tr("Favourite"), self.tr("Mark this take as a favourite"))
        self.note.setPlaceholderText(self.tr("Note"))
        describe(self.note, self.tr("Note"), self.tr("What you want to remember of this take; the search finds it"))

    def _note_left(self) -> None:
        if self.note.isModified() and self._take is not None:
            self.note.setModified(False)
            self.note_changed.emit(self._take, self.note.text())
