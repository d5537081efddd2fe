"""The status bar: what runs on the left, model, memory and speed on the right."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QWidget

from app.core.messages import ModelInfo
from app.core.takes import Take
from app.widgets.translated import Translated
from app.widgets.wording import memory_text, model_text

_MEMORY_MS = 2000
_JOB_MS = 100  # a fast model makes more patches in a second than can be read
_STEPS = 1000  # of the progress bar


class StudioStatus(Translated, QStatusBar):
    """Follows the job and the model. A bar never stands still at nothing: without a length to expect it runs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job_label = QLabel()
        self.bar = QProgressBar(textVisible=False)
        self.bar.setVisible(False)
        self.bar.setMaximumWidth(self.fontMetrics().horizontalAdvance("0" * 20))
        self.model_label = QLabel()
        self.memory_label = QLabel()
        self.speed_label = QLabel()
        side = self.fontMetrics().averageCharWidth()
        self.setContentsMargins(side, 0, side, 0)
        self.addWidget(self.bar)
        self.addWidget(self.job_label, 1)
        for label in (self.model_label, self.memory_label, self.speed_label):
            self.addPermanentWidget(label)
        self._model: ModelInfo | None = None
        self._speed = 0.0
        self.engine_process: Callable[[], int] = lambda: 0
        """The number of the process that the model works in; 0 when that is this one."""
        self._job: tuple[tuple[Take, ...], bool] | None = None  # to be shown
        self._job_timer = QTimer(self, interval=_JOB_MS, singleShot=True)
        self._job_timer.timeout.connect(self._show_waiting_job)
        self._timer = QTimer(self, interval=_MEMORY_MS)
        self._timer.timeout.connect(self._show_memory)
        self._timer.start()
        self.retranslate()

    def show_idle(self, text: str = "") -> None:
        """Nothing runs; ``text`` may say how the last thing ended."""
        self._job = None
        self.bar.setVisible(False)
        self.job_label.setText(text)

    def show_loading(self, fraction: float) -> None:
        """A model is being loaded, ``fraction`` 0..1 of it is done."""
        self._job = None
        self.job_label.setText(self.tr("Loading the model…"))
        self._progress(fraction)

    def show_job(self, takes: tuple[Take, ...], stopping: bool) -> None:
        """Takes are being made. Shown at once when something new has begun, else ten times a second."""
        if self._job_timer.isActive() and not stopping:
            self._job = (takes, stopping)
            return
        self._job = None
        self._job_timer.start()
        growing = [take for take in takes if take.is_growing] or list(takes)
        patches = max((take.patches for take in growing), default=0)
        expected = max((sum(take.expected_patches) // 2 for take in growing), default=0)
        done = len(takes) - sum(take.is_growing for take in takes)
        if stopping:
            text = self.tr("Stopping…")
        elif patches == 0:
            text = self.tr("Take {take} of {count} · getting ready · Esc stops").format(
                take=min(done + 1, len(takes)), count=len(takes)
            )
        elif expected and patches <= expected:
            text = self.tr("Take {take} of {count} · {patches} of ~{expected} patches · Esc stops").format(
                take=min(done + 1, len(takes)), count=len(takes), patches=patches, expected=expected
            )
        else:
            text = self.tr("Take {take} of {count} · {patches} patches · Esc stops").format(
                take=min(done + 1, len(takes)), count=len(takes), patches=patches
            )
        self.job_label.setText(text)
        self._progress(patches / expected if expected and patches <= expected else 0.0)

    def show_model(self, model: ModelInfo | None) -> None:
        """Say which model is loaded, where, and in which precision."""
        self._model = model
        self.retranslate()

    def show_speed(self, real_time_factor: float) -> None:
        """Say how long a second of sound takes."""
        self._speed = real_time_factor
        self._show_speed()

    def retranslate(self) -> None:
        """Set all texts."""
        model = self._model
        self.model_label.setText(
            f"{model_text(model.name)} · {model.device} {model.dtype}" if model else self.tr("No model loaded")
        )
        self.model_label.setToolTip(self.tr("Model, device and precision"))
        self._show_speed()
        self.speed_label.setToolTip(self.tr("Real-time factor of the last take: seconds of work per second of sound"))
        self.memory_label.setToolTip(self.tr("Memory that the studio uses"))
        self.bar.setAccessibleName(self.tr("Progress"))
        if self.isVisible():
            self._show_memory()

    def _show_waiting_job(self) -> None:
        if self._job is not None:
            self.show_job(*self._job)

    def _progress(self, fraction: float) -> None:
        # Else every value is painted at once, and everything that waits to be painted along with it.
        self.bar.setUpdatesEnabled(False)
        self.bar.setMaximum(_STEPS if fraction > 0 else 0)
        self.bar.setValue(round(fraction * _STEPS))
        self.bar.setUpdatesEnabled(True)
        self.bar.setVisible(True)

    def _show_speed(self) -> None:
        self.speed_label.setText(self.tr("RTF {factor:.2f}").format(factor=self._speed) if self._speed else "")

    def _show_memory(self) -> None:
        import psutil  # not on the way to the first window

        used = psutil.Process().memory_info().rss
        with contextlib.suppress(psutil.Error):  # it may just have ended
            if number := self.engine_process():
                used += psutil.Process(number).memory_info().rss
        self.memory_label.setText(memory_text(used))
