"""What of a dub is written, and how: the mix, stems, single cues, subtitles."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.core.dubbing import naming
from app.core.dubbing.fit import FitRules
from app.core.dubbing.levels import TARGETS
from app.core.dubbing.mixing import Bed, MixOptions
from app.dub_export import SUBTITLES, DubFormat, DubWishes
from app.marks.choice import MARKS, MarkChoice
from app.marks.errors import ReasonMissingError
from app.marks.formats import SUFFIXES
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe

RATES = (16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000)
_FORMATS = (("WAV", ".wav"), ("FLAC", ".flac"), ("MP3", ".mp3"), ("Opus", ".opus"))
_LEAST_DB, _MOST_DB = -60, 0


class DubExportDialog(Translated, QDialog):
    """``export_requested`` carries the wishes; what is wrong with them is said here, where it can be mended."""

    export_requested = Signal(object)  # DubWishes

    def __init__(self, out: Path, rules: FitRules, *, has_sound: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rules = rules
        self.out = QLineEdit(str(out))
        self.browse = QPushButton()
        self.loudness, self.rate, self.bits, self.bed = QComboBox(), QComboBox(), QComboBox(), QComboBox()
        self.duck = QSpinBox(minimum=_LEAST_DB, maximum=_MOST_DB, value=-15, suffix=" dB")
        self.quality = QSpinBox(minimum=0, maximum=100, value=70, suffix=" %")
        self.stereo, self.stems, self.cues, self.subtitles = QCheckBox(), QCheckBox(), QCheckBox(), QCheckBox()
        self.name = QLineEdit(naming.DEFAULT)
        self.kind = QComboBox()
        self.overwrite = QCheckBox()
        self.marks = {mark: QCheckBox() for mark in MARKS}
        self.reason = QLineEdit()
        self.problem = Problem()
        for box in self.marks.values():
            box.setChecked(True)
        for target in TARGETS:
            self.loudness.addItem(f"{target:g} LUFS", target)
        for rate in RATES:
            self.rate.addItem(f"{rate / 1000:g} kHz", rate)
        self.rate.setCurrentIndex(RATES.index(48_000))
        for bits in ("24", "16", "float"):
            self.bits.addItem("", bits)
        for bed in ("duck", "keep", "none"):
            self.bed.addItem("", bed)
        for suffix in SUBTITLES:
            self.kind.addItem(suffix[1:].upper(), suffix)
        self._has_sound = has_sound
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.export_button = self.buttons.addButton("", QDialogButtonBox.ButtonRole.ActionRole)
        self.close_button = self.buttons.button(QDialogButtonBox.StandardButton.Close)
        self.form = QFormLayout()
        self._build()
        self._connect()
        self.retranslate()
        self._update()

    def wishes(self) -> DubWishes:
        """What is asked for.

        Raises:
            ValueError: something does not fit together; the message says what.
        """
        out = Path(self.out.text().strip()).expanduser()
        if out.suffix.lower() not in SUFFIXES:
            raise ValueError(self.tr("End the name of the file in {names}.").format(names=", ".join(SUFFIXES)))
        if not out.is_absolute():
            raise ValueError(self.tr("Say in which folder the file is to be."))
        try:
            naming.check_template(self.name.text())
        except naming.TemplateError as error:
            fields = ", ".join(f"{{{field}}}" for field in naming.FIELDS)
            raise ValueError(self.tr("Names of cues are made of {fields}.").format(fields=fields)) from error
        left_out = frozenset(mark for mark, box in self.marks.items() if not box.isChecked())
        try:
            choice = MarkChoice(left_out, self.reason.text().strip())
        except ReasonMissingError as error:
            raise ValueError(self.tr("Say why a mark is left out.")) from error
        bits: Literal["16", "24", "float"] = self.bits.currentData()
        if out.suffix.lower() != ".wav" and bits == "float":
            bits = "24"
        bed: Bed = self.bed.currentData()
        mix = MixOptions(
            self.rate.currentData(), 2 if self.stereo.isChecked() else 1, self.loudness.currentData(), bed,
            float(self.duck.value()),
        )  # fmt: skip
        stems = out.with_name(f"{out.stem} stems") if self.stems.isChecked() else None
        cues = out.with_name(f"{out.stem} cues") if self.cues.isChecked() else None
        subtitles = out.with_suffix(self.kind.currentData()) if self.subtitles.isChecked() else None
        if not self.overwrite.isChecked():
            self._refuse_existing(out, stems, cues, subtitles)
        return DubWishes(
            out, mix, self._rules, stems, cues, self.name.text().strip(), subtitles, self.overwrite.isChecked(),
            DubFormat(bits, self.quality.value() / 100, choice),
        )  # fmt: skip

    def _refuse_existing(self, *paths: Path | None) -> None:
        for path in filter(None, paths):
            if any(path.iterdir()) if path.is_dir() else path.exists():
                said = self.tr("{name} is there already. Tick that it may be replaced, or choose another name.")
                raise ValueError(said.format(name=path.name))

    def remembered(self) -> dict[str, str]:
        """What is worth remembering for the next time, as texts."""
        return {name: str(value) for name, value in self._values().items()}

    def remember(self, values: dict[str, str]) -> None:
        """Set the fields as they were the last time; what does not fit any more is left out."""
        for name, combo in self._combos().items():
            index = next((row for row in range(combo.count()) if str(combo.itemData(row)) == values.get(name)), -1)
            if index >= 0:
                combo.setCurrentIndex(index)
        for name, box in self._boxes().items():
            if name in values:
                box.setChecked(values[name] == "True")
        if values.get("name"):
            self.name.setText(values["name"])
        self._update()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Mix and export"))
        self.browse.setText(self.tr("Choose…"))
        describe(self.browse, self.tr("Choose the file"))
        labels = {
            self._row("out"): self.tr("File"),
            self.loudness: self.tr("Loudness"),
            self.rate: self.tr("Sample rate"),
            self.bits: self.tr("Samples"),
            self.quality: self.tr("Quality"),
            self._row("bed"): self.tr("Original sound"),
            self._row("cues"): self.tr("Also"),
            self._row("name"): self.tr("Names of cues"),
            self._row("marks"): self.tr("Marks"),
        }
        for field, text in labels.items():
            label = self.form.labelForField(field)
            if isinstance(label, QLabel):
                label.setText(text)
        self._set_texts()
        self.export_button.setText(self.tr("Export"))
        describe(self.export_button, self.tr("Export"), self.tr("Write the files"))

    def _set_texts(self) -> None:
        describe(self.out, self.tr("File of the mix"), self.tr("WAV, FLAC, MP3 or Opus, by the end of the name"))
        describe(self.loudness, self.tr("Loudness"), self.tr("Of the whole mix; the true peak stays below -1 dB"))
        describe(self.rate, self.tr("Sample rate"))
        for row, text in enumerate((self.tr("24 bits"), self.tr("16 bits"), self.tr("32 bits float (WAV only)"))):
            self.bits.setItemText(row, text)
        describe(self.bits, self.tr("Samples"), self.tr("For WAV and FLAC"))
        describe(self.quality, self.tr("Quality"), self.tr("For MP3 and Opus"))
        texts = (
            self.tr("turned down while somebody speaks"),
            self.tr("as loud as it is"),
            self.tr("left out: silence"),
        )
        for row, text in enumerate(texts):
            self.bed.setItemText(row, text)
        describe(self.bed, self.tr("Original sound"))
        describe(self.duck, self.tr("Turned down by"))
        boxes = {
            self.stereo: (self.tr("Two channels"), self.tr("As the original sound has them; voices in the middle")),
            self.stems: (self.tr("Stems"), self.tr("A file for each character, as long as the mix")),
            self.cues: (self.tr("Single cues"), self.tr("A file for each cue")),
            self.subtitles: (self.tr("Subtitles"), self.tr("With the times at which the cues are heard")),
            self.overwrite: (self.tr("Replace files that exist"), ""),
        }
        for box, (text, tip) in boxes.items():
            box.setText(text)
            describe(box, text, tip)
        describe(self.kind, self.tr("Kind of subtitles"))
        fields = ", ".join(f"{{{field}}}" for field in naming.FIELDS)
        describe(self.name, self.tr("Names of cues"), self.tr("Made of {fields}").format(fields=fields))
        marks = {
            "label": (self.tr("Label"), self.tr("Says in the file that it is generated (GB 45438-2025)")),
            "credentials": (self.tr("Content credentials"), self.tr("Signed: shows that nothing was changed since")),
            "watermark": (self.tr("Watermark"), self.tr("In the sound itself; survives MP3 and Opus")),
        }
        for mark, box in self.marks.items():
            box.setText(marks[mark][0])
            describe(box, *marks[mark])
        self.reason.setPlaceholderText(self.tr("Why a mark is left out; it goes to the audit log"))
        describe(self.reason, self.tr("Reason"), self.tr("Why a mark is left out; it goes to the audit log"))

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._rows: dict[str, QWidget] = {}
        rows: tuple[tuple[str, tuple[QWidget, ...]], ...] = (
            ("out", (self.out, self.browse)),
            ("bed", (self.bed, self.duck)),
            ("cues", (self.stems, self.cues, self.subtitles, self.kind)),
            ("name", (self.name,)),
            ("marks", tuple(self.marks.values())),
        )
        for key, widgets in rows:
            holder = QWidget()
            inside = QHBoxLayout(holder)
            inside.setContentsMargins(0, 0, 0, 0)
            for widget in widgets:
                inside.addWidget(widget, 1 if isinstance(widget, QLineEdit) else 0)
            if not any(isinstance(widget, QLineEdit) for widget in widgets):
                inside.addStretch(1)
            self._rows[key] = holder
        form = self.form
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(" ", self._row("out"))
        for field in (self.loudness, self.rate, self.bits, self.quality):
            form.addRow(" ", field)
        form.addRow("", self.stereo)
        form.addRow(" ", self._row("bed"))
        form.addRow(" ", self._row("cues"))
        form.addRow(" ", self._row("name"))
        form.addRow(" ", self._row("marks"))
        form.addRow("", self.reason)
        form.addRow("", self.overwrite)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.problem)
        layout.addStretch(1)
        layout.addWidget(self.buttons)
        for button in (self.browse, self.close_button):
            button.setAutoDefault(False)
        self.export_button.setDefault(True)  # which counts from here on: it stands in the dialog now
        self.setMinimumWidth(86 * self.fontMetrics().averageCharWidth())

    def _row(self, key: str) -> QWidget:
        return self._rows[key]

    def _connect(self) -> None:
        self.buttons.rejected.connect(self.reject)
        self.export_button.clicked.connect(self._ask)
        self.browse.clicked.connect(self._choose)
        self.out.textChanged.connect(self._update)
        for box in (self.cues, self.subtitles, *self.marks.values()):
            box.toggled.connect(self._update)
        self.bed.currentIndexChanged.connect(self._update)

    def _update(self) -> None:
        suffix = Path(self.out.text().strip()).suffix.lower()
        self.bits.setEnabled(suffix in (".wav", ".flac"))
        self.quality.setEnabled(suffix in (".mp3", ".opus", ".ogg"))
        self.bed.setEnabled(self._has_sound)
        self.duck.setEnabled(self._has_sound and self.bed.currentData() == "duck")
        self.name.setEnabled(self.cues.isChecked())
        self.kind.setEnabled(self.subtitles.isChecked())
        self.reason.setEnabled(not all(box.isChecked() for box in self.marks.values()))

    def _ask(self) -> None:
        try:
            wishes = self.wishes()
        except ValueError as error:
            self.problem.say(str(error))
            return
        self.problem.say("")
        self.export_requested.emit(wishes)

    def _choose(self) -> None:
        dialog = QFileDialog(self, self.tr("Export the mix"), self.out.text())
        filters = {f"{name} (*{suffix})": suffix for name, suffix in _FORMATS}
        dialog.setNameFilters(list(filters))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("wav")
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(filters[chosen][1:]))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._chosen)
        dialog.open()

    def _chosen(self, path: str) -> None:
        self.out.setText(path)
        self.overwrite.setChecked(Path(path).exists())  # the file dialog has asked

    def _combos(self) -> dict[str, QComboBox]:
        return {
            "loudness": self.loudness, "rate": self.rate, "bits": self.bits, "bed": self.bed, "kind": self.kind,
        }  # fmt: skip

    def _boxes(self) -> dict[str, QCheckBox]:
        return {"stereo": self.stereo, "stems": self.stems, "cues": self.cues, "subtitles": self.subtitles}

    def _values(self) -> dict[str, Any]:
        combos = {name: combo.currentData() for name, combo in self._combos().items()}
        return {**combos, **{name: box.isChecked() for name, box in self._boxes().items()}, "name": self.name.text()}
