"""How the studio looks: Fusion with a light and a dark palette of its own, and one small style sheet."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from app.core.resources import resource_path


@dataclass(frozen=True)
class Colours:
    """The colours of one theme, as #rrggbb."""

    window: str
    base: str
    raised: str
    text: str
    muted: str
    line: str
    accent: str
    accent_text: str
    accent_strong: str
    problem: str
    notice: str


LIGHT = Colours(
    window="#f3f4f6",
    base="#ffffff",
    raised="#e9ebef",
    text="#1b2025",
    muted="#59626d",
    line="#c9ced6",
    accent="#2a63c8",
    accent_text="#ffffff",
    accent_strong="#1f4fa5",
    problem="#b3261e",
    notice="#fff3d6",
)
DARK = Colours(
    window="#1d2024",
    base="#15171a",
    raised="#2a2e34",
    text="#e6e8eb",
    muted="#a9b1bb",
    line="#3c424a",
    accent="#3a71d3",
    accent_text="#ffffff",
    accent_strong="#5b8ff0",
    problem="#ff8a80",
    notice="#453a1d",
)


# Fusion frames fields with a list in the colour of their window, darkened by so many percent: unseen on a dark ground.
_FRAME = 140


def colours_for(theme: str) -> Colours:
    """Return the colours of ``theme``: light, dark, or system for what the desktop uses now."""
    if theme == "system":
        dark = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return DARK if dark else LIGHT
    return DARK if theme == "dark" else LIGHT


def apply_theme(app: QApplication, theme: str) -> Colours:
    """Give the whole application the palette and style sheet of ``theme``; returns its colours."""
    colours = apply_colours(app, theme)
    apply_sheet(app, theme)
    return colours


def apply_sheet(app: QApplication, theme: str) -> None:
    """Give the whole application the style sheet of ``theme``.

    Best once the window is built: with a sheet in force Qt looks everything through it again whenever a widget gets a
    parent, which is two thirds of what building the window takes.
    """
    app.setStyleSheet(_sheet(colours_for(theme)))


def apply_colours(app: QApplication, theme: str) -> Colours:
    """Give the whole application the palette of ``theme``; returns its colours."""
    colours = colours_for(theme)
    app.setStyle("Fusion")
    app.setPalette(_palette(colours))
    if colours is DARK:
        framed = _palette(colours)
        framed.setColor(QPalette.ColorRole.Window, QColor(colours.line).lighter(_FRAME))
        app.setPalette(framed, "QComboBox")  # type: ignore[arg-type]  # text, whatever the stubs say
    return colours


def _palette(colours: Colours) -> QPalette:
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    palette = QPalette(QColor(colours.raised), QColor(colours.window))
    for target, value in (
        (role.Window, colours.window),
        (role.WindowText, colours.text),
        (role.Base, colours.base),
        (role.AlternateBase, colours.window),
        (role.Text, colours.text),
        (role.Button, colours.raised),
        (role.ButtonText, colours.text),
        (role.ToolTipBase, colours.raised),
        (role.ToolTipText, colours.text),
        (role.PlaceholderText, colours.muted),
        (role.Highlight, colours.accent),
        (role.HighlightedText, colours.accent_text),
        (role.Link, colours.accent_strong),
        (role.BrightText, colours.problem),
        (role.Accent, colours.accent),
    ):
        palette.setColor(target, QColor(value))
    for target in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(group.Disabled, target, QColor(colours.muted))
    palette.setColor(group.Disabled, role.Base, QColor(colours.window))
    palette.setColor(group.Disabled, role.Highlight, QColor(colours.line))
    return palette


def _sheet(c: Colours) -> str:
    check, up, down = (resource_path("icons", f"{name}.svg").as_posix() for name in ("check", "spin_up", "spin_down"))
    return f"""
    QLineEdit, QPlainTextEdit, QAbstractSpinBox {{ border: 1px solid {c.line}; border-radius: 4px; background: {c.base};
        padding: 0.15em; }}
    QLineEdit:focus, QPlainTextEdit:focus, QAbstractSpinBox:focus {{ border-color: {c.accent}; }}
    QLineEdit:disabled, QPlainTextEdit:disabled, QAbstractSpinBox:disabled {{ background: {c.window}; }}
    QAbstractSpinBox {{ padding: 0.05em; }}
    QAbstractSpinBox QLineEdit {{ border: none; padding: 0; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ subcontrol-origin: border; width: 1em;
        border: none; }}
    QAbstractSpinBox::up-button {{ subcontrol-position: top right; }}
    QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; }}
    QAbstractSpinBox::up-arrow {{ image: url("{up}"); width: 0.8em; height: 0.8em; }}
    QAbstractSpinBox::down-arrow {{ image: url("{down}"); width: 0.8em; height: 0.8em; }}
    QCheckBox::indicator, QRadioButton::indicator {{ width: 1em; height: 1em; border: 1px solid {c.muted};
        background: {c.base}; }}
    QCheckBox::indicator {{ border-radius: 3px; }}
    QRadioButton::indicator {{ border-radius: 0.55em; }}
    QCheckBox::indicator:focus, QRadioButton::indicator:focus {{ border: 2px solid {c.accent_strong}; }}
    QCheckBox::indicator:checked {{ background: {c.accent}; border-color: {c.accent}; image: url("{check}"); }}
    QRadioButton::indicator:checked {{ border-color: {c.accent}; background: qradialgradient(cx: 0.5, cy: 0.5,
        radius: 0.5, fx: 0.5, fy: 0.5, stop: 0 {c.accent}, stop: 0.5 {c.accent}, stop: 0.6 {c.base}); }}
    QCheckBox::indicator:disabled, QRadioButton::indicator:disabled {{ border-color: {c.line};
        background: {c.window}; }}
    QLabel[muted="true"] {{ color: {c.muted}; }}
    QLabel[problem="true"] {{ color: {c.problem}; }}
    QLabel[heading="true"] {{ font-weight: 600; }}
    QLabel#panelTitle {{ font-size: 15pt; font-weight: 600; }}
    QFrame[card="true"] {{ background: {c.base}; border: 1px solid {c.line}; border-radius: 6px; }}
    QFrame[card="true"] QLabel {{ background: transparent; border: none; }}
    QFrame#dropArea {{ background: {c.base}; border: 1px dashed {c.muted}; border-radius: 6px; }}
    QFrame#dropArea[hot="true"] {{ border: 2px solid {c.accent}; }}
    QFrame#notice {{ background: {c.notice}; border: 1px solid {c.line}; border-radius: 6px; }}
    QLabel#chip {{ background: {c.raised}; color: {c.text}; border-radius: 4px; padding: 1px 6px; }}
    QPushButton#generate {{ background: {c.accent}; color: {c.accent_text}; border: 1px solid {c.accent};
        border-radius: 5px; padding: 0.5em 1.6em; font-weight: 600; }}
    QPushButton#generate:hover, QPushButton#generate:focus {{ background: {c.accent_strong}; }}
    QPushButton#generate:disabled {{ background: {c.raised}; color: {c.muted}; border-color: {c.line}; }}
    QPushButton#stop {{ padding: 0.5em 1.2em; }}
    QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    QToolButton#rail {{ border: none; border-radius: 6px; padding: 0.5em 0.4em; }}
    QToolButton#rail:hover {{ background: {c.raised}; }}
    QToolButton#rail:checked {{ background: {c.raised}; color: {c.accent_strong}; font-weight: 600; }}
    QToolButton#rail:focus {{ border: 1px solid {c.accent}; }}
    QToolButton#fold {{ border: none; font-weight: 600; padding: 0.2em; }}
    QToolButton#choice {{ padding: 0.2em 0.6em; border: 1px solid {c.line}; border-radius: 4px;
        background: {c.raised}; }}
    QToolButton#choice:checked {{ background: {c.accent}; color: {c.accent_text}; font-weight: 600;
        border: 2px solid {c.accent_strong}; }}
    QListView, QTableView, QTreeView {{ border: 1px solid {c.line}; gridline-color: {c.line}; }}
    QListView#takes {{ border: 1px solid {c.line}; border-radius: 6px; background: {c.base}; }}
    QFrame#timeline {{ border: 1px solid transparent; }}
    QFrame#timeline[focused="true"] {{ border: 1px solid {c.accent}; }}
    QScrollArea {{ border: none; background: transparent; }}
    QSplitter::handle {{ background: transparent; }}
    QSplitter::handle:hover {{ background: {c.line}; }}
    QStatusBar::item {{ border: none; }}
    QToolTip {{ background: {c.raised}; color: {c.text}; border: 1px solid {c.line}; }}
    """
