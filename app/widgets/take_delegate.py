"""How one take looks in the list: title and length above, the rest below in small."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

_SMALL = 0.9
_LINE = 1.25  # Chinese letters come from another font and stand higher than the font's own metrics say


class TwoLineDelegate(QStyledItemDelegate):
    """Title (display role), ``subtitle_role`` and, at the right, ``length_role``."""

    def __init__(self, subtitle_role: int, length_role: int) -> None:
        super().__init__()
        self._subtitle_role = subtitle_role
        self._length_role = length_role
        self._fonts: dict[str, tuple[QFontMetrics, QFont, QFontMetrics]] = {}

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Two lines and some air."""
        height = QFontMetrics(option.font).height()
        return QSize(0, round(height * _LINE * (1 + _SMALL)) + height // 2)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw background, title, length and subtitle."""
        self.initStyleOption(option, index)
        style = option.widget.style() if option.widget else QApplication.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        palette = option.palette
        main = palette.color(QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text)
        quiet = main if selected else palette.color(QPalette.ColorRole.PlaceholderText)
        metrics, small, small_metrics = self._fonts_of(option.font)
        margin = metrics.height() // 2
        area = option.rect.adjusted(margin, margin // 4, -margin, -margin // 4)
        painter.save()
        painter.setFont(option.font)
        painter.setPen(main)
        length = str(index.data(self._length_role) or "")
        length_width = metrics.horizontalAdvance(length)
        first = QRect(area.left(), area.top(), area.width(), round(metrics.height() * _LINE))
        painter.drawText(first, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, length)
        room = area.width() - (length_width + margin if length else 0)
        title = metrics.elidedText(str(index.data() or ""), Qt.TextElideMode.ElideRight, room)
        painter.drawText(first, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        painter.setFont(small)
        painter.setPen(quiet)
        below = QRect(area.left(), first.bottom() + 1, area.width(), area.bottom() - first.bottom())
        subtitle = str(index.data(self._subtitle_role) or "")
        text = small_metrics.elidedText(subtitle, Qt.TextElideMode.ElideRight, below.width())
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def _fonts_of(self, font: QFont) -> tuple[QFontMetrics, QFont, QFontMetrics]:
        """What it measures, the smaller font, and what that measures; made once, since every row needs them."""
        key = font.key()
        if key not in self._fonts:
            small = QFont(font)
            small.setPointSizeF(font.pointSizeF() * _SMALL)
            self._fonts[key] = QFontMetrics(font), small, QFontMetrics(small)
        return self._fonts[key]
