"""The centre of the window: the fields of the chosen mode, the text, what the model gets, and Generate."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.core.messages import MAX_TAKES, MODE_DESIGN, Failure, Job, ModelInfo
from app.core.settings import Settings
from app.core.takes import Take
from app.panels.advanced import AdvancedSettings, AdvancedValues
from app.panels.clone_panel import ClonePanel
from app.panels.continue_panel import ContinuePanel
from app.panels.design_panel import DesignPanel
from app.panels.mode_panel import ModePanel, muted_label, say
from app.sound_desk import SoundDesk
from app.widgets.collapsible import Collapsible
from app.widgets.plan_strip import PlanStrip
from app.widgets.problem import Problem
from app.widgets.seed_field import SeedField
from app.widgets.text_edit import PlainText
from app.widgets.translated import Translated, describe


class ComposePanel(Translated, QWidget):
    """Builds the job. ``blocked`` is why nothing can be generated now, from outside (no model, busy); empty = free."""

    draft_changed = Signal()
    generate_requested = Signal()
    stop_requested = Signal()
    paths_requested = Signal(object)  # Jobs

    def __init__(
        self,
        settings: Settings,
        model_button: QWidget,
        sounds: SoundDesk,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._blocked = ""
        self._busy = False
        self._note = ""
        self.design = DesignPanel(settings)
        self.clone = ClonePanel(sounds)
        self.continue_ = ContinuePanel(sounds)
        self.modes: tuple[ModePanel, ...] = (self.design, self.clone, self.continue_)
        self._title = QLabel()
        self._title.setObjectName("panelTitle")
        self._chosen: ModePanel = self.design
        self._text_label = QLabel()
        self._text_label.setProperty("heading", True)
        self.text = PlainText(lines=4)
        self._text_label.setBuddy(self.text)
        self.text_problem = Problem()
        self.plan_strip = PlanStrip()
        self.advanced = AdvancedSettings(settings)
        self.advanced_fold = Collapsible(self.advanced)
        self.takes = QSpinBox(minimum=1, maximum=MAX_TAKES, value=settings.get("takes"))
        self._takes_label = QLabel()
        self._takes_label.setBuddy(self.takes)
        self.seed = SeedField()
        self.generate = QPushButton()
        self.generate.setObjectName("generate")
        self.stop = QPushButton()
        self.stop.setObjectName("stop")
        self.reason = muted_label()
        self._build(model_button)
        self._connect()
        self.choose(settings.get("panel"))
        self.retranslate()

    # What it says ----------------------------------------------------------------------------------------------------

    @property
    def panel(self) -> ModePanel:
        """The chosen mode panel."""
        return self._chosen

    def job(self, job_id: int = 0) -> Job:
        """Build the job from what all the fields say now."""
        values = self.advanced.values()
        return Job(
            job_id=job_id,
            text=self.text.toPlainText(),
            description=self.panel.description(),
            voice=self.panel.voice(),
            seed=self.seed.seed,
            takes=self.takes.value(),
            steps=values.steps,
            cfg=values.cfg,
            max_patches=values.max_patches,
            normalize=values.normalize,
            temperature=values.temperature,
            min_patches=values.min_patches,
            retry_ratio=values.retry_ratio,
        )

    def paths(self) -> list[Job]:
        """The same text in every way whose fields are filled in, a take of each, with the same seed."""
        plain = replace(self.job(), description="", voice=None, takes=1)
        description = self.design.description()
        found = [plain, *([replace(plain, description=description)] if description else [])]
        for panel in (self.clone, self.continue_):
            voice = panel.voice()
            if voice is not None and not panel.missing():
                found.append(replace(plain, voice=voice, description=panel.description()))
        return found

    def copy_settings(self, take: Take) -> None:
        """Take over text, description, settings and seed of a take; see ``CopyControl`` for its voice."""
        job = take.job
        self.text.setPlainText(job.text)
        if job.mode == MODE_DESIGN:
            self.design.edit.setText(job.description)
        self.advanced.use(AdvancedValues.of_job(job))
        self.seed.set_seed(job.seed if take.seed is None else take.seed)

    def reason_not_to(self) -> str:
        """Say why Generate cannot be pressed; empty when it can."""
        return self._blocked or self.panel.missing()

    # What it is told -------------------------------------------------------------------------------------------------

    def choose(self, key: str) -> None:
        """Show the mode panel ``key`` (design, clone, continue)."""
        self._chosen = next(panel for panel in self.modes if panel.key == key)
        for panel in self.modes:
            panel.setVisible(panel is self._chosen)
        self._settings.set("panel", self.panel.key)
        self._title.setText(self.panel.title())
        self._changed()

    def set_model(self, model: ModelInfo | None) -> None:
        """Follow the abilities of the model."""
        for panel in self.modes:
            panel.set_model(model)
        self.advanced.set_model(model)
        self._update()

    def set_state(self, blocked: str, busy: bool, note: str = "") -> None:
        """Say from outside why nothing can be generated, whether there is something to stop, and how things stand."""
        self._blocked, self._busy, self._note = blocked, busy, note
        self._update()

    def show_problem(self, failure: Failure) -> bool:
        """Show a failure beside the field that it names; False when no field here has that name."""
        if failure.field == "text":
            self.text_problem.show_failure(failure)
            # In a low window the field may be scrolled away; the layout has to have made room for the remark first.
            QTimer.singleShot(0, self, lambda: self._scroll.ensureWidgetVisible(self.text_problem))
            return True
        return self.panel.show_problem(failure)

    def clear_problems(self) -> None:
        """Take all remarks back."""
        self.text_problem.say("")
        for panel in self.modes:
            panel.clear_problems()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self, model_button: QWidget) -> None:
        heading = QHBoxLayout()
        heading.addWidget(self._title, 1)
        heading.addWidget(model_button)
        fields = QWidget()
        inner = QVBoxLayout(fields)
        inner.setContentsMargins(0, 0, self.fontMetrics().averageCharWidth(), 0)
        # Not a QStackedWidget: that would be as high as the highest of its panels.
        for panel in self.modes:
            inner.addWidget(panel)
        inner.addWidget(self._text_label)
        inner.addWidget(self.text, 1)
        inner.addWidget(self.text_problem)
        inner.addWidget(self.plan_strip)
        inner.addWidget(self.advanced_fold)
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidget(fields)
        fields.setAutoFillBackground(False)
        self._scroll.viewport().setAutoFillBackground(False)
        bottom = QHBoxLayout()
        for widget in (self._takes_label, self.takes, self.seed):
            bottom.addWidget(widget)
        bottom.addStretch(1)
        bottom.addWidget(self.stop)
        bottom.addWidget(self.generate)
        layout = QVBoxLayout(self)
        layout.addLayout(heading)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(self.reason)
        layout.addLayout(bottom)

    def _connect(self) -> None:
        for panel in self.modes:
            panel.fields_changed.connect(self._changed)
        self.text.textChanged.connect(self._changed)
        self.advanced.values_changed.connect(self._changed)
        self.seed.seed_changed.connect(self._changed)
        self.takes.valueChanged.connect(self._takes_changed)
        self.generate.clicked.connect(self.generate_requested)
        self.stop.clicked.connect(self.stop_requested)
        self.advanced.paths_button.clicked.connect(lambda: self.paths_requested.emit(self.paths()))

    def _takes_changed(self, count: int) -> None:
        self._settings.set("takes", count)
        self._changed()

    def _changed(self) -> None:
        self.text_problem.say("")
        self._update()
        self.draft_changed.emit()

    def _update(self) -> None:
        reason = self.reason_not_to()
        self.generate.setEnabled(not reason)
        self.advanced.paths_button.setEnabled(not self._blocked)
        self.stop.setEnabled(self._busy)
        say(self.reason, reason or self._note)

    def retranslate(self) -> None:
        """Set all texts."""
        self._title.setText(self.panel.title())
        self._text_label.setText(self.tr("Text"))
        self.text.setPlaceholderText(self.tr("What is to be said"))
        describe(self.text, self.tr("Text"), self.tr("The words that the voice will say."))
        self.advanced_fold.button.setText(self.tr("Advanced"))
        describe(self.advanced_fold.button, self.tr("Show the advanced settings"))
        self._takes_label.setText(self.tr("Takes"))
        describe(
            self.takes,
            self.tr("Number of takes"),
            self.tr("Up to three takes are made together, with seeds far apart."),
        )
        self.generate.setText(self.tr("Generate"))
        describe(self.generate, self.tr("Generate"), self.tr("Make the takes (Ctrl+Enter)"))
        self.stop.setText(self.tr("Stop"))
        describe(self.stop, self.tr("Stop"), self.tr("Stop and keep what was made (Esc)"))
        self._update()
