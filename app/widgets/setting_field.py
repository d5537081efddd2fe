"""The field of one setting, as the table declares it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from app.core.settings_table import Kind, Setting
from app.widgets.translated import Translated, describe


def setting_text(text: str) -> str:
    """A text of the table in the language of the window."""
    return QCoreApplication.translate("Settings", text)


class SettingField(Translated, QWidget):
    """Holds the one widget that fits the kind of setting."""

    edited = Signal(object)  # the value
    browse: QPushButton | None = None  # beside a folder

    def __init__(self, setting: Setting, value: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = setting
        self.editor = self._make()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.editor, 1 if isinstance(self.editor, QLineEdit) else 0)
        if self.browse is not None:
            layout.addWidget(self.browse)
        elif not isinstance(self.editor, QLineEdit):
            layout.addStretch(1)
        self.setFocusProxy(self.editor)
        self.show_value(value)
        self.retranslate()

    def offer(self, offers: Sequence[tuple[str, str]]) -> None:
        """Let something that this machine has be chosen as well: values with their names."""
        combo = self.editor
        assert isinstance(combo, QComboBox)
        chosen = combo.currentData()
        for row in reversed(range(len(self.setting.choices), combo.count())):
            combo.removeItem(row)
        for value, name in offers:
            combo.addItem(name, value)
        self.show_value(chosen)

    def show_value(self, value: Any) -> None:
        """Show ``value`` without telling that it was edited."""
        self.editor.blockSignals(True)
        if isinstance(self.editor, QComboBox) and self.editor.findData(value) < 0:
            self.editor.addItem(str(value).replace("\n", " · "), value)  # it is not there now
        match self.editor:
            case QCheckBox():
                self.editor.setChecked(value)
            case QComboBox():
                self.editor.setCurrentIndex(self.editor.findData(value))
            case QSpinBox() | QDoubleSpinBox():
                self.editor.setValue(value)
            case QLineEdit():
                self.editor.setText(value)
        self.editor.blockSignals(False)

    def retranslate(self) -> None:
        """Set all texts."""
        setting = self.setting
        describe(self.editor, setting_text(setting.label), setting_text(setting.help))
        if isinstance(self.editor, QComboBox):
            for row, text in enumerate(setting.choice_labels):
                self.editor.setItemText(row, setting_text(text))
        if self.browse is not None:
            self.browse.setText(self.tr("Choose…"))
            describe(self.browse, self.tr("Choose a folder: {name}").format(name=setting_text(setting.label)))

    def _make(self) -> QCheckBox | QComboBox | QSpinBox | QDoubleSpinBox | QLineEdit:
        setting = self.setting
        match setting.kind:
            case Kind.FLAG:
                box = QCheckBox()
                box.toggled.connect(lambda value: self.edited.emit(value))
                return box
            case Kind.CHOICE:
                combo = QComboBox()
                for choice in setting.choices:
                    combo.addItem("", choice)
                combo.activated.connect(lambda row: self.edited.emit(combo.itemData(row)))
                return combo
            case Kind.COUNT:
                count = QSpinBox(minimum=int(setting.low or 0), maximum=int(setting.high or 0))
                count.setKeyboardTracking(False)
                count.valueChanged.connect(lambda value: self.edited.emit(value))
                return count
            case Kind.NUMBER:
                number = QDoubleSpinBox(minimum=setting.low or 0.0, maximum=setting.high or 0.0)
                number.setKeyboardTracking(False)
                number.setSingleStep(0.1)
                number.valueChanged.connect(lambda value: self.edited.emit(value))
                return number
            case _:
                line = QLineEdit()
                line.editingFinished.connect(lambda: self.edited.emit(line.text().strip()))
                if setting.kind is Kind.FOLDER:
                    self.browse = QPushButton()
                    self.browse.clicked.connect(self._choose)
                return line

    def _choose(self) -> None:
        assert isinstance(self.editor, QLineEdit)
        dialog = QFileDialog(self, setting_text(self.setting.label), self.editor.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.take)
        dialog.open()

    def take(self, folder: str) -> None:
        """Take a folder as if it had been typed."""
        self.show_value(folder)
        self.edited.emit(folder)
