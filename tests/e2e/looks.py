"""What a critical eye would find in a window: texts that are cut off, not translated, or hard to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

LEAST_CONTRAST = 4.5
_WORD = re.compile(r"[A-Za-z]{3,}")
# Names that are the same in every language: of things, formats, units, keys, and of what the machine has.
_NAMES = """
    aif aiff AIGC Apache ASS bfloat caf Content CPU cpu Credentials CSV CTranslate Ctrl CUDA cuda dBFS
    DejaVu Del Delete English Enter Esc evaluate Face flac FLAC float GitHub http https Hugging JSON kHz
    LoRA LUFS MIT mps NPY NVIDIA ogg Ogg opus Opus PDF Perth PNG Return RTF Shift Space SRT Studio VoxCPM
    VTT wav WAV WebVTT WER Whisper
"""
NAMES = frozenset(_NAMES.split())


def texts_of(root: QWidget) -> Iterator[tuple[QWidget, str]]:
    """Every text that can be seen in ``root`` now, with its widget."""
    for widget in [root, *root.findChildren(QWidget)]:
        if widget.isVisible() and widget.window() is root:
            for text in _texts(widget):
                if text.strip():
                    yield widget, text
    yield root, root.windowTitle()


def clipped(root: QWidget) -> list[str]:
    """Texts that do not fit into their widgets, with what they need and what they have."""
    found = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or widget.window() is not root or widget.property("elides"):
            continue
        need = _need(widget)
        if need is None:
            continue
        width, height = need
        if width > widget.width() + 1 or height > widget.height() + 1:
            text = next(iter(_texts(widget)), "")
            found.append(
                f"{type(widget).__name__} {text[:40]!r} needs {width} x {height}, has {widget.width()} x "
                f"{widget.height()}, in {_where(widget)}"
            )
    return found


def untranslated(root: QWidget, own_words: Iterable[str] = ()) -> list[str]:
    """Texts with English words in a Chinese window; ``own_words`` are those that a person or a model gave."""
    known = {*NAMES, *(word for text in own_words for word in _WORD.findall(text))}
    found = []
    for widget, text in texts_of(root):
        plain = re.sub(r"<[^>]*>", " ", text)  # rich text
        foreign = [word for word in _WORD.findall(plain) if word not in known]
        if foreign:
            found.append(f"{type(widget).__name__} {text[:60]!r}: {', '.join(foreign[:5])}, in {_where(widget)}")
    for widget in root.findChildren(QWidget):
        if widget.isVisible() and widget.window() is root:
            for text in (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()):
                plain = re.sub(r"<[^>]*>", " ", text)
                foreign = [word for word in _WORD.findall(plain) if word not in known]
                if foreign:
                    found.append(f"tooltip {text[:60]!r}: {', '.join(foreign[:5])}, in {_where(widget)}")
    return found


def hard_to_read(root: QWidget) -> list[str]:
    """Texts whose strongest stroke stands out from its ground by less than LEAST_CONTRAST, measured in the pixels."""
    picture = root.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    ratio = picture.devicePixelRatio()
    pixels = _pixels(picture)
    found = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or widget.window() is not root or not any(text.strip() for text in _texts(widget)):
            continue
        if isinstance(widget, QPlainTextEdit | QLineEdit) and not widget.isEnabled():
            continue
        seen = widget.visibleRegion().boundingRect()
        at = widget.mapTo(root, seen.topLeft()) if widget is not root else QPoint()
        top, left = round(at.y() * ratio), round(at.x() * ratio)
        part = pixels[
            max(0, top) : top + round(seen.height() * ratio), max(0, left) : left + round(seen.width() * ratio)
        ]
        if min(part.shape) < 6:
            continue
        drawn, ground = _contrast_in(part)
        contrast = max(drawn, _meant(widget, ground))
        if contrast < LEAST_CONTRAST:
            text = next(text for text in _texts(widget) if text.strip())
            found.append(f"{type(widget).__name__} {text[:40]!r}: {contrast:.1f}, in {_where(widget)}")
    return found


def _meant(widget: QWidget, ground: float) -> float:
    """The contrast of the colour that the text is meant to have: thin strokes are drawn paler than that."""
    group = QPalette.ColorGroup.Normal if widget.isEnabled() else QPalette.ColorGroup.Disabled
    colour = widget.palette().color(group, widget.foregroundRole())
    light = float(_luminance(np.array([[colour.redF(), colour.greenF(), colour.blueF()]]))[0])
    return (max(light, ground) + 0.05) / (min(light, ground) + 0.05)


def _texts(widget: QWidget) -> list[str]:
    match widget:
        case QLabel() | QAbstractButton():
            return [widget.text()]
        case QGroupBox():
            return [widget.title()]
        case QLineEdit():
            return [widget.text() or widget.placeholderText()] if not _is_spin(widget) else []
        case QPlainTextEdit():
            return [widget.toPlainText() or widget.placeholderText()]
        case QComboBox():
            return [widget.currentText()]
        case QAbstractSpinBox():
            return [widget.text()]
        case QTabBar():
            return [widget.tabText(index) for index in range(widget.count())]
        case QListWidget():
            return [widget.item(row).text() for row in range(widget.count())]
    return []


def _is_spin(widget: QWidget) -> bool:
    return isinstance(widget.parentWidget(), QAbstractSpinBox | QComboBox)


def _need(widget: QWidget) -> tuple[int, int] | None:
    """The width and height without which a text is cut off."""
    if isinstance(widget, QLabel):
        if not widget.text() or not widget.pixmap().isNull():
            return None
        if widget.wordWrap():
            return _longest_word(widget), widget.heightForWidth(widget.width())
        return widget.sizeHint().width(), widget.fontMetrics().height()
    if isinstance(widget, QAbstractButton | QComboBox):
        texts = _texts(widget)
        if not texts[0].strip():
            return None
        hint = widget.minimumSizeHint()
        if isinstance(widget, QComboBox):
            room = widget.width() - widget.style().pixelMetric(widget.style().PixelMetric.PM_ScrollBarExtent)
            return widget.width() + max(0, widget.fontMetrics().horizontalAdvance(texts[0]) - room), hint.height()
        return _button_width(widget, hint), min(hint.height(), widget.fontMetrics().height() + 2)
    if isinstance(widget, QAbstractSpinBox):
        return widget.minimumSizeHint().width(), widget.fontMetrics().height()
    if isinstance(widget, QLineEdit) and not widget.text() and widget.placeholderText():
        margin = 2 * widget.fontMetrics().averageCharWidth()
        return widget.fontMetrics().horizontalAdvance(widget.placeholderText()) + margin, widget.fontMetrics().height()
    if isinstance(widget, QTabBar):
        return sum(widget.tabSizeHint(index).width() for index in range(widget.count())), 0
    return None


def _button_width(widget: QAbstractButton, hint: QSize) -> int:
    text = widget.text().replace("&&", "\0").replace("&", "").replace("\0", "&")
    words = max(widget.fontMetrics().horizontalAdvance(line) for line in text.split("\n"))
    return min(hint.width(), words + 4) if hint.width() > 0 else words


def _longest_word(label: QLabel) -> int:
    if label.textFormat() == Qt.TextFormat.RichText or "<" in label.text():
        return 0
    # Chinese breaks between any two characters.
    words = re.split(r"[\s/\\·–-]+|(?<=[\u3000-\u9fff\uff00-\uffef])|(?=[\u3000-\u9fff\uff00-\uffef])", label.text())
    return max((label.fontMetrics().horizontalAdvance(word) for word in words), default=0)


def _where(widget: QWidget) -> str:
    names, at = [], widget.parentWidget()
    while at is not None:
        if type(at).__module__.startswith("app."):
            names.append(type(at).__name__)
        at = at.parentWidget()
    return " < ".join(names[:3])


def _pixels(picture: QImage) -> np.ndarray:
    """The picture as 0xRRGGBB, uint32 [height, width]."""
    raw = np.frombuffer(picture.constBits(), np.uint32).reshape(picture.height(), picture.bytesPerLine() // 4)
    return raw[:, : picture.width()] & 0xFFFFFF


def _contrast_in(part: np.ndarray) -> tuple[float, float]:
    """The contrast (WCAG) of the ground and the strongest colour that is no stray pixel; the ground's luminance.

    The ground is the median: more than half of what is around a text is none, and a button's may be a gradient.
    """
    numbers, counts = np.unique(part, return_counts=True)
    light = _luminance(np.stack([numbers >> 16 & 255, numbers >> 8 & 255, numbers & 255], axis=1) / 255)
    ascending = np.argsort(light)
    ground = light[ascending][np.searchsorted(np.cumsum(counts[ascending]), counts.sum() / 2)]
    ratios = (np.maximum(light, ground) + 0.05) / (np.minimum(light, ground) + 0.05)
    order = np.argsort(-ratios)
    strong = np.searchsorted(np.cumsum(counts[order]), 4)  # a stroke of at least a few pixels
    return float(ratios[order][min(strong, len(order) - 1)]), float(ground)


def _luminance(colours: np.ndarray) -> Any:
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])
