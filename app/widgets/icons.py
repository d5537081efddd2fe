"""Icons from resources/icons in the text colour of the palette, sharp at every scaling."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.core.resources import resource_path

_SIZES = (16, 24, 32, 48, 64, 96)


def themed_icon(name: str, palette: QPalette) -> QIcon:
    """Return the icon ``name`` drawn with the palette's button text colours, normal and disabled."""
    svg = resource_path("icons", f"{name}.svg").read_text(encoding="utf-8")
    icon = QIcon()
    for mode, group in (
        (QIcon.Mode.Normal, QPalette.ColorGroup.Active),
        (QIcon.Mode.Disabled, QPalette.ColorGroup.Disabled),
    ):
        colour = palette.color(group, QPalette.ColorRole.ButtonText)
        renderer = QSvgRenderer(QByteArray(svg.replace("currentColor", colour.name()).encode()))
        for size in _SIZES:
            icon.addPixmap(_draw(renderer, size), mode)
    return icon


def _draw(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter)
    painter.end()
    return pixmap
