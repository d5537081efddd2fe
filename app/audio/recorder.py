"""Records from a microphone, and says how loud it is and when the device is lost."""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from app.audio.backend import AudioBackend
from app.audio.inputs import InputBackend, InputStream
from app.audio.monitor import Monitor
from app.audio.portaudio import AudioDevice, NoSound
from app.audio.ring_buffer import RingBuffer

log = logging.getLogger(__name__)

LONGEST_SECONDS = 60.0
FLOOR_DB = -120.0  # what is told for silence

_PUMP_MS = 30
_RING_SAMPLES = 1_920_000  # 10 s at 192 kHz: the window may be held up this long before sound is lost
_STALLED_SECONDS = 3.0  # nothing has come for so long: a sound server that ended tells nobody


class RecordState(Enum):
    """LISTENING: the level is told and nothing is kept. ENDING: what is still on its way is waited for."""

    IDLE = "idle"
    LISTENING = "listening"
    RECORDING = "recording"
    ENDING = "ending"


class RecordEnd(Enum):
    """Why a recording ended: a person stopped it, it was as long as allowed, or the device went away."""

    STOPPED = "stopped"
    LONGEST = "longest"
    LOST = "lost"


@dataclass(frozen=True, eq=False)
class Recording:
    """What was recorded: mono float32 [n] at ``sample_rate`` Hz, begun at ``started_at`` (UTC).

    ``overruns`` counts the places where sound was lost because it was not taken in time; 0 = none is missing.
    """

    samples: np.ndarray
    sample_rate: int
    device_name: str
    started_at: datetime
    overruns: int
    end: RecordEnd

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.samples) / self.sample_rate


class SoundBackend(AudioBackend, InputBackend, Protocol):
    """A way to microphones, and to a device that lets them be heard along."""


class Recorder(QObject):
    """One microphone at a time. Lives in the window's thread; a timer empties what the audio thread fills.

    Without a microphone ``unavailable`` is the code of the reason (library, device, failed), ``details`` its technical
    part; see ``app.widgets.wording.no_input_reason`` for words. The audio thread only copies into a ring.
    """

    state_changed = Signal(object)  # RecordState
    level_changed = Signal(float, float)  # peak and root mean square since the last time, dB below full scale
    elapsed_changed = Signal(float)  # seconds recorded
    finished = Signal(object)  # Recording, also one that the loss of the device ended
    failed = Signal(str, str)  # code, details: the device could not be opened, or went before anything was recorded
    availability_changed = Signal()
    monitor_failed = Signal(str)  # library, device, failed, or rate: no device plays at the microphone's rate

    def __init__(self, backend: SoundBackend, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend = backend
        self._monitor = Monitor(backend)
        self._monitor_key: str | None = None  # None: it is not wanted
        self._key = ""
        self._stream: InputStream | None = None
        self._ring = RingBuffer(1)
        self._lost_blocks = 0  # counted by the audio thread alone
        self._lost_before = 0
        self._parts: list[np.ndarray] = []
        self._count = 0
        self._longest = 0
        self._end_count = 0
        self._end = RecordEnd.STOPPED
        self._started_at = datetime.now(UTC)
        self._heard_at = 0.0
        self._state = RecordState.IDLE
        self.unavailable = ""
        self.details = ""
        self.device_name = ""
        self._timer = QTimer(self, interval=_PUMP_MS)
        self._timer.timeout.connect(self._pump)

    @property
    def state(self) -> RecordState:
        """What it does now."""
        return self._state

    @property
    def elapsed(self) -> float:
        """Seconds recorded by now."""
        return self._count / self._stream.rate if self._stream is not None else 0.0

    @property
    def rate(self) -> int:
        """Hz of the open microphone; 0 while none is open."""
        return self._stream.rate if self._stream is not None else 0

    # Devices ---------------------------------------------------------------------------------------------------------

    @property
    def device_key(self) -> str:
        """The chosen microphone; empty for the system's choice."""
        return self._key

    def devices(self) -> list[AudioDevice]:
        """Every device that can record; none when there is none at all."""
        try:
            return self._backend.inputs()
        except NoSound:
            return []

    def use_device(self, key: str) -> None:
        """Record from the device of ``key`` (empty: the system's choice) from now on; gives up what runs."""
        if key != self._key:
            self.cancel()
            self._key = key
            self.probe()

    def probe(self) -> None:
        """Look for the microphone; the answer is told by ``availability_changed``."""
        try:
            self.device_name = self._backend.probe_input(self._key)
        except NoSound as error:
            self._miss(error)
        else:
            self.unavailable = self.details = ""
        self.availability_changed.emit()

    def monitor(self, on: bool, key: str = "") -> None:
        """Let the microphone be heard while it is open, through the output of ``key`` (empty: the system's choice)."""
        self._monitor_key = key if on else None
        self._monitor.close()
        self._hear_along()

    # Recording -------------------------------------------------------------------------------------------------------

    def listen(self) -> bool:
        """Open the microphone and tell its level without keeping anything; False when it cannot be opened."""
        if self._state is not RecordState.IDLE:
            return True
        self._lost_blocks = 0
        self._ring = ring = RingBuffer(_RING_SAMPLES)

        def take(samples: np.ndarray, overflow: bool) -> None:
            if ring.write(samples) < len(samples) or overflow:
                self._lost_blocks += 1
            self._monitor.take(samples)

        try:
            self._stream = self._backend.open_input(take, self._key)
            self.device_name = self._backend.probe_input(self._key)
        except NoSound as error:
            self._close_stream()
            self._miss(error)
            self.availability_changed.emit()
            self.failed.emit(error.code, error.details)
            return False
        self._heard_at = time.monotonic()
        self._timer.start()
        self._hear_along()
        self._set_state(RecordState.LISTENING)
        return True

    def start(self, longest_seconds: float = LONGEST_SECONDS) -> bool:
        """Keep what comes from now on, at most ``longest_seconds``; opens the microphone if it is not open yet."""
        if self._state in (RecordState.RECORDING, RecordState.ENDING):
            return True
        if not self.listen():
            return False
        assert self._stream is not None
        self._ring.skip(self._ring.filled)
        self._parts, self._count = [], 0
        self._lost_before = self._lost_blocks
        self._longest = round(longest_seconds * self._stream.rate)
        self._started_at = datetime.now(UTC)
        self._set_state(RecordState.RECORDING)
        self.elapsed_changed.emit(0.0)
        return True

    def stop(self) -> None:
        """End the recording; ``finished`` brings it, once what the device still holds has come."""
        if self._state is RecordState.RECORDING:
            assert self._stream is not None
            late = round(self._stream.latency * self._stream.rate)
            self._end_count = min(self._longest, self._count + self._ring.filled + late)
            self._set_state(RecordState.ENDING)
        elif self._state is RecordState.LISTENING:
            self.cancel()

    def cancel(self) -> None:
        """Let go of the microphone and of what was recorded."""
        self._parts, self._count = [], 0
        self._close_stream()
        self._set_state(RecordState.IDLE)

    def close(self) -> None:
        """Let go of the device for good."""
        self.cancel()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _pump(self) -> None:
        stream = self._stream
        if stream is None:
            return
        alive = stream.active  # before the ring is read, so that nothing is left in it when it is not
        fresh = np.empty(self._ring.filled, np.float32)
        self._ring.read_into(fresh)
        now = time.monotonic()
        if len(fresh):
            self._heard_at = now
            self.level_changed.emit(*_levels(fresh))
        if self._state in (RecordState.RECORDING, RecordState.ENDING):
            self._keep(fresh)
        if self._stream is not stream:  # it is over, or somebody who was told ended it
            return
        if not alive or now - self._heard_at > _STALLED_SECONDS:
            self._lose()

    def _keep(self, fresh: np.ndarray) -> None:
        limit = self._end_count if self._state is RecordState.ENDING else self._longest
        kept = fresh[: max(0, limit - self._count)]
        self._parts.append(kept)
        self._count += len(kept)
        self.elapsed_changed.emit(self.elapsed)
        if self._count >= limit and self._state is not RecordState.IDLE:
            self._finish(RecordEnd.STOPPED if self._state is RecordState.ENDING else RecordEnd.LONGEST)

    def _finish(self, end: RecordEnd) -> None:
        assert self._stream is not None
        recording = Recording(
            np.concatenate(self._parts) if self._parts else np.zeros(0, np.float32),
            self._stream.rate,
            self.device_name,
            self._started_at,
            self._lost_blocks - self._lost_before,
            end,
        )
        self.cancel()
        if recording.overruns:
            log.warning("A recording of %.1f s has %d gaps", recording.seconds, recording.overruns)
        self.finished.emit(recording)

    def _lose(self) -> None:
        if self._state is RecordState.ENDING:  # a person had ended it before
            self._finish(RecordEnd.STOPPED)
            return
        log.info("The microphone has gone while it was open")
        details = "the device stopped"
        recorded = self._count > 0
        if recorded:
            self._finish(RecordEnd.LOST)
        else:
            self.cancel()
        self._miss(NoSound("device", details))
        self.availability_changed.emit()
        if not recorded:
            self.failed.emit("device", details)

    def _hear_along(self) -> None:
        if self._stream is None or self._monitor_key is None:
            return
        if not self._monitor.open(self._stream.rate, self._monitor_key):
            self._monitor_key = None
            self.monitor_failed.emit(self._monitor.problem)

    def _close_stream(self) -> None:
        self._timer.stop()
        self._monitor.close()
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _miss(self, error: NoSound) -> None:
        log.info("No microphone: %s (%s)", error.code, error.details)
        self.unavailable, self.details, self.device_name = error.code, error.details, ""

    def _set_state(self, state: RecordState) -> None:
        if state is not self._state:
            self._state = state
            self.state_changed.emit(state)


def _levels(samples: np.ndarray) -> tuple[float, float]:
    """Peak and root mean square of float32 [n > 0] in dB below full scale."""
    peak = float(np.abs(samples).max())
    power = float(np.mean(np.square(samples, dtype=np.float64)))
    return _decibels(peak), _decibels(math.sqrt(power))


def _decibels(level: float) -> float:
    return max(FLOOR_DB, 20 * math.log10(level)) if level > 0 else FLOOR_DB
