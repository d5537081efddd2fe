"""What is known of the chosen take: marks, how it was made, how good it is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFormLayout, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.core.quality import QualityBoard, QualityCard
from app.core.takes import Take
from app.widgets.quality_text import finding_text, measures_text, missing_text, words_html
from app.widgets.take_marks import TakeMarksEdit
from app.widgets.translated import Translated
from app.widgets.wording import end_text, flag_text, mode_name, model_text, wait_text

_MOST_LINES = 13
_USUAL_ROWS = 9  # made before anything is pressed


class _Facts(QScrollArea):
    """As high as what is in it, up to some lines; then it scrolls."""

    def __init__(self) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def sizeHint(self) -> QSize:
        """The height of the rows at the width that there is."""
        inside = self.widget()
        if inside is None:
            return super().sizeHint()
        height = inside.heightForWidth(self.viewport().width()) if inside.hasHeightForWidth() else -1
        most = _MOST_LINES * self.fontMetrics().lineSpacing()
        return QSize(inside.sizeHint().width(), min(max(height, inside.sizeHint().height()), most))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The rows are counted once they are shown, which is after they were added."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        """One line, so that a low window still shows the list."""
        return QSize(0, self.fontMetrics().lineSpacing())


class TakeCard(Translated, QFrame):
    """Hidden without a take. ``board`` holds what was measured."""

    def __init__(self, board: QualityBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._board = board
        self._take: Take | None = None
        self._shown: list[tuple[str, str, bool]] = []
        self._labels: list[tuple[QLabel, QLabel]] = []
        self.is_waiting: Callable[[Take], bool] = lambda take: False  # for its quality
        self.marks = TakeMarksEdit()
        inside = QWidget()
        self._rows = QFormLayout(inside)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self._scroll = _Facts()
        self._scroll.setWidget(inside)
        inside.setAutoFillBackground(False)
        self._scroll.viewport().setAutoFillBackground(False)
        layout = QVBoxLayout(self)
        side = self.fontMetrics().averageCharWidth()
        layout.setContentsMargins(side, side // 2, side, side // 2)
        layout.addWidget(self.marks)
        layout.addWidget(self._scroll)
        for _ in range(_USUAL_ROWS):
            self._add_row()

    def show_take(self, take: Take | None) -> None:
        """Show what is known of a take by now."""
        self._take = take
        self.setVisible(take is not None)
        self.marks.show_take(take)
        self.retranslate()

    def text(self) -> str:
        """Everything that stands there, a line for each fact."""
        return "\n".join(f"{name}: {value}" for name, value, _ in self._shown)

    def retranslate(self) -> None:
        """Write everything anew."""
        rows = [] if self._take is None else [*self._quality(self._take), *self._made(self._take)]
        if rows == self._shown:  # a take that grows tells so many times a second
            return
        self._shown = rows
        while len(self._labels) < len(rows):
            self._add_row()
        for number, (name, value, rich) in enumerate(rows):
            label, text = self._labels[number]
            label.setText(name)
            text.setTextFormat(Qt.TextFormat.RichText if rich else Qt.TextFormat.PlainText)
            text.setText(value)
        for number in range(len(self._labels)):  # making and styling labels anew for each take would cost far more
            self._rows.setRowVisible(number, number < len(rows))

    def _add_row(self) -> None:
        label, text = QLabel(), QLabel(wordWrap=True)
        label.setProperty("muted", True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._rows.addRow(label, text)
        self._rows.setRowVisible(len(self._labels), False)
        self._labels.append((label, text))

    def _quality(self, take: Take) -> list[tuple[str, str, bool]]:
        card = self._board.card(take)
        if card is None:
            return [(self.tr("Quality"), self.tr("is being measured…"), False)] if self.is_waiting(take) else []
        place = self._board.place(take)
        found = "; ".join(finding_text(finding) for finding in card.findings) or self.tr("no problems found")
        if place is not None and place[1] > 1:
            found = self.tr("{place} of {count}: {found}").format(place=place[0], count=place[1], found=found)
        rows = [(self.tr("Quality"), found, False), (self.tr("Measured"), measures_text(card), False)]
        return rows + self._heard(card)

    def _heard(self, card: QualityCard) -> list[tuple[str, str, bool]]:
        rows: list[tuple[str, str, bool]] = []
        if card.words:
            rows.append((self.tr("Heard"), words_html(card.words), True))
        if card.likeness is not None:
            rows.append((self.tr("Same voice"), f"{card.likeness:.2f}", False))
        names = {"words": self.tr("Heard"), "likeness": self.tr("Same voice")}
        for kind, (code, reason) in card.unavailable.items():
            text = self.tr("not available: {reason}").format(reason=missing_text(code, reason))
            rows.append((names[kind], text, False))
        return rows

    def _made(self, take: Take) -> list[tuple[str, str, bool]]:
        job = take.job
        rows = [
            (self.tr("Mode"), mode_name(job.mode)),
            (self.tr("Model"), f"{model_text(take.model.name)} · {take.sample_rate / 1000:g} kHz"),
            (
                self.tr("Settings"),
                self.tr("{steps} steps · guidance {cfg:g} · temperature {temperature:g}").format(
                    steps=job.steps, cfg=job.cfg, temperature=job.temperature
                ),
            ),
        ]
        if take.joined:
            text = self.tr("joined of {count} parts of other takes").format(count=len(take.joined))
            rows.append((self.tr("Origin"), text))
        if take.end:
            rows.append((self.tr("End"), end_text(take.end)))
        if take.real_time_factor and not take.is_growing:
            rows.append((self.tr("Speed"), self.tr("RTF {factor:.2f}").format(factor=take.real_time_factor)))
        if take.result is not None and take.result.time_to_first_audio:
            rows.append((self.tr("First sound"), wait_text(take.result.time_to_first_audio)))
        if take.flags:
            rows.append((self.tr("Note"), "; ".join(flag_text(flag) for flag in take.flags)))
        if take.saved_as:
            rows.append((self.tr("Saved"), take.saved_as))
        return [(name, value, False) for name, value in rows]
