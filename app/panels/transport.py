"""The controls of the player: play, stop, loop, speed, volume, device, level."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QMenu, QSlider, QToolButton, QWidget

from app.audio.player import Player, PlayState
from app.core.settings import Settings
from app.core.takes import Take
from app.widgets.icons import themed_icon
from app.widgets.level_meter import LevelMeter
from app.widgets.time_axis import TimeAxis
from app.widgets.translated import Translated, describe
from app.widgets.wording import clock_text, no_sound_reason

SPEEDS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
_LOUDEST_DB = 0.0
_QUIETEST_DB = -40.0  # at 1 %; 0 % is silence


class Transport(Translated, QWidget):
    """Drives ``player``; loops what is selected on ``axis``. Without a sound device it says why nothing plays."""

    def __init__(self, player: Player, axis: TimeAxis, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self._axis = axis
        self._settings = settings
        self._take: Take | None = None
        self.play_button, self.stop_button, self.loop_button = QToolButton(), QToolButton(), QToolButton()
        self.loop_button.setCheckable(True)
        side = round(1.5 * self.fontMetrics().height())
        for button in (self.play_button, self.stop_button, self.loop_button):
            button.setIconSize(QSize(side, side))
        self.clock = QLabel()
        self.speed_box = QComboBox()
        self.speed_box.addItems([f"{speed:g}×" for speed in SPEEDS])
        self.speed_box.setCurrentIndex(SPEEDS.index(1.0))
        self.state_label = QLabel()
        self.state_label.setProperty("muted", True)
        self.state_label.setMinimumWidth(1)
        self.volume = QSlider(Qt.Orientation.Horizontal)
        self.volume.setRange(0, 100)
        self.volume.setPageStep(10)
        self.volume.setFixedWidth(self.fontMetrics().horizontalAdvance("0" * 10))
        self.meter = LevelMeter()
        self.device_button = QToolButton(popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        self._devices = QMenu(self.device_button)
        self.device_button.setMenu(self._devices)
        self.while_made = QCheckBox()
        self.while_made.setChecked(settings.get("play_while_made"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        left = (self.play_button, self.stop_button, self.clock, self.loop_button, self.speed_box)
        right = (self.while_made, self.volume, self.meter, self.device_button)
        for widget in (*left, self.state_label, *right):
            row.addWidget(widget, 1 if widget is self.state_label else 0)
        self._connect()
        player.use_device(settings.get("output_device"))
        self.volume.setValue(settings.get("volume"))
        self._volume_changed(self.volume.value())
        self.restyle()
        self.retranslate()

    def show_take(self, take: Take | None) -> None:
        """Follow another take; the loop ends."""
        self._take = take
        self.loop_button.setChecked(False)
        self.update_state()

    def toggle_loop(self) -> None:
        """Loop what is selected, or no longer."""
        if self.loop_button.isEnabled():
            self.loop_button.toggle()

    def update_state(self) -> None:
        """Say how things stand."""
        player, take = self._player, self._take
        self._show_clock()
        active = player.is_active
        self.play_button.setIcon(self._pause_icon if active else self._play_icon)
        reason = no_sound_reason(player.unavailable) if player.unavailable else ""
        there = take is not None and (take.seconds > 0 or take.is_growing)
        self.play_button.setEnabled(not reason and there)
        self.stop_button.setEnabled(not reason and there)
        self.loop_button.setEnabled(self._axis.selection is not None)
        describe(
            self.play_button,
            self.tr("Pause") if active else self.tr("Play"),
            reason or self.tr("Play or pause (Space)"),
        )
        self.say(reason or self._how_it_goes())
        self.state_label.setToolTip(player.details or self.state_label.text())

    def say(self, text: str) -> None:
        """Show a line of words beside the controls."""
        self.state_label.setText(text)
        self.state_label.setToolTip(text)

    def restyle(self) -> None:
        """Draw the icons in the colours of the theme."""
        self._play_icon = themed_icon("play", self.palette())
        self._pause_icon = themed_icon("pause", self.palette())
        self.stop_button.setIcon(themed_icon("stop", self.palette()))
        self.loop_button.setIcon(themed_icon("loop", self.palette()))
        self.update_state()

    def retranslate(self) -> None:
        """Set all texts."""
        self.while_made.setText(self.tr("Play while it is made"))
        describe(self.while_made, self.tr("Play while it is made"), self.tr("The sound starts with the first patch."))
        describe(self.stop_button, self.tr("Stop playing"), self.tr("Stop playing and go to the start"))
        describe(
            self.loop_button,
            self.tr("Loop the selection"),
            self.tr("Play the selection again and again (L). Drag over the waveform to select."),
        )
        describe(self.speed_box, self.tr("Speed"), self.tr("Playing speed; the pitch stays"))
        describe(self.volume, self.tr("Volume"), self.tr("Volume of the player; saved files are not changed"))
        self.device_button.setText(self.tr("Device"))
        self._show_device()
        self.update_state()

    def _connect(self) -> None:
        player = self._player
        self.play_button.clicked.connect(player.toggle)
        self.stop_button.clicked.connect(player.stop)
        self.loop_button.toggled.connect(lambda on: self._update_loop())
        self.speed_box.currentIndexChanged.connect(lambda at: player.set_speed(SPEEDS[at]))
        self.volume.valueChanged.connect(self._volume_changed)
        self.while_made.toggled.connect(lambda on: self._settings.set("play_while_made", on))
        self._devices.aboutToShow.connect(self._list_devices)
        self._axis.selection_changed.connect(self._selection_changed)
        player.level_changed.connect(self.meter.show_level)
        player.state_changed.connect(lambda state: self.update_state())
        player.health_changed.connect(self.update_state)
        player.availability_changed.connect(self._availability_changed)

    def position_changed(self) -> None:
        """Follow the player."""
        self._show_clock()

    def _show_clock(self) -> None:
        total = self._take.seconds if self._take else 0.0
        self.clock.setText(f"{clock_text(self._player.position)} / {clock_text(total)}")

    def _how_it_goes(self) -> str:
        player = self._player
        parts = [self.tr("waiting for the model…")] if player.state is PlayState.WAITING else []
        if player.waits:
            parts.append(self.tr("held up %n time(s) by the model", "", player.waits))
        if player.underruns:
            parts.append(self.tr("%n gap(s) in the sound", "", player.underruns))
        return " · ".join(parts)

    def _volume_changed(self, percent: int) -> None:
        decibels = _QUIETEST_DB + (_LOUDEST_DB - _QUIETEST_DB) * percent / 100
        self._player.set_volume(10 ** (decibels / 20) if percent else 0.0)
        self._settings.set("volume", percent)

    def _selection_changed(self) -> None:
        if self._axis.selection is None:
            self.loop_button.setChecked(False)
        self._update_loop()
        self.loop_button.setEnabled(self._axis.selection is not None)

    def _update_loop(self) -> None:
        self._player.set_loop(self._axis.selection if self.loop_button.isChecked() else None)

    def _availability_changed(self) -> None:
        self._show_device()
        self.update_state()

    def _show_device(self) -> None:
        name = self._player.device_name or self.tr("none")
        describe(self.device_button, self.tr("Output device"), self.tr("Output device: {name}").format(name=name))

    def _list_devices(self) -> None:
        self._devices.clear()
        group = QActionGroup(self._devices)
        choices = [("", self.tr("The system's choice"))]
        choices += [(device.key, f"{device.name} ({device.host})") for device in self._player.devices()]
        for key, text in choices:
            action = QAction(text.replace("&", "&&"), group, checkable=True)
            action.setChecked(key == self._player.device_key)
            action.triggered.connect(lambda checked=False, key=key: self._choose_device(key))
            self._devices.addAction(action)
        self._devices.addSeparator()
        self._devices.addAction(self.tr("Look for sound devices again")).triggered.connect(self._player.look_again)

    def _choose_device(self, key: str) -> None:
        self._settings.set("output_device", key)
        self.use_device(key)

    def use_device(self, key: str) -> None:
        """Play through another device from now on."""
        self._player.use_device(key)
        self._show_device()
