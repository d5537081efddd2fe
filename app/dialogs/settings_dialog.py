"""The settings, built from the declared table, and the list of shortcuts. Every change counts at once. Not modal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtGui import QAction, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.settings import Settings
from app.core.settings_table import Section, Setting, defaults, sections
from app.widgets.setting_field import SettingField, setting_text
from app.widgets.translated import Translated, describe

_SECTIONS = {
    Section.LOOK: QT_TRANSLATE_NOOP("SettingsDialog", "Look"),
    Section.MODEL: QT_TRANSLATE_NOOP("SettingsDialog", "Model"),
    Section.MAKING: QT_TRANSLATE_NOOP("SettingsDialog", "Making"),
    Section.LISTENING: QT_TRANSLATE_NOOP("SettingsDialog", "Listening"),
    Section.FILES: QT_TRANSLATE_NOOP("SettingsDialog", "Files"),
}


class SettingsDialog(Translated, QDialog):
    """Writes into ``settings``; whoever cares listens there. ``actions`` are those of the menus, by key.

    ``offers`` tell, each time it is shown, what this machine has to choose from beside the choices of the table.
    """

    def __init__(
        self,
        settings: Settings,
        actions: Mapping[str, QAction],
        parent: QWidget | None = None,
        offers: Mapping[str, Callable[[], Sequence[tuple[str, str]]]] | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._offers = offers or {}
        self._actions = actions
        self.fields: dict[str, SettingField] = {}
        self._labels: dict[str, QLabel] = {}
        self._helps: dict[str, QLabel] = {}
        self.tabs = QTabWidget()
        self._pages: dict[Section, int] = {}
        for section, entries in sections().items():
            self._pages[section] = self.tabs.addTab(self._page(entries), "")
        self.shortcuts = QTableWidget(0, 2)
        self.shortcuts.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.shortcuts.verticalHeader().setVisible(False)
        self.shortcuts.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._shortcuts_page = self.tabs.addTab(self.shortcuts, "")
        self.reset_button, self.close_button = QPushButton(), QPushButton()
        self.sensitive_button = QPushButton()
        self.sensitive_dialog: QDialog | None = None
        self.close_button.setDefault(True)
        bottom = QHBoxLayout()
        bottom.addWidget(self.reset_button)
        bottom.addWidget(self.sensitive_button)
        bottom.addStretch(1)
        bottom.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.addWidget(self.tabs, 1)
        layout.addLayout(bottom)
        self.reset_button.clicked.connect(self.reset)
        self.sensitive_button.clicked.connect(self._show_sensitive)
        self.close_button.clicked.connect(self.close)
        settings.on_changed(self._changed)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 88)
        self.retranslate()

    def showEvent(self, event: QShowEvent) -> None:
        """Look at what there is to choose from today."""
        super().showEvent(event)
        self.offer()

    def offer(self) -> None:
        """Offer what there is to choose from now."""
        for key, ask in self._offers.items():
            self.fields[key].offer(ask())

    def reset(self) -> None:
        """Put the defaults back, of all that is shown here."""
        usual = defaults()
        for key in self.fields:
            self._settings.set(key, usual[key])

    # Inside ----------------------------------------------------------------------------------------------------------

    def _show_sensitive(self) -> None:
        from app.dialogs.sensitive_lists import SensitiveListsDialog

        self.sensitive_dialog = dialog = SensitiveListsDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _page(self, entries: list[Setting]) -> QWidget:
        page = QWidget()
        form = QFormLayout(page)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for setting in entries:
            field = SettingField(setting, self._settings.get(setting.key))
            field.edited.connect(lambda value, key=setting.key: self._edited(key, value))
            label, explanation = QLabel(), QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignTop)
            label.setBuddy(field.editor)
            explanation.setProperty("muted", True)
            self.fields[setting.key], self._labels[setting.key] = field, label
            self._helps[setting.key] = explanation
            form.addRow(label, field)
            form.addRow("", explanation)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(page)
        return scroll

    def _edited(self, key: str, value: Any) -> None:
        if self._settings.get(key) != value:
            self._settings.set(key, value)

    def _changed(self, key: str) -> None:
        if key in self.fields:
            self.fields[key].show_value(self._settings.get(key))

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Settings"))
        for section, index in self._pages.items():
            self.tabs.setTabText(index, QCoreApplication.translate("SettingsDialog", str(_SECTIONS[section])))
        self.tabs.setTabText(self._shortcuts_page, self.tr("Shortcuts"))
        for key, field in self.fields.items():
            setting = field.setting
            self._labels[key].setText(setting_text(setting.label))
            texts = [setting_text(setting.help)]
            if setting.restart:
                texts.append(self.tr("Counts from the next start on."))
            variable = self._settings.forced_by(key)
            field.setEnabled(not variable)
            if variable:
                texts.append(self.tr("Set by the variable {name}.").format(name=variable))
            self._helps[key].setText(" ".join(texts))
        self.reset_button.setText(self.tr("All as at first"))
        describe(self.reset_button, self.tr("All as at first"), self.tr("Put all settings back to their defaults"))
        self.sensitive_button.setText(self.tr("Sensitive text…"))
        describe(
            self.sensitive_button, self.tr("Sensitive text"), self.tr("See and change which words are asked about")
        )
        self.close_button.setText(self.tr("Close"))
        describe(self.close_button, self.tr("Close"))
        self._list_shortcuts()

    def _list_shortcuts(self) -> None:
        self.shortcuts.setAccessibleName(self.tr("Shortcuts"))
        self.shortcuts.setHorizontalHeaderLabels([self.tr("What it does"), self.tr("Keys")])
        rows = [
            (action.text().replace("&", "").rstrip("…"), action.shortcuts())
            for action in self._actions.values()
            if action.shortcuts()
        ]
        self.shortcuts.setRowCount(len(rows))
        for row, (text, keys) in enumerate(rows):
            names = (key.toString(QKeySequence.SequenceFormat.NativeText) for key in keys)
            shown = ", ".join(dict.fromkeys(names))  # two keys may have one name (Return, Enter)
            self.shortcuts.setItem(row, 0, QTableWidgetItem(text))
            self.shortcuts.setItem(row, 1, QTableWidgetItem(shown))
