"""Records with the microphone: level, count-in, elapsed time, stop. Nothing of it holds the window up."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from app.audio.recorder import LONGEST_SECONDS, Recorder, Recording, RecordState
from app.core.settings import Settings
from app.widgets.flow import FlowLayout
from app.widgets.level_meter import LevelMeter
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe
from app.widgets.wording import clock_text, no_input_reason

COUNT_FROM = 3
COUNT_MS = 1000
_FULL_DB = -0.05  # a converter at its limit never quite says 1.0
_LEAST_SECONDS = 0.3


class MicrophoneMeter(LevelMeter):
    """The level of what comes in."""

    def retranslate(self) -> None:
        """Set all texts."""
        super().retranslate()
        describe(self, self.tr("Level of the microphone"), self.tr("Speak so that it stays between -20 and -6 dB."))


class RecordRow(Translated, QFrame):
    """Shown while somebody records. ``begin`` opens the microphone, so that its level can be seen before it counts.

    Several rows may share a recorder: the one that began last has it. ``longest_seconds`` ends a recording by itself.
    """

    recorded = Signal(object)  # Recording
    closed = Signal()

    def __init__(
        self,
        recorder: Recorder,
        settings: Settings,
        longest_seconds: float = LONGEST_SECONDS,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._recorder, self._settings = recorder, settings
        self._longest = longest_seconds
        self._mine = False
        self._left = 0  # of the count-in
        self.device = QComboBox()
        self.device.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.device.setMinimumContentsLength(20)
        self.meter = MicrophoneMeter()
        self.clock = QLabel()
        self.count_label = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.count_label.setProperty("heading", True)
        self.count_in = QCheckBox()
        self.count_in.setChecked(settings.get("count_in"))
        self.monitor = QCheckBox()
        self.record_button, self.stop_button, self.cancel_button = QPushButton(), QPushButton(), QPushButton()
        self.problem = Problem()
        self._build()
        self._connect()
        self.setVisible(False)
        self.retranslate()

    @property
    def is_open(self) -> bool:
        """Whether this row has the microphone."""
        return self._mine

    def begin(self) -> None:
        """Show the row and open the microphone."""
        if self._mine:
            return
        self._recorder.cancel()  # another row may have it
        self.problem.say("")
        self._recorder.use_device(self._settings.get("input_device"))
        self._list_devices()
        self.monitor.setChecked(False)
        self.setVisible(True)
        self._mine = True
        if self._recorder.listen():
            self._update()
            self.record_button.setFocus()

    def cancel(self) -> None:
        """Give up and close the row."""
        if self._mine:
            self._recorder.cancel()
        self._close()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        choices, buttons = FlowLayout(), FlowLayout()
        for choice in (self.device, self.meter, self.count_in, self.monitor):
            choices.addWidget(choice)
        for button in (self.record_button, self.stop_button, self.cancel_button, self.clock, self.count_label):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.addLayout(choices)
        layout.addLayout(buttons)
        layout.addWidget(self.problem)
        self._count = QTimer(self, interval=COUNT_MS)

    def _connect(self) -> None:
        recorder = self._recorder
        recorder.level_changed.connect(self._level_changed)
        recorder.elapsed_changed.connect(self._elapsed_changed)
        recorder.state_changed.connect(self._state_changed)
        recorder.finished.connect(self._finished)
        recorder.failed.connect(self._failed)
        recorder.monitor_failed.connect(self._monitor_failed)
        recorder.availability_changed.connect(self._follow_device)
        self._count.timeout.connect(self._count_down)
        self.record_button.clicked.connect(self._record)
        self.stop_button.clicked.connect(self._stop)
        self.cancel_button.clicked.connect(self.cancel)
        self.count_in.toggled.connect(lambda on: self._settings.set("count_in", on))
        self.monitor.toggled.connect(self._monitor_toggled)
        self.device.activated.connect(self._device_chosen)

    def _record(self) -> None:
        if not self._recorder.listen():  # it may have failed before and be there now
            return
        self.problem.say("")
        if self.count_in.isChecked():
            self._left = COUNT_FROM
            self._count.start()
            self._update()
        else:
            self._recorder.start(self._longest)

    def _count_down(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self._count.stop()
            self._recorder.start(self._longest)
        self._update()

    def _stop(self) -> None:
        if self._count.isActive():
            self._stop_counting()
            self._update()
        else:
            self._recorder.stop()

    def _stop_counting(self) -> None:
        self._count.stop()
        self._left = 0

    def _close(self) -> None:
        self._stop_counting()
        was_mine, self._mine = self._mine, False
        self._recorder.monitor(False)
        self.setVisible(False)
        if was_mine:
            self.closed.emit()

    def _level_changed(self, peak: float, rms: float) -> None:
        if self._mine:
            self.meter.show_level(1.01 if peak > _FULL_DB else 10 ** (peak / 20))

    def _elapsed_changed(self, seconds: float) -> None:
        if self._mine:
            self._show_clock(seconds)

    def _state_changed(self, state: RecordState) -> None:
        if not self._mine:
            return
        self._update()
        if state is RecordState.RECORDING:
            self.stop_button.setFocus()

    def _finished(self, recording: Recording) -> None:
        if not self._mine:
            return
        if recording.seconds < _LEAST_SECONDS:
            self._recorder.listen()
            self.problem.say(self.tr("That was too short to be of use. Record again."))
            self._update()
            return
        self._close()
        self.recorded.emit(recording)

    def _failed(self, code: str, details: str) -> None:
        if self._mine:
            self._stop_counting()
            self.problem.say(no_input_reason(code))
            self._update()

    def _monitor_failed(self, code: str) -> None:
        if not self._mine:
            return
        self.monitor.setChecked(False)
        rate = self.tr("The speakers do not take the rate of the microphone, so it cannot be heard along.")
        other = self.tr("There is nothing that plays, so the microphone cannot be heard along.")
        self.problem.say(rate if code == "rate" else other)

    def _monitor_toggled(self, on: bool) -> None:
        if self._mine:
            self._recorder.monitor(on, self._settings.get("output_device"))

    def _device_chosen(self, index: int) -> None:
        key = self.device.itemData(index)
        self._settings.set("input_device", key)
        self._stop_counting()
        self._recorder.use_device(key)
        self.problem.say("")
        self._recorder.listen()
        self._update()

    def _follow_device(self) -> None:
        """Another microphone was chosen in the settings."""
        key = self._recorder.device_key
        if self._mine and self.device.currentData() != key:
            self._list_devices()
            self._device_chosen(self.device.currentIndex())

    def _list_devices(self) -> None:
        self.device.clear()
        self.device.addItem(self.tr("The system's microphone"), "")
        for device in self._recorder.devices():
            self.device.addItem(f"{device.name} ({device.host})", device.key)
        self.device.setCurrentIndex(max(0, self.device.findData(self._recorder.device_key)))

    def _show_clock(self, seconds: float) -> None:
        self.clock.setText(f"{clock_text(seconds)} / {clock_text(self._longest)}")

    def _update(self) -> None:
        state, counting = self._recorder.state, self._count.isActive()
        runs = state in (RecordState.RECORDING, RecordState.ENDING)
        self.record_button.setEnabled(not runs and not counting and not self._recorder.unavailable)
        self.stop_button.setEnabled(state is RecordState.RECORDING or counting)
        for widget in (self.device, self.count_in):
            widget.setEnabled(not runs and not counting)
        self.monitor.setEnabled(state is not RecordState.IDLE)
        text = ""
        if counting:
            text = self.tr("It begins in {count}…").format(count=self._left)
        elif state is RecordState.RECORDING:
            text = self.tr("Recording: speak now")
        self.count_label.setText(text)
        if not runs:
            self._show_clock(0.0)

    def hideEvent(self, event: QHideEvent) -> None:
        """Keep what was recorded when somebody goes to another panel, and let go of the microphone."""
        super().hideEvent(event)
        if not self._mine or event.spontaneous():
            return
        if self._recorder.state is RecordState.RECORDING:
            self._recorder.stop()
        elif self._recorder.state is not RecordState.ENDING:
            self.cancel()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setAccessibleName(self.tr("Microphone"))
        self.record_button.setText(self.tr("Record"))
        describe(
            self.record_button, self.tr("Begin to record"), self.tr("Begin to record, after the count if it is on.")
        )
        self.stop_button.setText(self.tr("Stop"))
        describe(self.stop_button, self.tr("Stop recording"), self.tr("Stop recording and use what was said."))
        self.cancel_button.setText(self.tr("Cancel"))
        describe(self.cancel_button, self.tr("Record nothing"), self.tr("Let go of the microphone and keep nothing."))
        self.count_in.setText(self.tr("Count to three first"))
        describe(self.count_in, self.tr("Count to three before recording"))
        self.monitor.setText(self.tr("Hear myself"))
        describe(
            self.monitor,
            self.tr("Hear the microphone while recording"),
            self.tr("Only with headphones: loudspeakers would be recorded too."),
        )
        describe(self.device, self.tr("Which microphone"))
        if self.device.count():
            self.device.setItemText(0, self.tr("The system's microphone"))
        self._update()
