"""Names of all controls of the live window: every widget and menu entry that a person can work with."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTabWidget,
    QTextEdit,
    QWidget,
)

import app
from app.main_window import MainWindow
from app.widgets.cue_timeline import CueTimeline
from app.widgets.drop_area import DropArea
from app.widgets.time_plot import TimePlot
from app.widgets.timeline import Timeline
from app.widgets.trim_view import TrimView

_KINDS = (
    QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit,
    QTabBar, QTextEdit, DropArea, TimePlot, Timeline, TrimView, CueTimeline,
)  # fmt: skip
_COMPOSED = (QAbstractSpinBox, QComboBox, QAbstractItemView, QTabBar, QLineEdit, QPlainTextEdit, QTextEdit)


def controls(root: QWidget) -> dict[str, QWidget | QAction]:
    """Return every control below ``root`` (a window or a dialog of the studio), by its name in the source.

    A name is made of the attributes that lead there, ``compose.clone.drop.open_button``; that of a dialog begins with
    its class. Entries of menus that open from a button follow its name: ``model_button: Models and downloads…``.
    """
    found: dict[str, QWidget | QAction] = {}
    for widget in root.findChildren(QWidget):
        if isinstance(widget, _KINDS) and widget.window() is root and not _is_part(widget):
            name = name_of(widget, root)
            assert name not in found, f"two controls are called {name}"
            found[name] = widget
    for button, menu in _menus(root):
        menu.aboutToShow.emit()
        found |= {f"{name_of(button, root)}: {action.text()}": action for action in _entries(menu)}
    if isinstance(root, MainWindow):
        keys = {action: key for key, action in root.menus.actions.items()}
        entries = (entry for top in root.menuBar().actions() for entry in _entries(top.menu()))
        found |= {f"menu: {keys.get(action, action.text())}": action for action in entries}
    return found


def name_of(widget: QWidget, root: QWidget) -> str:
    """Return how a widget is reached from ``root``."""
    parts: list[str] = []
    at: QWidget | None = widget
    while at is not None and at is not root:
        holder = at.parentWidget()
        part = ""
        while holder is not None:
            part = _attribute(holder, at)
            if part or holder is root:
                break
            holder = holder.parentWidget()
        if not part:  # held by nobody above it: by the window's other objects, or by nothing
            part = _elsewhere(root, at) or at.objectName() or f"?{type(at).__name__}"
        parts.insert(0, part)
        at = holder
    return ".".join(([] if root.parentWidget() is None else [type(root).__name__]) + parts)


def dialog_classes() -> set[type[QDialog]]:
    """All dialogs that the studio has of its own."""
    for module in pkgutil.walk_packages(app.__path__, "app."):
        if module.name != "app.__main__":
            importlib.import_module(module.name)
    return {kind for kind in _below(QDialog) if kind.__module__.startswith("app.")}


def _below(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


def _is_part(widget: QWidget) -> bool:
    """Whether it belongs to a control that is counted itself, or to Qt."""
    if isinstance(widget, QScrollBar | QHeaderView) or widget.objectName().startswith("qt_"):
        return not isinstance(widget, QTabBar)
    if isinstance(widget, QPlainTextEdit | QTextEdit) and widget.isReadOnly():
        return True
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, _COMPOSED):
            return True
        above = above.parentWidget()
    return False


def _menus(root: QWidget) -> Iterator[tuple[QWidget, QMenu]]:
    for button in root.findChildren(QAbstractButton):
        menu = getattr(button, "menu", lambda: None)()
        if menu is not None and button.window() is root and not button.objectName().startswith("qt_"):
            yield button, menu


def _entries(menu: QMenu) -> Iterator[QAction]:
    """All entries, those of menus inside included."""
    for action in menu.actions():
        if action.menu() is not None:
            yield from _entries(action.menu())
        elif not action.isSeparator():
            yield action


def _attribute(holder: QObject, wanted: QObject) -> str:
    """The attribute of ``holder`` that holds ``wanted``: rather a public than a private one, itself before lists."""
    if isinstance(holder, QTabWidget) and isinstance(wanted, QTabBar):
        return "bar"
    best: tuple[int, str] = (9, "")
    for attribute, value in vars(holder).items():
        private = 2 * attribute.startswith("_")
        if value is wanted:
            best = min(best, (private, attribute))
        elif isinstance(value, dict | list | tuple):
            for key in _keys(value, wanted):
                best = min(best, (1 + private, f"{attribute.lstrip('_')}[{key}]"))
    return best[1].lstrip("_")


def _keys(many: Any, wanted: QObject) -> Iterator[str]:
    entries = many.items() if isinstance(many, dict) else enumerate(many)
    for key, value in entries:
        if value is wanted:
            yield str(key)


def _elsewhere(root: QWidget, wanted: QObject) -> str:
    for attribute, value in vars(root).items():
        if isinstance(value, QObject) and not isinstance(value, QWidget):
            part = _attribute(value, wanted)
            if part:
                return f"{attribute.lstrip('_')}.{part}"
    return ""
