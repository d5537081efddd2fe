"""The settings that most people leave alone."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSpinBox,
    QToolButton,
    QWidget,
)

from app.core.messages import Job, ModelInfo
from app.core.settings import Settings
from app.core.settings_table import by_key, defaults
from app.widgets.setting_field import SettingField
from app.widgets.translated import Translated, describe
from app.widgets.wording import length_text

DRAFT_STEPS = 4
MOST_RECENT = 8
_KEYS = ("steps", "cfg", "max_patches", "normalize", "temperature", "min_patches", "retry_ratio")


@dataclass(frozen=True)
class AdvancedValues:
    """What the fields say."""

    steps: int
    cfg: float
    max_patches: int
    normalize: bool
    temperature: float = 1.0
    min_patches: int = 2
    retry_ratio: float = 6.0

    @classmethod
    def of_job(cls, job: Job) -> AdvancedValues:
        """Those that a job was made with."""
        return cls(**{key: getattr(job, key) for key in _KEYS})


class AdvancedSettings(Translated, QWidget):
    """Steps, guidance, lengths, retries, normalising, precision; remembered."""

    values_changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._patch_seconds = 0.0
        self.steps = QSpinBox(minimum=1, maximum=200)
        self.cfg = QDoubleSpinBox(minimum=0.0, maximum=20.0, decimals=2, singleStep=0.1)
        self.temperature = QDoubleSpinBox(minimum=0.0, maximum=2.0, decimals=2, singleStep=0.1)
        self.own = QCheckBox()
        self._asked = (2.0, 1.0)  # guidance and temperature of the model
        self.max_patches = QSpinBox(minimum=1, maximum=4096, singleStep=10)
        self.min_patches = QSpinBox(minimum=0, maximum=4096)
        self.retry_ratio = QDoubleSpinBox(minimum=0.5, maximum=100.0, decimals=1, singleStep=0.5)
        self.precision = SettingField(by_key()["dtype"], settings.get("dtype"))
        self.precision.setEnabled(not settings.forced_by("dtype"))
        self.retries = QSpinBox(minimum=0, maximum=3, value=settings.get("retries"))
        self.normalize = QCheckBox()
        self.draft = QCheckBox()
        self.draft.setChecked(settings.get("draft"))
        self.reset_button = QPushButton()
        self.paths_button = QPushButton()
        self.recent_button = QToolButton(popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        self.recent_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._recent = QMenu(self.recent_button)
        self._recent.setToolTipsVisible(True)
        self.recent_button.setMenu(self._recent)
        self._recent.aboutToShow.connect(self._fill_recent)
        self._labels = [QLabel() for _ in range(8)]
        layout = QFormLayout(self)
        layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        fields = (
            self.steps, self.cfg, self.temperature, self.min_patches, self.max_patches, self.retries, self.retry_ratio,
            self.precision,
        )  # fmt: skip
        for label, field in zip(self._labels, fields, strict=True):
            label.setBuddy(field)
            layout.addRow(label, field)
        layout.insertRow(1, self.own)
        layout.addRow(self.normalize)
        layout.addRow(self.draft)
        reset = QHBoxLayout()
        reset.addWidget(self.reset_button)
        reset.addWidget(self.recent_button)
        reset.addWidget(self.paths_button)
        reset.addStretch(1)
        layout.addRow(reset)
        self._show(AdvancedValues(**{key: settings.get(key) for key in _KEYS}))
        self.own.setChecked(settings.get("own_sampling"))
        self.steps.valueChanged.connect(self._remember)
        self.own.toggled.connect(self._use_asked)
        self.cfg.valueChanged.connect(self._choose_sampling)
        self.temperature.valueChanged.connect(self._choose_sampling)
        self.max_patches.valueChanged.connect(self._remember)
        self.min_patches.valueChanged.connect(self._remember)
        self.retry_ratio.valueChanged.connect(self._remember)
        self.precision.edited.connect(lambda value: settings.set("dtype", value))
        settings.on_changed(self._setting_changed)
        self.retries.valueChanged.connect(lambda count: settings.set("retries", count))
        self.normalize.toggled.connect(self._remember)
        self.draft.toggled.connect(self._remember)
        self.reset_button.clicked.connect(self.reset)
        self.retranslate()

    @property
    def full_steps(self) -> int:
        """The steps of a take that is no draft."""
        return self.steps.value()

    def values(self) -> AdvancedValues:
        """What the next job gets: a draft has few steps, whatever the field says."""
        steps = min(self.full_steps, DRAFT_STEPS) if self.draft.isChecked() else self.full_steps
        return AdvancedValues(
            steps,
            self.cfg.value(),
            self.max_patches.value(),
            self.normalize.isChecked(),
            self.temperature.value(),
            self.min_patches.value(),
            self.retry_ratio.value(),
        )

    def reset(self) -> None:
        """Put the defaults back."""
        usual = defaults()
        self.draft.setChecked(False)
        self._show(AdvancedValues(**{key: usual[key] for key in _KEYS}))
        self.own.setChecked(True)
        self.retries.setValue(usual["retries"])

    def use(self, values: AdvancedValues) -> None:
        """Take over the settings of a take, or those that were used before."""
        self.draft.setChecked(False)
        self._show(values)

    def keep_recent(self) -> None:
        """Remember the settings of now as those that were used last."""
        text = json.dumps(asdict(self.values()))
        others = [entry for entry in self._settings.get("recent_settings") if entry != text]
        self._settings.set("recent_settings", [text, *others][:MOST_RECENT])

    def recent(self) -> list[AdvancedValues]:
        """The settings that were used, the newest first; an entry that cannot be read is passed over."""
        found = []
        for text in self._settings.get("recent_settings"):
            try:
                raw = json.loads(text)
                found.append(
                    AdvancedValues(
                        int(raw["steps"]),
                        float(raw["cfg"]),
                        int(raw["max_patches"]),
                        bool(raw["normalize"]),
                        float(raw.get("temperature", 1.0)),
                        int(raw.get("min_patches", 2)),
                        float(raw.get("retry_ratio", 6.0)),
                    )
                )
            except (ValueError, TypeError, KeyError):
                continue
        return found

    def set_model(self, model: ModelInfo | None) -> None:
        """Show patches as seconds of this model, and what it asks for unless something else was chosen."""
        self._patch_seconds = model.patch_seconds if model else 0.0
        if model is not None:
            self._asked = (model.cfg, model.temperature)
            self._use_asked(self.own.isChecked())
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        for label, text in zip(
            self._labels,
            (
                self.tr("Steps"),
                self.tr("Guidance"),
                self.tr("Temperature"),
                self.tr("Shortest"),
                self.tr("Longest"),
                self.tr("Retries"),
                self.tr("Doubtful from"),
                self.tr("Precision"),
            ),
            strict=True,
        ):
            label.setText(text)
        self.own.setText(self.tr("Guidance and temperature as the model asks"))
        describe(
            self.own,
            self.tr("Guidance and temperature as the model asks"),
            self.tr("Each model brings the values that suit it; change a value to use another."),
        )
        describe(
            self.temperature,
            self.tr("Temperature"),
            self.tr("How strong the noise is that every patch starts from; less is steadier and less lively."),
        )
        describe(self.steps, self.tr("Steps"), self.tr("Solver steps per patch: more are slower and a little finer."))
        describe(
            self.cfg, self.tr("Guidance"), self.tr("How closely the sound keeps to text and voice; 1 = not forced.")
        )
        describe(self.max_patches, self.tr("Longest length"), self.tr("A take is cut after this many patches."))
        describe(
            self.retries,
            self.tr("Retries"),
            self.tr("How often a doubtful take is made anew with another seed; it stays in the list."),
        )
        describe(
            self.min_patches,
            self.tr("Shortest length"),
            self.tr("The model is asked only after so many patches whether it has said everything; two more come out."),
        )
        describe(
            self.retry_ratio,
            self.tr("Doubtful from"),
            self.tr("A take of so many patches for each token of its text is cut there, and may be made anew."),
        )
        self.retry_ratio.setSuffix(self.tr(" patches a token"))
        for field, patches in (
            (self.min_patches, self.min_patches.value() + 2),
            (self.max_patches, self.max_patches.value()),
        ):
            suffix = self.tr(" patches")
            if self._patch_seconds:
                suffix += f" ({length_text(patches * self._patch_seconds)})"
            field.setSuffix(suffix)
        self.normalize.setText(self.tr("Write numbers, dates and units out as words"))
        describe(
            self.normalize,
            self.tr("Normalise the text"),
            self.tr('What comes of it is shown under "What the model gets".'),
        )
        self.draft.setText(self.tr("Draft: at most {steps} steps").format(steps=DRAFT_STEPS))
        describe(
            self.draft,
            self.tr("Draft"),
            self.tr("Takes are made sooner and sound rougher; the one that you choose can then be made in full."),
        )
        self.recent_button.setText(self.tr("Recent"))
        describe(self.recent_button, self.tr("Recent settings"), self.tr("Settings that takes were made with"))
        self.paths_button.setText(self.tr("Compare paths"))
        describe(
            self.paths_button,
            self.tr("Compare paths"),
            self.tr(
                "Make a take of this text in every way that is filled in: plain, with the description, "
                "with the reference, as a continuation; all with the same seed"
            ),
        )
        self.reset_button.setText(self.tr("Defaults"))
        describe(self.reset_button, self.tr("Put the default settings back"))

    def _show(self, values: AdvancedValues) -> None:
        self.steps.setValue(values.steps)
        self.cfg.setValue(values.cfg)
        self.temperature.setValue(values.temperature)
        self.min_patches.setValue(values.min_patches)
        self.max_patches.setValue(values.max_patches)
        self.retry_ratio.setValue(values.retry_ratio)
        self.normalize.setChecked(values.normalize)

    def _setting_changed(self, key: str) -> None:
        if key == "dtype":
            self.precision.show_value(self._settings.get(key))

    def _use_asked(self, wanted: bool) -> None:
        """Show what the model asks for, if that is wanted."""
        if wanted:
            for field, value in zip((self.cfg, self.temperature), self._asked, strict=True):
                field.blockSignals(True)
                field.setValue(value)
                field.blockSignals(False)
        self._remember()

    def _choose_sampling(self) -> None:
        """A value that was changed counts, and no longer what the model asks for."""
        self.own.setChecked((self.cfg.value(), self.temperature.value()) == self._asked)
        self._remember()

    def _remember(self) -> None:
        values = self.values()
        for key in _KEYS:
            self._settings.set(key, self.full_steps if key == "steps" else getattr(values, key))
        self._settings.set("draft", self.draft.isChecked())
        self._settings.set("own_sampling", self.own.isChecked())
        self.retranslate()
        self.values_changed.emit()

    def _fill_recent(self) -> None:
        self._recent.clear()
        for values in self.recent():
            text = self.tr("{steps} steps · guidance {cfg:g} · at most {patches} patches").format(
                steps=values.steps, cfg=values.cfg, patches=values.max_patches
            )
            if values.normalize:
                text += " · " + self.tr("normalised")
            self._recent.addAction(text, partial(self.use, values))
        if self._recent.isEmpty():
            self._recent.addAction(self.tr("Nothing was made yet")).setEnabled(False)
