"""Plays a sound that may still be growing, and says where it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QObject, QTimer, Signal

from app.audio.backend import AudioBackend
from app.audio.feeder import Feeder
from app.audio.output import Output
from app.audio.portaudio import AudioDevice
from app.audio.sources import SoundSource
from app.audio.stretch import FASTEST, SLOWEST

_PUMP_MS = 20
_LATE_SECONDS = 0.1  # between two pumps: the window was held up
_FIRST_SECONDS = 0.25  # of a growing sound, before it starts: a model that is just fast enough comes in bursts
_RESUME_SECONDS = 0.5  # after running dry, gather this much before going on: fewer, longer gaps
_SETTLE_SECONDS = 0.1  # silence first: sound servers swallow the start of a new stream (up to 60 ms were seen)
_SWITCH_SECONDS = 0.06  # from the wish for another lane to its turn: time to fill it
_IDLE_MS = 700  # long enough for the device to play out what it was given
_PREPARED_MS = 10_000  # how long a device waits for the first sound of a take


class PlayState(Enum):
    """WAITING: it plays, but the model has not made more sound yet."""

    STOPPED = "stopped"
    PLAYING = "playing"
    PAUSED = "paused"
    WAITING = "waiting"


class Player(QObject):
    """One sound at a time. Lives in the window's thread; a timer keeps a lane filled ahead of the device.

    Without a device everything but playing works: ``unavailable`` is then the code of the reason
    (library, device, failed) and ``details`` its technical part. ``underruns`` counts gaps that the window or the
    device made, ``waits`` those for a model that is slower than the sound; both since ``set_source``.
    """

    state_changed = Signal(object)  # PlayState
    position_changed = Signal(float)  # seconds
    level_changed = Signal(float)  # peak 0..1 since the last time, 1 = full scale
    health_changed = Signal()  # underruns or waits
    alternative_changed = Signal(int)
    availability_changed = Signal()

    def __init__(self, backend: AudioBackend, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._output = Output(backend)
        self._sources: list[SoundSource] = []
        self._gains: list[float] = []
        self._index = 0
        self._feeder: Feeder | None = None
        self._leaving: Feeder | None = None  # the one whose lane sounds until the other's turn comes
        self._state = PlayState.STOPPED
        self._drained_at: int | None = None
        self._position = 0.0
        self._speed = 1.0
        self._volume = 1.0
        self._loop: tuple[float, float] | None = None
        self._was_behind = False
        self._pumped_at = 0.0
        self.underruns = 0
        self.waits = 0
        self._pump_timer = QTimer(self, interval=_PUMP_MS)
        self._pump_timer.timeout.connect(self._pump)
        self._idle_timer = QTimer(self, interval=_IDLE_MS, singleShot=True)
        self._idle_timer.timeout.connect(self._close_stream)

    @property
    def state(self) -> PlayState:
        """What it does now."""
        return self._state

    @property
    def position(self) -> float:
        """Where it is, in seconds from the start of the sound."""
        return self._position

    @property
    def source(self) -> SoundSource | None:
        """What it plays."""
        return self._sources[self._index] if self._sources else None

    @property
    def is_active(self) -> bool:
        """Whether sound comes out or would if there were any."""
        return self._state in (PlayState.PLAYING, PlayState.WAITING)

    @property
    def alternative(self) -> int:
        """Which of the alternatives is heard, from 0."""
        return self._index

    @property
    def speed(self) -> float:
        """0.5..2, 2 = twice as fast."""
        return self._speed

    @property
    def volume(self) -> float:
        """Linear, 0..1."""
        return self._volume

    @property
    def loop(self) -> tuple[float, float] | None:
        """What is played again and again, from and to in seconds; None for no loop."""
        return self._loop

    # Devices ---------------------------------------------------------------------------------------------------------

    @property
    def unavailable(self) -> str:
        """Why nothing can be played, as a code; empty when something can."""
        return self._output.unavailable

    @property
    def details(self) -> str:
        """The technical part of the reason."""
        return self._output.details

    @property
    def device_name(self) -> str:
        """The device that plays; empty for none."""
        return self._output.device_name

    @property
    def device_key(self) -> str:
        """The chosen device; empty for the system's choice."""
        return self._output.key

    def devices(self) -> list[AudioDevice]:
        """Every device that can play; none when there is no sound at all."""
        return self._output.devices()

    def use_device(self, key: str) -> None:
        """Play through the device of ``key`` (empty: the system's choice) from now on; a sound goes on there."""
        if key == self._output.key:
            return
        self._output.key = key
        if not self.device_name and not self.unavailable:
            return  # nobody has looked yet
        was_active = self.is_active
        self.pause()
        self._close_stream()
        self.probe()
        if was_active:
            self.play()

    def probe(self) -> None:
        """Look for the device; the answer is told by ``availability_changed``."""
        self._output.probe()
        self.availability_changed.emit()

    def look_again(self) -> None:
        """Look for devices that have come or gone since."""
        self.stop()
        self._close_stream()
        self._output.look_again()
        self.availability_changed.emit()

    # What to play ----------------------------------------------------------------------------------------------------

    def set_source(self, source: SoundSource | None) -> None:
        """Choose what to play; stops what plays, goes to the start, and ends a loop."""
        self.set_alternatives([source] if source is not None else [])

    def set_alternatives(self, sources: Sequence[SoundSource], gains_lu: Sequence[float] = ()) -> None:
        """Choose sounds to switch between at the same place, each turned up by its ``gains_lu`` (in LU, as dB).

        Stops what plays, goes to the start of the first one, and ends a loop.
        """
        self.stop()
        self._sources = list(sources)
        self._gains = [10 ** (gain / 20) for gain in gains_lu] or [1.0] * len(self._sources)
        if len(self._gains) != len(self._sources):
            raise ValueError(f"{len(self._gains)} gains do not fit {len(self._sources)} sounds")
        self._index = 0
        self._loop = None
        if self.underruns or self.waits:
            self.underruns = self.waits = 0
            self.health_changed.emit()

    def switch_to(self, index: int) -> None:
        """Go over to another alternative at the same place, without a gap; what is not playing only changes."""
        if not 0 <= index < len(self._sources):
            raise IndexError(f"there is no alternative {index}")
        if index != self._index:
            self._index = index
            self._renew()
            self.alternative_changed.emit(index)

    def set_speed(self, speed: float) -> None:
        """Play at 0.5..2 times the speed with the pitch kept."""
        speed = min(max(SLOWEST, speed), FASTEST)
        if speed != self._speed:
            self._speed = speed
            self._renew()

    def set_volume(self, volume: float) -> None:
        """Set the volume, linear 0..1."""
        self._volume = self._output.mixer.volume = min(max(0.0, volume), 1.0)

    def set_loop(self, loop: tuple[float, float] | None) -> None:
        """Play what lies between two places (seconds) again and again; None ends that."""
        if loop == self._loop:
            return
        self._loop = loop
        if loop is not None and self.is_active and not loop[0] <= self._position < loop[1]:
            self.seek(loop[0])
        else:
            self._renew()

    # Transport -------------------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Play, or pause."""
        if self.is_active:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Go on from the position; from the start when the end was reached. Does nothing without sound or device."""
        source = self.source
        if source is None or self.unavailable or self.is_active:
            return
        start = self._position
        if not source.is_growing and start * source.sample_rate >= source.length - 1:
            start = 0.0
        if self._loop is not None and not self._loop[0] <= start < self._loop[1]:
            start = self._loop[0]
        if not self._output.open(source.sample_rate, self._volume):
            self.availability_changed.emit()
            return
        self._set_position(start)
        self._begin(start)
        self._idle_timer.stop()
        self._set_state(PlayState.PLAYING)
        self._pump_timer.start()
        self._pumped_at = time.monotonic()
        self._pump()

    def prepare(self) -> None:
        """Begin to open the device for a sound that is about to be made, so that its first chunk need not wait."""
        source = self.source
        if source is None or self.unavailable or self.is_active:
            return
        self._output.prepare(source.sample_rate)
        self._idle_timer.start(_PREPARED_MS)

    def pause(self) -> None:
        """Hold at the position."""
        if self.is_active:
            self._update_position(late=0.0)  # what the device has by now is still heard
            self._rest(PlayState.PAUSED)

    def stop(self) -> None:
        """Stop and go to the start."""
        if self._state is not PlayState.STOPPED:
            self._rest(PlayState.STOPPED)
        self._set_position(0.0)

    def seek(self, seconds: float) -> None:
        """Go to a place; a playing sound goes on from there."""
        source = self.source
        if source is None:
            return
        self._set_position(min(max(0.0, seconds), source.length / source.sample_rate))
        if self.is_active:
            self._begin(self._position)
            self._pump()

    def close(self) -> None:
        """Let go of the device, and wait until it is free."""
        self._pump_timer.stop()
        self._idle_timer.stop()
        self._output.close_down()
        self._feeder = self._leaving = None
        self._state = PlayState.STOPPED

    def _close_stream(self) -> None:
        self._output.close()
        self._feeder = self._leaving = None

    def _begin(self, seconds: float) -> None:
        """Feed from a place in the source, in place of what sounds now, if anything."""
        self._feeder = self._make_feeder(seconds)
        self._leaving = None
        self._output.mixer.swap(self._feeder.lane)

    def _renew(self) -> None:
        """Take over a new speed, loop or alternative at the very place that is heard."""
        old, mixer = self._feeder, self._output.mixer
        if old is None or self._output.stream is None or not self.is_active or self.source is None:
            return
        if mixer.is_silent or mixer.is_swapping or mixer.lane is not old.lane:
            self._begin(self._position)
        else:
            ring = old.lane.ring
            at = min(ring.taken + round(_SWITCH_SECONDS * self._output.stream.rate), ring.written)
            self._feeder = self._make_feeder(old.place(at))
            self._leaving = old
            mixer.swap(self._feeder.lane, old.lane, at)
        self._pump()

    def _make_feeder(self, seconds: float) -> Feeder:
        assert self._output.stream is not None
        source = self._sources[self._index]
        gain = self._gains[self._index]
        self._drained_at = None
        self._was_behind = False
        feeder = Feeder(source, self._output.stream.rate, seconds, speed=self._speed, gain=gain, loop=self._loop)
        feeder.feed()
        return feeder

    def _pump(self) -> None:
        feeder, stream, mixer = self._feeder, self._output.stream, self._output.mixer
        if feeder is None or stream is None:
            return
        if not stream.active:
            self._rest(PlayState.STOPPED)
            self._output.lose()
            self._close_stream()
            self.availability_changed.emit()
            return
        now = time.monotonic()
        # Sound that was there and not handed over; else a lane that runs dry waits for the model.
        self._was_behind |= feeder.has_more and now - self._pumped_at > _LATE_SECONDS
        self._pumped_at = now
        feeder.feed()
        if self._leaving is not None and mixer.lane is feeder.lane:
            self._leaving = None
        self._update_position()
        self._count_underflows()
        if self._feeder is not feeder or self._output.stream is not stream:
            return
        self.level_changed.emit(mixer.take_peak())
        lane = feeder.lane
        if mixer.lane is lane and mixer.is_silent and lane.is_played:
            # All has been handed over; it ends when the device has played it out.
            if self._drained_at is None:
                self._drained_at = mixer.asked
            if mixer.asked - self._drained_at >= stream.latency * stream.rate:
                self._set_position(feeder.source.length / feeder.source.sample_rate)
                self._rest(PlayState.STOPPED)
        elif mixer.lane is lane and mixer.dry:
            self._wait_for_more(feeder, stream.rate)
        elif not mixer.wanted:
            self._start_when_ready(feeder, stream.rate)
        self._was_behind = feeder.is_behind

    def _start_when_ready(self, feeder: Feeder, rate: int) -> None:
        enough = feeder.lane.can_start and (
            not feeder.source.is_growing or feeder.lane.ring.filled >= _FIRST_SECONDS * rate
        )
        if enough and self._output.mixer.asked >= _SETTLE_SECONDS * rate:
            self._output.mixer.wanted = True
        self._set_state(PlayState.PLAYING if enough else PlayState.WAITING)

    def _wait_for_more(self, feeder: Feeder, rate: int) -> None:
        if self._state is not PlayState.WAITING:
            if self._was_behind:
                self.underruns += 1
            else:
                self.waits += 1
            self.health_changed.emit()
            self._set_state(PlayState.WAITING)
        if feeder.lane.is_complete or feeder.lane.ring.filled >= _RESUME_SECONDS * rate:
            self._output.mixer.go_on()
            self._set_state(PlayState.PLAYING)

    def _count_underflows(self) -> None:
        fresh = self._output.new_underflows()
        if fresh > 0 and not self._output.mixer.is_silent:
            self.underruns += fresh
            self.health_changed.emit()
            if self._output.allow_more_latency():
                self._open_anew()

    def _open_anew(self) -> None:
        """Go on at the same place on a stream with a longer buffer: there is a gap in any case."""
        source = self.source
        assert source is not None
        self._output.close()
        if self._output.open(source.sample_rate, self._volume):
            self._begin(self._position)
        else:
            self._rest(PlayState.STOPPED)
            self._close_stream()
            self.availability_changed.emit()

    def _update_position(self, late: float | None = None) -> None:
        stream, mixer = self._output.stream, self._output.mixer
        feeder = self._leaving if self._leaving is not None and mixer.lane is self._leaving.lane else self._feeder
        if feeder is None or stream is None or not self.is_active or mixer.lane is not feeder.lane:
            return
        # What was taken last is heard only after the device's latency.
        if late is None:
            late = stream.latency
            if self._drained_at is not None:
                late = max(0.0, late - (mixer.asked - self._drained_at) / stream.rate)
        taken = feeder.lane.ring.taken
        if taken:
            self._set_position(feeder.place(taken - late * stream.rate))

    def _rest(self, state: PlayState) -> None:
        self._output.mixer.wanted = False
        self._pump_timer.stop()
        self._idle_timer.start(_IDLE_MS)
        self.level_changed.emit(0.0)
        self._set_state(state)

    def _set_state(self, state: PlayState) -> None:
        if state is not self._state:
            self._state = state
            self.state_changed.emit(state)

    def _set_position(self, seconds: float) -> None:
        if seconds != self._position:
            self._position = seconds
            self.position_changed.emit(seconds)
