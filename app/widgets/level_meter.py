"""How loud it is now: a bar with the highest of the last seconds, and the same as a number."""

from __future__ import annotations

import time

from PySide6.QtCore import QRectF, QSize, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.widgets.translated import Translated
from app.widgets.wording import FLOOR_DB, decibels, level_text

_HOLD_SECONDS = 1.5
_FALL_DB_PER_SECOND = 24.0  # of the bar, so that a glance is enough to read it
_TICK_MS = 50


class LevelMeter(Translated, QWidget):
    """Peaks from -60 dB to full scale. Above full scale is said in words, not by colour alone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bar = self._peak = FLOOR_DB
        self._peak_at = self._shown_at = 0.0
        self._clipped = False
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._fall)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.retranslate()

    @property
    def peak(self) -> float:
        """The level that is held, in dB below full scale."""
        return self._peak

    @property
    def text(self) -> str:
        """What it says in words."""
        return self.tr("too loud") if self._clipped else level_text(10 ** (self._peak / 20))

    def show_level(self, level: float) -> None:
        """Take a new peak, linear, 1 = full scale."""
        now = time.monotonic()
        value = decibels(level)
        self._bar = max(value, self._bar)
        if value >= self._peak:
            self._peak, self._peak_at, self._clipped = value, now, level > 1.0
        if value > FLOOR_DB and not self._tick.isActive():
            self._shown_at = now
            self._tick.start()

    def sizeHint(self) -> QSize:
        """Eighteen digits wide, one line high."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance("0" * 18), metrics.height() + 4)

    def minimumSizeHint(self) -> QSize:
        """Two thirds of it do too."""
        return QSize(self.fontMetrics().horizontalAdvance("0" * 12), self.sizeHint().height())

    def retranslate(self) -> None:
        """Set all texts."""
        self.setAccessibleName(self.tr("Level"))
        self.setToolTip(self.tr("Level of what is heard; the mark and the number hold the highest for a moment"))
        self.update()

    def restyle(self) -> None:
        """Draw in the new colours."""
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw bar, mark and number."""
        painter, palette = QPainter(self), self.palette()
        words = self.fontMetrics().horizontalAdvance("-60 dB ")
        ground = QRectF(0, 2, self.width() - words, self.height() - 4)
        painter.fillRect(ground, palette.color(QPalette.ColorRole.Button))
        role = QPalette.ColorRole.BrightText if self._clipped else QPalette.ColorRole.Highlight
        bar = QRectF(ground)
        bar.setWidth(ground.width() * _share(self._bar))
        painter.fillRect(bar, palette.color(role))
        if self._peak > FLOOR_DB:
            mark = QRectF(ground.width() * _share(self._peak) - 2, ground.top(), 2, ground.height())
            painter.fillRect(mark, palette.color(QPalette.ColorRole.WindowText))
        painter.setPen(palette.color(QPalette.ColorRole.WindowText))
        painter.drawText(QRectF(ground.right() + 4, 0, words, self.height()), 0x0081, self.text)  # left, middle

    def _fall(self) -> None:
        now = time.monotonic()
        self._bar = max(FLOOR_DB, self._bar - _FALL_DB_PER_SECOND * (now - self._shown_at))
        self._shown_at = now
        if now - self._peak_at > _HOLD_SECONDS:
            self._peak, self._clipped = self._bar, False
        if self._bar <= FLOOR_DB and self._peak <= FLOOR_DB:
            self._tick.stop()
        self.update()


def _share(level: float) -> float:
    return min(max(0.0, 1 - level / FLOOR_DB), 1.0)
